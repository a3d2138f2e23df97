"""What stands beside a model's diagram: the facts that readers ask for first, each with the place that says more.

All of them are derived from the entries and the pinned source; none is typed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from atlas.checks.checked import CheckedCollection
from atlas.entries.collection import Model
from atlas.graph.accounting import ModelAccount, grouped
from atlas.render.addresses import VERIFICATION, collection_page, source_page
from atlas.render.figures_view import CACHE_BYTES, DiagramView
from atlas.render.parts import Link, Parts
from atlas.render.units import binary
from atlas.sizes import constant, size

BESIDE = 560
"""Up to which width, in pixels, a diagram has room beside the facts on a wide screen."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact about a model."""

    name: str
    """What is told."""
    value: str
    """The figure or the words."""
    note: str
    """A few words that the figure needs, or empty."""
    link: Link | None
    """Where more is said."""


@dataclass(frozen=True, slots=True)
class EntranceView:
    """The facts, and how they stand to the diagram."""

    facts: tuple[Fact, ...]
    """The facts, the most asked for first."""
    is_beside: bool
    """Whether the diagram is narrow enough to stand beside them."""


def entrance_view(
    checked: CheckedCollection, diagram: DiagramView | None, paper: Link | None, parts: Parts
) -> EntranceView:
    """The facts of a model's first variant; `paper` is where its publication is."""
    data = checked.collection.data
    if not isinstance(data, Model):
        raise TypeError(f"{checked.collection.id} is not a model")
    account, page = next(iter(checked.accounts.values())), collection_page(checked.collection.id)
    facts = (
        *_figures(data, account, page),
        *_context(checked),
        Fact("published", str(data.paper.year), "", paper),
        *_variants(data, page),
        *_source(data, parts),
        _claims(checked),
    )
    return EntranceView(facts, diagram is not None and diagram.placed.width <= BESIDE)


def _figures(data: Model, account: ModelAccount, page: str) -> Iterator[Fact]:
    variant = next(iter(data.variants.values())).title
    name = "parameters" if data.complete else "documented parameters"
    yield Fact(
        name, grouped(account.total), variant, Link("where they are", f"{page}#budget") if account.total else None
    )
    if account.active != account.total:
        yield Fact("active for one token", grouped(account.active), "", Link("what is counted", f"{page}#figures"))
    width = dict(CACHE_BYTES)["bfloat16"]
    if account.cache:
        kept = account.cache * width
        note = ", ".join(part for part in (binary(kept), "bfloat16") if part)
        yield Fact("cache per token", f"{grouped(kept)} bytes", note, Link("for more tokens", f"{page}#calculator"))


def _context(checked: CheckedCollection) -> Iterator[Fact]:
    """How many positions there can be: as many as a learned table has rows; any number where positions are computed."""
    placing = [entry for entry in checked.entries if entry.operator.kind == "position"]
    rows = []
    for entry in placing:
        sizes = {name: constant(value) for name, value in checked.account(entry.entry).places[0].sizes.items()}
        tables = [one for one in entry.entry.data.symbols.values() if one.parameter is not None]
        rows += [size(one.axes[0]).substitute(sizes).number for one in tables if one.axes]
    lengths = [length for length in rows if length is not None]
    if lengths:
        yield Fact("context", f"{grouped(min(lengths))} positions", "a learned vector for each", None)
    elif placing and not rows:
        yield Fact("context", "any length", "positions are computed", None)


def _variants(data: Model, page: str) -> Iterator[Fact]:
    if len(data.variants) > 1:
        titles = ", ".join(one.title for one in data.variants.values())
        yield Fact("variants", titles, "", Link("side by side", f"{page}#variants"))


def _source(data: Model, parts: Parts) -> Iterator[Fact]:
    compared = data.upstream or data.program
    if compared is not None:
        manifest = parts.checked.atlas.sources[compared.source].data
        pinned = manifest.release or manifest.revision[:12]
        title = f"{manifest.title} {pinned}"
        yield Fact("compared with", "", manifest.license, Link(title, source_page(compared.source)))


def _claims(checked: CheckedCollection) -> Fact:
    """How much of what is claimed is proved, and how much of that by executing upstream code."""
    proofs = [*checked.proofs, *(proof for one in checked.entries for proof in one.proofs)]
    counts = Counter(proof.status for proof in proofs)
    proved = grouped(counts["proved"] + counts["recorded"])
    note = f"{grouped(counts['recorded'])} by executing upstream code" if counts["recorded"] else ""
    anchor = f"{VERIFICATION}#of-{checked.collection.id.replace('/', '--')}"
    return Fact("claims proved", f"{proved} of {grouped(len(proofs))}", note, Link("each with its proof", anchor))
