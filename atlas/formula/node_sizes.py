"""Parts of a formula as size expressions: the bounds of sums and ranges, and lengths in functions of sizes.

It knows the whole syntax tree, which the table of axes need not, as most entries are taken as they were judged before.
"""

from __future__ import annotations

from collections.abc import Iterable

from atlas.exceptions import SizeError
from atlas.formula.tree import Group, Multiply, Node, Number, Power, Product, Quotient, Rounded, SizeName, Sum
from atlas.sizes import MAX_POWER, Size, constant, floored, product, symbol


def size_of(node: Node) -> Size | None:
    """The size expression that a part of a formula is, or None where it is something else."""
    try:
        return _size(node)
    except SizeError:
        return None


def _size(node: Node) -> Size:
    match node:
        case Number(text=text) if text.isdigit():
            return constant(int(text))
        case SizeName(name=name):
            return symbol(name)
        case Group(inner=inner):
            return _size(inner)
        case Sum(terms=terms):
            return _total(_size(term.value) if term.sign == "+" else -_size(term.value) for term in terms)
        case Rounded(direction="floor", inner=inner):
            return floored(_size(inner))
        case _:
            return _multiplied(node)


def _multiplied(node: Node) -> Size:
    match node:
        case Product(factors=factors):
            return product(_size(factor) for factor in factors)
        case Multiply(operator="\\cdot" | "\\times", left=left, right=right):
            return _size(left) * _size(right)
        case Quotient(numerator=numerator, denominator=denominator):
            return _size(numerator) / _size(denominator)
        case Power(base=base, exponent=Number(text=text)) if text.isdigit() and int(text) <= MAX_POWER:
            return product([_size(base)] * int(text))
        case _:
            raise SizeError("not a size")


def _total(parts: Iterable[Size]) -> Size:
    total = constant(0)
    for part in parts:
        total = total + part
    return total
