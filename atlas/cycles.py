"""How seldom Python looks for reference cycles in the processes of a build, whose objects nearly all stay or have none.

Looking takes a tenth of a build at Python's own thresholds; each of those below is for what one kind of process makes.
"""

from __future__ import annotations

import gc

Thresholds = tuple[int, int, int]
"""As `gc.set_threshold` takes them."""

WHILE_READING: Thresholds = (1_000_000, 20, 50)
"""Until it is known how much a build has to write: what is imported and read by then all stays."""
WHILE_WRITING: Thresholds = (50_000, 20, 50)
"""While many pages are written: each leaves some cycles, but most objects of a build stay."""
IN_WRITERS: Thresholds = (50_000, 20, 20)
"""In a copy of the build's process that writes pages."""
IN_MAKERS: Thresholds = (100_000, 50, 50)
"""In a process that makes collections."""


def look(thresholds: Thresholds) -> None:
    """Look so seldom from now on."""
    gc.set_threshold(*thresholds)


def look_only_at_new(thresholds: Thresholds | None) -> None:
    """Take all that there is for lasting, and look so seldom among what is made from now on; never for None."""
    gc.freeze()
    if thresholds is None:
        gc.disable()
    else:
        gc.set_threshold(*thresholds)


def look_again(thresholds: Thresholds) -> None:
    """Look so seldom from now on, and not at once: all that there is counts as old, as it mostly ends very soon."""
    gc.freeze()
    gc.unfreeze()
    gc.set_threshold(*thresholds)
