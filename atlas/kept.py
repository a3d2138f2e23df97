"""What may be computed again is kept by what it follows from: proofs, formulas, diagrams, templates, finished pages.

A result that is missing, damaged or of another version is computed anew, so nothing here can make a build wrong; and a
cache that cannot be written costs time and one warning, never the build.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Self

from platformdirs import user_cache_path

VARIABLE = "OPENMODELATLAS_CACHE"
NAME = "openmodelatlas"
FILE = "results.sqlite"
LAYOUT = 1
"""The number of the table's form; a file of another form is replaced."""
LARGEST = 1 << 30
"""How many bytes the file may have before what was not used for long is dropped."""
DAYS = 30
"""How long that is."""
WAIT = 10.0
"""Seconds for which another build's writing is waited for."""
MOST_NEW = 16 << 20
"""How many bytes of new results wait in memory before they are written."""
SHORT = 1 << 14
"""How many bytes a result has that is held in memory even if it cannot be written."""
AT_ONCE = 500
"""How many keys one question to the database has."""

LEVEL = 1
"""The level of compression, which is the fastest: nearly all that is compressed is read back soon."""
SMALLEST_WINDOW = 9
"""The least window that zlib has, as a power of 2."""
MEMORY, LESS_MEMORY = 7, 6
"""zlib's memory levels for what is larger than any window, and for what is not."""

log = logging.getLogger(__name__)


def cache_folder() -> Path:
    """The user's cache directory of this program, by the environment; it need not exist yet."""
    if chosen := os.environ.get(VARIABLE):
        return Path(chosen).expanduser().absolute()
    # The XDG rules say that a relative path is to be ignored; platformdirs reads the variable on some systems only.
    if (shared := Path(os.environ.get("XDG_CACHE_HOME", ""))).is_absolute():
        return shared / NAME
    return user_cache_path(NAME, appauthor=False)


def key_of(kind: str, *parts: bytes | str) -> bytes:
    """The key of a result: a digest of its kind and of all that it follows from, so that no two can be mistaken."""
    digest = hashlib.sha256(kind.encode())
    for part in parts:
        content = part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass")
        digest.update(len(content).to_bytes(8))
        digest.update(content)
    return digest.digest()


def compressed(plain: bytes) -> bytes:
    """The bytes as `zlib.decompress` reads them.

    Most that is kept has a few kilobytes, and to make zlib's largest window ready takes longer than to compress these.
    """
    window = max(SMALLEST_WINDOW, len(plain).bit_length())  # all is in it
    if window < zlib.MAX_WBITS:
        compressing = zlib.compressobj(LEVEL, zlib.DEFLATED, window, LESS_MEMORY)
    else:
        compressing = zlib.compressobj(LEVEL, zlib.DEFLATED, zlib.MAX_WBITS, MEMORY)
    return compressing.compress(plain) + compressing.flush()


@cache
def version_of(library: str) -> str:
    """The version of an installed library, which is read from its metadata once."""
    return version(library)


@cache
def code_digest(*rooms: str) -> str:
    """What the code of these rooms and files of the package is, with the versions of the libraries that they use."""
    package = Path(__file__).parent
    digest = hashlib.sha256()
    for library in ("numpy", "pydantic", "pygments", "markdown-it-py"):
        digest.update(f"{library} {version_of(library)}\0".encode())
    for room in rooms:
        place = package / room
        for file in sorted(place.glob("**/*")) if place.is_dir() else [place.with_suffix(".py")]:
            if file.suffix in (".py", ".mjs", ".json", ".yml"):
                digest.update(f"{file.relative_to(package).as_posix()}\0".encode())
                digest.update(_digest_of_code(file))
    return digest.hexdigest()


@cache
def _digest_of_code(file: Path) -> bytes:
    """Of a file of this program, which is in several sets of rooms and stays as it is."""
    return hashlib.sha256(file.read_bytes()).digest()


