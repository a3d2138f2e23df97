"""The schema of a component: one YAML file that claims what one part of a model or library computes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from atlas.entries.base import (
    Axes,
    DottedName,
    EntryPath,
    Form,
    HttpsUrl,
    Identifier,
    Latex,
    MisfitError,
    Name,
    OldAddress,
    Record,
    SizeText,
    Text,
)
from atlas.entries.manifest import RepositoryPath
from atlas.exceptions import SizeError
from atlas.sizes import size

_LINES = re.compile(r"([1-9][0-9]{0,6})(?:-([1-9][0-9]{0,6}))?")


def _a_range(lines: str | int) -> str | int:
    match = _LINES.fullmatch(str(lines))
    if match is None:
        raise ValueError(f"`{lines}` is not a line or a range of lines such as 59-61")
    if match[2] and int(match[2]) < int(match[1]):
        raise MisfitError(f"the range {lines} ends before it begins", f"write `{match[2]}-{match[1]}`")
    return lines


LineRange = Annotated[str | int, AfterValidator(_a_range), Form("a line or a range of lines such as 59-61")]
"""A line or a range of lines, both ends included, as in `59-61`."""


class SourceClaim(Record):
    """A claim about the component and the passage of pinned upstream source that shows it."""

    id: Identifier
    """The claim's name, unique within the entry; part of its address."""
    claim: Text
    """What the passage shows, in one sentence."""
    evidence: Literal["direct", "supporting"] = "direct"
    """`direct`: the passage is the computation; `supporting`: the claim follows from it."""
    source: Identifier
    """The manifest in `sources/` that pins the project."""
    path: RepositoryPath
    """The file's path in the project's repository; the manifest pins its content."""
    lines: LineRange
    """The lines of the passage, as in `59-61`."""
    symbol: DottedName | None = None
    """A function, class or name whose definition must begin inside these lines; where they end before it does, or begin
    amid another, pages say of what they are a part."""
    first_symbol: DottedName | None = None
    """The name that the first definition inside these lines must have."""
    call: DottedName | None = None
    """The call, inside these lines, by which the source uses this component; its line is found, not typed."""

    @property
    def span(self) -> tuple[int, int]:
        """First and last line."""
        match = _LINES.fullmatch(str(self.lines))
        if match is None:
            raise AssertionError("the schema admits ranges only")
        return int(match[1]), int(match[2] or match[1])


def _a_layout(text: str) -> str:
    match = _LAYOUT.fullmatch(text)
    if match is None:
        raise ValueError(f"`{text}` is not a layout such as `(part h k) d -> h d k`")
    left, right = [name for name in re.findall(r"\w+", match[1]) if name != "1"], match[2].split()
    if len({*left}) < len(left) or len({*right}) < len(right):
        raise MisfitError(f"the layout `{text}` names an axis twice", "give each axis a name of its own")
    if sorted([*right, PART] if PART in left else right) != sorted(left):
        raise MisfitError(
            f"the layout `{text}` does not have the same axes on both sides", "write each axis on both sides of `->`"
        )
    return text


TensorName = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9_.{}/:-]+$", max_length=200),
    Form("the name of a tensor, such as attn.c_attn.weight"),
]
"""The name of an upstream tensor, with a layer, a size or a shard in braces: `{n}`, `{d}`, `{shard}`."""

SHARD = "{shard}"
"""What stands for the number of a shard in the name of a tensor, counted from 0."""

PART = "part"
"""What a layout calls the axis along which tensors are fused."""

_AXIS = r"(?:1|[a-z]\w*|\([a-z]\w*(?: [a-z]\w*)*\))"
_LAYOUT = re.compile(rf"({_AXIS}(?: {_AXIS})*) -> ([a-z]\w*(?: [a-z]\w*)*)")

LayoutText = Annotated[
    str,
    StringConstraints(max_length=200),
    AfterValidator(_a_layout),
    Form("a layout such as (part h k) d -> h d k"),
]
"""How the axes of an upstream tensor become those of a symbol; `1` is an axis of length 1, which is left out."""

PartText = Annotated[
    str, StringConstraints(pattern=r"^[1-9][0-9]{0,3} of [1-9][0-9]{0,3}$"), Form("a part such as 1 of 3")
]
"""A part of a fused tensor, counted from 1."""

TiedText = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z0-9]+([-_/][a-z0-9]+)*\.[^.]+$", max_length=200),
    Form("a component and its symbol with a dot between them, such as input/token-embedding.E"),
]
"""A parameter of another component of the model."""

Ports = Mapping[Latex, Latex | tuple[Latex, ...]]
"""Values of the model, each with the symbol that it enters as, or with several."""


def entering(ports: Ports) -> tuple[tuple[str, str], ...]:
    """Each value with a symbol that it enters as; a value that enters as several is there several times."""
    symbols = [(value, (as_,) if isinstance(as_, str) else as_) for value, as_ in ports.items()]
    return tuple((value, symbol) for value, several in symbols for symbol in several)


