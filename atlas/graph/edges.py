"""The axes of values along the edges of a graph: what a component reads has the axes that it declares.

Axes are compared as expressions. Where a size belongs to a stack, it is put into the terms of the stack around it by
what the stack states: `with` on the way in, `ends` on the way out, `then` from one layer to the next.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace

from atlas.entries.collection import Stack
from atlas.exceptions import SizeError
from atlas.graph.structure import Block, Graph, Node, Port, Value
from atlas.sizes import Size, size, symbol

Axes = tuple[Size, ...]

_AT_A_LAYER = re.compile(r"_\{in [^{}]*\}$")
"""What is added to a size's name where it is that of some layer of a stack, which is no size of the model."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """An edge whose ends do not agree."""

    node: Node | None
    """The component that reads; None where a stack carries the value."""
    block: Block | None
    """The stack that carries it."""
    port: Port | None
    """Where it enters."""
    value: Value
    """What is read."""
    message: str
    """What does not agree."""


def with_carried_axes(graph: Graph) -> Graph:
    """The graph in which values that go from layer to layer have the axes with which they are read first.

    Raises:
        SizeError: what the stacks state of a size makes an axis no size; the message names the stack.
    """
    values = dict(graph.values)
    blocks = {one.id: one for block in graph.blocks for one in block.blocks}
    for block in reversed(blocks.values()):  # those within before those around
        for carry in block.carries:
            found = _read_as(block, carry.taken, blocks)
            if found is None:  # nothing reads it, so it is what the layer hands on
                handed = values[carry.handed]
                found = tuple(_left(axis, handed.block, block.id, blocks) for axis in handed.axes)
            values[carry.taken] = replace(values[carry.taken], axes=found)
    return replace(graph, values=values)


def misfits(graph: Graph) -> Iterator[Misfit]:
    """Every edge whose ends do not agree; the graph must have its carried axes.

    Of a component that does not fit, the first edge; what it gives is taken as it is, as it would follow from that.
    """
    blocks = {one.id: one for block in graph.blocks for one in block.blocks}
    doubtful: set[str] = set()
    for node in graph.nodes:
        for port in node.takes:
            value = graph.values[port.value]
            if value.source in doubtful:
                continue
            try:
                message = _misfit(node, port, value, blocks)
            except SizeError as error:
                message = f"the axes of {port.symbol} cannot be compared with those of {value.name}: {error}"
            if message:
                yield Misfit(node, None, port, value, message)
                doubtful.add(node.id)
                break
    for block in blocks.values():
        yield from _misfits_of_carries(graph, block, blocks, doubtful)


def _misfit(node: Node, port: Port, value: Value, blocks: Mapping[str, Block]) -> str:
    declared = node.entry.data.symbols[port.symbol]
    if (declared.ids is None) != (value.ids is None):
        takes, gets = (
            ("numbers of an axis", "any numbers") if value.ids is None else ("any numbers", "numbers of an axis")
        )
        return f"{port.symbol} stands for {takes}, but {value.name} holds {gets}"
    meet = _common(node.block, value.block)
    own = tuple(_lifted(axis.substitute(node.sizes), node.block, meet, blocks) for axis in map(size, declared.axes))
    theirs = tuple(_left(axis, value.block, meet, blocks) for axis in value.axes)
    if not _equal(own, theirs, meet, blocks):
        return f"{port.symbol} has the axes {shown(own)} here, but {_described(value)} has {shown(theirs)}"
    if declared.ids is not None and value.ids is not None:
        limit = _lifted(size(declared.ids).substitute(node.sizes), node.block, meet, blocks)
        if not _equal((limit,), (given := _left(value.ids, value.block, meet, blocks),), meet, blocks):
            return (
                f"{port.symbol} stands for numbers below {limit}, but {_described(value)} holds numbers below {given}"
            )
    return ""


def _misfits_of_carries(
    graph: Graph, block: Block, blocks: Mapping[str, Block], doubtful: Container[str]
) -> Iterator[Misfit]:
    stack = block.stack
    for carry in block.carries:
        taken, handed = graph.values[carry.taken], graph.values[carry.handed]
        if handed.source in doubtful:
            continue
        after = {name: size(text) for name, text in stack.then.items()}
        wanted = tuple(axis.substitute(after) for axis in taken.axes)
        found = tuple(_left(axis, handed.block, block.id, blocks) for axis in handed.axes)
        if not _equal(wanted, found, block.id, blocks):
            message = f"a layer hands on {handed.name} with the axes {shown(found)}, but the next takes {shown(wanted)}"
            yield Misfit(None, block, None, taken, message)
        if carry.first and graph.values[carry.first].source not in doubtful:
            first = graph.values[carry.first]
            outer = block.id.rpartition("/")[0]
            meet = _common(outer, first.block)
            own = tuple(_entered(axis, block, outer, meet, blocks) for axis in taken.axes)
            theirs = tuple(_left(axis, first.block, meet, blocks) for axis in first.axes)
            if not _equal(own, theirs, meet, blocks):
                given = f"{_described(first)} has {shown(theirs)}"
                message = f"the first layer takes {taken.name} with the axes {shown(own)}, but {given}"
                yield Misfit(None, block, None, taken, message)


