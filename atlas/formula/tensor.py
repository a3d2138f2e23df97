"""Arrays with named axes.

The axes of the data are first the free ones, which every operation maps over and aligns by name (batch axes and index
variables), then the core ones, which are ordered and which products, transposes and softmax see.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"
"""float64, or bool for sets and conditions."""


class Misfit(Exception):  # noqa: N818 - it is a finding about axes; the evaluator turns it into an error with a place
    """Axes that do not fit an operation: the fact, to which the evaluator adds where it happened."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint


_made = tuple.__new__


class _Fields(NamedTuple):
    """What a tensor has; a tuple, as every operation makes one and tuples are made fastest."""

    data: Array
    """Shape: free axes, then core axes."""
    free: tuple[str, ...] = ()
    """Names of the axes that are mapped over."""
    core: tuple[str, ...] = ()
    """Labels of the ordered axes."""
    row: bool = False
    """Whether a vector is transposed."""


class Tensor(_Fields):
    """One value under named axes, of which there are as many as the data has."""

    __slots__ = ()

    def __new__(cls, data: Array, free: tuple[str, ...] = (), core: tuple[str, ...] = (), row: bool = False) -> Tensor:
        """Make one; written as named tuples have it, so that the assertion alone comes to the cost."""
        assert data.ndim == len(free) + len(core), (data.shape, free, core)  # noqa: S101 - else a rule here is wrong
        return _made(cls, (data, free, core, row))

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


Axes = tuple[tuple[str, ...], tuple[str, ...], bool]
"""What a tensor has besides its data: free axes, core axes, and whether it is a transposed vector."""


class Move(NamedTuple):
    """How the axes of an array are put where others have theirs."""

    order: tuple[int, ...] | None
    """The order in which they are taken; None where they stay in order."""
    places: tuple[slice | None, ...]
    """What then reads the array with an axis of length 1 in each place where it has none."""


class Fitted(NamedTuple):
    """How the operands of an elementwise operation fit together."""

    free: tuple[str, ...]
    """The free axes of the result."""
    core: tuple[str, ...]
    """Its core axes."""
    row: bool
    """Whether it is a transposed vector."""
    moves: tuple[Move | None, ...]
    """For each operand how its axes are moved, None where they stand right already; nothing where those of all do."""


# Cached, as all samples and most formulas combine the same few axes; what does not fit is found anew.
@lru_cache(maxsize=4096)
def fitted(operands: tuple[Axes, ...]) -> Fitted | None:
    """How operands with these axes fit together: those of one hold those of all others, in order; None if they do not.

    Raises:
        Misfit: an axis stands twice, so that it is not certain which one is meant.
    """
    core = max([one[1] for one in operands], key=len)
    if any(one[1] != core and embedding(one[1], core) is None for one in operands):
        return None
    row = any(one[2] for one in operands)
    if row and not all(one[2] or not one[1] for one in operands):
        return None
    free = operands[0][0] if len(operands) == 1 else union(*[one[0] for one in operands])
    moves = [None if one[:2] == (free, core) else _alignment(one[0], one[1], free, core) for one in operands]
    return Fitted(free, core, row, tuple(moves) if any(moves) else ())


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
    return moved(tensor.data, _alignment(tensor.free, tensor.core, free, core))


def moved(data: Array, move: Move) -> Array:
    """The data with its axes moved."""
    order, places = move
    return data[places] if order is None else data.transpose(order)[places]


@lru_cache(maxsize=4096)
def _alignment(had: tuple[str, ...], inner: tuple[str, ...], free: tuple[str, ...], core: tuple[str, ...]) -> Move:
    """How free axes and core axes are moved to where others have theirs."""
    found = embedding(inner, core)
    assert found is not None, (inner, core)  # noqa: S101 - callers have checked it
    axes = range(len(had), len(had) + len(inner))
    order = (*(had.index(name) for name in free if name in had), *axes)
    held = (*(name in had for name in free), *(place in found for place in range(len(core))))
    index = tuple(slice(None) if holds else None for holds in held)
    return Move(None if order == tuple(range(len(had) + len(inner))) else order, index)


def expanded(tensor: Tensor, rest: tuple[str, ...], keys: tuple[str, ...], lengths: tuple[int, ...]) -> Array:
    """The data with the free axes `rest`, then the free axes `keys` in full length, then the core axes."""
    data = aligned(tensor, (*rest, *keys), tensor.core)
    shape = (*data.shape[: len(rest)], *lengths, *data.shape[len(rest) + len(keys) :])
    return data if data.shape == shape else np.broadcast_to(data, shape)
