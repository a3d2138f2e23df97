"""The page of a component or of a library's layer, as plain data in the order in which the page shows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from math import isfinite

from atlas.checks.checked import CheckedCollection, CheckedEntry
from atlas.entries.collection import Library
from atlas.markup.symbol_marks import marked, names_of, sizes_of
from atlas.render.addresses import collection_page, line_anchor
from atlas.render.api_view import ApiView, api_view
from atlas.render.conflicts_view import DifferenceView, difference_views
from atlas.render.deferred import Inline, Maths
from atlas.render.parameters_view import ParametersView, parameters_view, plural
from atlas.render.parts import (
    ClaimView,
    ExcerptView,
    Link,
    Parts,
    ProofView,
    ReferenceView,
    main_sizes,
    number_latex,
    value_of,
    written,
)
from atlas.sizes import size

LIFETIMES = {
    "token": "for each token",
    "input": "for each token of the input, once",
    "window": "for each token of a window",
    "constant": "once, whatever the length",
}
"""How long a state is kept, in words."""


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
class SizeView:
    """One size of the formula."""

    symbol: Maths
    """Its symbol."""
    value: str
    """Its value in the place that the page shows first; empty where it has none."""
    meaning: str
    """What it is."""


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
    is_stated: bool
    """Whether the entry's `arguments` state it."""


@dataclass(frozen=True, slots=True)
class StateView:
    """What is kept from one token to the next."""

    symbol: Maths
    """Its symbol."""
    axes: Maths
    """The axes that are kept."""
    lifetime: str
    """For how long."""
    meaning: str
    """What it is."""


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
    marks: Mapping[str, int]
    """The number by which each symbol and size is marked wherever the page shows it."""
    ins: tuple[PortView, ...]
    """Values that enter."""
    outs: tuple[PortView, ...]
    """Values that leave."""
    symbols: tuple[SymbolView, ...]
    """The formula's symbols."""
    sizes: tuple[SizeView, ...]
    """The sizes that their axes have."""
    note: Inline | None
    """What a reader should know."""
    training: Inline | None
    """What differs in training."""
    conventions: tuple[tuple[str, str], ...]
    """The conventions of this formulation."""
    differences: tuple[DifferenceView, ...]
    """Points on which a publication and the pinned code do not agree."""
    state: tuple[StateView, ...]
    """What is kept from one token to the next."""
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
    called: str
    """The call of the operator that this component is, as Python writes it."""
    previous: Link | None
    """The component before, along the data flow."""
    next: Link | None
    """The component after, along the data flow."""


def component_view(entry: CheckedEntry, collection: CheckedCollection, parts: Parts) -> ComponentView:
    """The page of one entry."""
    data, maths, text = entry.entry.data, parts.typesetting.maths, partial(parts.text, entry.entry)
    axes = _Axes(entry, collection, parts)
    claims = tuple(parts.claim(entry.entry, claim) for claim in entry.claims)
    before, after = parts.neighbours(entry)
    dimensions = collection.collection.data.dimensions
    return ComponentView(
        breadcrumb=(Link(collection.collection.data.title, collection_page(entry.entry.collection)),),
        standing=_standing(entry, collection, parts),
        title=data.title,
        badges=_badges(entry),
        call=_call(entry),
        summary=text(data.summary),
        formula=parts.typesetting.of(marked(data, dimensions)),
        marks={name: number for number, name in enumerate(names_of(data, dimensions))},
        ins=_ports(data.takes, axes, parts),
        outs=_ports(data.out.items(), axes, parts),
        symbols=tuple(
            SymbolView(
                maths(name),
                axes.of(name),
                symbol.meaning or symbol.parameter or "",
                symbol.binds or "",
            )
            for name, symbol in data.symbols.items()
        ),
        sizes=_sizes(entry, collection, parts),
        note=text(data.note) if data.note else None,
        training=text(data.training) if data.training else None,
        conventions=tuple(data.conventions.items()),
        differences=difference_views(data.differences, text),
        state=_state(entry, parts),
        options=_options(entry, collection, parts),
        parameters=parameters_view(entry, collection, parts),
        api=api_view(entry, data.api, parts) if data.api else None,
        excerpts=tuple(claim.excerpt for claim in claims),
        claims=claims,
        proofs=tuple(parts.proof(proof) for proof in entry.proofs),
        reference=parts.reference(entry.operator),
        called=_called(entry, collection),
        previous=_neighbour(before, entry, parts) if before else None,
        next=_neighbour(after, entry, parts) if after else None,
    )


def _standing(entry: CheckedEntry, collection: CheckedCollection, parts: Parts) -> str:
    """`Encoder · 6 layers`, or the release of a library."""
    data = collection.collection.data
    if isinstance(data, Library):
        manifest = parts.checked.atlas.sources[data.source].data
        return manifest.release or manifest.revision
    stack = collection.collection.stack_of(entry.entry)
    if stack is None or stack.layers is None or not collection.accounts:
        return stack.title if stack is not None else data.kind
    account = next(iter(collection.accounts.values()))
    layers = next(one.layers for one in account.stacks if one.name == entry.entry.stack)
    return f"{stack.title} · {plural(layers, 'layer')}"


