"""The graph with sizes bound → every step of the computation, layer by layer: which node, at which sizes, on what.

Counting, tracing shapes and running the model are all a walk along these steps, so they cannot disagree about layers.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass

from atlas.entries.collection import Variant
from atlas.exceptions import SizeError
from atlas.graph.structure import Block, Graph, Node
from atlas.sizes import Size, constant, size

Place = tuple[tuple[str, int], ...]
"""The layer, counted from 0, of each block with layers around a step, outermost first."""

MAX_STEPS = 50_000
"""How many steps a model may have; the deepest that are published have a few thousand."""


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
    terms: Mapping[str, Size]
    """Sizes of stacks that depend on sizes without a value, such as those of inputs, in terms of these."""
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

    def shape(self, symbol: str) -> tuple[int, ...]:
        """The lengths that the axes of one of the entry's symbols have here.

        Raises:
            SizeError: a size is missing, or an axis has no length; the message says which step and symbol.
        """
        lengths = []
        for axis in map(size, self.node.entry.data.symbols[symbol].axes):
            try:
                length = axis.value(self.sizes)
            except SizeError as error:
                raise SizeError(f"{self.key}: {symbol} has no shape: {error}") from None
            if length < 1:
                raise SizeError(f"{self.key}: {symbol} has the axis {axis}, which is {length}")
            lengths.append(length)
        return tuple(lengths)


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


@dataclass(frozen=True, slots=True)
class _Known:
    """What size symbols are in one place."""

    numbers: dict[str, int]
    """Those that have a value."""
    terms: dict[str, Size]
    """Those that follow from others without a value."""

    def inner(self, where: str, expressions: Mapping[str, str | int | Size]) -> _Known:
        """What is known where these symbols are these expressions of what is known here."""
        found = _Known(dict(self.numbers), dict(self.terms))
        values: dict[str, Size] = {}
        for name, text in expressions.items():
            expression = text if isinstance(text, Size) else size(text)
            try:
                if expression.symbols <= self.numbers.keys():
                    found.bind(name, expression.value(self.numbers))
                else:
                    values = values or self.terms | {one: constant(number) for one, number in self.numbers.items()}
                    found.terms[name] = expression.substitute(values)
                    found.numbers.pop(name, None)
            except SizeError as error:
                raise SizeError(f"{where}: {error}") from None
        return found

    def bind(self, name: str, number: int) -> None:
        """Give a symbol a value."""
        self.numbers[name] = number
        self.terms.pop(name, None)

    def forget(self, name: str) -> None:
        """Let a symbol be unknown."""
        self.numbers.pop(name, None)
        self.terms.pop(name, None)


class Walk:
    """One walk; afterwards `keys` has the key of each value as a reader outside of its block sees it.

    `aliases` has the key of what each layer takes from the one before, by the name that it has within the layer.
    """

    def __init__(self, graph: Graph, sizes: Sizes) -> None:
        """Begin at the model's inputs."""
        self.graph = graph
        self.lists = sizes.lists
        self.root = _Known(dict(sizes.numbers), {})
        self.keys: dict[str, str] = {name: name for name in graph.inputs}
        self.aliases: dict[str, str] = {}
        self.taken = 0

    def steps(self) -> Iterator[Step]:
        """Every step in order."""
        for block in self.graph.blocks:
            yield from self._block(block, self.root, (), (), "")

    def output_keys(self) -> dict[str, str]:
        """The key of each value that the model returns, by id; the walk must be over."""
        return {value: self.keys[value] for value in self.graph.outputs if value in self.keys}

    def _block(
        self, block: Block, around: _Known, place: Place, weights: Place, scope: str
    ) -> Generator[Step, None, list[str]]:
        """The steps of a block; it returns the names that sizes after its last layer have around it."""
        stack = block.stack
        here = around.inner(block.id, stack.with_)
        layers = 1 if stack.layers is None else _count(block, size(stack.layers), around.numbers)
        if self.taken + layers * sum(1 for _ in block.nodes) > MAX_STEPS:  # told before any of them is taken
            raise SizeError(f"the model has more than {MAX_STEPS:,} steps")
        self._lists_fit(block, layers)
        ended: list[str] = []
        for layer in range(layers):
            while ended:  # what stacks within ended with is that of the layer before
                here.forget(ended.pop())
            for name in stack.varies:
                if name in self.lists:
                    here.bind(name, self.lists[name][layer])
            inner, shared = place, weights
            if stack.layers is not None:
                inner = (*place, (block.id, layer))
                shared = (*weights, (block.id, 0 if stack.shares_weights else layer))
            self._carry(block, layer, inner)
            names = scope + _scope(block, dict(shared).get(block.id, 0))
            for child in block.children:
                if isinstance(child, Node):
                    yield self._step(child, here, inner, shared, names)
                else:
                    ended += yield from self._block(child, here, inner, shared, names)
            here = here.inner(block.id, stack.then)
        return _end(block, here, around)

    def _carry(self, block: Block, layer: int, place: Place) -> None:
        sources = {carry.taken: carry.handed if layer else carry.first for carry in block.carries}
        # All at once: what one carry hands on may be what another takes.
        found = {taken: self.keys[source] for taken, source in sources.items() if source in self.keys}
        self.keys |= found
        self.aliases |= {self._key(taken, block.id, place): key for taken, key in found.items()}

    def _step(self, node: Node, known: _Known, place: Place, weights: Place, scope: str) -> Step:
        self.taken += 1
        own = known.inner(node.id, node.sizes)
        reads = {port.symbol: self.keys[port.value] for port in node.takes if port.value in self.keys}
        writes = {port.symbol: self._key(port.value, node.block, place) for port in node.gives}
        for port in node.gives:
            self.keys[port.value] = writes[port.symbol]
        return Step(node, place, weights, own.numbers, own.terms, reads, writes, scope)

    def _key(self, value_id: str, block: str, place: Place) -> str:
        return placed(block, place) + value_id.removeprefix(block)

    def _lists_fit(self, block: Block, layers: int) -> None:
        for name in block.stack.varies:
            if name in self.lists and len(self.lists[name]) != layers:
                found = len(self.lists[name])
                raise SizeError(f"{name} has {found} values, but {block.id} has {layers} layers")
            if name in self.root.numbers:
                raise SizeError(f"{name} varies in {block.id}, but has one value, not a list")


