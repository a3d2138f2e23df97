"""From a pinned revision to another one: the manifest as it would be, with the files of both to compare.

Nothing is written here, and nothing is taken for granted: the new files are proved as new pins are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from packaging.version import InvalidVersion, Version

from atlas.entries.manifest import COMMIT, Artifact, Manifest, PinnedFile
from atlas.exceptions import HashMismatchError, MissingFileError, RevisionError, SourceError
from atlas.sources.blob import blob_id
from atlas.sources.origins import Release, bring_release, bring_revision, same_files
from atlas.sources.package import newest_version
from atlas.sources.pinning import Stated, checked, find_revision, tags_of
from atlas.sources.pins import PinRecord, prove_archive, records_of
from atlas.sources.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class Repinned:
    """A manifest at another revision."""

    manifest: Manifest
    """The manifest; a file that is not there any more keeps its old blob."""
    records: tuple[PinRecord, ...]
    """The proofs against git; none where git could not be asked, or where a file is missing."""
    contents: Mapping[str, bytes]
    """The files that are there, by path."""
    missing: Mapping[str, SourceError]
    """The files that are not there any more, with the error that says so."""
    licence: str
    """The licence by the new files' own words, as an SPDX expression; empty where they do not tell."""
    notes: tuple[str, ...]
    """What whoever moves the pins should know."""


def repin(
    source_id: str, manifest: Manifest, to: str | None, stated: Stated, *, progress: Progress = silent
) -> Repinned:
    """The manifest at the version or revision `to`; without it, at the package's newest version or the branch's tip.

    Raises:
        SourceError: there is no such version or revision, it cannot be had, or the archive is not the revision's.
    """
    if manifest.artifact is not None and (to is None or _is_version(to)):
        return _to_version(source_id, manifest, manifest.artifact, to, stated, progress)
    return _to_revision(source_id, manifest, to, stated, progress)


def _is_version(text: str) -> bool:
    """Whether a text is a version of a package and not a revision; tags begin with a letter for the most part."""
    if COMMIT.fullmatch(text) or not text[:1].isdigit():
        return False
    try:
        Version(text)
    except InvalidVersion:
        return False
    return True


def _to_version(
    source_id: str, manifest: Manifest, artifact: Artifact, to: str | None, stated: Stated, progress: Progress
) -> Repinned:
    name, _, before = artifact.pypi.partition("==")
    version = newest_version(name) if to is None else to
    paths = list(manifest.files)
    strip = artifact.strip or ""
    release = bring_release(f"{name}=={version}", paths, name=stated.file, strip=strip, progress=progress)
    own = [_renamed(tag, before, version) for tag in (manifest.release, manifest.revision) if tag and before in tag]
    tags = [stated.tag] if stated.tag else list(dict.fromkeys([*own, *tags_of(release)]))
    notes: tuple[str, ...] = ()
    try:
        revision = find_revision(manifest.repository, tags, list(release.contents), stated, progress)
    except (MissingFileError, RevisionError, HashMismatchError):
        raise
    except SourceError as error:
        revision = None
        notes = (f"{tags[0]} is not proved to be {release.pypi}, as git could not be asked ({error.fact})",)
    if revision is not None and revision.missing:
        raise next(iter(revision.missing.values()))
    if revision is not None:
        same_files(release, revision)
    new = _moved(
        manifest,
        release.contents,
        revision=revision.commit if revision is not None else tags[0],
        release=(revision.tag if revision is not None else None) or tags[0],
        artifact=_archive(release),
    )
    proved = revision is not None and not release.missing
    records = records_of(source_id, new, revision.method) if revision is not None and proved else []
    return Repinned(new, tuple(records), release.contents, release.missing, release.about.licence, notes)


def _to_revision(source_id: str, manifest: Manifest, to: str | None, stated: Stated, progress: Progress) -> Repinned:
    paths = list(manifest.files)
    found = bring_revision(manifest.repository, to, paths, git_dir=stated.git_dir, progress=progress)
    same = {path: blob_id(content) for path, content in found.contents.items()} == {
        path: file.blob for path, file in manifest.files.items()
    }
    notes: tuple[str, ...] = ()
    artifact, release = manifest.artifact, found.tag or (manifest.release if same else None)
    if artifact is not None and not same:
        notes = (f"{artifact.pypi} does not hold these files, so they are fetched with git from now on",)
        artifact = None
    if artifact is not None:
        prove_archive(manifest, progress)
    new = _moved(manifest, found.contents, revision=found.commit, release=release, artifact=artifact)
    records = [] if found.missing else records_of(source_id, new, found.method)
    return Repinned(new, tuple(records), found.contents, found.missing, found.about.licence, notes)


def _moved(manifest: Manifest, contents: Mapping[str, bytes], **values: object) -> Manifest:
    blobs = {path: PinnedFile(blob=blob_id(content)) for path, content in contents.items()}
    return checked(Manifest, **{**dict(manifest), **values, "files": {**manifest.files, **blobs}})


def _archive(release: Release) -> Artifact:
    return checked(Artifact, pypi=release.pypi, file=release.file, sha256=release.sha256, strip=release.strip or None)


def _renamed(tag: str, before: str, version: str) -> str:
    """The tag of a version, after the tag of the one before it."""
    return re.sub(rf"(?<![0-9.]){re.escape(before)}(?![0-9]|\.[0-9])", lambda _: version, tag)
