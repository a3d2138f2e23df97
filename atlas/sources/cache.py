"""The content-addressed cache of pinned files: what is in it under a blob id has that blob id, or is not in it.

It makes a second build independent of the network, and it may be shared by processes that run at the same time.
"""

from __future__ import annotations

import contextlib
import logging
import os
import tempfile
from pathlib import Path
from stat import S_ISREG

from atlas.exceptions import FileTooLargeError
from atlas.files import read_bytes
from atlas.kept import VARIABLE, cache_folder
from atlas.sources.archive import DEFAULT_LIMITS
from atlas.sources.blob import blob_id

log = logging.getLogger(__name__)


class BlobCache:
    """Files by blob id in a folder; where the folder cannot be written, in memory for as long as this object lives."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = (cache_folder() / "sources" if folder is None else folder).absolute()
        self._kept: dict[str, bytes] = {}
        self.problem = ""
        """Why the folder could not be written, else empty; what is kept then lasts as long as this object."""

    def place(self, blob: str) -> Path:
        """Where the file with this blob id is or would be."""
        return self.folder / blob[:2] / blob[2:]

    def get(self, blob: str) -> bytes | None:
        """The content with this blob id, or None; a file that does not have the id it is filed under is removed."""
        if blob in self._kept:
            return self._kept[blob]
        place = self.place(blob)
        try:
            if not S_ISREG(place.stat().st_mode):  # to read a pipe would be to wait for ever
                log.warning("%s in the cache is no file; what belongs there is brought anew.", place)
                return None
            content = read_bytes(place, DEFAULT_LIMITS.member)
        except FileTooLargeError as error:
            log.warning("%s in the cache, and no pinned file is as long; what belongs there is brought anew.", error)
            return None
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            log.warning("The cached file %s cannot be read (%s); it is brought anew.", place, error.strerror)
            return None
        found = blob_id(content)
        if found != blob:
            log.warning(
                "The cached file %s is damaged (its content is %s); it is removed and brought anew.", place, found
            )
            with contextlib.suppress(OSError):
                place.unlink()
            return None
        return content

    def put(self, content: bytes) -> str:
        """File a content and return its blob id; a folder that cannot be written costs one warning, not the build."""
        blob = blob_id(content)
        try:
            self._write(self.place(blob), content)
        except OSError as error:
            self._kept[blob] = content
            if not self.problem:
                self.problem = error.strerror or str(error)
                log.warning(
                    "The cache directory %s cannot be written (%s). What is fetched is kept for this run only; "
                    "set %s to a directory that can be written, and the next run needs no network.",
                    self.folder,
                    self.problem,
                    VARIABLE,
                )
        return blob

    @staticmethod
    def _write(place: Path, content: bytes) -> None:
        """Write beside the final place and move over it, so that no other process ever sees half a file."""
        place.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=".part-", dir=place.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
            Path(name).replace(place)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise
