"""What search finds of one collection, and of all: groups that are finished where the collection is at hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from atlas.render.site import FoundGroup


@dataclass(frozen=True, slots=True)
class FoundShare:
    """What search finds of one collection."""

    is_model: bool
    """Whether it is a model; models come before libraries."""
    pages: tuple[FoundGroup, ...]
    """Its own page and those of its entries."""
    sizes: tuple[FoundGroup, ...]
    """The sizes that it names."""


def found_groups(shares: Sequence[FoundShare], others: Iterable[FoundGroup]) -> Iterator[FoundGroup]:
    """All that search finds: of the collections, of the other pages, and of the sizes that collections name.

    Args:
        shares: The shares of the collections in the order of their ids.
        others: What is found of the pages that belong to no collection.
    """
    for share in sorted(shares, key=lambda one: not one.is_model):
        yield from share.pages
    yield from others
    for share in shares:
        yield from share.sizes
