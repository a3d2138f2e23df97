"""New pins: from a release, a revision or both to a manifest whose hashes were proved, or an error that says why not.

A release's archive proves what its files are; git proves that they are a commit's. Both are asked wherever both can
be, and a pin that could not be proved against git says so by its revision, which is then the release's tag.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from atlas.entries.manifest import Artifact, Manifest, PinnedFile
from atlas.exceptions import HashMismatchError, MissingFileError, OfflineError, RevisionError, SourceError
from atlas.sources.blob import blob_id
from atlas.sources.licences import About, canonical
from atlas.sources.origins import Release, Revision, bring_release, bring_revision, same_files
from atlas.sources.pins import PinRecord, records_of
from atlas.sources.progress import Progress, silent

B = TypeVar("B", Release, Revision)
R = TypeVar("R", Artifact, Manifest)
RELEASE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*==[0-9A-Za-z.!+-]+")
NAME_IT = "name the commit or tag, as in URL@v1.0"
USE_A_COPY = (
    "connect to the network, or get a copy of the repository with `git clone` where there is one, and name its folder "
    "with --git-dir"
)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the files to pin come from, as somebody states it; a release, a revision or both."""

    pypi: str | None = None
    """A release, as `name==version`."""
    repository: str | None = None
    """The https address of a repository."""
    revision: str | None = None
    """A commit or a tag."""

    @property
    def name(self) -> str:
        """What a source from here is called where nobody says otherwise."""
        stated = self.pypi.partition("==")[0] if self.pypi else (self.repository or "").rstrip("/").rpartition("/")[2]
        return re.sub(r"[^a-z0-9]+", "-", stated.removesuffix(".git").lower()).strip("-")


@dataclass(frozen=True, slots=True)
class Stated:
    """What somebody states who pins; it comes before what the project says of itself."""

    title: str | None = None
    """The project's name."""
    licence: str | None = None
    """The licence, as an SPDX expression."""
    licence_text: str | None = None
    """The licence's text."""
    copyright: str | None = None
    """Who holds the copyright."""
    file: str | None = None
    """The archive to take of a release's several."""
    tag: str | None = None
    """The release's tag in the repository."""
    git_dir: Path | None = None
    """A clone of the repository, to be asked instead of the remote."""


@dataclass(frozen=True, slots=True)
class Pinned:
    """Files with all that a manifest states of them."""

    manifest: Manifest
    """The manifest."""
    records: tuple[PinRecord, ...]
    """The proofs against git; none where git could not be asked."""
    licence_text: str
    """The licence's text."""
    contents: Mapping[str, bytes]
    """The files by their path in the repository."""
    notes: tuple[str, ...] = field(default=())
    """What whoever pins should know."""


def read_origins(names: Collection[str]) -> Origin:
    """The origin that `name==version`, `https://…` or `https://…@revision`, or one of each, states.

    Raises:
        SourceError: a name is neither, or there are two of a kind.
    """
    found = Origin()
    for name in names:
        if "://" not in name:
            if not RELEASE.fullmatch(name):
                raise SourceError(f"{name} is not a release such as name==1.0")
            if found.pypi is not None:
                raise SourceError(f"{found.pypi} and {name} are two releases; a source is pinned to one")
            found = replace(found, pypi=name)
            continue
        address, _, revision = name.partition("@")
        if found.repository is not None:
            raise SourceError(f"{found.repository} and {address} are two repositories; a source has one")
        if not address.startswith("https://") or "@" in revision:
            raise SourceError(f"{name} is not the https address of a repository with @ and a commit or tag after it")
        found = replace(found, repository=address.rstrip("/").removesuffix(".git"), revision=revision or None)
    if found.pypi is None and found.revision is None:
        raise SourceError(f"{found.repository} says no revision; {NAME_IT}")
    return found


