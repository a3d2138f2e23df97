"""Files that people keep: written whole or not at all, and read only as far as they may be long.

A pipe or a device never ends and a file may grow while it is read, so a limit holds for what is read, not for what is
said of the file.
"""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from atlas.exceptions import FileTooLargeError

PIECE = 1 << 16
"""How many bytes are read at least of a file that holds more than it was said to."""


def read_bytes(path: str | Path, limit: int) -> bytes:
    """The content of a plain file.

    Raises:
        FileTooLargeError: it has more than `limit` bytes.
        OSError: it cannot be opened, or is a pipe or a device.
    """
    # A pipe would be waited for when it is opened, unless told not to.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        about = os.fstat(descriptor)
        if stat.S_ISDIR(about.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(about.st_mode):
            raise OSError(errno.EINVAL, "it is no file but a pipe, a device or a folder", str(path))
        # As much as the file is said to hold is asked for: to make room for `limit` bytes takes longer than to read.
        wanted = min(about.st_size, limit) + 1
        content = more = os.read(descriptor, wanted)
        while len(more) == wanted and len(content) <= limit:  # else less was there than was asked for: it is the end
            wanted = min(limit + 1 - len(content), max(PIECE, len(content)))
            more = os.read(descriptor, wanted)
            content += more
    finally:
        os.close(descriptor)
    if len(content) > limit:
        raise FileTooLargeError(f"{Path(path).name} has more than {limit:,} bytes")
    return content


def read_text(path: Path, limit: int) -> str:
    """The text of a plain file in UTF-8; its ends of lines are line feeds.

    Raises:
        FileTooLargeError: it has more than `limit` bytes.
        OSError: it cannot be opened, or is a pipe or a device.
        UnicodeDecodeError: it is not UTF-8.
    """
    return read_bytes(path, limit).decode("utf-8").replace("\r\n", "\n")


def write_whole(path: Path, text: str) -> None:
    """Write a text file that people commit; a reader finds the old text or the new one, never a part."""
    with writing_whole(path) as file:
        file.write(text.encode())


def write_all_whole(texts: Mapping[Path, str]) -> None:
    """Write several text files that belong together: all of them, or none where one cannot be written.

    Every text is on the disk before the first file takes its place; where one then cannot, those before it are
    brought back as they were.
    """
    with ExitStack() as undo:
        staged = [(path, _staged(path, text, undo)) for path, text in texts.items()]
        replaced: list[tuple[Path, bytes | None]] = []
        try:
            for path, temporary in staged:
                before = path.read_bytes() if path.exists() else None
                temporary.replace(path)
                replaced.append((path, before))
        except BaseException:
            for path, before in replaced:
                if before is None:
                    path.unlink()
                else:
                    path.write_bytes(before)
            raise


def _staged(path: Path, text: str, undo: ExitStack) -> Path:
    """A file beside the path with the text, which is removed unless it has taken the path's place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    undo.callback(Path(name).unlink, missing_ok=True)
    with os.fdopen(descriptor, "wb") as file:
        file.write(text.encode())
    Path(name).chmod(0o644)
    return Path(name)


@contextmanager
def writing_whole(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to, which takes its place when all is written; a reader finds the old one or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        # A temporary file is its owner's alone; a kept one is everybody's to read.
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
