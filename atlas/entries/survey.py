"""What lies in the content folder, without reading any entry: names, digests, and which folders are collections.

A build that knows this much knows which collections are as they were, and loads no more than those that are not.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from atlas.entries.folders import YAML_SUFFIXES, Found, below, is_device, shown_path
from atlas.entries.settings import no_folder
from atlas.exceptions import FileTooLargeError
from atlas.files import read_bytes
from atlas.issues import Issue

KINDS = ("model", "library")
"""The names of the files that make a folder a collection."""
RECORDS = ".proofs.json"
"""What follows in the name of a file of recorded proofs on the name of the file whose claims they prove."""
RESERVED = frozenset(
    (
        *("operators", "sources", "verification", "glossary", "compare", "calculator", "search", "a-z", "data", "api"),
        *("css", "js", "img", "katex", "passages"),
    )
)
"""Folders of the site that are the atlas's own."""
LONGEST = 16_000_000
"""How many bytes of a file are looked at; no file of entries or of records may be as long."""


@dataclass(frozen=True, slots=True)
class Survey:
    """The files of content that checks may read, as they were when they were looked at."""

    root: Path
    """The project's folder, to which issue paths are relative."""
    content: Path
    """The folder of collections."""
    sources: Path
    """The folder of source manifests."""
    files: Mapping[str, bytes]
    """The digest of each YAML file by its name, the path below content without `.yml`; in the order of paths."""
    refused: frozenset[str]
    """The names of YAML files that are there but are not read, such as links that lead out of the folder."""
    records: Mapping[str, bytes]
    """The digest of each file of recorded proofs, by the name of the file whose claims they prove; empty where it may
    not be read, or is none."""
    folders: Mapping[str, tuple[str, ...]]
    """The names of the files in each folder of content, by the folder, sorted."""
    collections: Mapping[str, str]
    """`model` or `library` for each folder that is a collection, sorted."""
    issues: tuple[Issue, ...]
    """What is wrong with names and folders."""
    whole: bool
    """Whether the folder of sources is there too; else files are read, and collections are not made of them."""

    def path(self, name: str) -> Path:
        """The YAML file of that name."""
        return self.content / f"{name}.yml"

    def records_path(self, name: str) -> Path:
        """Where the recorded proofs of the claims in that file are."""
        return self.content / f"{name}{RECORDS}"

    def is_entry(self, name: str) -> bool:
        """Whether there is an entry's file of that name, even if it is not read."""
        return (name in self.files or name in self.refused) and _may_be_entry(name)

    def entries(self) -> Iterator[str]:
        """The names of all files of entries."""
        return filter(_may_be_entry, (*self.files, *sorted(self.refused)))

    def strays(self) -> tuple[str, ...]:
        """The names of files that belong to no collection."""
        return tuple(name for name in self.files if "/" not in name or name.partition("/")[0] not in self.collections)

    def state(self, name: str) -> bytes:
        """What is known of the file with a name: its digest, or that it is refused or not there."""
        return self.files.get(name, b"refused" if name in self.refused else b"-")

    def folder_state(self, folder: str) -> Iterator[bytes]:
        """The names of all files in a folder that checks may read, each with what is known of it and its records."""
        inside = f"{folder}/"
        for name in (*self.folders[folder], *sorted(one for one in self.refused if one.startswith(inside))):
            yield name.encode()
            yield self.state(name)
            yield self.records.get(name, b"-")


def survey(root: Path, content: Path, sources: Path) -> Survey:
    """Look at the names and bytes of all files of content."""
    issues: list[Issue] = []
    refused: set[str] = set()
    records: dict[str, bytes] = {}
    files: dict[str, bytes] = {}
    folders: dict[str, list[str]] = {}
    if _is_folder(content, root, "docs_dir", issues):
        for one in readable(content, root, refused, issues, records):
            name = one.name.removesuffix(one.suffix)
            files[name] = digest_of_file(one.file)
            if "/" in name:
                folders.setdefault(name.partition("/")[0], []).append(name)
    whole = not files or _is_folder(sources, root, "sources", issues)
    collections: dict[str, str] = {}
    if whole:
        for name in files:
            if "/" not in name:
                shown = shown_path(content / f"{name}.yml", root)
                hint = "a collection is a folder with a model.yml or a library.yml"
                issues.append(Issue(shown, 0, 0, "A114", "the file stands in no collection", hint))
        for folder in sorted(folders):
            kind = _kind(folder, files, refused, shown_path(content / folder, root), issues)
            if kind is not None:
                collections[folder] = kind
    return Survey(
        root,
        content,
        sources,
        files,
        frozenset(refused),
        records,
        {folder: tuple(folders[folder]) for folder in sorted(folders)},
        collections,
        tuple(issues),
        whole,
    )


