"""The record of which pins were proved, so that a revision, blob id or archive edited afterwards is noticed.

A package archive proves that a file has a blob id; only git proves that the blob belongs to the commit. Both are
asked once, and `sources/pins.lock` keeps the answer where everybody can read it.
"""

from __future__ import annotations

import datetime
import hashlib
from bisect import bisect_left
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import StringConstraints, TypeAdapter, ValidationError

from atlas.entries.base import Record, Text
from atlas.entries.manifest import Artifact, BlobId, Manifest, RepositoryPath, Sha256
from atlas.exceptions import FileTooLargeError, HashMismatchError, RevisionError, SourceError
from atlas.files import read_text, write_whole
from atlas.sources.blob import blob_id
from atlas.sources.git import TIMEOUT, fetched, open_clone
from atlas.sources.progress import Progress, silent

LOCK_NAME = "pins.lock"
BY_CLONE = "git-dir"
PROVE = "run `atlas pin --prove`"

MAX_LOCK = 16_000_000
"""The longest lock file that is read, in bytes."""
"""The method of a proof against a local clone; where that clone is says nothing to anybody else."""
HEADER = """\
# Each record says that git was asked whether a file with this blob id is at this path of this commit, and that it is.
# Where there is an artifact, its archive has this SHA-256 and holds the file. `atlas pin --prove` writes the records.
# The digest is the SHA-256 of all that is proved, so a manifest or record that was edited afterwards no longer fits.
"""


class PinRecord(Record):
    """One proof, as it is kept."""

    source: Text
    """The id of the manifest."""
    path: RepositoryPath
    """The file."""
    repository: Text
    """The repository's address."""
    revision: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")]
    """The commit."""
    blob: BlobId
    """Git's object id of the file at that commit."""
    artifact: Artifact | None = None
    """The package archive that holds the file too; none where the manifest names none."""
    proved: datetime.date
    """The day on which git was asked, in UTC."""
    method: Annotated[str, StringConstraints(pattern=r"^(git-dir|git https://\S+)$")]
    """Whom: `git` and the remote's address, or `git-dir` for a local clone."""
    digest: Sha256
    """What ties the fields together."""


@dataclass(frozen=True, slots=True)
class PinLock:
    """The proofs of a project."""

    records: tuple[PinRecord, ...] = ()
    """The records, sorted by source and path, one for each."""

    def record(self, source_id: str, path: str) -> PinRecord | None:
        """The record of one file of one source."""
        key = (source_id, path)
        place = bisect_left(self.records, key, key=_key)
        found = self.records[place] if place < len(self.records) else None
        return found if found is not None and _key(found) == key else None

    def with_source(self, source_id: str, new: Iterable[PinRecord]) -> PinLock:
        """This lock with new records of one source, which take the place of all it had."""
        return PinLock.sorted([*(each for each in self.records if each.source != source_id), *new])

    @classmethod
    def sorted(cls, records: Iterable[PinRecord]) -> PinLock:
        """A lock of records given in any order."""
        return cls(tuple(sorted(records, key=_key)))


def _key(record: PinRecord) -> tuple[str, str]:
    """What a record is about."""
    return record.source, record.path


class PinState(StrEnum):
    """What is known of a pin without asking anybody."""

    PROVED = "proved"
    RELEASE = "release"
    NEVER_PROVED = "never proved"
    EDITED = "edited"


@dataclass(frozen=True, slots=True)
class PinStatus:
    """What the lock says about one pinned file."""

    state: PinState
    """The state in one word."""
    message: str
    """The state in a sentence, without a final full stop."""
    field: tuple[str, ...] = ()
    """The key path in the manifest that the message concerns."""
    differs: tuple[str, ...] = ()
    """The fields in which the manifest and the record differ, for an edited pin."""
    record: PinRecord | None = None
    """The record, where there is one."""
    advice: str = ""
    """What to do, where something is to be done."""


