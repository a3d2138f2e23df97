"""The page that says what is proved and what is not: every claim with its proof, collection by collection.

A reader asks first how much is proved, then of which model, then of which component; so that is how it is folded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from atlas.checks.checked import CheckedCollection
from atlas.entries.collection import Model
from atlas.render.addresses import collection_page
from atlas.render.parts import STATUS_WORDS, Link, Parts, ProofView


@dataclass(frozen=True, slots=True)
class StatusCount:
    """How many claims have a status."""

    status: str
    """`proved`, `recorded`, `stale` or `missing`."""
    word: str
    """The status in words."""
    count: int
    """How many."""


@dataclass(frozen=True, slots=True)
class Proved:
    """A model as a whole, or an entry, with what is claimed of it."""

    link: Link
    """Its page."""
    anchor: str
    """Its id on this page."""
    proofs: tuple[tuple[str, ProofView], ...]
    """The proofs, each with its kind."""


@dataclass(frozen=True, slots=True)
class Group:
    """A collection with everything that is claimed in it."""

    id: str
    """The collection's id."""
    link: Link
    """The collection's page."""
    counts: tuple[StatusCount, ...]
    """How many of its claims have each status; a status that none has is left out."""
    claims: int
    """How many claims there are."""
    things: tuple[Proved, ...]
    """The model as a whole, then its entries."""


@dataclass(frozen=True, slots=True)
class VerificationView:
    """Every claim with its proof."""

    totals: tuple[StatusCount, ...]
    """How many claims have each status."""
    claims: int
    """How many claims there are."""
    latest: str
    """The day of the latest recorded proof, or empty."""
    kinds: tuple[str, ...]
    """The kinds of proofs, in the order in which they are first met."""
    groups: tuple[Group, ...]
    """The collections, models before libraries."""


def verification_view(parts: Parts) -> VerificationView:
    """Every claim with its proof."""
    collections = sorted(
        parts.checked.collections.items(), key=lambda one: not isinstance(one[1].collection.data, Model)
    )
    groups = tuple(
        _group(name, one, parts)
        for name, one in collections
        if one.proofs or any(entry.proofs for entry in one.entries)
    )
    proofs = [found for group in groups for thing in group.things for found in thing.proofs]
    return VerificationView(
        totals=_counted((proof for _, proof in proofs), all_of_them=True),
        claims=len(proofs),
        latest=max((proof.date for _, proof in proofs), default=""),
        kinds=tuple(dict.fromkeys(kind for kind, _ in proofs)),
        groups=groups,
    )


def _group(name: str, checked: CheckedCollection, parts: Parts) -> Group:
    whole = Link("The model as a whole", collection_page(name))
    things = [(whole, checked.proofs)] if checked.proofs else []
    things += [(_within(parts.entry_link(entry, full=True)), entry.proofs) for entry in checked.entries]
    proved = tuple(
        Proved(link, f"entry-{link.url.strip('/').replace('/', '--')}", tuple(_kind(parts.proof(one)) for one in found))
        for link, found in things
        if found
    )
    proofs = [proof for thing in proved for _, proof in thing.proofs]
    link = Link(checked.collection.data.title, collection_page(name))
    return Group(name, link, _counted(proofs), len(proofs), proved)


def _within(link: Link) -> Link:
    """A link to an entry below the heading that names its collection already."""
    return Link(link.title.partition(" · ")[2], link.url)


def _kind(proof: ProofView) -> tuple[str, ProofView]:
    """A proof with its kind, which is what stands before the colon of what is claimed."""
    return proof.claim.partition(":")[0], proof


def _counted(proofs: Iterable[ProofView], *, all_of_them: bool = False) -> tuple[StatusCount, ...]:
    counts = Counter(proof.status for proof in proofs)
    return tuple(
        StatusCount(status, word, counts[status])
        for status, word in STATUS_WORDS.items()
        if all_of_them or counts[status]
    )
