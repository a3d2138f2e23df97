"""The data file of all claims: the same shares as the page of all claims, as data.

Of each collection nothing else is needed, so an atlas of any size is listed without loading an entry.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from atlas.checks.base import Proof
from atlas.render.addresses import VERIFICATION, schema_file
from atlas.render.json_items import proofs
from atlas.render.json_named import named_collection, named_component
from atlas.render.json_reference_records import ProofsOf, VerificationDocument
from atlas.render.parts import STATUS_WORDS
from atlas.render.verification_view import VerificationShare


@dataclass(frozen=True, slots=True)
class Entities:
    """The models that are proved as a whole, then all components, each made when it is written."""

    shares: Sequence[VerificationShare]
    """The shares of the collections, in the order of their ids."""

    def __iter__(self) -> Iterator[ProofsOf]:
        for one in self.shares:
            if one.proofs:
                item = named_collection(one.id, one.title, is_model=one.is_model)
                yield ProofsOf(entity=item, proofs=proofs(one.proofs))
        for one in self.shares:
            for entry in one.entries:
                yield ProofsOf(entity=named_component(entry.id, entry.title), proofs=proofs(entry.proofs))


def verification_document(shares: Sequence[VerificationShare]) -> VerificationDocument:
    """Every claim with its proof; the shares are in the order of the collections' ids."""
    counts = Counter[str](proof.status for one in shares for proof in _stated(one))
    return VerificationDocument(
        schema_=schema_file("verification"),
        page=VERIFICATION,
        totals={status: counts[status] for status in STATUS_WORDS},
        entities=Entities(shares),
    )


def _stated(share: VerificationShare) -> Iterator[Proof]:
    yield from share.proofs
    for entry in share.entries:
        yield from entry.proofs
