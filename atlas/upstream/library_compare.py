"""The weights that our entries state against the tensors that the library stores: names, shapes, kinds, and ties.

At tiny sizes this comes before any run; at real sizes, on the meta device, it is the whole proof.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import takewhile

import numpy as np

from atlas.exceptions import ShapeError
from atlas.graph.structure import Node
from atlas.graph.unroll import MAX_STEPS
from atlas.graph.weights import Weight, resolved, upstream_shapes
from atlas.upstream.tensor import Array
from atlas.upstream.whole_model import Stored


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not as upstream has it."""

    message: str
    """What was expected and what was found; it names the component where there is one."""
    node: Node | None = None
    """The component that it is about; None where it is about the model."""
    symbol: str | None = None
    """Its parameter, where it is about one."""
    value: str | None = None
    """The value that it hands out, by its name, where it is about one."""
    key: tuple[str | int, ...] = ()
    """The place in the model's file, where it is about the model; empty for the block that names upstream."""
    hint: str = ""
    """The nearest fix, or empty."""


def compare_tensors(weights: Sequence[Weight], stored: Mapping[str, Stored]) -> list[Finding]:
    """Everything in which the two differ, once for each parameter of each component."""
    found: dict[tuple[str, str | None], Finding] = {}
    for one in _differences(weights, stored):
        # What is wrong in the first layer is wrong in all; one issue says it.
        found.setdefault((one.node.id, one.symbol) if one.node is not None else (one.message, None), one)
    return list(found.values())


def drawn(
    weights: Iterable[Weight], stored: Mapping[str, Stored], rng: np.random.Generator, factor: float
) -> dict[str, Array]:
    """Random numbers in float64 for every tensor, gains, biases and statistics included, by the name it is held as.

    Matrices keep the scale of what they are applied to, times `factor`. Where an entry says that numbers are positive,
    as variances are, they are drawn so, with the factor's square.
    """
    positive = {
        name
        for weight in weights
        if weight.node.entry.data.symbols[weight.symbol].values == "positive"
        for name in weight.stored
    }
    arrays: dict[str, Array] = {}
    for name, one in stored.items():
        if one.held_as != name:
            continue
        numbers = rng.normal(size=one.shape)
        if name in positive:
            arrays[name] = factor**2 * (np.abs(numbers) + 0.5)
        elif len(one.shape) > 1:
            arrays[name] = factor * numbers / np.sqrt(max(one.count / max(one.shape), 1.0))
        else:
            arrays[name] = factor * (numbers / 2 + 1)
    return arrays


def taken(weights: Iterable[Weight], stored: Mapping[str, Stored], arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Our weights out of the library's tensors, by key; those that are tied to another are left out.

    Raises:
        ShapeError: a tensor has another shape than its layout says.
    """
    named = {name: arrays[one.held_as] for name, one in stored.items()}
    return {weight.key: weight.taken(named) for weight in weights if weight.tied is None and weight.tensor is not None}


def _differences(weights: Sequence[Weight], stored: Mapping[str, Stored]) -> Iterator[Finding]:
    try:
        shapes = upstream_shapes(weights)
    except ShapeError as error:
        yield Finding(str(error))
        return
    for weight in weights:
        yield from _of_weight(weight, shapes, stored)
    for one in stored.values():
        if one.name not in shapes:
            yield _left_over(one, weights)
    yield from _of_ties(weights, stored)


def _of_weight(
    weight: Weight, shapes: Mapping[str, tuple[int, ...]], stored: Mapping[str, Stored]
) -> Iterator[Finding]:
    """What is wrong with one weight's name, shape or kind."""
    if weight.tensor is None:
        if weight.tied is None:
            message = f"{weight.key} says nothing of how upstream stores it"
            yield Finding(message, weight.node, weight.symbol, hint="add `tensor: …` to the symbol")
        return
    for name in weight.stored:
        if (found := _of_tensor(weight, name, shapes[name], stored)) is not None:
            yield found
            return  # of shards one that does not fit says it for all


def _of_tensor(weight: Weight, name: str, shape: tuple[int, ...], stored: Mapping[str, Stored]) -> Finding | None:
    """What is wrong with one tensor that a weight is stored in."""
    one = stored.get(name)
    if one is None:
        near = get_close_matches(name, stored, n=1)
        hint = f"did you mean {near[0]}?" if near else ""
        return Finding(f"{weight.key}: upstream has no tensor {name}", weight.node, weight.symbol, hint=hint)
    if one.shape != shape:
        message = f"{weight.key}: {name} has the shape {list(one.shape)} upstream"
        message += f", but {list(shape)} by the axes and the layout of {weight.symbol}"
        return Finding(message, weight.node, weight.symbol)
    if one.learned != weight.learned:
        ours, theirs = ("parameter", "buffer") if weight.learned else ("buffer", "parameter")
        message = f"{weight.key} is stated as a {ours}, but upstream’s {name} is a {theirs}"
        return Finding(message, weight.node, weight.symbol)
    return None


def _left_over(one: Stored, weights: Iterable[Weight]) -> Finding:
    """A tensor that none of our weights names; it is told of the component whose tensors have the nearest names."""
    message = f"upstream’s {one.name} of shape {list(one.shape)} is a parameter of no component"
    near = max(weights, key=lambda weight: _nearness(weight.tensor or "", one.name), default=None)
    if near is None or not _nearness(near.tensor or "", one.name)[0]:
        return Finding(message, hint="document the component that has it")
    return Finding(f"{message}; the nearest is {near.node.id}, with {near.tensor}", near.node)


def _nearness(first: str, second: str) -> tuple[int, int, int]:
    """How near two dotted names are: by parts that agree from the left, by numbers of layers, by parts from the right.

    The last part does not count from the left, as all weights are called alike.
    """
    a, b = re.split("[./]", first), re.split("[./]", second)
    left = _agreeing(a[:-1], b[:-1])
    number = a[left : left + 1] + b[left : left + 1]
    apart = abs(int(number[0]) - int(number[1])) if len(number) == 2 and all(map(str.isdecimal, number)) else MAX_STEPS
    return left, -apart, _agreeing(a[::-1], b[::-1])


def _agreeing(first: Sequence[str], second: Sequence[str]) -> int:
    """How many parts agree from the first on."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))


def _of_ties(weights: Sequence[Weight], stored: Mapping[str, Stored]) -> Iterator[Finding]:
    """Parameters that are one and the same here are so upstream, and the reverse."""
    owners = resolved(weights)
    held = {
        weight.key: tuple(stored[name].held_as for name in weight.stored)
        for weight in weights
        if weight.tensor is not None and all(name in stored for name in weight.stored)
    }
    first: dict[tuple[str, ...], Weight] = {}
    for weight in weights:
        if weight.key not in held:
            continue
        owner = owners[weight.key]
        if owner in held and held[owner] != held[weight.key]:
            message = f"{weight.key} is tied to {owner}, but upstream keeps {weight.tensor} apart from it"
            yield Finding(message, weight.node, weight.symbol)
            continue
        other = first.setdefault(held[weight.key], weight)
        fused = weight.tensor == other.tensor
        if not fused and owners[other.key] != owner:
            message = f"upstream’s {weight.tensor} is the same tensor as {other.tensor}, but {weight.key} is its own"
            hint = f"add `tied: {other.node.id}.{other.symbol}` to {weight.symbol}"
            yield Finding(message, weight.node, weight.symbol, hint=hint)
