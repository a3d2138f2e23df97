"""TensorFlow 1's gradients and its `Defun`, a function that may bring its own gradient.

Both are what pinned code proves its own gradient code with, so they call it rather than derive anew.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from atlas.upstream.tensor import Array, gradients, no_second_derivative
from atlas.upstream.tensorflow_tensor import Conversion, TensorFlowTensor


@dataclass(frozen=True, slots=True)
class Operation:
    """What a `python_grad_func` is told of the call."""

    inputs: tuple[TensorFlowTensor, ...]
    """The arguments."""


class Functions:
    """The calls of one run."""

    def __init__(self, convert: Conversion) -> None:
        self._convert = convert

    def gradients(
        self, ys: object, xs: object, grad_ys: object = None, name: str = "gradients"
    ) -> list[TensorFlowTensor | None]:
        """The gradient of Σ ⟨y, grad_y⟩ for each x, None where x plays no part; a missing grad_y is ones."""
        tensor = self._convert.tensor
        results, sources = [tensor(y) for y in _listed(ys)], [tensor(x) for x in _listed(xs)]
        given = [None] * len(results) if grad_ys is None else _listed(grad_ys)
        if len(given) != len(results):
            raise ValueError(f"{len(results)} ys, but {len(given)} grad_ys")
        cotangents = [tensor(np.ones(y.shape) if g is None else g) for y, g in zip(results, given, strict=True)]
        found = gradients(results, sources, [cotangent.value for cotangent in cotangents])
        inputs = (*results, *sources, *cotangents)
        return [None if array is None else TensorFlowTensor(array, inputs, no_second_derivative) for array in found]

    def defun(
        self,
        *,
        compiled: bool = False,
        separate_compiled_gradients: bool = False,
        grad_func: Callable[..., object] | None = None,
        python_grad_func: Callable[..., object] | None = None,
        shape_func: Callable[..., object] | None = None,
        func_name: str | None = None,
    ) -> Callable[[Callable[..., object]], Callable[..., object]]:
        """`function.Defun`: the function sees its arguments as tensors of its own, and may bring its own gradient.

        How it is compiled, and how its shapes are told beforehand, changes no value. With `grad_func`, gradients
        through a call are what `grad_func` gives for the arguments and the gradient of the result, so upstream's own
        gradient code is what runs; `python_grad_func` is given an operation with `inputs` instead of the arguments.
        """

        def decorate(function: Callable[..., object]) -> Callable[..., object]:
            @functools.wraps(function)
            def call(*arguments: object) -> object:
                tensors = tuple(self._convert.tensor(argument) for argument in arguments)
                if grad_func is None and python_grad_func is None:
                    return function(*(tensor.passed_on() for tensor in tensors))
                inner = tuple(TensorFlowTensor(tensor.value) for tensor in tensors)
                result = function(*inner)
                if not isinstance(result, TensorFlowTensor):
                    raise TypeError("a function that brings its gradient returns one tensor here")

                def pullback(g: Array) -> tuple[Array, ...]:
                    gradient = TensorFlowTensor(g)
                    if grad_func is not None:
                        returned = grad_func(*inner, gradient)
                    else:
                        returned = python_grad_func(Operation(inner), gradient) if python_grad_func else None
                    parts = [self._convert.tensor(part).value for part in _listed(returned)]
                    if [part.shape for part in parts] != [tensor.shape for tensor in tensors]:
                        raise ValueError(f"{function.__name__} has gradients of other shapes than its arguments")
                    return tuple(parts)

                return TensorFlowTensor(result.value, tensors, pullback)

            return call

        return decorate


def _listed(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else [value]
