"""Where files that are to be pinned come from: a release's archive, or a revision in a repository, not pinned yet.

Each brings the files and what the project says of itself; that the two agree, byte for byte, is asked here too.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from atlas.entries.manifest import COMMIT
from atlas.exceptions import ArchiveError, HashMismatchError, MissingFileError, SourceError
from atlas.sources.archive import member_names, read_members
from atlas.sources.blob import blob_id
from atlas.sources.git import GitRepository, fetched_revision, open_clone
from atlas.sources.licences import About, about_package, about_revision, licence_names, metadata_name
from atlas.sources.nearest import nearest_few
from atlas.sources.package import bring_archive
from atlas.sources.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class Release:
    """Files out of a package archive."""

    pypi: str
    """The package and its version, as `name==version`."""
    file: str
    """The archive's file name."""
    sha256: str
    """The archive's SHA-256."""
    strip: str | None
    """A leading folder that paths have in the repository but not in the archive."""
    contents: Mapping[str, bytes]
    """The files by their path in the repository."""
    missing: Mapping[str, SourceError]
    """What was asked for and is not there, with the error that says so."""
    about: About
    """What the package says of itself."""

    @property
    def version(self) -> str:
        """The version."""
        return self.pypi.partition("==")[2]


@dataclass(frozen=True, slots=True)
class Revision:
    """Files of a commit."""

    repository: str
    """The repository's address."""
    commit: str
    """The commit, 40 digits."""
    tag: str | None
    """The tag by which it was asked for."""
    method: str
    """Whom git was: `git` and the address, or `git-dir` for a clone."""
    contents: Mapping[str, bytes]
    """The files by their path."""
    missing: Mapping[str, SourceError]
    """What was asked for and is not there, with the error that says so."""
    about: About
    """What the repository's licence files say."""


def bring_release(
    pypi: str,
    paths: Collection[str],
    *,
    name: str | None = None,
    strip: str | None = None,
    progress: Progress = silent,
) -> Release:
    """Files of a release by their path in the repository, such as `src/pkg/net.py` where the archive has `pkg/net.py`.

    `name` is the archive to take of several; without `strip` the leading folder that the archive leaves out is found.
    """
    with tempfile.TemporaryFile() as file:
        archive = bring_archive(pypi, file, name=name, progress=progress)
        names = member_names(file, archive.name)
        left_out = strip if strip is not None else _left_out(paths, names)
        contents, missing = _parted(read_members(file, archive.name, paths, left_out))
        prefix = f"{left_out}/" if left_out else ""
        missing = _with_nearest(missing, [prefix + each for each in names], archive.name)
        about = _about_archive(file, archive.name, names)
    if missing and len(archive.offered) > 1:
        others = ", ".join(other for other in archive.offered if other != archive.name)
        missing = {
            path: MissingFileError(f"{error}; other archives of {pypi} are {others} (--file takes one)", error.field)
            for path, error in missing.items()
        }
    return Release(pypi, archive.name, archive.sha256, left_out, contents, missing, about)


def bring_revision(
    repository: str,
    revision: str | None,
    paths: Collection[str],
    *,
    git_dir: Path | None = None,
    progress: Progress = silent,
) -> Revision:
    """Files of a commit or a tag, or of the tip for None, from the remote or from a clone of it on this machine."""
    progress(repository, 0, None)
    with _opened(repository, revision, git_dir) as git:
        commit = git.tip() if revision is None else git.commit_of(revision)
        outcomes = {path: _read(git, commit, path) for path in paths}
        contents, missing = _parted(outcomes)
        missing = _with_nearest(missing, git.names_at(commit), f"revision {commit[:12]} of {repository}")
        names = licence_names([name for name in git.names_at(commit) if "/" not in name], None)
        texts = [
            found.decode(errors="replace") for name in names if isinstance(found := _read(git, commit, name), bytes)
        ]
    tag = None if revision is None or COMMIT.fullmatch(revision) else revision
    method = f"git {repository}" if git_dir is None else "git-dir"
    return Revision(repository, commit, tag, method, contents, missing, about_revision(repository, texts))


def same_files(release: Release, revision: Revision) -> None:
    """See that the archive's files are those of the commit.

    Raises:
        HashMismatchError: they differ; every path that does is named.
    """
    pairs = {path: (blob_id(revision.contents[path]), blob_id(content)) for path, content in release.contents.items()}
    differing = {path: pair for path, pair in pairs.items() if pair[0] != pair[1]}
    for path, (expected, found) in differing.items():
        more = f" (and so do {len(differing) - 1} more files)" if len(differing) > 1 else ""
        raise HashMismatchError(
            f"{release.file} is not revision {revision.commit[:12]} of {revision.repository}{more}: the blob of {path}",
            expected,
            found,
            ("files", path, "blob"),
        )


@contextmanager
def _opened(repository: str, revision: str | None, git_dir: Path | None) -> Iterator[GitRepository]:
    if git_dir is not None:
        yield open_clone(git_dir, repository)
        return
    with fetched_revision(repository, revision) as git:
        yield git


def _read(git: GitRepository, commit: str, path: str) -> bytes | SourceError:
    try:
        return git.read(commit, path)
    except (MissingFileError, ArchiveError) as error:
        return error


def _parted(outcomes: Mapping[str, bytes | SourceError]) -> tuple[dict[str, bytes], dict[str, SourceError]]:
    """The files that are there, and why others are not."""
    return (
        {path: found for path, found in outcomes.items() if isinstance(found, bytes)},
        {path: found for path, found in outcomes.items() if isinstance(found, SourceError)},
    )


def _with_nearest(missing: Mapping[str, SourceError], names: Collection[str], where: str) -> dict[str, SourceError]:
    """The errors, those about files that are not there with the nearest that are."""
    told: dict[str, SourceError] = {}
    for path, error in missing.items():
        told[path] = error
        if isinstance(error, MissingFileError) and "not a file" not in str(error):
            near = nearest_few(path, names)
            hint = f"; the nearest {'is' if len(near) == 1 else 'are'} {', '.join(near)}" if near else ""
            told[path] = MissingFileError(f"{where} has no file {path}{hint}", error.field)
    return told


def _left_out(paths: Collection[str], names: Collection[str]) -> str | None:
    """The leading folder without which most of the paths are in the archive; none where none is better."""
    first = next(iter(paths), "").split("/")
    folders: list[str | None] = [None, *("/".join(first[:end]) for end in range(1, len(first)))]
    return max(folders, key=lambda folder: sum(path.removeprefix(f"{folder}/") in names for path in paths))


def _about_archive(file: BinaryIO, archive: str, names: Collection[str]) -> About:
    name = metadata_name(names)
    metadata = _member(file, archive, name) if name is not None else None
    texts = [_member(file, archive, each).decode(errors="replace") for each in licence_names(names, metadata)]
    return about_package(metadata or b"", texts)


def _member(file: BinaryIO, archive: str, name: str) -> bytes:
    [found] = read_members(file, archive, [name]).values()
    if isinstance(found, SourceError):
        raise found
    return found
