r"""Names as LaTeX spells them: a letter or word with scripts → one canonical spelling.

`W_{g}` and `W_g`, `\operatorname{head}` and `\mathrm{head}` are displayed alike, so they are one name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from atlas.exceptions import FormulaError
from atlas.formula import letters
from atlas.formula.lexer import END, Token, tokenize
from atlas.formula.span import Span

_NUMERIC = frozenset(("number", "+", "-", "/"))
SCRIPTS = frozenset(("_", "^", "'"))
"""Kinds of tokens that begin a script of the name before them."""


class Script(NamedTuple):
    """A sub- or superscript."""

    tokens: tuple[Token, ...]
    """What it holds, without braces; never empty."""
    span: Span
    """With the `_` or `^`."""

    @property
    def text(self) -> str:
        """Canonical spelling, with braces where it is more than one token."""
        return spell(self.tokens)


class Scripted(NamedTuple):
    """A name token with the scripts on it."""

    base: Token
    """The letter or word."""
    sub: Script | None
    """Its subscript."""
    sup: Script | None
    """Its superscript."""
    span: Span
    """From the base to the end of the last script."""

    def name(self, *, sub: bool = True, sup: bool = True) -> str:
        """The canonical spelling of the base with the scripts that are taken as part of the name."""
        if self.sub is None and self.sup is None:
            return self.base.text
        below = f"_{self.sub.text}" if self.sub is not None and sub else ""
        above = f"^{self.sup.text}" if self.sup is not None and sup else ""
        return self.base.text + below + above


def spell(tokens: Sequence[Token]) -> str:
    """Tokens as LaTeX, in braces where they are several; a space only where a command would run into a letter."""
    if len(tokens) == 1:
        return tokens[0].text
    text = ""
    for token in tokens:
        last_word = text.rpartition("\\")[2]
        glued = "\\" in text and last_word.isalpha() and token.text[:1].isalpha()
        text += (" " if glued else "") + token.text
    return "{" + text + "}"


def read_script(tokens: Sequence[Token], at: int) -> tuple[Script, int]:
    """The script whose `_` or `^` stands at `at`, and where it ends.

    Raises:
        FormulaError: LaTeX would show another script than was meant, or there is none.
    """
    mark = tokens[at]
    if at + 1 == len(tokens) or tokens[at + 1].kind in ("^", "_", "}", ")", END):
        raise FormulaError("A203", f"`{mark.text}` has nothing after it", mark.span)
    first = tokens[at + 1]
    span = mark.span.to(first.span)
    if first.kind == "{":
        end = group_end(tokens, at + 1)
        inner = tuple(tokens[at + 2 : end - 1])
        if not inner:
            raise FormulaError("A203", "an empty script", mark.span.to(tokens[end - 1].span))
        return Script(inner, mark.span.to(tokens[end - 1].span)), end
    if first.kind == "number" and len(first.text) > 1:
        message = f"LaTeX shows `{mark.text}{first.text}` as `{mark.text}{{{first.text[0]}}}{first.text[1:]}`"
        raise FormulaError("A203", message, span, f"write `{mark.text}{{{first.text}}}`")
    if first.kind in ("+", "-"):
        message = f"LaTeX puts only the sign into the script of `{mark.text}{first.text}`"
        raise FormulaError("A203", message, span, f"write `{mark.text}{{{first.text}...}}`")
    if first.kind not in ("name", "number", "\\top", "\\infty", "\\ell"):
        raise FormulaError("A203", f"`{mark.text}{first.text}` needs braces", span, f"write `{mark.text}{{...}}`")
    return Script((first,), span), at + 2


def group_end(tokens: Sequence[Token], at: int) -> int:
    """The position after the brace that closes the one at `at`; the lexer has balanced them."""
    level = 0
    for position in range(at, len(tokens)):
        kind = tokens[position].kind
        if kind == "{":
            level += 1
        elif kind == "}":
            level -= 1
            if level == 0:
                return position + 1
    raise FormulaError("A202", "`{` is never closed here", tokens[at].span)


def read_scripted(tokens: Sequence[Token], at: int) -> tuple[Scripted, int]:
    """The name at `at` with all its scripts, and the position after them."""
    base = tokens[at]
    position = at + 1
    if position == len(tokens) or tokens[position].kind not in SCRIPTS:
        return Scripted(base, None, None, base.span), position
    found: dict[str, Script] = {}
    while position < len(tokens) and tokens[position].kind in SCRIPTS:
        mark = tokens[position].kind
        span = base.span.to(tokens[position].span)
        if mark == "'":
            if "^" in found:
                message = f"`{base.text}` has a prime after a superscript, which LaTeX rejects"
                raise FormulaError("A203", message, span, "write the prime first")
            base = Token(base.kind, base.text + tokens[position].text, base.span)
            position += 1
            continue
        if mark in found:
            message = f"`{base.text}` has two scripts `{mark}`, which LaTeX rejects"
            raise FormulaError("A203", message, span, "put the first into braces")
        found[mark], position = read_script(tokens, position)
    whole = base.span.to(tokens[position - 1].span)
    return Scripted(base, found.get("_"), found.get("^"), whole), position


def canonical(name: str) -> str:
    """The canonical spelling of a declared name.

    Raises:
        FormulaError: the text is not one name, or would be read as a power.
    """
    try:
        return _canonical(name)
    except FormulaError as error:
        raise FormulaError(error.code, error.message, Span(*error.span), error.hint, name) from None


# Cached, as the names of an entry are asked for many times over; a name that is refused is read anew.
@lru_cache(maxsize=4096)
def _canonical(name: str) -> str:
    tokens = tokenize(name)
    if not tokens or tokens[0].kind != "name":
        raise FormulaError("A244", f"`{name}` is not a name", Span(0, len(name)))
    scripted, end = read_scripted(tokens, 0)
    if end != len(tokens):
        word = re.match(r"[A-Za-z]{2,}", name)
        greek = word is not None and word[0] in letters.GREEK
        hint = f"write '\\{name}'" if greek else r"a name of several letters is written \mathrm{...}"
        raise FormulaError("A244", f"`{name}` is not a single name", tokens[end].span, hint)
    if scripted.sup is not None and all(token.kind in _NUMERIC for token in scripted.sup.tokens):
        message = f"`{name}` would be read as a power"
        hint = f"write the number in parentheses: `{scripted.name(sup=False)}^{{({spell(scripted.sup.tokens)})}}`"
        raise FormulaError("A212", message, Span(0, len(name)), hint)
    return scripted.name()
