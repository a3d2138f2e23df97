"""What one collection gives to a site: its finished pages in all their forms, and its share of the pages of the whole.

It is plain data that any process can make and any build can take as it was kept; the texts, which are most of it, lie
compressed beside it and are read one at a time.
"""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass

from atlas.issues import Issue
from atlas.render.citation import CitationShare
from atlas.render.compare_view import CompareShare
from atlas.render.glossary_share import GlossaryShare
from atlas.render.home_share import HomeShare
from atlas.render.json_conflicts import ConflictsShare
from atlas.render.search_records import FoundShare
from atlas.render.site import Heading, NavSection, Redirect
from atlas.render.uses import UsesShare
from atlas.render.verification_view import VerificationShare

LEVEL = 1
"""How much pains compression takes: texts are read back within the same build."""


@dataclass(frozen=True, slots=True)
class Text:
    """Where a text of a collection lies among its texts."""

    start: int
    """The offset of its first compressed byte."""
    length: int
    """How many compressed bytes it has."""
    digest: bytes
    """What tells it from every other text."""
    links: frozenset[str] = frozenset()
    """The links in it to other addresses of the site, as they are written."""


@dataclass(frozen=True, slots=True)
class MadePage:
    """A page, finished but for what is known only of all pages: whether its title is one of a kind, who is related."""

    url: str
    """Its address below the site's root."""
    kind: str
    """`model`, `library` or `component`."""
    title: str
    """Its title in the navigation."""
    document_title: str
    """Its title in the browser, if no other page has the same."""
    description: str
    """One plain sentence, if no other page has the same."""
    edit_path: str
    """The YAML that it is made from, relative to the content folder."""
    nav: tuple[NavSection, ...]
    """The sections of the navigation that lead to it."""
    headings: tuple[Heading, ...]
    """The table of contents."""
    body: Text
    """Its HTML."""
    column: Text
    """The structure beside it."""
    markdown: Text
    """Its Markdown."""
    entry: str = ""
    """The id of the entry that it shows; empty for the collection's own page."""
    operator: str = ""
    """The name of the entry's operator."""


@dataclass(frozen=True, slots=True)
class MadeFile:
    """A file beside the pages."""

    url: str
    """Its address below the site's root."""
    text: Text
    """What it holds."""
    page: str | None = None
    """The page of which it is another form; None for a file of its own."""


@dataclass(frozen=True, slots=True)
class Made:
    """What one collection gives."""

    id: str
    """The collection."""
    is_model: bool
    """Whether it is a model; else it is a library."""
    pages: tuple[MadePage, ...]
    """Its own page, then those of its entries in the order of the data flow."""
    files: tuple[MadeFile, ...]
    """The files beside them."""
    lines: Text
    """The lines of its records in the file of all records."""
    passages: tuple[MadeFile, ...]
    """Code for which pages have no room; another collection may have the same."""
    found: FoundShare
    """What search finds."""
    citation: CitationShare
    """Its share of the bibliography."""
    home: HomeShare
    """Its share of the home page."""
    names: GlossaryShare
    """Its share of the glossary."""
    comparison: CompareShare | None
    """Its share of the page that compares; None for what cannot be compared."""
    conflicts: ConflictsShare
    """On what its sources do not agree."""
    uses: UsesShare
    """Its share of the pages of operators and sources, and of all lists."""
    claims: VerificationShare
    """Its share of the list of all claims."""
    redirects: tuple[Redirect, ...]
    """What its pages were called before."""
    characters: str
    """What its formulas and diagrams show, for which there must be fonts."""
    nodes: int
    """How many nodes its diagram has."""
    warnings: tuple[Issue, ...]
    """What pages must say: proofs that are stale or missing."""


class Writing:
    """Puts the texts of one collection one after the other, each compressed."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._end = 0

    def add(self, text: str, links: frozenset[str] = frozenset()) -> Text:
        """Add a text."""
        plain = text.encode()
        data = zlib.compress(plain, level=LEVEL)
        added = Text(self._end, len(data), hashlib.blake2b(plain, digest_size=16).digest(), links)
        self._pieces.append(data)
        self._end += len(data)
        return added

    def data(self) -> bytes:
        """All texts."""
        return b"".join(self._pieces)


def read_text(data: bytes, text: Text) -> str:
    """A text of a collection out of all of them."""
    return zlib.decompress(data[text.start : text.start + text.length]).decode()
