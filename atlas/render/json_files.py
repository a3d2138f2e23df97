"""Everything below `api/v1/`: the data file of each entity, the same in one file, and the schemas of all of them.

Records are made and written one after the other, so that an atlas of ten thousand components is never in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from atlas.checks.checked import CheckedCollection
from atlas.entries.atlas import Source
from atlas.entries.collection import Model
from atlas.entries.schemas import DIALECT, entry_schemas
from atlas.operators.catalogue import FAMILIES
from atlas.render.addresses import API, EVERYTHING, data_file, entry_schema_file, graph_file, list_file, schema_file
from atlas.render.json_conflicts import conflicts_document
from atlas.render.json_model import graph_document, library_document, model_document
from atlas.render.json_model_records import GraphDocument, LibraryDocument, ModelDocument
from atlas.render.json_records import ComponentDocument
from atlas.render.json_reference_records import (
    ConflictsDocument,
    IndexDocument,
    ListDocument,
    OperatorsDocument,
    SourceDocument,
    SymbolsDocument,
    VerificationDocument,
)
from atlas.render.json_references import (
    index_document,
    list_documents,
    operators_document,
    source_document,
)
from atlas.render.json_symbols import symbols_document
from atlas.render.json_types import Document, FilePlace, schema_of
from atlas.render.json_verification import verification_document
from atlas.render.parts import Parts
from atlas.render.shares import Shares
from atlas.render.uses import Uses

DOCUMENTS: Mapping[str, type[Document]] = MappingProxyType(
    {
        "index": IndexDocument,
        "list": ListDocument,
        "model": ModelDocument,
        "library": LibraryDocument,
        "component": ComponentDocument,
        "graph": GraphDocument,
        "operators": OperatorsDocument,
        "source": SourceDocument,
        "verification": VerificationDocument,
        "symbols": SymbolsDocument,
        "conflicts": ConflictsDocument,
    }
)
"""Every kind of data file, in the order in which they are documented."""
_OF_ONE = (ModelDocument, LibraryDocument, ComponentDocument, GraphDocument, OperatorsDocument, SourceDocument)
"""The kinds of files that are about one entity."""
INDEX_FILE = f"{API}index.json"
"""The first file to read."""


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


def written_document(url: str, document: Document) -> WrittenDocument:
    """A record as the texts of its files."""
    own, of_all = FilePlace(url), FilePlace(EVERYTHING)
    text, line = document.written(own, indent=2), document.written(of_all)
    page = document.page if isinstance(document, _OF_ONE) else None
    return WrittenDocument(url, page, text, frozenset(own.links), line, frozenset(of_all.links))


def written_documents(collection: CheckedCollection, parts: Parts) -> tuple[WrittenDocument, ...]:
    """The share of a collection: the records of it as a whole, finished."""
    return tuple(written_document(url, one) for url, one in collection_documents(collection, parts))


def general_documents(title: str, data_license: str, shares: Shares, parts: Parts) -> Iterator[tuple[str, Document]]:
    """The records that concern the whole atlas, which come first."""
    yield from general_files(title, data_license, shares.uses, parts.checked.atlas.sources)
    yield verification_file(shares)
    yield symbols_file(shares)
    yield conflicts_file(shares)


def general_files(
    title: str, data_license: str, uses: Uses, sources: Mapping[str, Source]
) -> Iterator[tuple[str, Document]]:
    """Those of them that say where everything is."""
    yield INDEX_FILE, index_document(title, data_license, uses, sources, DOCUMENTS, entry_schemas())
    for one in list_documents(uses, sources):
        yield list_file(one.of), one


def verification_file(shares: Shares) -> tuple[str, Document]:
    """The record of all claims."""
    return list_file("verification"), verification_document(shares.claims)


def symbols_file(shares: Shares) -> tuple[str, Document]:
    """The record of all names."""
    return list_file("symbols"), symbols_document(shares.names)


def conflicts_file(shares: Shares) -> tuple[str, Document]:
    """The record of all that sources do not agree on."""
    return list_file("conflicts"), conflicts_document(shares.conflicts)


def reference_documents(uses: Uses, parts: Parts) -> Iterator[tuple[str, Document]]:
    """The records of operators and sources, which come last."""
    for family in FAMILIES:
        yield data_file("operators", family), operators_document(family, uses)
    for source in parts.checked.atlas.sources.values():
        yield data_file("sources", source.id), source_document(source, uses, parts)


def schemas() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every published JSON Schema with its address."""
    for name, document in DOCUMENTS.items():
        yield schema_file(name), {"$schema": DIALECT, **schema_of(document)}
    for name, schema in entry_schemas().items():
        yield entry_schema_file(name), schema
