"""Definitions: the value of a name from its equations, whole, over its indices, or piece by piece."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from atlas.exceptions import FormulaError
from atlas.formula import indexing, ranges
from atlas.formula.machine import Bound, Locals, Machine
from atlas.formula.symbols import Symbol
from atlas.formula.tensor import Array, Misfit, Tensor, aligned, expanded
from atlas.formula.tree import Definition, IndexName

CLOSE = 1e-9
"""How far the sides of `a = b = c` may differ, relative to the largest value."""


def materialize(machine: Machine, name: str) -> Tensor:
    """The value of a name that the formula defines."""
    equations = machine.plan.mains[name]
    first = equations[0]
    symbol = machine.table.symbols.get(name)
    try:
        if first.parameters:
            return _applied_to_inputs(machine, first, symbol)
        if name in machine.plan.cycles:
            return fitted(machine, machine.unrolled(name), symbol, first)
        if not first.indices:
            return fitted(machine, sides(machine, first, {}), symbol, first)
        if len(equations) == 1 and _over_whole_axes(machine, first):
            return fitted(machine, indexed(machine, first, symbol, {}), symbol, first)
        return _pieces(machine, equations, symbol)
    except Misfit as misfit:
        raise FormulaError(misfit.code, misfit.message, first.span, misfit.hint) from None


def _over_whole_axes(machine: Machine, found: Definition) -> bool:
    """Whether each index is a letter of its own, which runs over all of an axis."""
    letters = [index.name for index in found.indices if isinstance(index, IndexName)]
    if len(set(letters)) != len(found.indices):
        return False
    written = [ranges.written(machine, letter) for letter in letters]
    return all(bound is None or bound.axis is not None for bound in written)


def _applied_to_inputs(machine: Machine, found: Definition, symbol: Symbol | None) -> Tensor:
    """`y(x) = ...` with y declared as a value: the function at the declared inputs that its parameters name."""
    bound = {parameter: Bound(machine.named(parameter, found.left_span)) for parameter in found.parameters}
    return fitted(machine, sides(machine, found, bound), symbol, found)


def sides(machine: Machine, found: Definition, scope: Locals) -> Tensor:
    """The value of the right side; further sides of `a = b = c` must be equal to it."""
    value = machine.value(found.values[0], scope)
    if value.row:
        raise FormulaError("A223", "the right side is a transposed vector", found.values[0].span, r"remove ^\top")
    for other in found.values[1:]:
        second = machine.value(other, scope)
        try:
            same = machine.algebra.pair(_close, value, second, verb="equate")
        except Misfit as misfit:
            raise FormulaError(misfit.code, misfit.message, other.span, misfit.hint) from None
        if value.core != second.core or not same.data.all():
            raise FormulaError("A240", "this side is not equal to the one before it", other.span)
    return machine.algebra.each(np.sqrt, value, verb="take the root of") if found.squared else value


def _close(one: Array, other: Array) -> Array:
    finite = np.abs(np.where(np.isfinite(one), one, 0))
    return np.isclose(one, other, rtol=CLOSE, atol=CLOSE * finite.max(initial=0), equal_nan=True)


def fitted(machine: Machine, value: Tensor, symbol: Symbol | None, found: Definition) -> Tensor:
    """The value of a declared name, which must have the declared axes; batch axes may be missing."""
    if symbol is None:
        return value
    extra = [axis for axis in value.free if axis not in symbol.batch]
    if value.core != symbol.core or extra:
        gives = f"[{','.join((*value.free, *value.core))}]"
        raise FormulaError(
            "A236", f"`{symbol.name}` is declared {symbol.shown}, but the formula gives {gives}", found.span
        )
    return value


def indexed(machine: Machine, found: Definition, symbol: Symbol | None, scope: Locals) -> Tensor:
    """`y_{i,j} = ...`: the right side over all values of the indices, which become axes."""
    bound = bound_indices(machine, found, symbol, scope)
    return as_axes(machine, sides(machine, found, {**scope, **bound}), found, bound, symbol)


def bound_indices(
    machine: Machine, found: Definition, symbol: Symbol | None, scope: Locals, skip: int | None = None
) -> dict[str, Bound]:
    """The index variables of a left side over their ranges; the step of a recurrence is skipped."""
    core = symbol.core if symbol is not None else None
    if core is not None and len(found.indices) > len(core):
        indexing.assign(machine, core, found.indices, scope, found.name, found.left_span)
    bound: dict[str, Bound] = {}
    for place, index in enumerate(found.indices):
        if place == skip or not isinstance(index, IndexName):
            continue
        written = ranges.written(machine, index.name)
        if written is None:
            given: Sequence[str] | None = None
            if core is not None:
                given = [core[place]] if len(found.indices) == len(core) else core
            inner = {**scope, **bound}
            axis = ranges.inferred(machine, index.name, found.values, inner, found.left_span, strict=False, given=given)
            written = ranges.over_axis(machine, index.name, axis)
        bound[index.name] = written
    return bound


def as_axes(
    machine: Machine, value: Tensor, found: Definition, bound: dict[str, Bound], symbol: Symbol | None
) -> Tensor:
    """A value with the free axes of index variables turned into core axes, in the order of the left side."""
    keys = tuple(variable.tensor.free[0] for variable in bound.values())
    lengths = tuple(variable.tensor.data.size for variable in bound.values())
    labels: list[str] = []
    for place, variable in enumerate(bound.values()):
        axis = variable.axis
        if axis is None and symbol is not None and len(bound) == len(symbol.core):
            axis = symbol.core[place]
        if axis is None:
            hint = f"declare the axes of `{found.name}`"
            raise FormulaError(
                "A243", f"the axes of `{found.name}` do not follow from its range", found.left_span, hint
            )
        labels.append(axis)
    if 0 in lengths:
        empty = list(bound)[lengths.index(0)]
        raise FormulaError("A241", f"the range of `{empty}` is empty", found.left_span)
    rest = tuple(name for name in value.free if name not in keys)
    data = expanded(value, rest, keys, lengths)
    machine.algebra.budget.spend(data.shape)
    core = (*labels, *value.core)
    if (
        symbol is not None
        and core != symbol.core
        and sorted(core) == sorted(symbol.core)
        and len(set(core)) == len(core)
    ):
        order = [len(rest) + core.index(axis) for axis in symbol.core]
        data, core = data.transpose([*range(len(rest)), *order]), symbol.core
    return Tensor(data, rest, core)


def _pieces(machine: Machine, equations: Sequence[Definition], symbol: Symbol | None) -> Tensor:
    """`y_{2i} = ...`, `y_{2i+1} = ...`: pieces that together fill the declared axes, each place once."""
    first = equations[0]
    if symbol is None:
        hint = f"declare the axes of `{first.name}`"
        raise FormulaError("A243", f"`{first.name}` is defined piece by piece", first.left_span, hint)
    shape = [machine.length(axis) for axis in (*symbol.batch, *symbol.core)]
    machine.algebra.budget.spend(shape)
    total, count = np.full(shape, np.nan), np.zeros(shape, dtype=np.int64)
    for found in equations:
        _fill(machine, found, symbol, total, count)
    if (count != 1).any():
        what = "leave gaps" if (count == 0).any() else "overlap"
        raise FormulaError("A235", f"the pieces of `{first.name}` {what}", first.left_span)
    return Tensor(total, symbol.batch, symbol.core)


def _fill(machine: Machine, found: Definition, symbol: Symbol, total: Array, count: Array) -> None:
    core = symbol.core
    bound = _piece_indices(machine, found, symbol)
    where = indexing.assign(machine, core, found.indices, bound, found.name, found.left_span)
    value = sides(machine, found, bound)
    rest = [axis for axis in range(len(core)) if axis not in where]
    if value.core != tuple(core[axis] for axis in rest):
        left = f"[{','.join(core[axis] for axis in rest)}]" if rest else "a scalar"
        message = f"the right side is {value.shown}, but `{found.name}` leaves {left}"
        raise FormulaError("A236", message, found.span)
    keys = tuple(variable.tensor.free[0] for variable in bound.values())
    lengths = tuple(variable.tensor.data.size for variable in bound.values())
    machine.algebra.budget.spend(
        (*(machine.length(axis) for axis in symbol.batch), *lengths, *value.data.shape[len(value.free) :])
    )
    extra = [name for name in value.free if name not in symbol.batch and name not in keys]
    if extra:
        raise FormulaError("A236", f"the right side has the axis {extra[0]}, which is not declared", found.span)
    data = expanded(value, symbol.batch, keys, lengths)
    full = (*(machine.length(axis) for axis in symbol.batch), *data.shape[len(symbol.batch) :])
    data = np.broadcast_to(data, full)
    places: list[Array] = []
    for at in range(len(symbol.batch) + len(core)):
        axis = at - len(symbol.batch)
        if axis in where:
            index = ranges.whole(machine.value(found.indices[where[axis]], bound))
            place = aligned(index, (*symbol.batch, *keys), ()).astype(np.float64) - machine.table.base
            if (place < 0).any() or (place >= total.shape[at]).any():
                first, last = machine.table.base, machine.last_of(core[axis])
                message = f"an index on the left side is outside its axis, which goes from {first} to {last}"
                hint = f"let `{found.name}` be defined from {first} to {last}, and index the right side accordingly"
                raise FormulaError("A227", message, found.left_span, hint)
            places.append(place.reshape(place.shape + (1,) * len(rest)).astype(np.intp))
        else:
            along = at if axis < 0 else len(symbol.batch) + len(keys) + rest.index(axis)
            places.append(np.arange(total.shape[at]).reshape([-1 if i == along else 1 for i in range(data.ndim)]))
    total[tuple(places)] = data
    np.add.at(count, tuple(places), 1)


def _piece_indices(machine: Machine, found: Definition, symbol: Symbol) -> dict[str, Bound]:
    """The index variables of a piece: over a written range, or over the axis at which they stand alone."""
    core = symbol.core
    bound: dict[str, Bound] = {}
    for variable in found.variables:
        written = ranges.written(machine, variable)
        if written is None:
            bare = [
                at for at, node in enumerate(found.indices) if isinstance(node, IndexName) and node.name == variable
            ]
            if not bare or len(found.indices) != len(core):
                hint = f"add `,\\quad {variable}={machine.table.base},\\dots,...`"
                raise FormulaError("A226", f"`{variable}` has no range", found.left_span, hint)
            written = ranges.over_axis(machine, variable, core[bare[0]])
        bound[variable] = written
    return bound
