"""Reading pinned files out of a package archive without extracting it and without running anything in it.

An archive comes from the network: every name in it is checked, every size is bounded, and links are never followed.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, BinaryIO, Self

from atlas.exceptions import ArchiveError, MissingFileError, SourceError
from atlas.sources.nearest import nearest

MIB = 1024 * 1024
HEADER_ROOM = MIB
"""How much a tar archive may spend on the headers of one member, extended names included, and on read-ahead."""

FIELD = ("artifact", "file")

DAMAGE = (
    EOFError,
    OSError,
    ValueError,
    OverflowError,
    NotImplementedError,
    RuntimeError,
    lzma.LZMAError,
    tarfile.TarError,
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
)
"""What the standard library raises for bytes that are not the archive they claim to be."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How large an archive and what is in it may be."""

    archive: int = 512 * MIB
    """Bytes of the archive itself."""
    member: int = 16 * MIB
    """Bytes of one file that is read."""
    unpacked: int = 2048 * MIB
    """Bytes that are decompressed in all while looking for the files."""
    members: int = 100_000
    """How many members an archive may have."""


DEFAULT_LIMITS = Limits()


@dataclass(slots=True)
class _Scan:
    """What is known of an archive while its members go by; `wanted` maps a name in the archive to the pinned path."""

    archive: str
    wanted: dict[str, str]
    limits: Limits
    strips_top: bool
    files: dict[str, bytes | SourceError] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    links: set[str] = field(default_factory=set)
    tops: set[str] = field(default_factory=set)
    count: int = 0

    def enter(self, raw: str, *, is_folder: bool) -> str | None:
        """Check a member's name and return it as a path below the package, or None for what cannot be a file of it."""
        self.count += 1
        if self.count > self.limits.members:
            raise ArchiveError(f"{self.archive} has more than {self.limits.members:,} members", FIELD)
        parts = [part for part in re.split(r"[/\\]", raw) if part not in ("", ".")]
        if raw[:1] in ("/", "\\") or ".." in parts or "\0" in raw or (parts and re.fullmatch(r"[A-Za-z]:.*", parts[0])):
            raise ArchiveError(f"{self.archive} has a member whose name leaves the archive: {raw!r}", FIELD)
        if self.strips_top and parts:
            self.tops.add(parts[0])
            parts = parts[1:]
        name = "/".join(parts)
        if is_folder or not name:
            return None
        if name in self.names:
            raise ArchiveError(f"{self.archive} has two members named {raw!r}, so either could be meant", FIELD)
        self.names.add(name)
        return name

    def take(self, name: str, size: int, file: IO[bytes] | None) -> None:
        """Read a wanted member; `file` is None for a link or a device."""
        path = self.wanted[name]
        where: tuple[str, ...] = ("files", path)
        if file is None:
            self.files[path] = ArchiveError(
                f"{path} is a link or a device in {self.archive}, not a file; only files are read", where
            )
            return
        too_large = ArchiveError(
            f"{path} in {self.archive} is larger than the limit of {self.limits.member:,} bytes", where
        )
        if size > self.limits.member:
            self.files[path] = too_large
            return
        # The size in the header may lie, so one byte more than allowed is asked for.
        content = file.read(self.limits.member + 1)
        self.files[path] = too_large if len(content) > self.limits.member else content

    def finish(self) -> dict[str, bytes | SourceError]:
        """What was found for every wanted path."""
        if self.strips_top and len(self.tops) > 1:
            shown = ", ".join(sorted(self.tops)[:3])
            raise ArchiveError(f"{self.archive} has no single top folder but several ({shown})", FIELD)
        for name, path in self.wanted.items():
            if path not in self.files:
                self.files[path] = self._missing(name, path)
        return self.files

    def _missing(self, name: str, path: str) -> SourceError:
        parents = {"/".join(name.split("/")[:end]) for end in range(1, name.count("/") + 1)}
        if through := sorted(parents & self.links):
            return ArchiveError(
                f"{path} lies behind the link {through[0]} in {self.archive}; links are not followed", ("files", path)
            )
        stated = path if name == path else f"{path} (as {name})"
        hint = nearest(name, self.names)
        return MissingFileError(
            f"{self.archive} has no file {stated}", ("files", path), f"the nearest is {hint}" if hint else ""
        )


