"""The schemas of collections: a model (stacks of layers, variants that bind its sizes) and a library of layers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Annotated, Any, Literal

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
from atlas.entries.component import Difference, Ports, Reference, SourceClaim, TensorName, TiedText
from atlas.entries.program import PositiveSize, Program, SizeList, ValueName

Year = Annotated[int, Field(ge=1943, le=2100)]
ArxivId = Annotated[
    str,
    StringConstraints(pattern=r"^([0-9]{4}\.[0-9]{4,5}|[a-z-]+/[0-9]{7})$"),
    Form("an arXiv identifier, such as 1607.06450"),
]
ModelType = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9]+([-_.][A-Za-z0-9]+)*$", max_length=80),
    Form("a type of model as configuration files state it, such as gpt2"),
]


def _a_day(written: str) -> str:
    try:
        date.fromisoformat(written)
    except ValueError as error:
        raise MisfitError(f"`{written}` is no day of the calendar: {error}", "write a day as in 2020-02-29") from None
    return written


Day = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"),
    AfterValidator(_a_day),
    Form("a day, such as 2026-11-30"),
]


class Change(Record):
    """What a contributor changed for readers, and when; the repository's history is not at hand in every build."""

    date: Day
    """The day."""
    what: Text
    """What a reader finds now, in one sentence."""


class Paper(Record):
    """The publication that describes a model."""

    title: Text
    """Its title."""
    authors: tuple[Text, ...]
    """Its authors in order."""
    year: Year
    """The year of publication."""
    arxiv: ArxivId | None = None
    """Its arXiv identifier, quoted."""
    url: HttpsUrl | None = None
    """Its address, where it is not on arXiv."""


class Use(Record):
    """A component that is documented elsewhere in the model, used in this place too."""

    use: EntryPath
    """The component's path in the model, such as `encoder/ffn-layer-norm`."""
    as_: Identifier | None = Field(default=None, alias="as")
    """What it is called here; left out, as in the other place."""
    title: Text | None = None
    """The component's name here as people say it; left out, as in the other place."""
    with_: Mapping[Latex, SizeText] = Field(default_factory=dict, alias="with")
    """Sizes of the component, with what they are here."""
    in_: Ports = Field(default_factory=dict, alias="in")
    """Values that enter here; left out, as the component says."""
    out: Mapping[Latex, Latex] = Field(default_factory=dict)
    """Values that leave here; left out, as the component says."""
    tensors: Mapping[Latex, TensorName] = Field(default_factory=dict)
    """Parameters that upstream stores under other names here."""
    tied: Mapping[Latex, TiedText] = Field(default_factory=dict)
    """Parameters that are the same as others."""

    @property
    def name(self) -> str:
        """What it is called here."""
        return self.as_ or self.use.rpartition("/")[2]