def digest_of(repository: str, revision: str, path: str, blob: str, artifact: Artifact | None = None) -> str:
    """The SHA-256 that ties all of these together."""
    archive = () if artifact is None else (artifact.pypi, artifact.file, artifact.sha256, artifact.strip or "")
    return hashlib.sha256("\n".join((repository, revision, path, blob, *archive)).encode()).hexdigest()


def pin_status(source_id: str, manifest: Manifest, path: str, lock: PinLock) -> PinStatus:
    """Whether a pinned file's blob was proved to belong to its revision, as far as the lock can tell."""
    blob = manifest.files[path].blob
    record = lock.record(source_id, path)
    if record is not None and record.digest != _digest(record):
        return PinStatus(
            PinState.EDITED,
            f"the record of {path} in {LOCK_NAME} was edited: its digest does not fit its own fields",
            ("files", path),
            ("digest",),
            record,
            PROVE,
        )
    if record is not None:
        differs = _differences(manifest, path, record)
        if not differs and manifest.artifact is not None and record.artifact is None:
            return PinStatus(
                PinState.NEVER_PROVED,
                f"it was never proved that {manifest.artifact.file} has this SHA-256 and holds {path}",
                ("artifact",),
                record=record,
                advice=PROVE,
            )
        if not differs:
            return PinStatus(PinState.PROVED, f"proved on {record.proved} {_by(record.method)}", record=record)
        told = " and ".join(f"{field[-1]} {new} was proved as {old}" for field, (new, old) in differs.items())
        return PinStatus(
            PinState.EDITED,
            f"the pin of {path} was edited after it was proved: {told}",
            next(iter(differs)),
            tuple(field[-1] for field in differs),
            record,
            f"undo the edit or {PROVE}",
        )
    if not manifest.is_commit:
        return PinStatus(
            PinState.RELEASE,
            f"not proved against git to be in release {manifest.revision}",
            ("revision",),
            record=record,
        )
    return PinStatus(
        PinState.NEVER_PROVED,
        f"it was never proved that {path} has blob {blob} at revision {manifest.revision}",
        ("files", path),
        advice=PROVE,
    )


def _differences(manifest: Manifest, path: str, record: PinRecord) -> dict[tuple[str, ...], tuple[str, str]]:
    """The fields that are stated otherwise than they were proved, that of the blob first, with both values."""
    stated = {
        ("files", path, "blob"): (manifest.files[path].blob, record.blob),
        ("repository",): (manifest.repository, record.repository),
        ("revision",): (manifest.revision, record.revision),
    }
    if manifest.artifact is not None and record.artifact is not None:
        for name in Artifact.model_fields:
            both = (getattr(manifest.artifact, name), getattr(record.artifact, name))
            stated["artifact", name] = (both[0] or "(none)", both[1] or "(none)")
    return {field: (new, old) for field, (new, old) in stated.items() if new != old}


def _digest(record: PinRecord) -> str:
    return digest_of(record.repository, record.revision, record.path, record.blob, record.artifact)


def _by(method: str) -> str:
    """Whom a record names, in words."""
    return "against a copy of the repository" if method == BY_CLONE else f"by {method}"


def prove(
    source_id: str,
    manifest: Manifest,
    git_dir: Path | None = None,
    *,
    lock: PinLock | None = None,
    today: datetime.date | None = None,
    progress: Progress = silent,
    timeout: float = TIMEOUT,
) -> list[PinRecord]:
    """Ask git, at the remote or in a clone, whether each blob is at its path of the revision; records if all are.

    The archive is brought and looked into as well, unless `lock` has the proof that it holds these very blobs.
    """
    day = datetime.datetime.now(datetime.UTC).date() if today is None else today
    method = f"git {manifest.repository}" if git_dir is None else BY_CLONE
    where = fetched(manifest, timeout) if git_dir is None else nullcontext(open_clone(git_dir, manifest.repository))
    progress(manifest.name, 0, None)
    with where as repository:
        commit = repository.commit_of(manifest.revision)
        if commit != manifest.revision:
            write = f"`revision: {commit}`" + ("" if manifest.is_commit else f" and `release: {manifest.revision}`")
            raise RevisionError(
                f"revision {manifest.revision} is a tag, and only a commit can be proved; write {write}", ("revision",)
            )
        for path, file in sorted(manifest.files.items()):
            found = repository.blob_of(commit, path)
            if found != file.blob:
                raise HashMismatchError(
                    f"the blob of {path} at revision {commit}", file.blob, found, ("files", path, "blob")
                )
    if not _holds_as_proved(source_id, manifest, lock or PinLock()):
        prove_archive(manifest, progress)
    return records_of(source_id, manifest, method, day)