class Symbol(Record):
    """One symbol of the formula: what it is and what it stands for."""

    axes: Axes
    """The lengths of the symbol's axes in order; an empty list for a scalar."""
    binds: Name | None = None
    """The operator's argument, option or result that the symbol stands for."""
    parameter: Text | None = None
    """For a learned parameter: its name in the table of parameters."""
    buffer: Text | None = None
    """For a statistic that training keeps and that is not learned, such as a running mean: its name."""
    tensor: TensorName | None = None
    """For a parameter or a buffer: the name under which upstream stores it; the names of its stacks go before it."""
    layout: LayoutText | None = None
    """How the upstream tensor's axes become this symbol's, as in `(part h k) d -> h d k`; left out where alike."""
    part: PartText | None = None
    """Which part of a fused upstream tensor it is, as in `1 of 3`; the axis is called `part` in the layout."""
    shards: Annotated[int, Field(ge=2, le=10_000)] | None = None
    """For a tensor that upstream stores in pieces along its first axis, as even as can be with the longer ones first:
    how many; `{shard}` in `tensor` stands for the number of a piece, from 0."""
    tied: TiedText | None = None
    """For a parameter that is the same as another: that one, as in `input/token-embedding.E`; it is counted once."""
    active: Mapping[Latex, SizeText] = Field(default_factory=dict)
    """For a parameter of which one token uses a part: each such axis, with how much of it, as in `{E: k}`."""
    meaning: Text | None = None
    """What the symbol means, in a few words."""
    values: Literal["real", "positive", "fraction"] = "real"
    """What its elements may be: any number, numbers above zero, or numbers strictly between zero and one."""
    ids: SizeText | None = None
    """For whole numbers that index an axis, from 0: the axis's length."""
    between: tuple[SizeText, SizeText] | None = None
    """For a whole number that may stand where sizes stand: its lowest and its highest value."""
    maps_to: Axes | None = None
    """For an unknown function of an array with these axes: the axes of its value."""
    members: SizeText | None = None
    """For a family of functions: how many there are."""
    stands_for: Latex | None = None
    """For another name of a built-in function: that function, such as `\\mathrm{sigmoid}`."""

    @model_validator(mode="after")
    def _one_kind(self) -> Symbol:
        kinds = ("ids", "between", "maps_to", "stands_for")
        stated = [name for name in kinds if getattr(self, name) is not None]
        if self.values != "real":
            stated.append("values")
        if len(stated) > 1:
            raise MisfitError(f"{' and '.join(stated)} exclude each other", "remove all but one")
        learned = self.parameter is not None
        if learned and self.buffer is not None:
            raise MisfitError("parameter and buffer exclude each other", "remove one of the two")
        for name in ("tied", "active"):
            if getattr(self, name) and not learned:
                raise MisfitError(f"`{name}` goes with `parameter`", f"add `parameter`, or remove `{name}`")
        for name in ("layout", "part", "shards"):
            if getattr(self, name) is not None and self.tensor is None:
                raise MisfitError(f"`{name}` goes with `tensor`", f"add `tensor`, or remove `{name}`")
        if (self.shards is not None) != (SHARD in (self.tensor or "")):
            raise MisfitError(f"`shards` and `{SHARD}` in the name of the tensor go together", "state both, or neither")
        if self.members is not None and self.maps_to is None:
            raise MisfitError("`members` goes with `maps_to`", "add `maps_to`, or remove `members`")
        return self

    @model_validator(mode="after")
    def _active_axes_are_there(self) -> Symbol:
        axes = {size(axis) for axis in self.axes} if self.active else set()
        for axis in self.active:
            try:
                known = size(axis) in axes
            except SizeError as error:
                raise ValueError(f"`active`: {error}") from None
            if not known:
                raise MisfitError(
                    f"`active` is about axes of the symbol, and {axis} is none",
                    f"name one of {', '.join(map(str, self.axes))}",
                )
        return self


class State(Record):
    """What a component keeps from one token to the next when it generates."""

    axes: Axes
    """The lengths of the axes that are kept for one token, or in all."""
    lifetime: Literal["token", "input", "window", "constant"]
    """`token`: kept for every token that is generated; `input`: for every token of an input that is read whole before,
    such as the source of a translation; `window`: for the last tokens of a window; `constant`: of one size always."""
    meaning: Text
    """What is kept, in a few words."""


class Reference(Record):
    """A publication or page, as a reader finds it."""

    title: Text
    """Its title."""
    url: HttpsUrl | None = None
    """Its address, where it has one."""
    where: Text | None = None
    """The place in it, such as `Table 3`."""


class Difference(Record):
    """A point on which a publication and the pinned code do not agree; the page shows both."""

    about: Text
    """What it is about, in a few words."""
    published: Text
    """What the publication says."""
    reference: Reference
    """The publication."""
    code: Text
    """What the pinned code does."""
    claims: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    """The source claims whose passages show it."""