class Stack(Record):
    """A run of equal layers, each a sequence of components; or, without `layers`, a part that is gone through once."""

    title: Text
    """The stack's name."""
    layers: SizeText | None = None
    """How many layers there are: a number, or an expression of sizes; left out where the part has no layers."""
    components: Annotated[tuple[Identifier | Use, ...], Field(min_length=1)]
    """The components in the order of the data flow: files in the stack's folder, stacks within it, uses of others."""
    stacks: Mapping[Identifier, Stack] = Field(default_factory=dict)
    """Stacks within each layer, each named as its folder and among `components`."""
    takes: Mapping[Latex, ValueName] = Field(default_factory=dict)
    """For each value that the first layer takes: where it comes from."""
    carries: Mapping[Latex, Latex] = Field(default_factory=dict)
    """The value that a layer takes and the value that it hands to the next."""
    with_: Mapping[Latex, SizeText] = Field(default_factory=dict, alias="with")
    """Sizes that the stack has of its own, with their values in the first layer."""
    then: Mapping[Latex, SizeText] = Field(default_factory=dict)
    """For sizes that change: their values in the next layer, in terms of those in this one."""
    ends: Mapping[Latex, Latex] = Field(default_factory=dict)
    """For sizes that change: what the model calls their values after the last layer."""
    varies: tuple[Latex, ...] = ()
    """Sizes for which variants state a list with a value for each layer."""
    index: Annotated[str, StringConstraints(pattern="^[a-z]$"), Form("one letter")] = "n"
    """The letter that stands for the number of the layer in names of tensors."""
    first: Annotated[int, Field(ge=0, le=1000)] = 0
    """The number of the first layer in names of tensors."""
    scope: TensorName | None = None
    """What the names of tensors in this stack begin with, such as `transformer.h.{n}.`."""
    shares_weights: bool = False
    """Whether all layers use the weights of the first."""

    @model_validator(mode="after")
    def _layers_alone(self) -> Stack:
        if self.layers is None:
            for name in ("takes", "carries", "then", "ends", "varies", "shares_weights"):
                if getattr(self, name):
                    raise MisfitError(f"`{name}` goes with `layers`", f"add `layers`, or remove `{name}`")
        if self.carries.keys() != self.takes.keys() and self.layers is not None and self.takes:
            fact = "`takes` says where each value that is carried comes from first, and no other"
            raise MisfitError(fact, "give `takes` and `carries` the same names")
        unknown = [name for name in (*self.then, *self.ends) if name not in self.with_]
        if unknown:
            fact = f"{unknown[0]} changes, so `with` states its value in the first layer"
            raise MisfitError(fact, f"add {unknown[0]} to `with`")
        return self


class Setting(Record):
    """Where the pinned source sets the size of a variant."""

    source: Identifier
    """The variant's source claim whose lines hold the assignment or the call."""
    name: DottedName
    """What is set, such as `hparams.hidden_size`; with `call`, the text that is the call's first argument."""
    call: DottedName | None = None
    """The call that sets it, with its name and its value as arguments, such as `hparams.add_hparam`."""


class Published(Record):
    """A figure that a publication states about a variant."""

    quantity: Literal["parameters", "active parameters", "layers", "cache bytes per token", "multiply-accumulates"]
    """What is counted."""
    value: Annotated[int, Field(ge=0, le=10**16)]
    """The figure, in full."""
    rounded_to: Annotated[int, Field(ge=1, le=10**15)] = 1
    """The unit to which it is rounded, such as 1000000."""
    at: Mapping[Latex, PositiveSize] = Field(default_factory=dict)
    """For multiply–accumulates: the sizes of the inputs that they are stated for, such as `{B: 1, S: 1024}`."""
    reference: Reference
    """Where it is stated."""

    @model_validator(mode="after")
    def _at_what(self) -> Published:
        if bool(self.at) != (self.quantity == "multiply-accumulates"):
            raise MisfitError(
                "`at` goes with multiply-accumulates, which depend on the sizes of the inputs", "add or remove `at`"
            )
        return self


class Variant(Record):
    """One configuration of a model: a value for every size symbol."""

    title: Text
    """The variant's name."""
    sizes: Annotated[Mapping[Latex, PositiveSize | SizeList], Field(min_length=1)]
    """The value of each size symbol; a list where it varies from layer to layer."""
    settings: Mapping[Latex, Setting] = Field(default_factory=dict)
    """For each size that the pinned source sets: where; the value there must be the one stated here."""
    published: tuple[Published, ...] = ()
    """Figures that publications state about the variant; the page shows whether they agree."""
    sources: tuple[SourceClaim, ...] = ()
    """Claims with the pinned passages that show them."""

    @property
    def numbers(self) -> Mapping[str, int]:
        """The sizes that are the same in every layer."""
        return {name: value for name, value in self.sizes.items() if isinstance(value, int)}

    @property
    def lists(self) -> Mapping[str, tuple[int, ...]]:
        """The sizes that vary from layer to layer."""
        return {name: value for name, value in self.sizes.items() if not isinstance(value, int)}


