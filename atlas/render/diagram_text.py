"""Formulas in pictures: short LaTeX as runs of Unicode characters with real sub- and superscripts.

KaTeX's HTML does not go into an SVG; the names of values and axes need little, and what is not known is refused.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from atlas.exceptions import DiagramError
from atlas.node.letters import GREEK, INSTEAD

SMALLER = 0.72
"""How much smaller a sub- or superscript is than what it stands at."""
SMALLEST = 0.55
"""The smallest size relative to the text's."""
LOWERED, RAISED = 0.26, -0.38
"""How far a subscript and a superscript are moved down, in sizes of what they stand at."""
DEEPEST = 20
"""How deep braces may be nested."""
FORMULAS = 1_000
"""How many formulas are remembered as they are shown: the same axes are at most edges of a diagram."""

_SYMBOLS: Mapping[str, str] = MappingProxyType(
    {command[1:]: symbol for symbol, command in list(INSTEAD.items())[::-1] if re.fullmatch(r"\\[A-Za-z]+", command)}
    | {"leq": "≤", "geq": "≥", "neq": "≠", "dots": "…", "prime": "′", "ast": "∗", "varnothing": "∅"}
    | {"lvert": "|", "rvert": "|", "lbrack": "[", "rbrack": "]"}
    | {"quad": "\u2003", "enspace": "\u2002"}
)
"""For each command that stands for one symbol, the symbol; of two symbols that have one command, the first."""
_ITALIC = frozenset(GREEK) - frozenset("ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩϜ") | {"ℓ"}
_UPRIGHT = frozenset(
    ["text", "textrm", "textnormal", "textsf", "texttt", "mbox", "mathrm", "mathsf", "mathtt", "operatorname"]
)
_BOLD = frozenset(["mathbf", "boldsymbol", "bm", "textbf"])
_FUNCTIONS = frozenset(
    ["log", "exp", "max", "min", "sin", "cos", "tanh", "arg", "det", "dim", "sup", "inf", "ln", "mod"]
)
_IGNORED = frozenset(["left", "right", "big", "Big", "displaystyle", "textstyle", "limits", "nolimits"])
_ALPHABETS: Mapping[str, str] = MappingProxyType(
    {"mathbb": "DOUBLE-STRUCK", "mathcal": "SCRIPT", "mathfrak": "FRAKTUR"}
)
_ACCENTS: Mapping[str, str] = MappingProxyType(
    {"hat": "\u0302", "widehat": "\u0302", "tilde": "\u0303", "widetilde": "\u0303", "bar": "\u0304", "vec": "\u20d7"}
    | {"dot": "\u0307", "ddot": "\u0308", "overline": "\u0304", "check": "\u030c"}
)
_SPACES: Mapping[str, str] = MappingProxyType({",": "\u2009", ";": "\u2005", ":": "\u2005", "!": "", " ": " "})
_OPERATORS = frozenset("+−=<>≤≥≠≈×∈→")
_TOKEN = re.compile(r"\\(?P<command>[A-Za-z]+)\*?\s*|\\(?P<escaped>.)|(?P<space>[\s~]+)|(?P<character>.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text in one style."""

    text: str
    """The characters."""
    style: str = ""
    """`i` for a variable, `b` for a bold letter, empty for upright text."""
    size: float = 1.0
    """Its size relative to the text's."""
    shift: float = 0.0
    """How far its baseline lies below the text's, in sizes of the text; above it where negative."""
    script: str = ""
    """`sub` or `sup` where it begins a sub- or superscript, for reading aloud."""


@lru_cache(maxsize=FORMULAS)
def runs(latex: str) -> tuple[Run, ...]:
    r"""A short formula, such as `d_{ff}`, `x_{n+1}` or `\lfloor H/2\rfloor`, as runs; neighbours of one style are one.

    Raises:
        DiagramError: it has a command that pictures do not know, or braces that do not match.
    """
    try:
        reader = _Reader(list(_TOKEN.finditer(latex)))
        found = tuple(reader.until_end())
    except _UnreadableError as error:
        raise DiagramError(f"`{latex}` cannot be shown in a diagram: {error}") from None
    return tuple(_joined(found))


@lru_cache(maxsize=FORMULAS)
def spoken(latex: str) -> str:
    r"""A short formula as plain words: `x_{n+1}` is `x sub n+1`, `\gamma_2` is `γ sub 2`."""
    pieces: list[str] = []
    last = 0.0
    for run in runs(latex):
        back = " " if run.shift == 0 != last else ""
        pieces.append(f" {run.script} {run.text}" if run.script else back + run.text.replace("′", " prime"))
        last = run.shift
    return " ".join("".join(pieces).replace("\u2009", " ").split())


class _UnreadableError(Exception):
    """What is wrong, for a message that names the formula."""


class _Reader:
    """Reads tokens from the left; the style is handed down into groups and scripts."""

    def __init__(self, tokens: list[re.Match[str]]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def until_end(self) -> Iterator[Run]:
        while self._at < len(self._tokens):
            if self._peek() == "}":
                raise _UnreadableError("a } has no {")
            yield from self._item(Run(""))

    def _peek(self) -> str:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else ""

    def _argument(self, style: Run, after: str, *, text: bool = False) -> list[Run]:
        """What a command, `^` or `_` applies to: a group in braces, or one item."""
        while self._at < len(self._tokens) and self._tokens[self._at]["space"] and not text:
            self._at += 1
        if not self._peek():
            raise _UnreadableError(f"nothing follows {after}")
        if self._peek() != "{":
            return list(self._item(style, text=text))
        self._at += 1
        return list(self._group(style, text=text))

    def _group(self, style: Run, *, text: bool = False) -> Iterator[Run]:
        self._depth += 1
        if self._depth > DEEPEST:
            raise _UnreadableError(f"braces are nested deeper than {DEEPEST}")
        while self._peek() != "}":
            if not self._peek():
                raise _UnreadableError("a { has no }")
            yield from self._item(style, text=text)
        self._at += 1
        self._depth -= 1

    def _item(self, style: Run, *, text: bool = False) -> Iterator[Run]:
        """The next token with what belongs to it; in text, spaces count and letters stand upright."""
        token = self._tokens[self._at]
        self._at += 1
        if token["space"] is not None:
            if text:
                yield _like(style, " ")
        elif token["command"]:
            yield from self._command(token["command"], style)
        elif token["escaped"] is not None:
            yield _like(style, _SPACES.get(token["escaped"], token["escaped"]))
        elif token[0] == "{":
            yield from self._group(style, text=text)
        elif token[0] in "^_" and not text:
            yield from self._script(token[0], style)
        elif token[0] == "'" and not text:
            yield Run("′", "", style.size * SMALLER, style.shift + style.size * RAISED)
        else:
            yield _character(token[0], style, text=text)

    def _script(self, sign: str, style: Run) -> Iterator[Run]:
        size = max(style.size * SMALLER, SMALLEST)
        shift = style.shift + style.size * (LOWERED if sign == "_" else RAISED)
        inner = self._argument(Run("", style.style, size, shift), sign)
        for index, run in enumerate(inner):
            script = ("sub" if sign == "_" else "sup") if index == 0 else run.script
            yield Run(run.text, run.style, run.size, run.shift, script)

    def _degree(self, style: Run) -> Iterator[Run]:
        """The degree of a root in brackets, if there is one."""
        if self._peek() != "[":
            return
        self._at += 1
        raised = Run("", style.style, max(style.size * SMALLER, SMALLEST), style.shift + style.size * RAISED)
        while self._peek() != "]":
            if not self._peek():
                raise _UnreadableError("a [ has no ]")
            yield from self._item(raised)
        self._at += 1

    def _command(self, name: str, style: Run) -> Iterator[Run]:  # noqa: C901 - one branch for each sort of command
        if name in _SYMBOLS:
            yield _character(_SYMBOLS[name], style)
        elif name in _FUNCTIONS:
            yield _like(style, name)
        elif name in _IGNORED:
            return
        elif name in _UPRIGHT:
            yield from self._argument(style, rf"\{name}", text=True)
        elif name in _BOLD:
            yield from self._argument(Run("", "b", style.size, style.shift), rf"\{name}")
        elif name == "mathit":
            yield from self._argument(style, rf"\{name}")
        elif name in _ALPHABETS:
            for run in self._argument(style, rf"\{name}", text=True):
                yield _like(run, "".join(_letter(letter, _ALPHABETS[name]) for letter in run.text))
        elif name in _ACCENTS:
            inner = self._argument(style, rf"\{name}")
            yield from inner[:1] and [Run(inner[0].text + _ACCENTS[name], *_rest(inner[0]))]
            yield from inner[1:]
        elif name in ("frac", "tfrac", "dfrac"):
            above = self._argument(style, rf"\{name}")
            yield from _bracketed(above, style)
            yield _like(style, "/")
            yield from _bracketed(self._argument(style, rf"\{name}"), style)
        elif name == "sqrt":
            yield from self._degree(style)
            yield _like(style, "√")
            yield from _bracketed(self._argument(style, rf"\{name}"), style)
        else:
            raise _UnreadableError(rf"\{name} is not known in pictures")


def _like(style: Run, text: str) -> Run:
    """Upright text at the size and place of a style."""
    return Run(text, style.style if style.style == "b" else "", style.size, style.shift)


def _rest(run: Run) -> tuple[str, float, float, str]:
    return run.style, run.size, run.shift, run.script


def _character(character: str, style: Run, *, text: bool = False) -> Run:
    """One character: letters are variables, operators have room around them outside scripts."""
    character = {"-": "−", "*": "∗"}.get(character, character) if not text else character
    if not text and not style.style and (character in _ITALIC or (character.isascii() and character.isalpha())):
        return Run(character, "i", style.size, style.shift)
    if character in _OPERATORS and not text and style.size == 1:
        return _like(style, f"\u2009{character}\u2009")
    if character == ",":
        return _like(style, ",\u2009" if style.size == 1 and not text else ",")
    return _like(style, character)


def _letter(letter: str, alphabet: str) -> str:
    """A letter of another alphabet, as Unicode has it: ℝ and ℒ stand apart from the rest of theirs."""
    case = "CAPITAL" if letter.isupper() else "SMALL"
    for name in (f"{alphabet} {case} {letter.upper()}", f"MATHEMATICAL {alphabet} {case} {letter.upper()}"):
        try:
            return unicodedata.lookup(name)
        except KeyError:
            continue
    return letter


def _bracketed(inner: list[Run], style: Run) -> list[Run]:
    """The inner runs, in parentheses where they are more than one symbol with its scripts."""
    atoms = sum(len(run.text.strip()) for run in inner if run.shift == style.shift)
    number = all(run.text.isdigit() for run in inner)
    return inner if atoms <= 1 or number else [_like(style, "("), *inner, _like(style, ")")]


def _joined(found: tuple[Run, ...]) -> Iterator[Run]:
    """The runs with neighbours of one style put together."""
    last: Run | None = None
    for run in found:
        if not run.text:
            continue
        if last is not None and not run.script and _rest(run)[:3] == _rest(last)[:3]:
            last = Run(last.text + run.text, *_rest(last))
        else:
            if last is not None:
                yield last
            last = run
    if last is not None:
        yield last
