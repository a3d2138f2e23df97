"""What gives way where a component's page would become heavy: code, which the site shows whole in other places too.

A page that a reader goes on to shall bring at most 10 KB compressed, whatever its component; a formula, a table or a
source never gives way, and a passage of a pinned file that does is one click away, in the page of that file.
"""

from __future__ import annotations

import sys
import zlib
from dataclasses import dataclass

HEAVIEST = 7_950
"""How many compressed bytes the page and its column may have: 10 KB without the frame that all pages have, the headers
of the answer and a twentieth for hosts and content of other kinds."""
LEVEL = 6
"""How much a host that compresses while it answers takes pains; one that compresses beforehand saves a little more."""


@dataclass(frozen=True, slots=True)
class Room:
    """How much code a page shows itself."""

    lines: int
    """How many lines a passage of a pinned file may have; a longer one is named and linked."""
    operator: bool
    """Whether the operator's code is there to be unfolded, or on the operator's page only."""
    repeats: bool
    """Whether a source has its passage to be unfolded, or a link to where the page shows it."""


ROOMS = (
    Room(sys.maxsize, operator=True, repeats=True),
    Room(sys.maxsize, operator=True, repeats=False),
    *(Room(lines, operator=False, repeats=False) for lines in (sys.maxsize, 80, 60, 45, 30, 20, 10, 0)),
)
"""From everything to nothing: first goes what is there twice, then what is folded, then the longest passages."""


def is_light(*html: str) -> bool:
    """Whether these parts of a page are together light enough once they are compressed."""
    whole = "".join(html).encode()
    return len(whole) <= HEAVIEST or len(zlib.compress(whole, LEVEL)) <= HEAVIEST
