"""What a forward pass will hold in memory, from the sizes alone: so that one that cannot fit is refused beforehand.

Weights and values are counted exactly; what an operator needs while it runs is bounded from its contract, as an array
that is left out, such as a bias on attention scores, has the shape of what it would be added to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from atlas.exceptions import ShapeError, TooLargeError
from atlas.graph.accounting import multiply_accumulates
from atlas.graph.naming import values_of
from atlas.graph.options import options_of
from atlas.graph.structure import Graph
from atlas.graph.unroll import Sizes, Step
from atlas.graph.weights import weights_of
from atlas.operators.axes import NoSizeError, evaluate
from atlas.operators.catalogue import find
from atlas.operators.contract import Argument, Binding
from atlas.operators.registry import Operator

COPIES = 5
"""How many arrays of the size of its largest one an operator holds at once: scores, shifted, exponents, and so on."""

ID_BYTES = 8
"""The bytes of a whole number."""


@dataclass(frozen=True, slots=True)
class Memory:
    """The bytes that a forward pass holds at most."""

    weights: int
    """All weights and buffers, tied ones once, with what drawing the largest takes for a moment."""
    values: int
    """All values, as each can be asked for afterwards."""
    working: int
    """What the step that needs most holds while it runs."""
    step: str
    """That step."""

    @property
    def total(self) -> int:
        """All of them."""
        return self.weights + self.values + self.working


def gigabytes(count: int) -> str:
    """A number of bytes for people: `1.5 GB`."""
    return f"{count / 10**9:,.1f} GB"


def needed(graph: Graph, sizes: Sizes, dtype: str, limit: int) -> Memory:
    """The memory of a forward pass with random weights in this floating-point type, which is at most `limit` bytes.

    Raises:
        TooLargeError: it would be more.
        SizeError: a size is missing or gives no length.
        ShapeError: arrays do not fit an operator; the message names the component.
    """
    width = np.dtype(dtype).itemsize
    values = values_of(graph, sizes)
    held = [weight.count for weight in weights_of(values.steps) if weight.tied is None]
    drawn = 2 * np.dtype("float64").itemsize * max(held, default=0)
    ids = {name for name, value in graph.values.items() if value.ids is not None}
    numbers = sum(prod(shape) * (ID_BYTES if values.of[key] in ids else width) for key, shape in values.shapes.items())
    found = Memory(sum(held) * width + drawn, numbers, 0, "")
    if found.total <= limit:
        # Layers of equal sizes need equal memory, so each is looked at once.
        distinct = {(step.node.id, *sorted(step.sizes.items())): step for step in reversed(values.steps)}
        most = max(((_working(step, width), step.key) for step in distinct.values()), default=(0, ""))
        found = Memory(found.weights, found.values, *most)
    if found.total > limit:
        raise TooLargeError(_refusal(found, limit), found.total)
    return found


def _refusal(memory: Memory, limit: int) -> str:
    parts = [f"{gigabytes(memory.weights)} for weights", f"{gigabytes(memory.values)} for values"]
    if memory.working:
        parts.append(f"{gigabytes(memory.working)} while {memory.step} runs")
    return f"it would need {gigabytes(memory.total)} of memory ({', '.join(parts)}), but may have {gigabytes(limit)}"


def _working(step: Step, width: int) -> int:
    """The bytes that a step's operator holds beside what it reads and gives."""
    operator = find(step.node.entry.data.operator)
    width = max(width, np.dtype(operator.precision).itemsize)
    try:
        binding = _bound(step, operator)
    except ShapeError as error:
        raise ShapeError(f"{step.key}: {error}") from None
    shapes = [_shape(argument, binding) for argument in operator.contract.inputs]
    shapes += operator.contract.shapes(binding).values()
    widest = max(binding.sizes.values(), default=1)
    counts = [*map(prod, shapes), prod(binding.batch) * widest]
    if operator.kind == "convolution":  # every place's window is copied for the product with the kernel
        channels = step.shape(step.node.gives[0].symbol)[-3] if step.node.gives else 1
        counts.append(multiply_accumulates(step).value(step.sizes) // channels)
    return COPIES * width * max(counts)


def _bound(step: Step, operator: Operator) -> Binding:
    """The sizes of the operator's contract in this step, found with arrays that take no memory."""
    arrays: dict[str, Any] = {}
    kinds: Mapping[str, Argument] = {argument.name: argument for argument in operator.contract.inputs}
    for name, symbol in step.node.entry.data.symbols.items():
        if symbol.binds is not None and symbol.binds in kinds:
            zero = np.zeros((), "int64" if kinds[symbol.binds].integer else "float32")
            arrays[symbol.binds] = np.broadcast_to(zero, step.shape(name))
    options = operator.check_options(options_of(step, operator))
    sizes = {name: options[name] for name in operator.contract.sizes if options.get(name) is not None}
    return operator.contract.bind(arrays, sizes)


def _shape(argument: Argument, binding: Binding) -> tuple[int, ...]:
    """An argument's shape under a binding; that of one that is left out too, as far as its sizes are known."""
    try:
        axes = tuple(evaluate(axis, binding.sizes) for axis in argument.axes)
    except NoSizeError:
        return ()
    return argument.joined(axes, binding.batch)
