"""What the home page needs of one collection: a few hundred bytes, made where the collection is at hand.

The page is made of all collections' shares alone, so an atlas of ten thousand components is never in memory for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

from atlas.checks.base import Status
from atlas.checks.checked import CheckedCollection
from atlas.entries.collection import Model
from atlas.graph.accounting import ModelAccount, grouped
from atlas.render.addresses import collection_page, entry_page
from atlas.render.figures_view import CACHE_BYTES
from atlas.render.json_items import line
from atlas.render.json_types import Line
from atlas.render.kinds import picture_name
from atlas.render.parts import Link, Parts
from atlas.sizes import LARGEST_VALUE

RANGES: tuple[tuple[str, str, int], ...] = (
    ("100m", "up to 100 million", 10**8),
    ("1b", "to 1 billion", 10**9),
    ("10b", "to 10 billion", 10**10),
    ("100b", "to 100 billion", 10**11),
    ("more", "more than 100 billion", LARGEST_VALUE),
)
"""Ranges of parameters: the name in an address, the words, and the largest number of each."""
ATTENTION = "attention"
"""The kind of operator whose code readers look for first."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A component with code, which answers where in the source something happens."""

    link: Link
    """The component's code, with the names of its collection and stack."""
    is_attention: bool
    """Whether it is what readers look for first."""


@dataclass(frozen=True, slots=True)
class HomeShare:
    """One collection as the home page needs it."""

    id: str
    """The collection's id."""
    title: str
    """Its name."""
    is_model: bool
    """Whether it is a model, else a library."""
    is_complete: bool
    """Whether every component has an entry."""
    kind: str
    """What kind it is."""
    year: int
    """The year of a model's publication; 0 for a library."""
    edition: str
    """What stands for the year on its card: the year, or a library's release."""
    family: str
    """The line of models that it belongs to: its own name where it stands alone; empty for a library."""
    summary: Line
    """What it is."""
    parameters: int
    """The parameters of its first variant; 0 for a library."""
    ranges: str
    """The ranges of `RANGES` that its variants are in, with spaces between them."""
    facts: tuple[tuple[str, str], ...]
    """Its figures, each with what is counted."""
    bar: tuple[tuple[str, str, str], ...]
    """Where its parameters are: a kind of component, the start and the width of its share in percent."""
    has_cache: bool
    """Whether its first variant keeps something for each token."""
    is_sparse: bool
    """Whether a token meets only a part of its first variant's parameters."""
    has_graph: bool
    """Whether the shapes of its tensors are traced."""
    entries: int
    """How many components are documented."""
    excerpts: int
    """How many pinned excerpts they show."""
    claims: tuple[tuple[Status, int], ...]
    """How many claims have each status that any has."""
    proved_on: str
    """The day of its latest recorded proof, or empty."""
    operators: tuple[tuple[str, int], ...]
    """The names of its operators in the order of its components, with how many of these use each."""
    shown: Shown | None
    """The component whose code answers best where in the source something happens."""
    changes: tuple[tuple[str, Line], ...]
    """What changed for readers, each with its day."""


def home_share(checked: CheckedCollection, parts: Parts) -> HomeShare:
    """What the home page needs of a collection."""
    collection, data = checked.collection, checked.collection.data
    proofs = list(chain(checked.proofs, *(entry.proofs for entry in checked.entries)))
    if isinstance(data, Model):
        account = next(iter(checked.accounts.values()))
        year, edition, family, is_complete = (
            data.paper.year,
            str(data.paper.year),
            data.family or data.title,
            data.complete,
        )
        parameters, ranges = account.total, _ranges(checked.accounts.values())
        facts, bar = _facts(data, account), _bar(checked, account)
        has_cache, is_sparse = account.cache > 0, account.active != account.total
    else:
        manifest = parts.checked.atlas.sources[data.source].data
        year, edition, family, is_complete = 0, manifest.release or manifest.revision, "", True
        parameters, ranges, bar, has_cache, is_sparse = 0, "", (), False, False
        count = len(checked.entries)
        facts = ((grouped(count), "documented layer" if count == 1 else "documented layers"),)
    return HomeShare(
        id=collection.id,
        title=data.title,
        is_model=isinstance(data, Model),
        is_complete=is_complete,
        kind=data.kind,
        year=year,
        edition=edition,
        family=family,
        summary=line(collection, data.summary, parts),
        parameters=parameters,
        ranges=ranges,
        facts=facts,
        bar=bar,
        has_cache=has_cache,
        is_sparse=is_sparse,
        has_graph=checked.graph is not None,
        entries=len(checked.entries),
        excerpts=sum(len(entry.claims) for entry in checked.entries),
        claims=tuple(Counter(proof.status for proof in proofs).items()),
        proved_on=max((proof.date for proof in proofs if proof.date), default=""),
        operators=tuple(Counter(entry.operator.name for entry in checked.entries).items()),
        shown=_shown(checked, parts),
        changes=tuple((change.date, line(collection, change.what, parts)) for change in data.changes),
    )


def collection_link(share: HomeShare, anchor: str = "") -> Link:
    """A link to a collection's page, or to a place on it."""
    return Link(share.title, collection_page(share.id) + anchor)


def _ranges(accounts: Iterable[ModelAccount]) -> str:
    """The ranges that any of the variants is in."""
    met = {next((name for name, _, most in RANGES if account.total <= most), RANGES[-1][0]) for account in accounts}
    return " ".join(name for name, _, _ in RANGES if name in met)


def _facts(data: Model, account: ModelAccount) -> tuple[tuple[str, str], ...]:
    """The figures of a model's first variant, and how many variants there are."""
    documented = "parameters" if data.complete else "parameters documented so far"
    facts = [(grouped(account.total), f"{documented} ({next(iter(data.variants.values())).title})")]
    if account.active != account.total:
        facts.append((grouped(account.active), "active for one token"))
    if account.cache:
        width = dict(CACHE_BYTES)["bfloat16"]
        facts.append((f"{grouped(account.cache * width)} B", "cache per token, bfloat16"))
    if len(data.variants) > 1:
        facts.append((str(len(data.variants)), "variants"))
    return tuple(facts)


def _bar(checked: CheckedCollection, account: ModelAccount) -> tuple[tuple[str, str, str], ...]:
    """The parameters of a variant by the kind of component, the largest share first."""
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


def _shown(checked: CheckedCollection, parts: Parts) -> Shown | None:
    """The first component of attention that has excerpts, else the first of any kind."""
    with_code = [entry for entry in checked.entries if entry.claims]
    if not with_code:
        return None
    best = next((entry for entry in with_code if entry.operator.kind == ATTENTION), with_code[0])
    link = Link(parts.entry_link(best, full=True).title, f"{entry_page(best.entry)}#code")
    return Shown(link, best.operator.kind == ATTENTION)
