"""What a diagram shows, as plain data without coordinates: nodes in nested groups, and the values between them.

A sketch is checked when it is made, so that everything behind it may rely on its names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from atlas.exceptions import DiagramError
from atlas.render.kinds import named

EdgeKind = Literal["flow", "residual", "carried", "skip"]
"""How a value travels: on the main path, past components to a sum, from a layer into the next, or past whole stages."""

EDGE_WORDS: Mapping[EdgeKind, str] = MappingProxyType(
    {
        "flow": "Values",
        "residual": "Residual path",
        "skip": "Skip connection",
        "carried": "Carried into the next layer",
    }
)
"""Each kind of edge as a legend names it."""


@dataclass(frozen=True, slots=True)
class SketchNode:
    """A component, or an input or output of the model."""

    id: str
    """Its name among all nodes and groups of the sketch."""
    title: str
    """What its card says; a long one takes two lines."""
    kind: str
    """One of `atlas.render.kinds.KINDS`: its colour; `input` and `output` are drawn as ends of the flow."""
    href: str = ""
    """The page that it links to, below the site's root or another site's; without one it is no link."""
    detail: str = ""
    """What those who hear the page are told after what is seen of it, such as shapes."""
    parameters: str | None = None
    """How many parameters it has, as the card's second line says it, such as `2,359,296`; None where it has none."""


@dataclass(frozen=True, slots=True)
class SketchGroup:
    """A box around components, such as a stack, a layer or a stage."""

    id: str
    """Its name among all nodes and groups of the sketch."""
    title: str
    """What stands in the box's upper left corner."""
    times: str
    """How often it is repeated, such as `× 6`; empty where it stands for itself."""
    children: tuple[SketchNode | SketchGroup, ...]
    """What is in it, in the order of the data flow as far as there is one."""


@dataclass(frozen=True, slots=True)
class SketchEdge:
    """A value on its way from the node that makes it to one that takes it."""

    source: str
    """The id of the node that makes it."""
    target: str
    """The id of the node that takes it."""
    label: tuple[str, ...] = ()
    """The axes of its shape, each as LaTeX, such as `('B', 'S', 'd')`."""
    value: str = ""
    """Its name as LaTeX, such as `x_{n+1}`."""
    kind: EdgeKind = "flow"
    """How it travels."""


@dataclass(frozen=True, slots=True)
class Sketch:
    """A diagram before it is laid out.

    Raises:
        DiagramError: it is empty or one of its groups is, two of its parts have one id, a kind is unknown, a part has
            no title, or an edge names what is no node; every such mistake is named.
    """

    title: str
    """Its name, for those who cannot see it."""
    description: str
    """One or two sentences on what it shows, for those who cannot see it."""
    children: tuple[SketchNode | SketchGroup, ...]
    """What it shows, in the order of the data flow as far as there is one."""
    edges: tuple[SketchEdge, ...] = ()
    """The values between its nodes, in the order in which their labels are placed."""
    nodes: Mapping[str, SketchNode] = field(init=False, compare=False, repr=False)
    """Every node at any depth by its id, in the order of reading."""
    _into: Mapping[str, tuple[SketchEdge, ...]] = field(init=False, compare=False, repr=False)
    """The edges by the node at which they end, each once."""

    def __post_init__(self) -> None:
        if mistakes := list(_mistakes(self)):
            raise DiagramError(f"the diagram {self.title!r} cannot be drawn: {'; '.join(mistakes)}")
        object.__setattr__(self, "children", _in_order(self.children, self.edges))
        nodes = {part.id: part for part in walk(self.children) if isinstance(part, SketchNode)}
        object.__setattr__(self, "nodes", nodes)
        into: dict[str, list[SketchEdge]] = {}
        for edge in dict.fromkeys(self.edges):
            into.setdefault(edge.target, []).append(edge)
        object.__setattr__(self, "_into", {name: tuple(edges) for name, edges in into.items()})

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of its nodes."""
        return tuple(dict.fromkeys(node.kind for node in self.nodes.values()))

    def into(self, node: str) -> tuple[SketchEdge, ...]:
        """The edges that end at a node, each once."""
        return self._into.get(node, ())


def walk(parts: Iterable[SketchNode | SketchGroup]) -> Iterator[SketchNode | SketchGroup]:
    """Every node and group, each group before what is in it."""
    for part in parts:
        yield part
        if isinstance(part, SketchGroup):
            yield from walk(part.children)


def _mistakes(sketch: Sketch) -> Iterator[str]:
    """What is wrong with a sketch, in its own order."""
    parts = list(walk(sketch.children))
    nodes = {part.id for part in parts if isinstance(part, SketchNode)}
    if not nodes:
        yield "it has no node"
    for name, count in Counter(part.id for part in parts).items():
        if count > 1:
            yield f"{count} of its parts have the id {name!r}"
    for part in parts:
        yield from _mistakes_of_part(part)
    for edge in sketch.edges:
        for mistake in _mistakes_of_edge(edge, nodes):
            yield f"the edge from {edge.source!r} to {edge.target!r}: {mistake}"


def _mistakes_of_part(part: SketchNode | SketchGroup) -> Iterator[str]:
    if not part.title.strip():
        yield f"{part.id!r} has no title"
    if isinstance(part, SketchNode):
        try:
            named(part.kind)
        except DiagramError as error:
            yield f"{part.id!r}: {error}"
    elif not part.children:
        yield f"the group {part.id!r} is empty"


def _mistakes_of_edge(edge: SketchEdge, nodes: set[str]) -> Iterator[str]:
    if edge.kind not in EDGE_WORDS:
        yield f"{edge.kind!r} is no kind of edge; there are {', '.join(EDGE_WORDS)}"
    for end in dict.fromkeys((edge.source, edge.target)):
        if end not in nodes:
            yield f"{end!r} is no node"
    if edge.source == edge.target and edge.kind != "carried":
        yield "it leads back to its own node, which only a carried value does"


def _in_order(
    parts: tuple[SketchNode | SketchGroup, ...], edges: tuple[SketchEdge, ...]
) -> tuple[SketchNode | SketchGroup, ...]:
    """The parts, those that make a value before those that take it; where that is undecided or a circle, as given."""
    home = {inner.id: index for index, part in enumerate(parts) for inner in walk((part,))}
    waits_for: dict[int, set[int]] = {index: set() for index in range(len(parts))}
    for edge in edges:
        source, target = home.get(edge.source), home.get(edge.target)
        if edge.kind != "carried" and source is not None and target is not None and source != target:
            waits_for[target].add(source)
    order: list[int] = []
    while waits_for:
        chosen = next((index for index, before in waits_for.items() if not before & waits_for.keys()), min(waits_for))
        del waits_for[chosen]
        order.append(chosen)
    return tuple(_inner_order(parts[index], edges) for index in order)


def _inner_order(part: SketchNode | SketchGroup, edges: tuple[SketchEdge, ...]) -> SketchNode | SketchGroup:
    if isinstance(part, SketchNode):
        return part
    return SketchGroup(part.id, part.title, part.times, _in_order(part.children, edges))
