r"""What an index variable runs over: written beside the equations, given by bounds, or told by its uses.

A variable becomes an array of its values along a free axis of its own, so that everything is mapped over it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite

import numpy as np

from atlas.exceptions import FormulaError
from atlas.formula.machine import Bound, Locals, Machine
from atlas.formula.span import Span
from atlas.formula.tensor import Misfit, Tensor
from atlas.formula.tree import Call, IndexName, Name, Node, Number, SizeName, Subscript, Sum, walk


def over_axis(machine: Machine, variable: str, axis: str) -> Bound:
    """An index variable over all of an axis."""
    first = machine.table.base
    return counted(machine, variable, first, first + machine.length(axis) - 1, axis)


def counted(machine: Machine, variable: str, first: float, last: float, axis: str | None) -> Bound:
    """An index variable over the whole numbers from the first to the last, along a new free axis."""
    if not (isfinite(first) and isfinite(last)):
        raise Misfit("A241", "a range without end")
    start = int(first)
    length = max(int(last) - start + 1, 0)
    machine.algebra.budget.spend((length,))
    machine.bound += 1
    values = np.arange(start, start + length, dtype=np.float64)
    return Bound(Tensor(values, (f"{variable}@{machine.bound}",)), axis, start)


def whole(tensor: Tensor) -> Tensor:
    """A value that must be whole numbers; NaN, which was read out of range, passes.

    Raises:
        Misfit: it is not whole.
    """
    rounded = np.rint(tensor.data)
    if tensor.data.dtype == np.bool_ or (np.abs(rounded - tensor.data) > 1e-9).any():
        raise Misfit("A228", "a subscript or bound is not a whole number")
    return Tensor(rounded, tensor.free, tensor.core)


def written(machine: Machine, variable: str) -> Bound | None:
    """An index variable over the range that stands beside the equations, if there is one."""
    found = machine.setting.ranges.get(variable)
    if found is None:
        return None
    bounds = [bound_value(machine, node, {}) for node in (found.first, found.last)]
    if any(bound.free for bound in bounds):
        raise FormulaError("A241", "the bounds of a range are built from sizes", found.span)
    return between(machine, variable, (found.first, found.last), (float(bounds[0].data), float(bounds[1].data)))


def bound_value(machine: Machine, node: Node, scope: Locals) -> Tensor:
    """The value of a bound, which must be one whole number for each place."""
    found = machine.value(node, scope)
    if found.core:
        raise FormulaError("A241", f"a bound is {found.shown}, not a number", node.span)
    try:
        return whole(found)
    except Misfit:
        raise FormulaError("A241", "a bound is not a whole number", node.span) from None


def stated(machine: Machine, node: Node) -> float | None:
    """The value of a bound that is a whole number or a size as it stands, as most bounds are; else None."""
    if isinstance(node, SizeName):
        return float(machine.setting.sizes[node.name])
    return float(node.text) if isinstance(node, Number) and node.text.isdigit() else None


def between(machine: Machine, variable: str, nodes: tuple[Node, Node], ends: tuple[float, float]) -> Bound:
    """An index variable from one bound to another, both known; its axis is known where it begins at the base."""
    axis = machine.table.axes.span(*nodes) if ends[0] == machine.table.base else None
    return counted(machine, variable, *ends, axis)


def inferred(
    machine: Machine,
    variable: str,
    nodes: Iterable[Node],
    scope: Locals,
    span: Span,
    *,
    strict: bool,
    given: Sequence[str] | None = None,
) -> str:
    """The axis that an index variable ranges over, from its bare uses `x_j` in these expressions.

    Raises:
        FormulaError: no use tells it, or its uses disagree; or, where `strict`, several axes are possible.
    """
    if given is not None and len(given) == 1:
        return given[0]
    candidates = None if given is None else list(dict.fromkeys(given))
    for top in nodes:
        for node in walk(top):
            axes, indices = _indexed(machine, node, scope)
            if axes is None or len(indices) > len(axes):
                continue
            for place, index in enumerate(indices):
                if isinstance(index, IndexName) and index.name == variable:
                    options = [axes[place]] if len(indices) == len(axes) else list(dict.fromkeys(axes))
                    candidates = [axis for axis in (options if candidates is None else candidates) if axis in options]
    if not candidates:
        disagree = ", because its uses disagree" if candidates is not None else ""
        hint = f"give its bounds, or add `,\\quad {variable}={machine.table.base},\\dots,...`"
        raise FormulaError("A226", f"it is unclear what `{variable}` ranges over{disagree}", span, hint)
    if strict and len(candidates) > 1:
        message = f"`{variable}` could range over {' or '.join(candidates)}"
        raise FormulaError("A226", message, span, "write the bounds")
    return candidates[0]


def _indexed(machine: Machine, node: Node, scope: Locals) -> tuple[Sequence[str] | None, Sequence[Node]]:
    """The axes of what is indexed, where they are known without evaluating in a circle, and the indices."""
    if isinstance(node, Subscript) and isinstance(node.base, Name):
        return axes_of(machine, node.base, scope), node.indices
    if isinstance(node, Call) and node.subscripts and node.function in machine.table.symbols:
        family = machine.table.symbols[node.function].family
        return ([family] if family is not None else None), node.subscripts
    return None, ()


def axes_of(machine: Machine, node: Name, scope: Locals) -> tuple[str, ...] | None:
    """The core axes of a name: declared, of an input or parameter, or of a definition that is not being evaluated."""
    name = node.name
    if name in scope:
        return scope[name].tensor.core
    if name in machine.table.symbols:
        return machine.table.symbols[name].core
    if name in machine.busy or name in machine.plan.cycles or name not in machine.plan.mains:
        return None
    return machine.named(name, node.span).core


def axis_hint(node: Node, scope: Locals) -> str | None:
    """The axis that an index follows: that of a bare variable, or of one with a number added."""
    if isinstance(node, IndexName):
        return scope[node.name].axis if node.name in scope else None
    match node:
        case Sum(terms=(first, second)) if first.sign == "+" and isinstance(second.value, Number):
            return axis_hint(first.value, scope)
        case _:
            return None
