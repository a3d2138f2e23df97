"""What search finds of a prose page: its headings and its text, without maths and code."""

from __future__ import annotations

from html.parser import HTMLParser

from atlas.render.search_found import SUMMARY, TEXT
from atlas.render.site import Prose, SearchRecord

SUMMARY_LETTERS = 200
"""How much of a prose page's beginning is shown."""


def prose_record(url: str, title: str, prose: Prose) -> SearchRecord:
    """The record of a prose page, made of its text without maths and code."""
    text = _Text(prose.search).text
    headings = [(SUMMARY, heading.title) for heading in prose.headings if heading.level > 1]
    beginning = text.removeprefix(title).strip()
    summary = beginning if len(beginning) <= SUMMARY_LETTERS else beginning[:SUMMARY_LETTERS].rpartition(" ")[0] + " …"
    return SearchRecord("page", url, title, "", summary, (*headings, (TEXT, text)))


class _Text(HTMLParser):
    """The text of an HTML fragment, its white space folded."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self._parts: list[str] = []
        self.feed(html)
        self.close()

    def handle_data(self, data: str) -> None:
        self._parts.append(data)

    def handle_endtag(self, tag: str) -> None:
        self._parts.append("" if tag in ("a", "code", "em", "span", "strong") else " ")

    @property
    def text(self) -> str:
        """What was read."""
        return " ".join("".join(self._parts).split())
