"""What loading yields: entries in their collections and pinned sources, all references by name resolved to objects.

These are the immutable values that every check and every page starts from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from atlas.entries.spans import locate
from atlas.entries.tree import Document, Mark
from atlas.entries.validate import Found, place, place_of_key, value_at
from atlas.issues import Issue

if TYPE_CHECKING:
    # Schemas are slow to make, and a build in which nothing changed reads no entry.
    from atlas.entries.collection import Library, Model, Stack
    from atlas.entries.component import Component, SourceClaim
    from atlas.entries.manifest import Manifest


@dataclass(frozen=True, slots=True)
class Placed:
    """Something that was read from a YAML file and knows the place of its parts."""

    id: str
    """Its name: the path below `content` (or `sources`) without `.yml`."""
    file: Path
    """The file itself."""
    document: Document
    """The values with their places; of an inheriting entry, merged, each value with its own place."""

    @property
    def path(self) -> str:
        """The file, as issues name it."""
        return self.document.path

    def place(self, *path: str | int) -> Mark:
        """Where the value with this key path stands, or the nearest enclosing one."""
        return place(self.document, path)

    def value(self, *path: str | int) -> Found:
        """The value with this key path as the file has it, or None where there is none."""
        return value_at(self.document.value, path)

    def issue(self, path: tuple[str | int, ...], code: str, message: str, hint: str = "") -> Issue:
        """An issue at the value with this key path."""
        mark = place(self.document, path)
        return Issue(mark.path, mark.line, mark.column, code, message, hint)

    def issue_in_text(
        self, path: tuple[str | int, ...], span: tuple[int, int], code: str, message: str, hint: str = ""
    ) -> Issue:
        """An issue at characters `span` of a text value, with the source line and carets below them."""
        mark, excerpt = locate(self.document, path, span)
        return Issue(mark.path, mark.line, mark.column, code, message, hint, excerpt)

    def issue_at_key(self, path: tuple[str | int, ...], code: str, message: str, hint: str = "") -> Issue:
        """An issue at the key of the value with this key path."""
        mark = place_of_key(self.document, path)
        return Issue(mark.path, mark.line, mark.column, code, message, hint)


@dataclass(frozen=True, slots=True)
class Source(Placed):
    """A pinned upstream project."""

    data: Manifest
    """The manifest."""
    licence: str
    """The text of the project's licence."""


@dataclass(frozen=True, slots=True)
class Entry(Placed):
    """A component of a model or a layer of a library."""

    data: Component
    """What the entry claims, inherited fields included."""
    collection: str
    """The id of the collection it belongs to."""
    stack: str | None
    """The path of its stack in a model, such as `encoder` or `stages/first`."""

    @property
    def name(self) -> str:
        """The last part of the id."""
        return self.id.rpartition("/")[2]

    def claim(self, claim_id: str) -> SourceClaim | None:
        """The source claim with this id."""
        return next((claim for claim in self.data.sources if claim.id == claim_id), None)


@dataclass(frozen=True, slots=True)
class Collection(Placed):
    """A model or a library with its entries."""

    data: Model | Library
    """What the collection's own file states."""
    entries: tuple[Entry, ...]
    """Its entries in the order of the data flow, or of the library's list."""
    whole: bool = True
    """Whether every entry that it lists or uses could be read; else nothing is said of what entries lack together."""

    def stack_of(self, entry: Entry) -> Stack | None:
        """The stack that an entry stands in; None in a library."""
        from atlas.entries.collection import Model

        return self.data.stack(entry.stack) if isinstance(self.data, Model) and entry.stack is not None else None


@dataclass(frozen=True, slots=True)
class Atlas:
    """Everything that content and sources state."""

    root: Path
    """The project's folder, to which issue paths are relative."""
    content: Path
    """The folder of collections."""
    collections: Mapping[str, Collection]
    """Collections by id, sorted."""
    sources: Mapping[str, Source]
    """Pinned projects by id, sorted."""
    unread: frozenset[str] = frozenset()
    """Manifests that are there but not sound; what refers to them is not reported again."""

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries of all collections."""
        return tuple(entry for collection in self.collections.values() for entry in collection.entries)


def texts_of_key(key: str, document: Document) -> Iterator[str]:
    """Every text that stands under this key, at any depth; the keys of a file are at hand without its values."""
    for path in document.key_marks:
        if path[-1] == key and isinstance(text := value_at(document.value, path), str):
            yield text
