"""Solves a size expression for its one unknown symbol: what a configuration states as `4 d` tells d.

Only what has one answer is solved; everything else waits until more symbols are known, and is then compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from atlas.exceptions import SizeError
from atlas.sizes import Size, constant


def unknown_symbol(expression: Size, known: Mapping[str, int]) -> str | None:
    """The one symbol of the expression that has no value yet; None where there is none or more than one."""
    unknown = expression.symbols - known.keys()
    return next(iter(unknown)) if len(unknown) == 1 else None


def solve(expression: Size, name: str, value: int, known: Mapping[str, int]) -> int:
    """The value of a symbol with which the expression has this value; all its other symbols are known.

    Raises:
        SizeError: no whole number of at least 1 gives it, or the expression is not one that is solved: the symbol
            stands in a floor, in several terms, or with a power.
    """
    found = solution(expression, name, value, known)
    if found.denominator != 1 or found < 1:
        raise SizeError(f"{name} would be {found}, so that {expression} is {value:,}")
    return int(found)


def solution(expression: Size, name: str, value: int, known: Mapping[str, int]) -> Fraction:
    """As `solve`, but the number may be any.

    Raises:
        SizeError: no number gives it, or the expression is not one that is solved.
    """
    one = expression.substitute({symbol: constant(number) for symbol, number in known.items() if symbol != name})
    factor, rest, power = Fraction(0), Fraction(0), 0
    for monomial, coefficient in one.terms:
        if not monomial:
            rest += coefficient
        elif factor == 0 and monomial in (((name, 1),), ((name, -1),)):
            factor, power = coefficient, monomial[0][1]
        else:
            raise SizeError(f"{expression} is not solved for {name}")
    if factor == 0:
        raise SizeError(f"{expression} does not depend on {name}")
    above = value - rest
    if power < 0 and above == 0:
        raise SizeError(f"no {name} makes {expression} {value:,}")
    return above / factor if power > 0 else factor / above
