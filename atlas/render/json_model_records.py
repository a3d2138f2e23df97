"""The data files of models and libraries, and of a model's graph: what is in each, key by key."""

from __future__ import annotations

from typing import ClassVar, Literal

from atlas.render.json_records import Claim, Difference, Proof, PublishedFigure
from atlas.render.json_types import Address, Document, Expression, Item, JsonRecord, Text


class Publication(JsonRecord):
    """The publication that describes a model."""

    title: str
    """Its title."""
    authors: tuple[str, ...]
    """Its authors in order."""
    year: int
    """The year of publication."""
    arxiv: str | None
    """Its arXiv identifier."""
    url: str | None
    """Its address, where it is not on arXiv."""


class Dimension(JsonRecord):
    """A size symbol of a model or library."""

    symbol: str
    """The symbol in LaTeX."""
    meaning: str
    """What it is."""


class ModelValue(JsonRecord):
    """A value that a model is given or returns."""

    name: str
    """Its name in LaTeX; that of a result with its stack before it."""
    axes: tuple[str, ...]
    """The lengths of its axes in LaTeX."""
    meaning: str
    """What it is."""


class StackOf(JsonRecord):
    """A stack of a model."""

    path: str
    """Its path, such as `encoder` or `stages/first`."""
    title: str
    """Its name."""
    layers: str | None
    """How many layers it has, in LaTeX; null for a part that is gone through once."""
    components: tuple[str, ...]
    """The ids of the graph's nodes in it and in stacks within it, in the order of the data flow."""


class StackCount(JsonRecord):
    """The parameters of one stack in one variant."""

    path: str
    """The stack's path."""
    layers: int
    """How often its layer is gone through with weights of its own."""
    per_layer: int | None
    """The parameters of one layer; null where layers differ."""
    total: int
    """The parameters of all layers."""


class PlaceCount(JsonRecord):
    """The parameters of one node of the graph in one variant."""

    node: str
    """The node's id."""
    per_layer: int
    """Its parameters in the first layer; those that are tied to another's are not counted."""
    total: int
    """Its parameters in all layers."""


class ParameterCounts(JsonRecord):
    """The learned numbers of a variant."""

    total: int
    """All of them, tied ones once."""
    active: int
    """Those that one token meets: of routed experts only those that it is sent to."""
    embedding: int
    """Those of look-up tables."""
    non_embedding: int
    """All but those of look-up tables."""
    buffers: int
    """Numbers that are kept and not learned, in no total."""


class Cache(JsonRecord):
    """What a variant keeps while it generates."""

    numbers_per_token: int
    """For each token that is generated, over all layers."""
    bytes_per_token: dict[str, int]
    """The same in bytes, by format."""
    numbers_per_token_of_the_input: int
    """For each token of an input that is read whole before, once."""
    numbers_per_token_of_a_window: int
    """For each of the last tokens, as many as a window holds."""
    constant_numbers: int
    """Whatever the length."""


class MultiplyAccumulates(JsonRecord):
    """The multiply–accumulates of matrix products and convolutions in one forward pass."""

    expression: Expression
    """Their number in the sizes of the inputs."""
    at: dict[str, int]
    """Sizes of the inputs for an example."""
    value: int
    """Their number for the example."""


class VariantOf(JsonRecord):
    """One configuration of a model with everything that is counted of it."""

    name: str
    """Its name in the source."""
    title: str
    """Its name as people say it."""
    sizes: dict[str, int | tuple[int, ...]]
    """The value of each size symbol; a list where it varies from layer to layer."""
    parameters: ParameterCounts
    """The learned numbers."""
    stacks: tuple[StackCount, ...]
    """The parameters of each stack, those within others after them."""
    places: tuple[PlaceCount, ...]
    """The parameters of each node of the graph."""
    cache: Cache
    """What is kept while it generates."""
    multiply_accumulates: MultiplyAccumulates
    """The computation of a forward pass."""
    published: tuple[PublishedFigure, ...]
    """Published figures, and whether they agree."""
    claims: tuple[Claim, ...]
    """Claims with the passages that show them."""


