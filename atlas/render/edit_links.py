"""Where the YAML of a claim can be edited: a claim's key path → the line of its file, on the repository's own site.

A host opens a file at a line only where it shows it, not in its editor; so a link leads to the line, beside which every
host has its own button to edit.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from atlas.entries.atlas import Placed
from atlas.entries.tree import Key, KeyPath
from atlas.entries.validate import place_of_key

AddressOf = Callable[[str], str | None]
"""The address at which a file of the content folder is edited; None where the repository is not known."""

# host/owner/project, perhaps in groups, and then the word for editing; a project may itself be called `edit`.
_EDITED = re.compile(r"^(https?://[^/]+/[^/]+/[^/]+?(?:/[^/]+?)*?)/(-/edit|_edit|edit)/")
_SHOWN = {"-/edit": "-/blob", "_edit": "src/branch", "edit": "blob"}
"""How GitLab, Gitea with Forgejo, and GitHub show a file that they edit there."""
FILES = 1_000
"""For how many files it is remembered how their lines are addressed; a page has dozens of links to one."""
_LINES = "lines-"
"""What Bitbucket, unlike the others, begins the anchor of a line with."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One line of a YAML file."""

    url: str
    """Its address on the repository's site."""
    where: str
    """The file, where that is not the page's own: `content/gpt-2/model.yml`; else empty."""


def line_address(address: str, line: int) -> str:
    """The address of a line, given where the file is edited or shown."""
    return f"{_lines_of(address)}{line}"


@lru_cache(maxsize=FILES)
def _lines_of(address: str) -> str:
    """The address of a line up to its number."""
    shown = _EDITED.sub(lambda found: f"{found[1]}/{_SHOWN[found[2]]}/", address.partition("#")[0], count=1)
    on_bitbucket = re.match(r"https?://[^/]*bitbucket", shown) is not None
    if on_bitbucket:
        shown = shown.partition("?")[0]
    return f"{shown}#{_LINES if on_bitbucket else 'L'}"


class Edits:
    """The lines of one page's claims; a template asks for them by the keys that lead to a claim in its file."""

    def __init__(
        self,
        owner: Placed | None,
        root: Path,
        content: Path,
        address: AddressOf,
        addresses: dict[str, str | None] | None = None,
    ) -> None:
        """Make ready.

        Args:
            owner: The entry or collection; None where the page is made from no file.
            root: The folder below which marks name files.
            content: The content folder.
            address: Where its files are edited.
            addresses: What that said of files, by the names that marks give them, for other pages to use.
        """
        self._owner = owner
        self._root = root
        self._content = content
        self._address = address
        self._addresses = {} if addresses is None else addresses
        self._last: Edit | None = None

    def __call__(self, *path: Key) -> Edit | None:
        """The line of a claim; None where the page is made from no file, or the repository is not known.

        Raises KeyError where the file, or the one that it inherits from, has no such key.
        """
        if self._owner is None:
            return None
        mark = place_of_key(self._owner.document, _known(self._owner, path))
        if mark.path not in self._addresses:
            below = (self._root / mark.path).relative_to(self._content).as_posix()
            self._addresses[mark.path] = self._address(below)
        address = self._addresses[mark.path]
        # Each page has dozens of these, and the page's own file is named where it is edited as a whole.
        file = "" if mark.path == self._owner.path else mark.path
        return Edit(line_address(address, mark.line), file) if address else None

    def fresh(self, *path: Key) -> Edit | None:
        """The same, but None where the last claim that was asked for in this way stands on the same line."""
        found = self(*path)
        if found == self._last:
            return None
        self._last = found
        return found


def _known(owner: Placed, path: KeyPath) -> KeyPath:
    if path not in owner.document.marks:
        raise KeyError(f"{owner.path} states nothing under {'.'.join(map(str, path))}")
    return path
