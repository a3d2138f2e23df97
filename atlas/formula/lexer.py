r"""LaTeX → tokens with spans; everything that is not in the formula language is refused here.

Spacing and size commands vanish, `\left` and `\right` become plain brackets, and names with a style or an accent are
one token, so the parser sees only what has a meaning.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from functools import lru_cache
from string import ascii_letters
from types import MappingProxyType
from typing import NamedTuple

from atlas.exceptions import FormulaError
from atlas.formula import letters
from atlas.formula.span import Span

MAX_LENGTH = 4000
"""The longest formula that is read, in characters."""

FORMULAS = 500
"""How many formulas and names are remembered with their tokens: what was checked a moment ago is shown next."""

MAX_DIGITS = 15
"""The longest number that is read; more digits do not fit a float64."""

_BREAK = r"\\\\(?:\s*\[[^\]]*\])?"
_TOKEN = re.compile(
    rf"((?:\s|~|\\[,;:!> ]|%[^\n]*)*)(?:(?P<number>[0-9]+(?:\.[0-9]+)?)|(?P<newline>{_BREAK})"
    r"|\\(?P<command>[A-Za-z]+\*?)|\\(?P<escaped>.)|(?P<letter>[A-Za-z])|(?P<primes>'+)|(?P<char>.)|\Z)",
    re.DOTALL,
)
_NEWLINE = re.compile(_BREAK)
_OPENING = {"(": "(", "[": "(", "\\{": "("}
_CLOSING = {")": ")", "]": ")", "\\}": ")"}
_PAIRS = {"(": ")", "[": "]", "\\{": "\\}"}
_BRACKETS = frozenset(("(", ")", "||", "|", "\\lvert", "\\rvert", "\\lfloor", "\\rfloor", "\\lceil", "\\rceil"))
_PLAIN = frozenset("|+-=,/^_&<>")
_SIGNS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        **{letter: ("name", letter) for letter in ascii_letters},
        **{sign: (sign, sign) for sign in _PLAIN},
        **{text: ("(", text) for text in _OPENING},
        **{text: (")", text) for text in _CLOSING},
        **{f"\\{name}": ("name", f"\\{name}") for name in letters.GREEK | letters.FUNCTIONS},
        **{f"\\{name}": (f"\\{name}", f"\\{name}") for name in letters.STRUCTURE},
    }
)
"""Kind and text of the tokens that are read the same wherever they stand, by how they are written."""
_ARGUMENT = re.compile(r"\\([A-Za-z]+)\*?|[A-Za-z0-9]")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9 .,:\-]*|1")
_POWER_OF_TEN = re.compile(r"[eE]([-+][0-9]+)(?![0-9A-Za-z])")
_STYLE_DEPTH = 3


class Token(NamedTuple):
    """One token of a formula; a tuple, as a formula has many and tuples are made fastest."""

    kind: str
    r"""`name`, `number`, `begin`, `end`, or the sign itself (`+`, `\frac`, `(`); `(` and `)` stand for all brackets."""
    text: str
    """A name's canonical spelling, a number's digits, a bracket or sign as written, an environment's name."""
    span: Span
    """The characters of the formula that it was read from."""


END = "end of text"
"""The kind of a token that readers put after the last, so that a look ahead never fails."""


@lru_cache(maxsize=FORMULAS)
def tokenize(latex: str) -> tuple[Token, ...]:
    """Split a formula into tokens.

    Raises:
        FormulaError: something that is not in the language, or braces that do not match.
    """
    if len(latex) > MAX_LENGTH:
        message = f"a formula of {len(latex)} characters; at most {MAX_LENGTH} are read"
        raise FormulaError("A250", message, Span(MAX_LENGTH, len(latex)), "split it into two entries")
    if "%" not in latex and "\\\\" in latex:
        try:
            return _by_rows(latex)
        except FormulaError:
            pass  # a bracket may be closed in a later row, and what is wrong is told of the whole
    return _Lexer(latex).run()


def _by_rows(latex: str) -> tuple[Token, ...]:
    """The tokens of a formula each of whose rows can be read by itself; without comments, which may hide ends of rows.

    Raises:
        FormulaError: a row cannot be read by itself.
    """
    tokens: list[Token] = []
    start = 0
    while (end := latex.find("\\\\", start)) >= 0:
        tokens += _row(latex[:end], start)
        match = _NEWLINE.match(latex, end)
        assert match is not None  # noqa: S101 - it begins with what was found
        start = match.end()
        tokens.append(Token("\\\\", "\\\\", Span(end, start)))
    return (*tokens, *_Lexer(latex, start).run())


# Cached, as formulas often begin alike, such as a norm with its mean.
@lru_cache(maxsize=FORMULAS)
def _row(until: str, start: int) -> tuple[Token, ...]:
    """The tokens of a row that begins at `start`, where the text is cut off at its end."""
    return _Lexer(until, start).run()


