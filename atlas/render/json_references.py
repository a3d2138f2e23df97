"""The data files that stand beside the collections: operators, sources, lists, and what concerns the whole atlas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from typing import Literal, cast

from atlas.entries.atlas import Source
from atlas.operators.catalogue import CATALOGUE, FAMILIES
from atlas.operators.options import Option
from atlas.operators.registry import Operator
from atlas.render.addresses import (
    BIBTEX,
    DATA,
    EVERYTHING,
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
from atlas.render.json_items import (
    family_item,
    share_item,
    source_item,
    use_item,
)
from atlas.render.json_reference_records import (
    Archive,
    Formulation,
    Generator,
    IndexDocument,
    ListDocument,
    OperatorsDocument,
    OptionOf,
    Passage,
    PinnedFileOf,
    SourceDocument,
)
from atlas.render.json_types import Item, plain
from atlas.render.parts import Parts
from atlas.render.uses import Uses

LISTS: tuple[tuple[Literal["models", "libraries", "components", "operators", "sources"], str], ...] = (
    ("models", HOME),
    ("libraries", HOME),
    ("components", VERIFICATION),
    ("operators", OPERATORS),
    ("sources", SOURCES),
)
"""What is listed, each with a page that lists it for readers."""


def operators_document(family: str, uses: Uses) -> OperatorsDocument:
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
        formulations=tuple(_formulation(one, uses) for one in members),
    )


def source_document(source: Source, uses: Uses, parts: Parts) -> SourceDocument:
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
                passages=_passages(source.id, path, uses),
            )
            for path, pinned in manifest.files.items()
        ),
    )


def list_documents(uses: Uses, sources: Mapping[str, Source]) -> Iterator[ListDocument]:
    """Everything of each kind."""
    for kind, page in LISTS:
        items = tuple(sorted(_items(kind, uses, sources), key=lambda one: one.id))
        yield ListDocument(schema_=schema_file("list"), of=kind, page=page, items=items)


def index_document(
    title: str,
    data_license: str,
    uses: Uses,
    sources: Mapping[str, Source],
    schemas: Iterable[str],
    entry_schemas: Iterable[str],
) -> IndexDocument:
    """Where everything is."""
    models = sum(1 for one in uses.shares if one.is_model)
    counts: dict[str, int] = {
        "models": models,
        "libraries": len(uses.shares) - models,
        "components": sum(len(one.entries) for one in uses.shares),
        "operators": len(FAMILIES),
        "sources": len(sources),
        "files": sum(len(one.data.files) for one in sources.values()),
        "formulations": len(CATALOGUE),
        "variants": sum(one.variants for one in uses.shares),
    }
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


def _items(kind: str, uses: Uses, sources: Mapping[str, Source]) -> Iterator[Item]:
    if kind in ("models", "libraries"):
        yield from (share_item(one) for one in uses.shares if one.is_model == (kind == "models"))
    elif kind == "components":
        yield from (use_item(entry) for one in uses.shares for entry in one.entries)
    elif kind == "operators":
        yield from (family_item(members[0]) for members in FAMILIES.values())
    else:
        yield from map(source_item, sources.values())


def _formulation(operator: Operator, uses: Uses) -> Formulation:
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
        used_by=tuple(map(use_item, uses.users(operator.name))),
    )


def _option(one: Option) -> OptionOf:
    kind = cast(Literal["float", "int", "bool", "str"], one.type.__name__)
    return OptionOf(name=one.name, type=kind, required=one.required, default=one.default)


def _passages(source_id: str, path: str, uses: Uses) -> tuple[Passage, ...]:
    found = [
        Passage(first_line=passage.first, last_line=passage.last, claim=passage.claim, component=use_item(one))
        for one, passage in uses.passages(source_id, path)
    ]
    return tuple(sorted(found, key=lambda one: (one.first_line, one.last_line, one.component.id, one.claim)))
