"""The page that compares two models or variants: what reads without a script, and each model's data for the script.

A model's data is a file of its own, so that a reader who compares two of ten thousand models loads two files.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from atlas.checks.checked import CheckedCollection
from atlas.entries.collection import Model, Variant
from atlas.graph.accounting import ModelAccount, grouped
from atlas.graph.structure import Block, Node
from atlas.markup.symbol_marks import marked
from atlas.operators.catalogue import find
from atlas.render.addresses import COMPARE, collection_page, entry_page
from atlas.render.deferred import Maths, Typesetting
from atlas.render.figures_view import CACHE_BYTES, latex_sum
from atlas.render.kinds import KINDS, named
from atlas.render.model_sketch import picture_kind
from atlas.render.parts import Link, Parts
from atlas.render.relative import relative_url
from atlas.sizes import size

COUNTED: tuple[tuple[str, str, Callable[[ModelAccount], int]], ...] = (
    ("parameters", "Parameters", lambda one: one.total),
    ("parameters", "Active parameters of one token", lambda one: one.active),
    ("parameters", "Embedding parameters", lambda one: one.embedding),
    ("parameters", "Non-embedding parameters", lambda one: one.non_embedding),
    ("parameters", "Buffers, in no total", lambda one: one.buffers),
    ("cache", "Cached numbers per token", lambda one: one.cache),
    ("cache", "Cached numbers per token of an input", lambda one: one.input_cache),
    ("cache", "Cached numbers per token of a window", lambda one: one.window_cache),
    ("cache", "Numbers kept whatever the length", lambda one: one.constant_state),
)
"""What is counted: the section that shows it, its name, and where it is found."""


@dataclass(frozen=True, slots=True)
class CountedVariant:
    """One variant in the table of all models."""

    name: str
    """Its name."""
    title: str
    """Its title."""
    total: str
    """Its parameters."""
    active: str
    """Those that one token meets."""
    cache: str
    """The bytes kept per token in bfloat16, or empty."""


@dataclass(frozen=True, slots=True)
class Variety:
    """In what the variants of one model differ, and in what they do not."""

    sizes: tuple[tuple[str, str, tuple[str, ...]], ...]
    """Each size that differs, in LaTeX, with its meaning and its value in every variant."""
    same: tuple[str, ...]
    """The sizes that are the same in all of them, as equations in LaTeX."""
    figures: tuple[tuple[str, tuple[str, ...]], ...]
    """Each figure with its value in every variant."""


@dataclass(frozen=True, slots=True)
class CompareShare:
    """One model as the comparison needs it."""

    id: str
    """The collection's id."""
    title: str
    """The model's name."""
    kind: str
    """What kind of model it is."""
    year: str
    """The year of its publication."""
    is_complete: bool
    """Whether every component has an entry."""
    variants: tuple[CountedVariant, ...]
    """Its variants."""
    variety: Variety | None
    """In what they differ; None where there is one."""


@dataclass(frozen=True, slots=True)
class ChoiceView:
    """A model that can be chosen."""

    id: str
    """The collection's id."""
    title: str
    """The model's name."""
    data_url: str
    """The script's data, below the site's root."""
    variants: tuple[tuple[str, str], ...]
    """Each variant's name with its title."""


@dataclass(frozen=True, slots=True)
class OverviewRow:
    """One variant in the table of all models."""

    link: Link
    """The model's page."""
    variant: str
    """The variant's title."""
    kind: str
    """What kind of model it is."""
    year: str
    """The year of its publication."""
    total: str
    """Its parameters."""
    active: str
    """Those that one token meets."""
    cache: str
    """The bytes kept per token in bfloat16, or empty."""
    complete: bool
    """Whether every component has an entry."""


@dataclass(frozen=True, slots=True)
class VariantsView:
    """The variants of one model side by side."""

    link: Link
    """The model's page."""
    anchor: str
    """The id of its heading."""
    variants: tuple[str, ...]
    """Their titles."""
    sizes: tuple[tuple[Maths, str, tuple[str, ...]], ...]
    """Each size that differs, with its meaning and its value in every variant."""
    same: tuple[Maths, ...]
    """The sizes that are the same in all of them, as equations."""
    figures: tuple[tuple[str, tuple[str, ...]], ...]
    """Each figure with its value in every variant."""


