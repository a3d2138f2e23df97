"""The evaluator: the tree of a formula, with sizes and inputs, to values under named axes.

Shapes are checked by label and values computed in the same walk; rules that need more than a few lines (indices, sums,
applications, definitions, recurrences) live in modules of their own, which call back here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np

from atlas.exceptions import FormulaError
from atlas.formula import calls, definitions, indexing, recurrence, sums
from atlas.formula.machine import MAX_NESTED, Locals, Machine
from atlas.formula.span import Span
from atlas.formula.tensor import Array, Misfit, Tensor, scalar
from atlas.formula.tree import (
    Absolute,
    Call,
    Cases,
    Group,
    IndexName,
    Indicator,
    Infinity,
    Multiply,
    Name,
    Node,
    Norm,
    Number,
    Power,
    Product,
    Quotient,
    Reduction,
    Relation,
    Remainder,
    Root,
    Rounded,
    SizeName,
    Subscript,
    Sum,
    Transpose,
)

WHOLE = 1e-9
"""How far from a whole number a quotient of sizes may be rounded by float64, for floor and ceiling."""


class Evaluator(Machine):
    """Evaluates expressions by a rule for each kind of node."""

    def value(self, node: Node, scope: Locals) -> Tensor:
        """The value of an expression."""
        nested = self.nested
        if nested == MAX_NESTED:
            hint = "define fewer functions by one another"
            raise FormulaError("A250", f"the formula is evaluated more than {MAX_NESTED} deep", node.span, hint)
        self.nested = nested + 1
        if nested >= self.deepest:
            self.deepest = nested + 1
        try:
            return _RULES[type(node)](self, node, scope)
        except Misfit as misfit:
            raise FormulaError(misfit.code, misfit.message, node.span, misfit.hint) from None
        finally:
            self.nested = nested

    def defined(self, name: str) -> Tensor:
        """The value of a name that the formula defines."""
        return definitions.materialize(self, name)

    def unrolled(self, name: str) -> Tensor:
        """The value of a name that depends on itself at earlier steps."""
        return recurrence.unrolled(self, name)

    def at_step(self, name: str, place: float, span: Span) -> Tensor:
        """The value of such a name at one step, which is counted from 0 here."""
        return recurrence.at_step(self, name, place, span)

    def start_value(self, name: str, step: int) -> Tensor | None:
        """Its value before the first step, where there is one."""
        return recurrence.start_value(self, name, step)


def _number(machine: Machine, node: Number, scope: Locals) -> Tensor:
    return _constant(node.text)


# Cached, as it is written in the formula and the same in all samples.
@lru_cache(maxsize=256)
def _constant(text: str) -> Tensor:
    return scalar(float(text))


def _infinity(machine: Machine, node: Infinity, scope: Locals) -> Tensor:
    return scalar(np.inf)


def _size(machine: Machine, node: SizeName, scope: Locals) -> Tensor:
    return scalar(float(machine.setting.sizes[node.name]))


def _index(machine: Machine, node: IndexName, scope: Locals) -> Tensor:
    if node.name not in scope:
        hint = "an index has a value only in its sum or equation"
        raise FormulaError("A226", f"the index `{node.name}` has no range here", node.span, hint)
    return scope[node.name].tensor


def _name(machine: Machine, node: Name, scope: Locals) -> Tensor:
    name = node.name
    return scope[name].tensor if name in scope else machine.named(name, node.span)


def _group(machine: Machine, node: Group, scope: Locals) -> Tensor:
    return machine.value(node.inner, scope)


def _sum(machine: Machine, node: Sum, scope: Locals) -> Tensor:
    terms = node.terms
    total = machine.value(terms[0].value, scope)
    if terms[0].sign == "-":
        total = machine.algebra.each(np.negative, total, verb="negate")
    for term in terms[1:]:
        value = machine.value(term.value, scope)
        if term.sign == "+":
            total = machine.algebra.pair(np.add, total, value, verb="add")
        else:
            total = machine.algebra.pair(np.subtract, total, value, verb="subtract")
    return total


def _product(machine: Machine, node: Product, scope: Locals) -> Tensor:
    total = machine.value(node.factors[0], scope)
    for before, factor in zip(node.factors, node.factors[1:], strict=False):
        value = machine.value(factor, scope)
        try:
            total = machine.algebra.juxtapose(total, value)
        except Misfit as misfit:
            span = before.span.to(factor.span)
            raise FormulaError(misfit.code, misfit.message, span, misfit.hint) from None
    return total


def _multiply(machine: Machine, node: Multiply, scope: Locals) -> Tensor:
    left, right = machine.value(node.left, scope), machine.value(node.right, scope)
    if node.operator != "\\odot" and left.core and right.core:
        message = f"`{node.operator}` needs a scalar on one side, not {left.shown} and {right.shown}"
        raise Misfit("A220", message, r"write `\odot` (elementwise) or `a^\top b` (inner product)")
    return machine.algebra.pair(np.multiply, left, right, verb="multiply")


def _quotient(machine: Machine, node: Quotient, scope: Locals) -> Tensor:
    above, below = machine.value(node.numerator, scope), machine.value(node.denominator, scope)
    return machine.algebra.pair(np.true_divide, above, below, verb="divide")


def _remainder(machine: Machine, node: Remainder, scope: Locals) -> Tensor:
    left, right = machine.value(node.left, scope), machine.value(node.right, scope)
    return machine.algebra.pair(np.mod, left, right, verb="divide")


def _power(machine: Machine, node: Power, scope: Locals) -> Tensor:
    base, exponent = machine.value(node.base, scope), machine.value(node.exponent, scope)
    if len(base.core) > 1 and base.core[-1] == base.core[-2]:
        hint = r"write `x \odot x` (elementwise), `xx` (product) or `\operatorname{diag}(d^p)` (of a diagonal)"
        raise Misfit("A218", f"a power of a square matrix {base.shown} could be elementwise or a product", hint)
    if exponent.core:
        raise Misfit("A221", f"the exponent is {exponent.shown}, not a scalar", "index it, as in `x^{a_i}`")
    return machine.algebra.pair(np.power, base, exponent, verb="raise")


def _transpose(machine: Machine, node: Transpose, scope: Locals) -> Tensor:
    return machine.algebra.transpose(machine.value(node.base, scope))


def _root(machine: Machine, node: Root, scope: Locals) -> Tensor:
    return machine.algebra.each(np.sqrt, machine.value(node.radicand, scope), verb="take the root of")


def _absolute(machine: Machine, node: Absolute, scope: Locals) -> Tensor:
    return machine.algebra.each(np.abs, machine.value(node.inner, scope), verb="take the absolute value of")


def _norm(machine: Machine, node: Norm, scope: Locals) -> Tensor:
    inner = machine.value(node.inner, scope)
    if not inner.core:
        raise Misfit("A231", "the norm of a scalar", r"write `\lvert x \rvert`, or leave out an index")
    squares = machine.algebra.each(np.square, inner, verb="square")
    return Tensor(np.sqrt(np.sum(squares.data, axis=-1)), inner.free, inner.core[:-1])


def _floor(x: Array) -> Array:
    return np.floor(x + WHOLE)


def _ceil(x: Array) -> Array:
    return np.ceil(x - WHOLE)


def _rounded(machine: Machine, node: Rounded, scope: Locals) -> Tensor:
    function = _floor if node.direction == "floor" else _ceil
    return machine.algebra.each(function, machine.value(node.inner, scope), verb="round")


@cache
def _comparisons() -> Mapping[str, Callable[..., Array]]:
    """Each comparison by its sign; made when the first is computed, as NumPy is then needed."""
    return {
        "=": np.equal,
        "\\neq": np.not_equal,
        "<": np.less,
        ">": np.greater,
        "\\leq": np.less_equal,
        "\\geq": np.greater_equal,
    }


def _relation(machine: Machine, node: Relation, scope: Locals) -> Tensor:
    operands = [machine.settled(machine.value(operand, scope)) for operand in node.operands]
    holds: Tensor | None = None
    for operator, left, right in zip(node.operators, operands, operands[1:], strict=False):
        found = machine.algebra.pair(_comparisons()[operator], left, right, verb="compare")
        if holds is None:
            holds = found
        else:
            holds = machine.algebra.elementwise(np.logical_and, holds, found, verb="combine", logical=True)
    assert holds is not None  # noqa: S101 - the parser reads at least one comparison
    return holds


def _indicator(machine: Machine, node: Indicator, scope: Locals) -> Tensor:
    condition = machine.value(node.condition, scope)
    return Tensor(condition.data.astype(np.float64), condition.free, condition.core)


def _cases(machine: Machine, node: Cases, scope: Locals) -> Tensor:
    parts: list[Tensor] = []
    for branch in node.branches:
        value = machine.value(branch.value, scope)
        if value.data.dtype == np.bool_:
            raise FormulaError("A232", "a set stands where a number is needed", branch.value.span)
        true = Tensor(np.asarray(True))
        parts += (value, true if branch.condition is None else machine.value(branch.condition, scope))

    def select(*arrays: Array) -> Array:
        full = np.broadcast_arrays(*arrays)
        return np.select(list(full[1::2]), list(full[::2]), np.nan)

    return machine.algebra.elementwise(select, *parts, verb="choose between", logical=True)


_RULES: Mapping[type[Node], Callable[[Evaluator, Any, Locals], Tensor]] = MappingProxyType(
    {
        Number: _number,
        Infinity: _infinity,
        SizeName: _size,
        IndexName: _index,
        Name: _name,
        Group: _group,
        Sum: _sum,
        Product: _product,
        Multiply: _multiply,
        Quotient: _quotient,
        Remainder: _remainder,
        Power: _power,
        Transpose: _transpose,
        Root: _root,
        Absolute: _absolute,
        Norm: _norm,
        Rounded: _rounded,
        Relation: _relation,
        Indicator: _indicator,
        Cases: _cases,
        Subscript: indexing.subscript,
        Reduction: sums.reduce_over,
        Call: calls.call,
    }
)