def _holds_as_proved(source_id: str, manifest: Manifest, lock: PinLock) -> bool:
    """Whether there is no archive, or it was proved before that this one holds these blobs."""
    records = [lock.record(source_id, path) for path in manifest.files]
    return manifest.artifact is None or all(
        one is not None
        and (one.artifact, one.blob) == (manifest.artifact, manifest.files[one.path].blob)
        and one.digest == _digest(one)
        for one in records
    )


def prove_archive(manifest: Manifest, progress: Progress = silent) -> None:
    """Bring the archive of a manifest, and see that it holds every pinned blob.

    Raises:
        HashMismatchError: the archive, or a file in it, is not the pinned one.
        SourceError: the archive cannot be had, or has no such file.
    """
    # Imported where it is needed: an HTTP client is slow to import, and whoever reads proofs needs none.
    from atlas.sources.package import bring_from_package

    artifact = manifest.artifact
    if artifact is None:
        return
    for path, outcome in bring_from_package(artifact, list(manifest.files), progress=progress).items():
        if isinstance(outcome, SourceError):
            raise outcome
        if (found := blob_id(outcome)) != (pinned := manifest.files[path].blob):
            raise HashMismatchError(f"the blob of {path} in {artifact.file}", pinned, found, ("files", path, "blob"))


def records_of(source_id: str, manifest: Manifest, method: str, day: datetime.date | None = None) -> list[PinRecord]:
    """What to keep of a manifest at a commit after git and the archive have confirmed, just now, every blob of it."""
    return [
        PinRecord(
            source=source_id,
            path=path,
            repository=manifest.repository,
            revision=manifest.revision,
            blob=file.blob,
            artifact=manifest.artifact,
            proved=datetime.datetime.now(datetime.UTC).date() if day is None else day,
            method=method,
            digest=digest_of(manifest.repository, manifest.revision, path, file.blob, manifest.artifact),
        )
        for path, file in sorted(manifest.files.items())
    ]


def load_lock(path: Path) -> PinLock:
    """The proofs in a lock file; none where there is no file."""
    try:
        written = read_text(path, MAX_LOCK)
    except FileNotFoundError:
        return PinLock()
    except (OSError, UnicodeDecodeError, FileTooLargeError) as error:
        raise SourceError(f"{path.name} cannot be read: {error}") from error
    try:
        # libyaml takes a tenth of the time, and a lock has a record for every pinned file.
        read = yaml.load(written, yaml.CSafeLoader)
        records = TypeAdapter(tuple[PinRecord, ...]).validate_python(tuple(read or ()))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise SourceError(f"{path.name} has a record that is not one ({where}: {first['msg']})") from error
    except (yaml.YAMLError, TypeError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise SourceError(
            f"{path.name} is not the list of records that `atlas pin --prove` writes: {reason}"
        ) from error
    lock = PinLock.sorted(records)
    for one, other in pairwise(map(_key, lock.records)):
        if one == other:
            raise SourceError(f"{path.name} has two records of {one[1]} of {one[0]}")
    return lock


def save_lock(lock: PinLock, path: Path) -> None:
    """Write a lock file."""
    write_whole(path, lock_text(lock))


def lock_text(lock: PinLock) -> str:
    """The text of a lock file: sorted, a record per file and a field per line, so that a change shows as what it is."""
    written = [
        yaml.safe_dump([record.model_dump(exclude_none=True)], sort_keys=False, allow_unicode=True, width=1000)
        for record in lock.records
    ]
    return "\n".join([HEADER, *written])