class Kept:
    """Results by key, in one file that several builds may use at once; a context manager.

    Keys and values are bytes. What is put is there to be got at once, and for other processes after `save` or `close`.
    What is wrong with the file is told once.
    """

    def __init__(self, folder: Path | None = None, tell: Callable[[str], None] = log.warning) -> None:
        self.file = (cache_folder() if folder is None else folder) / FILE
        self._database: sqlite3.Connection | None = None
        self._writable = True
        self._new: dict[bytes, bytes] = {}
        self._new_bytes = 0
        self._used: set[bytes] = set()
        self._told = False
        self._warn = tell
        self._today = int(time.time() // 86_400)
        self._process = os.getpid()
        self._inherited: list[sqlite3.Connection] = []
        try:
            self._database = self._open()
        except sqlite3.DatabaseError as error:
            self._database = self._replaced(error)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def in_copy(self) -> None:
        """Take note that this process is a copy of the one that opened the file: it gets a connection of its own.

        The one that was copied is neither used nor closed here, as SQLite asks. What is put here stays here.
        """
        if self._process == os.getpid():
            return
        self._process = os.getpid()
        if self._database is not None:
            self._inherited.append(self._database)
            self._database = None
        with suppress(OSError, sqlite3.Error):  # without it everything is as if nothing were kept
            self._database = self._connected(f"{self.file.as_uri()}?mode=ro")
        self._writable = False
        self._used.clear()

    def get(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Those of the results that are there."""
        wanted = list(dict.fromkeys(keys))
        found = {key: self._new[key] for key in wanted if key in self._new}
        try:
            missing = [key for key in wanted if key not in found]
            for first in range(0, len(missing), AT_ONCE):
                found.update(self._read(missing[first : first + AT_ONCE]))
        except sqlite3.OperationalError as error:
            self._tell(f"could not be read ({error})")  # busy or out of reach, but not damaged
        except sqlite3.DatabaseError as error:
            self._database = self._replaced(error)
        return found

    def holds(self, keys: Iterable[bytes]) -> set[bytes]:
        """The keys of those of the results that are there; whether they are whole is seen when they are got."""
        wanted = list(dict.fromkeys(keys))
        found = {key for key in wanted if key in self._new}
        if self._database is None:
            return found
        try:
            for first in range(0, len(wanted), AT_ONCE):
                some = wanted[first : first + AT_ONCE]
                question = f"SELECT key FROM kept WHERE key IN ({','.join('?' * len(some))})"  # noqa: S608 - only marks
                found.update(key for (key,) in self._database.execute(question, some))
        except sqlite3.Error as error:
            self._tell(f"could not be read ({error})")
        return found

    def put(self, results: Mapping[bytes, bytes]) -> None:
        """Keep results; what is long is not held where it cannot be written."""
        if not self._writable:
            results = {key: value for key, value in results.items() if len(value) <= SHORT}
        self._new.update(results)
        self._new_bytes += sum(map(len, results.values()))
        if self._new_bytes > MOST_NEW:
            self.save()

    def save(self) -> None:
        """Write what is new, so that it is there for other processes."""
        if not self._writable or self._database is None or not (self._new or self._used):
            return
        try:
            with self._database:
                self._write(self._database)
        except (sqlite3.Error, OSError) as error:
            self._writable = False
            self._tell(f"could not be written ({error})")
            self._new = {key: value for key, value in self._new.items() if len(value) <= SHORT}
        else:
            self._new.clear()
            self._used.clear()
        self._new_bytes = 0

    def close(self) -> None:
        """Write what is new in one go; whatever keeps it from being written loses no more than these results."""
        self.save()
        database, self._database = self._database, None
        if database is not None:
            database.close()
        self._new.clear()
        self._used.clear()

    def _open(self) -> sqlite3.Connection:
        """The database, for reading alone where it cannot be written, and in memory where it cannot be read either."""
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            database = self._connected(f"{self.file.as_uri()}?mode=rwc")
        except (OSError, sqlite3.OperationalError) as error:
            self._writable = False
            self._tell(f"cannot be written ({getattr(error, 'strerror', None) or error})")
            with suppress(sqlite3.OperationalError):
                return self._connected(f"{self.file.as_uri()}?mode=ro&immutable=1")
            return self._connected("file::memory:")
        return database

    def _connected(self, uri: str) -> sqlite3.Connection:
        database = sqlite3.connect(uri, timeout=WAIT, uri=True, check_same_thread=False)
        try:
            is_read_only = "mode=ro" in uri
            if not is_read_only:
                # A crash of this process loses nothing; one of the machine may, and is noticed by the digests.
                database.execute("PRAGMA synchronous=OFF")
                database.execute("PRAGMA journal_mode=WAL")
            (form,) = database.execute("PRAGMA user_version").fetchone()
            if form not in (0, LAYOUT):
                raise sqlite3.DatabaseError(f"its form is {form}, not {LAYOUT}")
            if not is_read_only:
                database.execute(
                    "CREATE TABLE IF NOT EXISTS kept (key BLOB PRIMARY KEY, value BLOB, digest BLOB, used INTEGER)"
                )
                database.execute(f"PRAGMA user_version={LAYOUT}")
        except BaseException:
            database.close()
            raise
        return database

    def _read(self, keys: list[bytes]) -> Iterator[tuple[bytes, bytes]]:
        if self._database is None:
            return
        marks = ",".join("?" * len(keys))
        question = f"SELECT key, value, digest, used FROM kept WHERE key IN ({marks})"  # noqa: S608 - only marks
        for key, value, digest, used in self._database.execute(question, keys):
            if not isinstance(value, bytes) or digest != _digest(value):
                self._tell("holds a damaged result, which is computed anew")
                continue
            if used != self._today:
                self._used.add(key)
            yield key, value

    def _write(self, database: sqlite3.Connection) -> None:
        rows = [(key, value, _digest(value), self._today) for key, value in self._new.items()]
        database.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?, ?, ?)", rows)
        database.executemany("UPDATE kept SET used = ? WHERE key = ?", [(self._today, key) for key in self._used])
        if self.file.stat().st_size > LARGEST:
            database.execute("DELETE FROM kept WHERE used < ?", (self._today - DAYS,))

    def _replaced(self, error: sqlite3.DatabaseError) -> sqlite3.Connection | None:
        """A new database in place of one that is damaged; a copy of a process leaves that to the process."""
        self._tell(f"is damaged ({error}); it is made anew")
        if self._database is not None:
            self._database.close()
        if self._inherited:
            return None
        for suffix in ("", "-wal", "-shm"):
            with suppress(OSError):
                self.file.with_name(self.file.name + suffix).unlink()
        try:
            return self._open()
        except sqlite3.DatabaseError:
            self._writable = False
            return self._connected("file::memory:")

    def _tell(self, problem: str) -> None:
        """Tell once that something is wrong with the file; the build goes on without it."""
        if not self._told:
            self._told = True
            self._warn(f"The file of kept results {self.file} {problem}. The build goes on, and takes longer.")


def unsaid(_: str) -> None:
    """Says nothing, where the process that began a build says it."""


def _digest(value: bytes) -> bytes:
    return hashlib.blake2b(value, digest_size=16).digest()
