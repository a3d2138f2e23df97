"""All that a site follows from, as one digest: content, theme, configuration, code, libraries, environment.

Everything is read anew by each build, in a moment and without the code that makes pages, so that a build in which
nothing has changed can end there.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import PluginCollection
from mkdocs.theme import Theme
from pathspec import PathSpec

from atlas.plugin.dates import EPOCH

_CACHED = "__pycache__"
"""The folder in which Python keeps what follows from the code beside it."""
_INSTALLED = (".dist-info", ".egg-info")
"""How the names of folders end, version included, by which installed libraries are known."""
_THEME = "openmodelatlas_theme"
"""The package of our own theme, from which other themes take templates too."""


class OpaqueError(ValueError):
    """The configuration holds something of which it cannot be told whether it is still the same."""


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a site follows from."""

    general: bytes
    """A digest of what every page follows from: configuration, theme, code, libraries, environment."""
    whole: bytes
    """A digest of that and of all content; empty where the site follows from more than can be known."""
    folders: tuple[str, ...]
    """The folders of which all was read."""
    stamps: bytes
    """A digest of the times of all files read, by which it is seen that one changes while they are used."""

    def still_hold(self) -> bool:
        """Whether no file was changed, added or deleted since they were read."""
        stamps = hashlib.sha256()
        for folder in self.folders:
            for file in _below(folder):
                stamps.update(file.stamp())
        return stamps.digest() == self.stamps


def grounds(config: MkDocsConfig, sources: str, *, is_preview: bool, is_all: bool = True) -> Grounds:
    """What the site of a project follows from.

    Args:
        config: The configuration as it was given, before any plugin changed it.
        sources: The folder of source manifests.
        is_preview: Whether pages are made for `mkdocs serve`, which differ.
        is_all: Whether a site follows from nothing else.

    Raises:
        OpaqueError: an object of the configuration has no form that could be compared.
        OSError: a file cannot be read.
    """
    general, stamps = hashlib.sha256(), hashlib.sha256()
    settings = (plain(config), config.config_file_path, is_preview)
    general.update(repr((settings, sys.version, sorted(_libraries()), os.environ.get(EPOCH))).encode(*_ANY))
    code = (str(Path(__file__).parents[1]), theme_folder(), *config.theme.dirs)
    for folder in dict.fromkeys(code):
        _read(folder, general, stamps)
    whole = hashlib.sha256(general.digest())
    content = (config.docs_dir, sources)
    for folder in content:
        _read(folder, whole, stamps)
    known = whole.digest() if is_all else b""
    return Grounds(general.digest(), known, (*dict.fromkeys(code), *content), stamps.digest())


def plain(value: object) -> object:
    """A value of the configuration as nested tuples whose representation tells any two apart.

    Raises:
        OpaqueError: it is, or holds, something else than data.
    """
    if value is None or isinstance(value, str | bool | int | float | date):
        return value
    if isinstance(value, Theme):
        named = {name: str(one) if name == "locale" else one for name, one in value.items()}
        return "theme", value.name, tuple(value.dirs), tuple(sorted(value.static_templates)), plain(named)
    if isinstance(value, PluginCollection):
        return tuple((name, plain(plugin.config)) for name, plugin in value.items())
    if isinstance(value, PathSpec):
        return tuple((one.include, getattr(one.regex, "pattern", None)) for one in value.patterns)
    if isinstance(value, Mapping | Config):
        return "mapping", tuple((plain(name), plain(one)) for name, one in value.items())
    if isinstance(value, list | tuple):
        return tuple(plain(one) for one in value)
    raise OpaqueError(f"{type(value).__name__} is no data")


_ANY = ("utf-8", "surrogatepass")
"""The encoding of names that are no text."""


class _File(NamedTuple):
    """A file in a folder, or a link to one."""

    name: str
    """Its path below the folder."""
    path: str
    """Where it is."""
    status: os.stat_result
    """What the system says of the file, or of the link itself."""

    def stamp(self) -> bytes:
        """What changes with the file, whatever its content."""
        status = self.status
        return f"{self.path}\0{status.st_size} {status.st_mtime_ns} {status.st_ino}\0".encode(*_ANY)

    def content(self) -> bytes:
        """What is in the file; of a link where it leads, then what is there."""
        if not stat.S_ISLNK(self.status.st_mode):
            with open(self.path, "rb", buffering=0) as file:  # noqa: PTH123 - a path of thousands costs as much
                return file.readall()
        path = Path(self.path)
        leads = str(path.readlink()).encode(*_ANY)
        if not path.exists():  # as editors leave them to lock a file
            return leads
        return leads + path.read_bytes()


def _read(folder: str, digest: hashlib._Hash, stamps: hashlib._Hash) -> None:
    """Add everything in a folder to a digest, and the times of its files to another."""
    for file in _below(folder):
        content = file.content()
        digest.update(f"{file.name}\0{len(content)}\0".encode(*_ANY))
        digest.update(content)
        stamps.update(file.stamp())


def _below(folder: str) -> Iterator[_File]:
    """All files in a folder and in those inside, in the order of names; what links to folders lead to is in it too."""
    seen: set[str] = set()

    def walk(place: str, name: str) -> Iterator[_File]:
        try:
            with os.scandir(place) as listed:
                entries = sorted(listed, key=lambda entry: entry.name)
        except FileNotFoundError:
            return
        for entry in entries:
            inner = f"{name}{entry.name}"
            if entry.is_dir():
                if entry.name != _CACHED and _is_first(entry, seen):
                    yield from walk(entry.path, f"{inner}/")
            elif entry.is_file() or entry.is_symlink():
                yield _File(inner, entry.path, entry.stat(follow_symlinks=False))
            else:
                raise OSError(f"{entry.path} is no file but a pipe, a socket or a device")

    yield from walk(folder, "")


def _is_first(entry: os.DirEntry[str], seen: set[str]) -> bool:
    """Whether a folder is none that a link has led to before, as it may lead in a circle."""
    if not entry.is_symlink():
        return True
    real = os.path.realpath(entry.path)
    is_first = real not in seen
    seen.add(real)
    return is_first


def theme_folder() -> str:
    """The folder of our own theme."""
    spec = find_spec(_THEME)
    if spec is None or not spec.submodule_search_locations:
        raise OpaqueError("the theme is not installed as files")
    return next(iter(spec.submodule_search_locations))


def _libraries() -> Iterator[str]:
    """The installed libraries, each with its version, by the names of the folders that say what is installed."""
    for place in dict.fromkeys(Path(place) for place in sys.path):
        with suppress(OSError):  # an archive, or a place that is not there
            yield from (str(one) for one in place.iterdir() if one.suffix in _INSTALLED)