class ModelInput(Record):
    """A value that the model is given."""

    axes: Axes
    """The lengths of its axes."""
    ids: SizeText | None = None
    """For whole numbers that index an axis, from 0: the axis's length."""
    meaning: Text
    """What it is, in a few words."""


class Upstream(Record):
    """The upstream library's own model, against which the whole model is proved."""

    source: Identifier
    """The manifest that pins the library."""
    config: DottedName
    """The class of its configuration, in the library's main module."""
    model_type: ModelType | None = None
    """What configuration files of the family state as `model_type`, such as `gpt2`."""
    model: DottedName
    """The class of the model, in the library's main module."""
    keys: Annotated[Mapping[Name, SizeText | tuple[SizeText, ...]], Field(min_length=1)]
    """Keys of the configuration that are sizes, each with the size."""
    aliases: Mapping[Name, DottedName] = Field(default_factory=dict)
    """Other names of keys, each with the key; a part of a setting has its name after a dot."""
    defaults: Mapping[Name, SizeText | tuple[SizeText, ...]] = Field(default_factory=dict)
    """What the library takes for a key of `keys` that a configuration leaves out; it may follow from other sizes."""
    settings: Mapping[Name, Any] = Field(default_factory=dict)
    """Keys that have this value in every variant; with another, the model is not the one that is documented."""
    unlike_default: Mapping[Name, Text] = Field(default_factory=dict)
    """For keys of `settings` whose value is not the library's default: why the documented model has another."""
    concerns: Mapping[Name, EntryPath] = Field(default_factory=dict)
    """For keys of `settings`: the component, or the stack, that would be another with another value."""
    ignored: Mapping[Name, Text] = Field(default_factory=dict)
    """Keys that change nothing that is documented, each with the reason."""
    tiny: Annotated[Mapping[Latex, PositiveSize | SizeList], Field(min_length=1)]
    """Small sizes for the proof, those of the inputs included; each above 1, and all different."""
    inputs: Annotated[Mapping[Name, Latex], Field(min_length=1)]
    """Arguments of the model's call, each with the input of ours."""
    outputs: Annotated[Mapping[Name, ValueName], Field(min_length=1)]
    """Fields of what the model returns, each with the value of ours."""
    states: Mapping[TensorName, ValueName] = Field(default_factory=dict)
    """Modules of the model whose output is compared too, each with the value of ours; `{n}` is the layer."""
    precision: Literal["float32", "float64"] = "float64"
    """The widest precision in which upstream computes throughout; `float32` where it narrows numbers inside."""
    precision_note: Text | None = None
    """For `float32`: what upstream narrows, so that a comparison in float64 says nothing."""

    @model_validator(mode="after")
    def _narrowed_for_a_reason(self) -> Upstream:
        if (self.precision == "float32") != (self.precision_note is not None):
            fact = "`precision: float32` and `precision_note`, which says why, go together"
            raise MisfitError(fact, "state both, or neither")
        return self

    @model_validator(mode="after")
    def _names_fit(self) -> Upstream:
        kinds = {"keys": self.keys, "settings": self.settings, "ignored": self.ignored, "aliases": self.aliases}
        seen: dict[str, str] = {}
        for kind, names in kinds.items():
            for name in names:
                if name in seen:
                    raise MisfitError(f"`{name}` is in `{seen[name]}` and in `{kind}`", "remove it from one of the two")
                seen[name] = kind
        for name, key in self.aliases.items():
            first = key.partition(".")[0]
            if first not in (self.settings if "." in key else {**self.keys, **self.settings, **self.ignored}):
                fact = f"`{name}` is another name of `{key}`, but there is no such key"
                raise MisfitError(fact, f"name a key, or add {key} to `keys`")
        for name in self.defaults:
            if name not in self.keys:
                fact = f"`{name}` has a default, but is not in `keys`"
                raise MisfitError(fact, "add it to `keys`, or remove it from `defaults`")
        return self

    @model_validator(mode="after")
    def _about_settings(self) -> Upstream:
        for key, names, says in (
            ("unlike_default", self.unlike_default, "why `{}` has its value"),
            ("concerns", self.concerns, "what `{}` is about"),
        ):
            for name in (one for one in names if one not in self.settings):
                fact = f"`{key}` says {says.format(name)}, but it is not in `settings`"
                raise MisfitError(fact, "add it to `settings`, or remove it here")
        return self


