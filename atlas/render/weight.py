"""What gives way where a component's page would become heavy: code, which the site shows whole in other places too.

A page that a reader goes on to shall bring at most 10 KB compressed, whatever its component; a formula, a table or a
source never gives way, and what is left out of a passage of a pinned file is one click away, in the page of that file.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass

HEAVIEST = 8_430
"""How many compressed bytes what is particular to a page may have: 10 KB without the frame that all pages have, the
headers of the answer and a twentieth for hosts of other kinds."""
RELATIVES = 220
"""How many of them are left for the list of a component's relatives, which is not known while its page is made: twenty
for each name, which resemble each other and the rest of the page, and sixty for the heading."""
LEVEL = 6
"""How much a host that compresses while it answers takes pains; one that compresses beforehand saves a little more."""


@dataclass(frozen=True, slots=True)
class Room:
    """How much code a page shows itself."""

    lines: int
    """How many lines of a passage of a pinned file it shows; to the others of a longer one a link leads."""
    operator: bool
    """Whether the operator's code is there to be unfolded, or on the operator's page only."""
    repeats: bool
    """Whether a source has its passage to be unfolded, or a link to where the page shows it."""


ROOMS = (
    Room(sys.maxsize, operator=True, repeats=True),
    Room(sys.maxsize, operator=True, repeats=False),
    Room(sys.maxsize, operator=False, repeats=False),
)
"""As long as all passages are whole: first goes what is there twice, then what is folded."""


def roomiest(longest: int, fits: Callable[[Room], bool]) -> Room:
    """The room that shows most code and fits; none of the passages, whose longest has so many lines, if none does.

    Where they cannot all be whole, each shows as many lines from its beginning: the short ones stay whole, and of the
    long ones the signature and what follows it is there.
    """
    for room in ROOMS:
        if fits(room):
            return room
    fitting, too_many = 0, longest
    while too_many - fitting > 1:
        middle = (fitting + too_many) // 2
        if fits(Room(middle, operator=False, repeats=False)):
            fitting = middle
        else:
            too_many = middle
    return Room(fitting, operator=False, repeats=False)


def is_light(*html: str) -> bool:
    """Whether these parts of a page are together light enough once they are compressed."""
    whole = "".join(html).encode()
    most = HEAVIEST - RELATIVES
    # What fits when little pains are taken fits all the more with more, and most pages do.
    return len(whole) <= most or any(len(zlib.compress(whole, level)) <= most for level in (1, LEVEL))
