r"""Values at indices: which axis each subscript reads, and the read itself.

With all axes given, subscripts are positional. With fewer, a bare index takes the axis that it ranges over, and a
compound one (`\lfloor i/g\rfloor`, `t_i`) the leftmost that is free.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from atlas.exceptions import FormulaError
from atlas.formula.machine import Locals, Machine
from atlas.formula.ranges import axis_hint, whole
from atlas.formula.span import Span
from atlas.formula.tensor import Misfit, Tensor, aligned
from atlas.formula.tree import IndexName, Name, Node, Subscript


def subscript(machine: Machine, node: Subscript, scope: Locals) -> Tensor:
    """The rule for a value at indices."""
    name = node.base.name if isinstance(node.base, Name) else ""
    local = name in scope
    index = node.indices[0]
    run = scope.get(index.name) if isinstance(index, IndexName) and len(node.indices) == 1 else None
    if run is not None and run.first is not None and run.first >= machine.table.base:
        return _along(machine, node, index, run.first - machine.table.base, scope)
    indices = list(node.indices)
    at = [_index(machine, index, scope) for index in indices]
    if not local and name in machine.plan.cycles:
        step = machine.plan.steps[name]
        if step < len(at) and not at[step].free:
            base = machine.at_step(name, float(at[step].data), node.span)
            del at[step], indices[step]
            return _read(machine, base, indices, at, scope, node) if at else base
    base = _base(machine, node, scope)
    if name and not local:
        base, at = _with_start(machine, base, indices, at, scope, node)
    return _read(machine, base, indices, at, scope, node)


def _base(machine: Machine, node: Subscript, scope: Locals) -> Tensor:
    """What is read."""
    base = machine.value(node.base, scope)
    if base.row:
        raise Misfit("A223", "a subscript of a transposed vector", r"remove ^\top, or put it after the subscript")
    if base.data.dtype == np.bool_:
        raise Misfit("A232", "a subscript of a set", r"sum over its members with `\in`")
    return base


def _along(machine: Machine, node: Subscript, index: Node, first: int, scope: Locals) -> Tensor:
    """A value at all values of one index variable, which are whole numbers one after the other, none before the first.

    So it is no single step of a recurrence, and no start value is read.
    """
    values = machine.value(index, scope)
    base = _base(machine, node, scope)
    name = _called(node)
    (axis,) = assign(machine, base.core, node.indices, scope, name, node.span)
    found = machine.algebra.read_run(base, values.free[0], first, values.data.size) if axis == 0 else None
    if found is not None:
        return found
    return machine.read(base, {axis: Tensor(values.data - machine.table.base, values.free)}, name, node.span)


def _index(machine: Machine, node: Node, scope: Locals) -> Tensor:
    found = machine.value(node, scope)
    if found.core:
        hint = "index it, or declare its axis as a batch axis"
        raise FormulaError("A228", f"a subscript is {found.shown}, not a whole number for each place", node.span, hint)
    if isinstance(node, IndexName):  # its values are whole numbers by themselves
        return Tensor(found.data - machine.table.base, found.free)
    try:
        found = whole(found)
    except Misfit:
        raise FormulaError("A228", "a subscript is not a whole number", node.span) from None
    return Tensor(found.data - machine.table.base, found.free)


def _read(
    machine: Machine, base: Tensor, indices: Sequence[Node], at: Sequence[Tensor], scope: Locals, node: Subscript
) -> Tensor:
    name = _called(node)
    where = assign(machine, base.core, indices, scope, name, node.span)
    return machine.read(base, {axis: at[place] for axis, place in where.items()}, name, node.span)


def _called(node: Subscript) -> str:
    """What a message calls that which is read."""
    return node.base.name if isinstance(node.base, Name) else "this expression"


def _with_start(
    machine: Machine, base: Tensor, indices: Sequence[Node], at: list[Tensor], scope: Locals, node: Subscript
) -> tuple[Tensor, list[Tensor]]:
    """The value with its start value put before the first along the axis that is read one step before it."""
    assert isinstance(node.base, Name)  # noqa: S101 - the caller has checked it
    name, first = node.base.name, machine.table.base
    if not any((index.data < 0).any() for index in at):
        return base, at
    start = machine.start_value(name, first - 1)
    if start is None:
        return base, at
    where = assign(machine, base.core, indices, scope, name, node.span)
    axis = next(axis for axis, place in sorted(where.items()) if (at[place].data < 0).any())
    rest = base.core[:axis] + base.core[axis + 1 :]
    if start.core not in ((), rest):
        message = f"the start value of `{name}` is {start.shown}, but a step of it is [{','.join(rest)}]"
        raise FormulaError("A236", message, node.span)
    free = tuple(dict.fromkeys((*base.free, *start.free)))
    place = len(free) + axis
    before = np.expand_dims(aligned(start, free, rest), place)
    data = aligned(base, free, base.core)
    shape = list(np.broadcast_shapes(before.shape, (*data.shape[:place], 1, *data.shape[place + 1 :])))
    before = np.broadcast_to(before, shape)
    shape[place] = data.shape[place]
    data = np.concatenate([before, np.broadcast_to(data, shape)], axis=place)
    moved = [Tensor(index.data + 1, index.free) if where[axis] == i else index for i, index in enumerate(at)]
    return Tensor(data, free, base.core), moved


def assign(
    machine: Machine, core: Sequence[str], indices: Sequence[Node], scope: Locals, name: str, span: Span
) -> dict[int, int]:
    """Which axis each subscript reads: position of the axis → position of the subscript.

    Raises:
        FormulaError: there are too many subscripts, or they fit no axis, or stand in another order than the axes.
    """
    if len(indices) > len(core):
        message = f"`{name}` has {_shown(core)}, but {len(indices)} subscript{'s' * (len(indices) > 1)}"
        raise FormulaError("A224", message, span)
    where: dict[int, int] = {}
    for place, node in enumerate(indices):
        axis = axis_hint(node, scope)
        if len(indices) == len(core):
            if axis is not None and isinstance(node, IndexName) and not _fits(machine, axis, core[place]):
                message = (
                    f"the index `{node.name}` ranges over {axis}, but axis {place + 1} of `{name}` is {core[place]}"
                )
                raise FormulaError("A225", message, node.span)
            where[place] = place
            continue
        where[_free_axis(machine, core, where, node, axis, name)] = place
    if len(where) > 1 and list(where) != sorted(where):
        message = f"the subscripts of `{name}` stand in another order than its axes {_shown(core)}"
        raise FormulaError("A224", message, span)
    return where


def _shown(core: Sequence[str]) -> str:
    return f"[{','.join(core)}]" if core else "no axes"


def _free_axis(
    machine: Machine, core: Sequence[str], taken: dict[int, int], node: Node, axis: str | None, name: str
) -> int:
    open_axes = [at for at in range(len(core)) if at not in taken]
    if axis is None:
        return open_axes[0]
    same = [at for at in open_axes if core[at] == axis]
    if len(same) > 1:
        message = f"`{name}` has {len(same)} axes {axis}, so it is unclear which one is read"
        raise FormulaError("A222", message, node.span, "give all subscripts")
    if not same and isinstance(node, IndexName):
        same = [at for at in open_axes if _fits(machine, axis, core[at])]
        if len(same) != 1:
            message = f"the index `{node.name}` ranges over {axis}, but `{name}` is [{','.join(core)}]"
            raise FormulaError("A225", message, node.span)
    return same[0] if same else open_axes[0]


def _fits(machine: Machine, axis: str, other: str) -> bool:
    """Whether an index over one axis may read the other; a range of fixed length is judged by its numbers."""
    return machine.table.axes.within(axis, other) or machine.table.axes.size(axis).number is not None
