r"""Sums, products and extremes over index variables; a condition masks what does not count."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

import numpy as np

from atlas.exceptions import FormulaError
from atlas.formula import ranges
from atlas.formula.machine import Bound, Locals, Machine
from atlas.formula.tensor import Array, Misfit, Tensor, aligned, expanded, union
from atlas.formula.tree import Between, IndexName, Reduction, ReductionName, Relation, Where, Within, walk


@cache
def _reductions() -> Mapping[ReductionName, tuple[Callable[..., Array], float]]:
    """Each reduction with the value of what is masked; made when the first is computed, as NumPy is then needed."""
    return {
        "\\sum": (np.add.reduce, 0.0),
        "\\prod": (np.multiply.reduce, 1.0),
        "\\max": (np.maximum.reduce, -np.inf),
        "\\min": (np.minimum.reduce, np.inf),
    }


def reduce_over(machine: Machine, node: Reduction, scope: Locals) -> Tensor:
    """The rule for a reduction."""
    bound, mask = _domain(machine, node, scope)
    inner = {**scope, **bound}
    if isinstance(node.domain, Where):
        mask = machine.value(node.domain.condition, inner)
        if mask.core:
            message = f"the condition compares {mask.shown}, not numbers"
            raise FormulaError("A232", message, node.domain.condition.span, "index what is compared")
    body = machine.value(node.body, inner)
    if body.data.dtype == np.bool_:
        raise FormulaError("A232", "a set stands where a number is needed", node.body.span)
    keys = tuple([found.tensor.free[0] for found in bound.values()])
    lengths = tuple([found.tensor.data.size for found in bound.values()])
    free = body.free if mask is None else union(body.free, mask.free)
    rest = tuple([name for name in free if name not in keys])
    if mask is None and len(rest) + len(keys) == len(free):
        machine.algebra.budget.spend_like(body.data)
    else:
        machine.algebra.budget.spend([*lengths, *_lengths(body, mask, rest), *body.data.shape[len(body.free) :]])
    data = expanded(body, rest, keys, lengths)
    function, neutral = _reductions()[node.operator]
    if mask is not None:
        where = aligned(mask, (*rest, *keys), ())
        data = np.where(where.reshape(where.shape + (1,) * len(body.core)), data, neutral)
    axes = tuple(range(len(rest), len(rest) + len(keys)))
    if 0 in lengths and node.operator in ("\\max", "\\min"):
        raise Misfit("A241", "an extreme over an empty range")
    return Tensor(np.asarray(function(data, axis=axes)), rest, body.core, body.row)


def _lengths(body: Tensor, mask: Tensor | None, rest: tuple[str, ...]) -> list[int]:
    known = dict(zip(body.free, body.data.shape, strict=False))
    if mask is not None:
        known = {**dict(zip(mask.free, mask.data.shape, strict=False)), **known}
    return [known[name] for name in rest]


def _domain(machine: Machine, node: Reduction, scope: Locals) -> tuple[dict[str, Bound], Tensor | None]:
    """The index variables, and which of their values count; None where all do."""
    domain = node.domain
    if isinstance(domain, Between):
        return _between(machine, node, domain, scope)
    if isinstance(domain, Within):
        return _within(machine, domain, scope)
    bound: dict[str, Bound] = {}
    for variable in domain.variables:
        found = ranges.written(machine, variable)
        if found is None:
            given = _compared(domain.condition, variable, scope) if isinstance(domain, Where) else None
            try:
                axis = ranges.inferred(
                    machine, variable, [node.body], {**scope, **bound}, node.operator_span, strict=True
                )
            except FormulaError:
                if given is None:
                    raise
                axis = given
            found = ranges.over_axis(machine, variable, axis)
        bound[variable] = found
    return bound, None


def _between(
    machine: Machine, node: Reduction, domain: Between, scope: Locals
) -> tuple[dict[str, Bound], Tensor | None]:
    variable = domain.variables[0]
    first, last = ranges.stated(machine, domain.lower), ranges.stated(machine, domain.upper)
    if first is not None and last is not None:
        return {variable: ranges.between(machine, variable, (domain.lower, domain.upper), (first, last))}, None
    lower = ranges.bound_value(machine, domain.lower, scope)
    upper = ranges.bound_value(machine, domain.upper, scope)
    if not lower.free and not upper.free:
        ends = (float(lower.data), float(upper.data))
        return {variable: ranges.between(machine, variable, (domain.lower, domain.upper), ends)}, None
    axis = ranges.axis_hint(domain.upper, scope) or ranges.axis_hint(domain.lower, scope)
    if axis is None:
        axis = ranges.inferred(machine, variable, [node.body], scope, node.operator_span, strict=True)
    found = ranges.over_axis(machine, variable, axis)
    machine.settled(lower)
    machine.settled(upper)
    below, above = lower.data.min(initial=np.inf), upper.data.max(initial=-np.inf)
    end = float(found.tensor.data[-1])
    if below < machine.table.base or above > end:
        begin, finish = machine.table.base, machine.last_of(axis)
        wrong = [f"below {begin}, where indices begin"] if below < begin else []
        wrong += [f"above {finish}, where they end"] if above > end else []
        bound = "both bounds" if len(wrong) > 1 else "the lower bound" if below < begin else "the upper bound"
        message = f"the bounds of `{variable}` reach {' and '.join(wrong)}"
        raise FormulaError("A227", message, domain.span, f"keep {bound} within {begin} to {finish}")
    mask = machine.algebra.elementwise(_inside, found.tensor, lower, upper, verb="compare")
    return {variable: found}, mask


def _inside(x: Array, lower: Array, upper: Array) -> Array:
    return np.asarray((x >= lower) & (x <= upper))


def _within(machine: Machine, domain: Within, scope: Locals) -> tuple[dict[str, Bound], Tensor | None]:
    members = machine.value(domain.members, scope)
    if members.data.dtype != np.bool_ or len(members.core) != 1:
        hint = r"such as `\operatorname{TopK}(g,k)` over one axis"
        raise FormulaError("A232", r"`\in` needs a set", domain.members.span, hint)
    variable = domain.variables[0]
    found = ranges.over_axis(machine, variable, members.core[0])
    index = Tensor(found.tensor.data - machine.table.base, found.tensor.free)
    return {variable: found}, machine.algebra.read(members, {0: index}, 0.0)[0]


def _compared(condition: Relation, variable: str, scope: Locals) -> str | None:
    """The axis of an index variable that another one is compared with."""
    for node in walk(condition):
        if isinstance(node, IndexName) and node.name != variable:
            return ranges.axis_hint(node, scope)
    return None
