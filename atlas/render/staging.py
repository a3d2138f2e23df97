"""A build in a folder beside the site: put in the site's place when it is whole, or exchanged with it file by file.

A failed, interrupted or killed build leaves the previous site as it was; what a killed one left is removed by the next.
"""

from __future__ import annotations

import contextlib
import errno
import filecmp
import os
import shutil
import tempfile
import time
from collections.abc import Collection, Iterable
from pathlib import Path

from filelock import FileLock, Timeout

from atlas.render.exchange import exchange, finish_exchange
from atlas.render.staging_names import beside_prefix, inside_prefix

_LOCK = "lock"
_NEW = "new"
_OLD = "old"
_MAY_NOT = (errno.EACCES, errno.EPERM, errno.EROFS)
"""What the system says of a folder that cannot be written."""
_ENTERING = "entering"
"""What `new` is called while the site takes what is in it."""
_REPLACED = "replaced"
"""What `old` is called once the site has all that is new, so that nothing is to be undone."""
_ABANDONED_AFTER = 3600.0
"""Seconds after which a folder with something in it but no lock file, as no build leaves it, counts as left."""


class Staging:
    """One build's folders; what is in `new` becomes the site, `work` is scratch space, both go when the build ends."""

    def __init__(self, site: Path) -> None:
        # A site that is a symbolic link keeps being one: what it points to is replaced.
        self.site = site.resolve()
        self.site.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(self.site)
        self._folder, self._lock = _claim(self.site)
        self.new = self._folder / _NEW
        self.work = self._folder / "work"
        self.new.mkdir()
        self.work.mkdir()
        if self.site.is_dir():
            shutil.copymode(self.site, self.new)

    def keep_times(self, paths: Iterable[str]) -> None:
        """Give files that are byte for byte those of the present site their time, so that they count as unchanged."""
        if not self.site.is_dir():
            return
        for path in paths:
            new, old = self.new / path, self.site / path
            if new.is_file() and old.is_file() and filecmp.cmp(new, old, shallow=False):
                status = old.stat()
                os.utime(new, ns=(status.st_atime_ns, status.st_mtime_ns))

    def commit(self) -> None:
        """Put the new site in place of the old one, by renaming where the platform can, else by copying."""
        try:
            _swap(self._folder, self.site)
        except OSError:
            _unswap(self._folder, self.site)
            _refill(self.new, self.site)

    def commit_changes(self, kept: Collection[str]) -> None:
        """Put the files of `new` into the site, which keeps those that are named, and no others.

        Raises:
            OSError: the site cannot be changed where it is; it is as it was, and so is `new`.
        """
        exchange(self._folder, self.site, kept)

    def close(self) -> None:
        """Remove the folders; a swap that was interrupted half-way is completed, as it only begins on a whole site."""
        _finish(self._folder, self.site)
        _remove(self._folder, self._lock)


def _claim(site: Path) -> tuple[Path, FileLock]:
    """A fresh folder on the site's file system, and its lock."""
    try:
        return _claim_in(site.parent, beside_prefix(site))
    except OSError as error:
        if error.errno not in _MAY_NOT:
            raise
        # The site may be the only place that can be written, as in a container.
        return _claim_in(None, beside_prefix(site))


