"""How upstream stores a tensor, as an entry's `layout` states it: `(part h k) d -> h d k` with `part: 1 of 3`.

The left side has the axes of the upstream tensor, the right side those of our symbol; `1` is an axis of length 1. One
layout gives the shape that upstream must have and takes our array out of upstream's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias

import numpy as np

from atlas.entries.component import PART, Symbol
from atlas.exceptions import ShapeError

Array: TypeAlias = "np.ndarray[Any, Any]"


@dataclass(frozen=True, slots=True)
class Layout:
    """One tensor's layout."""

    left: tuple[tuple[str, ...], ...]
    """The names that make each axis of the upstream tensor, outermost first; none for an axis of length 1."""
    right: tuple[str, ...]
    """The names of our symbol's axes."""
    part: int
    """Which part it is, from 0."""
    parts: int
    """Of how many."""

    def upstream_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The shape of the upstream tensor where our symbol has this shape."""
        sizes = self._sizes(shape)
        return tuple(prod(sizes[name] for name in axis) for axis in self.left)

    def taken(self, upstream: Array, shape: Sequence[int]) -> Array:
        """Our array, of this shape, out of the upstream tensor.

        Raises:
            ShapeError: the upstream tensor has another shape than the layout says.
        """
        sizes = self._sizes(shape)
        if upstream.shape != self.upstream_shape(shape):
            raise ShapeError(f"upstream has the shape {upstream.shape}, the layout says {self.upstream_shape(shape)}")
        names = [name for axis in self.left for name in axis]
        whole = upstream.reshape([sizes[name] for name in names])
        if PART in names:
            whole = np.take(whole, self.part, axis=names.index(PART))
            names.remove(PART)
        return np.ascontiguousarray(whole.transpose([names.index(name) for name in self.right]))

    def _sizes(self, shape: Sequence[int]) -> dict[str, int]:
        if len(shape) != len(self.right):
            raise ShapeError(f"the layout has {len(self.right)} axes on the right, the symbol has {len(shape)}")
        return dict(zip(self.right, shape, strict=True)) | {PART: self.parts}


def layout_of(symbol: Symbol) -> Layout:
    """The layout that a symbol states; where it states none, upstream stores it as it is.

    Raises:
        ShapeError: layout and part do not fit the symbol.
    """
    if symbol.layout is None:
        if symbol.part is not None:
            raise ShapeError("`part` needs a `layout` that says which axis is called `part`")
        names = tuple(f"axis_{index}" for index in range(len(symbol.axes)))
        return Layout(tuple((name,) for name in names), names, 0, 1)
    left, _, right = symbol.layout.partition(" -> ")
    groups = (group.strip("()").split() for group in re.findall(r"\([^)]*\)|\w+", left))
    axes = tuple(tuple(name for name in group if name != "1") for group in groups)
    fused = any(PART in axis for axis in axes)
    if fused != (symbol.part is not None):
        raise ShapeError("an axis called `part` in the layout and the key `part` go together")
    part, parts = (int(number) for number in (symbol.part or "1 of 1").split(" of "))
    if part > parts:
        raise ShapeError(f"there is no part {part} of {parts}")
    names = tuple(right.split())
    if len(names) != len(symbol.axes):
        raise ShapeError(f"the layout has {len(names)} axes on the right, the symbol has {len(symbol.axes)}")
    return Layout(axes, names, part - 1, parts)
