"""Every weight of a model at its real shape: parameters once each, buffers, what is tied, and upstream's names.

Nothing is allocated here, so the weights of a model of any size can be listed and compared with upstream's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias

import numpy as np

from atlas.entries.component import SHARD, Symbol
from atlas.exceptions import ShapeError, SizeError
from atlas.graph.layout import Layout, layout_of
from atlas.graph.structure import Graph, Node
from atlas.graph.unroll import Place, Sizes, Step, placed, unroll
from atlas.sizes import size

Array: TypeAlias = "np.ndarray[Any, Any]"


@dataclass(frozen=True, slots=True)
class Weight:
    """One tensor of one layer."""

    key: str
    """Where it is: `encoder[0]/self-attention.W^Q`."""
    node: Node
    """The component that has it."""
    place: Place
    """Which layer of which stacks."""
    symbol: str
    """Its symbol."""
    shape: tuple[int, ...]
    """The lengths of its axes."""
    learned: bool
    """Whether it is a parameter; else it is a buffer."""
    tied: str | None
    """The key of the parameter that it is the same as, where there is one."""
    active: int
    """How many of its numbers one token uses."""
    tensor: str | None
    """Upstream's full name for the tensor that holds it; of one in shards, with `{shard}` in place of their numbers."""
    layout: Layout
    """How upstream stores it."""
    shards: int
    """In how many pieces upstream stores the tensor, along its first axis; 1 where it is whole."""

    @property
    def count(self) -> int:
        """How many numbers it holds."""
        return prod(self.shape)

    @property
    def stored(self) -> Mapping[str, tuple[int, ...]]:
        """The name and shape of each upstream tensor that holds it; of several, in the order of its rows."""
        if self.tensor is None:
            return {}
        shape = self.layout.upstream_shape(self.shape)
        if self.shards == 1:
            return {self.tensor: shape}
        rows, longer = divmod(shape[0], self.shards)
        lengths = [rows + (shard < longer) for shard in range(self.shards)]
        return {self.tensor.replace(SHARD, str(shard)): (length, *shape[1:]) for shard, length in enumerate(lengths)}

    def taken(self, upstream: Mapping[str, Array]) -> Array:
        """Our array out of the upstream tensors, which are given by name.

        Raises:
            KeyError: a tensor is not there.
            ShapeError: one has another shape than the layout says.
        """
        pieces = [np.asarray(upstream[name]) for name in self.stored]
        for piece, (name, shape) in zip(pieces, self.stored.items(), strict=True):
            if piece.shape != shape:
                raise ShapeError(f"upstream’s {name} has the shape {piece.shape}, the layout says {shape}")
        return self.layout.taken(pieces[0] if len(pieces) == 1 else np.concatenate(pieces), self.shape)


def weights(graph: Graph, sizes: Sizes) -> list[Weight]:
    """Every weight of the model in the order of the data flow.

    Raises:
        SizeError: a size is missing or gives no length.
        ShapeError: a layout does not fit its symbol.
    """
    return list(weights_of(unroll(graph, sizes)))


def weights_of(steps: Iterable[Step]) -> Iterator[Weight]:
    """The weights of these steps, each once.

    Raises:
        ShapeError: layers that share a weight need it with different shapes.
    """
    seen: dict[str, Weight] = {}
    for step in steps:
        for name, symbol in step.node.entry.data.symbols.items():
            if symbol.parameter is None and symbol.buffer is None:
                continue
            key = weight_key(step.node, step.weights, name)
            if key not in seen:
                seen[key] = _weight(step, name, symbol, key)
                yield seen[key]
            elif (shape := _weight(step, name, symbol, key).shape) != seen[key].shape:
                first = seen[key].shape
                raise ShapeError(f"{step.key} shares {key}, which has the shape {first}, but needs {shape}")


def weight_key(node: Node, place: Place, symbol: str) -> str:
    """Where a weight is: `encoder[0]/self-attention.W^Q`."""
    return f"{placed(node.block, place)}/{node.name}.{symbol}"


def upstream_shapes(found: Iterable[Weight]) -> dict[str, tuple[int, ...]]:
    """The shape of each upstream tensor that the weights name.

    Raises:
        ShapeError: two weights give one tensor two shapes, the same part twice, or leave a part out.
    """
    shapes: dict[str, tuple[int, ...]] = {}
    parts: dict[str, dict[int, Weight]] = {}
    for weight in found:
        for name, shape in weight.stored.items():
            if shapes.setdefault(name, shape) != shape:
                raise ShapeError(f"{name} would have the shapes {shapes[name]} and {shape}")
            held = parts.setdefault(name, {})
            if weight.layout.part in held and weight.tied is None:
                other = held[weight.layout.part].key
                raise ShapeError(f"{other} and {weight.key} both say that they are {name}")
            held.setdefault(weight.layout.part, weight)
    for name, held in parts.items():
        total = next(iter(held.values())).layout.parts
        if len(held) != total:
            raise ShapeError(f"of the {total} parts of {name}, {len(held)} are stated")
    return shapes


def _weight(step: Step, name: str, symbol: Symbol, key: str) -> Weight:
    shape = step.shape(name)
    share = {size(axis): size(part).value(step.sizes) for axis, part in symbol.active.items()}
    for axis, length in zip(symbol.axes, shape, strict=True):
        if (part := share.get(size(axis), length)) > length:
            raise SizeError(f"{key}: one token would use {part:,} of {axis}, which is {length:,}")
    used = prod(share.get(size(axis), length) for axis, length in zip(symbol.axes, shape, strict=True))
    tied = step.node.tied.get(name)
    tensor = step.node.tensors.get(name)
    try:
        layout = layout_of(symbol)
        stored_as = None if tensor is None else named_by_sizes(step.scope + tensor, step.sizes)
    except ShapeError as error:
        raise ShapeError(f"{step.node.entry.id}: {name}: {error}") from None
    return Weight(
        key,
        step.node,
        step.weights,
        name,
        shape,
        symbol.parameter is not None,
        f"{tied[0]}.{tied[1]}" if tied is not None else None,
        used,
        stored_as,
        layout,
        symbol.shards or 1,
    )


def named_by_sizes(name: str, sizes: Mapping[str, int]) -> str:
    """The name of an upstream tensor or of what is watched, with the values of sizes in place of `{d}`.

    Raises:
        ShapeError: what stands in braces is no size here.
    """

    def value(match: re.Match[str]) -> str:
        if match[0] == SHARD:
            return SHARD
        if match[1] not in sizes:
            raise ShapeError(f"the name {name} has {match[0]}, which is no layer and no size here")
        return str(sizes[match[1]])

    return re.sub(r"\{([^{}]*)\}", value, name)


def resolved(found: Iterable[Weight]) -> Mapping[str, str]:
    """For each weight the key of the one that holds its numbers: its own, or that of what it is tied to."""
    return {weight.key: weight.tied or weight.key for weight in found}
