"""The page of a component or of a library's layer, as plain data in the order in which the page shows it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite

from atlas.checks.base import listed
from atlas.checks.checked import CheckedCollection, CheckedEntry
from atlas.entries.collection import Library, Variant
from atlas.graph.accounting import Account, bound, latex_size
from atlas.render.addresses import collection_page, line_anchor, operator_anchor
from atlas.render.api_view import ApiView, api_view
from atlas.render.deferred import Inline, Maths
from atlas.render.parts import (
    ClaimView,
    Count,
    ExcerptView,
    Link,
    Parts,
    ProofView,
    ReferenceView,
    RowView,
    VariantRow,
    main_sizes,
    number_latex,
    written,
)
from atlas.sizes import size

ALSO_IN = 20
"""How many entries with an operator of the same family a page names; the family's page names all."""


@dataclass(frozen=True, slots=True)
class AxisView:
    """One axis of a tensor: its size or symbol, and what it is."""

    value: str
    """The number, where the size is bound, else empty."""
    symbol: Maths
    """The size expression."""
    meaning: str
    """What the axis is, where the size is not bound, else empty."""


@dataclass(frozen=True, slots=True)
class PortView:
    """A value that enters or leaves."""

    value: Maths
    """The value's name in the model."""
    symbol: Maths | None
    """The symbol that it has in the formula, where that is another."""
    axes: tuple[AxisView, ...]
    """Its axes."""


@dataclass(frozen=True, slots=True)
class SymbolView:
    """One symbol of the formula."""

    symbol: Maths
    """The symbol."""
    axes: tuple[AxisView, ...]
    """Its axes."""
    meaning: str
    """What it is."""
    binds: str
    """The operator's argument, option or result that it stands for."""


@dataclass(frozen=True, slots=True)
class OptionView:
    """One option with the value that the operator was called with."""

    name: str
    """The option's name."""
    value: str
    """Its value as Python writes it; empty where the formula has a symbol for it."""
    equation: Maths | None
    """The symbol with the value, where the formula has one."""
    is_default: bool
    """Whether the entry leaves it at the operator's default."""


@dataclass(frozen=True, slots=True)
class ParametersView:
    """Everything that a page says about parameters."""

    per_instance: Count
    """The count of one instance."""
    layers: str
    """How many layers repeat it; empty in a library and where there is but one."""
    across: Count
    """The count over all layers; empty likewise."""
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


@dataclass(frozen=True, slots=True)
class ComponentView:
    """The whole page."""

    breadcrumb: tuple[Link, ...]
    """The pages above this one."""
    standing: str
    """Where the component stands: `Encoder · 6 layers`."""
    title: str
    """The component's name."""
    badges: tuple[str, ...]
    """What it is at a glance."""
    call: Link | None
    """The call in the source, with its line."""
    summary: Inline
    """What it does."""
    formula: Maths
    """The computation."""
    ins: tuple[PortView, ...]
    """Values that enter."""
    outs: tuple[PortView, ...]
    """Values that leave."""
    symbols: tuple[SymbolView, ...]
    """The formula's symbols."""
    note: Inline | None
    """What a reader should know."""
    training: Inline | None
    """What differs in training."""
    conventions: tuple[tuple[str, str], ...]
    """The conventions of this formulation."""
    options: tuple[OptionView, ...]
    """What the operator was called with besides arrays."""
    parameters: ParametersView
    """The parameters."""
    api: ApiView | None
    """API documentation, for a library's layer."""
    excerpts: tuple[ExcerptView, ...]
    """The code."""
    claims: tuple[ClaimView, ...]
    """The sources."""
    proofs: tuple[ProofView, ...]
    """What was checked."""
    reference: ReferenceView
    """The NumPy operator."""
    also_in: tuple[Link, ...]
    """The first other entries with this operator or another formulation of it."""
    also_in_more: Link | None
    """Where all of them are listed, where there are more."""
    previous: Link | None
    """The component before, along the data flow."""
    next: Link | None
    """The component after, along the data flow."""


def component_view(entry: CheckedEntry, collection: CheckedCollection, parts: Parts) -> ComponentView:
    """The page of one entry."""
    data, maths, text = entry.entry.data, parts.typesetting.maths, parts.typesetting.text
    layers = collection.account(entry.entry).layers
    before, after = parts.neighbours(entry)
    also_in, also_in_more = _also_in(entry, parts)
    return ComponentView(
        breadcrumb=(Link(collection.collection.data.title, collection_page(entry.entry.collection)),),
        standing=_standing(entry, collection, layers, parts),
        title=data.title,
        badges=_badges(entry),
        call=_call(entry),
        summary=text(data.summary),
        formula=maths(data.formula, display=True),
        ins=_ports(entry, data.takes, collection, parts),
        outs=_ports(entry, data.out.items(), collection, parts),
        symbols=tuple(
            SymbolView(
                maths(name),
                _axes(entry, name, collection, parts),
                symbol.meaning or symbol.parameter or "",
                symbol.binds or "",
            )
            for name, symbol in data.symbols.items()
        ),
        note=text(data.note) if data.note else None,
        training=text(data.training) if data.training else None,
        conventions=tuple(data.conventions.items()),
        options=_options(entry, parts),
        parameters=_parameters(entry, collection, layers, parts),
        api=api_view(entry, data.api, parts) if data.api else None,
        excerpts=tuple(parts.excerpt(claim) for claim in entry.claims),
        claims=tuple(parts.claim(claim) for claim in entry.claims),
        proofs=tuple(parts.proof(proof) for proof in entry.proofs),
        reference=parts.reference(entry.operator),
        also_in=also_in,
        also_in_more=also_in_more,
        previous=_neighbour(before, entry, parts) if before else None,
        next=_neighbour(after, entry, parts) if after else None,
    )


