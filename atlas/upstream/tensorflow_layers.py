"""TensorFlow 1's layers as models call them: the ones that create their own variables, and dropout in evaluation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from atlas.upstream.tensorflow_arrays import Arrays
from atlas.upstream.tensorflow_math import Mathematics
from atlas.upstream.tensorflow_scopes import Scopes, zeros_initializer
from atlas.upstream.tensorflow_tensor import Conversion, TensorFlowTensor


class Layers:
    """The calls of one run."""

    def __init__(self, convert: Conversion, scopes: Scopes, arrays: Arrays, mathematics: Mathematics) -> None:
        self._convert = convert
        self._scopes = scopes
        self._arrays = arrays
        self._mathematics = mathematics

    def conv2d(
        self,
        inputs: object,
        filters: int,
        kernel_size: int | Sequence[int],
        *,
        activation: Callable[[TensorFlowTensor], TensorFlowTensor] | None = None,
        use_bias: bool = True,
        name: str | None = None,
    ) -> TensorFlowTensor:
        """A convolution with a kernel of 1 × 1, which maps each position by itself; other kernels are not served.

        Creates `kernel` [1, 1, channels, filters] and `bias` [filters] in a scope of its own.
        """
        tensor = self._convert.tensor(inputs)
        sizes = self._convert.integers(kernel_size)
        if set(sizes) != {1}:
            raise ValueError(f"the facade's conv2d has kernels of 1 × 1 only, not {' × '.join(map(str, sizes))}")
        if len(tensor.shape) != 4:
            raise ValueError(f"conv2d takes 4 axes, not a tensor of shape {list(tensor.shape)}")
        channels = tensor.shape[-1]
        with self._scopes.variable_scope(name, default_name="conv2d"):
            kernel = self._scopes.get_variable("kernel", [1, 1, channels, filters])
            rows = self._arrays.reshape(tensor, [-1, channels])
            mapped = self._mathematics.matmul(rows, self._arrays.squeeze(kernel, [0, 1]))
            if use_bias:
                mapped = mapped + self._scopes.get_variable("bias", [filters], zeros_initializer())
        result = self._arrays.reshape(mapped, [*tensor.shape[:-1], filters])
        return result if activation is None else activation(result)

    def dropout(self, x: object, keep_prob: float, name: str | None = None) -> TensorFlowTensor:
        """Everything is kept; a model that would drop something at random is not in evaluation mode."""
        if keep_prob != 1:
            raise ValueError(f"dropout would keep {keep_prob} of the elements at random: nothing is random here")
        return self._convert.tensor(x)
