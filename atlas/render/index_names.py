"""What of one collection, or of other pages, stands in the alphabetical index: names, and where they lead.

It is made of what search finds, where that is made, so that the index need not read every record to know its names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from atlas.render.addresses import ISSUE_CODES
from atlas.render.search_found import shown
from atlas.render.site import FoundGroup

CODES = f"{ISSUE_CODES}#"
"""How the addresses of issue codes begin, which are no names; their own page has them in order."""
Name = tuple[str, str, str, str]
"""A name, where it leads, the words of that link, and what kind of thing is there."""


@dataclass(frozen=True, slots=True)
class IndexNames:
    """What of one collection, or of other pages, stands in the index."""

    pages: tuple[Name, ...]
    """The names of pages and of what is on them."""
    sizes: tuple[Name, ...] = ()
    """The names of sizes, which stand after those of all pages."""


def names_of(groups: Iterable[FoundGroup]) -> Iterator[Name]:
    """Every name of what is found."""
    for group in groups:
        also: dict[int, list[str]] = defaultdict(list)
        for place, name in group.also:
            also[place].append(name)
        for place, (url, title, where, summary) in enumerate(shown(group)):
            if url.startswith(CODES):
                continue
            for name in dict.fromkeys([title, *also.get(place, ())]):
                see = where if name == title else title
                if group.kind == "symbol":  # symbols are many things, and only their meaning tells which
                    see = f"{summary.partition('.')[0]} · {where}"
                yield name, url, see or title, group.kind
