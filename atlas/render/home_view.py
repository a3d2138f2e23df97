"""The home page: what there is, how much of it is proved, and where each of a reader's first questions is answered.

Every answer is one link away, by way of the first collection that has one; no model is known here by its name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from atlas.graph.accounting import grouped
from atlas.operators.catalogue import FAMILIES, find
from atlas.operators.family import KINDS
from atlas.render.addresses import COMPARE, HOME, OPERATORS, VERIFICATION, family_page, operator_anchor
from atlas.render.deferred import Inline, Typesetting
from atlas.render.home_share import RANGES, HomeShare, collection_link
from atlas.render.kinds import picture_name
from atlas.render.parts import Link

BESIDE = 6
"""How many models the home page sets side by side: the newest, as there is room for no more."""
TERSE = ("residual", "shift", "loss")
"""Kinds in which models hardly differ, which the table leaves out."""
LATEST = 8
"""How many of the latest changes the home page lists."""
DENSE = 24
"""From how many models on a card is its name and its figures alone, so that a reader sees many at once."""


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


def home_view(shares: Sequence[HomeShare], typesetting: Typesetting) -> HomeView:
    """The home page of the collections whose shares these are, in the order of their ids."""
    models = sorted((one for one in shares if one.is_model), key=lambda one: (-one.year, one.id))
    libraries = [one for one in shares if not one.is_model]
    beside = models[:BESIDE]
    cards = tuple(_card(one, typesetting) for one in models)
    return HomeView(
        models=cards,
        libraries=tuple(_card(one, typesetting) for one in libraries),
        filters=tuple(one for one in _filters(cards) if len(one.options) > 1),
        is_dense=len(cards) > DENSE,
        latest=_latest(shares, typesetting),
        proved_on=max((one.proved_on for one in shares), default=""),
        totals=_totals(shares),
        questions=tuple(question for question in _questions(models, libraries) if question.answers),
        beside=tuple(collection_link(one) for one in beside),
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


def _latest(shares: Iterable[HomeShare], typesetting: Typesetting) -> tuple[ChangeView, ...]:
    """What contributors wrote that changed, the latest first; on one day, in the order of titles.

    Dates are written beside the content: a build may have no history of the repository, and one that has it must not
    make another site.
    """
    found = [(date, one, what) for one in shares for date, what in one.changes]
    found.sort(key=lambda each: each[1].title.casefold())
    found.sort(key=lambda each: each[0], reverse=True)
    return tuple(
        ChangeView(date, collection_link(one), typesetting.text(what.markdown, what.file))
        for date, one, what in found[:LATEST]
    )


def _totals(shares: Sequence[HomeShare]) -> tuple[tuple[str, str], ...]:
    counts: Counter[str] = Counter()
    for one in shares:
        counts.update(dict(one.claims))
    return (
        (grouped(sum(one.entries for one in shares)), "documented components"),
        (grouped(counts["proved"]), "claims proved in this build"),
        (grouped(counts["recorded"]), "proofs by executing upstream code"),
        (grouped(sum(one.excerpts for one in shares)), "pinned excerpts"),
        (grouped(counts["stale"] + counts["missing"]), "claims not proved"),
    )


def _verified(share: HomeShare) -> str:
    counts = Counter(dict(share.claims))
    proved = counts["proved"] + counts["recorded"]
    found = f"{grouped(proved)} of {grouped(counts.total())} claims proved"
    return f"{found}, {grouped(counts['recorded'])} by executing upstream code" if counts["recorded"] else found


def _card(share: HomeShare, typesetting: Typesetting) -> Card:
    return Card(
        link=collection_link(share),
        kind=share.kind,
        year=share.edition,
        family=share.family,
        parameters=share.parameters,
        ranges=share.ranges,
        summary=typesetting.text(share.summary.markdown, share.summary.file),
        facts=share.facts,
        verified=_verified(share),
        complete=share.is_complete,
        bar=share.bar,
    )


def _rows(models: Sequence[HomeShare]) -> Iterator[Beside]:
    used = [[find(name) for name, _ in one.operators] for one in models]
    for kind, title in KINDS.items():
        if kind in TERSE:
            continue
        cells = [
            tuple(Link(operator.title, operator_anchor(operator)) for operator in operators if operator.kind == kind)
            for operators in used
        ]
        if any(cells):
            yield Beside(picture_name(kind), title, tuple(cells))


def _questions(models: Sequence[HomeShare], libraries: Sequence[HomeShare]) -> Iterable[Question]:
    complete = [one for one in models if one.is_complete]
    first = (complete or models)[:1]
    cached = [one for one in complete if one.has_cache]
    sparse = [one for one in complete if one.is_sparse]
    relatives: Counter[str] = Counter()
    for one in (*models, *libraries):
        for name, count in one.operators:
            relatives[find(name).family] += count
    used = max(FAMILIES, key=lambda name: relatives[name])
    shown = sorted(
        (one.shown for one in (*first, *libraries) if one.shown is not None), key=lambda one: not one.is_attention
    )[:1]
    yield Question(
        "How many parameters are there, and where do they sit?",
        tuple(collection_link(one, "#budget") for one in first),
    )
    yield Question("What differs between two models?", tuple(_differing(models)))
    yield Question("Where in the source does this happen?", tuple(one.link for one in shown))
    traced = tuple(collection_link(one, "#shapes") for one in first if one.has_graph)
    yield Question("What shape does a tensor have here?", traced)
    counted = tuple(Link("for any number of tokens", collection_link(one, "#calculator").url) for one in cached[:1])
    yield Question(
        "How large is the cache of keys and values?",
        (*(collection_link(one, "#figures") for one in cached[:2]), *counted),
    )
    yield Question(
        "How many parameters does one token meet, and how is that known?",
        tuple(collection_link(one, "#figures") for one in sparse[:1]),
    )
    # Of an atlas without entries no operator has users to be led to.
    users = [Link(FAMILIES[used][0].belongs_to.title, f"{family_page(used)}#used-by")] if relatives[used] else []
    yield Question("Which models use this operator?", (Link("All operators", OPERATORS), *users))
    cite = tuple(Link(f"Cite {one.title}", collection_link(one, "#cite").url) for one in first)
    yield Question("Can it be trusted, and cited?", (Link("Every claim with its proof", VERIFICATION), *cite))


def _differing(models: Sequence[HomeShare]) -> Iterator[Link]:
    """The two newest models in the comparison, then the table of all."""
    if len(models) > 1:
        one, other = models[:2]
        yield Link(f"{one.title} and {other.title}", f"{COMPARE}?a={one.id}&b={other.id}")
        yield Link("Models side by side", f"{HOME}#side-by-side")
