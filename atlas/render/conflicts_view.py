"""What publications say beside what the entries and the pinned code say: figures that agree or not, and differences."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from atlas.checks.checked import CheckedCollection
from atlas.checks.published import PublishedCheck
from atlas.entries.collection import Model
from atlas.entries.component import Difference, Reference
from atlas.entries.tree import KeyPath
from atlas.graph.accounting import grouped, latex_number
from atlas.render.deferred import Inline, Maths
from atlas.render.parts import Parts


@dataclass(frozen=True, slots=True)
class ReferenceView:
    """A publication as a reader finds it."""

    title: str
    """Its title."""
    url: str
    """Its address, or empty."""
    where: str
    """The place in it, or empty."""


@dataclass(frozen=True, slots=True)
class PublishedView:
    """A published figure beside the derived one."""

    variant: str
    """The variant's name."""
    quantity: str
    """What is counted."""
    sizes: Maths | None
    """The sizes of the inputs for which it is, where it depends on them."""
    published: str
    """The published figure."""
    rounded_to: str
    """The unit to which it is rounded, or empty."""
    derived: str
    """The derived figure."""
    agrees: bool
    """Whether they agree."""
    reference: ReferenceView
    """Where it is published."""
    key: KeyPath
    """The keys that lead to it in the model's file."""


@dataclass(frozen=True, slots=True)
class DifferenceView:
    """A point on which a publication and the pinned code do not agree."""

    about: Inline
    """What it is about."""
    published: Inline
    """What the publication says."""
    reference: ReferenceView
    """The publication."""
    code: Inline
    """What the pinned code does."""
    claims: tuple[str, ...]
    """The ids of the source claims of the same page whose passages show it."""


def published_views(checked: CheckedCollection, parts: Parts) -> tuple[PublishedView, ...]:
    """Every published figure, variant by variant."""
    data = checked.collection.data
    if not isinstance(data, Model):
        return ()
    return tuple(
        PublishedView(
            data.variants[name].title,
            one.quantity,
            parts.typesetting.maths(_sizes(one)) if one.at else None,
            grouped(one.published),
            grouped(one.rounded_to) if one.rounded_to > 1 else "",
            grouped(one.derived),
            one.agrees,
            _reference(one.reference),
            ("variants", name, "published", index),
        )
        for name, found in checked.published.items()
        for index, one in enumerate(found)
    )


def difference_views(differences: Iterable[Difference], text: Callable[[str], Inline]) -> tuple[DifferenceView, ...]:
    """The differences that a file states."""
    return tuple(
        DifferenceView(
            text(one.about),
            text(one.published),
            _reference(one.reference),
            text(one.code),
            one.claims,
        )
        for one in differences
    )


def _sizes(one: PublishedCheck) -> str:
    return r",\; ".join(f"{name} = {latex_number(value)}" for name, value in one.at.items())


def _reference(one: Reference) -> ReferenceView:
    return ReferenceView(one.title, one.url or "", one.where or "")
