"""The home page: what there is, how much of it is proved, and where each of a reader's first questions is answered.

Every answer is one link away, by way of the first collection that has one; no model is known here by its name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from atlas.checks.base import Proof
from atlas.checks.checked import CheckedCollection
from atlas.entries.collection import Library, Model
from atlas.graph.accounting import ModelAccount, grouped
from atlas.operators.catalogue import FAMILIES
from atlas.operators.family import KINDS
from atlas.render.addresses import (
    COMPARE,
    HOME,
    OPERATORS,
    VERIFICATION,
    collection_page,
    entry_page,
    family_page,
    operator_anchor,
)
from atlas.render.deferred import Inline
from atlas.render.figures_view import CACHE_BYTES
from atlas.render.kinds import picture_name
from atlas.render.parts import Link, Parts
from atlas.sizes import LARGEST_VALUE

BESIDE = 6
"""How many models the home page sets side by side: the newest, as there is room for no more."""
TERSE = ("residual", "shift", "loss")
"""Kinds in which models hardly differ, which the table leaves out."""
LATEST = 8
"""How many of the latest changes the home page lists."""
DENSE = 24
"""From how many models on a card is its name and its figures alone, so that a reader sees many at once."""
RANGES: tuple[tuple[str, str, int], ...] = (
    ("100m", "up to 100 million", 10**8),
    ("1b", "to 1 billion", 10**9),
    ("10b", "to 10 billion", 10**10),
    ("100b", "to 100 billion", 10**11),
    ("more", "more than 100 billion", LARGEST_VALUE),
)
"""Ranges of parameters: the name in an address, the words, and the largest number of each."""


@dataclass(frozen=True, slots=True)
class Card:
    """One collection on the home page."""

    link: Link
    """Its page."""
    kind: str
    """What kind it is."""
    year: str
    """The year of its publication, or the release."""
    family: str
    """The line of models that it belongs to: its own name where it stands alone; empty for a library."""
    parameters: int
    """The parameters of its first variant, by which cards are sorted."""
    ranges: str
    """The ranges of `RANGES` that its variants are in, with spaces between them."""
    summary: Inline
    """What it is."""
    facts: tuple[tuple[str, str], ...]
    """Its figures, each with what is counted."""
    verified: str
    """What is proved of it, in words."""
    complete: bool
    """Whether every component has an entry."""
    bar: tuple[tuple[str, str, str], ...]
    """Where its parameters are: a kind of component, the start and the width of its share in percent."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question with which readers come."""

    asked: str
    """The question."""
    answers: tuple[Link, ...]
    """Where it is answered."""


@dataclass(frozen=True, slots=True)
class Filter:
    """A property by which the gallery is narrowed down."""

    name: str
    """Its name in the address, and in the `data-` attribute of each card."""
    label: str
    """What it is called."""
    options: tuple[tuple[str, str], ...]
    """Each value that a card has, with its words."""


@dataclass(frozen=True, slots=True)
class ChangeView:
    """Something that changed for readers."""

    date: str
    """The day."""
    link: Link
    """The collection's page."""
    what: Inline
    """What a reader finds now."""


@dataclass(frozen=True, slots=True)
class Beside:
    """One row of the table of models: the formulations of one kind of operator that each uses."""

    kind: str
    """The kind's picture kind, which is its colour."""
    title: str
    """The kind's name."""
    cells: tuple[tuple[Link, ...], ...]
    """For each model its operators of this kind."""


@dataclass(frozen=True, slots=True)
class HomeView:
    """The home page."""

    models: tuple[Card, ...]
    """The models, the newest first."""
    libraries: tuple[Card, ...]
    """The libraries."""
    filters: tuple[Filter, ...]
    """By what the gallery of models is narrowed down: properties in which they differ."""
    is_dense: bool
    """Whether there are so many models that their cards say little."""
    latest: tuple[ChangeView, ...]
    """What changed last."""
    proved_on: str
    """The day of the latest recorded proof, or empty."""
    totals: tuple[tuple[str, str], ...]
    """What was verified, as number and noun."""
    questions: tuple[Question, ...]
    """What readers ask first."""
    beside: tuple[Link, ...]
    """The models that the table sets side by side."""
    rows: tuple[Beside, ...]
    """The table's rows."""


