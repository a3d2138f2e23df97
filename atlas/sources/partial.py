"""Which definitions some lines of a pinned file show only a part of.

A passage may rightly be a few lines of a class or function; but whoever reads it must be told that there is more.
"""

from __future__ import annotations

from atlas.sources.definitions import Definition, definitions
from atlas.sources.store import PinnedText

PYTHON = (".py", ".pyi")
"""How the names of files end whose definitions are known; other languages are not read."""


def partial_definitions(pinned: PinnedText, first: int, last: int) -> tuple[Definition, ...]:
    """The functions and classes of which the lines show a part that could be taken for the whole, outermost first.

    These are the ones that begin on the lines and go on after them, or whose decorators stand before the lines; and the
    one amid which the lines begin. A whole method is no part in this sense of its class, of which nothing is shown.
    """
    if not pinned.path.endswith(PYTHON):
        return ()
    blocks = [one for one in definitions(pinned.text) if one.kind != "assignment"]
    broken = [one for one in blocks if first <= one.line <= last and (one.first < first or one.last > last)]
    around = [one for one in blocks if one.first <= first <= one.last]
    if around and (innermost := max(around, key=lambda one: one.line)).line < first:
        broken.insert(0, innermost)
    return tuple(broken)
