"""The finished site as plain data: what rendering hands to the host that writes it (MkDocs today, another tomorrow).

Nothing here knows the host; bodies are read from disk one at a time, so that ten thousand pages never live in memory.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from atlas.issues import Issue
from atlas.links.redirects import Redirect
from atlas.render.packed import Packed

if TYPE_CHECKING:
    from jinja2 import BytecodeCache


def _untold(_: str) -> None:
    """Says nothing of what takes long."""


Body = Callable[[], str]
"""Produces a page's finished HTML each time it is called."""
FoundKind = Literal["model", "component", "operator", "symbol", "library", "source", "page"]
"""The kinds of things that search finds."""


def _no_links() -> frozenset[str]:
    """The further links of a file whose links are all known."""
    return frozenset()


def _no_address(path: str) -> None:
    """Where files are edited while the repository is not known: nowhere."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the host knows and rendering needs."""

    root: Path
    """The project's folder; issues name their files relative to it."""
    content: Path
    """The folder of entries and prose."""
    sources: Path
    """The folder of source manifests."""
    workspace: Path
    """A scratch folder that lives as long as this build and is removed with it, also after a killed run."""
    site_name: str = ""
    """The site's title."""
    templates: tuple[Path, ...] = ()
    """Folders in which the templates of pages are looked for before those of our own theme."""
    missing_sources: Literal["fail", "link"] = "fail"
    """What happens to an excerpt that can neither be fetched nor found in the cache."""
    site_url: str = ""
    """The address that the site will have, or empty; only what is cited names it."""
    data_license: str = ""
    """The licence of the data as an SPDX expression, or empty."""
    edit_address: Callable[[str], str | None] = _no_address
    """Where a file of the content folder is edited; None where the repository is not known."""
    say: Callable[[str], None] = _untold
    """Says what takes long, such as what is brought from the network; a line each."""
    has_folders: bool = True
    """Whether each page of prose is a folder (`notes/`), else a file (`notes.html`)."""


@dataclass(frozen=True, slots=True)
class Heading(Packed):
    """One line of a page's table of contents."""

    level: int
    """1 for `h1` to 6 for `h6`."""
    id: str
    """The element's id, which links name after `#`."""
    title: str
    """The heading as plain text."""
    html: str = ""
    """The heading as finished HTML without links, where it is more than its text, such as a formula."""


@dataclass(frozen=True, slots=True)
class NavSection(Packed):
    """A section of the navigation that leads to a page."""

    title: str
    """Its title as plain text."""
    key: str
    """What tells it from others of the same title: the address below which its pages are, or a word of its own."""


@dataclass(frozen=True, slots=True)
class Alternate:
    """Another form of a page."""

    type: str
    """Its media type."""
    title: str
    """What it is called on the page."""
    url: str
    """Its address below the site's root."""


@dataclass(frozen=True, slots=True)
class Produced:
    """A text that is produced when it is written, with what tells it from every other."""

    text: Body
    """Produces it."""
    digest: bytes
    """A digest of what it follows from."""

    def __call__(self) -> str:
        """The text."""
        return self.text()


@dataclass(frozen=True, slots=True)
class Streamed:
    """A long text that is produced in pieces when it is written, so that it is never in memory as a whole."""

    texts: Callable[[], Iterator[str]]
    """Produces the pieces."""
    digest: bytes
    """A digest of what they follow from."""

    def __call__(self) -> str:
        """The text as a whole."""
        return "".join(self.texts())


