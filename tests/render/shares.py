"""What comes of a share of a collection on its way from a worker, and the names in it that a test asks for."""

from __future__ import annotations

import pickle
from typing import TypeVar

from atlas.render.glossary_view import Named

T = TypeVar("T")


def kept_and_found(value: T) -> T:
    """What a worker makes, as the build finds it."""
    found: T = pickle.loads(pickle.dumps(value))  # noqa: S301 - it was pickled on this very line
    return found


def found(names: tuple[Named, ...], tex: str) -> list[Named]:
    return [one for one in names if one.symbol.tex == tex]
