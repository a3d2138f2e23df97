"""From a pin to the verified text of a file: the cache first, then the provider that the manifest names.

This is the one door to pinned sources; whatever comes through it has the blob id that the manifest pins.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from atlas.entries.manifest import Manifest
from atlas.exceptions import HashMismatchError, MissingFileError, OfflineError, SourceError
from atlas.sources.blob import blob_id
from atlas.sources.cache import BlobCache
from atlas.sources.git import bring_from_git
from atlas.sources.nearest import nearest
from atlas.sources.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class PinnedText:
    """The verified text of one pinned file."""

    source_id: str
    """The manifest's id, such as `tensor2tensor`."""
    path: str
    """The path in the repository."""
    blob: str
    """Git's object id of the content; it was checked."""
    text: str
    """The whole file."""
    lines: tuple[str, ...]
    """The lines without their line feeds, numbered from 1 as git and the repository's web site number them."""
    manifest: Manifest
    """What pins the file."""


@dataclass(frozen=True, slots=True)
class FetchReport:
    """What came of fetching several sources."""

    texts: tuple[PinnedText, ...]
    """Every pinned file that is at hand now."""
    failures: tuple[tuple[str, SourceError], ...]
    """The id of a source and what went wrong with it, in the order of the ids; several per source are possible."""


class SourceStore:
    """The pinned files of some manifests. A failure is remembered, so make a store per build, not per process."""

    def __init__(
        self,
        manifests: Mapping[str, Manifest],
        cache: BlobCache | None = None,
        *,
        offline: bool = False,
        progress: Progress | None = None,
    ) -> None:
        self.manifests = manifests
        self.cache = BlobCache() if cache is None else cache
        self.offline = offline
        self.progress: Progress = silent if progress is None else progress
        self._texts: dict[tuple[str, str], PinnedText] = {}
        self._failures: dict[tuple[str, str], SourceError] = {}
        self._lock = threading.RLock()

    def manifest(self, source_id: str) -> Manifest:
        """The manifest with an id."""
        if source_id not in self.manifests:
            hint = nearest(source_id, self.manifests)
            raise SourceError(
                f"there is no source {source_id!r}", ("source",), f"did you mean {hint!r}?" if hint else ""
            )
        return self.manifests[source_id]

    def file(self, source_id: str, path: str) -> PinnedText:
        """The verified text of a pinned file."""
        manifest = self.manifest(source_id)
        if path not in manifest.files:
            hint = nearest(path, manifest.files)
            raise MissingFileError(
                f"sources/{source_id}.yml pins no file {path}",
                ("files",),
                f"the nearest is {hint}" if hint else "",
            )
        key = (source_id, path)
        with self._lock:
            if key not in self._texts and key not in self._failures:
                try:
                    self._texts[key] = pinned_text(source_id, manifest, path, self._content(source_id, manifest, path))
                except SourceError as error:
                    self._failures[key] = error
            if key in self._failures:
                raise self._failures[key].with_traceback(None)
            return self._texts[key]

    def _content(self, source_id: str, manifest: Manifest, path: str) -> bytes:
        blob = manifest.files[path].blob
        content = self.cache.get(blob)
        if content is not None:
            return content
        if self.offline:
            raise OfflineError(
                f"{path} of {source_id} is not in the cache ({self.cache.folder}), and the network may not be used",
                ("files", path),
                f"run `atlas fetch {source_id}` where there is a network",
            )
        brought = self._bring(source_id, manifest)
        if path not in brought:
            raise self._failures[source_id, path]
        return brought[path]

    def _bring(self, source_id: str, manifest: Manifest) -> dict[str, bytes]:
        """Bring all files of a manifest at once, cache those that are what they should be, note what is wrong."""
        outcomes: Mapping[str, bytes | SourceError]
        try:
            if manifest.artifact is None:
                outcomes = bring_from_git(manifest, list(manifest.files), progress=self.progress)
            else:
                # Imported where it is needed: an HTTP client is slow to import, and a build from the cache needs none.
                from atlas.sources.package import bring_from_package

                outcomes = bring_from_package(manifest.artifact, list(manifest.files), progress=self.progress)
        except SourceError as error:
            outcomes = dict.fromkeys(manifest.files, error)
        good: dict[str, bytes] = {}
        for path, outcome in outcomes.items():
            if isinstance(outcome, SourceError):
                self._failures[source_id, path] = outcome
                continue
            pinned, found = manifest.files[path].blob, blob_id(outcome)
            if found != pinned:
                origin = manifest.artifact.file if manifest.artifact else f"{manifest.name} at {manifest.revision}"
                self._failures[source_id, path] = HashMismatchError(
                    f"the blob id of {path} in {origin}", pinned, found, ("files", path, "blob")
                )
                continue
            self.cache.put(outcome)
            good[path] = outcome
        return good


def pinned_text(source_id: str, manifest: Manifest, path: str, content: bytes) -> PinnedText:
    """The text of a file whose content was verified.

    Raises:
        SourceError: it is no text.
    """
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SourceError(
            f"{path} of {source_id} is not UTF-8 text: byte {error.start} is 0x{content[error.start]:02x}",
            ("files", path),
        ) from error
    if "\0" in text:
        raise SourceError(
            f"{path} of {source_id} is not text: it holds a NUL at byte {content.index(0)}", ("files", path)
        )
    return PinnedText(source_id, path, manifest.files[path].blob, text, lines_of(text), manifest)


def lines_of(text: str) -> tuple[str, ...]:
    """The lines as git counts them: only a line feed ends a line, and one at the very end begins no further line."""
    lines = text.split("\n")
    return tuple(lines[:-1] if lines[-1] == "" else lines)


def fetch_all(store: SourceStore, ids: Iterable[str] | None = None, progress: Progress | None = None) -> FetchReport:
    """Bring every pinned file of some sources (of all without `ids`) into the cache; no failure stops the others."""
    if progress is not None:
        store.progress = progress
    texts: list[PinnedText] = []
    failures: list[tuple[str, SourceError]] = []
    for source_id in sorted(store.manifests) if ids is None else ids:
        told: set[int] = set()
        try:
            paths = sorted(store.manifest(source_id).files)
        except SourceError as error:
            failures.append((source_id, error))
            continue
        for path in paths:
            try:
                texts.append(store.file(source_id, path))
            except SourceError as error:
                # One archive that cannot be had is one failure, however many files were to come from it.
                if id(error) not in told:
                    told.add(id(error))
                    failures.append((source_id, error))
    return FetchReport(tuple(texts), tuple(failures))
