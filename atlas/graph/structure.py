"""A model's graph as plain data: blocks, the nodes within them, and the values that run along the edges.

One graph per model: the diagram, the accounting, the shape trace and the forward pass all read this one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from atlas.entries.atlas import Entry
from atlas.entries.collection import Stack
from atlas.sizes import Size


@dataclass(frozen=True, slots=True)
class Value:
    """A tensor that a component, or the model's caller, hands to others."""

    id: str
    """Its name in the whole model: `encoder.x_{n+1}`; of an input, the name alone."""
    name: str
    """Its name in LaTeX."""
    block: str
    """The block that it belongs to, such as `stages/first`; empty for an input."""
    axes: tuple[Size, ...]
    """The lengths of its axes, in the sizes of its block."""
    ids: Size | None
    """For whole numbers below a size: that size."""
    source: str
    """The node that makes it; empty for an input and for a value that a layer takes from the one before."""


@dataclass(frozen=True, slots=True)
class Port:
    """Where a value enters a node or leaves it."""

    symbol: str
    """The entry's symbol."""
    argument: str
    """The operator's argument or result that the symbol stands for."""
    value: str
    """The value's id."""


@dataclass(frozen=True, slots=True)
class Node:
    """A component in its place."""

    id: str
    """Block and name: `encoder/self-attention`."""
    name: str
    """The last part of the id."""
    title: str
    """The component's name as people say it."""
    entry: Entry
    """The component that is documented; several nodes may share one."""
    block: str
    """The block that it stands in."""
    at: tuple[str | int, ...]
    """Where the model's file lists it."""
    sizes: Mapping[str, Size]
    """Sizes of the entry that are called otherwise in this place."""
    takes: tuple[Port, ...]
    """The values that enter."""
    gives: tuple[Port, ...]
    """The values that leave."""
    tensors: Mapping[str, str]
    """For each parameter and buffer that upstream stores: its name, without the blocks' own part."""
    tied: Mapping[str, tuple[str, str]]
    """For each parameter that is the same as another: the other's node and symbol."""


@dataclass(frozen=True, slots=True)
class Carry:
    """A value that goes from layer to layer."""

    taken: str
    """The id that it has within a layer."""
    first: str
    """The id of the value that the first layer takes; empty where the model is not complete."""
    handed: str
    """The id of the value that a layer hands to the next."""


@dataclass(frozen=True, slots=True)
class Block:
    """A stack, or a part that is gone through once, with what stands in it."""

    id: str
    """The path of stacks: `stages/first`."""
    stack: Stack
    """What the model's file states about it."""
    children: tuple[Node | Block, ...]
    """Nodes and blocks in the order of the data flow."""
    carries: tuple[Carry, ...]
    """What goes from layer to layer."""

    @property
    def nodes(self) -> Iterator[Node]:
        """All nodes, also those of blocks within, in the order of the data flow."""
        for child in self.children:
            if isinstance(child, Node):
                yield child
            else:
                yield from child.nodes

    @property
    def blocks(self) -> Iterator[Block]:
        """The block itself and all blocks within."""
        yield self
        for child in self.children:
            if isinstance(child, Block):
                yield from child.blocks


@dataclass(frozen=True, slots=True)
class Graph:
    """The whole model."""

    model: str
    """The collection's id."""
    blocks: tuple[Block, ...]
    """The outermost blocks in the order of the data flow."""
    values: Mapping[str, Value]
    """All values by id."""
    inputs: tuple[str, ...]
    """The ids of the values that the model is given."""
    outputs: Mapping[str, str]
    """The ids of the values that it returns, each with its meaning."""

    @property
    def nodes(self) -> tuple[Node, ...]:
        """All nodes in the order of the data flow."""
        return tuple(node for block in self.blocks for node in block.nodes)

    def node(self, node_id: str) -> Node | None:
        """The node with this id."""
        return next((node for node in self.nodes if node.id == node_id), None)

    def block(self, block_id: str) -> Block | None:
        """The block with this id."""
        return next((one for block in self.blocks for one in block.blocks if one.id == block_id), None)
