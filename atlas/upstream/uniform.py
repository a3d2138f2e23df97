"""Arrays that hold one value everywhere and take no memory, so that variables of a real model's size cost nothing.

NumPy would make such an array whole for a product or a concatenation; the two functions here do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from atlas.upstream.tensor import Array, Shape


def uniform(value: float, shape: Shape, dtype: np.dtype[Any]) -> Array:
    """One value in every place of a shape; read-only, and one element of memory."""
    return np.broadcast_to(np.asarray(value, dtype), shape)


def is_uniform(array: Array) -> bool:
    """Whether an array has one element of memory, as `uniform` makes it, and more than one place."""
    return array.size > 1 and all(
        stride == 0 for stride, size in zip(array.strides, array.shape, strict=True) if size > 1
    )


def product(a: Array, b: Array) -> Array:
    """The matrix product a b, [... m k] by [... k n], summing one row or column where a factor is uniform."""
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(f"matrices of shapes {list(a.shape[-2:])} and {list(b.shape[-2:])} have no product")
    if is_uniform(b):
        shape = (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-2], b.shape[-1])
        return np.broadcast_to(a.sum(axis=-1, keepdims=True) * b.flat[0], shape)
    if is_uniform(a):
        return np.swapaxes(product(np.swapaxes(b, -1, -2), np.swapaxes(a, -1, -2)), -1, -2)
    return np.asarray(a @ b)


def concatenation(arrays: Sequence[Array], axis: int) -> Array:
    """The arrays one after the other along an axis; uniform where all are, with the same value."""
    first = arrays[0]
    if not all(is_uniform(array) and array.flat[0] == first.flat[0] for array in arrays):
        return np.concatenate(arrays, axis)
    # Shapes that do not fit are refused by NumPy here too, on arrays of no size along the axis.
    emptied = np.concatenate([np.moveaxis(array, axis, 0)[:0] for array in arrays], 0)
    length = sum(array.shape[axis] for array in arrays)
    return np.moveaxis(uniform(first.flat[0], (length, *emptied.shape[1:]), first.dtype), 0, axis)
