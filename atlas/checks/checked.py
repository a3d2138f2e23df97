"""What a run of all checks leaves: the atlas together with everything that was brought and proved for it.

Pages are made of these values only, so nothing that was not checked can be shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from atlas.checks.base import Proof
from atlas.checks.published import PublishedCheck
from atlas.entries.atlas import Atlas, Collection, Entry, Source
from atlas.entries.component import SourceClaim
from atlas.graph.accounting import Account, ModelAccount, account
from atlas.graph.structure import Graph
from atlas.issues import Issue
from atlas.operators.registry import Operator
from atlas.sources.definitions import Definition
from atlas.sources.excerpts import Excerpt
from atlas.sources.partial import partial_definitions
from atlas.sources.pins import PinStatus
from atlas.sources.store import PinnedText


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A source claim with the passage that shows it."""

    claim: SourceClaim
    """The claim as the entry states it."""
    source: Source
    """The pinned project."""
    excerpt: Excerpt | None
    """The verified passage; None only where the site shows links instead of sources that are not at hand."""
    missing: str
    """Why the passage is not at hand, else empty."""
    call_line: int | None
    """The line of the call that the claim names."""
    pin: PinStatus
    """Whether the pin was proved against git."""

    @property
    def part_of(self) -> tuple[Definition, ...]:
        """The functions and classes of which the passage shows only a part, outermost first."""
        one = self.excerpt
        return () if one is None else partial_definitions(one.pinned, one.first, one.last)


@dataclass(frozen=True, slots=True)
class CheckedEntry:
    """An entry whose claims hold."""

    entry: Entry
    """The entry."""
    operator: Operator
    """The operator that its claims were checked against."""
    claims: tuple[CheckedClaim, ...]
    """Its source claims in order."""
    proofs: tuple[Proof, ...]
    """What was proved, in the order in which a page lists it."""

    @property
    def call(self) -> tuple[CheckedClaim, int] | None:
        """The claim that holds the call of this component in the source, and its line."""
        return next(((claim, claim.call_line) for claim in self.claims if claim.call_line is not None), None)


@dataclass(frozen=True, slots=True)
class CheckedCollection:
    """A collection whose claims hold."""

    collection: Collection
    """The collection."""
    entries: tuple[CheckedEntry, ...]
    """Its entries in the order of the data flow."""
    claims: tuple[CheckedClaim, ...]
    """Its source claims."""
    variant_claims: Mapping[str, tuple[CheckedClaim, ...]]
    """The source claims of each variant of a model."""
    graph: Graph | None
    """A model's graph."""
    accounts: Mapping[str, ModelAccount]
    """What each variant of a model has and does."""
    proofs: tuple[Proof, ...]
    """What was proved of a model as a whole, in the order in which a page lists it."""
    published: Mapping[str, tuple[PublishedCheck, ...]]
    """For each variant of a model: published figures beside those that were derived."""

    def account(self, entry: Entry, variant: str | None = None) -> Account:
        """The parameters of an entry in a variant, else in the first one; of a library's layer, in symbols."""
        if not self.accounts:
            return account(entry, {}, None)
        found = self.accounts[variant] if variant is not None else next(iter(self.accounts.values()))
        return found.entries[entry.id]


@dataclass(frozen=True, slots=True)
class Checked:
    """An atlas whose claims hold."""

    atlas: Atlas
    """The atlas."""
    collections: Mapping[str, CheckedCollection]
    """The collections by id."""
    files: Mapping[tuple[str, str], PinnedText]
    """Every pinned file that is at hand, by source and path."""
    pins: Mapping[tuple[str, str], PinStatus]
    """What is known of each pin, by source and path."""
    warnings: tuple[Issue, ...]
    """What pages must say: proofs that are stale or missing."""

    @property
    def entries(self) -> tuple[CheckedEntry, ...]:
        """All entries of all collections."""
        return tuple(entry for collection in self.collections.values() for entry in collection.entries)
