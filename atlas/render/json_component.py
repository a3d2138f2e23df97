"""The data file of a component, from what was checked of it; every count is one that its model's account holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, partial

from atlas.checks.checked import CheckedCollection, CheckedEntry
from atlas.entries.component import Api, ApiArgument, ApiValue
from atlas.graph.accounting import total
from atlas.render.addresses import bibtex_file, entry_page, markdown_file, schema_file
from atlas.render.json_items import (
    claims,
    collection_item,
    differences,
    family_item,
    line,
    line_or_none,
    neighbour,
    proofs,
)
from atlas.render.json_records import (
    Argument,
    Axis,
    ComponentDocument,
    Interface,
    Kept,
    ParameterRow,
    Parameters,
    ParametersIn,
    Port,
    SeeAlso,
    Symbol,
)
from atlas.render.json_types import Expression, plain
from atlas.render.parts import Parts, main_sizes, value_of
from atlas.sizes import product, size

AXES = 1_000
"""How many axes and counts are remembered: those of one model are few, and all its components have them."""


def component_document(entry: CheckedEntry, collection: CheckedCollection, parts: Parts) -> ComponentDocument:
    """Everything that is stated and known of one entry."""
    owner, data = entry.entry, entry.entry.data
    before, after = parts.neighbours(entry)
    page, optional = entry_page(owner), partial(line_or_none, owner, parts=parts)
    axes = _Axes(entry, collection).of
    nodes = collection.graph.nodes if collection.graph is not None else ()
    return ComponentDocument(
        schema_=schema_file("component"),
        id=owner.id,
        title=data.title,
        page=page,
        markdown=markdown_file(page),
        bibtex=bibtex_file(page),
        collection=collection_item(collection),
        stack=owner.stack,
        places=tuple(node.id for node in nodes if node.entry.id == owner.id),
        operator=family_item(entry.operator),
        operator_name=entry.operator.name,
        arguments=plain(data.arguments),
        summary=line(owner, data.summary, parts),
        formula=data.formula,
        formula_executed=data.formula_not_executed is None,
        formula_not_executed=optional(data.formula_not_executed),
        batch=data.batch,
        inputs=_ports(data.takes, axes),
        outputs=_ports(data.out.items(), axes),
        symbols=tuple(_symbols(entry, axes)),
        conventions=plain(data.conventions),
        state=tuple(
            Kept(
                symbol=name,
                lifetime=one.lifetime,
                meaning=one.meaning,
                numbers=_count(one.axes),
            )
            for name, one in data.state.items()
        ),
        parameters=_parameters(entry, collection, parts),
        note=optional(data.note),
        training=optional(data.training),
        interface=_interface(entry, data.api, parts) if data.api is not None else None,
        differences=differences(owner, data.differences, parts),
        claims=claims(owner, entry.claims, parts),
        proofs=proofs(entry.proofs),
        previous=neighbour(before),
        next=neighbour(after),
    )


class _Axes:
    """The axes of an entry's symbols; most symbols have the same few."""

    def __init__(self, entry: CheckedEntry, collection: CheckedCollection) -> None:
        self._symbols = entry.entry.data.symbols
        self._sizes = main_sizes(entry, collection)
        self._dimensions = collection.collection.data.dimensions
        self._made: dict[str | int, Axis] = {}

    def of(self, symbol: str) -> tuple[Axis, ...]:
        """The axes of a symbol."""
        return tuple(map(self._axis, self._symbols[symbol].axes))

    def _axis(self, axis: str | int) -> Axis:
        if axis not in self._made:
            found = size(axis)
            name = str(found)
            self._made[axis] = _named_axis(name, value_of(found, self._sizes), self._dimensions.get(name, ""))
        return self._made[axis]


@lru_cache(maxsize=AXES)
def _named_axis(name: str, value: int | None, meaning: str) -> Axis:
    return Axis(size=name, value=value, meaning=meaning)


@lru_cache(maxsize=AXES)
def _count(*tensors: tuple[str | int, ...]) -> Expression:
    """How many numbers tensors with these axes hold together."""
    return Expression.of(total(product(map(size, axes)) for axes in tensors))


def _ports(given: Iterable[tuple[str, str]], axes: Callable[[str], tuple[Axis, ...]]) -> tuple[Port, ...]:
    return tuple(Port(value=value, symbol=symbol, axes=axes(symbol)) for value, symbol in given)


def _symbols(entry: CheckedEntry, axes: Callable[[str], tuple[Axis, ...]]) -> Iterator[Symbol]:
    for name, one in entry.entry.data.symbols.items():
        yield Symbol(
            symbol=name,
            axes=axes(name),
            meaning=one.meaning or one.parameter or one.buffer or "",
            binds=one.binds,
            parameter=one.parameter,
            buffer=one.buffer,
            tensor=one.tensor,
            tied=one.tied,
        )


def _parameters(entry: CheckedEntry, collection: CheckedCollection, parts: Parts) -> Parameters:
    owner, data = entry.entry, entry.entry.data
    tied = collection.account(owner).places[0].tied
    learned = {name: one for name, one in data.symbols.items() if one.parameter is not None}
    return Parameters(
        rows=tuple(
            ParameterRow(
                label=one.parameter or "",
                symbol=name,
                argument=one.binds or "",
                tensor=one.tensor,
                count=_count(one.axes),
            )
            for name, one in learned.items()
        ),
        per_instance=_count(*(one.axes for name, one in learned.items() if name not in tied)),
        variants=tuple(_in_variant(entry, collection, name) for name in collection.accounts),
        note=line_or_none(owner, data.parameters_note, parts),
    )


def _in_variant(entry: CheckedEntry, collection: CheckedCollection, variant: str) -> ParametersIn:
    counted = collection.account(entry.entry, variant)
    return ParametersIn(
        variant=variant,
        rows={row.symbol: row.count.value({}) for row in counted.rows},
        tied=tuple(row.symbol for row in counted.rows if row.tied),
        per_instance=counted.per_instance.value({}),
        instances=1 if counted.layers is None else counted.layers,
        total=counted.across.value({}),
        uniform=counted.uniform,
    )


def _interface(entry: CheckedEntry, api: Api, parts: Parts) -> Interface:
    text = partial(line, entry.entry, parts=parts)

    def one(name: str, given: ApiArgument | ApiValue) -> Argument:
        default = given.default if isinstance(given, ApiArgument) else None
        return Argument(name=name, type=text(given.type), default=default, text=text(given.text))

    def several(given: Mapping[str, ApiArgument] | Mapping[str, ApiValue]) -> tuple[Argument, ...]:
        return tuple(one(name, value) for name, value in given.items())

    return Interface(
        name=api.name,
        arguments=several(api.arguments),
        attributes=several(api.attributes),
        call_arguments=several(api.call_arguments),
        returns=one("", api.returns) if api.returns is not None else None,
        experimental=api.experimental,
        warnings=tuple(text(warning) for warning in api.warnings),
        see_also=tuple(SeeAlso(title=other.title, url=other.url) for other in api.see_also),
    )
