"""The pages of collections: a model with its stacks and variants, and a library with its layers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from atlas.checks.checked import CheckedCollection, CheckedEntry
from atlas.entries.collection import Library, Model, Paper
from atlas.entries.tree import KeyPath
from atlas.graph.accounting import ModelAccount
from atlas.graph.structure import Node
from atlas.render.addresses import entry_page, source_page
from atlas.render.bibtex import bibtex
from atlas.render.calculator_view import CalculatorView, calculator_view
from atlas.render.conflicts_view import DifferenceView, PublishedView, difference_views, published_views
from atlas.render.deferred import Inline, Maths
from atlas.render.diagram import Placed, Sketch
from atlas.render.entrance_view import EntranceView, entrance_view
from atlas.render.figures_view import (
    BudgetView,
    DiagramView,
    Figure,
    TraceRow,
    budget_view,
    costs,
    diagram_view,
    figures,
    trace,
)
from atlas.render.parts import ClaimView, Count, Link, Parts, ProofView


@dataclass(frozen=True, slots=True)
class ComponentRow:
    """One component in a model's list."""

    link: Link
    """Its page."""
    summary: Inline
    """What it does."""
    per_instance: Count
    """The parameters of one instance."""
    across: Count
    """The parameters over all layers."""
    operator: str
    """The operator it was checked against."""


@dataclass(frozen=True, slots=True)
class StackView:
    """One stack of a model."""

    title: str
    """Its name."""
    name: str
    """Its anchor."""
    key: KeyPath
    """The keys that lead to it in the model's file."""
    layers: int | None
    """How many layers it has, in the first variant; None for a part that is gone through once."""
    rows: tuple[ComponentRow, ...]
    """Its components."""
    per_layer: str
    """The parameters of one layer."""
    total: str
    """The parameters of all layers."""


@dataclass(frozen=True, slots=True)
class VariantView:
    """One configuration of a model."""

    title: str
    """The variant's name."""
    name: str
    """The name in the source."""
    sizes: tuple[str, ...]
    """The value of each size symbol, in the order of `ModelView.size_symbols`."""
    total: str
    """The parameters of the documented components."""
    claims: tuple[ClaimView, ...]
    """The passages that show it."""


@dataclass(frozen=True, slots=True)
class ModelView:
    """The page of a model."""

    title: str
    """The model's name."""
    kind: str
    """What kind of model it is."""
    summary: Inline
    """What it is."""
    note: Inline | None
    """What a reader should know."""
    paper: Paper
    """The publication."""
    paper_link: Link | None
    """Where the publication is."""
    complete: bool
    """Whether every component has an entry."""
    variant: str
    """The variant whose figures the page shows first."""
    stacks: tuple[StackView, ...]
    """The stacks in the order of the data flow."""
    total: str
    """The parameters of the documented components in that variant."""
    size_symbols: tuple[tuple[Maths, str], ...]
    """The size symbols that variants bind, with their meaning."""
    variants: tuple[VariantView, ...]
    """The configurations side by side."""
    diagram: DiagramView | None
    """The graph as a picture."""
    entrance: EntranceView
    """The facts that stand beside it."""
    budget: BudgetView | None
    """Where the parameters are."""
    figures: tuple[Figure, ...]
    """What is counted for every variant."""
    calculator: CalculatorView | None
    """The same at other sizes."""
    compare: str
    """The query of the address that compares the first variant."""
    costs: tuple[tuple[str, Maths], ...]
    """The multiply–accumulates of every variant."""
    trace: tuple[TraceRow, ...]
    """The shape of every value."""
    claims: tuple[ClaimView, ...]
    """The sources about the model as a whole."""
    published: tuple[PublishedView, ...]
    """Published figures beside the derived ones."""
    differences: tuple[DifferenceView, ...]
    """Points on which a publication and the pinned code do not agree."""
    proofs: tuple[ProofView, ...]
    """What is known of the model as a whole: how it compares with upstream's."""
    changes: tuple[tuple[str, Inline], ...]
    """What changed for readers: days and words, the latest first."""
    bibtex: str
    """How to cite the publication."""


@dataclass(frozen=True, slots=True)
class LibraryView:
    """The page of a library."""

    title: str
    """The library's name."""
    kind: str
    """What kind of library it is."""
    summary: Inline
    """What it is."""
    note: Inline | None
    """What a reader should know."""
    source: Link
    """The pinned release."""
    repository: Link
    """Its repository."""
    licence: str
    """Its licence."""
    layers: tuple[ComponentRow, ...]
    """The documented layers."""