def _claim_in(parent: Path | None, prefix: str) -> tuple[Path, FileLock]:
    """A fresh folder (without a parent, among temporary ones) and its lock, which ends with this process."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        lock = FileLock(folder / _LOCK, thread_local=False)
        # Both errors are of a folder that another build removes just now; to that one it looks like a leftover.
        with contextlib.suppress(FileNotFoundError, FileExistsError, Timeout):
            lock.acquire(timeout=0)
            if (folder / _LOCK).exists():
                return folder, lock
            lock.release()


def _remove_leftovers(site: Path) -> None:
    """Remove what killed builds left beside a site and inside of it, once what they were at is completed or undone."""
    for parent, prefix, mend in ((site.parent, beside_prefix(site), _finish), (site, inside_prefix(site), _take_back)):
        for folder in parent.iterdir() if parent.is_dir() else ():
            if not folder.name.startswith(prefix) or not folder.is_dir():
                continue
            lock = FileLock(folder / _LOCK, thread_local=False)
            with contextlib.suppress(OSError, Timeout):  # Timeout: its build is still at work
                if not (folder / _LOCK).exists():
                    # It was killed before it had one, or after all else was gone; one that just began begins again.
                    with contextlib.suppress(OSError):
                        folder.rmdir()
                    if not folder.exists() or time.time() - folder.stat().st_mtime < _ABANDONED_AFTER:
                        continue
                lock.acquire(timeout=0)
                mend(folder, site)
                _remove(folder, lock)


def _remove(folder: Path, lock: FileLock) -> None:
    """Remove a folder and its lock, which goes last: by it the next build knows what a killed one has left."""
    for entry in list(folder.iterdir()) if folder.is_dir() else ():
        if entry.is_dir():
            shutil.rmtree(entry, ignore_errors=True)
        elif entry.name != _LOCK:
            with contextlib.suppress(OSError):
                entry.unlink()
    shutil.rmtree(folder, ignore_errors=True)
    lock.release()
    shutil.rmtree(folder, ignore_errors=True)  # Windows removes the lock file only once it is released


def _swap(folder: Path, site: Path) -> None:
    if site.exists():
        site.rename(folder / _OLD)
        _move_hidden(folder / _OLD, folder / _NEW)
    (folder / _NEW).rename(site)


def _finish(folder: Path, site: Path) -> None:
    """Complete what was cut off: an exchange of files, or a swap with the old site away and the new one not there."""
    finish_exchange(folder, site)
    if (folder / _OLD).is_dir() and (folder / _NEW).is_dir() and not site.exists():
        _move_hidden(folder / _OLD, folder / _NEW)
        (folder / _NEW).rename(site)


def _unswap(folder: Path, site: Path) -> None:
    """Bring the old site back after a swap that the system refused."""
    if (folder / _OLD).is_dir() and not site.exists():
        _move_hidden(folder / _NEW, folder / _OLD)
        (folder / _OLD).rename(site)


def _move_hidden(source: Path, target: Path) -> None:
    """Move what MkDocs never removes from a site folder, such as the `.git` of a checked-out `gh-pages` branch."""
    for entry in source.iterdir():
        if entry.name.startswith(".") and not (target / entry.name).exists():
            entry.rename(target / entry.name)


def _refill(new: Path, site: Path) -> None:
    """Exchange what is in a site folder that cannot be renamed, because it is a mount point or its parent is read-only.

    The new site is copied beside the old one first, as only then it is known to fit on the disk; then names change.
    """
    folder, lock = _claim_in(site, inside_prefix(site))
    try:
        (folder / _OLD).mkdir()
        shutil.copytree(new, folder / _NEW, symlinks=True)
        try:
            _move_shown(site, folder / _OLD)
            (folder / _NEW).rename(folder / _ENTERING)
            for entry in list((folder / _ENTERING).iterdir()):
                if not (site / entry.name).exists():  # what is hidden in a site is kept
                    entry.rename(site / entry.name)
            (folder / _OLD).rename(folder / _REPLACED)
        except BaseException:
            _take_back(folder, site)
            raise
    finally:
        _remove(folder, lock)


def _take_back(folder: Path, site: Path) -> None:
    """Undo an exchange that was cut off, at whatever point, also of this undoing; one that is complete stays."""
    if not (folder / _OLD).is_dir():
        return
    if (folder / _ENTERING).is_dir():  # nothing old is left in the site then
        _move_shown(site, folder / _ENTERING)
        (folder / _ENTERING).rename(folder / _NEW)
    _move_shown(folder / _OLD, site)


def _move_shown(source: Path, target: Path) -> None:
    """Move everything but what is hidden, which MkDocs never removes from a site folder either."""
    for entry in list(source.iterdir()):
        if not entry.name.startswith("."):
            entry.rename(target / entry.name)
