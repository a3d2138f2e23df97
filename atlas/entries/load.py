"""The content and sources folders → one `Atlas`, with every issue that stands in the way.

Files are read, entries inherit, collections gather their entries in the order that they list them.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from atlas.entries.atlas import Atlas, Collection, Entry
from atlas.entries.collection import Library, Model, Stack, Use
from atlas.entries.component import Component
from atlas.entries.folders import shown_path
from atlas.entries.inherit import Inheritance
from atlas.entries.manifests import load_sources
from atlas.entries.survey import Survey, digest_of, survey
from atlas.entries.tree import Document, KeyPath, decoded, raw_text
from atlas.entries.validate import validate
from atlas.issues import Issue

COLLECTION_FILES: Mapping[str, type[Model] | type[Library]] = {"model": Model, "library": Library}
"""The file that makes a folder a collection, and its schema."""


def load(root: Path, content: Path, sources: Path) -> tuple[Atlas, list[Issue]]:
    """Load everything below the two folders; the atlas holds what is sound, the issues say what is not."""
    found = survey(root, content, sources)
    loader = Loader(found)
    loader.read(found.files)
    if not found.whole:
        return Atlas(root, content, {}, {}), [*found.issues, *loader.issues]
    manifests, unread, issues = load_sources(found)
    read = {folder: loader.collection(folder) for folder in found.collections}
    collections = {name: collection for name, collection in read.items() if collection is not None}
    return Atlas(root, content, collections, manifests, unread), [*found.issues, *loader.all_issues(), *issues]


class Loader:
    """Loads collections; each file is read when it is first needed."""

    def __init__(self, found: Survey) -> None:
        self.found = found
        self.issues: list[Issue] = []
        self.digests: dict[str, bytes] = {}
        """The digest of the bytes of each file that was read, by its name; empty where they could not be."""
        self.inheritance = Inheritance(self.document, found)
        self._documents: dict[str, Document | None] = {}
        # Issues name a file as this and its name; to find it anew for each takes as long as to read the file.
        shown = shown_path(found.content, found.root)
        self._shown = "" if shown == "." else f"{shown}/"

    def read(self, names: Iterable[str]) -> None:
        """Read files, for the issues that they have."""
        for name in names:
            self.document(name)

    def all_issues(self) -> list[Issue]:
        """Everything that was found so far."""
        return [*self.issues, *self.inheritance.issues]

    def document(self, name: str) -> Document | None:
        """What a file holds; None where it cannot be read, or there is none."""
        if name not in self._documents:
            self._documents[name] = self._read(name) if name in self.found.files else None
        return self._documents[name]

    def collection(self, folder: str) -> Collection | None:
        """The collection in a folder, with its entries; None where its own file does not hold."""
        kind = self.found.collections[folder]
        own = f"{folder}/{kind}"
        document = self.document(own)
        data, issues = validate(document, COLLECTION_FILES[kind]) if document is not None else (None, [])
        self.issues += issues
        names = [name for name in self.found.folders[folder] if name != own]
        self.read(names)
        if document is None or data is None or document.doubtful:
            for name in names:
                self._entry(name, folder)
            return None
        listed = list(_listed(data, folder))
        wanted = dict(listed)
        loaded = {name: self._entry(name, folder) for name in names if name in wanted}
        entries = tuple(entry for name in wanted if (entry := loaded.get(name)) is not None)
        unlisted = [name for name in names if name not in loaded]
        whole = len(entries) == len(wanted) and _used(data, folder).isdisjoint({*unlisted, own})
        collection = Collection(folder, self.found.path(own), document, data, entries, whole)
        self.issues += self._list_issues(collection, listed, unlisted)
        return collection

    def _read(self, name: str) -> Document | None:
        shown = f"{self._shown}{name}.yml"
        raw, issues = raw_text(self.found.path(name), shown)
        document = None
        if raw is not None:
            document, issues = decoded(raw, shown)
        self.digests[name] = b"" if raw is None else digest_of(raw)
        self.issues += issues
        return document

    def _list_issues(
        self, collection: Collection, listed: list[tuple[str, KeyPath]], unlisted: list[str]
    ) -> Iterator[Issue]:
        """What is listed without a file or twice, and what is not listed."""
        seen: Counter[str] = Counter()
        left = dict.fromkeys(unlisted)
        by_tail = {name.rpartition("/")[2]: name for name in unlisted}
        for name, path in listed:
            seen[name] += 1
            if seen[name] > 1:
                yield collection.issue(path, "A124", f"{name} is listed twice", "remove it here")
            elif name not in self.found.files and name not in self.found.refused:
                # In a folder that was renamed all names are the same; only for others are all compared with each other.
                moved = by_tail.get(name.rpartition("/")[2])
                near = [moved] if moved in left else difflib.get_close_matches(name, left, n=1)
                for other in near:
                    del left[other]
                yield collection.issue(path, "A112", f"there is no file {name}.yml", _meant(name, near))
        for name in left:
            yield _unlisted(collection, name, shown_path(self.found.path(name), self.found.root))

    def _entry(self, name: str, folder: str) -> Entry | None:
        document = self.inheritance.merged(name)
        if document is None:
            return None
        data, issues = validate(document, Component, inherits="inherits" in document.value)
        self.issues += issues
        if data is None or document.doubtful:
            return None
        stack = name.removeprefix(f"{folder}/").rpartition("/")[0] or None
        return Entry(name, self.found.path(name), document, data, folder, stack)


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


def _unlisted(collection: Collection, name: str, shown: str) -> Issue:
    """The issue that no list names an entry, at the list that should."""
    folder, _, tail = name.removeprefix(f"{collection.id}/").rpartition("/")
    data = collection.data
    if isinstance(data, Library):
        path: KeyPath = ("layers",)
        edit = "" if folder else f"add `{tail}` to `layers`"
        place = "the library's own folder"
    else:
        is_stack = folder in data.paths
        inside = [key for part in folder.split("/") for key in ("stacks", part)]
        path = (*inside, "components") if is_stack else ("stacks",)
        edit = f"add `{tail}` to `components` of the stack {folder}" if is_stack else ""
        place = f"the folder of a stack, such as {next(iter(data.paths))}"
    hint = f"{edit or f'move it into {place}, and list it there'}, or delete the file"
    return collection.issue(path, "A113", f"no list names the entry {shown}", hint)


def _meant(name: str, near: list[str]) -> str:
    """What to do about a listed name without a file, given the file that is nearest to it."""
    if not near:
        return f"write it with `atlas new component {name} --operator NAME`, or take it off the list"
    folder, _, tail = near[0].rpartition("/")
    if odd := [f"U+{ord(char):04X}" for char in near[0] if not char.isascii()]:
        return f"there is {near[0]}.yml, whose name holds {' and '.join(dict.fromkeys(odd))}; rename it"
    return f"did you mean `{tail}`?" if folder == name.rpartition("/")[0] else f"there is {near[0]}.yml; move it"
