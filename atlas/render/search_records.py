"""Views → search records: by what a reader may look for each page, and never its rendered maths or code.

A component is found by its title, by what else its operator is called, by upstream's tensor names, by its symbols in
any spelling and by its figures; each place where it stands in a model gives it the names that it has there.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from atlas.checks.checked import CheckedCollection
from atlas.entries.collection import Model
from atlas.graph.structure import Node
from atlas.operators.names import ALSO_CALLED
from atlas.render.addresses import collection_page
from atlas.render.collection_view import LibraryView, ModelView
from atlas.render.component_view import AxisView, ComponentView
from atlas.render.pages import PagePlan
from atlas.render.parameters_view import ParametersView
from atlas.render.parts import Count
from atlas.render.search_found import ALIAS, NAME, NUMBER, SUMMARY, SYMBOL, TEXT, grouped
from atlas.render.search_share import FoundShare
from atlas.render.search_words import GREEK
from atlas.render.site import FoundKind, SearchRecord
from atlas.sizes import size

Texts = Iterator[tuple[int, str]]
"""What a record is found by, with the weights."""

FIGURE_STEPS = ((10**12, "T"), (10**9, "B"), (10**6, "M"))
"""The units in which people write large counts, as in `46.7B`."""
_LETTERS = {name: chr(0x3B1 + number) for number, name in enumerate(GREEK)} | {"ell": "ℓ"}


def found_share(collection: CheckedCollection, plans: Iterable[PagePlan]) -> FoundShare:
    """The share of a collection, from the plans of its pages."""
    return FoundShare(
        isinstance(collection.collection.data, Model),
        tuple(grouped(_own_records(collection, plans))),
        tuple(grouped(_sizes(collection))),
    )


def _own_records(collection: CheckedCollection, plans: Iterable[PagePlan]) -> Iterator[SearchRecord]:
    """The records of a collection's pages; those of its entries know where the entries stand in the model."""
    nodes: dict[str, list[Node]] = defaultdict(list)
    for node in collection.graph.nodes if collection.graph is not None else ():
        nodes[node.entry.id].append(node)
    for plan in plans:
        if isinstance(plan.view, ComponentView) and plan.owner is not None:
            yield record("component", plan, *component_words(plan.view, nodes[plan.owner.id]))
        else:
            yield from _of_plan(plan)


def readable(tex: str) -> str:
    r"""A symbol as plain text: `h_{kv}` is h_kv and `\gamma_2` is γ_2."""

    def letter(found: re.Match[str]) -> str:
        name = found[1].removeprefix("var")
        greek = _LETTERS.get(name.lower())
        if greek is None:
            return f"{name} "
        return greek.upper() if name[0].isupper() else greek

    return re.sub(r"\\([A-Za-z]+) ?", letter, re.sub(r"\\(?:text|mathrm|operatorname)(?![A-Za-z])", "", tex)).translate(
        {ord("{"): None, ord("}"): None}
    )


def short(count: str) -> Iterator[str]:
    """A large count as people write it: `46.7B` and `47B` for 46,702,792,704."""
    digits = count.replace(",", "")
    if not digits.isdecimal():
        return
    number = int(digits)
    for step, unit in FIGURE_STEPS:
        if number >= step:
            yield from dict.fromkeys((f"{number / step:.1f}{unit}", f"{number / step:.0f}{unit}"))
            return


def component_words(view: ComponentView, nodes: Iterable[Node]) -> tuple[str, tuple[tuple[int, str], ...]]:
    """What a component belongs to, and by what it is found; `nodes` are its places in the model."""
    where = " · ".join([*(link.title for link in view.breadcrumb), view.standing])
    return where, (*_component(view), *_places(nodes))


def _of_plan(plan: PagePlan) -> Iterator[SearchRecord]:
    match plan.view:
        case ModelView() as view:
            yield record("model", plan, f"{view.kind} · {view.paper.year}", _model(view))
        case LibraryView() as view:
            yield record("library", plan, f"{view.kind} · {view.source.title}", _library(view))


def record(kind: FoundKind, plan: PagePlan, where: str, texts: Iterable[tuple[int, str]]) -> SearchRecord:
    """What search knows of a page."""
    return SearchRecord(kind, plan.url, plan.title, where, plan.description, tuple(texts))


def _library(view: LibraryView) -> Texts:
    yield from ((TEXT, view.kind), (NAME, view.source.title), (NAME, view.repository.title))


