"""TensorFlow 1's arithmetic over NumPy, with gradients: elementwise functions, reductions, products, softmax.

Each function computes as its documentation says, not as its kernels do, so results agree to rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from atlas.upstream.tensor import Array, Axis
from atlas.upstream.tensorflow_tensor import Conversion, TensorFlowTensor, compatible, sloped
from atlas.upstream.uniform import product


class Mathematics:
    """The calls of one run; every argument is converted to a tensor as TensorFlow does it."""

    def __init__(self, convert: Conversion) -> None:
        self._convert = convert

    def abs(self, x: object, name: str | None = None) -> TensorFlowTensor:
        """Magnitudes; the slope at 0 is 0."""
        return self._elementwise(x, np.abs, np.sign)

    def exp(self, x: object, name: str | None = None) -> TensorFlowTensor:
        """Powers of e."""
        return self._elementwise(x, np.exp, np.exp)

    def log(self, x: object, name: str | None = None) -> TensorFlowTensor:
        """Natural logarithms."""
        return self._elementwise(x, np.log, lambda a: 1 / a)

    def sin(self, x: object, name: str | None = None) -> TensorFlowTensor:
        """Sines of angles in radians."""
        return self._elementwise(x, np.sin, np.cos)

    def cos(self, x: object, name: str | None = None) -> TensorFlowTensor:
        """Cosines of angles in radians."""
        return self._elementwise(x, np.cos, lambda a: -np.sin(a))

    def relu(self, features: object, name: str | None = None) -> TensorFlowTensor:
        """What is above 0, else 0."""
        return self._elementwise(features, lambda a: np.maximum(a, 0), lambda a: a > 0)

    def square(self, x: object, name: str | None = None) -> TensorFlowTensor:
        """Squares."""
        return self._convert.tensor(x).squared()

    def rsqrt(self, x: object, name: str | None = None) -> TensorFlowTensor:
        """One over square roots."""
        return self._convert.tensor(x).reciprocal_root()

    def pow(self, x: object, y: float, name: str | None = None) -> TensorFlowTensor:
        """The same power of each element."""
        return self._elementwise(x, lambda a: a**y, lambda a: y * a ** (y - 1))

    def mod(self, x: object, y: object, name: str | None = None) -> TensorFlowTensor:
        """The remainder of integers, with the divisor's sign."""
        tensor = self._convert.tensor(x)
        return TensorFlowTensor(np.mod(tensor.value, tensor.operand(y).value))

    def maximum(self, x: object, y: object, name: str | None = None) -> TensorFlowTensor:
        """The larger of two at each place; of equals the first has the gradient."""
        left, right = (y, x) if not isinstance(x, TensorFlowTensor) and isinstance(y, TensorFlowTensor) else (x, y)
        tensor = self._convert.tensor(left)
        other = tensor.operand(right)
        a, b = tensor.value, other.value
        if a.dtype.kind != "f":
            return TensorFlowTensor(np.maximum(a, b))
        is_left = TensorFlowTensor((a >= b).astype(a.dtype))
        return tensor * is_left + other * (1 - is_left)

    def equal(self, x: object, y: object, name: str | None = None) -> TensorFlowTensor:
        """Whether two are equal at each place."""
        tensor = self._convert.tensor(x)
        return TensorFlowTensor(np.equal(tensor.value, tensor.operand(y).value))

    def not_equal(self, x: object, y: object, name: str | None = None) -> TensorFlowTensor:
        """Whether two differ at each place."""
        tensor = self._convert.tensor(x)
        return TensorFlowTensor(np.not_equal(tensor.value, tensor.operand(y).value))

    def add_n(self, inputs: Sequence[object], name: str | None = None) -> TensorFlowTensor:
        """The sum of tensors of one shape."""
        tensors = [self._convert.tensor(one) for one in inputs]
        total = tensors[0]
        for tensor in tensors[1:]:
            compatible(total.shape, tensor.shape, "the tensors to add")
            total = total + tensor
        return total

    def reduce_mean(
        self, input_tensor: object, axis: Axis = None, keep_dims: bool = False, name: str | None = None
    ) -> TensorFlowTensor:
        """The mean over some axes, None for all."""
        return self._convert.tensor(input_tensor).averaged(self._convert.axes(axis), keep=keep_dims)

    def reduce_sum(
        self, input_tensor: object, axis: Axis = None, keep_dims: bool = False, name: str | None = None
    ) -> TensorFlowTensor:
        """The sum over some axes, None for all."""
        return self._convert.tensor(input_tensor).summed(self._convert.axes(axis), keep=keep_dims)

    def reduce_max(
        self, input_tensor: object, axis: Axis = None, keep_dims: bool = False, name: str | None = None
    ) -> TensorFlowTensor:
        """The largest over some axes, None for all; equals share the gradient."""
        tensor, axes = self._convert.tensor(input_tensor), self._convert.axes(axis)
        largest = np.asarray(tensor.value.max(axis=axes, keepdims=True))
        is_largest = tensor.value == largest

        def pullback(g: Array) -> tuple[Array]:
            return (is_largest * g.reshape(largest.shape) / is_largest.sum(axis=axes, keepdims=True),)

        result = largest if keep_dims else np.asarray(tensor.value.max(axis=axes))
        return sloped(tensor, result, pullback)

    def matmul(
        self, a: object, b: object, transpose_a: bool = False, transpose_b: bool = False, name: str | None = None
    ) -> TensorFlowTensor:
        """The matrix product over the last two axes; the axes before are the same in both."""
        left, right = self._convert.tensor(a), self._convert.tensor(b)
        if min(len(left.shape), len(right.shape)) < 2:
            raise ValueError(f"matmul takes matrices, not shapes {list(left.shape)} and {list(right.shape)}")
        left.operand(right)  # refuses other element types
        x = np.swapaxes(left.value, -1, -2) if transpose_a else left.value
        y = np.swapaxes(right.value, -1, -2) if transpose_b else right.value
        compatible(x.shape[:-2], y.shape[:-2], "the axes before the matrices")

        def pullback(g: Array) -> tuple[Array, Array]:
            of_x, of_y = g @ np.swapaxes(y, -1, -2), np.swapaxes(x, -1, -2) @ g
            return (
                np.swapaxes(of_x, -1, -2) if transpose_a else of_x,
                np.swapaxes(of_y, -1, -2) if transpose_b else of_y,
            )

        return TensorFlowTensor(product(x, y), (left, right), pullback)

    def softmax(self, logits: object, name: str | None = None) -> TensorFlowTensor:
        """Exponentials along the last axis, divided by their sum."""
        tensor = self._convert.tensor(logits)
        shares = np.exp(_log_softmax(tensor.value))
        return sloped(tensor, shares, lambda g: (shares * (g - (g * shares).sum(-1, keepdims=True)),))

    def softmax_cross_entropy_with_logits(
        self, *, labels: object, logits: object, name: str | None = None
    ) -> TensorFlowTensor:
        """−Σ labels · log softmax(logits) along the last axis; gradients reach the logits alone, as in TensorFlow."""
        tensor, targets = self._convert.tensor(logits), self._convert.tensor(labels).value
        compatible(tensor.shape, targets.shape, "logits and labels")
        logarithms = _log_softmax(tensor.value)

        def pullback(g: Array) -> tuple[Array]:
            return (g[..., None] * (np.exp(logarithms) * targets.sum(-1, keepdims=True) - targets),)

        return sloped(tensor, np.asarray(-(targets * logarithms).sum(-1)), pullback)

    def _elementwise(
        self, x: object, function: Callable[[Array], Array], slope: Callable[[Array], Array]
    ) -> TensorFlowTensor:
        """A function of each element, which has the run's element type if it is no tensor yet."""
        tensor = self._convert.floats(x)
        return sloped(tensor, np.asarray(function(tensor.value)), lambda g: (g * slope(tensor.value),))


def _log_softmax(logits: Array) -> Array:
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))
