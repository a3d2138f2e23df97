"""Where links lead that stand in Markdown, and where exactly each of these destinations is written.

The parser knows which links there are but not where within a block they stand, so they are looked for again in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from atlas.markup.pieces import Piece

MARK = "]("
"""What every link has that a text of one line can hold, but for those that are their own address."""
_VERBATIM = frozenset(("fence", "code_block", "math_block"))
_OPENING = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)|(?<!\\)\]\(\s*|^ {0,3}\[[^\]]+\]:\s*")
"""Code, which is left alone, or what stands before where a link leads, within a line or in a definition of its own."""
_NEXT_LINE = re.compile(r"\n[ \t>]*(?=\S)")
"""What is between the end of a line and what goes on in the next."""


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a link or an image leads, as it is written in a text."""

    target: str
    """The address that is written, without the backslashes and references that stand for characters of it."""
    start: int
    """The 0-based offset of its first character in the text."""
    end: int
    """The offset after its last character."""
    outer: tuple[int, int]
    """The same two with the angle brackets that may stand around it."""


def destinations(markdown: str) -> Iterator[Destination]:
    """The destinations in a text of several blocks, in order; what is code or a formula has none."""
    from atlas.markup.prose import parse  # and with it the parser, which most builds after an edit do without

    parsed = parse(markdown)
    fixed = {
        number
        for token in parsed.tokens
        if token.type in _VERBATIM and token.map
        for number in range(token.map[0], token.map[1])
    }
    known = frozenset(address for token in parsed.tokens for address in _addresses(token.children or ()))
    lines = markdown.split("\n")
    starts = accumulate((len(line) + 1 for line in lines), initial=0)
    for number, (line, start) in enumerate(zip(lines, starts, strict=False)):
        if number not in fixed:
            yield from _in_line(line, markdown, start, known)


def destinations_in_line(text: str, parsed: Sequence[Piece]) -> Iterator[Destination]:
    """The destinations in a text that is one line, wherever its file breaks it; `parsed` is what it consists of."""
    return _in_line(text, text, 0, frozenset(_addresses(parsed)))


def _addresses(pieces: Iterable[Piece]) -> Iterator[str]:
    for piece in pieces:
        if piece.type in ("link_open", "image"):
            yield str(piece.attrs.get("href") or piece.attrs.get("src"))


def _in_line(line: str, text: str, offset: int, known: frozenset[str]) -> Iterator[Destination]:
    """The destinations that a line of a text begins, of which one may stand in the line after it."""
    from atlas.markup.prose import destination_at, normalized

    end = offset
    for found in _OPENING.finditer(line) if known else ():
        if found[1] or offset + found.start() < end:
            continue
        first = offset + found.end()
        if next_line := _NEXT_LINE.match(text, first):
            first = next_line.end()
        target, after = destination_at(text, first)
        if target and normalized(target) in known:
            inner = int(text[first] == "<")
            yield Destination(target, first + inner, after - inner, (first, after))
            end = after
