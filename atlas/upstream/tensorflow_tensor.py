"""TensorFlow 1's tensors and what counts as one: numbers, arrays and nested lists are converted as its calls do.

Its float32 is the run's element type, float64 unless a run asks for another: where TensorFlow would round a Python
number to float32, a rounded ε would hide a difference of that size.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from atlas.upstream.tensor import Array, Pullback, Shape, Tensor

INT32 = np.dtype(np.int32)


class TensorShape(tuple[int, ...]):
    """A static shape; every size is known and is a plain integer, where TensorFlow has Dimension objects."""

    __slots__ = ()

    @property
    def dims(self) -> list[int]:
        """The sizes as a list."""
        return list(self)

    @property
    def ndims(self) -> int:
        """The number of axes."""
        return len(self)

    def as_list(self) -> list[int]:
        """The sizes as a list."""
        return list(self)


class TensorFlowTensor(Tensor):
    """A tensor whose static shape is always known, as everything is computed at once."""

    __slots__ = ()

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return TensorShape(self.value.shape)

    def get_shape(self) -> TensorShape:
        """The static shape."""
        return self.shape

    def set_shape(self, shape: Sequence[int | None]) -> None:
        """Check that the shape is what upstream says it is; None stands for any size."""
        wanted = tuple(shape)
        if len(wanted) != len(self.shape) or any(
            size not in (None, found) for size, found in zip(wanted, self.shape, strict=True)
        ):
            raise ValueError(f"shapes {list(self.shape)} and {list(wanted)} are not compatible")

    def _ref(self) -> TensorFlowTensor:
        """A variable's reference, which is the variable itself here."""
        return self

    def __floordiv__(self, other: object) -> TensorFlowTensor:
        return TensorFlowTensor(np.floor_divide(self.value, self.operand(other).value))

    def __gt__(self, other: object) -> TensorFlowTensor:
        return TensorFlowTensor(np.greater(self.value, self.operand(other).value))


class Conversion:
    """What TensorFlow calls convert_to_tensor, with the run's element type as its float32."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.dtype = dtype

    def tensor(self, value: object) -> TensorFlowTensor:
        """A tensor as it is; numbers, arrays and nested lists of them as constants."""
        return value if isinstance(value, TensorFlowTensor) else self.constant(value)

    def constant(self, value: object, dtype: np.dtype[Any] | None = None, name: str = "Const") -> TensorFlowTensor:
        """A tensor of given numbers: Python integers become int32, and every fraction the run's element type."""
        if isinstance(value, Tensor):
            raise TypeError(f"the value of the constant {name} is a tensor already")
        array = np.array(_numbers(value))
        if array.dtype.kind not in "fiub":
            raise TypeError(
                f"the value of the constant {name} is {type(value).__name__}, not a number or an array of numbers"
            )
        if dtype is not None:
            return TensorFlowTensor(array.astype(dtype))
        if array.dtype.kind == "f":
            return TensorFlowTensor(array.astype(self.dtype))
        is_plain = not isinstance(value, np.ndarray | np.generic) and array.dtype.kind in "iu"
        return TensorFlowTensor(array.astype(INT32) if is_plain else array)

    def floats(self, value: object) -> TensorFlowTensor:
        """A tensor of the run's element type: a number that would be an integer becomes a fraction too."""
        return value if isinstance(value, TensorFlowTensor) else self.constant(value, self.dtype)

    def integers(self, value: object) -> tuple[int, ...]:
        """The elements of a vector of integers: a shape, a list of axes or of sizes, with tensors among them."""
        array = np.atleast_1d(self.tensor(value).value)
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
            raise TypeError(f"integers are wanted, not {array.dtype} of shape {list(array.shape)}")
        return tuple(int(one) for one in array)

    def integer(self, value: object) -> int:
        """One integer, given as a number or as a tensor without axes."""
        array = self.tensor(value).value
        if array.ndim or array.dtype.kind not in "iu":
            raise TypeError(f"one integer is wanted, not {array.dtype} of shape {list(array.shape)}")
        return int(array)

    def axes(self, axis: object) -> tuple[int, ...] | None:
        """The axes of a reduction; None for all."""
        return None if axis is None else self.integers(axis)


def sloped(x: Tensor, value: Array, pullback: Pullback) -> TensorFlowTensor:
    """The result of a function of one tensor."""
    return TensorFlowTensor(value, (x,), pullback)


def compatible(sizes: Shape, other: Shape, what: str) -> None:
    """Refuse two shapes that should be equal."""
    if tuple(sizes) != tuple(other):
        raise ValueError(f"{what} have shapes {list(sizes)} and {list(other)}")


def _numbers(value: object) -> object:
    """Nested lists with the arrays of integer tensors in their place, as TensorFlow packs them."""
    if isinstance(value, list | tuple):
        return [_numbers(one) for one in value]
    if isinstance(value, Tensor):
        if value.value.dtype.kind == "f":
            raise TypeError("a list of tensors is packed here where they hold integers only")
        return value.value
    return value
