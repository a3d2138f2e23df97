"""A displayed formula → its parts: equations and ranges, however they are laid out in rows and columns.

Rows of `aligned` and commas both separate equations, so one formula can be written on one line or on several.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from atlas.exceptions import FormulaError
from atlas.formula.lexer import Token

Part = tuple[Token, ...]
"""The tokens of one equation, or of one piece of a range."""

_LAYOUT = frozenset(("aligned", "align", "align*", "equation", "equation*", "gathered", "split", "alignedat"))
_OPENING = frozenset(("(", "{", "begin"))
_CLOSING = frozenset((")", "}", "end"))
_MARKS = frozenset(("&", "\\\\", "begin", "end"))
_SEPARATING = frozenset(rf"\mathrm{{{word}}}" for word in ("for", "forall", "where", "with", "and"))
_SILENT = frozenset(rf"\mathrm{{{word}}}" for word in ("if", "for", "when"))
_WORDS = _SEPARATING | _SILENT


def parts(tokens: Sequence[Token], named: frozenset[str]) -> list[Part]:
    """Split at rows, at commas outside of brackets, and at words such as `where` unless they are names.

    Raises:
        FormulaError: environments that do not match.
    """
    _check_alignment(tokens)
    spoken = list(_without_words(tokens, named))
    return [part for row in _joined(_rows(spoken)) for part in _split(row, ",") if part]


def _without_words(tokens: Sequence[Token], named: frozenset[str]) -> Iterator[Token]:
    """The tokens with words between equations turned into commas; before a condition of cases, they vanish."""
    if _WORDS.isdisjoint([token.text for token in tokens]):
        yield from tokens
        return
    inside = 0
    before = ""
    for token in tokens:
        inside += (token.kind == "begin") - (token.kind == "end") if token.text == "cases" else 0
        spoken = token.text not in named
        if spoken and inside and before == "&" and token.text in _SILENT:
            continue
        if spoken and not inside and token.text in _SEPARATING:
            yield Token(",", ",", token.span)
        else:
            yield token
        before = token.kind


def outside(tokens: Sequence[Token]) -> Iterator[int]:
    """The positions of the tokens that stand outside of all brackets, braces and environments."""
    level = 0
    for at, token in enumerate(tokens):
        kind = token.kind
        if kind in _OPENING:
            level += 1
        elif kind in _CLOSING:
            level -= 1
        elif level == 0:
            yield at


def equal_signs(part: Sequence[Token]) -> list[int]:
    """The positions of the `=` that part the sides of an equation."""
    return [at for at in outside(part) if part[at].kind == "="]


def _rows(tokens: Sequence[Token]) -> Iterator[Part]:
    """The rows of the layout, without its column marks."""
    environments: list[Token] = []
    row: list[Token] = []
    inner = False
    for token in tokens:
        if token.kind not in _MARKS:
            row.append(token)
        elif token.kind in ("begin", "end"):
            _step(environments, token, inner)
            inner = any(opened.text == "cases" for opened in environments)
            if token.text == "cases":
                row.append(token)
        elif token.kind == "\\\\" and not inner:
            yield tuple(row)
            row = []
        elif inner:
            row.append(token)
    if environments:
        opened = environments[-1]
        raise FormulaError("A202", f"`\\begin{{{opened.text}}}` is never closed", opened.span)
    yield tuple(row)


def _check_alignment(tokens: Sequence[Token]) -> None:
    """Refuse two `&=` side by side in one row, as the end of the row between them is missing."""
    cases = 0
    aligned = False
    for token, after in pairwise(tokens):
        if token.kind not in _MARKS:
            continue
        if token.text == "cases":
            cases += (token.kind == "begin") - (token.kind == "end")
        if cases or token.kind in ("begin", "end"):
            continue
        at_sign = token.kind == "&" and after.kind == "="
        if at_sign and aligned:
            hint = r"end the row above with `\\`; a `%` comments out the rest of a line"
            raise FormulaError("A202", "a second `&=` in one row", token.span, hint)
        aligned = at_sign


def _step(environments: list[Token], token: Token, inner: bool) -> None:
    """Keep the stack of environments that are open."""
    if token.kind == "end":
        if not environments or environments[-1].text != token.text:
            raise FormulaError("A202", f"`\\end{{{token.text}}}` without its `\\begin`", token.span)
        environments.pop()
    elif token.text != "cases" and (inner or token.text not in _LAYOUT):
        message = f"`\\begin{{{token.text}}}` is not in the formula language" + (" inside of `cases`" if inner else "")
        raise FormulaError("A202", message, token.span, "there are `aligned` and `cases`")
    else:
        environments.append(token)


def _joined(rows: Iterator[Part]) -> list[Part]:
    """Rows with those that only continue the one before joined to it: without `=`, or beginning with one."""
    joined: list[Part] = []
    for row in rows:
        if joined and row and next((at for at in outside(row) if row[at].kind == "="), 0) == 0:
            joined[-1] += row
        elif row:
            joined.append(row)
    return joined


def _split(tokens: Part, kind: str) -> Iterator[Part]:
    start = 0
    for at in outside(tokens) if kind in [token.kind for token in tokens] else ():
        if tokens[at].kind == kind:
            yield tokens[start:at]
            start = at + 1
    yield tokens[start:]