class Model(Record):
    """A model: its stacks, its sizes and its variants."""

    title: Text
    """The model's name."""
    summary: Text
    """What it is, in one or two sentences."""
    kind: Text
    """What kind of model it is, such as `encoder–decoder`."""
    family: Text | None = None
    """The line of models that it belongs to, such as `GPT`; left out where it stands alone."""
    paper: Paper
    """The publication that describes it."""
    complete: bool
    """Whether every component of the model has an entry; totals of an incomplete model are not totals of the model."""
    dimensions: Annotated[Mapping[Latex, Text], Field(min_length=1)]
    """Every size symbol with its meaning in a few words."""
    stacks: Annotated[Mapping[Identifier, Stack], Field(min_length=1)]
    """The stacks in the order of the data flow, each named as its folder."""
    inputs: Mapping[Latex, ModelInput] = Field(default_factory=dict)
    """The values that the model is given."""
    outputs: Mapping[ValueName, Text] = Field(default_factory=dict)
    """The values that the model returns, each with its meaning in a few words."""
    variants: Annotated[Mapping[Identifier, Variant], Field(min_length=1)]
    """The configurations; the first is the one whose figures pages show."""
    note: Text | None = None
    """What a reader should know beside the summary."""
    differences: tuple[Difference, ...] = ()
    """Points on which a publication and the pinned code do not agree."""
    upstream: Upstream | None = None
    """The upstream library's own model."""
    program: Program | None = None
    """The upstream model as a program of pinned calls, where no library runs it."""
    sources: tuple[SourceClaim, ...] = ()
    """Claims about the model as a whole."""
    formerly: tuple[OldAddress, ...] = ()
    """Addresses below the site's root at which its page was before; each leads to it now."""
    changes: tuple[Change, ...] = ()
    """What changed for readers, in any order; the home page shows the latest of all."""

    @model_validator(mode="after")
    def _one_upstream(self) -> Model:
        if self.upstream is not None and self.program is not None:
            fact = "`upstream` and `program` exclude each other: one model is compared with one"
            raise MisfitError(fact, "remove one of the two")
        return self

    def stack(self, path: str) -> Stack:
        """The stack with this path, such as `encoder` or `stages/first`.

        Raises:
            KeyError: there is none.
        """
        first, *rest = path.split("/")
        found = self.stacks[first]
        for name in rest:
            found = found.stacks[name]
        return found

    @property
    def paths(self) -> Mapping[str, Stack]:
        """All stacks by path, each before those within it."""
        return {path: stack for name, stack in self.stacks.items() for path, stack in _within(name, stack)}


def _within(path: str, stack: Stack) -> Iterator[tuple[str, Stack]]:
    yield path, stack
    for name, inner in stack.stacks.items():
        yield from _within(f"{path}/{name}", inner)


class Library(Record):
    """A library whose layers are documented one by one."""

    title: Text
    """The library's name."""
    summary: Text
    """What it is, in one or two sentences."""
    kind: Text
    """What kind of library it is."""
    source: Identifier
    """The manifest that pins the documented release."""
    dimensions: Annotated[Mapping[Latex, Text], Field(min_length=1)]
    """Every size symbol with its meaning in a few words."""
    layers: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    """The documented layers in order: the names of files in the library's folder."""
    note: Text | None = None
    """What a reader should know beside the summary."""
    formerly: tuple[OldAddress, ...] = ()
    """Addresses below the site's root at which its page was before; each leads to it now."""
    changes: tuple[Change, ...] = ()
    """What changed for readers, in any order; the home page shows the latest of all."""
