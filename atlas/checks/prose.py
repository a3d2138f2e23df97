"""Pages of prose: every formula is accepted by KaTeX, and all markup is such that it is understood.

A check and a build say the same of a page, each issue where it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from atlas.checks.display_hints import refusal
from atlas.entries.spans import excerpt_between
from atlas.issues import Issue, ordered
from atlas.markup.unknown import unknown
from atlas.node.process import Typeset

if TYPE_CHECKING:  # the parser is loaded only where there is prose to parse
    from atlas.markup.prose import ParsedProse

LONGEST = 60
"""How many characters of a formula or of other markup a message shows."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of prose."""

    path: str
    """The file, as issues name it."""
    markdown: str
    """Its text without the front matter."""
    first_line: int
    """The 1-based line of the file that the text begins on."""

    def issue(self, code: str, message: str, hint: str, first: int, end: int) -> Issue:
        """An issue about what stands between two offsets of the text."""
        line = self.first_line + self.markdown.count("\n", 0, first)
        column = first - self.markdown.rfind("\n", 0, first)
        return Issue(self.path, line, column, code, message, hint, excerpt_between(self.markdown, first, end))


def prose_issues(page: Page, parsed: ParsedProse, results: Sequence[Typeset]) -> list[Issue]:
    """What is wrong with a page, given each of its formulas as it was typeset."""
    found = [
        page.issue(
            "A912",
            f"`{_short(one.written)}` is {one.what}, which is shown as it is written",
            one.hint,
            one.start,
            one.start + len(one.written),
        )
        for one in unknown(page.markdown)
    ]
    return ordered([*found, *_refused(page, parsed, results)])


def _refused(page: Page, parsed: ParsedProse, results: Sequence[Typeset]) -> Iterator[Issue]:
    offset, number, after = 0, 1, 0
    for line, result in zip(parsed.formula_lines, results, strict=True):
        while number < line:
            offset, number = page.markdown.find("\n", offset) + 1, number + 1
        start = _begin(page.markdown, result.formula.tex, max(offset, after))
        after = start + 1
        if result.html is not None:
            continue
        error, _, hint = result.error.partition("; ")
        found = refusal(result.formula.tex, error, result.position)
        at = start if found.position is None else _place(page.markdown, result.formula.tex, start, found.position)
        message = f"`{_short(result.formula.tex)}` cannot be displayed: {found.message}"
        yield page.issue("A906", message, hint or found.hint, at, at + 1)


def _begin(markdown: str, tex: str, offset: int) -> int:
    """Where the TeX of a formula begins that stands behind an offset, after its dollars or on the lines below them."""
    first = tex.split("\n")[0]
    found = re.compile(rf"\$[\s>]*{re.escape(first)}").search(markdown, offset)
    return found.end() - len(first) if found else max(markdown.find(first, offset), offset)


def _place(markdown: str, tex: str, start: int, position: int) -> int:
    """The offset in the text of a position in a formula; lines of the text may begin with signs of lists and quotes."""
    if markdown.startswith(tex, start):
        return start + position
    before = tex[:position].split("\n")
    for _ in before[1:]:
        start = markdown.find("\n", start) + 1 or start
    line = tex.split("\n")[len(before) - 1]
    return max(markdown.find(line, start), start) + len(before[-1])


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"
