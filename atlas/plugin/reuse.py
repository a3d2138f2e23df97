"""What of the present site is used again by a build that changes it: pages and files that would come out the same.

Where most stay, they stay where they are and the others are exchanged; else they are linked into the new site, which
takes the place of the present one only when it is whole. Nothing is linked before everything else is written, so that
nobody can write to the present site through a link.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from filelock import FileLock, Timeout
from jinja2 import Environment, TemplateNotFound, meta
from mkdocs.structure.files import File, Files, InclusionLevel

from atlas.kept import key_of
from atlas.plugin.navigation import Menus
from atlas.plugin.pages import EntityPage
from atlas.plugin.present import LOCK, Present, Written, is_there, place_of
from atlas.render.links import addresses_of, ids_in, is_plain_id
from atlas.render.search_index import PART
from atlas.render.site import SitePage, StoredBody

PAGE = "main.html"
"""The template of all pages that are made from entries."""


class SiteFiles(Files):
    """The files of a build, some of whose pages need not be written."""

    def __init__(self, files: Iterable[File]) -> None:
        super().__init__(files)
        self.finished: frozenset[str] = frozenset()
        """The source paths of pages that are there already, known when all pages are known."""
        self.forms: Iterable[File] = ()
        """The other forms of pages that are left to be written, of which nobody but us need know."""

    def copy_static_files(
        self, dirty: bool = False, *, inclusion: Callable[[InclusionLevel], bool] = InclusionLevel.is_included
    ) -> None:
        """Copy what is no page, and write the other forms of pages."""
        super().copy_static_files(dirty, inclusion=inclusion)
        for file in self.forms:
            file.copy_file(dirty)

    def documentation_pages(self, *, inclusion: Callable[[InclusionLevel], bool] | None = None) -> list[File]:
        """All pages; of those that are finished none where MkDocs asks which to write, by naming their inclusion.

        Templates such as the sitemap's, which are about all pages, get them without asking so.
        """
        pages = super().documentation_pages(inclusion=inclusion or InclusionLevel.is_included)
        named = inclusion is not None and self.finished
        return [file for file in pages if file.src_uri not in self.finished] if named else list(pages)


@dataclass(frozen=True, slots=True)
class Lost:
    """What the present site has that the new one has not: there links that were right may be dead."""

    files: frozenset[str]
    """Files, by their paths."""
    ids: frozenset[str]
    """Ids of elements of any pages."""
    _known: dict[str, bool] = field(default_factory=dict, repr=False, compare=False)

    def is_nothing(self) -> bool:
        """Whether every link that was right still is."""
        return not self.files and not self.ids

    def is_led_to(self, leads: tuple[str, ...] | None) -> bool:
        """Whether one of the files is where something leads to, as far as it is known where it leads."""
        return bool(self.files) and (leads is None or any(map(self._is_in, leads)))

    def may_be_in(self, html: str) -> bool:
        """Whether a page may link to any of the ids."""
        return not all(map(is_plain_id, self.ids)) or any(f"#{one}" in html for one in self.ids)

    def _is_in(self, leads: str) -> bool:
        # Many pages were made together, and share the text.
        if leads not in self._known:
            gone = (address for file in self.files for address in addresses_of(file))
            self._known[leads] = not frozenset(leads.split("\n")).isdisjoint(gone)
        return self._known[leads]


class Reuse:
    """The present site as a source of files for the new one."""

    def __init__(self, general: bytes, present: Present, site: Path) -> None:
        self._general = general
        self._present = present
        self._site = site
        self._keys: dict[str, bytes] = {}
        self._linked: dict[str, Written] = {}

    def is_same(self, path: str, key: bytes) -> bool:
        """Whether a file of the new site will be the one that the present site has; it is taken from there then.

        Args:
            path: Its path in both.
            key: A digest of what it follows from.
        """
        self._keys[path] = key
        written = self._present.files.get(path)
        if written is None or not written.key or written.key != key or not is_there(self._site, path, written):
            return False
        self._linked[path] = written
        return True

    def link(self, new: Path) -> None:
        """Put the files that are the same into the new site too.

        Raises:
            OSError: a file can be neither linked nor copied.
        """
        made: set[str] = set()
        for path in self._linked:
            target = f"{new}{os.sep}{path}"
            if (folder := os.path.dirname(target)) not in made:  # noqa: PTH120 - once a file, and a path costs more
                Path(folder).mkdir(parents=True, exist_ok=True)
                made.add(folder)
            source = f"{self._site}{os.sep}{path}"
            try:
                os.link(source, target)
            except OSError:  # another file system, or one without links
                shutil.copy2(source, target)

    @property
    def linked(self) -> Mapping[str, Written]:
        """The files that are the same, by their paths."""
        return self._linked

    def with_keys(self, files: Mapping[str, Written]) -> Mapping[str, Written]:
        """All files of the new site, each with what it follows from where that is known; `files` are those written."""
        return _Keyed(files, self._linked, self._keys)

    def is_linked(self, path: str) -> bool:
        """Whether a file is one of the present site."""
        return path in self._linked

    def leave(self, written: Iterable[str]) -> None:
        """Take nothing from the present site where something else has been written."""
        for path in written:
            self._linked.pop(path, None)

    def lost(self, files: Collection[str], new: Path, finished: int) -> Lost | None:
        """What links of the files that are the same may miss; None where that is not known, or takes long to find out.

        Args:
            files: The paths of all files that are written.
            new: Where they lie.
            finished: How many pages are the same.
        """
        written = [path for path in files if path.endswith(".html")]
        before = [path for path in written if path in self._present.files]
        if not self._present.links_hold or len(written) > finished:
            return None
        if not all(is_there(self._site, path, self._present.files[path]) for path in before):
            return None
        ids = (_ids(self._site / path) - _ids(new / path) for path in before)
        gone = self._present.files.keys() - self._linked.keys() - set(files)
        # Of the search index only its list leads to the others, and every edit has other ones.
        gone = {path for path in gone if PART.fullmatch(path) is None}
        return Lost(frozenset(gone), frozenset(one for some in ids for one in some))

    def key_of_page(self, page: EntityPage, menus: Menus) -> bytes | None:
        """A digest of all that our own theme's templates are given for a page; None where that cannot be told."""
        source = page.source
        texts = list(_digests(source))
        if None in texts:
            return None
        said = (
            page.title,
            page.url,
            page.edit_url,
            page.is_homepage,
            source.kind,
            source.description,
            [(one.type, one.title, one.url) for one in source.alternates],
            menus.home,
        )
        return key_of("page", self._general, repr(said), menus.key(page), *(text for text in texts if text is not None))


