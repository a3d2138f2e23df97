"""Our forward pass and the library's on the same numbers: every value that both have, in the order of the data flow.

Where they part, the first value that differs names the component that gives it, and those that lie between it and the
values that agreed before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from atlas.exceptions import ShapeError, UpstreamError
from atlas.graph.build import spelled
from atlas.graph.forward import forward, random_inputs
from atlas.graph.structure import Graph
from atlas.graph.unroll import Sizes, Step, unroll
from atlas.graph.weights import Weight, named_by_sizes
from atlas.upstream.compare import largest_relative_error
from atlas.upstream.library_compare import Finding, drawn, taken
from atlas.upstream.tensor import Array
from atlas.upstream.whole_model import Named, Returned, WholeModel

SEED = 17062017
"""Seed of weights and inputs; any would do."""

FACTORS = (1.0, 0.01)
"""Scales of the weights: the small one makes variances as small as an ε, which would not be seen otherwise."""


@dataclass(frozen=True, slots=True)
class Watched:
    """A value that both sides compute."""

    key: str
    """Ours, by its key, such as `decoder[0].x_{n+1}`."""
    value: str
    """Ours, by its id."""
    step: Step
    """What gives it."""
    module: str | None
    """The library's module that returns it; None for what the model itself returns."""
    field: str | None
    """The field of what the model returns."""

    @property
    def theirs(self) -> str:
        """What the library calls it."""
        return self.module or self.field or ""


@dataclass(frozen=True, slots=True)
class Agreement:
    """What one comparison of values found."""

    compared: int
    """How many values were compared, over all layers and scales."""
    worst: float
    """The largest relative error."""
    finding: Finding | None
    """The first value that differs, where one does."""


def value_id(name: str) -> str:
    """The id of a value by the name that the model's file gives it: its stacks with dots between them, then its own."""
    *path, last = name.split(".")
    return ".".join(["/".join(path), spelled(last)]) if path else spelled(last)


def watched(graph: Graph, upstream: Named, sizes: Sizes) -> list[Watched]:
    """Every value that `states` and `outputs` name, in every layer, in the order of the data flow.

    Raises:
        UpstreamError: no component gives one of them, or a module's name does not tell the layers apart.
        SizeError: the sizes do not fit the model.
    """
    states = [(template, value_id(name)) for template, name in upstream.states.items()]
    outputs = {value_id(name): field for field, name in upstream.outputs.items()}
    found: list[Watched] = []
    last: dict[str, tuple[str, Step]] = {}
    for step in unroll(graph, sizes):
        for port in step.node.gives:
            key = step.writes[port.symbol]
            last[port.value] = key, step
            found += [
                Watched(key, port.value, step, _module(template, graph, step), None)
                for template, value in states
                if value == port.value
            ]
    for value, field in outputs.items():
        if value in last:
            found.append(Watched(last[value][0], value, last[value][1], None, field))
    if missing := [value for value in (*(value for _, value in states), *outputs) if value not in last]:
        raise UpstreamError(f"no component gives the value {missing[0]}, which is to be compared with upstream’s")
    names = [one.module for one in found if one.module is not None]
    if twice := [name for name in names if names.count(name) > 1]:
        raise UpstreamError(
            f"several values are compared with upstream’s module {twice[0]}; name its layer, as by {{n}}"
        )
    return found


def compare_values(
    graph: Graph,
    upstream: Named,
    sizes: Sizes,
    weights: Sequence[Weight],
    model: WholeModel,
    dtype: str,
    tolerance: float,
) -> Agreement:
    """Run both on the same inputs with the same weights, on every scale; what differs first in the data flow is told.

    One scale may show a mistake only where it has grown over the layers, another where it is made.

    Raises:
        AtlasError: one of the two cannot be run.
    """
    listed = watched(graph, upstream, sizes)
    worst, compared = 0.0, 0
    first: tuple[int, str] | None = None
    for index, factor in enumerate(FACTORS):
        rng = np.random.default_rng(SEED + index)
        found = _errors(graph, upstream, sizes, weights, model, listed, dtype, factor, rng)
        compared += len(listed)
        worst = max(worst, *(error for error, _ in found))
        differs = next(((at, text) for at, (error, text) in enumerate(found) if error > tolerance), None)
        if differs is not None and (first is None or differs[0] < first[0]):
            first = differs
    if first is None:
        return Agreement(compared, worst, None)
    position, problem = first
    agreed = {one.key for one in listed[:position]}
    return Agreement(compared, worst, _differs(graph, sizes, listed[position], agreed, problem, dtype))


