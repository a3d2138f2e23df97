"""The kinds of data files below `api/v1/`: what is in each, key by key.

The JSON Schemas that a site publishes and the tables of the data page are made from these classes.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from atlas.render.json_types import Address, Document, Expression, Item, JsonRecord, Text


class Axis(JsonRecord):
    """One axis of a tensor."""

    size: str
    """Its length in LaTeX, as the entry states it."""
    value: int | None
    """Its length where all sizes are bound, in the first place of the first variant; else null."""
    meaning: str
    """What it is, where it is a dimension with a meaning of its own; else empty."""


class Reference(JsonRecord):
    """A publication or page."""

    title: str
    """Its title."""
    url: str | None
    """Its address, where it has one."""
    where: str | None
    """The place in it."""


class Proof(JsonRecord):
    """What is known of one claim."""

    claim: str
    """What is claimed."""
    status: Literal["proved", "recorded", "stale", "missing"]
    """`proved` while this site was built; `recorded` by executing upstream code, still holding; `stale`; `missing`."""
    figure: str
    """What was found, or why nothing was."""
    command: str
    """The command that reproduces it."""
    date: str | None
    """When a recorded proof was made."""


class Whole(JsonRecord):
    """A function or class of which a passage shows a part."""

    name: str
    """Its name with those of the classes and functions around it, joined by dots."""
    first_line: int
    """Its first line, decorators included."""
    last_line: int
    """Its last line."""


class Claim(JsonRecord):
    """A claim with the passage of pinned source that shows it; the passage's text stays in the source."""

    id: str
    """Its name, unique within the file that states it."""
    claim: Text
    """What the passage shows."""
    evidence: Literal["direct", "supporting"]
    """`direct`: the passage is the computation; `supporting`: the claim follows from it."""
    source: Item
    """The pinned project."""
    path: str
    """The file in the repository."""
    first_line: int
    """The first line of the passage."""
    last_line: int
    """Its last line."""
    call_line: int | None
    """The line of the call by which the source uses the component, where the claim names it."""
    revision: str
    """The commit, or the release tag."""
    blob: str
    """Git's object id of the file."""
    upstream: str
    """The lines at the revision, on the repository's own site."""
    lines: Address
    """The lines on this site."""
    license: str
    """The file's licence as an SPDX expression."""
    pin: Literal["proved", "release", "never proved", "edited"]
    """Whether git was asked that the file belongs to the revision."""
    at_hand: bool
    """Whether the passage was there when this site was built, and so was checked."""
    part_of: tuple[Whole, ...]
    """The functions and classes that begin or go on in the passage and are not whole in it, outermost first."""


class Difference(JsonRecord):
    """A point on which a publication and the pinned code do not agree."""

    about: Text
    """What it is about."""
    published: Text
    """What the publication says."""
    reference: Reference
    """The publication."""
    code: Text
    """What the pinned code does."""
    claims: tuple[str, ...]
    """The ids of the claims whose passages show it."""


class PublishedFigure(JsonRecord):
    """A published figure beside the derived one."""

    quantity: str
    """What is counted."""
    published: int
    """The published figure."""
    rounded_to: int
    """The unit to which it is rounded."""
    at: dict[str, int]
    """The sizes of the inputs that it is stated for; empty where it does not depend on them."""
    derived: int
    """The figure that follows from the entries."""
    agrees: bool
    """Whether the derived figure rounds to the published one."""
    reference: Reference
    """Where it is published."""


class Symbol(JsonRecord):
    """One symbol of a formula."""

    symbol: str
    """The symbol in LaTeX."""
    axes: tuple[Axis, ...]
    """Its axes in order; none for a scalar."""
    meaning: str
    """What it is, in a few words."""
    binds: str | None
    """The operator's argument, option or result that it stands for."""
    parameter: str | None
    """For a learned parameter: its name."""
    buffer: str | None
    """For a statistic that is kept and not learned: its name."""
    tensor: str | None
    """The name under which upstream stores it."""
    tied: str | None
    """For a parameter that is the same as another: that one."""


class Port(JsonRecord):
    """A value that enters or leaves a component."""

    value: str
    """The value's name in the model, in LaTeX."""
    symbol: str
    """The symbol that it has in the formula."""
    axes: tuple[Axis, ...]
    """Its axes."""


class Kept(JsonRecord):
    """What a component keeps from one token to the next."""

    symbol: str
    """Its symbol in LaTeX."""
    lifetime: Literal["token", "input", "window", "constant"]
    """For each token, once for each token of an input, for each token of a window, or once."""
    meaning: str
    """What it is."""
    numbers: Expression
    """How many numbers are kept, in the sizes of the entry."""


