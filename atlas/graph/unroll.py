"""The graph with sizes bound → every step of the computation, layer by layer: which node, at which sizes, on what.

Counting, tracing shapes and running the model are all a walk along these steps, so they cannot disagree about layers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from atlas.entries.collection import Variant
from atlas.exceptions import SizeError
from atlas.graph.structure import Block, Graph, Node
from atlas.sizes import Size, size

Place = tuple[tuple[str, int], ...]
"""The layer, counted from 0, of each block with layers around a step, outermost first."""

MAX_STEPS = 200_000
"""How many steps a model may have."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Values of size symbols."""

    numbers: Mapping[str, int]
    """Those that are the same everywhere."""
    lists: Mapping[str, tuple[int, ...]]
    """Those that vary from layer to layer of a stack."""

    @classmethod
    def of(cls, variant: Variant, more: Mapping[str, int] | None = None) -> Sizes:
        """The sizes of a variant, with those of the inputs or others in `more`."""
        return cls({**variant.numbers, **(more or {})}, variant.lists)


@dataclass(frozen=True, slots=True)
class Step:
    """One call of one component's operator."""

    node: Node
    """The component."""
    place: Place
    """Which layer of which stacks."""
    weights: Place
    """The layer whose weights it uses; another than `place` where layers share them."""
    sizes: Mapping[str, int]
    """The value of every size symbol of the entry that is bound."""
    reads: Mapping[str, str]
    """For each symbol that a value enters as: the value's key, such as `encoder[2].x_{n+1}`."""
    writes: Mapping[str, str]
    """For each symbol that leaves as a value: its key."""
    scope: str
    """What upstream's tensor names of this step begin with."""

    @property
    def key(self) -> str:
        """Where it is: `encoder[2]/self-attention`."""
        return f"{placed(self.node.block, self.place)}/{self.node.name}"


def placed(block: str, place: Place) -> str:
    """A block's path with the layers: `stages[1]/rest[0]`."""
    layers = dict(place)
    parts: list[str] = []
    path = ""
    for name in block.split("/"):
        path = f"{path}/{name}" if path else name
        parts.append(f"{name}[{layers[path]}]" if path in layers else name)
    return "/".join(parts)


def unroll(graph: Graph, sizes: Sizes) -> Iterator[Step]:
    """Every step in the order in which a forward pass takes them.

    Raises:
        SizeError: the number of layers or a list of sizes is missing or does not fit.
    """
    yield from Walk(graph, sizes).steps()


class Walk:
    """One walk; afterwards `keys` has the key of each value as a reader outside of its block sees it."""

    def __init__(self, graph: Graph, sizes: Sizes) -> None:
        """Begin at the model's inputs."""
        self.graph = graph
        self.lists = sizes.lists
        self.root = dict(sizes.numbers)
        self.keys: dict[str, str] = {name: name for name in graph.inputs}
        self.taken = 0

    def steps(self) -> Iterator[Step]:
        """Every step in order."""
        for block in self.graph.blocks:
            yield from self._block(block, self.root, (), (), "")

    def output_keys(self) -> dict[str, str]:
        """The key of each value that the model returns, by id; the walk must be over."""
        return {value: self.keys[value] for value in self.graph.outputs if value in self.keys}

    def _block(self, block: Block, around: dict[str, int], place: Place, weights: Place, scope: str) -> Iterator[Step]:
        stack = block.stack
        here = dict(around)
        here.update(_bound(stack.with_, around))
        layers = 1 if stack.layers is None else _count(block, size(stack.layers), around)
        self._lists_fit(block, layers)
        for layer in range(layers):
            here.update({name: self.lists[name][layer] for name in stack.varies if name in self.lists})
            inner, shared = place, weights
            if stack.layers is not None:
                inner = (*place, (block.id, layer))
                shared = (*weights, (block.id, 0 if stack.shares_weights else layer))
            self._carry(block, layer)
            names = scope + _scope(block, dict(shared).get(block.id, 0))
            for child in block.children:
                if isinstance(child, Node):
                    yield self._step(child, here, inner, shared, names)
                else:
                    yield from self._block(child, here, inner, shared, names)
            here.update(_bound(stack.then, here))
        _end(block, here, around)

    def _carry(self, block: Block, layer: int) -> None:
        for carry in block.carries:
            source = carry.handed if layer else carry.first
            if source in self.keys:
                self.keys[carry.taken] = self.keys[source]

    def _step(self, node: Node, sizes: Mapping[str, int], place: Place, weights: Place, scope: str) -> Step:
        self.taken += 1
        if self.taken > MAX_STEPS:
            raise SizeError(f"the model has more than {MAX_STEPS:,} steps")
        own = dict(sizes)
        own.update(_bound(node.sizes, sizes))
        reads = {port.symbol: self.keys[port.value] for port in node.takes if port.value in self.keys}
        writes = {port.symbol: self._key(port.value, node.block, place) for port in node.gives}
        for port in node.gives:
            self.keys[port.value] = writes[port.symbol]
        return Step(node, place, weights, own, reads, writes, scope)

    def _key(self, value_id: str, block: str, place: Place) -> str:
        return placed(block, place) + value_id.removeprefix(block)

    def _lists_fit(self, block: Block, layers: int) -> None:
        for name in block.stack.varies:
            if name in self.lists and len(self.lists[name]) != layers:
                found = len(self.lists[name])
                raise SizeError(f"{name} has {found} values, but {block.id} has {layers} layers")
            if name in self.root:
                raise SizeError(f"{name} varies in {block.id}, but has one value, not a list")


def _count(block: Block, layers: Size, sizes: Mapping[str, int]) -> int:
    count = layers.value(sizes)
    if not 1 <= count <= MAX_STEPS:
        raise SizeError(f"{block.id} has {layers} layers, which is {count}")
    return count


def _scope(block: Block, layer: int) -> str:
    """What the names of tensors in one layer begin with."""
    stack = block.stack
    return (stack.scope or "").replace(f"{{{stack.index}}}", str(stack.first + layer))


def _end(block: Block, here: Mapping[str, int], around: dict[str, int]) -> None:
    """After the last layer the sizes that changed have the names that the stack around knows them by."""
    for name, called in block.stack.ends.items():
        if name in here and around.setdefault(called, here[name]) != here[name]:
            found = f"{name} is {here[name]} after the last layer of {block.id}"
            raise SizeError(f"{found}, but {called} is {around[called]}")


def _bound(expressions: Mapping[str, str | int | Size], sizes: Mapping[str, int]) -> dict[str, int]:
    """The values of expressions whose symbols are all bound."""
    read = {name: one if isinstance(one, Size) else size(one) for name, one in expressions.items()}
    return {name: one.value(sizes) for name, one in read.items() if one.symbols <= sizes.keys()}
