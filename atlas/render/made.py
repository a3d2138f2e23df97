"""What one collection, or one piece of the whole, gives to a site: finished pages in all their forms, and shares.

It is plain data that any process can make and any build can take as it was kept; the texts, which are most of it, lie
compressed beside it and are read one at a time.
"""

from __future__ import annotations

import hashlib
import pickle
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from atlas.issues import Issue
from atlas.kept import compressed
from atlas.links.redirects import Redirect
from atlas.render.citation_share import CitationShare
from atlas.render.packed import Packed
from atlas.render.rows import PackedRecords
from atlas.render.search_share import FoundShare
from atlas.render.site import FoundGroup, Heading, NavSection
from atlas.render.uses import UsesShare

ShareKind = Literal["home", "names", "comparison", "conflicts", "claims", "index"]
"""Of what there are shares that are kept apart, as most builds read none of them."""
_ANY = ("utf-8", "surrogatepass")
"""The encoding of texts that may hold anything."""


@dataclass(frozen=True, slots=True)
class Text(Packed):
    """Where a text lies among those of its collection or piece."""

    start: int
    """The offset of its first compressed byte."""
    length: int
    """How many compressed bytes it has."""
    digest: bytes
    """What tells it from every other text."""
    linking: int = 0
    """How many compressed bytes the links in it take to other addresses of the site, which lie behind it."""


@dataclass(frozen=True, slots=True)
class MadePage(Packed):
    """A page, finished but for what is known only of all pages: whether its title is one of a kind, who is related."""

    url: str
    """Its address below the site's root."""
    kind: str
    """What it shows: `model`, `component`, `family` and so on."""
    title: str
    """Its title in the navigation."""
    document_title: str
    """Its title in the browser, if no other page has the same."""
    description: str
    """One plain sentence, if no other page has the same."""
    edit_path: str | None
    """The YAML that it is made from, relative to the content folder; None where there is no such file."""
    nav: tuple[NavSection, ...] | None
    """The sections of the navigation that lead to it; None keeps it out."""
    headings: Text
    """The table of contents: a list in JSON of what each heading is made of."""
    digest: bytes
    """What tells its HTML, with the column and the headings, from that of every other page."""
    body: Text
    """Its HTML."""
    column: Text | None
    """The structure beside it; None where there is none."""
    markdown: Text
    """Its Markdown."""
    ids: Text
    """The ids of elements in its body, with spaces between them."""
    fonts: tuple[str, ...]
    """The files of the fonts that its formulas use."""
    entry: str = ""
    """The id of the entry that it shows; empty for other pages."""
    operator: str = ""
    """The name of the entry's operator."""
    family: str = ""
    """The family of that operator."""
    also_in: tuple[Heading, ...] = ()
    """The headings of what it says of relatives, if it has any."""


@dataclass(frozen=True, slots=True)
class MadeFile(Packed):
    """A file beside the pages."""

    url: str
    """Its address below the site's root."""
    text: Text
    """What it holds."""
    page: str | None = None
    """The page of which it is another form; None for a file of its own."""


@dataclass(frozen=True, slots=True)
class ShareData(Packed):
    """A collection's share of some pages of the whole: read only where these are made anew."""

    digest: bytes
    """What tells it from every other."""
    data: bytes
    """The share, pickled and compressed."""

    @classmethod
    def of(cls, share: object) -> ShareData:
        """A share of plain data, whose representation tells any two apart."""
        digest = hashlib.blake2b(repr(share).encode(*_ANY), digest_size=16).digest()
        return cls(digest, compressed(pickle.dumps(share, 5)))

    def share(self) -> object:
        """The share."""
        # From the user's own cache, written by this very code, and whole by its digest.
        return pickle.loads(zlib.decompress(self.data))  # noqa: S301


@dataclass(frozen=True, slots=True)
class MadePiece:
    """Pages and files of the whole atlas that follow from the same, finished like those of a collection."""

    pages: tuple[MadePage, ...]
    """The pages."""
    files: tuple[MadeFile, ...]
    """The files beside them."""
    lines: Text
    """The lines of its records in the file of all records."""
    found: tuple[FoundGroup, ...]
    """What search finds of it."""
    names: ShareData
    """What of it stands in the alphabetical index."""
    leads: str
    """The addresses that any of it leads to, but for those of relatives, a line each."""
    characters: str
    """What its formulas show, for which there must be fonts."""


@dataclass(frozen=True, slots=True)
class Made:
    """What one collection gives."""

    id: str
    """The collection."""
    is_model: bool
    """Whether it is a model; else it is a library."""
    pages: PackedRecords[MadePage]
    """Its own page, then those of its entries in the order of the data flow."""
    forms: PackedRecords[MadeFile]
    """The files that are other forms of its pages."""
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
    uses: UsesShare
    """Its share of the pages of operators and sources, and of all lists."""
    items: bytes
    """A digest of what lists of all collections and entries say of it."""
    shares: Mapping[ShareKind, ShareData]
    """Its other shares by what they are of; there is none of a kind that says nothing of such a collection."""
    redirects: tuple[Redirect, ...]
    """What its pages were called before."""
    leads: str
    """The addresses that any of it leads to, but for those of relatives, a line each."""
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

    def add(self, text: str, links: Iterable[str] = ()) -> Text:
        """Add a text, with the links in it to other addresses of the site as they are written."""
        data = compressed(text.encode())
        written = "\n".join(sorted(links))
        linking = compressed(written.encode(*_ANY)) if written else b""
        # Of what is compressed the digest is as good, and of a tenth of the bytes.
        added = Text(self._end, len(data), hashlib.blake2b(data, digest_size=16).digest(), len(linking))
        self._pieces += [data, linking]
        self._end += len(data) + len(linking)
        return added

    def data(self) -> bytes:
        """All texts."""
        return b"".join(self._pieces)


def read_text(data: bytes, text: Text) -> str:
    """A text of a collection out of all of them."""
    return zlib.decompress(data[text.start : text.start + text.length]).decode()


def read_links(data: bytes, text: Text) -> frozenset[str]:
    """The links in a text of a collection, out of all its texts."""
    start = text.start + text.length
    if not text.linking:
        return frozenset()
    return frozenset(zlib.decompress(data[start : start + text.linking]).decode(*_ANY).split("\n"))
