r"""Applications: of built-in functions, of those that the formula defines, and of declared ones that may be any.

A declared function is given as an input; a random one serves, as the formula must hold for any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from atlas.exceptions import FormulaError
from atlas.formula import definitions, ranges
from atlas.formula.functions import ALONG_AXIS, CONCAT, DIAGONAL, ELEMENTWISE, EXTREMES, SLOW, TOP
from atlas.formula.machine import MAX_NESTED, Applied, Bound, Function, Locals, Machine
from atlas.formula.tensor import Array, Misfit, Tensor, aligned, union
from atlas.formula.tree import Call, Definition, IndexName
from atlas.formula.tree import Sequence as Run
from atlas.sizes import Size

SLOW_COST = 16
"""What a number costs that is computed by a function without vector instructions."""


def call(machine: Machine, node: Call, scope: Locals) -> Tensor:
    """The rule for an application."""
    name = node.function
    if name in machine.plan.mains:
        return _defined(machine, node, scope)
    if name in machine.setting.functions:
        return _declared(machine, node, scope)
    name = machine.table.aliases.get(name, name)
    if name == CONCAT:
        return _concat(machine, node, scope)
    if any(isinstance(argument, Run) for argument in node.arguments):
        raise FormulaError("A242", f"dots in the arguments of `{node.function}`", node.span, "only Concat takes dots")
    arguments = [machine.value(argument, scope) for argument in node.arguments]
    if name in ALONG_AXIS:
        return _along(machine, name, node, arguments, scope)
    if node.subscripts:
        raise FormulaError("A229", f"`{node.function}` takes no subscript", node.subscripts[0].span)
    if name in ELEMENTWISE:
        _count(node, 1)
        cost = SLOW_COST if name in SLOW else 2
        return machine.algebra.each(ELEMENTWISE[name], arguments[0], verb=f"apply {name} to", cost=cost)
    if name in EXTREMES:
        return _extreme(machine, name, node, arguments)
    if name == TOP:
        return _top(machine, node, arguments)
    assert name == DIAGONAL  # noqa: S101 - the parser reads no other name as a function
    return _diagonal(machine, node, arguments)


def _count(node: Call, number: int) -> None:
    if len(node.arguments) != number:
        expected = f"{number} argument{'s' * (number > 1)}"
        raise FormulaError("A229", f"`{node.function}` takes {expected}, not {len(node.arguments)}", node.span)


def _along(machine: Machine, name: str, node: Call, arguments: Sequence[Tensor], scope: Locals) -> Tensor:
    """Softmax and its like: over the last axis, or over the index that its subscript names."""
    _count(node, 1)
    argument = arguments[0]
    if argument.data.dtype == np.bool_:
        raise Misfit("A232", f"{name} of a set")
    machine.algebra.budget.spend(argument.data.shape, 4)
    if not node.subscripts:
        if not argument.core:
            hint = "name the index that it acts on, as in `softmax_j`"
            raise Misfit("A231", f"`{node.function}` needs an axis, but its argument is a scalar for each place", hint)
        return Tensor(ALONG_AXIS[name](argument.data, -1), argument.free, argument.core, argument.row)
    index = node.subscripts[0]
    key = scope[index.name].tensor.free[:1] if isinstance(index, IndexName) and index.name in scope else ()
    if len(node.subscripts) != 1 or not key or key[0] not in argument.free:
        message = f"the subscript of `{node.function}` must be an index of its argument"
        raise FormulaError("A229", message, index.span)
    place = argument.free.index(key[0])
    return Tensor(ALONG_AXIS[name](argument.data, place), argument.free, argument.core, argument.row)


def _extreme(machine: Machine, name: str, node: Call, arguments: Sequence[Tensor]) -> Tensor:
    if len(arguments) < 2:
        hint = f"or an index, as in `{name}_j`"
        raise FormulaError("A229", f"`{node.function}` needs two arguments", node.span, hint)
    total = arguments[0]
    for argument in arguments[1:]:
        total = machine.algebra.pair(EXTREMES[name], total, argument, verb="compare")
    return total


def _top(machine: Machine, node: Call, arguments: Sequence[Tensor]) -> Tensor:
    """The set of the k largest along the last axis."""
    _count(node, 2)
    scores, number = (machine.settled(argument) for argument in arguments)
    if scores.data.dtype == np.bool_ or number.data.dtype == np.bool_:
        raise Misfit("A232", "TopK of a set")
    if not scores.core:
        raise Misfit("A231", "TopK needs an axis, but its first argument is a scalar for each place")
    if scores.row:
        raise Misfit("A223", "TopK of a transposed vector", r"remove ^\top")
    if number.core or number.free:
        raise FormulaError("A229", "the second argument of TopK is one number", node.arguments[1].span)
    machine.algebra.budget.spend(scores.data.shape, 8)
    ranks = np.argsort(np.argsort(-scores.data, axis=-1, kind="stable"), axis=-1, kind="stable")
    return Tensor(ranks < number.data, scores.free, scores.core)


def _diagonal(machine: Machine, node: Call, arguments: Sequence[Tensor]) -> Tensor:
    _count(node, 1)
    vector = arguments[0]
    if len(vector.core) != 1 or vector.data.dtype == np.bool_:
        raise Misfit("A231", f"diag makes a matrix of a vector, not of {vector.shown}")
    length = vector.data.shape[-1]
    machine.algebra.budget.spend((*vector.data.shape, length))
    return Tensor(np.where(np.eye(length, dtype=bool), vector.data[..., None], 0.0), vector.free, vector.core * 2)


def _defined(machine: Machine, node: Call, scope: Locals) -> Tensor:
    """A function that the formula defines: its right side with parameters and indices bound."""
    found = machine.plan.mains[node.function][0]
    if not found.parameters:
        raise FormulaError("A229", f"`{node.function}` is a value, not a function", node.name_span)
    _count(node, len(found.parameters))
    if len(node.subscripts) != len(found.indices):
        message = f"`{node.function}` is defined with {len(found.indices)} subscripts, not {len(node.subscripts)}"
        raise FormulaError("A229", message, node.name_span)
    if node.function in machine.busy:
        raise FormulaError("A237", f"`{node.function}` is defined by itself", node.name_span)
    bound: dict[str, Bound] = {}
    for parameter, argument in zip(found.parameters, node.arguments, strict=True):
        if isinstance(argument, Run):
            raise FormulaError("A242", f"dots in the arguments of `{node.function}`", argument.span)
        bound[parameter] = Bound(machine.value(argument, scope))
    variables = found.variables
    for variable, index in zip(variables, node.subscripts, strict=True):
        value = ranges.whole(machine.value(index, scope))
        bound[variable] = Bound(value, ranges.axis_hint(index, scope))
    if variables or machine.plan.cycles:
        return _right_side(machine, node.function, found, bound)
    arguments = tuple([one.tensor for one in bound.values()])
    key: tuple[str | int, ...] = (node.function, *map(id, arguments))
    known = machine.applied.get(key)
    budget = machine.algebra.budget
    if known is not None and machine.nested + known.height <= MAX_NESTED and budget.can(known.work):
        budget.work += known.work  # as if it were computed again: what a formula may cost does not change
        machine.deepest = max(machine.deepest, machine.nested + known.height)
        return known.value
    before, machine.deepest = machine.deepest, machine.nested
    spent = budget.work
    try:
        value = _right_side(machine, node.function, found, bound)
        machine.applied[key] = Applied(arguments, value, budget.work - spent, machine.deepest - machine.nested)
    finally:
        machine.deepest = max(before, machine.deepest)
    return value


def _right_side(machine: Machine, name: str, found: Definition, bound: Mapping[str, Bound]) -> Tensor:
    machine.busy.add(name)
    try:
        return definitions.sides(machine, found, bound)
    finally:
        machine.busy.discard(name)


def _declared(machine: Machine, node: Call, scope: Locals) -> Tensor:
    """A declared function, or a member of a declared family, applied to an array of the declared axes."""
    name = node.function
    symbol, function = machine.table.symbols[name], machine.setting.functions[name]
    _count(node, 1)
    argument = machine.value(node.arguments[0], scope)
    if argument.core != symbol.core or argument.row or argument.data.dtype == np.bool_:
        message = f"`{name}` is declared for {symbol.shown}, but is applied to {argument.shown}"
        raise FormulaError("A230", message, node.span)
    if len(node.subscripts) != (symbol.family is not None):
        needs = "needs the index of a member" if symbol.family is not None else "takes no subscript"
        raise FormulaError("A229", f"`{name}` {needs}", node.name_span)
    lead = argument.data.shape[: len(argument.free)]
    shape = (*lead, *(machine.length(axis) for axis in symbol.to))
    if symbol.family is None:
        return Tensor(_applied(machine, function, (argument.data,), shape), argument.free, symbol.to)
    index = ranges.whole(machine.value(node.subscripts[0], scope))
    if index.core:
        raise FormulaError("A228", f"a subscript is {index.shown}, not a whole number", node.subscripts[0].span)
    members = machine.length(symbol.family)
    machine.algebra.budget.spend((members, *shape))
    values = [_applied(machine, function, (member, argument.data), shape) for member in range(members)]
    family = Tensor(np.stack(values, axis=len(lead)), argument.free, (symbol.family, *symbol.to))
    return machine.read(family, {0: Tensor(index.data - machine.table.base, index.free)}, name, node.name_span)


def _applied(machine: Machine, function: Function, arguments: tuple[object, ...], shape: tuple[int, ...]) -> Array:
    machine.algebra.budget.spend(shape, 8)
    found = np.asarray(function(*arguments), dtype=np.float64)
    if found.shape != shape:
        raise Misfit("A249", f"the given function returns an array of shape {found.shape} instead of {shape}")
    return found


def _concat(machine: Machine, node: Call, scope: Locals) -> Tensor:
    """Arguments joined along their last axis; a sequence is all of them at once."""
    if node.subscripts:
        raise FormulaError("A229", f"`{node.function}` takes no subscript", node.subscripts[0].span)
    first = node.arguments[0]
    if isinstance(first, Run):
        return _joined(machine, first, scope)
    parts = [machine.value(argument, scope) for argument in node.arguments]
    if any(not part.core or part.core[:-1] != parts[0].core[:-1] or part.data.dtype == np.bool_ for part in parts):
        shown = " and ".join(part.shown for part in parts)
        raise Misfit("A221", f"Concat joins the last axis, and the others must agree, not {shown}")
    free = union(*(part.free for part in parts))
    arrays = [aligned(part, free, part.core) for part in parts]
    lead = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
    machine.algebra.budget.spend((*lead, sum(array.shape[-1] for array in arrays)))
    data = np.concatenate([np.broadcast_to(array, (*lead, array.shape[-1])) for array in arrays], axis=-1)
    total = machine.table.axes.size(parts[0].core[-1])
    for part in parts[1:]:
        total = total + machine.table.axes.size(part.core[-1])
    return Tensor(data, free, (*parts[0].core[:-1], _label(machine, total)), all(part.row for part in parts))


def _joined(machine: Machine, run: Run, scope: Locals) -> Tensor:
    ends = [float(ranges.bound_value(machine, end, scope).data) for end in (run.first, run.last)]
    index = ranges.between(machine, run.index, (run.first, run.last), (ends[0], ends[1]))
    if index.axis is None:
        hint = "write the first and the last index of an axis"
        raise FormulaError("A242", "the dots do not run over a whole axis", run.span, hint)
    value = machine.value(run.template, {**scope, run.index: index})
    key = index.tensor.free[0]
    if not value.core or value.row or value.data.dtype == np.bool_:
        raise Misfit("A221", f"Concat joins vectors or matrices, not {value.shown}")
    rest = tuple(name for name in value.free if name != key)
    data = np.moveaxis(aligned(value, (key, *rest), value.core), 0, -2)
    data = np.broadcast_to(data, (*data.shape[:-2], index.tensor.data.size, data.shape[-1]))
    machine.algebra.budget.spend(data.shape)
    total = machine.table.axes.size(index.axis) * machine.table.axes.size(value.core[-1])
    joined = data.reshape((*data.shape[:-2], -1))
    return Tensor(joined, rest, (*value.core[:-1], _label(machine, total)))


def _label(machine: Machine, total: Size) -> str:
    return machine.table.axes.label(total)
