"""Highlights source code: a file once and as a whole, one piece of HTML per line, from which excerpts are cut.

Only so does an excerpt that begins within a docstring have the right colours, and every line its number in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from html import escape, unescape
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple
from unicodedata import category

from markupsafe import Markup
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.lexers.special import TextLexer
from pygments.style import Style
from pygments.token import STANDARD_TYPES, _TokenType
from pygments.util import ClassNotFound

from atlas.exceptions import ExcerptError
from atlas.markup.code_styles import DarkStyle, LightStyle

_TAG = re.compile("<[^>]*>")
PYTHON = ".py"
"""How files of Python end, which almost all pinned files are; to look through all endings takes Pygments long."""
_KEPT = frozenset("\t\n\f")
"""Control characters that are white space in HTML too."""
_HIDDEN = frozenset(("Cc", "Cf", "Zl", "Zp", "Cs"))
"""Unicode's categories of characters that are not drawn: controls, formats such as changes of direction, separators."""
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufdd0-\ufdef\ufe00-\ufe0f\uffa0\ufff0-\ufff8\ufffe\uffff"
    "\U0001d159\U000e0000-\U000e0fff]"
)
"""Characters that count as letters, marks or symbols and are not drawn either."""


class CodeLine(NamedTuple):
    """One line of a highlighted file; of these there are so many that it matters how quickly one is made."""

    number: int
    """Its 1-based number in the file."""
    html: Markup
    """Its highlighted text, without a line break."""


class CodeLines(tuple[CodeLine, ...]):
    """Lines of a highlighted file; what every page shows of the same lines is made once."""

    @classmethod
    def of(cls, lines: Iterable[CodeLine], text: str) -> CodeLines:
        """Lines of which it is known what `plain_code` gives."""
        made = cls(lines)
        made.__dict__["plain"] = text  # where the property below keeps what it has found
        return made

    @cached_property
    def items(self) -> Markup:
        """The lines as items of a list."""
        return list_items(self)

    @cached_property
    def plain(self) -> str:
        """The lines without colours."""
        return plain_code(self)


def list_items(lines: Sequence[CodeLine]) -> Markup:
    """Lines as items of a list in HTML."""
    html = "</li><li>".join([line.html for line in lines])
    return Markup(f"<li>{html}</li>" if lines else "")  # noqa: S704 - each line is HTML


def plain_code(lines: Iterable[CodeLine]) -> str:
    """Lines as the text that they were highlighted from, with signs for what is not drawn."""
    return unescape(_TAG.sub("", "\n".join([line.html for line in lines])))


def visible(text: str) -> str:
    """The text with a sign for each character that is not drawn, as it makes a line look like what it is not."""
    if text.isprintable() and not _BLANK.search(text):
        return text
    return "".join(_sign(char) if _is_hidden(char) else char for char in text)


def _is_hidden(char: str) -> bool:
    return char not in _KEPT and (category(char) in _HIDDEN or _BLANK.match(char) is not None)


def _sign(char: str) -> str:
    code = ord(char)
    return chr(0x2400 + code) if code < 0x20 else "␡" if code == 0x7F else f"⟨U+{code:04X}⟩"


def highlight(text: str, language: str = "", path: str = "") -> tuple[Markup, ...]:
    r"""One piece of HTML per line of the text, split at "\n" only; the final line break does not begin another line.

    The language is a name that Pygments knows; without one it follows from the path. An unknown one is plain text.
    """
    if not text:
        return ()
    text = f"{_with_plain_breaks(text)}\n"  # many lexers recognize a line by its end
    lines = _lines(_tokens(text, lexer_for(language, path)))
    return tuple(_html(pieces) for pieces in lines)


def plain_lines(text: str) -> list[str]:
    """For each line that `highlight` gives of a text, the line as it is there."""
    return _with_plain_breaks(text).split("\n") if text else []


def excerpt(lines: Sequence[Markup], first: int, last: int, plain: Sequence[str] | None = None) -> CodeLines:
    """The lines from `first` to `last`, both included, with the numbers that they have in their file.

    Args:
        lines: The lines of the file, highlighted.
        first: The 1-based number of the first line.
        last: The number of the last.
        plain: What `plain_lines` gives of the file, where that is at hand.
    """
    if not 1 <= first <= last <= len(lines):
        raise ExcerptError(f"lines {first}-{last} are not in the file, which has {len(lines)} lines")
    cut = list(map(CodeLine, range(first, last + 1), lines[first - 1 : last]))
    return CodeLines(cut) if plain is None else CodeLines.of(cut, "\n".join(map(visible, plain[first - 1 : last])))


