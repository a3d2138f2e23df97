"""The content and sources folders → one `Atlas`, with every issue that stands in the way.

Files are read, entries inherit, collections gather their entries in the order that they list them.
"""

from __future__ import annotations

import difflib
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from atlas.entries.atlas import Atlas, Collection, Entry, Source
from atlas.entries.collection import Library, Model, Stack, Use
from atlas.entries.component import Component
from atlas.entries.folders import below, is_device
from atlas.entries.inherit import Inheritance
from atlas.entries.manifest import Manifest
from atlas.entries.tree import Document, KeyPath, read
from atlas.entries.validate import validate
from atlas.exceptions import FileTooLargeError
from atlas.files import read_text
from atlas.issues import Issue

COLLECTION_FILES: Mapping[str, type[Model] | type[Library]] = {"model": Model, "library": Library}
"""The file that makes a folder a collection, and its schema."""


YAML_SUFFIXES = (".yml", ".yaml")
"""What the names of YAML files end in; the second is refused with a hint."""

MAX_LICENCE = 1_000_000
"""The longest licence text that is read, in bytes."""

RESERVED = frozenset(
    (
        *("operators", "sources", "verification", "glossary", "compare", "calculator", "search", "a-z", "data", "api"),
        *("css", "js", "img", "katex", "passages"),
    )
)
"""Folders of the site that are the atlas's own."""


def load(root: Path, content: Path, sources: Path) -> tuple[Atlas, list[Issue]]:
    """Load everything below the two folders; the atlas holds what is sound, the issues say what is not."""
    loader = _Loader(root, content)
    loader.read_content()
    if loader.files and not loader.is_folder(sources):
        return Atlas(root, content, {}, {}), loader.issues
    manifests = dict(loader.sources(sources)) if sources.is_dir() else {}
    sound = {name: source for name, source in manifests.items() if source is not None}
    collections = {found.id: found for found in loader.collections()}
    return Atlas(root, content, collections, sound, frozenset(manifests.keys() - sound.keys())), loader.issues


def shown_path(path: Path, root: Path) -> str:
    """The path as issues name it: relative to the project where it is inside, with forward slashes."""
    return Path(os.path.relpath(path, root)).as_posix()


def yaml_files(folder: Path) -> Iterator[Path]:
    """Every YAML file below a folder that may be read, sorted."""
    return (found.path for found in below(folder) if found.path.suffix in YAML_SUFFIXES and not found.problem)


