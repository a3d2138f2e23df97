"""The content and sources folders → one `Atlas`, with every issue that stands in the way.

Files are read, entries inherit, collections gather their entries in the order that they list them.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from atlas.entries.atlas import Atlas, Collection, Entry, Source
from atlas.entries.collection import Library, Model
from atlas.entries.component import Component
from atlas.entries.manifest import Manifest
from atlas.entries.tree import Document, read
from atlas.entries.validate import place, validate
from atlas.issues import Issue

COLLECTION_FILES: Mapping[str, type[Model] | type[Library]] = {"model": Model, "library": Library}
"""The file that makes a folder a collection, and its schema."""


def load(root: Path, content: Path, sources: Path) -> tuple[Atlas, list[Issue]]:
    """Load everything below the two folders; the atlas holds what is sound, the issues say what is not."""
    loader = _Loader(root, content)
    manifests = dict(loader.sources(sources))
    loader.read_content()
    collections = {found.id: found for found in loader.collections()}
    return Atlas(root, content, collections, manifests), loader.issues


def shown_path(path: Path, root: Path) -> str:
    """The path as issues name it: relative to the project where it is inside, with forward slashes."""
    return Path(os.path.relpath(path, root)).as_posix()


class _Loader:
    def __init__(self, root: Path, content: Path) -> None:
        self.root = root
        self.content = content
        self.issues: list[Issue] = []
        self.documents: dict[str, Document] = {}
        self.files: dict[str, Path] = {}

    def sources(self, folder: Path) -> Iterator[tuple[str, Source]]:
        for file in self.yaml_files(folder):
            document = self.read(file)
            if document is None:
                continue
            manifest, issues = validate(document, Manifest)
            self.issues += issues
            if manifest is not None:
                source = Source(file.stem, file, document, manifest)
                if not _inside(folder / manifest.license_text, folder).is_file():
                    message = f"there is no licence text {manifest.license_text} beside the manifest"
                    self.issues.append(source.issue(("license_text",), "A125", message))
                yield file.stem, source

    def read_content(self) -> None:
        for file in self.yaml_files(self.content):
            name = file.relative_to(self.content).with_suffix("").as_posix()
            document = self.read(file)
            self.files[name] = file
            if document is not None:
                self.documents[name] = document

    def yaml_files(self, folder: Path) -> Iterator[Path]:
        if not folder.is_dir():
            self.issues.append(Issue(shown_path(folder, self.root), 0, 0, "A001", "there is no such folder"))
            return
        for file in sorted(folder.rglob("*.y*ml")):
            if not file.is_file() or file.suffix not in (".yml", ".yaml"):
                continue
            shown = shown_path(file, self.root)
            if not file.resolve().is_relative_to(folder.resolve()):
                self.issues.append(Issue(shown, 0, 0, "A001", "the file is a link that leads out of its folder"))
            elif file.suffix == ".yaml":
                self.issues.append(Issue(shown, 0, 0, "A114", "entries end in .yml", f"rename it to {file.stem}.yml"))
            else:
                yield file

    def read(self, file: Path) -> Document | None:
        document, issues = read(file, shown_path(file, self.root))
        self.issues += issues
        return document

    def collections(self) -> Iterator[Collection]:
        folders = sorted({name.split("/")[0] for name in self.files if "/" in name})
        for name in self.files:
            if "/" not in name:
                message = "the file stands in no collection"
                hint = "a collection is a folder with a model.yml or a library.yml"
                self.issues.append(Issue(shown_path(self.files[name], self.root), 0, 0, "A114", message, hint))
        for folder in folders:
            kinds = [kind for kind in COLLECTION_FILES if f"{folder}/{kind}" in self.files]
            if len(kinds) != 1:
                found = "both a model.yml and a library.yml" if kinds else "neither a model.yml nor a library.yml"
                shown = shown_path(self.content / folder, self.root)
                self.issues.append(Issue(shown, 0, 0, "A115", f"the folder holds {found}; a collection has one"))
            elif f"{folder}/{kinds[0]}" in self.documents:
                collection = self.collection(folder, kinds[0])
                if collection is not None:
                    yield collection

    def collection(self, folder: str, kind: str) -> Collection | None:
        own = f"{folder}/{kind}"
        document = self.documents[own]
        data, issues = validate(document, COLLECTION_FILES[kind])
        self.issues += issues
        entries = {name: self.entry(name, folder) for name in self.files if self.belongs(name, folder)}
        if data is None:
            return None
        listed = dict(_listed(data, folder))
        ordered = [entry for name in listed if (entry := entries.get(name)) is not None]
        collection = Collection(folder, self.files[own], document, data, tuple(ordered))
        for name, path in listed.items():
            if name not in self.files:
                near = difflib.get_close_matches(name, entries, n=1)
                hint = f"did you mean `{near[0].rpartition('/')[2]}`?" if near else "write it, or take it off the list"
                self.issues.append(collection.issue(path, "A112", f"there is no file {name}.yml", hint))
        for name in entries.keys() - listed.keys():
            message = f"no list of {shown_path(self.files[own], self.root)} names this entry"
            self.issues.append(Issue(shown_path(self.files[name], self.root), 0, 0, "A113", message))
        return collection

    def belongs(self, name: str, folder: str) -> bool:
        return name.startswith(f"{folder}/") and name.removeprefix(f"{folder}/") not in COLLECTION_FILES

    def entry(self, name: str, folder: str) -> Entry | None:
        document = self.merged(name, folder, ())
        if document is None:
            return None
        data, issues = validate(document, Component)
        self.issues += issues
        if data is None:
            return None
        inner = name.removeprefix(f"{folder}/")
        stack = inner.rpartition("/")[0] or None
        return Entry(name, self.files[name], document, data, folder, stack)

    def merged(self, name: str, folder: str, heirs: tuple[str, ...]) -> Document | None:
        """The document of an entry with the fields that it inherits; a field of its own replaces the inherited one."""
        document = self.documents.get(name)
        parent = document.value.get("inherits") if document is not None else None
        if document is None or not isinstance(parent, str):
            return document
        mark = place(document, ("inherits",))
        candidates = [f"{name.rpartition('/')[0]}/{parent}", f"{folder}/{parent}", parent]
        target = next((candidate for candidate in candidates if candidate in self.files), None)
        if target is None:
            near = difflib.get_close_matches(f"{folder}/{parent}", self.files, n=1)
            hint = f"did you mean `{near[0]}`?" if near else ""
            self.issues.append(Issue(mark.path, mark.line, mark.column, "A110", f"there is no entry {parent}", hint))
            return document
        chain = (*heirs, name, target)
        if target in chain[:-1]:
            circle = " → ".join(chain[chain.index(target) :])
            self.issues.append(
                Issue(mark.path, mark.line, mark.column, "A111", f"entries inherit in a circle: {circle}")
            )
            return document
        inherited = self.merged(target, folder, (*heirs, name))
        return document if inherited is None else _merge(inherited, document)


def _merge(inherited: Document, own: Document) -> Document:
    kept = [key for key in inherited.value if key not in own.value]
    value = {**{key: inherited.value[key] for key in kept}, **own.value}
    marks = {path: mark for path, mark in inherited.marks.items() if path and path[0] in kept}
    key_marks = {path: mark for path, mark in inherited.key_marks.items() if path[0] in kept}
    texts = {**inherited.texts, **own.texts}
    return Document(own.path, texts, value, {**marks, **own.marks}, {**key_marks, **own.key_marks})


def _listed(data: Model | Library, folder: str) -> Iterator[tuple[str, tuple[str | int, ...]]]:
    """The ids that a collection lists, each with the key path at which it lists it."""
    if isinstance(data, Library):
        for index, layer in enumerate(data.layers):
            yield f"{folder}/{layer}", ("layers", index)
        return
    for name, stack in data.stacks.items():
        for index, component in enumerate(stack.components):
            yield f"{folder}/{name}/{component}", ("stacks", name, "components", index)


def _inside(path: Path, folder: Path) -> Path:
    """The path, or the folder itself where the path leads out of it."""
    return path if path.resolve().is_relative_to(folder.resolve()) else folder