def _model(view: ModelView) -> Texts:
    yield from ((ALIAS, word) for word in ("FLOPs", "memory", "VRAM", "how to cite"))
    yield ALIAS, view.paper.title
    yield NAME, view.paper.arxiv or ""
    yield SUMMARY, view.kind
    yield TEXT, " ".join(view.paper.authors)
    for variant in view.variants:
        yield from ((ALIAS, variant.title), (ALIAS, variant.name), (NUMBER, variant.total))
        yield from ((NUMBER, one) for one in (*variant.sizes, *short(variant.total)))
    for figure in view.figures:
        yield SUMMARY, f"KV {figure.name}" if figure.name.startswith("Cache") else figure.name
        yield from ((NUMBER, value) for value in figure.values)
    for published in view.published:
        yield SUMMARY, published.quantity
        yield from ((NUMBER, one) for one in (published.published, *short(published.published)))
    for symbol, meaning in view.size_symbols:
        yield from ((SYMBOL, symbol.tex), (TEXT, meaning))
    yield from ((TEXT, stack.title) for stack in view.stacks)
    yield TEXT, view.note.plain if view.note else ""
    for difference in view.differences:
        yield TEXT, difference.about.plain


def _component(view: ComponentView) -> Texts:
    operator = view.reference.name
    yield NAME, operator
    yield from ((ALIAS, name) for name in ALSO_CALLED.get(operator, ()))
    yield NAME, view.call.title if view.call else ""
    yield from _counted(view.parameters)
    for port in (*view.ins, *view.outs):
        yield from ((SYMBOL, port.symbol.tex if port.symbol else ""), (TEXT, port.value.tex), *_axes(port.axes))
    for symbol in view.symbols:
        yield from ((SYMBOL, symbol.symbol.tex), (SYMBOL, symbol.binds), (TEXT, symbol.meaning), *_axes(symbol.axes))
    yield TEXT, view.formula.tex
    yield from ((SUMMARY, f"{name} {value}") for name, value in view.conventions)
    for option in view.options:
        yield from ((NAME, option.name), (NUMBER, option.value))
    for state in view.state:
        yield from ((SUMMARY, f"KV cache, state kept {state.lifetime}"), (TEXT, state.meaning))
    yield from ((TEXT, text.plain) for text in (view.note, view.training) if text)
    yield from ((TEXT, difference.about.plain) for difference in view.differences)
    if view.api is not None:
        yield ALIAS, view.api.name
        yield from ((NAME, one.name) for one in (*view.api.arguments, *view.api.attributes, *view.api.call_arguments))
    for claim in view.claims:
        yield from ((TEXT, claim.claim.plain), (SUMMARY, claim.path))


def _counted(view: ParametersView) -> Texts:
    for row in view.rows:
        yield from ((TEXT, row.label), (NAME, row.tensor), (NUMBER, _number(row.count)))
    for buffer in view.buffers:
        yield from ((TEXT, buffer.label), (NAME, buffer.tensor))
    yield from ((NUMBER, _number(count)) for count in (view.per_instance, view.across))


def _axes(axes: Iterable[AxisView]) -> Texts:
    for axis in axes:
        yield from ((NUMBER, axis.value), (TEXT, axis.symbol.tex), (TEXT, axis.meaning))


def _places(places: Iterable[Node]) -> Texts:
    """What a component is called where it stands, which may be other than what its own page calls it."""
    for node in places:
        yield from ((ALIAS, node.title), (NAME, node.name))
        yield from ((NAME, tensor) for tensor in node.tensors.values())


def _sizes(checked: CheckedCollection) -> Iterator[SearchRecord]:
    """A record for each size that a collection names: its symbol, meaning, configuration key and values."""
    collection = checked.collection
    page = collection_page(collection.id)
    for symbol, meaning in collection.data.dimensions.items():
        keys: list[str] = []
        values: list[tuple[str, str]] = []
        if isinstance(collection.data, Model):
            keys, values = _configured(collection.data, symbol)
        told = "; ".join(f"{value} in {variant}" for variant, value in values[:3])
        summary = ". ".join(part for part in (meaning, told, ", ".join(keys)) if part)
        texts = (
            (SYMBOL, symbol),
            (ALIAS, meaning),
            *((NAME, key) for key in keys),
            *((NUMBER, value) for _, value in values),
        )
        url = f"{page}#variants" if values else page
        yield SearchRecord("symbol", url, readable(symbol), collection.data.title, summary, texts)


def _configured(model: Model, symbol: str) -> tuple[list[str], list[tuple[str, str]]]:
    """The names of a size in upstream's configurations, and its value in each variant."""
    keys = dict.fromkeys(
        setting.name
        for variant in model.variants.values()
        for one, setting in variant.settings.items()
        if one == symbol
    )
    for key, text in (model.upstream.keys if model.upstream else {}).items():
        if isinstance(text, str) and str(size(text)) == str(size(symbol)):
            keys[key] = None
    values = []
    for variant in model.variants.values():
        if symbol in variant.sizes:
            value = variant.sizes[symbol]
            numbers = (value,) if isinstance(value, int) else value
            values.append((variant.title, ", ".join(f"{number:,}" for number in numbers)))
    return list(keys), values


def _number(count: Count) -> str:
    """A count that is a number; a formula is none."""
    return count if isinstance(count, str) else ""
