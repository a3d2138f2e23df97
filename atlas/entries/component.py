"""The schema of a component: one YAML file that claims what one part of a model or library computes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from atlas.entries.base import Axes, DottedName, EntryPath, HttpsUrl, Identifier, Latex, Name, Record, SizeText, Text
from atlas.entries.manifest import RepositoryPath

_LINES = re.compile(r"([1-9][0-9]{0,6})(?:-([1-9][0-9]{0,6}))?")


def _a_range(lines: str | int) -> str | int:
    match = _LINES.fullmatch(str(lines))
    if match is None:
        raise ValueError(f"`{lines}` is not a line or a range of lines such as 59-61")
    if match[2] and int(match[2]) < int(match[1]):
        raise ValueError(f"the range {lines} ends before it begins")
    return lines


LineRange = Annotated[str | int, AfterValidator(_a_range)]
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
    """A function, class or name that must be defined inside these lines."""
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


class Symbol(Record):
    """One symbol of the formula: what it is and what it stands for."""

    axes: Axes
    """The lengths of the symbol's axes in order; an empty list for a scalar."""
    binds: Name | None = None
    """The operator's argument, option or result that the symbol stands for."""
    parameter: Text | None = None
    """For a learned parameter: its name in the table of parameters."""
    tensor: Text | None = None
    """For a learned parameter: the name under which the upstream code stores it."""
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
            raise ValueError(f"{' and '.join(stated)} exclude each other")
        if self.members is not None and self.maps_to is None:
            raise ValueError("`members` goes with `maps_to`")
        return self


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
    """Its type, as the reader should think of it."""
    default: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = None
    """Its default as the source writes it, quoted; left out for a required argument."""
    text: Text
    """What it does."""


class ApiValue(Record):
    """An attribute or a returned value."""

    type: Text
    """Its type."""
    text: Text
    """What it holds."""


class SeeAlso(Record):
    """Something worth reading next to this."""

    title: Text
    """How it is called."""
    url: HttpsUrl
    """Where it is."""


class Api(Record):
    """What the API documentation of a library's layer says; checked against the pinned source, never executed."""

    name: DottedName
    """The full public name."""
    excerpt: Identifier
    """The source claim that holds the definition."""
    symbol: DottedName
    """The class or function in that file."""
    arguments: Mapping[Name, ApiArgument] = Field(default_factory=dict)
    """The arguments of the function or of the class's constructor, in order."""
    attributes: Mapping[Name, ApiValue] = Field(default_factory=dict)
    """Public attributes of an instance."""
    call_arguments: Mapping[Name, ApiArgument] = Field(default_factory=dict)
    """For a class whose instances are called: the arguments of the call, in order."""
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
    in_: Mapping[Latex, Latex] = Field(default_factory=dict, alias="in")
    """Values of the model that enter, each with the symbol that it enters as."""
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
    api: Api | None = None
    """For a library's layer: its API documentation."""
    sources: Annotated[tuple[SourceClaim, ...], Field(min_length=1)]
    """Claims with the pinned passages that show them."""
    executions: tuple[Execution, ...] = ()
    """Pinned passages that `atlas verify` executes on the operator's arrays."""
