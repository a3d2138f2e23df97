"""The schema of `sources/*.yml`: which project, which revision, which files, and where to bring them from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated
from unicodedata import normalize
from urllib.parse import quote

from pydantic import AfterValidator, Field, StringConstraints

from atlas.entries.base import HTTPS_HOST, Form, MisfitError, OldAddress, Record, Text
from atlas.entries.folders import is_device

COMMIT = re.compile(r"[0-9a-f]{40}")

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$"), Form("a SHA-256 of 64 hexadecimal digits")]
BlobId = Annotated[
    str, StringConstraints(pattern=r"^[0-9a-f]{40}$"), Form("git's id of a file, of 40 hexadecimal digits")
]
_BRANCHES = frozenset(("head", "main", "master", "develop", "dev", "trunk", "latest", "tip"))
_HEXADECIMAL = re.compile(r"[0-9a-fA-F]{7,}")


def _stays(revision: str) -> str:
    """Refuse what names another commit tomorrow, or a commit by some of its digits."""
    if revision.lower() in _BRANCHES or revision.startswith(("refs/heads/", "origin/")):
        raise MisfitError(f"`{revision}` is a branch, which moves on", "pin a commit of 40 digits or a release tag")
    if _HEXADECIMAL.fullmatch(revision) and not COMMIT.fullmatch(revision):
        said = f"has {len(revision)} digits" if len(revision) != 40 else "is not in lower case"
        raise MisfitError(f"`{revision}` {said}", "a commit is given by its 40 hexadecimal digits in lower case")
    return revision


Revision = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9A-Za-z][0-9A-Za-z._/+-]*$"),
    AfterValidator(_stays),
    Form("a commit of 40 digits or a release tag"),
]
RepositoryUrl = Annotated[
    str,
    StringConstraints(pattern=rf"^{HTTPS_HOST}(/[A-Za-z0-9._~+/-]*)?$"),
    Form("the https address of a repository"),
]


# Cached, as the claims of a collection are about a few files.
@lru_cache(maxsize=1024)
def _inside_the_repository(path: str) -> str:
    """Refuse a path that is absolute, leaves the repository, or is not written in its shortest form."""
    parts = path.split("/")
    if any(part in ("", ".", "..") for part in parts) or "\\" in path or not path.isprintable():
        raise ValueError(f"{path!r} is not a plain path inside the repository, with / between folders")
    if set(path) & set('#?%:*"<>|') or any(part.startswith(".") or part != part.strip() for part in parts):
        raise ValueError(
            f'{path!r} cannot be an address on the site: it holds one of #?%:*"<>|, or a name that is hidden'
        )
    if device := next((part for part in parts if is_device(part)), ""):
        raise ValueError(f"{path!r} cannot be an address on the site: Windows keeps the name {device} for a device")
    if parts[-1] == "index.html":
        raise ValueError(f"{path!r} cannot be shown: a page of that name is the folder's own")
    return path


RepositoryPath = Annotated[str, AfterValidator(_inside_the_repository), Form("a path inside the repository")]
"""A path inside the repository, with `/` between folders."""
ArchiveName = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*\.(whl|zip|tar\.gz|tar\.bz2|tar\.xz)$"),
    Form("the file name of a .whl, .zip or .tar archive"),
]


class Artifact(Record):
    """A package archive that holds the pinned files, byte for byte."""

    pypi: Annotated[
        str,
        StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*==[0-9A-Za-z.!+-]+$"),
        Form("a package with its version, such as `name==1.0`"),
    ]
    """The package and its exact version, as `name==version`."""
    file: ArchiveName
    """The archive's file name."""
    sha256: Sha256
    """The archive's SHA-256, in hexadecimal."""
    strip: RepositoryPath | None = None
    """A leading folder that paths have in the repository but not in the archive, such as `src`."""


def _told_apart_everywhere(files: Mapping[str, PinnedFile]) -> Mapping[str, PinnedFile]:
    """Refuse paths that are one file where case does not count: their pages would be one too."""
    seen: dict[str, str] = {}
    for path in files:
        other = seen.setdefault(normalize("NFC", path).casefold(), path)
        if other != path:
            raise MisfitError(f"{other} and {path} differ in case only, and have one page on many systems", "pin one")
    return files


class PinnedFile(Record):
    """One file at the pinned revision."""

    blob: BlobId
    """Git's object id of the file's content."""


class Manifest(Record):
    """One upstream project, pinned to one revision."""

    title: Text
    """The project's name as people write it."""
    repository: RepositoryUrl
    """The https address of its git repository, without `.git`."""
    revision: Revision
    """The commit, 40 hexadecimal digits in quotes if all are decimal; or a release tag while no commit is proved."""
    release: Text | None = None
    """The release that the revision was published as."""
    license: Text
    """The licence as an SPDX expression."""
    license_text: Annotated[
        str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._/-]*$"), Form("the path of a file beside the manifest")
    ]
    """The licence's text, a file beside the manifest that is shown with every pinned file."""
    copyright: Text
    """Who holds the copyright, as the project states it."""
    artifact: Artifact | None = None
    """A package archive to bring the files from; without it they are fetched with git."""
    files: Annotated[Mapping[RepositoryPath, PinnedFile], Field(min_length=1), AfterValidator(_told_apart_everywhere)]
    """The pinned files by their path in the repository."""
    formerly: tuple[OldAddress, ...] = ()
    """Addresses below the site's root at which its page was before; each leads to it now."""

    @property
    def origin(self) -> str:
        """Where the files come from, as `atlas pin` takes it: `package==version`, or `repository@revision`."""
        return self.artifact.pypi if self.artifact is not None else f"{self.repository}@{self.revision}"

    @property
    def name(self) -> str:
        """The repository as `owner/name`, or its address where it has no such form."""
        path = self.repository.split("/", 3)[3] if self.repository.count("/") > 2 else ""
        return path or self.repository

    @property
    def is_commit(self) -> bool:
        """Whether the revision is a full commit id."""
        return COMMIT.fullmatch(self.revision) is not None

    def link(self, path: str, first: int | None = None, last: int | None = None) -> str:
        """The address of a file, or of some of its lines, at the pinned revision on the repository's web site."""
        site = self.repository.removesuffix(".git").rstrip("/")
        middle = "-/blob" if "gitlab" in site.split("/")[2] else "blob"
        address = f"{site}/{middle}/{quote(self.revision)}/{quote(path)}"
        if first is None:
            return address
        return f"{address}#L{first}" if last in (None, first) else f"{address}#L{first}-L{last}"