class _Keyed(Mapping[str, Written]):
    """Files that were written and files that were there, with what they follow from; neither is held twice."""

    def __init__(self, written: Mapping[str, Written], there: Mapping[str, Written], keys: Mapping[str, bytes]) -> None:
        self._written = written
        self._there = there
        self._keys = keys

    def __getitem__(self, path: str) -> Written:
        if path not in self._written:
            return self._there[path]
        one = self._written[path]
        return Written(one.size, one.time, self._keys.get(path, one.key))

    def __iter__(self) -> Iterator[str]:
        yield from (path for path in self._there if path not in self._written)
        yield from self._written

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _ids(page: Path) -> set[str]:
    return ids_in(page.read_text(encoding="utf-8"))


def _digests(source: SitePage) -> Iterator[bytes | None]:
    """Digests of a page's texts, each None where it is not known."""
    if source.digest:
        yield source.digest
        context = {name: value for name, value in source.context.items() if not callable(value)}
    else:
        yield source.body.digest if isinstance(source.body, StoredBody) else None
        yield "\0".join([f"{one.level}\0{one.id}\0{one.title}\0{one.html}" for one in source.headings()]).encode()
        context = dict(source.context)
    for name, value in context.items():
        yield name.encode()
        if isinstance(value, StoredBody):
            yield value.digest
        else:
            yield repr(value).encode() if value is None or isinstance(value, str | int) else None


def hold(site: Path, wait: float = 0.0) -> FileLock | None:
    """Keep other builds from changing a site, until this is released; None where another does that, or nobody can.

    Args:
        site: The site's folder.
        wait: Seconds for which another build is waited for.
    """
    place = place_of(site).with_suffix(LOCK)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(place, thread_local=False)
        lock.acquire(timeout=wait)
    except (OSError, Timeout):
        return None
    return lock


def is_own(environment: Environment, theme: str) -> bool:
    """Whether the template of pages, with all that it takes in, is our own theme's: it is known what that looks at."""

    @cache
    def own(name: str | None) -> bool:
        if name is None or environment.loader is None:
            return False
        try:
            text, file, _ = environment.loader.get_source(environment, name)
        except TemplateNotFound:
            return False
        if file is None or not Path(file).resolve().is_relative_to(Path(theme).resolve()):
            return False
        return all(own(one) for one in meta.find_referenced_templates(environment.parse(text)))

    return own(PAGE)
