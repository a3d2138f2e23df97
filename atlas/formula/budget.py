"""Bounds on what one evaluation may cost, counted in steps and numbers, so that they do not depend on the machine."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import prod

import numpy as np

from atlas.formula.tensor import Array, Misfit

MAX_ELEMENTS = 1_000_000
"""The most numbers in one intermediate."""

MAX_WORK = 20_000_000
"""The most numbers that all operations of one evaluation may compute together."""

MAX_AXES = 24
"""The most axes of one intermediate, index variables included."""

STEP = 500
"""What an operation costs besides its numbers: the time in which about so many are computed."""

_HINT = "sum over fewer indices at once, or give shorter ranges"


class Budget:
    """What is left to spend in one evaluation."""

    def __init__(self) -> None:
        """Begin with everything."""
        self.work = 0

    def can(self, work: int) -> bool:
        """Whether so much more may be spent."""
        return self.work + work <= MAX_WORK

    def spend(self, lengths: Iterable[int], cost: int = 1) -> None:
        """Count an operation that computes an array with axes of these lengths.

        Raises:
            Misfit: the array is too large, or all operations together are.
        """
        self.work += STEP + _count(tuple(lengths)) * cost
        if self.work > MAX_WORK:
            raise _too_much()

    def spend_together(self, shapes: tuple[tuple[int, ...], ...], cost: int = 1) -> None:
        """Count an operation on arrays of these shapes, which are broadcast together.

        Raises:
            Misfit: as `spend`.
        """
        self.work += STEP + _count_together(shapes) * cost
        if self.work > MAX_WORK:
            raise _too_much()

    def spend_like(self, array: Array, cost: int = 1) -> None:
        """Count an operation that computes an array of the shape of this one.

        Raises:
            Misfit: as `spend`.
        """
        count = array.size
        if count > MAX_ELEMENTS or array.ndim > MAX_AXES:
            _count(array.shape)  # which says why
        self.work += STEP + count * cost
        if self.work > MAX_WORK:
            raise _too_much()


def _too_much() -> Misfit:
    return Misfit("A252", f"the formula takes more than {MAX_WORK:,} steps", _HINT)


def _count(lengths: tuple[int, ...]) -> int:
    """The numbers of an array with axes of these lengths, if it is not too large."""
    count = prod(lengths)
    if len(lengths) > MAX_AXES:
        raise Misfit("A251", f"an intermediate of {len(lengths)} axes; at most {MAX_AXES} are computed", _HINT)
    if count > MAX_ELEMENTS:
        raise Misfit("A251", f"an intermediate of {count:,} numbers; at most {MAX_ELEMENTS:,} are computed", _HINT)
    return count


# Cached, as the samples of all formulas have the same few shapes.
@lru_cache(maxsize=4096)
def _count_together(shapes: tuple[tuple[int, ...], ...]) -> int:
    return _count(np.broadcast_shapes(*shapes))