class _Lexer:
    r"""One pass over the text; the braces and `\left` that are open are kept on stacks."""

    def __init__(self, latex: str, start: int = 0) -> None:
        self.latex = latex
        self.at = start
        self.tokens: list[Token] = []
        self.braces: list[Span] = []
        self.lefts: list[tuple[Span, int]] = []
        self.pending: int | None = None

    def run(self) -> tuple[Token, ...]:
        latex, length = self.latex, len(self.latex)
        match_at, append, new = _TOKEN.match, self.tokens.append, tuple.__new__
        while self.at < length:
            match = match_at(latex, self.at)
            assert match is not None  # noqa: S101 - some branch of the pattern takes any character
            start, self.at = match.end(1), match.end()
            if start == length:  # nothing but spaces was left
                break
            span = new(Span, (start, self.at))  # without the step that names the fields, for there are many tokens
            text = latex[start : self.at]
            sign = _SIGNS.get(text) if self.pending is None else None
            if sign is not None:
                append(new(Token, (*sign, span)))
            elif text == "{" and self.pending is None:
                self.braces.append(span)
                append(new(Token, (text, text, span)))
            elif text == "}" and self.braces and self.pending is None:
                self.braces.pop()
                append(new(Token, (text, text, span)))
            else:
                kind = match.lastgroup or "char"
                self.take(kind, match[kind], span)
        if self.braces:
            raise FormulaError("A202", "`{` is never closed", self.braces[-1])
        if self.lefts or self.pending is not None:
            raise FormulaError("A202", r"`\left` without its `\right`", (self.lefts or [(Span(0, 1), 0)])[-1][0])
        return tuple(self.tokens)

    def take(self, kind: str, text: str, span: Span) -> None:
        if kind == "char":
            self.sign(text, span)
        elif kind == "number":
            if power := _POWER_OF_TEN.match(self.latex, self.at):
                factor = "" if text == "1" else rf"{text} \cdot "
                hint = f"write {factor}10^{{{power[1].lstrip('+')}}}"
                raise FormulaError("A203", f"`{text}{power[0]}` is shown as a product with e", span, hint)
            if len(text) > MAX_DIGITS:
                message = f"a number of {len(text)} characters; at most {MAX_DIGITS} are read"
                raise FormulaError("A250", message, span, "write it as a power, as in 10^{-6}")
            self.add("number", text, span)
        elif kind == "newline":
            self.add("\\\\", "\\\\", span)
        elif kind == "command":
            self.command(text, span)
        elif kind == "letter":
            self.add("name", text, span)
        elif kind == "primes":
            self.primes(text, span)
        else:
            self.sign("\\" + text, span)

    def add(self, kind: str, text: str, span: Span) -> None:
        """Keep a token; a bracket after left or right begins where that command does."""
        if self.pending is not None:
            if kind not in _BRACKETS:
                raise FormulaError("A202", f"`{text}` is not a bracket", span, r"put a bracket after \left and \right")
            span, self.pending = Span(self.pending, span.end), None
        self.tokens.append(Token(kind, text, span))

    def sign(self, text: str, span: Span) -> None:
        if text in ("{", "}"):
            raise self.refused_brace(text, span)
        if text in _OPENING:
            self.add("(", text, span)
        elif text in _CLOSING:
            self.add(")", text, span)
        elif text == "\\|":
            self.add("||", text, span)
        elif text in _PLAIN:
            self.add(text, text, span)
        else:
            raise self.refused_sign(text, span)

    def refused_brace(self, text: str, span: Span) -> FormulaError:
        """The error about a brace that opens no group, or closes none."""
        if self.pending is not None:
            return FormulaError("A202", f"`{text}` is not a bracket that is shown", span, rf"write `\{text}`")
        return FormulaError("A202", "`}` without its `{`", span)

    def refused_sign(self, text: str, span: Span) -> FormulaError:
        """The error about a sign that is not in the language."""
        if text == ":" and self.latex.startswith("=", self.at):
            return FormulaError("A201", "`:=` is not in the formula language", span, "write `=`")
        if text == "\\\n":
            place = Span(span.start, span.start + 1)
            return FormulaError("A201", "a single backslash ends this line", place, r"write `\\` to end a row")
        if text == "\\_":
            hint = r"a name of several letters is written d_{\mathrm{model}}"
            return FormulaError("A201", r"`\_` is not in the formula language", span, hint)
        if text in (".", ";", ":", "!"):
            hint = "leave out the subscript to read a whole axis" if text == ":" else "remove it"
            return FormulaError("A201", f"`{text}` has no meaning in a formula", span, hint)
        if text == "*":
            hint = r"write \odot (elementwise), \cdot (scalar) or nothing (matrix)"
            return FormulaError("A204", "`*` is not a product in a formula", span, hint)
        instead = letters.command_for(text[-1])
        shown = text if text.isprintable() else f"U+{ord(text[-1]):04X}"
        hint = f"write `{instead}`" if instead else ""
        return FormulaError("A201", f"the character `{shown}` is not in the formula language", span, hint)

    def primes(self, text: str, span: Span) -> None:
        """Primes belong to the name before them, or, after an index without braces, to what has the index."""
        named = self.tokens[-1:] and self.tokens[-1].kind == "name"
        if named and (len(self.tokens) == 1 or self.tokens[-2].kind not in ("_", "^")):
            last = self.tokens.pop()
            self.add("name", last.text + text, last.span.to(span))
        else:
            self.add("'", text, span)

    def command(self, text: str, span: Span) -> None:
        name = letters.ALIASES.get(text, text)
        if name in letters.SPACING:
            return
        if name in ("left", "right"):
            self.delimiter(name, span)
        elif name in ("begin", "end"):
            self.environment(name, span)
        elif name in letters.UPRIGHT or name in letters.STYLES or name in letters.ACCENTS:
            spelled = self.styled(name, span, 0)
            self.add("name", spelled, Span(span.start, self.at))
        elif name in letters.GREEK or name in letters.FUNCTIONS:
            self.add("name", "\\" + name, span)
        elif name in letters.STRUCTURE:
            self.add("\\" + name, "\\" + text, span)
        elif name in ("|", "||", "<", ">"):
            self.add(name, "\\" + text, span)
        elif name in _OPENING:
            self.add("(", "[" if text == "lbrack" else "\\{", span)
        elif name in _CLOSING:
            self.add(")", "]" if text == "rbrack" else "\\}", span)
        else:
            raise _unknown(text, span)

    def delimiter(self, side: str, span: Span) -> None:
        """A bracket after left or right; a bar becomes one of the two bars that know their side."""
        if side == "left":
            self.lefts.append((span, len(self.braces)))
        elif not self.lefts or self.lefts[-1][1] != len(self.braces):
            raise FormulaError("A202", r"`\right` without its `\left` in the same group", span)
        else:
            self.lefts.pop()
        match = re.compile(r"\s*(\.|\||\\vert(?![A-Za-z])|\\[lr]vert(?![A-Za-z]))").match(self.latex, self.at)
        if match is None:
            self.pending = span.start
            return
        if match[1] == ".":
            message = f"`\\{side}.` is a bracket that is not shown"
            raise FormulaError("A202", message, Span(span.start, match.end()), r"use \left( and \right)")
        self.at = match.end()
        kind = "\\lvert" if side == "left" else "\\rvert"
        self.add(kind, self.latex[span.start : self.at], Span(span.start, self.at))

    def environment(self, name: str, span: Span) -> None:
        match = re.compile(r"\s*\{\s*([A-Za-z]+\*?)\s*\}").match(self.latex, self.at)
        if match is None:
            raise FormulaError("A202", f"`\\{name}` needs the name of an environment in braces", span)
        self.at = match.end()
        self.add(name, match[1], Span(span.start, self.at))

    def styled(self, command: str, span: Span, depth: int) -> str:
        r"""The canonical spelling of `\mathrm{…}`, `\mathbf{…}` or `\bar{…}`, read up to its end."""
        content = self.argument(command, span, depth)
        if command not in letters.UPRIGHT:
            return f"\\{command}{{{content}}}"
        return f"\\mathrm{{{content.replace(' ', '').strip()}}}"

    def argument(self, command: str, span: Span, depth: int) -> str:
        self.blank()
        braced = self.latex.startswith("{", self.at)
        self.at += braced
        self.blank()
        pattern = _WORD if braced and command in letters.UPRIGHT else _ARGUMENT
        match = pattern.match(self.latex, self.at)
        if match is None or depth > _STYLE_DEPTH:
            what = "upright letters" if command in letters.UPRIGHT else "one letter"
            message = f"`\\{command}` takes {what} in braces"
            raise FormulaError("A201", message, span, "put scripts and signs outside")
        self.at = match.end()
        content = match.group().strip()
        if content.startswith("\\"):
            content = self.inner(content[1:], Span(*match.span()), depth)
        self.blank()
        if braced and not self.latex.startswith("}", self.at):
            what = "letters only" if command in letters.UPRIGHT else "one letter only"
            place = Span(self.at, min(self.at + 1, len(self.latex)))
            raise FormulaError("A201", f"`\\{command}` takes {what}", place, "put scripts and signs outside")
        self.at += braced
        return content

    def inner(self, command: str, span: Span, depth: int) -> str:
        if command in letters.GREEK:
            return "\\" + command
        if command in letters.UPRIGHT or command in letters.STYLES or command in letters.ACCENTS:
            return self.styled(command, span, depth + 1)
        raise _unknown(command, span)

    def blank(self) -> None:
        while self.at < len(self.latex) and self.latex[self.at].isspace():
            self.at += 1


def matching(opening: str, closing: str) -> bool:
    """Whether two brackets, as written, belong together."""
    return _PAIRS[opening] == closing


def _unknown(command: str, span: Span) -> FormulaError:
    instead = letters.spelling_for(command)
    known = sorted(letters.GREEK | letters.STRUCTURE | letters.FUNCTIONS | letters.UPRIGHT | letters.ACCENTS)
    near = difflib.get_close_matches(command, known, n=1, cutoff=0.75)
    hint = f"did you mean `\\{near[0]}`?" if near else f"write `\\operatorname{{{command}}}` if it is a name"
    hint = f"write {instead}" if instead else hint
    return FormulaError("A201", f"`\\{command}` is not in the formula language", span, hint)