def _with_plain_breaks(text: str) -> str:
    """The text with line breaks of one kind, and none after its last line."""
    return text.replace("\r\n", "\n").removesuffix("\n")


def lexer_for(language: str, path: str = "") -> Lexer:
    """Pygments' lexer for the language, else for the path's extension, else the one for plain text."""
    try:
        if language or path.endswith(PYTHON):
            return get_lexer_by_name(language or "python")
        return get_lexer_for_filename(path) if path else TextLexer()
    except ClassNotFound:
        return TextLexer()


def stylesheet(scope: str = ".code") -> str:
    """The CSS of both themes: light, and dark where the reader's system or `data-theme` says so; print is light."""
    dark = list(_rules(DarkStyle))
    return "\n".join(
        [
            *(f"{rule.selector(scope)} {rule.body}" for rule in _rules(LightStyle)),
            "@media screen and (prefers-color-scheme: dark) {",
            *(f"  {rule.selector(f':root:not([data-theme=light]) {scope}')} {rule.body}" for rule in dark),
            "}",
            "@media screen {",
            *(f"  {rule.selector(f':root[data-theme=dark] {scope}')} {rule.body}" for rule in dark),
            "}",
            "",
        ]
    )


@cache
def css_class(kind: _TokenType) -> str:
    """Pygments' short class of a kind of token (or its parent's); none where it looks like any text."""
    while kind not in STANDARD_TYPES and kind.parent is not None:
        kind = kind.parent
    name = STANDARD_TYPES[kind]
    return name if any(name in rule.classes for rule in _rules(LightStyle)) else ""


@dataclass(frozen=True, slots=True)
class _Rule:
    """A CSS rule for several classes of tokens; without classes it is for the code as a whole."""

    classes: tuple[str, ...]
    body: str

    def selector(self, scope: str) -> str:
        return f"{scope} :is({', '.join(f'.{name}' for name in self.classes)})" if self.classes else scope


def _rules(style: type[Style]) -> Iterator[_Rule]:
    """The whole, the highlighted line, then each declaration once with the classes that have it."""
    ink = style.style_for_token(_TokenType())["color"]
    yield _Rule((), f"{{ color: #{ink}; background: {style.background_color} }}")
    yield _Rule(("hll",), f"{{ background: {style.highlight_color} }}")
    by_body: dict[str, list[str]] = {}
    for token, name in sorted(STANDARD_TYPES.items(), key=lambda item: item[1]):
        look = style.style_for_token(token)
        parts = [
            f"color: #{look['color']}" if look["color"] != ink else "",
            "font-weight: 600" if look["bold"] else "",
            "font-style: italic" if look["italic"] else "",
        ]
        if name and any(parts):
            by_body.setdefault(f"{{ {'; '.join(filter(None, parts))} }}", []).append(name)
    for body, classes in by_body.items():
        yield _Rule(tuple(classes), body)


def _tokens(text: str, lexer: Lexer) -> Iterable[tuple[str, str]]:
    """The class and the text of each token; what a lexer does not give back unchanged is shown as plain text.

    `get_tokens` would strip lines at both ends and change line breaks, and with them the numbers of all lines below.
    """
    tokens = [(css_class(kind), value) for _, kind, value in lexer.get_tokens_unprocessed(text)]
    if "".join(value for _, value in tokens) != text:
        return [("", text)]
    return tokens


def _lines(tokens: Iterable[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    """The tokens of each line; one that spans lines has a part in each."""
    line: list[tuple[str, str]] = []
    for name, value in tokens:
        first, *others = value.split("\n")
        line.append((name, first))
        for other in others:
            yield line
            line = [(name, other)]


def _html(pieces: list[tuple[str, str]]) -> Markup:
    """One line; adjacent pieces of the same class share a span, and what has no look of its own has none."""
    html: list[str] = []
    for name, group in groupby(((name if value.strip() else "", value) for name, value in pieces), itemgetter(0)):
        text = escape(visible("".join(value for _, value in group)), quote=False)
        html.append(f'<span class="{name}">{text}</span>' if name else text)
    return Markup("".join(html))  # noqa: S704 - the text is escaped and the class is one of Pygments' own