@dataclass(frozen=True, slots=True)
class CompareView:
    """The page."""

    choices: tuple[ChoiceView, ...]
    """What can be compared."""
    overview: tuple[OverviewRow, ...]
    """All models and variants."""
    families: tuple[VariantsView, ...]
    """The models that have several variants."""


def data_page(collection_id: str) -> str:
    """The address of a model's data."""
    return f"{COMPARE}{collection_id}.json"


def counted(checked: CheckedCollection) -> Model | None:
    """The model, where it is counted; None for what can be compared with nothing."""
    data = checked.collection.data
    return data if isinstance(data, Model) and checked.graph is not None and checked.accounts else None


def compare_share(checked: CheckedCollection) -> CompareShare | None:
    """What the page needs of a model; None for what can be compared with nothing."""
    model = counted(checked)
    if model is None:
        return None
    width = dict(CACHE_BYTES)["bfloat16"]
    variants = []
    for name, variant in model.variants.items():
        account = checked.accounts[name]
        cache = f"{grouped(account.cache * width)} bytes" if account.cache else ""
        variants.append(CountedVariant(name, variant.title, grouped(account.total), grouped(account.active), cache))
    return CompareShare(
        checked.collection.id,
        model.title,
        model.kind,
        str(model.paper.year),
        model.complete,
        tuple(variants),
        _variety(checked, model) if len(variants) > 1 else None,
    )


def compare_view(shares: Sequence[CompareShare], typesetting: Typesetting) -> CompareView:
    """The page's own part; the shares are in the order of the models' ids."""
    return CompareView(
        tuple(
            ChoiceView(one.id, one.title, data_page(one.id), tuple((each.name, each.title) for each in one.variants))
            for one in shares
        ),
        tuple(row for one in shares for row in _overview(one)),
        tuple(_variants(one, one.variety, typesetting) for one in shares if one.variety is not None),
    )


def compare_data(checked: CheckedCollection, model: Model, parts: Parts) -> dict[str, object]:
    """What the script is told about one model; formulas in it are promises of HTML."""
    return {
        "title": model.title,
        "url": _url(collection_page(checked.collection.id)),
        "complete": model.complete,
        "facts": [["Kind", model.kind], ["Published", str(model.paper.year)]],
        "sizes": [
            {"name": name, "html": parts.typesetting.maths(name), "meaning": model.dimensions[name]}
            for name in model.dimensions
            if any(name in _sizes(checked, variant) for variant in model.variants)
        ],
        "settings": dict(_settings(model.upstream.settings)) if model.upstream is not None else {},
        "structure": list(_structure(checked, parts)),
        "formulas": list(_formulas(checked, parts)),
        "kinds": KINDS,
        "bytes": [list(one) for one in CACHE_BYTES],
        "variants": {name: _variant_data(checked, name, variant, parts) for name, variant in model.variants.items()},
    }


def _variant_data(checked: CheckedCollection, name: str, variant: Variant, parts: Parts) -> dict[str, object]:
    account = checked.accounts[name]
    kinds: dict[str, int] = defaultdict(int)
    for node in checked.graph.nodes if checked.graph is not None else ():
        kinds[picture_kind(node.entry.data.operator)] += account.across.get(node.id, 0)
    macs = parts.typesetting.maths(latex_sum(account.macs)) if account.macs.terms else ""
    return {
        "title": variant.title,
        "sizes": {one: _value(value) for one, value in _sizes(checked, name).items()},
        "figures": [[section, label, str(of(account))] for section, label, of in COUNTED],
        "kinds": {kind: str(kinds[kind]) for kind in KINDS if kinds.get(kind)},
        "stacks": {one.name: [one.layers, str(one.total)] for one in account.stacks},
        "macs": macs,
    }


