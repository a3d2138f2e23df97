"""What a link in a text of an entry means: an address of the site, whichever page or file shows the text."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote, urlsplit

from atlas.entries.survey import KINDS

TOP = ("", "top")
"""Fragments that lead to the beginning of any page."""
PROSE = (".md", ".markdown", ".mdown", ".mkdn", ".mkd")
"""How the names of files end that are pages of prose."""


def linked(target: str, file: str, *, has_folders: bool = True) -> str | None:
    """The address that a link in a YAML file of the content folder leads to; None where it is none of the site.

    A link to a file (`../model.yml`, `../../notes.md`) is meant from the file that it stands in, as in prose; any other
    (`#code`, `../`) from the page that is made from that file. Unless the site `has_folders`, a page of prose is a file
    (`notes.html`), as `use_directory_urls: false` has it; pages of entries are folders whatever it says.
    """
    parts = urlsplit(target)
    if parts.scheme or parts.netloc or parts.path.startswith("/"):
        return None
    path, rest = unquote(parts.path), target[len(parts.path) :]
    if not path:
        return page_of(file) + rest
    to_file = path.endswith((".yml", ".md"))
    reached = posixpath.normpath(posixpath.join(posixpath.dirname(file) if to_file else page_of(file), path))
    if reached.split("/")[0] == "..":
        return None
    if to_file:
        return (page_of(reached) if has_folders else page_without_folder(reached)) + rest
    is_folder = path.endswith("/") or posixpath.basename(path) in (".", "..")
    return ("" if reached == "." else f"{reached}/" if is_folder else reached) + rest


def page_of(file: str) -> str:
    """The page that is made from a YAML or Markdown file of the content folder."""
    folder, name = posixpath.split(posixpath.splitext(file)[0])
    is_index = name in KINDS if file.endswith(".yml") else name in ("index", "README")
    return (f"{folder}/" if folder else "") if is_index else f"{posixpath.join(folder, name)}/"


def names_file(path: str) -> bool:
    """Whether the path of a link in prose is that of a file; other paths MkDocs judges by another setting."""
    return "." in path.rpartition("/")[2].strip(".")


def page_without_folder(file: str) -> str:
    """As `page_of`, where each page of prose but those of a folder is a file of its own."""
    page = page_of(file)
    is_folder = not file.endswith(PROSE) or posixpath.splitext(posixpath.basename(file))[0] in ("index", "README")
    return page if is_folder else f"{page.rstrip('/')}.html"


def below_root(target: str, root_path: str) -> str | None:
    """The address of the site that an absolute link leads to; None where it leads to none.

    Args:
        target: The link.
        root_path: The path of the site's root, ending in a slash; empty where it is not known.
    """
    path = unquote(urlsplit(target).path)
    if not root_path or not path.startswith(root_path):
        return None
    return path.removeprefix(root_path) + target[len(urlsplit(target).path) :]
