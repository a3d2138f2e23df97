"""The data files that stand beside the collections: operators, sources, lists, and what concerns the whole atlas."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import version
from typing import Literal, cast

from atlas.checks.checked import CheckedCollection, CheckedEntry
from atlas.entries.atlas import Source
from atlas.entries.collection import Model
from atlas.operators.catalogue import CATALOGUE, FAMILIES
from atlas.operators.options import Option
from atlas.operators.registry import Operator
from atlas.render.addresses import (
    BIBTEX,
    DATA,
    EVERYTHING,
    GLOSSARY,
    HOME,
    OPERATORS,
    SOURCES,
    VERIFICATION,
    bibtex_file,
    entry_schema_file,
    family_page,
    file_page,
    list_file,
    markdown_file,
    schema_file,
    source_page,
    standalone_file,
)
from atlas.render.glossary_view import Names, gathered
from atlas.render.json_items import (
    collection_item,
    differences,
    entry_item,
    family_item,
    proofs,
    published,
    source_item,
)
from atlas.render.json_reference_records import (
    Archive,
    ConflictsDocument,
    DifferenceIn,
    DisagreeingFigure,
    Formulation,
    Generator,
    IndexDocument,
    ListDocument,
    Name,
    OperatorsDocument,
    OptionOf,
    Passage,
    PinnedFileOf,
    ProofsOf,
    SourceDocument,
    SymbolsDocument,
    VerificationDocument,
)
from atlas.render.json_types import Item, plain
from atlas.render.parts import STATUS_WORDS, Parts

LISTS: tuple[tuple[Literal["models", "libraries", "components", "operators", "sources"], str], ...] = (
    ("models", HOME),
    ("libraries", HOME),
    ("components", VERIFICATION),
    ("operators", OPERATORS),
    ("sources", SOURCES),
)
"""What is listed, each with a page that lists it for readers."""


def operators_document(family: str, parts: Parts) -> OperatorsDocument:
    """A family of operators."""
    members, page = FAMILIES[family], family_page(family)
    return OperatorsDocument(
        schema_=schema_file("operators"),
        id=family,
        title=members[0].belongs_to.title,
        page=page,
        markdown=markdown_file(page),
        bibtex=bibtex_file(page),
        does=members[0].kind,
        formulations=tuple(_formulation(one, parts) for one in members),
    )


def source_document(source: Source, parts: Parts) -> SourceDocument:
    """A pinned project."""
    manifest, page, checked = source.data, source_page(source.id), parts.checked
    archive = manifest.artifact
    return SourceDocument(
        schema_=schema_file("source"),
        id=source.id,
        title=manifest.title,
        page=page,
        markdown=markdown_file(page),
        bibtex=bibtex_file(page),
        repository=manifest.repository,
        revision=manifest.revision,
        is_commit=manifest.is_commit,
        release=manifest.release,
        license=manifest.license,
        copyright=manifest.copyright,
        archive=None if archive is None else Archive(package=archive.pypi, file=archive.file, sha256=archive.sha256),
        files=tuple(
            PinnedFileOf(
                path=path,
                page=file_page(source.id, path),
                upstream=manifest.link(path),
                blob=pinned.blob,
                pin=checked.pins[source.id, path].state.value,
                pin_message=checked.pins[source.id, path].message,
                at_hand=(source.id, path) in checked.files,
                passages=_passages(source.id, path, parts),
            )
            for path, pinned in manifest.files.items()
        ),
    )


def list_documents(parts: Parts) -> Iterable[ListDocument]:
    """Everything of each kind."""
    for kind, page in LISTS:
        items = tuple(sorted(_items(kind, parts), key=lambda one: one.id))
        yield ListDocument(schema_=schema_file("list"), of=kind, page=page, items=items)


def verification_document(parts: Parts) -> VerificationDocument:
    """Every claim with its proof."""
    models = [one for one in parts.checked.collections.values() if one.proofs]
    entities = [ProofsOf(entity=collection_item(one), proofs=proofs(one.proofs)) for one in models]
    entities += [ProofsOf(entity=entry_item(one.entry), proofs=proofs(one.proofs)) for one in parts.entries]
    totals = dict.fromkeys(STATUS_WORDS, 0)
    for entity in entities:
        for proof in entity.proofs:
            totals[proof.status] += 1
    return VerificationDocument(
        schema_=schema_file("verification"), page=VERIFICATION, totals=totals, entities=tuple(entities)
    )


def symbols_document(parts: Parts) -> SymbolsDocument:
    """Every size and symbol."""
    sizes, symbols = gathered(parts)
    return SymbolsDocument(
        schema_=schema_file("symbols"), page=GLOSSARY, sizes=tuple(_names(sizes)), symbols=tuple(_names(symbols))
    )


def conflicts_document(parts: Parts) -> ConflictsDocument:
    """Everything on which two sources do not agree."""
    collections = list(parts.checked.collections.values())
    stated = [
        DifferenceIn(entity=collection_item(one), difference=found)
        for one in collections
        if isinstance(one.collection.data, Model)
        for found in differences(one.collection, one.collection.data.differences, parts)
    ]
    stated += [
        DifferenceIn(entity=entry_item(one.entry), difference=found)
        for one in parts.entries
        for found in differences(one.entry, one.entry.data.differences, parts)
    ]
    figures = tuple(
        DisagreeingFigure(model=collection_item(one), variant=variant, figure=figure)
        for one in collections
        for variant, found in one.published.items()
        for figure in published(found)
        if not figure.agrees
    )
    return ConflictsDocument(
        schema_=schema_file("conflicts"), page=VERIFICATION, differences=tuple(stated), figures=figures
    )


def index_document(
    title: str, data_license: str, parts: Parts, schemas: Iterable[str], entry_schemas: Iterable[str]
) -> IndexDocument:
    """Where everything is."""
    checked = parts.checked
    counts: dict[str, int] = {kind: sum(1 for _ in _items(kind, parts)) for kind, _ in LISTS}
    counts["files"] = sum(len(one.data.files) for one in checked.atlas.sources.values())
    counts["formulations"] = len(CATALOGUE)
    counts["variants"] = sum(len(one.accounts) for one in checked.collections.values())
    return IndexDocument(
        schema_=schema_file("index"),
        title=title,
        page=HOME,
        documentation=DATA,
        license=data_license or None,
        generator=Generator(name="OpenModelAtlas", version=version("openmodelatlas")),
        counts=counts,
        lists={kind: list_file(kind) for kind, _ in LISTS},
        verification=list_file("verification"),
        symbols=list_file("symbols"),
        conflicts=list_file("conflicts"),
        everything=EVERYTHING,
        bibtex=BIBTEX,
        schemas={name: schema_file(name) for name in schemas},
        entry_schemas={name: entry_schema_file(name) for name in entry_schemas},
    )


def _items(kind: str, parts: Parts) -> Iterable[Item]:
    checked = parts.checked
    if kind in ("models", "libraries"):
        for collection in checked.collections.values():
            if isinstance(collection.collection.data, Model) == (kind == "models"):
                yield collection_item(collection)
    elif kind == "components":
        yield from (entry_item(entry.entry) for entry in parts.entries)
    elif kind == "operators":
        yield from (family_item(members[0]) for members in FAMILIES.values())
    else:
        yield from (source_item(source) for source in checked.atlas.sources.values())


def _formulation(operator: Operator, parts: Parts) -> Formulation:
    return Formulation(
        name=operator.name,
        title=operator.title,
        summary=operator.summary,
        contract=str(operator.contract),
        parameters=operator.parameters,
        options=tuple(_option(one) for one in operator.options.values()),
        conventions=plain(operator.conventions),
        gradient=operator.gradient.name if operator.gradient is not None else None,
        published=operator.source,
        numpy=standalone_file(operator),
        used_by=tuple(entry_item(entry.entry) for entry in parts.users(operator)),
    )


def _option(one: Option) -> OptionOf:
    kind = cast(Literal["float", "int", "bool", "str"], one.type.__name__)
    return OptionOf(name=one.name, type=kind, required=one.required, default=one.default)


def _passages(source_id: str, path: str, parts: Parts) -> tuple[Passage, ...]:
    found = [
        Passage(
            first_line=claim.claim.span[0],
            last_line=claim.claim.span[1],
            claim=claim.claim.id,
            component=entry_item(entry.entry),
        )
        for entry, claim in parts.passages(source_id, path)
    ]
    return tuple(sorted(found, key=lambda one: (one.first_line, one.last_line, one.component.id, one.claim)))


def _names(found: Names) -> Iterable[Name]:
    for (symbol, meaning, argument), one in found.items():
        yield Name(
            symbol=symbol,
            meaning=meaning,
            argument=argument or None,
            names=tuple(one.keys),
            used_by=tuple(_user(user) for user in one.users.values()),
        )


def _user(user: CheckedCollection | CheckedEntry) -> Item:
    return collection_item(user) if isinstance(user, CheckedCollection) else entry_item(user.entry)