def model_view(checked: CheckedCollection, parts: Parts, place: Callable[[Sketch], Placed]) -> ModelView:
    """The page of a model; `place` lays its diagram out."""
    data = checked.collection.data
    if not isinstance(data, Model):
        raise TypeError(f"{checked.collection.id} is not a model")
    text, maths = partial(parts.text, checked.collection), parts.typesetting.maths
    symbols = list(dict.fromkeys(symbol for variant in data.variants.values() for symbol in variant.sizes))
    name = next(iter(data.variants))
    totals = {one: checked.accounts[one].total for one in data.variants}
    diagram, paper = diagram_view(checked, place), _paper_link(data.paper)
    changes = sorted(((one.date, text(one.what)) for one in data.changes), key=lambda one: one[0], reverse=True)
    return ModelView(
        title=data.title,
        kind=data.kind,
        summary=text(data.summary),
        note=text(data.note) if data.note else None,
        paper=data.paper,
        paper_link=paper,
        complete=data.complete,
        variant=data.variants[name].title,
        stacks=_stacks(checked, data, name, parts),
        total=f"{totals[name]:,}",
        diagram=diagram,
        entrance=entrance_view(checked, diagram, paper, parts),
        budget=budget_view(checked),
        figures=figures(checked),
        calculator=calculator_view(checked, parts),
        compare=f"?a={checked.collection.id}:{name}",
        costs=costs(checked, parts),
        trace=trace(checked.graph, checked.accounts[name], parts) if checked.graph is not None else (),
        size_symbols=tuple((maths(symbol), data.dimensions[symbol]) for symbol in symbols),
        variants=tuple(
            VariantView(
                variant.title,
                variant_name,
                tuple(_size(variant.sizes[symbol]) for symbol in symbols),
                f"{totals[variant_name]:,}",
                tuple(parts.claim(checked.collection, claim) for claim in checked.variant_claims[variant_name]),
            )
            for variant_name, variant in data.variants.items()
        ),
        claims=tuple(parts.claim(checked.collection, claim) for claim in checked.claims),
        published=published_views(checked, parts),
        differences=difference_views(data.differences, text),
        proofs=tuple(parts.proof(proof) for proof in checked.proofs),
        changes=tuple(changes),
        bibtex=bibtex(checked.collection.id, data.paper),
    )


def library_view(checked: CheckedCollection, parts: Parts) -> LibraryView:
    """The page of a library."""
    data = checked.collection.data
    if not isinstance(data, Library):
        raise TypeError(f"{checked.collection.id} is not a library")
    manifest = parts.checked.atlas.sources[data.source].data
    release = manifest.release or manifest.revision
    return LibraryView(
        title=data.title,
        kind=data.kind,
        summary=parts.text(checked.collection, data.summary),
        note=parts.text(checked.collection, data.note) if data.note else None,
        source=Link(release, source_page(data.source)),
        repository=Link(manifest.name, manifest.repository),
        licence=manifest.license,
        layers=tuple(_layer(entry, checked, parts) for entry in checked.entries),
    )


def _paper_link(paper: Paper) -> Link | None:
    if paper.arxiv:
        return Link(f"arXiv:{paper.arxiv}", f"https://arxiv.org/abs/{paper.arxiv}")
    return Link(paper.url.split("/")[2], paper.url) if paper.url else None


def _stacks(checked: CheckedCollection, data: Model, variant: str, parts: Parts) -> tuple[StackView, ...]:
    """Every stack with its components, those that are documented in another place included."""
    if checked.graph is None:
        return ()
    account = checked.accounts[variant]
    entries = {entry.entry.id: entry for entry in checked.entries}
    members: dict[str, list[ComponentRow]] = defaultdict(list)
    for node in checked.graph.nodes:
        row = _row(node, entries[node.entry.id], account, parts)
        members[node.block].append(row)
    views = []
    for counted in account.stacks:
        stack = data.stack(counted.name)
        layers = counted.layers if stack.layers is not None else None
        per_layer = "differs" if counted.per_layer is None else f"{counted.per_layer:,}"
        rows = tuple(members[counted.name])
        views.append(
            StackView(
                stack.title,
                counted.name.replace("/", "-"),
                tuple(part for name in counted.name.split("/") for part in ("stacks", name)),
                layers,
                rows,
                per_layer,
                f"{counted.total:,}",
            )
        )
    return tuple(views)


def _size(value: int | tuple[int, ...]) -> str:
    return f"{value:,}" if isinstance(value, int) else ", ".join(f"{one:,}" for one in value)


def _row(node: Node, entry: CheckedEntry, account: ModelAccount, parts: Parts) -> ComponentRow:
    """A component in one place of a model."""
    summary = parts.text(entry.entry, entry.entry.data.summary)
    one, all_ = account.nodes.get(node.id, 0), account.across.get(node.id, 0)
    link = Link(node.title, entry_page(entry.entry))
    return ComponentRow(link, summary, f"{one:,}", f"{all_:,}", entry.operator.name)


def _layer(entry: CheckedEntry, checked: CheckedCollection, parts: Parts) -> ComponentRow:
    """A layer of a library."""
    counted = checked.account(entry.entry)
    summary, count = parts.text(entry.entry, entry.entry.data.summary), parts.count(counted.per_instance)
    return ComponentRow(parts.entry_link(entry), summary, count, parts.count(counted.across), entry.operator.name)
