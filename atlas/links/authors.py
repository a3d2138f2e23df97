"""The links that authors write, each with the place where it stands: those in the texts of entries and those of prose.

Pages show a text of an entry in many forms; here each link is met once, where it can be mended.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from atlas.checks.display import holds_text
from atlas.entries.spans import locate
from atlas.entries.tree import Document
from atlas.entries.validate import value_at
from atlas.issues import Issue
from atlas.links.meant import below_root, linked
from atlas.markup.destinations import MARK, destinations, destinations_in_line
from atlas.markup.inline import parse_inline


@dataclass(frozen=True, slots=True)
class AuthorLink:
    """A link to the own site, as its author wrote it."""

    written: str
    """The link as it is written."""
    file: str
    """The file of an entry, a collection or prose that it is meant from, below the content folder."""
    path: str
    """The file in which it is written, as issues name it: of an inherited text, the one that states it."""
    line: int
    """The 1-based line."""
    column: int
    """The 1-based column."""
    excerpt: str = ""
    """The source line with carets below the link, or an empty text."""

    @property
    def target(self) -> str:
        """What is before the fragment."""
        return self.written.partition("#")[0]

    @property
    def fragment(self) -> str:
        """The part of the page that it leads to, or an empty text."""
        return unquote(self.written.partition("#")[2])

    def address(self, root_path: str, *, has_folders: bool) -> str | None:
        """The address, without query and fragment, that it leads to from an entry; None where it leaves the site."""
        address = linked(self.written, self.file, has_folders=has_folders)
        if address is None and self.written.startswith("/"):
            address = below_root(self.written, root_path)
        return None if address is None else urlsplit(address).path

    def issue(self, code: str, message: str, hint: str = "") -> Issue:
        """An issue at the link."""
        return Issue(
            self.path, self.line, self.column, code, f"the link {self.written!r} {message}", hint, self.excerpt
        )


def links_in_entry(document: Document, file: str) -> Iterator[AuthorLink]:
    """The links to the own site in the texts of an entry's or a collection's file, in order.

    Args:
        document: What the file states, with what it inherits.
        file: The file, below the content folder.
    """
    if not any(MARK in text for text in document.texts.values()):
        return
    for path in document.marks:
        # What a dimension means is shown as it is written, without links.
        is_linked = holds_text(path) and path[0] != "dimensions"
        value = value_at(document.value, path) if is_linked else None
        if not isinstance(value, str) or MARK not in value:
            continue
        before = len(value) - len(value.lstrip())
        for one in destinations_in_line(value, parse_inline(value).tokens):
            if not is_foreign(one.target):
                mark, excerpt = locate(document, path, (one.start - before, one.end - before))
                yield AuthorLink(one.target, file, mark.path, mark.line, mark.column, excerpt)


def links_in_prose(markdown: str, file: str, path: str, first_line: int = 1) -> Iterator[AuthorLink]:
    """The links to the own site in a page of prose, in order.

    Args:
        markdown: The text without its front matter.
        file: The file, below the content folder.
        path: The file, as issues name it.
        first_line: The 1-based line of the file that the text begins on.
    """
    if MARK not in markdown and "]:" not in markdown:
        return
    for one in destinations(markdown):
        if not is_foreign(one.target):
            line = first_line + markdown.count("\n", 0, one.start)
            column = one.start - markdown.rfind("\n", 0, one.start)
            yield AuthorLink(one.target, file, path, line, column)


def is_foreign(target: str) -> bool:
    """Whether a link leads to another site, or is a mail address."""
    parts = urlsplit(target)
    return bool(parts.scheme or parts.netloc)
