"""What `atlas show` tells of a component: its values, its checks with their state, and where its numbers come from."""

from __future__ import annotations

from collections.abc import Iterator

from atlas.checks.base import NOT_PROVED, Proof
from atlas.checks.checked import CheckedClaim, CheckedCollection, CheckedEntry
from atlas.commands.report import Cell, Report, Section
from atlas.entries.collection import Model
from atlas.graph.accounting import Account
from atlas.sizes import Size

CellRows = Iterator[tuple[Cell, ...]]


def entry_report(entry: CheckedEntry, collection: CheckedCollection) -> Report:
    """The report on a component, or on a layer of a library."""
    data = entry.entry.data
    sections = (
        Section("facts", ("what", "value"), tuple(_facts(entry, collection))),
        Section("formula", ("line",), tuple((line,) for line in data.formula.splitlines())),
        Section("symbols", ("symbol", "axes", "binds", "meaning"), tuple(_symbols(entry))),
        Section("values", ("direction", "value", "symbol"), tuple(_values(entry))),
        Section("parameters", ("label", "symbol", "calculation", "count"), tuple(_parameters(entry, collection))),
        Section("totals", ("variant", "per_instance", "places", "total"), tuple(_totals(entry, collection))),
        Section("checks", ("claim", "status", "figure", "date", "command"), tuple(_checks(entry))),
        Section("sources", ("id", "evidence", "where", "extent", "pin", "claim"), tuple(map(_claim, entry.claims))),
    )
    return Report("component", entry.entry.id, data.title, data.summary, sections)


def library_report(collection: CheckedCollection) -> Report:
    """The report on a library: its layers, and what is known of each."""
    data = collection.collection.data
    rows = tuple((one.entry.id, one.entry.data.title, ", ".join(map(_state, one.proofs))) for one in collection.entries)
    dimensions = tuple(data.dimensions.items())
    sections = (
        Section("facts", ("what", "value"), (("file", collection.collection.path), ("kind", data.kind))),
        Section("sizes", ("symbol", "meaning"), dimensions),
        Section("layers", ("id", "title", "checks"), rows),
    )
    return Report("library", collection.collection.id, data.title, data.summary, sections)


def _state(proof: Proof) -> str:
    return f"{proof.claim} {NOT_PROVED if proof.status == 'missing' else proof.status}"


def _facts(entry: CheckedEntry, collection: CheckedCollection) -> CellRows:
    data = entry.entry.data
    yield "file", entry.entry.path
    yield "collection", collection.collection.id
    if entry.entry.stack is not None:
        yield "stack", entry.entry.stack
    yield "operator", f"{data.operator}: {entry.operator.contract}"
    for name, value in data.arguments.items():
        yield f"option {name}", str(value)
    for name, value in data.conventions.items():
        yield f"convention {name}", value
    if data.inherits is not None:
        yield "inherits", data.inherits


def _symbols(entry: CheckedEntry) -> CellRows:
    for name, one in entry.entry.data.symbols.items():
        meaning = one.parameter or one.buffer or one.meaning
        yield name, f"[{', '.join(map(str, one.axes))}]", one.binds, meaning


def _values(entry: CheckedEntry) -> CellRows:
    yield from (("in", value, symbol) for value, symbol in entry.entry.data.takes)
    yield from (("out", value, symbol) for value, symbol in entry.entry.data.out.items())


def _parameters(entry: CheckedEntry, collection: CheckedCollection) -> CellRows:
    """The learned tensors, in the first variant of a model."""
    for row in collection.account(entry.entry).rows:
        yield row.label, row.symbol, row.calculation + (" (tied)" if row.tied else ""), _count(row.count)


def _totals(entry: CheckedEntry, collection: CheckedCollection) -> CellRows:
    data = collection.collection.data
    names = list(data.variants) if isinstance(data, Model) and collection.accounts else [None]
    for name in names:
        found: Account = collection.account(entry.entry, name)
        each = _count(found.per_instance) if found.uniform else "differs"
        yield name, each, found.layers, _count(found.across)


def _checks(entry: CheckedEntry) -> CellRows:
    yield from ((one.claim, one.status, one.figure, one.date, one.command) for one in entry.proofs)


def _claim(one: CheckedClaim) -> tuple[Cell, ...]:
    claim, manifest = one.claim, one.source.data
    revision = manifest.revision[:12] if manifest.is_commit else manifest.revision
    where = f"{claim.source} {revision} {claim.path}:{claim.lines}"
    wholes = ", ".join(f"{it.name} {it.first}-{it.last}" for it in one.part_of)
    extent = f"part of {wholes}" if wholes else ""
    return claim.id, claim.evidence, where, extent, one.missing or str(one.pin.state), claim.claim


def _count(size: Size) -> Cell:
    """A count as a number where it is one, else as an expression."""
    number = size.number
    return int(number) if number is not None else str(size)
