"""The forward pass in NumPy over the graph: each step calls its component's operator, and every value has a name.

The generator knows no model: what is computed is what the entries state, which is what makes agreement with upstream a
proof of the entries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from atlas.exceptions import ForwardError, OptionError, ShapeError, SizeError
from atlas.graph.options import options_of
from atlas.graph.structure import Graph, Value
from atlas.graph.unroll import Sizes, Step, Walk
from atlas.graph.weights import Weight, weight_key, weights
from atlas.operators.catalogue import find
from atlas.operators.contract import Array
from atlas.operators.registry import Operator


@dataclass(frozen=True, slots=True)
class Run:
    """What a forward pass computed."""

    values: Mapping[str, Array]
    """Every value by its key, such as `encoder[2].x_{n+1}`."""
    outputs: Mapping[str, Array]
    """The values that the model returns, by id."""
    trace: tuple[Traced, ...]
    """Every step in order."""


@dataclass(frozen=True, slots=True)
class Traced:
    """One step of a forward pass with the shapes that it met."""

    step: Step
    """The step."""
    reads: Mapping[str, tuple[int, ...]]
    """The shape of each value that it read, by key."""
    writes: Mapping[str, tuple[int, ...]]
    """The shape of each value that it wrote, by key."""


def forward(
    graph: Graph,
    sizes: Sizes,
    inputs: Mapping[str, Array],
    arrays: Mapping[str, Array],
    watch: Callable[[Traced], None] | None = None,
) -> Run:
    """Run the model on its inputs with these weights.

    Args:
        graph: The model.
        sizes: The value of every size symbol, those of the inputs included.
        inputs: An array for each input, by id.
        arrays: The weights by key, as `weights` lists them; those that are tied to another are left out.
        watch: Called after each step.

    Raises:
        ForwardError: a step cannot be taken.
        SizeError: the sizes do not fit the model.
        ShapeError: an input is missing or has another shape than the model says.
    """
    _check_inputs(graph, sizes, inputs)
    walk = Walk(graph, sizes)
    values: dict[str, Array] = dict(inputs)
    trace: list[Traced] = []
    for step in walk.steps():
        operator = find(step.node.entry.data.operator)
        written = _taken(step, operator, values, arrays)
        values.update(written)
        reads = {key: values[key].shape for key in step.reads.values()}
        trace.append(Traced(step, reads, {key: array.shape for key, array in written.items()}))
        if watch is not None:
            watch(trace[-1])
    outputs = {value: values[key] for value, key in walk.output_keys().items()}
    return Run(values, outputs, tuple(trace))


def run_randomly(
    graph: Graph, sizes: Sizes, seed: int, dtype: str, watch: Callable[[Traced], None] | None = None
) -> Run:
    """Run the model with random weights on random inputs, in a floating-point type; one seed gives one run.

    Overflow is let through: whoever looks at the values is told of numbers that are not finite.

    Raises:
        ForwardError: a step cannot be taken.
        SizeError: the sizes do not fit the model.
    """
    rng = np.random.default_rng(seed)
    inputs = random_inputs(graph, sizes, rng, dtype)
    arrays = random_weights(graph, sizes, rng, dtype)
    with np.errstate(over="ignore", under="ignore"):
        return forward(graph, sizes, inputs, arrays, watch)


def random_weights(graph: Graph, sizes: Sizes, rng: np.random.Generator, dtype: str = "float64") -> dict[str, Array]:
    """Random numbers for every weight, gains, biases and buffers included; positive ones where the entry says so.

    Whoever does not know that the sizes are small asks `memory.needed` first.

    Raises:
        SizeError: a size is missing or gives no length.
    """
    listed = weights(graph, sizes)
    return {weight.key: drawn(weight, rng).astype(dtype) for weight in listed if weight.tied is None}


def drawn(weight: Weight, rng: np.random.Generator) -> Array:
    """Random numbers for a weight, in float64: matrices keep the scale of what they are applied to."""
    symbol = weight.node.entry.data.symbols[weight.symbol]
    fan_in = weight.count / max(weight.shape) if len(weight.shape) > 1 else 4.0
    values = np.asarray(rng.normal(size=weight.shape) / np.sqrt(max(fan_in, 1.0)))
    if symbol.values == "positive":
        values = np.abs(values) + 0.5
    elif len(weight.shape) == 1:
        values = values + 1.0
    return values


def random_inputs(graph: Graph, sizes: Sizes, rng: np.random.Generator, dtype: str = "float64") -> dict[str, Array]:
    """Random arrays for the model's inputs.

    Raises:
        SizeError: a size of an input is missing.
    """
    found: dict[str, Array] = {}
    for name in graph.inputs:
        value = graph.values[name]
        shape = _shape(value, sizes)
        if value.ids is None:
            found[name] = rng.normal(size=shape).astype(dtype)
        else:
            limit = value.ids.value(sizes.numbers)
            found[name] = rng.integers(1 if limit > 1 else 0, limit, size=shape)  # 0 stands for padding in some models
    return found


def _check_inputs(graph: Graph, sizes: Sizes, inputs: Mapping[str, Array]) -> None:
    for name in graph.inputs:
        if name not in inputs:
            raise ShapeError(f"the input {name} is missing; the model takes {', '.join(graph.inputs)}")
        expected = _shape(graph.values[name], sizes)
        if inputs[name].shape != expected:
            raise ShapeError(f"the input {name} has the shape {inputs[name].shape}, the model says {expected}")


def _shape(value: Value, sizes: Sizes) -> tuple[int, ...]:
    return tuple(axis.value(sizes.numbers) for axis in value.axes)


def _taken(
    step: Step, operator: Operator, values: Mapping[str, Array], arrays: Mapping[str, Array]
) -> dict[str, Array]:
    """What a step's operator gives, by the values' keys."""
    entry = step.node.entry
    given: dict[str, Array] = {}
    for name, symbol in entry.data.symbols.items():
        if symbol.binds is None:
            continue
        if name in step.reads:
            given[symbol.binds] = values[step.reads[name]]
        elif symbol.parameter is not None or symbol.buffer is not None:
            given[symbol.binds] = _weight(step, name, arrays)
    try:
        result = operator(**given, **options_of(step, operator))
    except (ShapeError, OptionError, SizeError) as error:
        raise ForwardError(f"{step.key}: {error}") from error
    names = [output.name for output in operator.contract.outputs]
    results = dict(zip(names, (result,) if len(names) == 1 else tuple(result), strict=True))
    written = {step.writes[port.symbol]: results[port.argument] for port in step.node.gives}
    _check_written(step, written)
    return written


def _weight(step: Step, symbol: str, arrays: Mapping[str, Array]) -> Array:
    tied = step.node.tied.get(symbol)
    key = f"{tied[0]}.{tied[1]}" if tied is not None else weight_key(step.node, step.weights, symbol)
    if key not in arrays:
        raise ForwardError(f"{step.key}: there is no weight {key}")
    return arrays[key]


def _check_written(step: Step, written: Mapping[str, Array]) -> None:
    """What leaves has the shape that the entry declares."""
    for symbol, key in step.writes.items():
        expected = step.shape(symbol)
        if written[key].shape != expected:
            raise ForwardError(f"{step.key}: {symbol} has the shape {written[key].shape}, its axes say {expected}")
