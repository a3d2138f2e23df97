"""Links between addresses of the site, relative, so that they work wherever it is hosted: also in a folder on disk.

A page has dozens of them, most to what the pages beside it lead to as well.
"""

from __future__ import annotations

import posixpath
from functools import lru_cache
from urllib.parse import quote

LINKS = 10_000
"""How many links between folders and addresses are remembered; a page has each in several forms."""


def relative_url(target: str, page: str) -> str:
    """The link from the page at address `page` to the address `target`, both below the site's root.

    Such a link works wherever the site is hosted, under a path as well as from a folder on disk.
    """
    folder = page.rpartition("/")[0]
    if "#" not in target and "?" not in target:
        return _relative_path(target, folder)
    path, mark, fragment = target.partition("#")
    path, asks, query = path.partition("?")
    if path == page and fragment and not asks:
        return f"#{fragment}"
    link = _relative_path(path, folder)
    return f"{link}{asks}{quote(query, safe='=&:/') if query else ''}{mark}{fragment}"


@lru_cache(maxsize=LINKS)
def _relative_path(path: str, folder: str) -> str:
    """The link from a folder to an address, both below the site's root."""
    above, _, name = folder.rpartition("/")
    if not above or not name or path.startswith(folder) or _has_others(path) or _has_others(folder):
        return _path_from(path, folder)
    # From a folder that the address is not in, it is one step more than from the one above: all beside it share that.
    link = _path_from(path, above)
    return "../" if link == "./" else ".." if link == "." else f"../{link}"


@lru_cache(maxsize=LINKS)
def _path_from(path: str, folder: str) -> str:
    there, here = _parts(path), _parts(folder)
    shared = 0
    for one, other in zip(there, here, strict=False):
        if one != other:
            break
        shared += 1
    link = quote("/".join((*("..",) * (len(here) - shared), *there[shared:])) or ".")
    return f"{link}/" if path.endswith("/") or not path else link


def _has_others(path: str) -> bool:
    """Whether a path may have names in it that stand for another, such as `..`."""
    return "//" in path or "/." in path or path.startswith((".", "/"))


def _parts(path: str) -> list[str]:
    """The names in a path from the root on; none is left in it that stands for another, such as `..`."""
    parts = path.removesuffix("/").split("/")
    if "" in parts or "." in parts or ".." in parts:
        return [one for one in posixpath.normpath(f"/{path}").split("/") if one]
    return parts