class Execution(Record):
    """How `atlas verify` runs the pinned passage itself on the arrays that the operator gets."""

    excerpt: Identifier
    """The source claim whose file is executed."""
    facade: Literal["tensorflow", "chainer"]
    """The small NumPy stand-in for the library that the passage calls."""
    call: DottedName
    """The function or class to call."""
    constructor: Mapping[Name, Name] = Field(default_factory=dict)
    """For a class: constructor arguments and the operator's options they get; others keep upstream's defaults."""
    passes: Mapping[Name, Name]
    """The call's arguments and the operator's arguments or options they get; others keep upstream's defaults."""
    variables: Mapping[Text, Name] = Field(default_factory=dict)
    """Variables that the passage creates and the operator's parameters that they hold."""
    gives: Literal["result", "gradient"] = "result"
    """What is compared with the operator. A call that is passed `dy`, the gradient of the result, returns gradients
    itself; another call's gradients are traced through the code that it runs."""


class ApiArgument(Record):
    """One argument of a documented function or class."""

    type: Text
    """Its type, as the reader should think of it: words of your own, which nothing checks, so mind their spelling."""
    default: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = None
    """Its default as the source writes it, quoted; left out for a required argument."""
    text: Text
    """What it does."""


class ApiValue(Record):
    """An attribute or a returned value."""

    type: Text
    """Its type, in words which nothing checks, as of an argument."""
    text: Text
    """What it holds."""


class SeeAlso(Record):
    """Something worth reading next to this."""

    title: Text
    """How it is called."""
    url: HttpsUrl
    """Where it is."""


class Api(Record):
    """What the API documentation of a library's layer says, against the pinned source, which is never executed.

    Names, the order of arguments, defaults, attributes and `experimental` are compared with it; types and texts are
    words that nothing checks.
    """

    name: DottedName
    """The full public name."""
    excerpt: Identifier
    """The source claim that holds the definition."""
    symbol: DottedName
    """The class or function in that file."""
    arguments: Mapping[Name, ApiArgument] = Field(default_factory=dict)
    """The arguments of the function or of the class's `__init__`, in order; left out where the file gives it none."""
    attributes: Mapping[Name, ApiValue] = Field(default_factory=dict)
    """Public attributes of an instance."""
    call_arguments: Mapping[Name, ApiArgument] = Field(default_factory=dict)
    """For a class whose instances are called: the arguments of `__call__`, or of `forward`, in order."""
    returns: ApiValue | None = None
    """What the function or the call returns."""
    experimental: bool = False
    """Whether the upstream code itself announces that the interface may change."""
    warnings: tuple[Text, ...] = ()
    """What a user must know before using it."""
    see_also: tuple[SeeAlso, ...] = ()
    """Further reading."""


class Component(Record):
    """One component of a model, or one documented layer of a library."""

    title: Text
    """The component's name as people say it."""
    inherits: EntryPath | None = None
    """Another entry whose fields hold here too, unless they are stated here again."""
    operator: Name
    """The NumPy operator that the claims are checked against."""
    arguments: Mapping[Name, float | int | bool | str] = Field(default_factory=dict)
    """The options that the operator is called with."""
    summary: Text
    """What the component does, in one sentence."""
    formula: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=20_000)]
    """The computation in LaTeX, as it is displayed."""
    formula_not_executed: Text | None = None
    """Why the formula is displayed only; left out where it is executed, as it should be."""
    batch: tuple[Latex, ...] = ()
    """The axes over which the formula is mapped: each element along them is computed alone."""
    base: Literal[0, 1] = 1
    """The first value of the formula's indices."""
    sizes: Mapping[Latex, SizeText] = Field(default_factory=dict)
    """Relations between sizes that the formula needs, such as `d: 2 r`."""
    zero_outside: tuple[Latex, ...] = ()
    """Symbols that are zero where the formula reads them out of range, as by a padded convolution."""
    symbols: Annotated[Mapping[Latex, Symbol], Field(min_length=1)]
    """Every symbol of the formula that stands for a tensor, an option or a result."""
    in_: Ports = Field(default_factory=dict, alias="in")
    """Values of the model that enter, each with the symbol that it enters as, or with several."""
    out: Mapping[Latex, Latex] = Field(default_factory=dict)
    """Values of the model that leave, each with the symbol that it leaves as."""
    note: Text | None = None
    """What a reader should know beside the formula."""
    parameters_note: Text | None = None
    """How the learned parameters are owned or shared."""
    training: Text | None = None
    """What differs in training, such as dropout; evaluation is what the formula says."""
    conventions: Mapping[Name, Text] = Field(default_factory=dict)
    """The conventions of this formulation, such as `axis: last`."""
    state: Mapping[Latex, State] = Field(default_factory=dict)
    """What is kept from one token to the next, such as keys and values; the model's cache follows from it."""
    differences: tuple[Difference, ...] = ()
    """Points on which a publication and the pinned code do not agree."""
    api: Api | None = None
    """For a library's layer: its API documentation."""
    sources: Annotated[tuple[SourceClaim, ...], Field(min_length=1)]
    """Claims with the pinned passages that show them."""
    executions: tuple[Execution, ...] = ()
    """Pinned passages that `atlas verify` executes on the operator's arrays."""
    formerly: tuple[OldAddress, ...] = ()
    """Addresses below the site's root at which its page was before; each leads to it now."""

    @property
    def takes(self) -> tuple[tuple[str, str], ...]:
        """Each value that enters with a symbol that it enters as."""
        return entering(self.in_)
