"""What is told of dead links in texts of entries: each once, at the place in the YAML where its author wrote it.

A text is shown on many pages in many forms, and all that is known at first is that some of them lead nowhere; so the
texts are looked through for what leads there too, which only a build with dead links does.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path

from atlas.entries.folders import shown_path
from atlas.entries.load import load
from atlas.entries.tree import read
from atlas.issues import Issue
from atlas.links.authors import AuthorLink, links_in_entry
from atlas.links.told import Names, each_once, no_part, nowhere, outside
from atlas.markup.destinations import MARK
from atlas.render.links import DeadLink


class Authors:
    """The texts of entries, as the sources of dead links."""

    def __init__(self, root: Path, content: Path, sources: Path, files: Iterable[str]) -> None:
        """Look for no link yet.

        Args:
            root: The project's folder.
            content: The folder of entries.
            sources: The folder of manifests.
            files: The YAML files of entries and collections, below the folder of entries.
        """
        self._root = root
        self._content = content
        self._sources = sources
        self._files = [one for one in files if not one.startswith("../")]

    def own_links(self) -> Iterator[AuthorLink]:
        """The links that are written in files, each from its own file."""
        for file in self._files:
            path = self._content / file
            if _has_links(path):
                document, _ = read(path, shown_path(path, self._root))
                if document is not None:
                    yield from links_in_entry(document, file)

    def all_links(self) -> Iterator[AuthorLink]:
        """The same, and those of inherited texts from each file that inherits them."""
        if not any(_has_links(self._content / file) for file in self._files):
            return
        atlas, _ = load(self._root, self._content, self._sources)
        for collection in atlas.collections.values():
            for owner in (collection, *collection.entries):
                yield from links_in_entry(owner.document, owner.file.relative_to(self._content).as_posix())


def told_where_written(
    dead: Sequence[DeadLink],
    authors: Authors,
    root_path: str,
    names: Callable[[], Names],
    ids_of: Callable[[str], Collection[str] | None],
    *,
    has_folders: bool,
) -> list[Issue]:
    """One issue for each place at which a dead link is written; what no author wrote is told by the pages that have it.

    Args:
        dead: What is dead.
        authors: The texts of entries.
        root_path: The path of the site's root.
        names: What an author may have meant.
        ids_of: The ids in the page at an address.
        has_folders: Whether each page of prose is a folder.
    """
    left = {_key(one) for one in dead}
    found: list[tuple[AuthorLink, Issue]] = []
    matched: set[tuple[str, str, str]] = set()
    for links in (authors.own_links, authors.all_links):
        if not left - matched:
            break
        for link in links():
            address = link.address(root_path, has_folders=has_folders)
            place = "" if address is None else _place(address)
            if address is None and (key := ("A903", link.written, "")) in left:
                found.append((link, outside(link, root_path)))
            elif address is not None and (key := ("A904", place, "")) in left:
                found.append((link, nowhere(link, names())))
            elif address is not None and (key := ("A905", place, link.fragment)) in left:
                found.append((link, no_part(link, ids_of(address) or ())))
            else:
                continue
            matched.add(key)
    return [*each_once(found), *(one.issue(root_path) for one in dead if _key(one) not in matched)]


def _key(one: DeadLink) -> tuple[str, str, str]:
    """What dead links have in common that are the same link in several forms of pages."""
    if one.target is None:
        return one.code, one.written, ""
    return one.code, _place(one.target), one.fragment if one.code == "A905" else ""


def _place(address: str) -> str:
    """An address as that of the page, whichever form of it is meant."""
    for name in ("index.html", "index.md"):
        if address == name or address.endswith(f"/{name}"):
            address = address.removesuffix(name)
    return address.rstrip("/")


def _has_links(path: Path) -> bool:
    try:
        return MARK.encode() in path.read_bytes()
    except OSError:
        return False
