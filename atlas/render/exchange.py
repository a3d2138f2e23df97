"""A few files of a site, exchanged where they are: most files of a large site are the same after an edit.

What is to be done is written down first, so that an exchange that is cut off is completed by whoever comes next; one
that the system refuses is undone.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from atlas.files import write_whole

_PLAN = "exchange.json"
"""The file that says what is put into the site and what is taken out; there while that is being done."""


def exchange(folder: Path, site: Path, kept: Collection[str]) -> None:
    """Put all files of `folder/new` into the site, and take out those that are neither among them nor kept.

    What is hidden in the site and is not put there stays, such as the `.git` of a checked-out branch.

    Args:
        folder: A folder on the site's file system; what was in the site goes to `old` in it.
        site: The site.
        kept: The paths of the files that stay.

    Raises:
        OSError: a file could not be moved, or folders and files change places; all is as it was.
    """
    put, there = sorted(_files(folder / "new")), frozenset(_files(site))
    new = frozenset(put)
    if any((site / path).is_dir() or not there.isdisjoint(_above(path)) for path in put):
        raise OSError(errno.EEXIST, "a file of the site stands where a folder comes, or a folder where a file comes")
    if not there.isdisjoint(_folders(kept)):
        raise OSError(errno.ELOOP, "a folder of the site is a link, so that files that stay are not in the site itself")
    drop = sorted(path for path in there.difference(new, kept) if not path.startswith("."))
    write_whole(folder / _PLAN, json.dumps({"put": put, "drop": drop}))
    try:
        _carry_out(folder, site, put, drop)
    except BaseException:
        _undo(folder, site, put, drop)
        (folder / _PLAN).unlink()
        raise
    (folder / _PLAN).unlink()


def finish_exchange(folder: Path, site: Path) -> None:
    """Complete an exchange that was cut off; where none was, nothing happens."""
    with suppress(FileNotFoundError):
        plan = json.loads((folder / _PLAN).read_text(encoding="utf-8"))
        _carry_out(folder, site, plan["put"], plan["drop"])
        (folder / _PLAN).unlink()


def _carry_out(folder: Path, site: Path, put: Collection[str], drop: Collection[str]) -> None:
    """Do what is not done yet: every step leaves what tells that it is."""
    for path in put:
        if (folder / "new" / path).exists():
            if os.path.lexists(site / path):
                _move(site / path, folder / "old" / path)
            _move(folder / "new" / path, site / path)
    for path in drop:
        if os.path.lexists(site / path):
            _move(site / path, folder / "old" / path)
            _remove_empty(site, (site / path).parent)


def _undo(folder: Path, site: Path, put: Collection[str], drop: Collection[str]) -> None:
    """Bring everything back to where it was."""
    for path in reversed([*put, *drop]):
        old, new = folder / "old" / path, folder / "new" / path
        if path in put and not new.exists() and os.path.lexists(site / path):
            _move(site / path, new)
            _remove_empty(site, (site / path).parent)
        if os.path.lexists(old):
            _move(old, site / path)


def _move(source: Path, target: Path) -> None:
    try:
        source.rename(target)
    except FileNotFoundError:  # most often the folder is there, and to ask takes longer than to move
        target.parent.mkdir(parents=True, exist_ok=True)
        source.rename(target)


def _remove_empty(site: Path, folder: Path) -> None:
    """Remove a folder of the site that has nothing in it any more, and those above it."""
    with suppress(OSError):
        while folder != site:
            folder.rmdir()
            folder = folder.parent


def _above(path: str) -> Iterator[str]:
    """The folders that a file lies in."""
    while path := path.rpartition("/")[0]:
        yield path


def _folders(paths: Iterable[str]) -> set[str]:
    """All folders that files lie in."""
    found: set[str] = set()
    for path in paths:
        for folder in _above(path):
            if folder in found:
                break  # and those above it are found too
            found.add(folder)
    return found


def _files(folder: Path) -> Iterator[str]:
    """The paths of everything in a folder that is no folder itself."""
    waiting = [("", str(folder))]
    while waiting:
        above, place = waiting.pop()
        with os.scandir(place) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append((f"{above}{entry.name}/", entry.path))
                else:
                    yield f"{above}{entry.name}"
