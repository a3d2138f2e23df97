"""The site as it lies in its folder: what the build that wrote it knew of each file, and whether it is still there.

Only a site that is to the last file what was written can be left as it is, or be the source of what has not changed.
"""

from __future__ import annotations

import os
import pickle
import stat
from array import array
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from itertools import accumulate
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from atlas.files import writing_whole
from atlas.kept import DAYS, cache_folder, key_of

FOLDER = "sites"
"""The folder of the cache in which what is known of sites is kept, a file for each."""
LOCK = ".lock"
"""How the name of a file ends by which one build after the other changes a site."""
_DIGEST = 32
"""How many bytes the digest before a record has."""
_DAY = 86_400
"""Seconds."""


class Written(NamedTuple):
    """A file of the site; a tuple, as a build reads thousands that it has no more to do with."""

    size: int
    """Its bytes."""
    time: int
    """When it was written, in nanoseconds since 1970."""
    key: bytes = b""
    """A digest of what it follows from; empty where that is not known."""

    def is_as(self, other: Written) -> bool:
        """Whether the file was not touched since, as far as the system tells."""
        return self.size == other.size and self.time == other.time


class WrittenFiles(Mapping[str, Written]):
    """Files by their paths, in less memory: of ten thousand pages there are more than forty thousand."""

    def __init__(self, files: Iterable[tuple[str, Written]]) -> None:
        self._places: dict[str, int] = {}
        self._sizes, self._times, self._keys = array("q"), array("q"), list[bytes]()
        for place, (path, one) in enumerate(files):
            self._places[path] = place
            self._sizes.append(one.size)
            self._times.append(one.time)
            self._keys.append(one.key)

    def __getitem__(self, path: str) -> Written:
        place = self._places[path]
        return Written(self._sizes[place], self._times[place], self._keys[place])

    def __contains__(self, path: object) -> bool:
        return path in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


@dataclass(frozen=True, slots=True)
class Warned:
    """Something that a build warned of."""

    logger: str
    """The name of the logger that said it."""
    level: int
    """How grave it is."""
    text: str
    """What was said."""


@dataclass(frozen=True, slots=True)
class Present:
    """What is known of the site that lies in a folder."""

    whole: bytes = b""
    """The digest of all that the site follows from; empty where that is not known."""
    was_heard: bool = False
    """Whether a warning would have been shown by the build that wrote it."""
    warnings: tuple[Warned, ...] = ()
    """What that build warned of."""
    links_hold: bool = False
    """Whether every link in it led somewhere."""
    files: Mapping[str, Written] = field(default_factory=lambda: MappingProxyType({}))
    """All its files by their paths in it."""
    record: bytes = field(default=b"", compare=False)
    """The digest of the record that this was read from; empty where it was not read."""

    def is_whole(self, site: Path) -> bool:
        """Whether the folder holds these files, untouched, and no others."""
        own = {path.partition("/")[0] for path in self.files}
        count = 0
        for path, written in files_in(site, own):
            if path not in self.files or not written.is_as(self.files[path]):
                return False
            count += 1
        return count == len(self.files)


def files_in(site: Path, own: Container[str] | None = None) -> Iterator[tuple[str, Written]]:
    """The files in a folder by their paths in it; what is none, such as a link, has no size.

    Args:
        site: The folder.
        own: Of what is hidden in the folder, the names that count: a `.git`, for one, is none of the build's.
    """
    waiting = [("", str(site))]
    while waiting:
        above, folder = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                listed = list(entries)
        except (FileNotFoundError, NotADirectoryError):
            continue
        for entry in listed:
            if own is not None and not above and entry.name.startswith(".") and entry.name not in own:
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append((f"{above}{entry.name}/", entry.path))
                continue
            yield f"{above}{entry.name}", _written(entry.stat(follow_symlinks=False))


def is_there(site: Path, path: str, written: Written) -> bool:
    """Whether a file of a site is as it was written."""
    try:
        status = os.lstat(f"{site}{os.sep}{path}")
    except OSError:
        return False
    return _written(status).is_as(written)


def _written(status: os.stat_result) -> Written:
    return Written(status.st_size if stat.S_ISREG(status.st_mode) else -1, status.st_mtime_ns)


def read_present(site: Path, known: Present | None = None) -> Present:
    """What is kept of the site in a folder; nothing is known of one that another program wrote.

    Args:
        site: The folder.
        known: What was read before, which is given back where the same is kept still.
    """
    try:
        with place_of(site).open("rb") as file:
            digest = file.read(_DIGEST)
            if known is not None and digest and digest == known.record:
                return known
            record = file.read()
    except OSError:
        return Present()
    if digest != _digest(site, record):
        return Present()
    # From the user's own cache, and whole by its digest.
    whole, was_heard, warnings, links_hold, paths, sizes, times, lengths, keys = pickle.loads(record)  # noqa: S301
    told = tuple(Warned(*one) for one in warnings)
    ends = list(accumulate(lengths))
    cut = (keys[end - length : end] for end, length in zip(ends, lengths, strict=True))
    files = map(Written, array("q", sizes), array("q", times), cut)
    written = dict(zip(paths.split("\0") if lengths else (), files, strict=True))
    return Present(whole, was_heard, told, links_hold, written, digest)


def keep_present(site: Path, present: Present) -> None:
    """Keep what is known of the site in a folder; where that cannot be written, the next build takes its time."""
    warnings = [(one.logger, one.level, one.text) for one in present.warnings]
    record = pickle.dumps((present.whole, present.was_heard, warnings, present.links_hold, *_columns(present.files)))
    place = place_of(site)
    with suppress(OSError):
        with writing_whole(place) as file:
            file.write(_digest(site, record))
            file.write(record)
        for other in place.parent.iterdir():
            if other.suffix != LOCK and other.stat().st_mtime < place.stat().st_mtime - DAYS * _DAY:
                other.unlink()


def _columns(files: Mapping[str, Written]) -> tuple[str, bytes, bytes, bytes, bytes]:
    """The paths of files, their sizes and times as arrays, the lengths of their keys, and these: little to read."""
    sizes, times, lengths, keys = array("q"), array("q"), bytearray(), bytearray()
    for one in files.values():
        sizes.append(one.size)
        times.append(one.time)
        lengths.append(len(one.key))
        keys += one.key
    return "\0".join(files), sizes.tobytes(), times.tobytes(), bytes(lengths), bytes(keys)


def place_of(site: Path) -> Path:
    """Where what is known of a site is kept."""
    return cache_folder() / FOLDER / key_of("site", os.fsencode(site)).hex()


def _digest(site: Path, record: bytes) -> bytes:
    """A digest of a record, of whose site it is, and of its form: one of another form is never read."""
    form = [*([one.name for one in fields(kind)] for kind in (Present, Warned)), Written._fields, "columns"]
    return key_of("present site", repr(form), os.fsencode(site), record)