def shown(axes: Axes) -> str:
    """Axes as entries write them."""
    plain = (axis.substitute({name: symbol(_AT_A_LAYER.sub("", name)) for name in axis.symbols}) for axis in axes)
    return f"[{', '.join(map(str, plain))}]"


def _described(value: Value) -> str:
    return f"{value.name}, which {value.source} gives," if value.source else value.name


def _read_as(block: Block, value_id: str, blocks: Mapping[str, Block]) -> Axes | None:
    """The axes, in the block's sizes, with which a component or a stack within reads a value first."""
    for node in block.nodes:
        for port in node.takes:
            if port.value == value_id:
                declared = (size(axis).substitute(node.sizes) for axis in node.entry.data.symbols[port.symbol].axes)
                return tuple(_lifted(axis, node.block, block.id, blocks) for axis in declared)
    for inner in block.blocks:
        for carry in inner.carries:
            if carry.first == value_id and (found := _read_as(inner, carry.taken, blocks)) is not None:
                outer = inner.id.rpartition("/")[0]
                return tuple(_entered(axis, inner, outer, block.id, blocks) for axis in found)
    return None


def _common(first: str, second: str) -> str:
    """The innermost block that both are in."""
    a, b = first.split("/"), second.split("/")
    shared = 0
    while shared < min(len(a), len(b)) and a[shared] == b[shared]:
        shared += 1
    return "/".join(a[:shared])


def _equal(own: Axes, theirs: Axes, meet: str, blocks: Mapping[str, Block]) -> bool:
    """Whether axes in the terms of one block are the same, given what that block and those around it say of sizes."""
    first, second = (tuple(_lifted(axis, meet, "", blocks) for axis in axes) for axes in (own, theirs))
    return first == second


def _lifted(axis: Size, inner: str, outer: str, blocks: Mapping[str, Block]) -> Size:
    """A size of a block in the terms of a block around it, at any layer."""
    while inner != outer:
        axis = _around(axis, blocks[inner], entered=False)
        inner = inner.rpartition("/")[0]
    return axis


def _entered(axis: Size, block: Block, outer: str, meet: str, blocks: Mapping[str, Block]) -> Size:
    """A size of a block's first layer in the terms of a block around it."""
    return _lifted(_around(axis, block, entered=True), outer, meet, blocks)


def _left(axis: Size, inner: str, outer: str, blocks: Mapping[str, Block]) -> Size:
    """A size of a block's last layer in the terms of a block around it."""
    while inner != outer:
        block = blocks[inner]
        ends = {name: symbol(called) for name, called in block.stack.ends.items()}
        after = _afterwards(block.stack, axis, ends)
        axis = _around(axis, block, entered=False) if after is None else after
        inner = inner.rpartition("/")[0]
    return axis


def _afterwards(stack: Stack, axis: Size, ends: Mapping[str, Size]) -> Size | None:
    """The size that a changing size will have in the next layer is, after the last, what `ends` calls it."""
    for name, text in stack.then.items():
        if name in ends and size(text) == axis:
            return ends[name]
    return None


def _around(axis: Size, block: Block, *, entered: bool) -> Size:
    """A size of a block in the terms of the block around it; an error names the block."""
    try:
        return axis.substitute(_terms(block, entered=entered))
    except SizeError as error:
        raise SizeError(f"in {block.id}, {error}") from None


def _terms(block: Block, *, entered: bool) -> dict[str, Size]:
    """What the block's own sizes are around it; those that change are known in the first layer only."""
    stack = block.stack
    first = {name: size(text) for name, text in stack.with_.items()}
    unknown = [*stack.then, *stack.varies] if not entered else list(stack.varies)
    return first | {name: _at_a_layer(name, block.id) for name in unknown}


def _at_a_layer(name: str, block: str) -> Size:
    """What a size is at some layer of a block, outside of it: equal to nothing but itself."""
    return symbol(f"{name}_{{in {block.replace('_', '+').replace('/', ',')}}}")  # as sizes are written, also in floors