def _sizes(checked: CheckedCollection, variant: str) -> dict[str, int | tuple[int, ...]]:
    """The sizes of a variant, and those that follow from them and are the same wherever they are used."""
    model = checked.collection.data
    if not isinstance(model, Model):
        raise TypeError(f"{checked.collection.id} is no model")
    follow: dict[str, set[int]] = defaultdict(set)
    for entry in checked.accounts[variant].entries.values():
        for place in entry.places:
            for name, value in place.sizes.items():
                follow[name].add(value)
    own = model.variants[variant].sizes
    more = {name: next(iter(values)) for name, values in follow.items() if len(values) == 1}
    return {**{name: value for name, value in more.items() if name in model.dimensions}, **own}


def _settings(settings: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Each setting with its value; the parts of one have its name and a dot before theirs."""
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from _settings(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", _written(value)


def _structure(checked: CheckedCollection, parts: Parts) -> Iterator[dict[str, object]]:
    """Every block with its own components in the order of the data flow; those around a block within are two runs."""

    def block(one: Block, depth: int) -> Iterator[dict[str, object]]:
        layers = one.stack.layers
        found: list[dict[str, object]] = []
        head = {
            "path": one.id,
            "title": one.stack.title,
            "depth": depth,
            "layers": "" if layers is None else parts.typesetting.maths(str(size(layers))),
        }
        for child in one.children:
            if isinstance(child, Node):
                found.append(_component(child))
            else:
                if found or child is one.children[0]:
                    yield {**head, "parts": found}
                    found = []
                yield from block(child, depth + 1)
        if found:
            yield {**head, "parts": found}

    for outer in checked.graph.blocks if checked.graph is not None else ():
        yield from block(outer, 0)


def _component(node: Node) -> dict[str, object]:
    operator = find(node.entry.data.operator)
    return {
        "title": node.title,
        "url": _url(entry_page(node.entry)),
        "operator": operator.name,
        "name": operator.title,
        "kind": picture_kind(operator.name),
    }


def _formulas(checked: CheckedCollection, parts: Parts) -> Iterator[dict[str, object]]:
    for entry in checked.entries:
        yield {
            "title": entry.entry.data.title,
            "url": _url(entry_page(entry.entry)),
            "operator": entry.operator.name,
            "family": entry.operator.belongs_to.title,
            "kind": picture_kind(entry.operator.name),
            "name": named(picture_kind(entry.operator.name)),
            "tex": entry.entry.data.formula,
            "html": parts.typesetting.of(marked(entry.entry.data, checked.collection.data.dimensions)),
        }


def _overview(share: CompareShare) -> Iterator[OverviewRow]:
    link = Link(share.title, collection_page(share.id))
    for one in share.variants:
        yield OverviewRow(link, one.title, share.kind, share.year, one.total, one.active, one.cache, share.is_complete)


def _variety(checked: CheckedCollection, model: Model) -> Variety:
    rows = {
        name: tuple(_value(one.sizes[name]) if name in one.sizes else "–" for one in model.variants.values())
        for name in _names(model)
    }
    accounts = tuple(checked.accounts.values())
    figures = [(label, tuple(grouped(of(one)) for one in accounts)) for _, label, of in COUNTED]
    return Variety(
        tuple((name, model.dimensions[name], values) for name, values in rows.items() if len(set(values)) > 1),
        tuple(f"{name} = {values[0].replace(',', '{,}')}" for name, values in rows.items() if len(set(values)) == 1),
        tuple((label, values) for label, values in figures if set(values) != {"0"}),
    )


def _variants(share: CompareShare, variety: Variety, typesetting: Typesetting) -> VariantsView:
    return VariantsView(
        Link(share.title, collection_page(share.id)),
        f"variants-{share.id.replace('/', '-')}",
        tuple(one.title for one in share.variants),
        tuple((typesetting.maths(name), meaning, values) for name, meaning, values in variety.sizes),
        tuple(map(typesetting.maths, variety.same)),
        variety.figures,
    )


def _names(model: Model) -> list[str]:
    """The sizes that variants bind, in the order of the model's dimensions."""
    bound = {name for variant in model.variants.values() for name in variant.sizes}
    return [name for name in model.dimensions if name in bound]


def _value(value: int | tuple[int, ...]) -> str:
    return grouped(value) if isinstance(value, int) else ", ".join(map(grouped, value))


def _written(value: object) -> str:
    """A setting as configuration files write it: a text alone, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value)


def _url(target: str) -> str:
    return relative_url(target, COMPARE)
