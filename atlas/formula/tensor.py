"""Arrays with named axes.

The axes of the data are first the free ones, which every operation maps over and aligns by name (batch axes and index
variables), then the core ones, which are ordered and which products, transposes and softmax see.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
"""float64, or bool for sets and conditions."""


class Misfit(Exception):  # noqa: N818 - it is a finding about axes; the evaluator turns it into an error with a place
    """Axes that do not fit an operation: the fact, to which the evaluator adds where it happened."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint


@dataclass(frozen=True, slots=True, eq=False)
class Tensor:
    """One value under named axes."""

    data: Array
    """Shape: free axes, then core axes."""
    free: tuple[str, ...] = ()
    """Names of the axes that are mapped over."""
    core: tuple[str, ...] = ()
    """Labels of the ordered axes."""
    row: bool = False
    """Whether a vector is transposed."""

    def __post_init__(self) -> None:
        assert self.data.ndim == len(self.free) + len(self.core), (self.data.shape, self.free, self.core)  # noqa: S101 - our own bugs only

    @property
    def shown(self) -> str:
        """The core axes as a message shows them."""
        return f"[{','.join(self.core)}]" if self.core else "a scalar"


def scalar(value: float) -> Tensor:
    """A number without axes."""
    return Tensor(np.asarray(value, dtype=np.float64))


def union(*names: Sequence[str]) -> tuple[str, ...]:
    """All names, each once, in the order in which they first stand."""
    return tuple(dict.fromkeys(name for group in names for name in group))


@lru_cache(maxsize=4096)
def common_shape(shapes: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    """The shape to which arrays of these shapes are broadcast together."""
    return np.broadcast_shapes(*shapes)


@lru_cache(maxsize=4096)
def embedding(small: tuple[str, ...], big: tuple[str, ...]) -> tuple[int, ...] | None:
    """Where the axes of one value stand among those of another, in order; None where they are not all there.

    Raises:
        Misfit: an axis stands there twice, so that the place is not certain.
    """
    places: list[int] = []
    at = len(big) - 1
    for label in reversed(small):
        while at >= 0 and big[at] != label:
            at -= 1
        if at < 0:
            return None
        places.append(at)
        at -= 1
    for label in small:
        if big.count(label) not in (1, small.count(label)):
            message = (
                f"the axis {label} stands twice in [{','.join(big)}], so it is unclear what [{','.join(small)}] means"
            )
            raise Misfit("A222", message, "give one of the two axes a size symbol of its own")
    return tuple(reversed(places))


def aligned(tensor: Tensor, free: tuple[str, ...], core: tuple[str, ...]) -> Array:
    """The data with one axis for each of the given ones, of length 1 where the tensor lacks it."""
    if tensor.free == free and tensor.core == core:
        return tensor.data
    order, places = _alignment(tensor.free, tensor.core, free, core)
    shape = tensor.data.shape
    return tensor.data.transpose(order).reshape([1 if place is None else shape[place] for place in places])


@lru_cache(maxsize=4096)
def _alignment(
    had: tuple[str, ...], inner: tuple[str, ...], free: tuple[str, ...], core: tuple[str, ...]
) -> tuple[tuple[int, ...], tuple[int | None, ...]]:
    """In which order axes are taken, and which of them stands at each of the places; None for one that is lacking."""
    found = embedding(inner, core)
    assert found is not None, (inner, core)  # noqa: S101 - callers have checked it
    order = [had.index(name) for name in free if name in had]
    places: list[int | None] = [had.index(name) if name in had else None for name in free]
    within: list[int | None] = [None] * len(core)
    for at, place in enumerate(found):
        within[place] = len(had) + at
    return (*order, *range(len(had), len(had) + len(inner))), (*places, *within)


def expanded(tensor: Tensor, rest: tuple[str, ...], keys: tuple[str, ...], lengths: tuple[int, ...]) -> Array:
    """The data with the free axes `rest`, then the free axes `keys` in full length, then the core axes."""
    data = aligned(tensor, (*rest, *keys), tensor.core)
    return np.broadcast_to(data, (*data.shape[: len(rest)], *lengths, *data.shape[len(rest) + len(keys) :]))
