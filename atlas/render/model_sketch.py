"""A model's graph → the sketch of its diagram: a card for each component, a box for each stack, a line for each value.

What goes from layer to layer is drawn where it enters the first layer and where the last hands it on; the sum of a
residual connection tells which of its two values came the longer way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from atlas.checks.checked import CheckedCollection
from atlas.entries.collection import Model
from atlas.graph.accounting import ModelAccount, grouped
from atlas.graph.build import spelled
from atlas.graph.structure import Block, Graph, Node, Port
from atlas.operators.catalogue import find
from atlas.render.addresses import entry_page
from atlas.render.diagram import EdgeKind, Sketch, SketchEdge, SketchGroup, SketchNode
from atlas.render.kinds import picture_name
from atlas.sizes import Size, size

AXES = 1_000
"""How many axes are remembered as they are written: nearly all arrays of a model have the same few."""


def axis_text(axis: str | int, sizes: Mapping[str, Size]) -> str:
    """An axis of a component in LaTeX, with the sizes that its node has in place of the component's own."""
    return str(size(axis).substitute(sizes)) if sizes else _written(axis)


@lru_cache(maxsize=AXES)
def _written(axis: str | int) -> str:
    return str(size(axis))


def picture_kind(operator: str) -> str:
    """The kind with which pictures show an operator."""
    return picture_name(find(operator).kind)


def model_sketch(checked: CheckedCollection, graph: Graph, account: ModelAccount) -> Sketch:
    """The sketch of a whole model; the figures are those of the account."""
    data = checked.collection.data
    if not isinstance(data, Model):
        raise TypeError(f"{checked.collection.id} is a library; only a model has a diagram")
    maker = _Maker(graph, account)
    inputs = [SketchNode(f"in:{name}", data.inputs[_spelled_as(data, name)].meaning, "input") for name in graph.inputs]
    outputs = [SketchNode(f"out:{name}", meaning, "output") for name, meaning in graph.outputs.items()]
    return Sketch(
        f"{data.title}: the components and the values between them",
        f"{len(graph.nodes)} components in {len(graph.blocks)} parts; values run from {_listed(data.inputs)} on.",
        (*inputs, *(maker.group(block) for block in graph.blocks), *outputs),
        tuple(maker.edges()),
    )


def _spelled_as(data: Model, input_id: str) -> str:
    """An input's own key; its id is the same name in one spelling."""
    return next(name for name in data.inputs if spelled(name) == input_id)


def _listed(names: Mapping[str, object]) -> str:
    return ", ".join(names) or "nothing"


class _Maker:
    def __init__(self, graph: Graph, account: ModelAccount) -> None:
        self.graph = graph
        self.account = account
        self.first = {
            carry.taken: carry.first for outer in graph.blocks for block in outer.blocks for carry in block.carries
        }
        self.depths: dict[str, int] = {}
        for node in graph.nodes:
            before = [self.depths.get(self._source(port.value) or "", 0) for port in node.takes]
            self.depths[node.id] = 1 + max(before, default=0)

    def group(self, block: Block) -> SketchGroup:
        children = tuple(self.node(child) if isinstance(child, Node) else self.group(child) for child in block.children)
        times = "" if block.stack.layers is None else f"× {_factor(size(block.stack.layers))}"
        return SketchGroup(f"block:{block.id}", block.stack.title, times, children)

    def node(self, node: Node) -> SketchNode:
        data = node.entry.data
        count = self.account.nodes.get(node.id, 0)
        takes = ", ".join(self._shaped(node, port) for port in node.takes)
        gives = ", ".join(self._shaped(node, port) for port in node.gives)
        detail = f"takes {takes or 'nothing'}; gives {gives}{'' if count else '; no parameters'}"
        href = entry_page(node.entry)
        return SketchNode(
            node.id, node.title, picture_kind(data.operator), href, detail, grouped(count) if count else None
        )

    def edges(self) -> Iterator[SketchEdge]:
        seen: set[tuple[str, str, str]] = set()
        for node in self.graph.nodes:
            residual = self._residual(node)
            for port in node.takes:
                source = self._source(port.value)
                name = self.graph.values[port.value].name
                if source is None or (source, node.id, name) in seen:
                    continue
                seen.add((source, node.id, name))
                kind: EdgeKind = "residual" if port.value == residual else "flow"
                yield SketchEdge(source, node.id, self._axes(node, port), name, kind)
        for value_id in self.graph.outputs:
            source = self._source(value_id)
            value = self.graph.values[value_id]
            if source is not None:
                yield SketchEdge(source, f"out:{value_id}", tuple(map(str, value.axes)), value.name)

    def _source(self, value_id: str) -> str | None:
        """The card from which a value comes; what a layer takes comes, in the first one, from before the stack."""
        while value_id in self.first:
            value_id = self.first[value_id]
        if value_id in self.graph.inputs:
            return f"in:{value_id}"
        return self.graph.values[value_id].source if value_id in self.graph.values else None

    def _residual(self, node: Node) -> str:
        """Of the values that a residual sum adds, the one that came through fewer components."""
        if find(node.entry.data.operator).kind != "residual" or len(node.takes) < 2:
            return ""
        came = {port.value: self.depths.get(self._source(port.value) or "", 0) for port in node.takes}
        return min(came, key=lambda value: came[value])

    def _axes(self, node: Node, port: Port) -> tuple[str, ...]:
        axes = node.entry.data.symbols[port.symbol].axes
        return tuple(axis_text(axis, node.sizes) for axis in axes)

    def _shaped(self, node: Node, port: Port) -> str:
        return f"{self.graph.values[port.value].name} [{', '.join(self._axes(node, port))}]"


def _factor(expression: Size) -> str:
    """A number of layers as a factor."""
    text = str(expression)
    return f"({text})" if len(expression.terms) > 1 else text
