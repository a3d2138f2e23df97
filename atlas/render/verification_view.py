"""The page that says what is proved and what is not: every claim with its proof, collection by collection.

A reader asks first how much is proved, then of which model, then of which component; so that is how it is folded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from sys import intern
from types import MappingProxyType
from typing import get_args

from atlas.checks.base import Proof, Status
from atlas.checks.checked import CheckedCollection, CheckedEntry
from atlas.entries.collection import Model
from atlas.render.addresses import collection_page, component_page
from atlas.render.parts import STATUS_WORDS, Link, Parts, ProofView

_STATUSES: Mapping[Status, Status] = MappingProxyType({one: one for one in get_args(Status)})
"""Each status with the one text for it that all proofs share."""


@dataclass(frozen=True, slots=True)
class EntryClaims:
    """What is claimed of one entry."""

    id: str
    """The entry's id."""
    title: str
    """Its title."""
    stack: str
    """The title of the stack that it stands in, or empty."""
    proofs: tuple[Proof, ...]
    """The claims with their proofs."""


@dataclass(frozen=True, slots=True)
class VerificationShare:
    """One collection as the list of all claims needs it."""

    id: str
    """The collection's id."""
    title: str
    """Its name."""
    is_model: bool
    """Whether it is a model, else a library."""
    proofs: tuple[Proof, ...]
    """What is claimed of a model as a whole."""
    entries: tuple[EntryClaims, ...]
    """Its entries, also those of which nothing is claimed."""


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
    stated: tuple[Proof, ...]
    """Its claims with their proofs."""

    @property
    def proofs(self) -> Iterator[tuple[str, ProofView]]:
        """The proofs as a page shows them, each with its kind: what stands before the colon of what is claimed."""
        for proof in self.stated:
            yield _kind(proof), Parts.proof(proof)


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


def verification_share(checked: CheckedCollection) -> VerificationShare:
    """What the list of all claims needs of a collection."""
    collection = checked.collection

    def claims(entry: CheckedEntry) -> EntryClaims:
        stack = collection.stack_of(entry.entry)
        proofs = tuple(map(_interned, entry.proofs))
        return EntryClaims(entry.entry.id, entry.entry.data.title, stack.title if stack else "", proofs)

    return VerificationShare(
        collection.id,
        collection.data.title,
        isinstance(collection.data, Model),
        tuple(map(_interned, checked.proofs)),
        tuple(map(claims, checked.entries)),
    )


def _interned(proof: Proof) -> Proof:
    """The same proof; texts that are the same in many proofs are then pickled once and in memory once."""
    date = None if proof.date is None else intern(proof.date)
    return Proof(intern(proof.claim), _STATUSES[proof.status], intern(proof.figure), intern(proof.command), date)


def verification_view(shares: Sequence[VerificationShare]) -> VerificationView:
    """Every claim with its proof; the shares are in the order of the collections' ids."""
    groups = tuple(
        _group(one)
        for one in sorted(shares, key=lambda one: not one.is_model)
        if one.proofs or any(entry.proofs for entry in one.entries)
    )
    proofs = [proof for group in groups for thing in group.things for proof in thing.stated]
    return VerificationView(
        totals=_counted(proofs, all_of_them=True),
        claims=len(proofs),
        latest=max((proof.date for proof in proofs if proof.date), default=""),
        kinds=tuple(dict.fromkeys(map(_kind, proofs))),
        groups=groups,
    )


def _group(share: VerificationShare) -> Group:
    page = collection_page(share.id)
    things = [(Link("The model as a whole", page), share.proofs), *map(_of_entry, share.entries)]
    proved = tuple(
        Proved(link, f"entry-{link.url.strip('/').replace('/', '--')}", found) for link, found in things if found
    )
    proofs = [proof for thing in proved for proof in thing.stated]
    return Group(share.id, Link(share.title, page), _counted(proofs), len(proofs), proved)


def _of_entry(entry: EntryClaims) -> tuple[Link, tuple[Proof, ...]]:
    """An entry below the heading of its collection, which its link need not name."""
    return Link(
        f"{entry.stack} · {entry.title}" if entry.stack else entry.title, component_page(entry.id)
    ), entry.proofs


def _kind(proof: Proof) -> str:
    """What stands before the colon of what is claimed."""
    return proof.claim.partition(":")[0]


def _counted(proofs: Iterable[Proof], *, all_of_them: bool = False) -> tuple[StatusCount, ...]:
    counts = Counter[str](proof.status for proof in proofs)
    return tuple(
        StatusCount(status, word, counts[status])
        for status, word in STATUS_WORDS.items()
        if all_of_them or counts[status]
    )
