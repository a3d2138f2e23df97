"""What a bibliography has of one collection: a few lines, finished where the collection is at hand."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CitationShare:
    """What a bibliography has of one collection."""

    page: str
    """The collection's page."""
    paper: str
    """The entry of the publication that it documents, finished; empty for a library, which documents none."""