@dataclass(frozen=True, slots=True)
class SitePage:
    """One page that is made from entries; its body's links are relative to its own address."""

    url: str
    """The address below the site's root, ending in `/`; empty for the home page."""
    title: str
    """The title as plain text."""
    kind: str
    """What the page shows: `component`, `model`, `library`, `operator`, `source` and so on."""
    description: str
    """One plain sentence for search results, link previews and the search plugins of other themes."""
    headings: Callable[[], tuple[Heading, ...]]
    """Reads the table of contents in reading order."""
    edit_path: str | None
    """The YAML file that the page is made from, relative to the content folder; None where there is no such file."""
    nav: tuple[NavSection, ...] | None
    """The sections that lead to the page; None keeps it out of the navigation."""
    body: Body
    """Produces the finished HTML body; called when the page is written and not kept."""
    context: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    """What the template needs besides the body."""
    alternates: tuple[Alternate, ...] = ()
    """The other forms in which it is published."""
    digest: bytes = b""
    """A digest of what its body, its headings and what its context produces follow from; empty where it is not known,
    and then stored texts are compared."""
    leads: tuple[str, ...] | None = None
    """All addresses that the page, and others that were made with it, lead to: texts with an address in each line;
    None where they are not known."""
    links: Callable[[], Iterable[str]] | None = None
    """Reads the links of its body to other addresses of the site, as they are written; None where the body is asked."""
    ids: Callable[[], Container[str]] | None = None
    """Reads the ids of elements in its body; None where the page is asked."""
    fonts: tuple[str, ...] | None = None
    """The files of the fonts that its formulas use; None where the body is asked."""

    def __post_init__(self) -> None:
        """Refuse an address that is not written in its one form."""
        if self.url and not self.url.endswith("/"):
            raise ValueError(f"the address {self.url!r} of a page must end in '/'")
        _require_plain(self.url[:-1].split("/") if self.url else [], self.url)


@dataclass(frozen=True, slots=True)
class SiteAsset:
    """One file that is copied or written into the site as it is."""

    url: str
    """The address below the site's root, with a file name."""
    content: Path | bytes | StoredBody | Produced | Streamed
    """The file to copy, the bytes to write, or a text that is written where the site does not have it already."""
    links: frozenset[str] = frozenset()
    """The links in it to other addresses of the site, as they are written, to be checked like those of pages."""
    more_links: Callable[[], Iterable[str]] = _no_links
    """Finds further such links, once they are looked at."""
    leads: tuple[str, ...] | None = None
    """All addresses that the file, and others that were made with it, lead to: texts with an address in each line;
    None where they are not known."""
    page: str | None = None
    """The page of which it is another form, and without which it is not written; None for a file of its own."""
    repeats: bool = False
    """Whether all that it leads to, other files of the site lead to as well."""

    def __post_init__(self) -> None:
        """Refuse an address that is not written in its one form."""
        if not self.url or self.url.endswith("/"):
            raise ValueError(f"the address {self.url!r} of an asset must name a file")
        _require_plain(self.url.split("/"), self.url)


@dataclass(frozen=True, slots=True)
class ProseFile:
    """One Markdown page as its author wrote it."""

    path: str
    """The file, relative to the project's folder, as issues name it."""
    markdown: str
    """The text without its front matter."""
    first_line: int
    """The 1-based line of the file that the text begins on."""


@dataclass(frozen=True, slots=True)
class Prose:
    """One Markdown page, rendered; its links are still as the author wrote them."""

    html: str
    """The finished HTML."""
    title: str | None
    """The first heading of level 1 as plain text, or None."""
    headings: tuple[Heading, ...]
    """The table of contents in reading order."""
    search: str
    """The same HTML with formulas and code as short plain text, which is what search plugins are shown."""
    warnings: tuple[Issue, ...] = ()
    """What is wrong with it and does not keep it from being shown."""


ProseRenderer = Callable[[ProseFile], Prose]
"""Renders one prose page; what is wrong with it is raised as a ContentError."""


@dataclass(frozen=True, slots=True)
class SearchRecord:
    """One thing that search finds."""

    kind: FoundKind
    """What kind of thing it is; the group in which it is shown."""
    url: str
    """Its address below the site's root."""
    title: str
    """Its name."""
    where: str
    """What it belongs to, in a few words."""
    summary: str
    """One sentence."""
    texts: tuple[tuple[int, str], ...] = ()
    """By what else it is found: texts, each with its weight."""


