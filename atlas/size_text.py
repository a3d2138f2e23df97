r"""How sizes are written: the tokens of an expression that is read, and the text of a term that is printed.

Reading and printing agree here, so that what is printed is read as the same size; what sizes are is said in `sizes`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
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


def is_floor(atom: str) -> bool:
    """Whether an atom of a monomial is a floor, which holds the text that it is taken of, and no symbol."""
    return atom.startswith("\\lfloor")


class TokenReader:
    """Reads the tokens of an expression one after the other, and says where it has one that cannot stand there."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(_tokens(text))
        self.index = 0

    @property
    def kind(self) -> str:
        """The kind of the next token; empty at the end."""
        return self.tokens[self.index][0] if self.index < len(self.tokens) else ""

    @property
    def peek(self) -> str:
        """The text of the next token; empty at the end."""
        return self.tokens[self.index][1] if self.index < len(self.tokens) else ""

    def take(self, text: str) -> bool:
        """Pass a sign or the end of a floor, and say whether it is the next token."""
        self.index += (taken := self.kind in ("sign", "floor_end") and self.peek == text)
        return taken

    def expect(self, text: str) -> None:
        """Pass a sign or the end of a floor, which must stand here.

        Raises:
            SizeError: another token stands here, or none.
        """
        if not self.take(text):
            raise self.unexpected(f"`{text}`")

    def late_number(self) -> SizeError:
        """What is wrong with a number here: `d2` could be `2 d` as well as `d_2`, which would double a count."""
        _, text, offset = self.tokens[self.index]
        message = f"the size `{self.text}` has the number {text} at {offset + 1} after another factor"
        return SizeError(message, "numbers come first, as in `2 d`, and an index is written `d_2`")

    def unexpected(self, wanted: str = "a number, a symbol or a parenthesis") -> SizeError:
        """What is wrong with the next token, where something else is wanted."""
        if self.index >= len(self.tokens):
            return SizeError(f"the size `{self.text}` ends where {wanted} should follow")
        _, text, offset = self.tokens[self.index]
        return SizeError(f"the size `{self.text}` has `{text}` at {offset + 1} where {wanted} should stand")


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
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


def values_text(bindings: Mapping[str, int], names: Iterable[str]) -> str:
    """The values of some symbols, for a message: `d = 4, h = 2`."""
    return ", ".join(f"{name} = {bindings[name]}" for name in sorted(names)) or "no symbol"
