"""Tells when a project's files change: the system's notices wake, and what the files are then decides.

A notice says little that can be relied on, and editors save in many steps, so that a change counts when it is over:
nothing has moved for a moment, and a file that is gone or empty has had its time to come back.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver
from watchdog.observers.polling import PollingObserver

from atlas.checks.record_files import SUFFIX
from atlas.entries.folders import yaml_files
from atlas.links.meant import PROSE
from atlas.project import Project

QUIET = 0.1
"""For how many seconds nothing may move before a change counts as over …"""
LONGEST = 2.0
"""… or after how many it does anyhow, while something moves on and on."""
PATIENCE = 0.5
"""How many seconds a file that is gone or empty is given to come back."""
ATTEMPTS = 20
"""How often the files are listed while folders vanish in the middle of it."""
CODE = Path(__file__).resolve().parents[1]
"""The folder of the atlas's own code, operators among it."""
READING = frozenset(("opened", "closed_no_write"))
"""The notices that checks themselves cause."""


class Stamp(NamedTuple):
    """What tells one state of a file from another."""

    modified: int
    """When it was last written, in nanoseconds."""
    size: int
    """Its bytes."""
    number: int
    """Its number in the file system, which another file of its name does not have."""


Snapshot = Mapping[Path, Stamp]
"""The state of every file that checks rest on."""


def snapshot(project: Project) -> Snapshot:
    """The files that the checks of a project rest on, as they are now; those that vanish meanwhile are not there."""
    for _ in range(ATTEMPTS):
        with suppress(FileNotFoundError):  # a folder that vanished while it was walked
            return {file: stamp for file in _files(project) if (stamp := _stamp(file)) is not None}
        time.sleep(QUIET)
    return {}


def changed_files(before: Snapshot, now: Snapshot) -> list[Path]:
    """The files that are others than before, new or gone, sorted."""
    return sorted(file for file in before.keys() | now.keys() if before.get(file) != now.get(file))


def _files(project: Project) -> Iterator[Path]:
    yield project.config
    # A configuration may inherit from others, which stand beside it for the most part.
    yield from (file for file in project.root.glob("*.y*ml") if file != project.config)
    for folder in (project.content, project.sources):
        if folder.is_dir():
            yield from yaml_files(folder)
    if project.content.is_dir():
        yield from project.content.rglob(f"*{SUFFIX}")
        # Whose links are checked.
        yield from (file for file in project.content.rglob("*") if file.suffix in PROSE)
    if project.sources.is_dir():
        yield from (file for file in project.sources.rglob("*") if file.suffix not in (".yml", ".yaml"))
    yield from CODE.rglob("*.py")


def _stamp(file: Path) -> Stamp | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return Stamp(found.st_mtime_ns, found.st_size, found.st_ino)


class Watch(FileSystemEventHandler):
    """Waits for changes of a project's files, between `with` and its end."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._woken = threading.Event()
        self._observer: BaseObserver = Observer()
        self._watched: dict[Path, Stamp | None] = {}

    def __enter__(self) -> Self:
        self._observer.start()
        self._look()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._observer.stop()
        self._observer.join()

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Wake; called by the observer's thread."""
        if event.event_type not in READING:
            self._woken.set()

    def after(self, before: Snapshot) -> Snapshot:
        """Wait until the files are others than before and at rest, and give what they are then."""
        while True:
            self._look()
            # Asked before any waiting: something may have changed while a folder was not looked at.
            now = self._settled(before)
            if now != before:
                return now
            self._woken.wait()

    def _settled(self, before: Snapshot) -> Snapshot:
        end = time.monotonic() + LONGEST
        while self._woken.wait(QUIET) and time.monotonic() < end:
            self._woken.clear()
        now = snapshot(self.project)
        end = time.monotonic() + PATIENCE
        while _is_doubtful(now, before) and time.monotonic() < end:
            self._woken.wait(QUIET)
            self._woken.clear()
            now = snapshot(self.project)
        return now

    def _look(self) -> None:
        """Have the folders looked at that are there now; one that was replaced by another is looked at anew."""
        wanted = {folder: _stamp_of_folder(folder) for folder in self._folders()}
        if wanted == self._watched:
            return
        self._observer.unschedule_all()
        try:
            self._schedule()
        except OSError:  # too many folders for the system's notices, or a file system that gives none
            self._observer.stop()
            self._observer.join()
            self._observer = PollingObserver()
            self._schedule()
            self._observer.start()
        self._watched = wanted

    def _schedule(self) -> None:
        own = (self.project.content, self.project.sources, CODE)
        for folder in self._folders():
            self._observer.schedule(self, str(folder), recursive=folder in own)

    def _folders(self) -> list[Path]:
        """The folders to look at; of one that is missing, the nearest above it, in which it would appear."""
        wanted = (self.project.root, self.project.content, self.project.sources, CODE)
        return list(dict.fromkeys(next(one for one in (each, *each.parents) if one.is_dir()) for each in wanted))


def _stamp_of_folder(folder: Path) -> Stamp | None:
    """What tells a folder from another of its name; what is in it does not matter."""
    found = _stamp(folder)
    return found._replace(modified=0, size=0) if found is not None else None


def _is_doubtful(now: Snapshot, before: Snapshot) -> bool:
    """Whether a file is gone or empty that was not, as it is for a moment while it is saved."""
    return any(file not in now or (not now[file].size and before[file].size) for file in before)
