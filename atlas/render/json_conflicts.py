"""The data file of everything on which two sources do not agree: of each collection, its share of it.

There are few of these in any collection, so a share holds them as the file has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from atlas.checks.checked import CheckedCollection
from atlas.entries.collection import Model
from atlas.render.addresses import VERIFICATION, schema_file
from atlas.render.json_items import collection_item, differences, entry_item, published
from atlas.render.json_records import DifferenceIn, DisagreeingFigure
from atlas.render.parts import Parts

if TYPE_CHECKING:
    from atlas.render.json_reference_records import ConflictsDocument


@dataclass(frozen=True, slots=True)
class ConflictsShare:
    """What is not agreed on in one collection."""

    of_model: tuple[DifferenceIn, ...]
    """Points on which a publication and the pinned code of a model as a whole do not agree."""
    of_entries: tuple[DifferenceIn, ...]
    """Such points of its entries."""
    figures: tuple[DisagreeingFigure, ...]
    """Published figures of its variants that are not the derived ones."""


def conflicts_share(checked: CheckedCollection, parts: Parts) -> ConflictsShare:
    """What is not agreed on in a collection."""
    collection, data = checked.collection, checked.collection.data
    stated = data.differences if isinstance(data, Model) else ()
    return ConflictsShare(
        tuple(
            DifferenceIn(entity=collection_item(checked), difference=one)
            for one in differences(collection, stated, parts)
        ),
        tuple(
            DifferenceIn(entity=entry_item(entry.entry), difference=one)
            for entry in checked.entries
            for one in differences(entry.entry, entry.entry.data.differences, parts)
        ),
        tuple(
            DisagreeingFigure(model=collection_item(checked), variant=variant, figure=figure)
            for variant, found in checked.published.items()
            for figure in published(found)
            if not figure.agrees
        ),
    )


def conflicts_document(shares: Sequence[ConflictsShare]) -> ConflictsDocument:
    """Everything on which two sources do not agree; the shares are in the order of the collections' ids."""
    from atlas.render.json_reference_records import ConflictsDocument  # with the records of all that is made of shares

    return ConflictsDocument(
        schema_=schema_file("conflicts"),
        page=VERIFICATION,
        differences=(
            *(found for one in shares for found in one.of_model),
            *(found for one in shares for found in one.of_entries),
        ),
        figures=tuple(found for one in shares for found in one.figures),
    )