def pin_new(
    source_id: str, origin: Origin, paths: Collection[str], stated: Stated, *, progress: Progress = silent
) -> Pinned:
    """Bring the files of an origin that no manifest pins yet, and prove what can be proved.

    Raises:
        MissingFileError: a path is not there; the nearest that are, are told.
        HashMismatchError: the archive's files are not those of the revision.
        SourceError: the network or a fact that a manifest states is missing.
    """
    release = None
    if origin.pypi is not None:
        release = _whole(bring_release(origin.pypi, paths, name=stated.file, progress=progress))
    repository = origin.repository or (release.about.repository if release else "")
    if not repository:
        raise SourceError(f"{origin.pypi} does not say where its repository is; name it too, as in URL@v1.0")
    revision, notes = _revision(repository, origin, release, paths, stated, progress)
    if release is not None and revision is not None:
        same_files(release, revision)
    about = _about(release, revision, stated)
    contents = _contents(release, revision)
    manifest = checked(
        Manifest,
        title=about.title or source_id,
        repository=repository,
        revision=revision.commit if revision is not None else stated.tag,
        release=revision.tag if revision is not None else stated.tag,
        license=about.licence,
        license_text=f"licenses/{re.sub(r'[^A-Za-z0-9.-]+', '-', about.licence)}-{source_id}.txt",
        copyright=about.copyright,
        artifact=release and _artifact(release),
        files={path: PinnedFile(blob=blob_id(contents[path])) for path in sorted(contents)},
    )
    records = records_of(source_id, manifest, revision.method) if revision is not None else []
    advice = f"run `atlas repin {source_id} --to {release.version}` where it can be" if release is not None else ""
    return Pinned(manifest, tuple(records), about.licence_text, contents, tuple(f"{one}; {advice}" for one in notes))


def pin_more(
    source_id: str,
    manifest: Manifest,
    origin: Origin,
    paths: Collection[str],
    stated: Stated,
    *,
    progress: Progress = silent,
) -> Pinned:
    """Bring further files of a source from where its manifest has the others, and prove them as those were.

    Raises:
        SourceError: the origin is another release or revision than the manifest's; or as for a new pin.
    """
    _agree(source_id, manifest, origin)
    release = None
    if manifest.artifact is not None:
        artifact = manifest.artifact
        release = _whole(
            bring_release(artifact.pypi, paths, name=artifact.file, strip=artifact.strip or "", progress=progress)
        )
        if release.sha256 != artifact.sha256:
            raise HashMismatchError(f"the SHA-256 of {artifact.file}", artifact.sha256, release.sha256)
    revision = None
    if manifest.is_commit or release is None:
        asked = _asked(manifest.repository, manifest.revision, [*manifest.files, *paths], stated, progress)
        revision = _whole(asked)
        if release is not None:
            same_files(release, revision)
    brought = _contents(release, revision)
    contents = {path: brought[path] for path in paths}
    files = {**manifest.files, **{path: PinnedFile(blob=blob_id(content)) for path, content in contents.items()}}
    wanted = checked(Manifest, **{**dict(manifest), "files": files})
    if revision is None or not manifest.is_commit:
        return Pinned(wanted, (), "", contents)
    for path, file in wanted.files.items():
        if (found := blob_id(revision.contents[path])) != file.blob:
            raise HashMismatchError(f"the blob of {path} at revision {revision.commit}", file.blob, found)
    return Pinned(wanted, tuple(records_of(source_id, wanted, revision.method)), "", contents)


def tags_of(release: Release) -> list[str]:
    """The tags that projects give to a release, the usual one first."""
    name = release.pypi.partition("==")[0]
    return [f"v{release.version}", release.version, f"{name}-{release.version}"]


def find_revision(
    repository: str, revisions: Collection[str], paths: Collection[str], stated: Stated, progress: Progress
) -> Revision:
    """The first of some commits or tags that the repository has.

    Raises:
        RevisionError: it has none of them.
    """
    for revision in revisions:
        try:
            return _asked(repository, revision, paths, stated, progress)
        except RevisionError as error:
            last = error
    if len(revisions) == 1:
        raise last
    raise RevisionError(f"{repository} has none of the tags {', '.join(revisions)}; {NAME_IT}", ("revision",))


