"""The sources of one run: manifests, what is known of their pins, and their pinned files, brought and verified once.

The checks of a collection read these and bring nothing themselves, so that collections can be checked anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from atlas.checks.base import Collector
from atlas.entries.atlas import Atlas, Source
from atlas.entries.folders import shown_path
from atlas.entries.survey import digest_of_parts
from atlas.exceptions import (
    ArchiveError,
    HashMismatchError,
    MissingFileError,
    OfflineError,
    RevisionError,
    SourceError,
)
from atlas.issues import Issue
from atlas.sources.pins import LOCK_NAME, PinLock, PinState, PinStatus, load_lock, pin_status
from atlas.sources.store import PinnedText, SourceStore

MissingSources = Literal["fail", "link"]
"""What is done about a pinned file that is not at hand: it is an issue, or pages link to it."""
StoreMaker = Callable[[Atlas], SourceStore]
"""Makes what brings the files that an atlas's manifests pin."""


@dataclass(frozen=True, slots=True)
class Pinned:
    """What checks read of sources; it can be pickled, for checks in other processes."""

    sources: Mapping[str, Source]
    """The manifests that are sound, by id."""
    unread: frozenset[str]
    """The ids of manifests that are there but not sound."""
    files: Mapping[tuple[str, str], PinnedText]
    """Every pinned file that is at hand, by source and path."""
    pins: Mapping[tuple[str, str], PinStatus]
    """What is known of each pin, by source and path."""
    missing: MissingSources
    """What is done about pinned files that are not at hand."""
    issues: tuple[Issue, ...]
    """What is wrong with pins and pinned files."""

    def state(self, name: str) -> bytes:
        """A digest of everything that is known of the source with this id, or that it is not sound or not there."""
        if name in self.sources:
            return digest_of_parts(self._known_of(self.sources[name]))
        return b"not sound" if name in self.unread else b"-"

    def names(self) -> Iterator[bytes]:
        """The ids of all sources, of which one may be meant where a name names none, and which of them are sound."""
        for name in sorted((*self.sources, *self.unread)):
            yield name.encode()
            yield b"not sound" if name in self.unread else b"sound"

    def _known_of(self, source: Source) -> Iterator[bytes]:
        for path, text in source.document.texts.items():
            yield path.encode()
            yield text.encode()
        yield source.licence.encode()
        for path in source.data.files:
            pinned = self.files.get((source.id, path))
            yield path.encode()
            yield repr(self.pins[source.id, path]).encode()
            yield b"-" if pinned is None else pinned.blob.encode()


def bring(
    atlas: Atlas,
    folder: Path,
    make_store: StoreMaker,
    missing: MissingSources,
    concerns: Callable[[str], bool] | None = None,
) -> Pinned:
    """Bring every pinned file, and see that no pin was edited after it was proved; `folder` is that of the manifests.

    With `concerns`, only the files of manifests are brought that it takes.
    """
    found = Collector()
    lock = _lock(folder, atlas.root, found)
    store = make_store(atlas)
    files: dict[tuple[str, str], PinnedText] = {}
    pins: dict[tuple[str, str], PinStatus] = {}
    for source in atlas.sources.values():
        for path in source.data.files:
            pins[source.id, path] = pin_status(source.id, source.data, path, lock or PinLock())
        if concerns is not None and not concerns(source.path):
            continue
        if lock is not None:  # else it cannot be read, which is reported already
            found.extend(_edited(source, pins))
        for path in source.data.files:
            if "blob" in pins[source.id, path].differs:
                continue
            text, issue = _brought(store, source, path)
            if text is not None:
                files[source.id, path] = text
            if issue is not None and (issue.code != "A503" or missing == "fail"):
                found.add(issue)
    return Pinned(atlas.sources, atlas.unread, files, pins, missing, tuple(found.issues))


def _lock(folder: Path, root: Path, found: Collector) -> PinLock | None:
    """The proofs of pins; None where they cannot be read."""
    try:
        return load_lock(folder / LOCK_NAME)
    except SourceError as error:
        shown = shown_path(folder / LOCK_NAME, root)
        found.add(Issue(shown, 0, 0, "A502", str(error), "write it anew: atlas pin --prove"))
        return None


def _edited(source: Source, pins: Mapping[tuple[str, str], PinStatus]) -> Iterator[Issue]:
    """One issue for each field of the manifest that does not hold, however many files it concerns."""
    by_field: dict[tuple[str, ...], list[PinStatus]] = {}
    for path in source.data.files:
        status = pins[source.id, path]
        if status.state in (PinState.EDITED, PinState.NEVER_PROVED):
            by_field.setdefault(status.field, []).append(status)
    for field, found in by_field.items():
        more = f" (and of {len(found) - 1} more)" if len(found) > 1 else ""
        yield source.issue(field, "A502", found[0].message + more, found[0].advice)


def _brought(store: SourceStore, source: Source, path: str) -> tuple[PinnedText | None, Issue | None]:
    """A pinned file, or why it cannot be had."""
    try:
        return store.file(source.id, path), None
    except SourceError as error:
        return None, unbrought(source, error, ("files", path))


def _what_to_do(source: Source, error: SourceError) -> str:
    """What to do about a pinned file that cannot be had, where the error itself does not say."""
    move = f"pin another revision: `atlas repin {source.id}`"
    if isinstance(error, HashMismatchError):
        what = "file" if error.field[-1:] == ("blob",) or not error.field else "archive"
        key = "blob" if what == "file" else "sha256"
        return f"see that the {what} is the one that is meant; then write its hash as `{key}`, else {move}"
    if isinstance(error, MissingFileError):
        return f"name a file that is there, or {move}"
    if isinstance(error, RevisionError):
        return "write as `revision` a commit or tag that the repository has"
    if isinstance(error, ArchiveError):
        return "name another archive of the release as `file` below `artifact`, or leave out `artifact` and use git"
    if error.field[:1] == ("files",):
        return "remove it from `files`, and quote a file of text"
    again = f"run `atlas fetch {source.id}` again; `atlas doctor` tells of the cache and the network"
    return f"see that `repository` is right, and {again}" if error.field == ("repository",) else again


def unbrought(source: Source, error: SourceError, where: tuple[str | int, ...] = ()) -> Issue:
    """Why a pinned file cannot be had, at the field that the error concerns, else at this one."""
    if not isinstance(error, OfflineError):
        return source.issue(error.field or where, "A501", error.fact, error.advice or _what_to_do(source, error))
    hint = f"{error.advice}; checks and builds need no network afterwards" if error.advice else ""
    return source.issue(error.field or where, "A503", error.fact, hint)