def _badges(entry: CheckedEntry) -> tuple[str, ...]:
    learned = any(symbol.parameter for symbol in entry.entry.data.symbols.values())
    experimental = entry.entry.data.api is not None and entry.entry.data.api.experimental
    return (*(["learned"] if learned else ["no parameters"]), *(["experimental"] if experimental else []))


def _call(entry: CheckedEntry) -> Link | None:
    if entry.call is None:
        return None
    claim, line = entry.call
    return Link(f"{claim.claim.call}(…)", line_anchor(claim.claim.source, claim.claim.path, line), str(line))


class _Axes:
    """The axes of an entry's symbols; most symbols have the same few."""

    def __init__(self, entry: CheckedEntry, collection: CheckedCollection, parts: Parts) -> None:
        self._symbols = entry.entry.data.symbols
        self._sizes = main_sizes(entry, collection)
        self._dimensions = collection.collection.data.dimensions
        self._maths = parts.typesetting.maths
        self._made: dict[str | int, AxisView] = {}

    def of(self, symbol: str) -> tuple[AxisView, ...]:
        """The axes of a symbol."""
        return tuple(self._made.get(axis) or self._axis(axis) for axis in self._symbols[symbol].axes)

    def _axis(self, axis: str | int) -> AxisView:
        number = value_of(size(axis), self._sizes)
        value = "" if number is None else f"{number:,}"
        meaning = "" if value else self._dimensions.get(str(axis), "")
        made = self._made[axis] = AxisView(value, self._maths(str(axis)), meaning)
        return made


def _sizes(entry: CheckedEntry, collection: CheckedCollection, parts: Parts) -> tuple[SizeView, ...]:
    """The sizes of the entry's axes that are symbols of their own, in the order of the collection's dimensions."""
    data, dimensions = entry.entry.data, collection.collection.data.dimensions
    values = main_sizes(entry, collection)
    return tuple(
        SizeView(parts.typesetting.maths(name), f"{values[name]:,}" if name in values else "", dimensions[name])
        for name in sizes_of(data, dimensions)
    )


def _called(entry: CheckedEntry, collection: CheckedCollection) -> str:
    """The operator's call with the arguments that the entry binds, and the options that it states."""
    symbols = entry.entry.data.symbols
    bound = {symbol.binds for symbol in symbols.values()}
    arrays = [one.name for one in entry.operator.contract.inputs if one.name in bound]
    options = {name: repr(value) for name, value in entry.entry.data.arguments.items()}
    values = main_sizes(entry, collection)
    for name, symbol in symbols.items():
        if symbol.binds is not None and symbol.binds in entry.operator.options and name in values:
            options.setdefault(symbol.binds, str(values[name]))
    listed = [f"{name}={name}" for name in arrays] + [f"{name}={value}" for name, value in options.items()]
    return f"{entry.operator.name}({', '.join(listed)})"


def _options(entry: CheckedEntry, collection: CheckedCollection, parts: Parts) -> tuple[OptionView, ...]:
    """Every option of the operator, as the checks called it; one that is a size of the model, as in all its places."""
    given = entry.entry.data.arguments
    symbols = {symbol.binds: name for name, symbol in entry.entry.data.symbols.items() if symbol.binds}
    places = [place.sizes for place in collection.account(entry.entry).places]
    views = []
    for name, option in entry.operator.options.items():
        symbol = symbols.get(name, "")
        sizes = sorted({sizes[symbol] for sizes in places if symbol in sizes})
        value = option.check(given[name]) if name in given else option.default
        if sizes:
            numbers = ", ".join(map(number_latex, sizes))
            equation = f"{symbol} = {numbers}" if len(sizes) == 1 else rf"{symbol} \in \{{{numbers}\}}"
            views.append(OptionView(name, "", parts.typesetting.maths(equation), False, name in given))
        elif option.required and name not in given:
            views.append(OptionView(name, "", parts.typesetting.maths(symbol), False, False))
        elif name in symbols and isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value):
            equation = f"{symbol} = {number_latex(value)}"
            views.append(OptionView(name, "", parts.typesetting.maths(equation), name not in given, name in given))
        else:
            views.append(OptionView(name, written(value), None, name not in given, name in given))
    return tuple(views)


def _ports(ports: Iterable[tuple[str, str]], axes: _Axes, parts: Parts) -> tuple[PortView, ...]:
    maths = parts.typesetting.maths
    return tuple(
        PortView(maths(value), maths(symbol) if symbol != value else None, axes.of(symbol)) for value, symbol in ports
    )


def _state(entry: CheckedEntry, parts: Parts) -> tuple[StateView, ...]:
    maths = parts.typesetting.maths
    listed_axes = {
        name: r",\,".join(str(size(axis)) for axis in one.axes) for name, one in entry.entry.data.state.items()
    }
    return tuple(
        StateView(maths(name), maths(f"[{listed_axes[name]}]"), LIFETIMES[one.lifetime], one.meaning)
        for name, one in entry.entry.data.state.items()
    )


def _neighbour(other: CheckedEntry, entry: CheckedEntry, parts: Parts) -> Link:
    """A link along the data flow; into another stack it names the stack."""
    return parts.entry_link(other, full=other.entry.stack != entry.entry.stack)
