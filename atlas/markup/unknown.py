"""What authors write in prose that is no Markdown here: raw HTML, and the additions that other programs know.

All of it stays on the page as the characters that were written, which nobody sees who does not read that page; so it is
found, with the place where it stands. The README lists what is understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from atlas.markup.pieces import MATHS

if TYPE_CHECKING:
    from markdown_it.token import Token

_PERHAPS = re.compile(
    r"<[A-Za-z/!?]|!!!|\?\?\?|:::|=== ?[\"']|\[\^|\[[ xX]\]|\[TOC\]|\[!|\{:? *[.#]|^[ >]*:[ \t]", re.MULTILINE
)
"""What no text lacks in which something is found: most need not be parsed once more."""
_AT_LINE = (
    (
        re.compile(r"(?:!!!|\?\?\?\+?)[ \t]+[\w\"'].*"),
        "an admonition",
        "write a paragraph, or a quote with > before it",
    ),
    (re.compile(r":{3,}[ \t]*\{?[A-Za-z].*"), "a container", "write a paragraph, or a quote with > before it"),
    (
        re.compile(r"\[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\].*"),
        "an alert",
        "leave it out: the quote is shown as one",
    ),
    (re.compile(r"===[!+]?[ \t]+[\"'].*"), "a tab", "write a heading"),
    (re.compile(r"\[TOC\]$"), "a table of contents", "leave it out: each page has one"),
    (re.compile(r"\{:?[ \t]*[.#][\w-][^{}]*\}$"), "a list of attributes", "leave it out"),
)
_TAG = re.compile(r"</([A-Za-z][\w-]*)")
_OPENING = re.compile(r"<[A-Za-z][\w-]*")
_TASK = re.compile(r"\[[ xX]\](?=\s)")
_ATTRIBUTES_AT_END = re.compile(r"(?<=\s)\{:?[ \t]*[.#][\w-][^{}]*\}$")
_DEFINITION = re.compile(r":[ \t]+\S.*")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]+\]:?")
_NO_FOOTNOTES = "a footnote", "put it in brackets, or below a heading of its own"


@dataclass(frozen=True, slots=True)
class Unknown:
    """One thing that is shown as it is written."""

    what: str
    """What it would be elsewhere, such as `raw HTML`."""
    written: str
    """How it is written: the first line of it."""
    hint: str
    """What to write instead."""
    start: int
    """The 0-based offset in the text."""


def unknown(markdown: str) -> Iterator[Unknown]:
    """What a text of several blocks holds that is not understood, in order."""
    opened: set[str] = set()
    for one in sorted(_Search(markdown).found(), key=lambda one: one.start) if _PERHAPS.search(markdown) else ():
        # Of an element the end is not told too.
        name = _TAG.match(one.written)
        if name is None or f"<{name[1]}" not in opened:
            yield one
        opened.update(tag[0] for tag in _OPENING.finditer(one.written))


class _Search:
    """One text, parsed as if HTML were understood."""

    def __init__(self, markdown: str) -> None:
        self._text = markdown
        self._starts = list(accumulate((len(line) + 1 for line in markdown.split("\n")), initial=0))

    def found(self) -> Iterator[Unknown]:
        """Everything, by kinds of blocks."""
        from atlas.markup.prose import parse_with_html  # which loads the parser

        tokens, references = parse_with_html(self._text)
        for label, line in references.items():
            if label.startswith("^"):
                yield self._at(self._starts[line], f"[{label.lower()}]:", *_NO_FOOTNOTES)
        types = ["", "", *(token.type for token in tokens)]
        for (before, opening), token in zip(pairwise(types), tokens, strict=False):
            first = self._starts[token.map[0]] if token.map else 0
            if token.type == "html_block":
                yield self._html(token.content, first)
            if token.type != "inline" or token.map is None:
                continue
            yield from self._pieces(token.children or [], first)
            if opening == "heading_open" and (end := _ATTRIBUTES_AT_END.search(token.content)):
                yield self._at(first, end[0], "a list of attributes", "leave it out: headings have ids by their words")
            if opening == "paragraph_open":
                is_item = before == "list_item_open"
                yield from self._lines(token.content.split("\n"), token.map[0], is_item=is_item)

    def _lines(self, lines: Sequence[str], first: int, *, is_item: bool) -> Iterator[Unknown]:
        """What is known by how a line of a paragraph begins."""
        for number, line in enumerate(lines):
            start = self._starts[first + number]
            if number == 0 and is_item and (task := _TASK.match(line)):
                yield self._at(start, task[0], "a task of a list", "write a word such as “done”")
            if number > 0 and _DEFINITION.fullmatch(line):
                yield self._at(start, line, "a definition", "write a list or a table")
            for pattern, what, hint in _AT_LINE:
                if pattern.fullmatch(line):
                    yield self._at(start, line, what, hint)

    def _pieces(self, pieces: Sequence[Token], start: int) -> Iterator[Unknown]:
        """What stands within lines; whatever is before it is passed, as code may look alike."""
        for piece in pieces:
            if piece.type in ("softbreak", "hardbreak"):
                start = self._text.find("\n", start) + 1 or start
                continue
            at = self._text.find(piece.content, start) if piece.content else -1
            at = start if at < 0 else at
            if piece.type == "html_inline":
                yield self._html(piece.content, at)
            elif piece.type == "text":
                for note in _FOOTNOTE.finditer(piece.content):
                    yield self._at(at, note[0], *_NO_FOOTNOTES)
            elif piece.type not in (*MATHS, "code_inline", "text_special", "image"):
                continue
            start = at + len(piece.content)

    def _html(self, written: str, start: int) -> Unknown:
        is_comment = written.lstrip().startswith("<!--")
        hint = (
            "delete it; what only authors read goes into the front matter, after a #"
            if is_comment
            else "write Markdown; of a character that is meant itself, write \\< or put it into `code`"
        )
        return self._at(start, written.strip(), "a comment of HTML" if is_comment else "raw HTML", hint)

    def _at(self, start: int, written: str, what: str, hint: str) -> Unknown:
        """Something that is written at an offset or after it."""
        line = written.split("\n")[0].rstrip()
        found = self._text.lower().find(line.lower(), start)
        return Unknown(what, line, hint, found if found >= 0 else start)