def home_view(parts: Parts) -> HomeView:
    """The home page."""
    collections = list(parts.checked.collections.values())
    models = sorted(filter(_is_model, collections), key=lambda one: (-_year(one), one.collection.id))
    libraries = [one for one in collections if not _is_model(one)]
    beside = models[:BESIDE]
    cards = tuple(_model_card(one, parts) for one in models)
    return HomeView(
        models=cards,
        libraries=tuple(_library_card(one, parts) for one in libraries),
        filters=tuple(one for one in _filters(cards) if len(one.options) > 1),
        is_dense=len(cards) > DENSE,
        latest=_latest(collections, parts),
        proved_on=max((proof.date for one in collections for proof in _proofs(one) if proof.date), default=""),
        totals=_totals(parts, collections),
        questions=tuple(question for question in _questions(models, libraries, parts) if question.answers),
        beside=tuple(_link(one) for one in beside),
        rows=tuple(_rows(beside)),
    )


def _filters(cards: tuple[Card, ...]) -> Iterator[Filter]:
    """What cards differ in; years and ranges in their own order, names in that of the alphabet."""
    families = sorted({card.family for card in cards}, key=str.casefold)
    kinds = sorted({card.kind for card in cards}, key=str.casefold)
    years = sorted({card.year for card in cards}, reverse=True)
    met = {name for card in cards for name in card.ranges.split()}
    yield Filter("family", "Family", tuple((one, one) for one in families))
    yield Filter("kind", "Kind", tuple((one, one) for one in kinds))
    yield Filter("year", "Year", tuple((one, one) for one in years))
    yield Filter("parameters", "Parameters", tuple((name, words) for name, words, _ in RANGES if name in met))


def _ranges(accounts: Iterable[ModelAccount]) -> str:
    """The ranges that any of the variants is in."""
    met = {next((name for name, _, most in RANGES if account.total <= most), RANGES[-1][0]) for account in accounts}
    return " ".join(name for name, _, _ in RANGES if name in met)


def _latest(collections: Iterable[CheckedCollection], parts: Parts) -> tuple[ChangeView, ...]:
    """What contributors wrote that changed, the latest first; on one day, in the order of titles.

    Dates are written beside the content: a build may have no history of the repository, and one that has it must not
    make another site.
    """
    found = [
        ChangeView(change.date, _link(one), parts.text(one.collection, change.what))
        for one in collections
        for change in one.collection.data.changes
    ]
    found.sort(key=lambda one: one.link.title.casefold())
    found.sort(key=lambda one: one.date, reverse=True)
    return tuple(found[:LATEST])


def _is_model(checked: CheckedCollection) -> bool:
    return isinstance(checked.collection.data, Model)


def _year(checked: CheckedCollection) -> int:
    data = checked.collection.data
    return data.paper.year if isinstance(data, Model) else 0


def _link(checked: CheckedCollection, anchor: str = "") -> Link:
    data = checked.collection.data
    return Link(data.title, collection_page(checked.collection.id) + anchor)


def _totals(parts: Parts, collections: list[CheckedCollection]) -> tuple[tuple[str, str], ...]:
    counts = Counter(proof.status for one in collections for proof in _proofs(one))
    excerpts = sum(len(entry.claims) for entry in parts.entries)
    return (
        (grouped(len(parts.entries)), "documented components"),
        (grouped(counts["proved"]), "claims proved in this build"),
        (grouped(counts["recorded"]), "proofs by executing upstream code"),
        (grouped(excerpts), "pinned excerpts"),
        (grouped(counts["stale"] + counts["missing"]), "claims not proved"),
    )


def _proofs(checked: CheckedCollection) -> Iterator[Proof]:
    yield from checked.proofs
    for entry in checked.entries:
        yield from entry.proofs


def _verified(checked: CheckedCollection) -> str:
    counts = Counter(proof.status for proof in _proofs(checked))
    proved = counts["proved"] + counts["recorded"]
    found = f"{grouped(proved)} of {grouped(counts.total())} claims proved"
    return f"{found}, {grouped(counts['recorded'])} by executing upstream code" if counts["recorded"] else found


def _model_card(checked: CheckedCollection, parts: Parts) -> Card:
    data = checked.collection.data
    if not isinstance(data, Model):
        raise TypeError(f"{checked.collection.id} is not a model")
    name = next(iter(data.variants))
    account = checked.accounts[name]
    documented = "parameters" if data.complete else "parameters documented so far"
    facts = [(grouped(account.total), f"{documented} ({data.variants[name].title})")]
    if account.active != account.total:
        facts.append((grouped(account.active), "active for one token"))
    if account.cache:
        width = dict(CACHE_BYTES)["bfloat16"]
        facts.append((f"{grouped(account.cache * width)} B", "cache per token, bfloat16"))
    if len(data.variants) > 1:
        facts.append((str(len(data.variants)), "variants"))
    summary = parts.text(checked.collection, data.summary)
    return Card(
        link=_link(checked),
        kind=data.kind,
        year=str(data.paper.year),
        family=data.family or data.title,
        parameters=account.total,
        ranges=_ranges(checked.accounts.values()),
        summary=summary,
        facts=tuple(facts),
        verified=_verified(checked),
        complete=data.complete,
        bar=_bar(checked),
    )


