"""Which definitions some lines of a pinned file show only a part of.

A passage may rightly be a few lines of a class or function; but whoever reads it must be told that there is more.
"""

from __future__ import annotations

from functools import lru_cache

from atlas.sources.definitions import Definition, definitions
from atlas.sources.store import PinnedText

PYTHON = (".py", ".pyi")
"""How the names of files end whose definitions are known; other languages are not read."""
PASSAGES = 1024
"""Of how many passages it is remembered."""


def partial_definitions(pinned: PinnedText, first: int, last: int) -> tuple[Definition, ...]:
    """The functions and classes of which the lines show a part that could be taken for the whole, outermost first.

    These are the ones that begin on the lines and go on after them, or whose decorators stand before the lines; and the
    one amid which the lines begin. A whole method is no part in this sense of its class, of which nothing is shown.
    """
    if not pinned.path.endswith(PYTHON):
        return ()
    return _partial(pinned.text, first, last)


# Cached, as of each passage it is asked for its proof, and then for its page and its other forms.
@lru_cache(maxsize=PASSAGES)
def _partial(text: str, first: int, last: int) -> tuple[Definition, ...]:
    blocks = _blocks(text)
    broken = [one for one in blocks if first <= one.line <= last and (one.first < first or one.last > last)]
    around = [one for one in blocks if one.first <= first <= one.last]
    if around and (innermost := max(around, key=lambda one: one.line)).line < first:
        broken.insert(0, innermost)
    return tuple(broken)


@lru_cache(maxsize=64)
def _blocks(text: str) -> tuple[Definition, ...]:
    """The functions and classes of a file, which most of its passages show."""
    return tuple(one for one in definitions(text) if one.kind != "assignment")
