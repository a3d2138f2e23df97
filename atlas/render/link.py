"""A link as views, shares and templates know it; it stands alone, so that what holds links needs nothing else."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a place on the site, or to another site."""

    title: str
    """What the reader sees."""
    url: str
    """The address, below the site's root unless it begins with `https:`."""
    note: str = ""
    """A few words beside the link."""
