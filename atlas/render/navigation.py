"""Where generated pages pretend to come from, and the navigation of a project that does not write its own.

The forms are those of MkDocs (a path per page, nested lists), but nothing here needs it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from atlas.render.site import NavSection

_LINK = re.compile(r"\]\(([^()\s#]+\.md)(?:#[^()\s]*)?\)")
"""A link of Markdown to another file of it."""
SHOWN = 40
"""How many items of one section a menu shows; a page would else name every other one."""

Navigation = list["str | dict[str, Navigation]"]
"""Pages by their path, and sections as one-item mappings of a title to what is below it."""


@dataclass(frozen=True, slots=True)
class MenuItem:
    """One line of a page's menu."""

    title: Markup
    """Its title as HTML."""
    url: str | None
    """The address that it leads to; None for a section without a page of its own."""
    is_current: bool
    """Whether it leads to the page at hand."""
    is_above: bool
    """Whether it is a section that the page at hand lies in."""
    inner: Menu | None
    """What is inside, where the menu shows it."""


@dataclass(frozen=True, slots=True)
class Menu:
    """What a page's menu shows of one section."""

    items: tuple[MenuItem, ...]
    """The items shown."""
    count: int
    """How many items there are."""
    all_url: str | None
    """Where all of them are listed; None where all are shown."""


def source_paths(urls: Iterable[str], files: Iterable[str]) -> dict[str, str]:
    """The Markdown path of the page at each address, as an author would choose it.

    A page with others below it, or with any of `files`, is its folder's `index.md`; any other is a file of its name.
    """
    stems = {url: url.removesuffix("/") for url in urls}
    folders = {""}
    for path in (*stems.values(), *files):
        folder = posixpath.dirname(path)
        while folder not in folders:
            folders.add(folder)
            folder = posixpath.dirname(folder)
    return {
        url: posixpath.join(stem, "index.md")
        if stem in folders or posixpath.basename(stem) in ("index", "README")
        else f"{stem}.md"
        for url, stem in stems.items()
    }


def navigation(
    entities: Iterable[tuple[str, tuple[NavSection, ...]]],
    prose: Iterable[str],
    folder_title: Mapping[str, str],
    linked: Mapping[str, Sequence[str]] | None = None,
) -> Navigation:
    """Nest all pages: entities, given with the sections above them, then prose by the folder it lies in.

    A folder that holds entities is the section of the first of them; another is named by `folder_title`. Sections stand
    where their first page stands, and a section's own index page comes first in it. Two with one title stay two.
    `linked` holds what index pages of prose link to, in order: pages of their sections stand in it, before any others.
    """
    root: Navigation = []
    levels: dict[tuple[str, ...], Navigation] = {(): root}
    sections: dict[str, tuple[NavSection, ...]] = {"": ()}

    def section(folder: str) -> tuple[NavSection, ...]:
        if folder not in sections:
            own = NavSection(folder_title[posixpath.basename(folder)], f"{folder}/")
            sections[folder] = (*section(posixpath.dirname(folder)), own)
        return sections[folder]

    def level(above: tuple[NavSection, ...]) -> Navigation:
        keys = tuple(one.key for one in above)
        if keys not in levels:
            levels[keys] = []
            level(above[:-1]).append({above[-1].title: levels[keys]})
        return levels[keys]

    for path, above in entities:
        sections.setdefault(posixpath.dirname(path), above)
        level(above).append(path)
    for path in prose:
        level(section(posixpath.dirname(path))).append(path)
    for items in levels.values():
        items.sort(key=lambda item: not (isinstance(item, str) and _is_index(item)))
        order = (linked or {}).get(items[0], ()) if isinstance(items[0], str) else ()
        items[1:] = _in_order(items[1:], order)
    return root


def linked_pages(path: str, markdown: str) -> list[str]:
    """The Markdown files that a page of prose links to, in order, as paths like its own."""
    folder = posixpath.dirname(path)
    return [posixpath.normpath(posixpath.join(folder, target)) for target in _LINK.findall(markdown)]


def window(count: int, at: int, most: int = SHOWN) -> range:
    """The positions that a menu shows of `count` items: all, or `most` of them around the one at hand."""
    if count <= most:
        return range(count)
    first = min(max(at - most // 2, 0), count - most)
    return range(first, first + most)


def replaced(nav: object, path: Callable[[str, str | None], str]) -> object:
    """A written navigation with each path, given with the title it has there, replaced by what `path` makes of it."""

    def walk(item: object, title: str | None) -> object:
        if isinstance(item, list):
            return [walk(inner, None) for inner in item]
        if isinstance(item, dict):
            return {key: walk(value, key) for key, value in item.items()}
        return path(item, title) if isinstance(item, str) else item

    return walk(nav, None)


def _in_order(items: Navigation, order: Sequence[str]) -> Navigation:
    """The pages that are named first, as they are first named; then all else as it is."""
    rank = {path: number for number, path in reversed([*enumerate(order)])}
    return sorted(items, key=lambda item: rank.get(item, len(order)) if isinstance(item, str) else len(order))


def _is_index(path: str) -> bool:
    return posixpath.splitext(posixpath.basename(path))[0] in ("index", "README")
