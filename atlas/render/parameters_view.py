"""What the page of a component says about its parameters: rows, places, variants, and where the figures come from."""

from __future__ import annotations

from dataclasses import dataclass

from atlas.checks.base import listed
from atlas.checks.checked import CheckedCollection, CheckedEntry
from atlas.checks.records_model import TITLES
from atlas.entries.collection import Library, Variant
from atlas.graph.accounting import Account, grouped, latex_size
from atlas.render.deferred import Inline, Maths
from atlas.render.parts import Count, Parts, RowView, VariantRow
from atlas.sizes import size


@dataclass(frozen=True, slots=True)
class PlaceView:
    """One place of a component that stands in several."""

    place: str
    """Its name in the model: `decoder/mlp-layer-norm`."""
    per_instance: str
    """Its parameters there, in one layer."""
    across: str
    """Its parameters there, in all layers."""


@dataclass(frozen=True, slots=True)
class BufferView:
    """A tensor that is kept and not learned."""

    label: str
    """What it is called."""
    symbol: Maths
    """Its symbol."""
    tensor: str
    """The name under which upstream stores it, or empty."""


@dataclass(frozen=True, slots=True)
class ParametersView:
    """Everything that a page says about parameters."""

    per_instance: Count
    """The count of one instance."""
    times: str
    """How many layers or places repeat it: `12 layers`; empty in a library and where there is but one."""
    independent: str
    """The same as the sum of all of them says it: `12 independent layers`."""
    across: Count
    """The count over all of them; empty likewise."""
    uniform: bool
    """Whether all of them have the same count; else that of the first is shown."""
    places: tuple[PlaceView, ...]
    """Where in the model it stands, if in more than one place."""
    buffers: tuple[BufferView, ...]
    """What is kept and not learned."""
    rows: tuple[RowView, ...]
    """The learned tensors."""
    multiplication: Maths | None
    """Per instance times layers equals total."""
    variants: tuple[VariantRow, ...]
    """The same for every variant."""
    note: Inline | None
    """How the parameters are owned."""
    origin: str
    """Where the numbers come from."""


def parameters_view(entry: CheckedEntry, collection: CheckedCollection, parts: Parts) -> ParametersView:
    """What the page of a component says about its parameters."""
    data = entry.entry.data
    counted = collection.account(entry.entry)
    layers = counted.layers
    repeated = layers is not None and layers > 1
    places = _places(entry, collection)
    noun = "place" if places else "layer"
    multiplication = None
    if repeated and counted.uniform:
        product = rf"{latex_size(counted.per_instance)} \times {layers} = {latex_size(counted.across)}"
        multiplication = parts.typesetting.maths(product)
    return ParametersView(
        per_instance=parts.count(counted.per_instance),
        times=plural(layers or 1, noun) if repeated else "",
        independent=plural(layers or 1, f"independent {noun}"),
        across=parts.count(counted.across) if repeated else "",
        uniform=counted.uniform,
        places=places,
        buffers=tuple(
            BufferView(symbol.buffer, parts.typesetting.maths(name), symbol.tensor or "")
            for name, symbol in data.symbols.items()
            if symbol.buffer is not None
        ),
        rows=parts.rows(counted, entry),
        multiplication=multiplication,
        variants=parts.variants(entry, collection),
        note=parts.text(entry.entry, data.parameters_note) if data.parameters_note else None,
        origin=_origin(entry, collection, counted),
    )


def _places(entry: CheckedEntry, collection: CheckedCollection) -> tuple[PlaceView, ...]:
    """Where a component stands, if in more than one place; the figures are those of the first variant."""
    if collection.graph is None or not collection.accounts:
        return ()
    found = [node.id for node in collection.graph.nodes if node.entry.id == entry.entry.id]
    account = next(iter(collection.accounts.values()))
    if len(found) < 2:
        return ()
    return tuple(
        PlaceView(name, grouped(account.nodes.get(name, 0)), grouped(account.across.get(name, 0))) for name in found
    )


def _origin(entry: CheckedEntry, collection: CheckedCollection, counted: Account) -> str:
    """Where the numbers come from; what was not counted is said too."""
    if not counted.rows:
        return "The operator has no learned parameters."
    data = collection.collection.data
    if isinstance(data, Library):
        return "Counted from the axes of the learned tensors; their sizes are chosen where the layer is used."
    used = {
        symbol
        for declared in entry.entry.data.symbols.values()
        if declared.parameter
        for axis in declared.axes
        for symbol in size(axis).symbols
    }
    variant = next(iter(data.variants.values()))
    named = [data.dimensions[one] + _setting(variant, one) for one in sorted(used)]
    compared = any(one.claim == TITLES["tensors"] and one.status == "recorded" for one in collection.proofs)
    created = "; the tensors that upstream’s code creates have the same names and shapes" if compared else ""
    return (
        f"Derived from the configured {listed(named)}{created}; checkpoint tensors have not been independently counted."
    )


def _setting(variant: Variant, symbol: str) -> str:
    """The name under which the pinned source sets a size, in parentheses, where that was checked."""
    return f" ({variant.settings[symbol].name})" if symbol in variant.settings else ""


def plural(count: int, noun: str) -> str:
    """A number with its noun: `1 layer`, `12 layers`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
