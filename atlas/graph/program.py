"""A model's counts as a program: the graph's blocks with every expression that counting evaluates, and nothing else.

Whoever walks it with other sizes gets the figures of `model_account` at these sizes; the reader's calculator does so in
the browser. The expressions are the ones that the checks use, taken from the same entries and the same graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from atlas.entries.collection import Model
from atlas.exceptions import SizeError
from atlas.graph.accounting import TABLES
from atlas.graph.options import symbolic_options
from atlas.graph.structure import Block, Graph, Node
from atlas.operators.catalogue import find
from atlas.sizes import Size, product, size


@dataclass(frozen=True, slots=True)
class WeightProgram:
    """One parameter or buffer of a component."""

    axes: tuple[Size, ...]
    """The lengths of its axes."""
    used: tuple[Size, ...]
    """How much of each axis one token uses: the length, or a part of it."""
    learned: bool
    """Whether it is a parameter; else it is a buffer."""
    tied: bool
    """Whether it is the same as another, which is counted."""


@dataclass(frozen=True, slots=True)
class StateProgram:
    """Numbers that a component keeps when the model generates."""

    lifetime: str
    """`token`, `window` or `constant`."""
    count: Size
    """How many."""


@dataclass(frozen=True, slots=True)
class NodeProgram:
    """A component in its place."""

    id: str
    """Block and name."""
    sizes: Mapping[str, Size]
    """Sizes of the entry that are called otherwise in this place."""
    weights: tuple[WeightProgram, ...]
    """What it stores."""
    is_table: bool
    """Whether its parameters are look-up tables."""
    state: tuple[StateProgram, ...]
    """What it keeps."""
    macs: Size | None
    """The multiply–accumulates of one call; None where they are no polynomial before the sizes are known."""
    settled: tuple[tuple[str, Size, int], ...]
    """Sizes that must have a certain value, as an option that is that size is stated too: name, size, value."""


@dataclass(frozen=True, slots=True)
class BlockProgram:
    """A stack, or a part that is gone through once."""

    id: str
    """The path of stacks."""
    title: str
    """Its name."""
    layers: Size | None
    """How many layers; None for a part without layers."""
    starts: Mapping[str, Size]
    """Sizes of its own, with their values in the first layer."""
    then: Mapping[str, Size]
    """For sizes that change: their values in the next layer."""
    ends: Mapping[str, str]
    """For sizes that change: what they are called after the last layer."""
    varies: tuple[str, ...]
    """Sizes that have a list with a value for each layer."""
    shares_weights: bool
    """Whether all layers use the weights of the first."""
    children: tuple[NodeProgram | BlockProgram, ...]
    """What stands in it, in the order of the data flow."""


@dataclass(frozen=True, slots=True)
class Program:
    """A whole model."""

    blocks: tuple[BlockProgram, ...]
    """The outermost blocks in the order of the data flow."""
    follows: Mapping[str, frozenset[str]]
    """For each size that a block or a place sets: the sizes of the model that it follows from, for messages."""


def program(graph: Graph, model: Model) -> Program:
    """The program of a model."""
    names = frozenset(model.dimensions)
    blocks = tuple(_block(block, names) for block in graph.blocks)
    return Program(blocks, _follows(blocks))


def _block(block: Block, names: frozenset[str]) -> BlockProgram:
    stack = block.stack
    return BlockProgram(
        block.id,
        stack.title,
        None if stack.layers is None else size(stack.layers),
        {name: size(text) for name, text in stack.with_.items()},
        {name: size(text) for name, text in stack.then.items()},
        dict(stack.ends),
        tuple(stack.varies),
        stack.shares_weights,
        tuple(_node(child, names) if isinstance(child, Node) else _block(child, names) for child in block.children),
    )


def _node(node: Node, names: frozenset[str]) -> NodeProgram:
    data = node.entry.data
    weights = []
    for name, symbol in data.symbols.items():
        if symbol.parameter is None and symbol.buffer is None:
            continue
        axes = tuple(size(axis) for axis in symbol.axes)
        share = {size(axis): size(part) for axis, part in symbol.active.items()}
        used = tuple(share.get(axis, axis) for axis in axes)
        weights.append(WeightProgram(axes, used, symbol.parameter is not None, name in node.tied))
    macs, settled = _macs(node, names)
    state = (StateProgram(one.lifetime, product(size(axis) for axis in one.axes)) for one in data.state.values())
    is_table = find(data.operator).kind in TABLES
    return NodeProgram(node.id, dict(node.sizes), tuple(weights), is_table, tuple(state), macs, settled)


def _macs(node: Node, names: frozenset[str]) -> tuple[Size | None, tuple[tuple[str, Size, int], ...]]:
    """What one call makes, in the entry's own sizes, and the sizes that an option states too."""
    data = node.entry.data
    operator = find(data.operator)
    axes = {symbol.binds: tuple(map(str, symbol.axes)) for symbol in data.symbols.values() if symbol.binds is not None}
    labels = {argument.name: axes[argument.name] for argument in operator.contract.inputs if argument.name in axes}
    options, settled = symbolic_options(node.entry, operator, names | node.sizes.keys())
    try:
        return operator.macs(labels, options), settled
    except SizeError:
        return None, settled


def _follows(blocks: tuple[BlockProgram, ...]) -> dict[str, frozenset[str]]:
    """The sizes that each derived size follows from, through others that are derived too."""
    direct: dict[str, set[str]] = {}
    for name, symbols in (pair for block in blocks for pair in _set_by(block)):
        direct.setdefault(name, set()).update(symbols)
    found: dict[str, frozenset[str]] = {}
    for name in direct:
        reached, waiting = set[str](), [name]
        while waiting:
            for symbol in direct.get(waiting.pop(), ()):
                if symbol not in reached:
                    reached.add(symbol)
                    waiting.append(symbol)
        found[name] = frozenset(reached - {name})
    return found


def _set_by(block: BlockProgram) -> Iterator[tuple[str, frozenset[str]]]:
    for expressions in (block.starts, block.then):
        yield from ((name, expression.symbols) for name, expression in expressions.items())
    yield from ((called, frozenset((name,))) for name, called in block.ends.items())
    for child in block.children:
        if isinstance(child, BlockProgram):
            yield from _set_by(child)
        else:
            yield from ((name, expression.symbols) for name, expression in child.sizes.items())
