"""Recurrences: names that are defined by earlier steps of themselves or each other, evaluated step by step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from atlas.exceptions import FormulaError
from atlas.formula import definitions, ranges
from atlas.formula.machine import Bound, Machine
from atlas.formula.span import Span
from atlas.formula.symbols import Symbol
from atlas.formula.tensor import Tensor, aligned, scalar, union
from atlas.formula.tree import Definition, IndexName


def unrolled(machine: Machine, name: str) -> Tensor:
    """All steps of a recurrence, along the axis of its step."""
    found = machine.plan.mains[name][0]
    values, axis = _steps(machine, name)
    steps = [at_step(machine, name, float(value) - machine.table.base, found.left_span) for value in values]
    if any(step.core != steps[0].core for step in steps):
        raise FormulaError("A236", f"the steps of `{name}` have different axes", found.span)
    free = union(*(step.free for step in steps))
    arrays = np.broadcast_arrays(*(aligned(step, free, step.core) for step in steps))
    place = _place(machine.table.symbols.get(name), axis, steps[0].core, machine.plan.steps[name])
    machine.algebra.budget.spend((len(arrays), *arrays[0].shape))
    core = (*steps[0].core[:place], axis, *steps[0].core[place:])
    return Tensor(np.stack(arrays, axis=len(free) + place), free, core)


def _place(symbol: Symbol | None, axis: str, rest: tuple[str, ...], preferred: int) -> int:
    """Where the axis of the step stands among the declared axes; first where nothing is declared."""
    if symbol is None:
        return 0
    places = [at for at, label in enumerate(symbol.core) if label == axis]
    fitting = [at for at in places if symbol.core[:at] + symbol.core[at + 1 :] == rest]
    return preferred if preferred in fitting else fitting[0] if fitting else 0


def _steps(machine: Machine, name: str) -> tuple[tuple[float, ...], str]:
    """The values that the step takes, and its axis."""
    if name not in machine.runs:
        machine.runs[name] = _run(machine, name)
    return machine.runs[name]


def _run(machine: Machine, name: str) -> tuple[tuple[float, ...], str]:
    """The steps as they are written, declared, or told by their uses in the whole cycle."""
    found = machine.plan.mains[name][0]
    place = machine.plan.steps[name]
    variable = found.indices[place]
    assert isinstance(variable, IndexName)  # noqa: S101 - the plan has checked it
    written = ranges.written(machine, variable.name)
    if written is None:
        symbol = machine.table.symbols.get(name)
        given = None
        if symbol is not None and symbol.core:
            given = [symbol.core[place]] if len(found.indices) == len(symbol.core) else symbol.core
        sides = [value for member in machine.plan.cycles[name] for value in machine.plan.mains[member][0].values]
        axis = ranges.inferred(machine, variable.name, sides, {}, found.left_span, strict=False, given=given)
        written = ranges.over_axis(machine, variable.name, axis)
    if written.axis is None:
        hint = f"let it begin at {machine.table.base}"
        raise FormulaError("A226", f"the steps of `{name}` do not run over a whole axis", found.left_span, hint)
    return tuple(float(value) for value in written.tensor.data), written.axis


def at_step(machine: Machine, name: str, place: float, span: Span) -> Tensor:
    """The value of a recurrence at one step, which is counted from 0 here."""
    found = machine.plan.mains[name][0]
    if not np.isfinite(place):
        raise machine.out_of_range() if machine.stray else FormulaError("A228", "a step without end", span)
    step = int(place) + machine.table.base
    key = (name, step)
    if key in machine.memo:
        return machine.memo[key]
    if key in machine.busy:
        hint = "a recurrence reads earlier steps only, as in `h_{t-1}`"
        raise FormulaError("A238", f"`{name}` at step {step} depends on itself", span, hint)
    values, axis = _steps(machine, name)
    if step > values[-1]:
        hint = "a recurrence reads earlier steps only, as in `h_{t-1}`"
        raise FormulaError("A238", f"`{name}` is needed at step {step}, after its last", span, hint)
    start = start_value(machine, name, step)
    if start is not None:
        machine.memo[key] = start
    elif step < machine.table.base:
        shown = f"{name}_{step}" if step >= 0 else f"{name}_{{{step}}}"
        hint = f"add `{shown}=0`, or declare `{shown}`"
        raise FormulaError("A239", f"the start value `{shown}` is missing", span, hint)
    else:
        machine.busy.add(key)
        try:
            machine.memo[key] = _one(machine, found, name, step, axis)
        finally:
            machine.busy.discard(key)
    return machine.memo[key]


def _one(machine: Machine, found: Definition, name: str, step: int, axis: str) -> Tensor:
    place = machine.plan.steps[name]
    variable = found.indices[place]
    assert isinstance(variable, IndexName)  # noqa: S101 - the plan has checked it
    scope = {variable.name: Bound(scalar(step), axis)}
    if len(found.indices) == 1:
        return definitions.sides(machine, found, scope)
    symbol = _without_step(machine, name, axis)
    others = tuple(index for at, index in enumerate(found.indices) if at != place)
    inner = replace(found, parameters=(), indices=others, start=None)
    return definitions.indexed(machine, inner, symbol, scope)


def _without_step(machine: Machine, name: str, axis: str) -> Symbol | None:
    """The declaration of one step: without the axis of the steps."""
    symbol = machine.table.symbols.get(name)
    if symbol is None or axis not in symbol.core:
        return None
    place = machine.plan.steps[name]
    if len(machine.plan.mains[name][0].indices) != len(symbol.core) or symbol.core[place] != axis:
        place = symbol.core.index(axis)
    core = symbol.core[:place] + symbol.core[place + 1 :]
    return Symbol(name, symbol.spelled, (*symbol.batch, *core), symbol.batch, core, symbol.kind)


def start_value(machine: Machine, name: str, step: int) -> Tensor | None:
    """The value before the first step: an equation `h_0 = ...`, or a declared or defined `h_0`."""
    key = ("start of " + name, step)
    if key in machine.memo:
        return machine.memo[key]
    equation = machine.plan.starts.get(name, {}).get(step)
    own = f"{name}_{step}" if step >= 0 else f"{name}_{{{step}}}"
    if equation is not None:
        if name in machine.busy and key in machine.busy:
            raise FormulaError("A237", f"the start value of `{name}` is defined by itself", equation.left_span)
        value = definitions.sides(machine, equation, {})
        if not value.core:
            value = _widened(machine, name, value, equation)
    elif own in machine.setting.values or own in machine.plan.mains:
        value = machine.named(own, Span(0, 1))
    else:
        return None
    machine.memo[key] = value
    return value


def _widened(machine: Machine, name: str, value: Tensor, equation: Definition) -> Tensor:
    """A scalar start value over all axes of a state, which must be declared."""
    symbol = machine.table.symbols.get(name)
    if symbol is None:
        hint = f"declare the axes of `{name}`"
        raise FormulaError(
            "A243", f"the axes of the state `{name}` do not follow from its start value", equation.left_span, hint
        )
    if name not in machine.plan.cycles:
        return value
    declared = _without_step(machine, name, _steps(machine, name)[1])
    core = declared.core if declared is not None else ()
    lengths = tuple(machine.length(axis) for axis in core)
    machine.algebra.budget.spend(lengths)
    data = value.data.reshape(value.data.shape + (1,) * len(core))
    return Tensor(np.broadcast_to(data, value.data.shape + lengths), value.free, core)