def _count(block: Block, layers: Size, sizes: Mapping[str, int]) -> int:
    try:
        count = layers.value(sizes)
    except SizeError as error:
        raise SizeError(f"{block.id} has {layers} layers: {error}") from None
    if not 1 <= count <= MAX_STEPS:
        raise SizeError(f"{block.id} has {layers} layers, which is {count:,}; there are 1 to {MAX_STEPS:,}")
    return count


def _scope(block: Block, layer: int) -> str:
    """What the names of tensors in one layer begin with."""
    stack = block.stack
    if stack.layers is None:
        return stack.scope or ""
    return (stack.scope or "").replace(f"{{{stack.index}}}", str(stack.first + layer))


def _end(block: Block, here: _Known, around: _Known) -> list[str]:
    """After the last layer the sizes that changed have the names that the stack around knows them by; the new names."""
    new: list[str] = []
    for name, called in block.stack.ends.items():
        if called not in around.numbers and called not in around.terms:
            new.append(called)
        found: int | Size | None = here.numbers.get(name)
        before: int | Size | None = None
        if found is not None:
            before = around.numbers.setdefault(called, here.numbers[name])
        elif (found := here.terms.get(name)) is not None:
            before = around.terms.setdefault(called, found)
        if before != found:
            message = f"{name} is {found} after the last layer of {block.id}"
            raise SizeError(f"{message}, but {called} is {before}")
    return new
