r"""How sizes are written: the tokens of an expression that is read, and the text of a term that is printed.

Reading and printing agree here, so that what is printed is read as the same size; what sizes are is said in `sizes`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from atlas.exceptions import SizeError

Monomial = tuple[tuple[str, int], ...]
"""Symbols with their exponents, sorted by symbol; the empty product is 1."""

_NAME = r"(?:\\(?:mathrm|text|operatorname)\{[A-Za-z]+\}|\\[A-Za-z]+|[A-Za-z])"
_SCRIPT = rf"(?:{_NAME}|[0-9]|\{{(?:[A-Za-z0-9,+\- ]|{_NAME})+\}})"
_SYMBOL = rf"{_NAME}(?:'|_{_SCRIPT})*"
_END = "(?![A-Za-z])"
_TOKEN = re.compile(
    rf"\s*(?:(?P<number>[0-9]+)|(?P<floor>\\lfloor{_END})|(?P<floor_end>\\rfloor{_END})"
    rf"|(?P<times>\\(?:cdot{_END}|times{_END}|,))|(?P<symbol>{_SYMBOL})|(?P<sign>[-+/()])"
    r"|\^(?P<power>[0-9](?![0-9])|\{\s*[0-9]+\s*\}))"
)


def tokens(text: str) -> Iterator[tuple[str, str, int]]:
    """Kind, text and offset of each token of a size expression.

    Raises:
        SizeError: a character is no part of any; the message says which and where.
    """
    offset = 0
    while text[offset:].strip():
        match = _TOKEN.match(text, offset)
        if match is None:
            start = offset + len(text[offset:]) - len(text[offset:].lstrip())
            raise SizeError(f"the size `{text}` has `{text[start]}` at {start + 1}, which no size expression has")
        kind = match.lastgroup or ""
        yield kind, match[kind], match.start(kind)
        offset = match.end()


def term_text(monomial: Monomial, factor: Fraction) -> str:
    """A monomial with its coefficient, with what it is divided by after a slash."""
    above = [_raised(name, power) for name, power in monomial if power > 0]
    below = [_raised(name, -power) for name, power in monomial if power < 0]
    numerator, denominator = abs(factor.numerator), factor.denominator
    top = " ".join([*([str(numerator)] if numerator != 1 or not above else []), *above])
    bottom = [*([str(denominator)] if denominator != 1 else []), *below]
    sign = "-" if factor < 0 else ""
    if not bottom:
        return sign + top
    return f"{sign}{top}/{bottom[0]}" if len(bottom) == 1 else f"{sign}{top}/({' '.join(bottom)})"


def _raised(name: str, power: int) -> str:
    return " ".join([name] * power)