@dataclass(frozen=True, slots=True)
class FoundGroup(Packed):
    """Things of one kind that search finds, with the words by which it finds them, ready for an index to merge.

    What is a list here is one text or one array of bytes, so that ten thousand pages need little memory.
    """

    kind: FoundKind
    """What kind of things they are."""
    count: int
    """How many they are, at least one; each is known by its place from 0 on."""
    shown: str
    """What is shown of each, a line each: its address, name, what it belongs to and summary, as a list in JSON."""
    words: str
    """Every word by which one of them is found, a line each."""
    counts: bytes
    """How many are found by each word, as an array of numbers."""
    postings: bytes
    """For each word in turn, the place and weight of those that are found by it, as an array of numbers."""
    also: tuple[tuple[int, str], ...] = ()
    """Other names by which an alphabetical index lists them, each with the place of what it names."""


def _nothing() -> None:
    """The `close` of a site that holds nothing open, and the `settle` of one whose assets are finished."""


@dataclass(frozen=True, slots=True)
class Site:
    """Everything that is made from content, ready to be written."""

    pages: Sequence[SitePage]
    """The pages; within a section of the navigation they keep this order, which is the data flow's."""
    assets: Sequence[SiteAsset]
    """The files beside the pages, each for itself."""
    forms: Sequence[SiteAsset]
    """The other forms of pages, which are not written without them."""
    issues: tuple[Issue, ...]
    """What is wrong with the content; a site with any error is not written, warnings are said on its pages."""
    prose: ProseRenderer
    """Renders the prose pages beside the entries."""
    redirects: tuple[Redirect, ...] = ()
    """What entries were called before."""
    found: tuple[FoundGroup, ...] = ()
    """What search finds of the pages; prose pages get theirs once they are rendered."""
    close: Callable[[], None] = _nothing
    """Releases what `prose` and the bodies hold open, such as the Node process; called once, after the last page."""
    settle: Callable[[], None] = _nothing
    """Finishes the assets that depend on all prose, such as fonts; called once, before the assets are copied."""
    copied: Callable[[], None] = _nothing
    """Gets bodies and assets ready to be read in a copy of this process; called there, after `settle`."""
    compiled: BytecodeCache | None = None
    """Keeps the host's own templates as they are compiled, where no other plugin changes how they are."""


class PageStore:
    """Finished bodies in one file on disk, compressed; a body comes back by the callable that `keep_data` returned.

    A copy of the process begins a file of its own: what several write to one, none finds again.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._end = 0
        self._process = os.getpid()
        path.write_bytes(b"")

    def keep_data(self, data: bytes) -> StoredBody:
        """Store a body, compressed as zlib reads it, and return what reads it again."""
        if self._process != os.getpid():
            self._process = os.getpid()
            self._path = self._path.with_name(f"{self._path.name}-of-{self._process}")
            self._path.write_bytes(b"")
            self._end = 0
        with self._path.open("ab") as file:
            file.write(data)
        stored = StoredBody(self._path, self._end, len(data), blake2b(data, digest_size=16).digest())
        self._end += len(data)
        return stored


@dataclass(frozen=True, slots=True)
class StoredBody:
    """Where a body lies in a store's file."""

    path: Path
    """The store's file."""
    start: int
    """The offset of its first byte."""
    length: int
    """How many compressed bytes it has."""
    digest: bytes
    """A digest of these bytes, which is the same for the same text."""

    def __call__(self) -> str:
        """Read the body."""
        return zlib.decompress(self.data()).decode()

    def data(self) -> bytes:
        """The body as it lies there, compressed."""
        with self.path.open("rb") as file:
            file.seek(self.start)
            return file.read(self.length)


def _require_plain(parts: list[str], url: str) -> None:
    if any(part in ("", ".", "..") for part in parts) or set(url) & set("\\?#"):
        raise ValueError(f"the address {url!r} must be a plain path below the site's root")