def inputs_of(graph: Graph, upstream: Named, sizes: Sizes, dtype: str, rng: np.random.Generator) -> dict[str, Array]:
    """Random inputs of ours, by id; each that upstream is given is one of them.

    Every second row of ids ends in zeros, which stand for padding in some models and for a token in the others.

    Raises:
        UpstreamError: upstream is given something that is no input of ours.
    """
    found = {name: np.asarray(array) for name, array in random_inputs(graph, sizes, rng, dtype).items()}
    for name, array in found.items():
        if graph.values[name].ids is not None and array.ndim > 1:
            array[1::2, ..., array.shape[-1] // 2 + 1 :] = 0
    for argument, name in upstream.inputs.items():
        if spelled(name) not in found:
            raise UpstreamError(f"{argument} is given {name}, which is no input of the model")
    return found


def theirs_of(upstream: Named, inputs: Mapping[str, Array]) -> dict[str, Array]:
    """The same inputs by the arguments of upstream's call."""
    return {argument: inputs[spelled(name)] for argument, name in upstream.inputs.items()}


def _errors(
    graph: Graph,
    upstream: Named,
    sizes: Sizes,
    weights: Sequence[Weight],
    model: WholeModel,
    listed: Sequence[Watched],
    dtype: str,
    factor: float,
    rng: np.random.Generator,
) -> list[tuple[float, str]]:
    """For each value the largest relative error, and what is wrong."""
    stored = model.tensors()
    arrays = {name: array.astype(dtype) for name, array in drawn(weights, stored, rng, factor).items()}
    inputs = inputs_of(graph, upstream, sizes, dtype, rng)
    model.load(arrays)
    ours = forward(graph, sizes, inputs, taken(weights, stored, arrays))
    modules = [one.module for one in listed if one.module is not None]
    theirs = model.run(theirs_of(upstream, inputs), list(upstream.outputs), modules)
    return [_error(one, np.asarray(ours.values[one.key]), theirs) for one in listed]


def _error(one: Watched, ours: Array, returned: Returned) -> tuple[float, str]:
    theirs = returned.modules[one.module] if one.module is not None else returned.fields[one.field or ""]
    if theirs.ndim != ours.ndim and theirs.size == ours.size:
        # Upstream flattens batch and positions in places, or keeps axes of length 1: the same numbers, in one order.
        theirs = theirs.reshape(ours.shape)
    if theirs.shape != ours.shape:
        return float("inf"), f"it has the shape {list(ours.shape)}, upstream’s {list(theirs.shape)}"
    error = largest_relative_error(ours, theirs)
    return error, "it holds numbers that are not finite" if np.isinf(error) else f"largest relative error {error:.1e}"


def _differs(graph: Graph, sizes: Sizes, one: Watched, agreed: set[str], problem: str, dtype: str) -> Finding:
    """What is said of the first value that differs."""
    node = one.step.node
    between = [step.node.id for step in _between(unroll(graph, sizes), one.key, agreed)]
    message = f"{node.id} gives {one.key}, which is not upstream’s {one.theirs} in {dtype}: {problem}"
    others = [name for name in dict.fromkeys(between) if name != node.id]
    hint = "what it reads agreed" if not others else f"it, or one of these before it: {', '.join(others)}"
    return Finding(message, node, value=graph.values[one.value].name, hint=hint)


def _between(steps: Iterable[Step], key: str, agreed: set[str]) -> Iterator[Step]:
    """The steps on which a value depends, back to the values that agreed, in the order of the data flow."""
    listed = list(steps)
    wanted = {key}
    needed: list[Step] = []
    for step in reversed(listed):
        if wanted & set(step.writes.values()):
            needed.append(step)
            wanted |= set(step.reads.values()) - agreed
    yield from reversed(needed)


def _module(template: str, graph: Graph, step: Step) -> str:
    """A module's name in one layer."""
    name = template
    for path, layer in step.place:
        block = graph.block(path)
        if block is None:
            raise AssertionError("a step's place names blocks of its graph")
        name = name.replace(f"{{{block.stack.index}}}", str(block.stack.first + layer))
    try:
        return named_by_sizes(name, step.sizes)
    except ShapeError:
        message = f"the name {template} has a letter that is no stack's around {step.node.id}, and no size"
        raise UpstreamError(message) from None
