"""Records as texts: each in the file of its own, and as a line of the file of all records.

A record is made, written and let go, so that an atlas of ten thousand components is never in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from atlas.checks.checked import CheckedCollection
from atlas.entries.collection import Model
from atlas.render.addresses import EVERYTHING, data_file, graph_file
from atlas.render.json_model import graph_document, library_document, model_document
from atlas.render.json_types import Document, FilePlace
from atlas.render.parts import Parts


@dataclass(frozen=True, slots=True)
class WrittenDocument:
    """A record as the texts of the two files that hold it, so that it need not be made again while it is the same."""

    url: str
    """The address of the record's own file."""
    page: str | None
    """The page that shows it; None for a record that is about no single thing."""
    text: str
    """The own file, without the end of its last line."""
    links: frozenset[str]
    """The links in the own file, as they are written."""
    line: str
    """The record's line in the file of all records, without its end."""
    line_links: frozenset[str]
    """The links in that line, as they are written."""


def collection_documents(collection: CheckedCollection, parts: Parts) -> Iterator[tuple[str, Document]]:
    """The records of a collection as a whole with the addresses of their files; its entries have files of their own."""
    name, data = collection.collection.id, collection.collection.data
    if isinstance(data, Model):
        yield data_file("models", name), model_document(collection, data, parts)
    else:
        yield data_file("libraries", name), library_document(collection, data, parts)
    if collection.graph is not None:
        yield graph_file(name), graph_document(collection, collection.graph)


def written_document(url: str, document: Document, *, has_folders: bool = True) -> WrittenDocument:
    """A record as the texts of its files; `has_folders` says whether each page of prose is a folder."""
    own, of_all = FilePlace(url, has_folders), FilePlace(EVERYTHING, has_folders)
    text, line = document.written(own, indent=2), document.written(of_all)
    page = document.page_of_one
    return WrittenDocument(url, page, text, frozenset(own.links), line, frozenset(of_all.links))


def written_documents(collection: CheckedCollection, parts: Parts) -> tuple[WrittenDocument, ...]:
    """The share of a collection: the records of it as a whole, finished."""
    has_folders = parts.typesetting.has_folders
    found = collection_documents(collection, parts)
    return tuple(written_document(url, one, has_folders=has_folders) for url, one in found)