class ModelDocument(Document):
    """A model with its stacks and variants."""

    is_of_one: ClassVar[bool] = True

    kind: Literal["model"] = "model"
    """The kind of file."""
    id: str
    """The name of its folder."""
    title: str
    """Its name."""
    page: Address
    """Its page."""
    markdown: Address
    """The same as Markdown."""
    bibtex: Address
    """How to cite the page and the publication."""
    type: str
    """What kind of model it is."""
    summary: Text
    """What it is."""
    note: Text | None
    """What a reader should know."""
    paper: Publication
    """The publication that describes it."""
    complete: bool
    """Whether every component is documented; the totals of an incomplete model are not totals of the model."""
    dimensions: tuple[Dimension, ...]
    """Its size symbols."""
    inputs: tuple[ModelValue, ...]
    """The values that it is given."""
    outputs: tuple[ModelValue, ...]
    """The values that it returns."""
    graph: Address | None
    """The graph's data file."""
    stacks: tuple[StackOf, ...]
    """Its stacks, those within others after them."""
    components: tuple[Item, ...]
    """Its components in the order of the data flow."""
    variants: tuple[VariantOf, ...]
    """Its configurations; the first is the one whose figures pages show first."""
    differences: tuple[Difference, ...]
    """Where a publication and the pinned code do not agree."""
    claims: tuple[Claim, ...]
    """Claims about the model as a whole."""
    proofs: tuple[Proof, ...]
    """What is known of the model as a whole."""


class LibraryDocument(Document):
    """A library whose layers are documented one by one."""

    is_of_one: ClassVar[bool] = True

    kind: Literal["library"] = "library"
    """The kind of file."""
    id: str
    """The name of its folder."""
    title: str
    """Its name."""
    page: Address
    """Its page."""
    markdown: Address
    """The same as Markdown."""
    bibtex: Address
    """How to cite the page."""
    type: str
    """What kind of library it is."""
    summary: Text
    """What it is."""
    note: Text | None
    """What a reader should know."""
    source: Item
    """The pinned release."""
    dimensions: tuple[Dimension, ...]
    """Its size symbols."""
    components: tuple[Item, ...]
    """The documented layers."""


class GraphPort(JsonRecord):
    """Where a value enters a node or leaves it."""

    symbol: str
    """The symbol of the component's formula."""
    argument: str
    """The operator's argument or result that it stands for."""
    value: str
    """The value's id."""


class GraphNode(JsonRecord):
    """A component in its place."""

    id: str
    """Its id: block and name."""
    title: str
    """Its name there."""
    block: str
    """The id of the block that it stands in."""
    component: Item
    """The component that is documented; several nodes may share one."""
    operator: str
    """The operator's name."""
    sizes: dict[str, str]
    """Sizes of the component that are called otherwise here, in LaTeX."""
    takes: tuple[GraphPort, ...]
    """The values that enter."""
    gives: tuple[GraphPort, ...]
    """The values that leave."""
    tensors: dict[str, str]
    """The names under which upstream stores its parameters and buffers here, by symbol, without the blocks' part."""


class GraphValue(JsonRecord):
    """A tensor that runs along edges of the graph."""

    id: str
    """Its name in the whole model."""
    name: str
    """Its name in LaTeX."""
    block: str
    """The block that it belongs to; empty for an input."""
    axes: tuple[str, ...]
    """The lengths of its axes in LaTeX, in the sizes of its block."""
    ids: str | None
    """For whole numbers below a size: that size."""


class GraphEdge(JsonRecord):
    """A value on its way to one node."""

    value: str
    """The value's id."""
    source: str | None
    """The node that makes it; null for an input, and for what a layer takes from the one before."""
    target: str
    """The node that takes it."""
    symbol: str
    """The symbol as which it enters."""


class GraphCarry(JsonRecord):
    """A value that goes from layer to layer."""

    taken: str
    """The id that it has within a layer."""
    first: str
    """The id of the value that the first layer takes; empty where the model is not complete."""
    handed: str
    """The id of the value that a layer hands to the next."""


class GraphBlock(JsonRecord):
    """A stack, or a part that is gone through once."""

    id: str
    """Its path."""
    title: str
    """Its name."""
    layers: str | None
    """How many layers it has, in LaTeX; null for a part that is gone through once."""
    inside: str | None
    """The block around it."""
    children: tuple[str, ...]
    """The ids of the nodes and blocks in it, in the order of the data flow."""
    carries: tuple[GraphCarry, ...]
    """What goes from layer to layer."""


class GraphDocument(Document):
    """The graph of a model: what its diagram, its counts and its forward pass are made from."""

    is_of_one: ClassVar[bool] = True

    kind: Literal["graph"] = "graph"
    """The kind of file."""
    id: str
    """The model's name."""
    title: str
    """The model's name as people write it."""
    page: Address
    """The model's page."""
    model: Item
    """The model."""
    inputs: tuple[str, ...]
    """The ids of the values that the model is given."""
    outputs: dict[str, str]
    """The ids of the values that it returns, each with its meaning."""
    blocks: tuple[GraphBlock, ...]
    """All blocks, each before those in it."""
    nodes: tuple[GraphNode, ...]
    """All components in their places, in the order of the data flow."""
    values: tuple[GraphValue, ...]
    """All values with their axes."""
    edges: tuple[GraphEdge, ...]
    """All values on their way to nodes."""
