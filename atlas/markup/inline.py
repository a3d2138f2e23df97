"""The one-line texts of entries → HTML, with the parser of Markdown for those that hold markup.

Most hold none but formulas, so that most builds after an edit need not load that parser.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from markupsafe import Markup, escape

from atlas.markup.pieces import MATHS, Piece, Plain, formula_of, plain
from atlas.node.process import Formula

if TYPE_CHECKING:
    from markdown_it.token import Token

    from atlas.markup.prose import Typesetter

_SIMPLE = frozenset({"text", "math_inline"})
"""What most texts of one line consist of; the renderer has nothing to do for them."""
_PLAIN = re.compile(r"""(?:[^\W_]|[(“"'])(?:(?:[^\W_]|[ ,.;:()/+=?%“”‘’'"–—×·-])*(?:[^\W_]|[).,;:?%”’"']))?""")
"""A text of one line without any sign that Markdown gives a meaning to, which needs no parser."""
_RUN = r"""(?:[^\W_]|[ ,.;:()/+=?%“”‘’'"–—×·-])*"""
_MATHS = r"""\$(?!\s)[^$\x00\r\n\u202a-\u202e\u2066-\u2069]+(?<![\s\\])\$(?=[ ,.;:()/+=?%“”‘’'"–—×·-]|\Z)"""
_PLAIN_WITH_MATHS = re.compile(rf"(?!\s){_RUN}(?:{_MATHS}{_RUN})+(?<!\s)")
"""The same with formulas between dollars, which neither touch each other nor a letter or digit after them."""
SHORT = 2000
"""How many characters a text of one line has at most that is remembered."""


@dataclass(frozen=True, slots=True)
class ParsedInline:
    """A text of one line, whose formulas are not typeset yet."""

    tokens: tuple[Piece, ...]
    """What there is within the line, one after the other."""
    formulas: tuple[Formula, ...]
    """All formulas in reading order."""
    text: str
    """The plain text; a formula is its TeX."""

    def render(self, typeset: Typesetter) -> Markup:
        """The HTML, without any block element."""
        if all(token.type in _SIMPLE for token in self.tokens):
            parts = (
                _text(token.content) if token.type == "text" else escape(typeset(formula_of(token)))
                for token in self.tokens
            )
            return Markup("".join(parts))  # noqa: S704 - each part is escaped
        from atlas.markup.prose import rendered

        return rendered(cast("Sequence[Token]", self.tokens), {"typeset": typeset})  # the parser made them


def parse_inline(text: str) -> ParsedInline:
    """Parse a text of one line: line breaks are spaces, images are links, no formula gets a line of its own."""
    if _PLAIN.fullmatch(text):
        return ParsedInline((Plain("text", text),), (), text)
    return _parsed_before(text) if len(text) <= SHORT else _parsed_inline(text)


def _parsed_inline(text: str) -> ParsedInline:
    if _PLAIN_WITH_MATHS.fullmatch(text):
        pieces = text.split("$")  # a text, a formula, a text …
        tokens = tuple(Plain("math_inline" if at % 2 else "text", one) for at, one in enumerate(pieces) if one)
        return ParsedInline(tokens, tuple(Formula(tex.strip()) for tex in pieces[1::2]), "".join(pieces))
    from atlas.markup.prose import parse_line

    parsed = parse_line(text)
    return ParsedInline(parsed, tuple(formula_of(token) for token in parsed if token.type in MATHS), plain(parsed))


# A text is parsed for its checks, and soon after that for the page that shows it; nothing changes its tokens.
_parsed_before = lru_cache(maxsize=1024)(_parsed_inline)


def _text(content: str) -> str:
    """A text as markdown-it-py escapes it, which leaves apostrophes alone."""
    return content.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
