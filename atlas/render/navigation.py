"""Where generated pages pretend to come from, and the navigation of a project that does not write its own.

The forms are those of MkDocs (a path per page, nested lists), but nothing here needs it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable

Navigation = list["str | dict[str, Navigation]"]
"""Pages by their path, and sections as one-item mappings of a title to what is below it."""


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
    entities: Iterable[tuple[str, tuple[str, ...]]], prose: Iterable[str], folder_title: dict[str, str]
) -> Navigation:
    """Nest all pages: entities, given with the section titles above them, then prose by the folder it lies in.

    A folder that holds entities is the section of the first of them; another is named by `folder_title`. Sections stand
    where their first page stands, and a section's own index page comes first in it.
    """
    root: Navigation = []
    levels: dict[tuple[str, ...], Navigation] = {(): root}
    sections: dict[str, tuple[str, ...]] = {"": ()}

    def section(folder: str) -> tuple[str, ...]:
        if folder not in sections:
            sections[folder] = (*section(posixpath.dirname(folder)), folder_title[posixpath.basename(folder)])
        return sections[folder]

    def level(titles: tuple[str, ...]) -> Navigation:
        if titles not in levels:
            levels[titles] = []
            level(titles[:-1]).append({titles[-1]: levels[titles]})
        return levels[titles]

    for path, titles in entities:
        sections.setdefault(posixpath.dirname(path), titles)
        level(titles).append(path)
    for path in prose:
        level(section(posixpath.dirname(path))).append(path)
    for items in levels.values():
        items.sort(key=lambda item: not (isinstance(item, str) and _is_index(item)))
    return root


def replaced(nav: object, path: Callable[[str, str | None], str]) -> object:
    """A written navigation with each path, given with the title it has there, replaced by what `path` makes of it."""

    def walk(item: object, title: str | None) -> object:
        if isinstance(item, list):
            return [walk(inner, None) for inner in item]
        if isinstance(item, dict):
            return {key: walk(value, key) for key, value in item.items()}
        return path(item, title) if isinstance(item, str) else item

    return walk(nav, None)


def _is_index(path: str) -> bool:
    return posixpath.splitext(posixpath.basename(path))[0] in ("index", "README")
