"""The page about the data files: where they are, what is in them, how stable they are, and how to cite them.

Its tables of keys are made from the JSON Schemas that are published beside the files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from atlas.render.addresses import API, BIBTEX, EVERYTHING, data_file, entry_schema_file, list_file, schema_file
from atlas.render.citation import page_bibtex
from atlas.render.json_files import DOCUMENTS, INDEX_FILE
from atlas.render.json_types import schema_of
from atlas.render.parts import Link, Parts

PATTERNS: Mapping[str, tuple[str, ...]] = {
    "index": (INDEX_FILE,),
    "list": tuple(list_file(kind) for kind in ("models", "libraries", "components", "operators", "sources")),
    "model": (data_file("models", "NAME"),),
    "library": (data_file("libraries", "NAME"),),
    "component": (data_file("components", "MODEL/STACK/NAME"),),
    "graph": (data_file("graphs", "MODEL"),),
    "operators": (data_file("operators", "FAMILY"),),
    "source": (data_file("sources", "NAME"),),
    "verification": (list_file("verification"),),
    "symbols": (list_file("symbols"),),
    "conflicts": (list_file("conflicts"),),
}
"""Where the files of each kind are; capitals stand for names."""


@dataclass(frozen=True, slots=True)
class TypePart:
    """A piece of what a value may be."""

    text: str
    """The words."""
    anchor: str
    """The record that they name, as an anchor of the page; empty where they name none."""


@dataclass(frozen=True, slots=True)
class KeyView:
    """One key of a record."""

    name: str
    """The key."""
    type: tuple[TypePart, ...]
    """What its value is."""
    meaning: str
    """What it means."""


@dataclass(frozen=True, slots=True)
class RecordView:
    """One kind of record."""

    title: str
    """Its name."""
    anchor: str
    """Its anchor."""
    meaning: str
    """What it is."""
    addresses: tuple[str, ...]
    """Where its files are, below `DataView.root`; none for a record within others."""
    schema: Link | None
    """Its JSON Schema; None for a record within others."""
    keys: tuple[KeyView, ...]
    """Its keys in order."""


@dataclass(frozen=True, slots=True)
class DataView:
    """The page."""

    index: Link
    """The first file to read."""
    everything: Link
    """All records in one file."""
    bibtex_file: Link
    """The bibliography."""
    schemas: tuple[Link, ...]
    """The JSON Schemas of the YAML files."""
    root: str
    """What all addresses begin with."""
    documents: tuple[RecordView, ...]
    """The kinds of files."""
    parts: tuple[RecordView, ...]
    """The records within them."""
    licence: str
    """The licence of the data as an SPDX expression, or empty."""
    source_licences: tuple[tuple[Link, str], ...]
    """Each pinned project with its licence."""
    bibtex: str
    """How to cite the atlas."""


def data_view(parts: Parts, site_name: str, site_url: str, licence: str) -> DataView:
    """The page about the data files."""
    documents: list[RecordView] = []
    within: dict[str, RecordView] = {}
    for name, document in DOCUMENTS.items():
        schema = schema_of(document)
        link = Link("schema", schema_file(name))
        defined = schema.get("$defs", {})
        documents.append(_record(name, f"file-{name}", schema, defined, _below_root(PATTERNS[name]), link))
        for part, definition in defined.items():
            within.setdefault(part, _record(part, _anchor(part), definition, defined, (), None))
    sources = parts.checked.atlas.sources
    return DataView(
        index=Link(INDEX_FILE, INDEX_FILE),
        everything=Link(EVERYTHING, EVERYTHING),
        bibtex_file=Link(BIBTEX, BIBTEX),
        schemas=tuple(Link(kind, entry_schema_file(kind)) for kind in ("component", "model", "library", "source")),
        root=API,
        documents=tuple(documents),
        parts=tuple(within[name] for name in sorted(within)),
        licence=licence,
        source_licences=tuple(
            (Link(one.data.title, f"sources/{one.id}/#licence"), one.data.license) for one in sources.values()
        ),
        bibtex=page_bibtex("", site_name, site_name, site_url),
    )


def _below_root(addresses: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(address.removeprefix(API) for address in addresses)


def _record(
    title: str,
    anchor: str,
    schema: Mapping[str, Any],
    defined: Mapping[str, Any],
    addresses: tuple[str, ...],
    link: Link | None,
) -> RecordView:
    keys = tuple(KeyView(name, tuple(_type(one)), _meaning(one, defined)) for name, one in schema["properties"].items())
    return RecordView(title, anchor, _meaning(schema, defined), addresses, link, keys)


def _meaning(schema: Mapping[str, Any], defined: Mapping[str, Any]) -> str:
    """What a key or record means; a schema does not say again what the record that it refers to says itself."""
    own = schema if "description" in schema else defined[schema["$ref"].rpartition("/")[2]]
    return " ".join(own["description"].split())


def _type(schema: Mapping[str, Any]) -> Iterator[TypePart]:
    """What a value may be, in words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        yield TypePart(name, _anchor(name))
    elif "const" in schema:
        yield TypePart(f"“{schema['const']}”", "")
    elif "enum" in schema:
        yield TypePart(" or ".join(f"“{one}”" for one in schema["enum"]), "")
    elif "anyOf" in schema:
        for number, one in enumerate(schema["anyOf"]):
            if number:
                yield TypePart(" or ", "")
            yield from _type(one)
    elif schema.get("type") == "array":
        yield TypePart("list of ", "")
        yield from _type(schema["items"])
    elif schema.get("type") == "object":
        yield TypePart("object of ", "")
        yield from _type(schema["additionalProperties"])
    else:
        words = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}
        address = schema.get("format") == "uri-reference"
        yield TypePart("address" if address else words.get(schema["type"], schema["type"]), "")


def _anchor(name: str) -> str:
    return f"record-{name.lower()}"
