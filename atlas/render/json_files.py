"""Everything below `api/v1/`: the data file of each entity, the same in one file, and the schemas of all of them.

Records are made and written one after the other, so that an atlas of ten thousand components is never in memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from atlas.entries.collection import Model
from atlas.entries.schemas import DIALECT, entry_schemas
from atlas.operators.catalogue import FAMILIES
from atlas.render.addresses import API, EVERYTHING, data_file, entry_schema_file, graph_file, list_file, schema_file
from atlas.render.finished import Finished
from atlas.render.json_component import component_document
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
    conflicts_document,
    index_document,
    list_documents,
    operators_document,
    source_document,
    symbols_document,
    verification_document,
)
from atlas.render.json_types import Document, FilePlace, schema_of
from atlas.render.parts import Parts
from atlas.render.site import SiteAsset

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
NONE: Mapping[str, Finished] = MappingProxyType({})
"""No finished pages."""
INDEX_FILE = f"{API}index.json"
"""The first file to read."""


def documents(title: str, data_license: str, parts: Parts) -> Iterator[tuple[str, Document]]:
    """Every record of an atlas with the address of its file."""
    for url, document in _listed(title, data_license, parts, NONE):
        if isinstance(document, Document):  # as they all are where none is finished
            yield url, document


def _listed(
    title: str, data_license: str, parts: Parts, finished: Mapping[str, Finished]
) -> Iterator[tuple[str, Document | str]]:
    """The same, but of an entry whose page is finished only its id."""
    checked = parts.checked
    yield INDEX_FILE, index_document(title, data_license, parts, DOCUMENTS, entry_schemas())
    for one in list_documents(parts):
        yield list_file(one.of), one
    yield list_file("verification"), verification_document(parts)
    yield list_file("symbols"), symbols_document(parts)
    yield list_file("conflicts"), conflicts_document(parts)
    for collection in checked.collections.values():
        name, data = collection.collection.id, collection.collection.data
        if isinstance(data, Model):
            yield data_file("models", name), model_document(collection, data, parts)
        else:
            yield data_file("libraries", name), library_document(collection, data, parts)
        if collection.graph is not None:
            yield graph_file(name), graph_document(collection, collection.graph)
        for entry in collection.entries:
            name = entry.entry.id
            yield (
                data_file("components", name),
                name if name in finished else component_document(entry, collection, parts),
            )
    for family in FAMILIES:
        yield data_file("operators", family), operators_document(family, parts)
    for source in checked.atlas.sources.values():
        yield data_file("sources", source.id), source_document(source, parts)


def schemas() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every published JSON Schema with its address."""
    for name, document in DOCUMENTS.items():
        yield schema_file(name), {"$schema": DIALECT, **schema_of(document)}
    for name, schema in entry_schemas().items():
        yield entry_schema_file(name), schema


def json_files(
    title: str,
    data_license: str,
    parts: Parts,
    folder: Path,
    finished: Mapping[str, Finished] = NONE,
) -> Iterator[SiteAsset]:
    """Write all files below a folder; each asset knows the links in it. Finished ones are written as they are."""
    everything = folder / EVERYTHING
    everything.parent.mkdir(parents=True, exist_ok=True)
    of_all = FilePlace(EVERYTHING)
    with everything.open("w", encoding="utf-8", newline="\n") as lines:
        for url, document in _listed(title, data_license, parts, finished):
            if isinstance(document, str):
                own, line = finished[document].forms["json"], finished[document].forms["line"]
                yield _asset(folder, url, own.text(), FilePlace(url, set(own.links)), f"{document}/")
                lines.write(line.text() + "\n")
                of_all.links.update(line.links)
                continue
            place = FilePlace(url)
            page = document.page if isinstance(document, _OF_ONE) else None
            yield _asset(folder, url, document.written(place, indent=2), place, page)
            lines.write(document.written(of_all) + "\n")
    yield SiteAsset(EVERYTHING, everything, frozenset(of_all.links))
    for url, schema in schemas():
        yield _asset(folder, url, json.dumps(schema, ensure_ascii=False, indent=2), FilePlace(url))


def _asset(folder: Path, url: str, text: str, place: FilePlace, page: str | None = None) -> SiteAsset:
    path = folder / url
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n", encoding="utf-8", newline="\n")
    return SiteAsset(url, path, frozenset(place.links), page)