def _library_card(checked: CheckedCollection, parts: Parts) -> Card:
    data = checked.collection.data
    if not isinstance(data, Library):
        raise TypeError(f"{checked.collection.id} is not a library")
    manifest = parts.checked.atlas.sources[data.source].data
    count = len(checked.entries)
    facts = ((grouped(count), "documented layer" if count == 1 else "documented layers"),)
    summary = parts.text(checked.collection, data.summary)
    release = manifest.release or manifest.revision
    return Card(
        link=_link(checked),
        kind=data.kind,
        year=release,
        family="",
        parameters=0,
        ranges="",
        summary=summary,
        facts=facts,
        verified=_verified(checked),
        complete=True,
        bar=(),
    )


def _bar(checked: CheckedCollection) -> tuple[tuple[str, str, str], ...]:
    """The parameters of the first variant by the kind of component, the largest share first."""
    account = next(iter(checked.accounts.values()))
    shares: Counter[str] = Counter()
    for entry in checked.entries:
        shares[picture_name(entry.operator.kind)] += account.entries[entry.entry.id].across.number or 0
    found, start = [], 0.0
    for kind, count in shares.most_common():
        width = 100 * count / account.total if account.total else 0.0
        if count:
            found.append((kind, f"{start:.2f}", f"{width:.2f}"))
        start += width
    return tuple(found)


def _rows(models: list[CheckedCollection]) -> Iterator[Beside]:
    for kind, title in KINDS.items():
        if kind in TERSE:
            continue
        cells = []
        for one in models:
            operators = {entry.operator.name: entry.operator for entry in one.entries if entry.operator.kind == kind}
            cells.append(tuple(Link(operator.title, operator_anchor(operator)) for operator in operators.values()))
        if any(cells):
            yield Beside(picture_name(kind), title, tuple(cells))


def _questions(models: list[CheckedCollection], libraries: list[CheckedCollection], parts: Parts) -> Iterable[Question]:
    complete = [one for one in models if isinstance(one.collection.data, Model) and one.collection.data.complete]
    first = (complete or models)[:1]
    cached = [one for one in complete if next(iter(one.accounts.values())).cache]
    sparse = [one for one in complete if (account := next(iter(one.accounts.values()))).active != account.total]
    used = max(FAMILIES, key=lambda name: len(parts.relatives(FAMILIES[name][0])))
    shown = sorted(
        (entry for one in (*first, *libraries) for entry in one.entries if entry.claims),
        key=lambda entry: entry.operator.kind != "attention",
    )[:1]
    yield Question(
        "How many parameters are there, and where do they sit?", tuple(_link(one, "#budget") for one in first)
    )
    yield Question("What differs between two models?", tuple(_differing(models)))
    code = tuple(Link(parts.entry_link(one, full=True).title, f"{entry_page(one.entry)}#code") for one in shown)
    yield Question("Where in the source does this happen?", code)
    traced = tuple(_link(one, "#shapes") for one in first if one.graph is not None)
    yield Question("What shape does a tensor have here?", traced)
    counted = tuple(Link("for any number of tokens", _link(one, "#calculator").url) for one in cached[:1])
    yield Question(
        "How large is the cache of keys and values?", (*(_link(one, "#figures") for one in cached[:2]), *counted)
    )
    yield Question(
        "How many parameters does one token meet, and how is that known?",
        tuple(_link(one, "#figures") for one in sparse[:1]),
    )
    users = Link(FAMILIES[used][0].belongs_to.title, f"{family_page(used)}#used-by")
    yield Question("Which models use this operator?", (Link("All operators", OPERATORS), users))
    cite = tuple(Link(f"Cite {_link(one).title}", _link(one, "#cite").url) for one in first)
    yield Question("Can it be trusted, and cited?", (Link("Every claim with its proof", VERIFICATION), *cite))


def _differing(models: list[CheckedCollection]) -> Iterator[Link]:
    """The two newest models in the comparison, then the table of all."""
    if len(models) > 1:
        (one, other), names = models[:2], [_link(each).title for each in models[:2]]
        yield Link(" and ".join(names), f"{COMPARE}?a={one.collection.id}&b={other.collection.id}")
        yield Link("Models side by side", f"{HOME}#side-by-side")
