"""The axes of a contract: a size's name, a number, or an expression over them such as `(h v)`, `(2 r)`, `H-k+1`.

They are expressions over an operator's own Python names; the LaTeX sizes that an entry declares (`atlas/sizes.py`) are
what these names are bound to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from atlas.sizes import Size, constant, floored, symbol

Operation = Literal["+", "-", "*", "/", "//"]


class NoSizeError(Exception):
    """No whole size fits; the text says why. It never leaves this room: the contract turns it into a ShapeError."""


@dataclass(frozen=True, slots=True)
class Name:
    """A named size."""

    name: str
    """The name, a Python identifier."""

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Number:
    """A size that is the same in every call."""

    value: int
    """The size."""

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True, slots=True)
class Binary:
    """Two sizes and what is done with them."""

    operation: Operation
    """`/` must divide without a remainder, `//` rounds down."""
    left: Axis
    """The size before the sign."""
    right: Axis
    """The size after the sign."""

    def __str__(self) -> str:
        text = render(self, {})
        return f"({text})" if " " in text else text


Axis: TypeAlias = Name | Number | Binary

_SIGNS: Mapping[Operation, str] = {"+": "+", "-": "-", "*": " ", "/": "/", "//": "//"}


def names(axis: Axis) -> Iterator[str]:
    """The names in an axis, from left to right, as often as they occur."""
    match axis:
        case Name(name):
            yield name
        case Binary(_, left, right):
            yield from names(left)
            yield from names(right)


def evaluate(axis: Axis, sizes: Mapping[str, int]) -> int:
    """The axis' size with all its names bound.

    Raises:
        NoSizeError: a quotient is not whole, or the size is negative.
    """
    value = _value(axis, sizes)
    if value < 0:
        raise NoSizeError(f"{axis} would be {value}")
    return value


def _value(axis: Axis, sizes: Mapping[str, int]) -> int:
    match axis:
        case Name(name):
            return sizes[name]
        case Number(value):
            return value
        case Binary(operation, first, second):
            left, right = _value(first, sizes), _value(second, sizes)
    match operation:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
    if right == 0:
        raise NoSizeError(f"{axis} divides by 0")
    if operation == "/" and left % right:
        raise NoSizeError(f"{axis} is {left}/{right}, which is not whole")
    return left // right


def solvable(axis: Axis, unknown: str) -> bool:
    """Whether `solve` can find the unknown: it occurs once, and not below a quotient that rounds."""
    return list(names(axis)).count(unknown) == 1 and not _rounded(axis, unknown)


def _rounded(axis: Axis, unknown: str) -> bool:
    if not isinstance(axis, Binary) or unknown not in names(axis):
        return False
    return axis.operation == "//" or _rounded(axis.left, unknown) or _rounded(axis.right, unknown)


def solve(axis: Axis, target: int, unknown: str, sizes: Mapping[str, int]) -> int:
    """The value of the unknown for which a `solvable` axis has the target size; every other name is bound.

    Raises:
        NoSizeError: no whole number that is not negative fits.
    """
    value, rest = target, axis
    while isinstance(rest, Binary):
        in_left = unknown in names(rest.left)
        other = _value(rest.right if in_left else rest.left, sizes)
        value = _undone(rest.operation, value, other, in_left)
        rest = rest.left if in_left else rest.right
    if value < 0:
        raise NoSizeError(f"{unknown} would be {value}")
    return value


def _undone(operation: Operation, result: int, other: int, in_left: bool) -> int:
    """The operand for which the operation with the other operand gives the result."""
    match operation:
        case "+":
            return result - other
        case "-":
            return result + other if in_left else other - result
        case "/" if in_left:
            return result * other
    # left with a product, result = unknown·other, and with a quotient below, result = other/unknown
    over, under = (result, other) if operation == "*" else (other, result)
    if under == 0 or over % under:
        raise NoSizeError(f"{over} is not a multiple of {under}")
    return over // under


def size_of(axis: Axis, sizes: Mapping[str, Size]) -> Size:
    """The axis as a size expression with its names replaced; a name without a size stands for itself.

    Raises:
        SizeError: it is divided by a sum, or grows too long.
    """
    match axis:
        case Name(name):
            return sizes.get(name, symbol(name))
        case Number(value):
            return constant(value)
        case Binary(operation, first, second):
            left, right = size_of(first, sizes), size_of(second, sizes)
    match operation:
        case "+":
            return left + right
        case "-":
            return left + -right
        case "*":
            return left * right
    return left / right if operation == "/" else floored(left / right)


def solve_size(axis: Axis, target: Size, unknown: str, sizes: Mapping[str, Size]) -> Size:
    """The size of the unknown for which a `solvable` axis is the target; every other name has a size.

    Raises:
        SizeError: it would be divided by a sum.
    """
    found, rest = target, axis
    while isinstance(rest, Binary):
        in_left = unknown in names(rest.left)
        other = size_of(rest.right if in_left else rest.left, sizes)
        match rest.operation:
            case "+":
                found = found + -other
            case "-":
                found = found + other if in_left else other + -found
            case "*":
                found = found / other
            case _:
                found = found * other if in_left else other / found
        rest = rest.left if in_left else rest.right
    return found


def reckoned(axis: Axis, numbers: Mapping[str, int]) -> Axis:
    """The axis with numbers in place of names, worked out as far as it goes: `H+2 p-k` with p = 0 is `H-k`."""
    match axis:
        case Name(name) if name in numbers:
            return Number(numbers[name])
        case Binary(operation, left, right):
            return _simplest(Binary(operation, reckoned(left, numbers), reckoned(right, numbers)))
    return axis


def _simplest(axis: Binary) -> Axis:
    match axis:
        case Binary(_, Number(), Number()):
            try:
                return Number(evaluate(axis, {}))
            except NoSizeError:
                return axis
        case Binary("+" | "-", other, Number(0)) | Binary("+", Number(0), other):
            return other
        case Binary("*" | "/" | "//", other, Number(1)) | Binary("*", Number(1), other):
            return other
        case Binary("*", Number(0), _) | Binary("*", _, Number(0)):
            return Number(0)
    return axis


def render(axis: Axis, labels: Mapping[str, str], within: int = 0) -> str:
    """The axis as text with names replaced by labels; those that are expressions get parentheses where they need them.

    `within` says what stands around it: 0 nothing that matters; 1 on the right of a sum, 2 on the left of a quotient
    (sums need parentheses); 3 on the left of a product (quotients too); 4 on the right of either (products too).
    """
    match axis:
        case Number(value):
            return str(value)
        case Name(name):
            label = labels.get(name, name)
            return f"({label})" if within and not _ATOM.fullmatch(label) else label
        case Binary(operation, left, right):
            is_sum, is_quotient = operation in "+-", "/" in operation
            sides = (0, 1) if is_sum else (2, 4) if is_quotient else (3, 4)
            text = f"{render(left, labels, sides[0])}{_SIGNS[operation]}{render(right, labels, sides[1])}"
            return f"({text})" if within >= (1 if is_sum else 3 if is_quotient else 4) else text


_ATOM = re.compile(r"[\w\\]+(?:[_^]?\{[^{}]*\})*")
"""A label that stays one operand whatever stands beside it, such as `d`, `d_k`, `h_{kv}`, `512`."""
