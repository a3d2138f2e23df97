"""New files of a site, written one after the other into folders that are made once.

MkDocs asks the disk for each file whether its folder is there, and for the folder above it.
"""

from __future__ import annotations

import os


class NewFiles:
    """Writes files, each to a place where no other process writes."""

    def __init__(self) -> None:
        self._folders: set[str] = set()

    def write(self, content: bytes | str, path: str) -> None:
        """Write a file, as UTF-8 if it is a text; folders that are missing are made.

        Args:
            content: What it holds.
            path: Where it lies; MkDocs has such paths as texts.

        Raises:
            OSError: it cannot be written.
        """
        folder = os.path.dirname(path)  # noqa: PTH120 - once a file, and a path costs more
        if folder not in self._folders:
            self._make(folder)
        with open(path, "wb") as file:  # noqa: PTH123 - as above
            file.write(content if isinstance(content, bytes) else content.encode())

    def _make(self, folder: str) -> None:
        # Mostly the folder above is there, and no question is needed.
        try:
            os.mkdir(folder)  # noqa: PTH102 - as above
        except OSError:
            os.makedirs(folder, exist_ok=True)  # noqa: PTH103 - as above
        self._folders.add(folder)
