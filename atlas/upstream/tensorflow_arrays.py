"""TensorFlow 1's calls that make, cut and rearrange tensors, over NumPy, with gradients where values pass through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from atlas.upstream.tensor import Array
from atlas.upstream.tensorflow_tensor import INT32, Conversion, TensorFlowTensor, sloped
from atlas.upstream.uniform import concatenation


class Arrays:
    """The calls of one run; arguments are TensorFlow's, and shapes and axes may be tensors."""

    def __init__(self, convert: Conversion) -> None:
        self._convert = convert

    def cast(self, x: object, dtype: np.dtype[Any], name: str | None = None) -> TensorFlowTensor:
        """The elements as another type; gradients pass between fractions only."""
        tensor = self._convert.tensor(x)
        if tensor.value.dtype == dtype:
            return tensor
        if tensor.value.dtype.kind == dtype.kind == "f":
            return sloped(tensor, tensor.value.astype(dtype), lambda g: (g.astype(tensor.value.dtype),))
        return TensorFlowTensor(tensor.value.astype(dtype))

    def to_float(self, x: object, name: str = "ToFloat") -> TensorFlowTensor:
        """The elements as fractions."""
        return self.cast(x, self._convert.dtype)

    def to_int32(self, x: object, name: str = "ToInt32") -> TensorFlowTensor:
        """The elements as integers of 32 bits."""
        return self.cast(x, INT32)

    def convert_to_tensor(self, value: object, name: str | None = None) -> TensorFlowTensor:
        """The value as a tensor."""
        return self._convert.tensor(value)

    def identity(self, input: object, name: str | None = None) -> TensorFlowTensor:  # noqa: A002  the library's name
        """The same values as a tensor of its own."""
        return self._convert.tensor(input).passed_on()

    def zeros(self, shape: object, dtype: np.dtype[Any] | None = None, name: str | None = None) -> TensorFlowTensor:
        """Zeros, as fractions if no type is given."""
        return TensorFlowTensor(np.zeros(self._convert.integers(shape), dtype or self._convert.dtype))

    def ones(self, shape: object, dtype: np.dtype[Any] | None = None, name: str | None = None) -> TensorFlowTensor:
        """Ones, as fractions if no type is given."""
        return TensorFlowTensor(np.ones(self._convert.integers(shape), dtype or self._convert.dtype))

    def range(self, limit: object, name: str = "range") -> TensorFlowTensor:
        """The integers from 0 to below the limit."""
        return TensorFlowTensor(np.arange(self._convert.integer(limit), dtype=INT32))

    def shape(self, input: object, name: str | None = None) -> TensorFlowTensor:  # noqa: A002  the library's name
        """The shape as a tensor of integers."""
        return TensorFlowTensor(np.array(self._convert.tensor(input).shape, dtype=INT32))

    def rank(self, input: object, name: str | None = None) -> TensorFlowTensor:  # noqa: A002  the library's name
        """The number of axes as a tensor."""
        return TensorFlowTensor(np.array(self._convert.tensor(input).shape.ndims, dtype=INT32))

    def reshape(self, tensor: object, shape: object, name: str | None = None) -> TensorFlowTensor:
        """The same elements in another shape, of which one size may be -1."""
        return self._convert.tensor(tensor).reshaped(self._convert.integers(shape))

    def expand_dims(self, input: object, axis: object, name: str | None = None) -> TensorFlowTensor:  # noqa: A002  the library's name
        """A new axis of size 1 at this place of the result."""
        tensor = self._convert.tensor(input)
        return tensor.reshaped(np.expand_dims(tensor.value, self._convert.integers(axis)).shape)

    def squeeze(self, input: object, axis: object = None, name: str | None = None) -> TensorFlowTensor:  # noqa: A002  the library's name
        """Leave out axes of size 1: these, or all."""
        tensor = self._convert.tensor(input)
        return tensor.reshaped(np.squeeze(tensor.value, self._convert.axes(axis)).shape)

    def transpose(self, a: object, perm: object, name: str = "transpose") -> TensorFlowTensor:
        """The axes in another order."""
        order = self._convert.integers(perm)
        tensor = self._convert.tensor(a)
        return sloped(tensor, tensor.value.transpose(order), lambda g: (g.transpose(np.argsort(order)),))

    def concat(self, values: Sequence[object], axis: object, name: str = "concat") -> TensorFlowTensor:
        """The tensors one after the other along an axis; all have one element type."""
        tensors = tuple(self._convert.tensor(value) for value in values)
        place = self._convert.integer(axis)
        if len({tensor.value.dtype for tensor in tensors}) != 1:
            raise TypeError(f"{' and '.join(str(tensor.value.dtype) for tensor in tensors) or 'nothing'} do not join")
        ends = np.cumsum([tensor.shape[place] for tensor in tensors])[:-1]
        joined = concatenation([tensor.value for tensor in tensors], place)
        return TensorFlowTensor(joined, tensors, lambda g: tuple(np.split(g, ends, place)))

    def split(
        self, value: object, num_or_size_splits: object, axis: int = 0, name: str = "split"
    ) -> list[TensorFlowTensor]:
        """Cut an axis into equal parts or into parts of these sizes, which are all of it."""
        tensor = self._convert.tensor(value)
        size = tensor.shape[axis]
        if isinstance(num_or_size_splits, int):
            if num_or_size_splits < 1 or size % num_or_size_splits:
                raise ValueError(f"an axis of size {size} has no {num_or_size_splits} equal parts")
            sizes = (size // num_or_size_splits,) * num_or_size_splits
        else:
            sizes = self._convert.integers(num_or_size_splits)
        if sum(sizes) != size or min(sizes) < 0:
            raise ValueError(f"an axis of size {size} has no parts of sizes {list(sizes)}")
        place = axis % len(tensor.shape)
        begins = np.cumsum((0, *sizes)).tolist()
        return [
            tensor[(*(slice(None),) * place, slice(begin, begin + length))]
            for begin, length in zip(begins, sizes, strict=False)
        ]

    def pad(self, tensor: object, paddings: object, name: str | None = None) -> TensorFlowTensor:
        """Zeros before and after each axis."""
        inner = self._convert.tensor(tensor)
        widths = self._convert.tensor(paddings).value
        if widths.shape != (inner.shape.ndims, 2):
            raise ValueError(f"paddings of shape {list(widths.shape)} for a tensor of {inner.shape.ndims} axes")
        place = tuple(
            slice(int(before), int(before) + size) for (before, _), size in zip(widths, inner.shape, strict=True)
        )
        return sloped(inner, np.pad(inner.value, widths), lambda g: (g[place],))

    def tile(self, input: object, multiples: object, name: str | None = None) -> TensorFlowTensor:  # noqa: A002  the library's name
        """The tensor repeated along each axis, one number for each."""
        tensor, times = self._convert.tensor(input), self._convert.integers(multiples)
        if len(times) != len(tensor.shape):
            raise ValueError(f"{len(times)} multiples for a tensor of {len(tensor.shape)} axes")
        split = tuple(size for pair in zip(times, tensor.shape, strict=True) for size in pair)
        return sloped(
            tensor, np.tile(tensor.value, times), lambda g: (g.reshape(split).sum(tuple(range(0, len(split), 2))),)
        )

    def gather(self, params: object, indices: object, name: str | None = None) -> TensorFlowTensor:
        """The rows of a table; an index outside of it is refused."""
        table, places = self._convert.tensor(params), self._convert.tensor(indices).value
        if places.dtype.kind not in "iu":
            raise TypeError(f"rows are named by integers, not by {places.dtype}")
        if places.size and not 0 <= places.min() <= places.max() < table.shape[0]:
            raise ValueError(f"the indices {places.min()} to {places.max()} are not all rows of {table.shape[0]}")

        def pullback(g: Array) -> tuple[Array]:
            spread = np.zeros(table.shape, g.dtype)
            np.add.at(spread, places, g)
            return (spread,)

        return sloped(table, np.asarray(table.value[places]), pullback)

    def one_hot(
        self, indices: object, depth: object, on_value: object = 1.0, off_value: object = 0.0, name: str | None = None
    ) -> TensorFlowTensor:
        """One value where the last axis has the index, another elsewhere; gradients do not reach the two values."""
        places = self._convert.tensor(indices).value[..., None]
        on, off = (self._convert.tensor(value).value for value in (on_value, off_value))
        return TensorFlowTensor(np.where(places == np.arange(self._convert.integer(depth)), on, off))

    def matrix_band_part(
        self,
        input: object,  # noqa: A002  the library's name
        num_lower: int,
        num_upper: int,
        name: str | None = None,
    ) -> TensorFlowTensor:
        """Zero outside of so many diagonals below and above the main one; a negative number keeps all."""
        tensor = self._convert.tensor(input)
        rows, columns = tensor.shape[-2:]
        above = np.arange(columns) - np.arange(rows)[:, None]
        kept = ((num_lower < 0) | (-above <= num_lower)) & ((num_upper < 0) | (above <= num_upper))
        return sloped(tensor, np.where(kept, tensor.value, 0).astype(tensor.value.dtype), lambda g: (g * kept,))