class ParameterRow(JsonRecord):
    """One learned tensor of a component."""

    label: str
    """Its name."""
    symbol: str
    """Its symbol in LaTeX."""
    argument: str
    """The operator's argument that it is."""
    tensor: str | None
    """The name under which upstream stores it."""
    count: Expression
    """How many numbers it holds, in the sizes of the entry."""


class ParametersIn(JsonRecord):
    """The parameters of a component in one variant, each figure a number."""

    variant: str
    """The variant's name."""
    rows: dict[str, int]
    """The numbers in each learned tensor, by symbol, in the first place."""
    tied: tuple[str, ...]
    """The symbols of tensors that are the same as another component's, and so in no sum here."""
    per_instance: int
    """The parameters of one instance, in the first place."""
    instances: int
    """How many places and layers have it with weights of its own."""
    total: int
    """The parameters of all of them."""
    uniform: bool
    """Whether all instances have the same count."""


class Parameters(JsonRecord):
    """The parameters of a component."""

    rows: tuple[ParameterRow, ...]
    """The learned tensors."""
    per_instance: Expression
    """The sum of those that are not tied in its first place, in the sizes of the entry."""
    variants: tuple[ParametersIn, ...]
    """The same in numbers for every variant of the model; none in a library."""
    note: Text | None
    """How they are owned or shared."""


class Argument(JsonRecord):
    """One argument, attribute or result in the documentation of a library's layer."""

    name: str
    """Its name; empty for a result."""
    type: Text
    """Its type."""
    default: str | None
    """Its default as the source writes it."""
    text: Text
    """What it does or holds."""


class SeeAlso(JsonRecord):
    """Something worth reading next to this."""

    title: str
    """How it is called."""
    url: str
    """Where it is."""


class Interface(JsonRecord):
    """The documentation of a library's layer."""

    name: str
    """The full public name."""
    arguments: tuple[Argument, ...]
    """The arguments of the function or constructor, in order."""
    attributes: tuple[Argument, ...]
    """Public attributes of an instance."""
    call_arguments: tuple[Argument, ...]
    """The arguments of a call of an instance."""
    returns: Argument | None
    """What is returned."""
    experimental: bool
    """Whether upstream announces that the interface may change."""
    warnings: tuple[Text, ...]
    """What a user must know."""
    see_also: tuple[SeeAlso, ...]
    """Further reading."""


class ComponentDocument(Document):
    """A component of a model, or a layer of a library."""

    is_of_one: ClassVar[bool] = True

    kind: Literal["component"] = "component"
    """The kind of file."""
    id: str
    """The path of its YAML file without `.yml`."""
    title: str
    """Its name as people say it."""
    page: Address
    """Its page."""
    markdown: Address
    """The same as Markdown."""
    bibtex: Address
    """How to cite the page."""
    collection: Item
    """The model or library that it belongs to."""
    stack: str | None
    """The path of its stack in the model; null in a library."""
    places: tuple[str, ...]
    """The ids of the graph's nodes that are this component."""
    operator: Item
    """The family of the operator that its claims are checked against."""
    operator_name: str
    """The operator's own name."""
    arguments: dict[str, float | int | bool | str]
    """The options that the entry states for the operator's call."""
    summary: Text
    """What it does, in one sentence."""
    formula: str
    """The computation in LaTeX."""
    formula_executed: bool
    """Whether the formula was executed beside the operator."""
    formula_not_executed: Text | None
    """Why it was not."""
    batch: tuple[str, ...]
    """The axes over which the formula is mapped."""
    inputs: tuple[Port, ...]
    """Values that enter."""
    outputs: tuple[Port, ...]
    """Values that leave."""
    symbols: tuple[Symbol, ...]
    """The formula's symbols."""
    conventions: dict[str, str]
    """The conventions of this formulation."""
    state: tuple[Kept, ...]
    """What is kept from one token to the next."""
    parameters: Parameters
    """The learned parameters."""
    note: Text | None
    """What a reader should know."""
    training: Text | None
    """What differs in training."""
    interface: Interface | None
    """For a library's layer: its documentation."""
    differences: tuple[Difference, ...]
    """Where a publication and the pinned code do not agree."""
    claims: tuple[Claim, ...]
    """Claims with the passages that show them."""
    proofs: tuple[Proof, ...]
    """What was checked."""
    previous: Item | None
    """The component before, along the data flow."""
    next: Item | None
    """The component after."""


class DifferenceIn(JsonRecord):
    """A difference between a publication and the pinned code, with what it is about."""

    entity: Item
    """The model or component."""
    difference: Difference
    """The difference."""


class DisagreeingFigure(JsonRecord):
    """A published figure that is not the derived one."""

    model: Item
    """The model."""
    variant: str
    """The variant's name."""
    figure: PublishedFigure
    """Both figures."""
