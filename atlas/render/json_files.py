"""Everything below `api/v1/`: the data file of each entity, the same in one file, and the schemas of all of them.

Records are made and written one after the other, so that an atlas of ten thousand components is never in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from atlas.entries.atlas import Source
from atlas.entries.schemas import DIALECT, entry_schemas
from atlas.render.addresses import API, data_file, entry_schema_file, list_file, schema_file
from atlas.render.json_conflicts import conflicts_document
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
from atlas.render.json_types import Document, schema_of
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
INDEX_FILE = f"{API}index.json"
"""The first file to read."""


def general_files(
    title: str, data_license: str, uses: Uses, sources: Mapping[str, Source]
) -> Iterator[tuple[str, Document]]:
    """The records that say where everything is."""
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


def family_file(family: str, uses: Uses) -> tuple[str, Document]:
    """The record of a family of operators."""
    return data_file("operators", family), operators_document(family, uses)


def source_file(source: Source, uses: Uses, parts: Parts) -> tuple[str, Document]:
    """The record of a pinned source."""
    return data_file("sources", source.id), source_document(source, uses, parts)


def schemas() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every published JSON Schema with its address."""
    for name, document in DOCUMENTS.items():
        yield schema_file(name), {"$schema": DIALECT, **schema_of(document)}
    for name, schema in entry_schemas().items():
        yield entry_schema_file(name), schema
