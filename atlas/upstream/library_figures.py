"""What the library keeps and computes in one small run, against what we count: its cache, and its products.

Both counts are independent of ours: the cache is measured as it comes back, the products are counted as they are made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import takewhile
from math import prod

import numpy as np

from atlas.entries.collection import Upstream
from atlas.graph.accounting import ModelAccount, multiply_accumulates
from atlas.graph.structure import Graph
from atlas.graph.unroll import Sizes, Step, unroll
from atlas.sizes import size
from atlas.upstream.library_compare import Finding
from atlas.upstream.library_model import LibraryModel
from atlas.upstream.library_values import SEED, inputs_of, theirs_of


@dataclass(frozen=True, slots=True)
class Figure:
    """A count on both sides."""

    ours: int
    """What we count."""
    theirs: int
    """What upstream's run shows."""
    finding: Finding | None
    """What is said where they differ."""


def compare_cache(graph: Graph, upstream: Upstream, sizes: Sizes, account: ModelAccount, model: LibraryModel) -> Figure:
    """The numbers that are kept after one call, over all layers, for all tokens of the batch, and their shapes.

    Raises:
        AtlasError: upstream cannot be run.
    """
    inputs = inputs_of(graph, upstream, sizes, "float32", np.random.default_rng(SEED))
    given = theirs_of(upstream, inputs)
    first = next(iter(given.values()))
    tokens = first.size if first.dtype.kind in "iu" else 0
    ours = account.cache * tokens + account.constant_state * first.shape[0]
    kept = model.kept(given)
    theirs = sum(map(prod, kept))
    keepers = {step.node.id: step.node for step in unroll(graph, sizes) if step.node.entry.data.state}
    if ours == theirs:
        return Figure(ours, theirs, _other_shapes(graph, sizes, kept, first.shape))
    names = ", ".join(keepers) or "no component"
    message = f"upstream keeps {theirs:,} numbers for {tokens} tokens, but the `state` of {names} says {ours:,}"
    hint = "" if keepers else "add `state` to the component that keeps keys and values"
    return Figure(ours, theirs, Finding(message, next(iter(keepers.values()), None), hint=hint))


def _other_shapes(
    graph: Graph, sizes: Sizes, kept: Iterable[tuple[int, ...]], batch: tuple[int, ...]
) -> Finding | None:
    """The first component that keeps as many numbers as upstream, but in arrays of other shapes.

    Upstream's arrays have an axis for the batch and, where something is kept for every token, one for the tokens.
    """
    theirs = Counter(_without(shape, batch) for shape in kept)
    ours = [
        (step.node, name, tuple(size(axis).value(step.sizes) for axis in state.axes))
        for step in unroll(graph, sizes)
        for name, state in step.node.entry.data.state.items()
    ]
    if Counter(shape for _, _, shape in ours) == theirs:
        return None
    node, name, shape = next((one for one in ours if one[2] not in theirs), ours[0])
    found = " and ".join(f"{list(one)}" for one in theirs)
    message = f"upstream keeps arrays of the shape {found}, but {name} in the `state` of {node.id} has {list(shape)}"
    return Finding(message, node)


def _without(shape: tuple[int, ...], lengths: tuple[int, ...]) -> tuple[int, ...]:
    """A shape without one axis of each of these lengths, where there is one."""
    left = list(shape)
    for length in lengths:
        if length in left:
            left.remove(length)
    return tuple(left)


def compare_products(
    graph: Graph, upstream: Upstream, sizes: Sizes, account: ModelAccount, model: LibraryModel
) -> Figure:
    """The multiply–accumulates of matrix products and convolutions of one forward pass.

    Raises:
        AtlasError: upstream cannot be run.
        SizeError: the count has no value at these sizes.
    """
    inputs = inputs_of(graph, upstream, sizes, "float32", np.random.default_rng(SEED))
    ours = account.macs.value(sizes.numbers)
    found = model.products(theirs_of(upstream, inputs))
    if ours == found[""]:
        return Figure(ours, found[""], None)
    for step in unroll(graph, sizes):
        counted, path = multiply_accumulates(step).value(sizes.numbers), _module_of(step)
        if path and counted != found.get(path, 0):
            message = f"{step.key} makes {counted:,} multiply–accumulates, upstream’s {path} {found.get(path, 0):,}"
            return Figure(ours, found[""], Finding(message, step.node))
    message = f"a forward pass makes {ours:,} multiply–accumulates by our count, {found['']:,} by upstream’s"
    return Figure(ours, found[""], Finding(message, hint=_heaviest(found)))


def _module_of(step: Step) -> str:
    """The upstream module that holds all tensors of a step; empty where it has none, or they have nothing in common."""
    modules = [(step.scope + tensor).split(".")[:-1] for tensor in step.node.tensors.values()]
    shared = takewhile(lambda parts: len(set(parts)) == 1, zip(*modules, strict=False))
    return ".".join(parts[0] for parts in shared)


def _heaviest(found: Mapping[str, int]) -> str:
    """Where upstream makes its products, the largest shares first."""
    leaves = {name: count for name, count in found.items() if not any(other.startswith(f"{name}.") for other in found)}
    most = sorted(leaves.items(), key=lambda one: -one[1])[:5]
    return "upstream’s largest: " + ", ".join(f"{name} {count:,}" for name, count in most if name)
