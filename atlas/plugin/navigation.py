"""The navigation: what MkDocs is told where mkdocs.yml has none, and the part of it that each page shows.

A page of a large atlas would else carry the whole of it, so that the site's size grew with the square of its pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

from markupsafe import Markup, escape
from mkdocs.structure import StructureItem
from mkdocs.structure.files import File, Files, InclusionLevel, file_sort_key
from mkdocs.structure.nav import Link, Navigation, Section
from mkdocs.structure.pages import Page
from mkdocs.utils import dirname_to_title

from atlas.kept import key_of
from atlas.plugin.pages import EntityPage, LinkTargets
from atlas.render.navigation import Menu, MenuItem, linked_pages, navigation, window
from atlas.render.site import NavSection


def default_nav(files: Files) -> list[object]:
    """The navigation where mkdocs.yml has none; titles are HTML, as MkDocs' own themes print them as they are."""
    entities: list[tuple[str, tuple[NavSection, ...]]] = []
    prose: list[File] = []
    for file in files.documentation_pages():
        if file.inclusion.value <= InclusionLevel.NOT_IN_NAV.value:
            continue
        if isinstance(file.page, EntityPage):
            sections = file.page.source.nav or ()
            entities.append((file.src_uri, tuple(NavSection(escape(one.title), one.key) for one in sections)))
        else:
            prose.append(file)
    paths = [file.src_uri for file in sorted(prose, key=file_sort_key)]
    titles = {name: escape(dirname_to_title(name)) for path in paths for name in path.split("/")[:-1]}
    # The home page links to all over the site, and says nothing about the order of what is beside it.
    indexes = [file for file in prose if file.name == "index" and "/" in file.src_uri]
    linked = {file.src_uri: linked_pages(file.src_uri, file.content_string) for file in indexes}
    return cast("list[object]", navigation(entities, paths, titles, linked))


def entity_path(targets: LinkTargets, path: str, title: str | None) -> str:
    """The path in `nav` of an entity's page, which takes the title given there; any other path as it is."""
    file = targets.get_file_from_path(path)
    if file is None or not isinstance(file.page, EntityPage):
        return path
    if title is not None:
        file.page.title = escape(title)
    return file.src_uri


def escape_titles(items: Iterable[StructureItem]) -> None:
    """Make text of the titles that `nav` in mkdocs.yml gives: themes print titles as HTML, and these are plain."""
    for item in items:
        # A page without a title of its own asks its Markdown for one, which is escaped when it is read.
        # What is kept of a page by its names takes twice the memory once it was asked for as a whole.
        title = item.title if isinstance(item, EntityPage) else vars(item).get("title")
        if isinstance(title, str) and not isinstance(title, Markup):
            vars(item)["title"] = escape(title)
        if isinstance(item, Section):
            escape_titles(item.children)


class Menus:
    """The menu of each page: sections lead to their own page, and what is inside is shown where the reader is."""

    def __init__(self, nav: Navigation) -> None:
        self.nav = nav
        self.home = nav.homepage.url if nav.homepage is not None else ""
        """The address of the home page."""
        self._top = _Level(None, tuple(nav.items))
        self._levels: dict[int, _Level] = {}
        self._positions: dict[int, int] = {}
        self._keys: dict[int, bytes] = {}
        self._closed_items: dict[int, MenuItem] = {}
        self._number(self._top)

    def _number(self, level: _Level) -> None:
        """Note what each section holds and where in it each item stands, once for all pages."""
        for position, item in enumerate(level.inner):
            self._positions[id(item)] = position
            if isinstance(item, Section):
                index = next((one for one in item.children if isinstance(one, Page) and one.is_index), None)
                inner = tuple(one for one in item.children if one is not index)
                self._levels[id(item)] = _Level(index, inner)
                self._number(self._levels[id(item)])

    def menu(self, page: Page | None) -> Menu:
        """The menu of a page; None stands for a page outside of the navigation."""
        path = [] if page is None else [page, *page.ancestors]
        return self._menu(self._top, frozenset(id(item) for item in path), path, self.home)

    def top(self, page: Page) -> Menu:
        """The menu of a page without what is inside of its items."""
        path = (page, *page.ancestors)
        positions = self._shown(self._top, path)
        items = tuple(self._closed(self._top.inner[position]) for position in positions)
        return Menu(items, len(self._top.inner), self.home if len(positions) < len(self._top.inner) else None)

    def key(self, page: Page) -> bytes:
        """A digest of all that the menu of a page follows from, once titles are known: pages of one section share it.

        Menus show a part of what is in a section; the whole of it is in the digest.
        """
        above = page.parent
        if id(above) not in self._keys:
            levels = (self._top, *(self._levels[id(item)] for item in page.ancestors if id(item) in self._levels))
            self._keys[id(above)] = key_of("menu", *(self._key_of_level(level) for level in levels))
        return self._keys[id(above)]

    def _key_of_level(self, level: _Level) -> bytes:
        if id(level) not in self._keys:
            said: list[bytes | str] = []
            for item in level.inner:
                inner = self._levels.get(id(item))
                said.append(item.title or "")
                if inner is None:
                    said.append(repr(item.url if isinstance(item, Page | Link) else None))
                elif inner.index is not None:
                    said.append(repr(inner.index.url))
                else:  # it is unfolded everywhere, as nothing else leads to what is in it
                    said.append(self._key_of_level(inner))
            self._keys[id(level)] = key_of("level", *said)
        return self._keys[id(level)]

    def _menu(self, level: _Level, here: frozenset[int], path: Sequence[StructureItem], all_url: str) -> Menu:
        shown = self._shown(level, path)
        items = tuple(self._item(level.inner[position], here, path, all_url) for position in shown)
        return Menu(items, len(level.inner), all_url if len(shown) < len(level.inner) else None)

    def _shown(self, level: _Level, path: Sequence[StructureItem]) -> range:
        """The positions of the items that are shown."""
        at = next((self._positions[id(item)] for item in path if self._is_in(level, item)), 0)
        return window(len(level.inner), at)

    def _closed(self, item: StructureItem) -> MenuItem:
        """An item without what is inside, whatever page is at hand."""
        if id(item) not in self._closed_items:
            level = self._levels.get(id(item))
            page = item if level is None else level.index
            url = page.url if isinstance(page, Page | Link) else None
            self._closed_items[id(item)] = MenuItem(Markup.escape(item.title or ""), url, False, False, None)
        return self._closed_items[id(item)]

    def _is_in(self, level: _Level, item: StructureItem) -> bool:
        position = self._positions.get(id(item), -1)
        return 0 <= position < len(level.inner) and level.inner[position] is item

    def _item(self, item: StructureItem, here: frozenset[int], path: Sequence[StructureItem], all_url: str) -> MenuItem:
        title = Markup.escape(item.title or "")
        if not isinstance(item, Section):
            return MenuItem(title, item.url if isinstance(item, Page | Link) else None, id(item) in here, False, None)
        level = self._levels[id(item)]
        index_is_here = level.index is not None and id(level.index) in here
        unfolded = level.inner and (id(item) in here or level.index is None)
        url = level.index.url if level.index is not None else None
        inner = self._menu(level, here, path, all_url if url is None else url) if unfolded else None
        return MenuItem(title, url, index_is_here, id(item) in here and not index_is_here, inner)


@dataclass(frozen=True, slots=True)
class _Level:
    """What a section holds."""

    index: Page | None
    """The section's own page."""
    inner: tuple[StructureItem, ...]
    """Everything else, in order."""
