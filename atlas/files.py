"""Writing files that are kept: whole or not at all, whatever ends the process."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO


def write_whole(path: Path, text: str) -> None:
    """Write a text file that people commit; a reader finds the old text or the new one, never a part."""
    with writing_whole(path) as file:
        file.write(text.encode())


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