class _Loader:
    def __init__(self, root: Path, content: Path) -> None:
        self.root = root
        self.content = content
        self.issues: list[Issue] = []
        self.documents: dict[str, Document] = {}
        self.files: dict[str, Path] = {}
        self.folders: dict[str, list[str]] = {}
        self.refused: set[str] = set()

    def sources(self, folder: Path) -> Iterator[tuple[str, Source | None]]:
        """Each manifest by its id; None where it is not sound."""
        refused: set[str] = set()
        for file in self.yaml_files(folder, refused):
            if file.parent != folder:
                message = "a manifest stands directly in the folder of sources"
                self.issues.append(Issue(shown_path(file, self.root), 0, 0, "A114", message, "move it there"))
                continue
            document = self.read(file)
            manifest, issues = validate(document, Manifest) if document is not None else (None, [])
            self.issues += issues
            if document is None or manifest is None or document.doubtful:
                yield file.stem, None
                continue
            licence, problem = _licence(_inside(folder / manifest.license_text, folder))
            source = Source(file.stem, file, document, manifest, licence)
            if problem:
                message = f"{problem} {manifest.license_text} beside the manifest"
                self.issues.append(source.issue(("license_text",), "A125", message, "add the project's own text"))
            yield file.stem, source
        yield from ((name, None) for name in refused if (folder / name).parent == folder)

    def read_content(self) -> None:
        if not self.is_folder(self.content):
            return
        for file in self.yaml_files(self.content, self.refused):
            name = _name(file, self.content)
            document = self.read(file)
            self.files[name] = file
            if "/" in name:
                self.folders.setdefault(name.partition("/")[0], []).append(name)
            if document is not None:
                self.documents[name] = document

    def is_folder(self, folder: Path) -> bool:
        if not folder.is_dir():
            self.issues.append(Issue(shown_path(folder, self.root), 0, 0, "A001", "there is no such folder"))
        return folder.is_dir()

    def yaml_files(self, folder: Path, refused: set[str]) -> Iterator[Path]:
        """The YAML files of a folder; the names of those that are there but not taken are added to `refused`."""
        for found in below(folder):
            file, shown = found.path, shown_path(found.path, self.root)
            if found.problem:
                self.issues.append(Issue(shown, 0, 0, "A001", found.problem, "put a file in its place"))
            elif file.suffix not in YAML_SUFFIXES:
                continue
            elif device := next((part for part in file.relative_to(folder).parts if is_device(part)), ""):
                message = f"Windows keeps the name `{device.partition('.')[0]}` for a device"
                self.issues.append(Issue(shown, 0, 0, "A114", message, "choose another name"))
            elif file.suffix == ".yaml":
                message = "the name of a YAML file ends in .yml here"
                self.issues.append(Issue(shown, 0, 0, "A114", message, f"rename it to {file.stem}.yml"))
            else:
                yield file
                continue
            refused.add(_name(file, folder))

    def read(self, file: Path) -> Document | None:
        document, issues = read(file, shown_path(file, self.root))
        self.issues += issues
        return document

    def collections(self) -> Iterator[Collection]:
        inheritance = Inheritance(self.documents, [*self.files, *sorted(self.refused)], COLLECTION_FILES)
        for name in self.files:
            if "/" not in name:
                message = "the file stands in no collection"
                hint = "a collection is a folder with a model.yml or a library.yml"
                self.issues.append(Issue(shown_path(self.files[name], self.root), 0, 0, "A114", message, hint))
        for folder in sorted(self.folders):
            kinds = [kind for kind in COLLECTION_FILES if f"{folder}/{kind}" in self.files]
            if refused := _refused_name(folder):
                shown = shown_path(self.content / folder, self.root)
                self.issues.append(Issue(shown, 0, 0, "A115", refused, "rename the folder"))
                continue
            if any(f"{folder}/{kind}" in self.refused for kind in COLLECTION_FILES):
                continue
            if len(kinds) != 1:
                found = "both a model.yml and a library.yml" if kinds else "neither a model.yml nor a library.yml"
                shown = shown_path(self.content / folder, self.root)
                self.issues.append(Issue(shown, 0, 0, "A115", f"the folder holds {found}; a collection has one"))
            elif (collection := self.collection(folder, kinds[0], inheritance)) is not None:
                yield collection
        self.issues += inheritance.issues

    def collection(self, folder: str, kind: str, inheritance: Inheritance) -> Collection | None:
        own = f"{folder}/{kind}"
        document = self.documents.get(own)
        data, issues = validate(document, COLLECTION_FILES[kind]) if document is not None else (None, [])
        self.issues += issues
        names = [name for name in self.folders[folder] if name != own]
        if document is None or data is None or document.doubtful:
            for name in names:
                self.entry(name, folder, inheritance)
            return None
        listed = list(_listed(data, folder))
        wanted = dict(listed)
        loaded = {name: self.entry(name, folder, inheritance) for name in names if name in wanted}
        entries = tuple(entry for name in wanted if (entry := loaded.get(name)) is not None)
        whole = len(entries) == len(wanted) and _used(data, folder).isdisjoint(self.files.keys() - wanted.keys())
        collection = Collection(folder, self.files[own], document, data, entries, whole)
        self.issues += self.list_issues(collection, listed, [name for name in names if name not in loaded])
        return collection

    def list_issues(
        self, collection: Collection, listed: list[tuple[str, KeyPath]], unlisted: list[str]
    ) -> Iterator[Issue]:
        """What is listed without a file or twice, and what is not listed."""
        seen: Counter[str] = Counter()
        left = dict.fromkeys(unlisted)
        by_tail = {name.rpartition("/")[2]: name for name in unlisted}
        for name, path in listed:
            seen[name] += 1
            if seen[name] > 1:
                yield collection.issue(path, "A124", f"{name} is listed twice")
            elif name not in self.files and name not in self.refused:
                # In a folder that was renamed all names are the same; only for others are all compared with each other.
                moved = by_tail.get(name.rpartition("/")[2])
                near = [moved] if moved in left else difflib.get_close_matches(name, left, n=1)
                for other in near:
                    del left[other]
                yield collection.issue(path, "A112", f"there is no file {name}.yml", _meant(name, near))
        for name in left:
            message = f"no list of {collection.path} names this entry"
            yield Issue(shown_path(self.files[name], self.root), 0, 0, "A113", message, "list it, or delete the file")

    def entry(self, name: str, folder: str, inheritance: Inheritance) -> Entry | None:
        document = inheritance.merged(name)
        if document is None:
            return None
        data, issues = validate(document, Component, inherits="inherits" in document.value)
        self.issues += issues
        if data is None or document.doubtful:
            return None
        stack = name.removeprefix(f"{folder}/").rpartition("/")[0] or None
        return Entry(name, self.files[name], document, data, folder, stack)