def _revision(
    repository: str,
    origin: Origin,
    release: Release | None,
    paths: Collection[str],
    stated: Stated,
    progress: Progress,
) -> tuple[Revision | None, tuple[str, ...]]:
    """The commit to pin, or None and a note where git cannot be asked but the release's tag was stated."""
    tags = tags_of(release) if release is not None else []
    revisions = [origin.revision] if origin.revision else [stated.tag] if stated.tag else tags
    try:
        found = _whole(find_revision(repository, revisions, paths, stated, progress))
    except (MissingFileError, RevisionError, HashMismatchError):
        raise
    except SourceError as error:
        if release is None:
            raise
        if stated.tag is None:
            raise type(error)(
                f"{error.fact}, and nothing else tells which revision {release.pypi} is",
                error.field,
                f"{USE_A_COPY}, or the release's tag with --tag, which pins it unproved",
            ) from error
        return None, (f"{stated.tag} is not proved to be {release.pypi}, as git could not be asked ({error.fact})",)
    return replace(found, tag=found.tag or stated.tag), ()


def _asked(
    repository: str, revision: str | None, paths: Collection[str], stated: Stated, progress: Progress
) -> Revision:
    try:
        return bring_revision(repository, revision, paths, git_dir=stated.git_dir, progress=progress)
    except OfflineError as error:
        raise OfflineError(error.fact, error.field, USE_A_COPY) from error


def _whole(brought: B) -> B:
    """What was brought, if nothing is missing."""
    if brought.missing:
        raise MissingFileError("\n".join(str(error) for error in brought.missing.values()), ("files",))
    return brought


def _about(release: Release | None, revision: Revision | None, stated: Stated) -> About:
    """What is stated, else what the release or the repository says; all that nobody says is told at once."""
    said = [one.about for one in (release, revision) if one is not None]

    def first(own: str | None, name: str) -> str:
        return own or next((value for about in said if (value := str(getattr(about, name)))), "")

    licence = first(stated.licence, "licence")
    if stated.licence and not canonical(stated.licence):
        raise SourceError(f"{stated.licence} is not an SPDX expression such as MIT or Apache-2.0")
    about = About(
        first(stated.title, "title"),
        canonical(licence),
        first(stated.licence_text, "licence_text"),
        first(stated.copyright, "copyright"),
        "",
    )
    lacking = {
        "--license": about.licence,
        "--license-text": about.licence_text,
        "--copyright": about.copyright,
    }
    if unsaid := [option for option, value in lacking.items() if not value]:
        raise SourceError(f"the project's own files do not tell all that a manifest states; add {', '.join(unsaid)}")
    return about


def _agree(source_id: str, manifest: Manifest, origin: Origin) -> None:
    """See that an origin is the manifest's own."""
    move = f"move all its pins with `atlas repin {source_id}`, or pin under another name with --name"
    stated = manifest.artifact.pypi if manifest.artifact else None
    if origin.pypi is not None and origin.pypi != stated:
        has = f"pins {stated}" if stated else "pins no package archive"
        raise SourceError(f"{source_id} {has}, not {origin.pypi}; {move}")
    if origin.repository not in (None, manifest.repository.removesuffix(".git")):
        raise SourceError(f"{source_id} is {manifest.repository}, not {origin.repository}; name another with --name")
    if origin.revision not in (None, manifest.revision, manifest.release):
        raise SourceError(f"{source_id} is pinned to {manifest.revision}, not {origin.revision}; {move}")


def _contents(release: Release | None, revision: Revision | None) -> Mapping[str, bytes]:
    """The files; where they come from both, the two are the same."""
    for brought in (release, revision):
        if brought is not None:
            return brought.contents
    raise AssertionError("an origin is a release or a revision")


def _artifact(release: Release) -> Artifact:
    return checked(Artifact, pypi=release.pypi, file=release.file, sha256=release.sha256, strip=release.strip)


def checked(kind: type[R], **values: object) -> R:
    """A manifest or a part of one that states these values.

    Raises:
        SourceError: no manifest can state one of them.
    """
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise SourceError(f"no manifest can state this {where}: {first['msg']}") from error