def read_members(
    file: BinaryIO,
    archive: str,
    paths: Collection[str],
    strip: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> dict[str, bytes | SourceError]:
    """The content of each path, or the error that says why there is none; an unreadable archive raises ArchiveError.

    `archive` is its file name, which tells its kind. A source distribution has one top folder, which paths leave
    out; `strip` is a leading folder that paths have in the repository but not in the archive.
    """
    prefix = f"{strip}/" if strip else ""
    wanted = {path.removeprefix(prefix): path for path in paths}
    return _scanned(file, archive, wanted, limits).finish()


def member_names(file: BinaryIO, archive: str, limits: Limits = DEFAULT_LIMITS) -> frozenset[str]:
    """The names of all files in an archive, without the top folder of a source distribution; nothing is read."""
    scan = _scanned(file, archive, {}, limits)
    scan.finish()
    return frozenset(scan.names - scan.links)


def _scanned(file: BinaryIO, archive: str, wanted: dict[str, str], limits: Limits) -> _Scan:
    scan = _Scan(archive, wanted, limits, strips_top=not archive.endswith(".whl"))
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    if size > limits.archive:
        raise ArchiveError(f"{archive} has {size:,} bytes; the limit is {limits.archive:,}", FIELD)
    with _damage_named(archive):
        if archive.endswith((".whl", ".zip")):
            _scan_zip(file, scan)
        else:
            _scan_tar(file, scan)
    return scan


@contextmanager
def _damage_named(archive: str) -> Iterator[None]:
    try:
        yield
    except DAMAGE as error:
        raise ArchiveError(f"{archive} is damaged or not an archive of its kind: {error}", FIELD) from error


def _scan_zip(file: BinaryIO, scan: _Scan) -> None:
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            # The name as stored: zipfile cuts it at a NUL.
            name = scan.enter(member.orig_filename, is_folder=member.is_dir())
            if name is None:
                continue
            kind = stat.S_IFMT(member.external_attr >> 16)
            plain = kind in (0, stat.S_IFREG)
            if not plain:
                scan.links.add(name)
            if name in scan.wanted:
                if plain:
                    with archive.open(member) as content:
                        scan.take(name, member.file_size, content)
                else:
                    scan.take(name, 0, None)


class _Bounded(io.RawIOBase):
    """A decompressed stream that stops a bomb: it gives no more bytes than were allowed so far, and then an error."""

    def __init__(self, stream: gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile, archive: str, limit: int) -> None:
        super().__init__()
        self._stream = stream
        self._archive = archive
        self._limit = limit
        self._given = 0
        self._allowed = 0

    def allow(self, size: int) -> None:
        """Let the next member have `size` bytes and room for its headers."""
        self._allowed = self._given + size + HEADER_ROOM

    def read(self, size: int = -1) -> bytes:
        content = self._stream.read(size)
        self._given += len(content)
        if self._given > min(self._allowed, self._limit):
            raise ArchiveError(
                f"{self._archive} unpacks to more than it may "
                f"({self._limit:,} bytes in all, {HEADER_ROOM:,} for the headers of one member)",
                FIELD,
            )
        return content


class _StrictTarInfo(tarfile.TarInfo):
    """A member's header; tarfile itself takes a damaged header after the first for the end of the archive."""

    @classmethod
    def fromtarfile(cls, tarfile: tarfile.TarFile) -> Self:
        try:
            return super().fromtarfile(tarfile)
        except HEADER_ERROR as error:
            if type(error).__name__ in ("EOFHeaderError", "EmptyHeaderError"):
                raise
            raise READ_ERROR(f"damaged header ({error})") from error


# Named here because the parameter of `fromtarfile` is called like the module.
HEADER_ERROR, READ_ERROR = tarfile.HeaderError, tarfile.ReadError


def _scan_tar(file: BinaryIO, scan: _Scan) -> None:
    with (
        _decompressed(file, scan.archive) as stream,
        _Bounded(stream, scan.archive, scan.limits.unpacked) as bounded,
    ):
        bounded.allow(0)
        with tarfile.open(fileobj=bounded, mode="r|", tarinfo=_StrictTarInfo) as archive:
            while (member := archive.next()) is not None:
                bounded.allow(member.size)
                name = scan.enter(member.name, is_folder=member.isdir())
                if name is None:
                    continue
                plain = member.isreg() and not member.issparse()
                if not plain:
                    scan.links.add(name)
                if name in scan.wanted:
                    scan.take(name, member.size, archive.extractfile(member) if plain else None)


def _decompressed(file: BinaryIO, archive: str) -> gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile:
    if archive.endswith(".gz"):
        return gzip.GzipFile(fileobj=file, mode="rb")
    if archive.endswith(".bz2"):
        return bz2.BZ2File(file)
    return lzma.LZMAFile(file)