def _standing(entry: CheckedEntry, collection: CheckedCollection, layers: int | None, parts: Parts) -> str:
    """`Encoder · 6 layers`, or the release of a library."""
    data = collection.collection.data
    if isinstance(data, Library):
        manifest = parts.checked.atlas.sources[data.source].data
        return manifest.release or manifest.revision
    stack = collection.collection.stack_of(entry.entry)
    return f"{stack.title} · {_plural(layers, 'layer')}" if stack and layers is not None else data.kind


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _badges(entry: CheckedEntry) -> tuple[str, ...]:
    learned = any(symbol.parameter for symbol in entry.entry.data.symbols.values())
    experimental = entry.entry.data.api is not None and entry.entry.data.api.experimental
    return (*(["learned"] if learned else ["no parameters"]), *(["experimental"] if experimental else []))


def _call(entry: CheckedEntry) -> Link | None:
    if entry.call is None:
        return None
    claim, line = entry.call
    return Link(f"{claim.claim.call}(…)", line_anchor(claim.claim.source, claim.claim.path, line), str(line))


def _axes(entry: CheckedEntry, symbol: str, collection: CheckedCollection, parts: Parts) -> tuple[AxisView, ...]:
    sizes, dimensions = main_sizes(entry, collection), collection.collection.data.dimensions
    views = []
    for axis in entry.entry.data.symbols[symbol].axes:
        expression = bound(size(axis), sizes)
        value = "" if expression.number is None else f"{expression.number:,}"
        meaning = "" if value else dimensions.get(str(axis), "")
        views.append(AxisView(value, parts.typesetting.maths(str(axis)), meaning))
    return tuple(views)


def _options(entry: CheckedEntry, parts: Parts) -> tuple[OptionView, ...]:
    """Every option of the operator, as the checks called it."""
    given = entry.entry.data.arguments
    symbols = {symbol.binds: name for name, symbol in entry.entry.data.symbols.items() if symbol.binds}
    views = []
    for name, value in entry.operator.check_options(given).items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
        if name in symbols and is_number:
            equation = parts.typesetting.maths(f"{symbols[name]} = {number_latex(value)}")
            views.append(OptionView(name, "", equation, name not in given))
        else:
            views.append(OptionView(name, written(value), None, name not in given))
    return tuple(views)


def _ports(
    entry: CheckedEntry, ports: Iterable[tuple[str, str]], collection: CheckedCollection, parts: Parts
) -> tuple[PortView, ...]:
    maths = parts.typesetting.maths
    return tuple(
        PortView(maths(value), maths(symbol) if symbol != value else None, _axes(entry, symbol, collection, parts))
        for value, symbol in ports
    )


def _parameters(entry: CheckedEntry, collection: CheckedCollection, layers: int | None, parts: Parts) -> ParametersView:
    data = entry.entry.data
    counted = collection.account(entry.entry)
    repeated = layers is not None and layers > 1
    multiplication = None
    if repeated:
        product = rf"{latex_size(counted.per_instance)} \times {layers} = {latex_size(counted.across)}"
        multiplication = parts.typesetting.maths(product)
    return ParametersView(
        per_instance=parts.count(counted.per_instance),
        layers=str(layers) if repeated else "",
        across=parts.count(counted.across) if repeated else "",
        rows=parts.rows(counted, entry),
        multiplication=multiplication,
        variants=parts.variants(entry, collection),
        note=parts.typesetting.text(data.parameters_note) if data.parameters_note else None,
        origin=_origin(entry, collection, counted),
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
    return f"Derived from the configured {listed(named)}; checkpoint tensors have not been independently counted."


def _setting(variant: Variant, symbol: str) -> str:
    """The name under which the pinned source sets a size, in parentheses, where that was checked."""
    return f" ({variant.settings[symbol].name})" if symbol in variant.settings else ""


def _neighbour(other: CheckedEntry, entry: CheckedEntry, parts: Parts) -> Link:
    """A link along the data flow; into another stack it names the stack."""
    return parts.entry_link(other, full=other.entry.stack != entry.entry.stack)


def _also_in(entry: CheckedEntry, parts: Parts) -> tuple[tuple[Link, ...], Link | None]:
    """Other entries with an operator of the same family, and where all are listed if there are too many to name."""
    relatives = parts.relatives(entry.operator)
    others = [other for other in relatives[: ALSO_IN + 1] if other.entry.id != entry.entry.id][:ALSO_IN]
    links = []
    for other in others:
        link = parts.entry_link(other, full=True)
        same = other.operator.name == entry.operator.name
        links.append(Link(link.title, link.url, "" if same else f"another formulation: {other.operator.name}"))
    left = len(relatives) - 1 - len(others)
    more = Link(f"{left:,} more, with the operator", operator_anchor(entry.operator)) if left else None
    return tuple(links), more