def _used(data: Model | Library, folder: str) -> set[str]:
    """The ids of components that a model uses again."""
    stacks = data.paths.values() if isinstance(data, Model) else ()
    return {f"{folder}/{one.use}" for stack in stacks for one in stack.components if isinstance(one, Use)}


def _listed(data: Model | Library, folder: str) -> Iterator[tuple[str, KeyPath]]:
    """The ids that a collection lists, each with the key path at which it lists it."""
    if isinstance(data, Library):
        for index, layer in enumerate(data.layers):
            yield f"{folder}/{layer}", ("layers", index)
        return
    for name, stack in data.stacks.items():
        yield from _listed_in(stack, f"{folder}/{name}", ("stacks", name))


def _listed_in(stack: Stack, path: str, where: KeyPath) -> Iterator[tuple[str, KeyPath]]:
    within: set[str] = set()
    for index, component in enumerate(stack.components):
        if not isinstance(component, str):
            continue
        if component in stack.stacks:
            if component not in within:  # a stack that stands twice is told as one mistake, with the graph
                within.add(component)
                yield from _listed_in(stack.stacks[component], f"{path}/{component}", (*where, "stacks", component))
        else:
            yield f"{path}/{component}", (*where, "components", index)


def _meant(name: str, near: list[str]) -> str:
    """What to do about a listed name without a file, given the file that is nearest to it."""
    if not near:
        return "write it, or take it off the list"
    folder, _, tail = near[0].rpartition("/")
    if odd := [f"U+{ord(char):04X}" for char in near[0] if not char.isascii()]:
        return f"there is {near[0]}.yml, whose name holds {' and '.join(dict.fromkeys(odd))}; rename it"
    return f"did you mean `{tail}`?" if folder == name.rpartition("/")[0] else f"there is {near[0]}.yml; move it"


def _name(file: Path, folder: Path) -> str:
    return file.relative_to(folder).with_suffix("").as_posix()


def _licence(file: Path) -> tuple[str, str]:
    """A licence's text, and why it cannot be shown or an empty text."""
    try:
        text = read_text(file, MAX_LICENCE) if file.is_file() else None
    except OSError:
        text = None
    except FileTooLargeError:
        return "", "longer than any licence is the text in"
    except UnicodeDecodeError:
        return "", "not UTF-8 is the licence text"
    if text is None:
        return "", "there is no licence text"
    sound = all(char.isprintable() or char in "\n\r\t\f" for char in text)
    return text, "" if sound else "invisible characters are in the licence text"


def _refused_name(folder: str) -> str:
    """Why a folder cannot be a collection, or an empty text: its name is a part of addresses."""
    if folder in RESERVED:
        return f"a collection cannot be called {folder}: the atlas's own pages are there"
    words = re.fullmatch(r"[a-z0-9]+([-_][a-z0-9]+)*", folder)
    return (
        "" if words else "a collection's folder is named by lower-case words with hyphens or underscores between them"
    )


def _inside(path: Path, folder: Path) -> Path:
    """The path, or the folder itself where the path leads out of it."""
    return path if path.resolve().is_relative_to(folder.resolve()) else folder