def readable(
    folder: Path, root: Path, refused: set[str], issues: list[Issue], records: dict[str, bytes] | None = None
) -> Iterator[Found]:
    """The YAML files of a folder, sorted; the names of those that are there but not taken are added to `refused`.

    The digests of files of recorded proofs are added to `records`, and what is wrong with any file to `issues`.
    """
    for found in below(folder, also=() if records is None else (RECORDS,)):
        if records is not None and found.name.endswith(RECORDS):
            records[found.name.removesuffix(RECORDS)] = b"" if found.problem else digest_of_file(found.file)
        if not found.problem and found.suffix not in YAML_SUFFIXES:
            continue
        if (objection := _objection(found)) is None:
            yield found
        else:
            issues.append(Issue(shown_path(found.path, root), 0, 0, *objection))
            refused.add(found.name.removesuffix(found.suffix))


def _objection(found: Found) -> tuple[str, str, str] | None:
    """Why a file with the name of a YAML file, or one that may not be read, is not taken: code, message and hint."""
    if found.problem:
        return "A001", found.problem, "put a file in its place"
    if device := next((part for part in found.name.split("/") if is_device(part)), ""):
        return "A114", f"Windows keeps the name `{device.partition('.')[0]}` for a device", "choose another name"
    if found.suffix == ".yaml":
        stem = found.name.rpartition("/")[2].removesuffix(".yaml")
        return "A114", "the name of a YAML file ends in .yml here", f"rename it to {stem}.yml"
    return None


def digest_of_file(file: str | Path) -> bytes:
    """The digest of a file's bytes; empty where they cannot be read, or where no such file is there."""
    try:
        return digest_of(read_bytes(file, LONGEST))
    except (OSError, FileTooLargeError):
        return b""


def digest_of(content: bytes) -> bytes:
    """The digest of the bytes of a file."""
    return hashlib.blake2b(content, digest_size=16).digest()


def digest_of_parts(parts: Iterable[bytes]) -> bytes:
    """One digest of several pieces, such that no two lists of pieces are mistaken for each other."""
    digest = hashlib.blake2b(digest_size=32)
    for part in parts:
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.digest()


def _may_be_entry(name: str) -> bool:
    return name.partition("/")[2] not in KINDS


def _is_folder(folder: Path, root: Path, key: str, issues: list[Issue]) -> bool:
    if folder.is_dir():
        return True
    issues.append(no_folder(folder, root, key))
    return False


def _kind(folder: str, files: Mapping[str, bytes], refused: set[str], shown: str, issues: list[Issue]) -> str | None:
    """Which kind of collection a folder is, or None and an issue that says why it is none."""
    if problem := _refused_name(folder):
        issues.append(Issue(shown, 0, 0, "A115", problem, "rename the folder"))
        return None
    if any(f"{folder}/{kind}" in refused for kind in KINDS):
        return None  # the name of its file is reported already
    kinds = [kind for kind in KINDS if f"{folder}/{kind}" in files]
    if len(kinds) == 1:
        return kinds[0]
    found = "both a model.yml and a library.yml" if kinds else "neither a model.yml nor a library.yml"
    hint = "remove one of the two" if kinds else "add one, or move the files into the folder of a collection"
    issues.append(Issue(shown, 0, 0, "A115", f"the folder holds {found}; a collection has one", hint))
    return None


def _refused_name(folder: str) -> str:
    """Why a folder cannot be a collection, or an empty text: its name is a part of addresses."""
    if folder in RESERVED:
        return f"a collection cannot be called {folder}: the atlas's own pages are there"
    words = re.fullmatch(r"[a-z0-9]+([-_][a-z0-9]+)*", folder)
    return (
        "" if words else "a collection's folder is named by lower-case words with hyphens or underscores between them"
    )
