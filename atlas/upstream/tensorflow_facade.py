"""The TensorFlow calls of mid-2017 (1.2) that the pinned tensor2tensor excerpts make, over NumPy and run at once.

Where TensorFlow would round a Python number to float32, this keeps float64: the claim is about the formula, and a
rounded ε would hide a difference of that size. Wrong use raises what TensorFlow raises (ValueError, TypeError).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

import numpy as np

from atlas.upstream.facade import Facade, Modules, State
from atlas.upstream.tensor import Array, Axis, Shape, Tensor, gradients, no_second_derivative

Initializer: TypeAlias = Callable[[Shape], Array]


class TensorFlowTensor(Tensor):
    """A tensor whose static shape is always known, as everything is computed at once."""

    __slots__ = ()

    def get_shape(self) -> Shape:
        """The static shape."""
        return self.shape

    def set_shape(self, shape: Sequence[int | None]) -> None:
        """Check that the shape is what upstream says it is; None stands for any size."""
        wanted = tuple(shape)
        if len(wanted) != len(self.shape) or any(
            size not in (None, found) for size, found in zip(wanted, self.shape, strict=True)
        ):
            raise ValueError(f"shapes {list(self.shape)} and {list(wanted)} are not compatible")


def _tensor(value: object) -> TensorFlowTensor:
    """What TensorFlow calls convert_to_tensor."""
    return value if isinstance(value, TensorFlowTensor) else _constant(value)


def _constant(value: object, name: str = "Const") -> TensorFlowTensor:
    if isinstance(value, Tensor):
        raise TypeError(f"the value of the constant {name} is a tensor already")
    array = np.array(value)
    if array.dtype.kind not in "fiub":
        raise TypeError(
            f"the value of the constant {name} is {type(value).__name__}, not a number or an array of numbers"
        )
    return TensorFlowTensor(array)


def _square(x: object, name: str | None = None) -> TensorFlowTensor:
    return _tensor(x).squared()


def _rsqrt(x: object, name: str | None = None) -> TensorFlowTensor:
    return _tensor(x).reciprocal_root()


def _reduce_mean(
    input_tensor: object, axis: Axis = None, keep_dims: bool = False, name: str | None = None
) -> TensorFlowTensor:
    return _tensor(input_tensor).averaged(axis, keep=keep_dims)


def _gradients(
    ys: object, xs: object, grad_ys: object = None, name: str = "gradients"
) -> list[TensorFlowTensor | None]:
    """The gradient of Σ ⟨y, grad_y⟩ for each x, None where x plays no part; a missing grad_y is ones."""
    results, sources = [_tensor(y) for y in _listed(ys)], [_tensor(x) for x in _listed(xs)]
    given = [None] * len(results) if grad_ys is None else _listed(grad_ys)
    if len(given) != len(results):
        raise ValueError(f"{len(results)} ys, but {len(given)} grad_ys")
    cotangents = [_constant(np.ones(y.shape)) if g is None else _tensor(g) for y, g in zip(results, given, strict=True)]
    found = gradients(results, sources, [cotangent.value for cotangent in cotangents])
    inputs = (*results, *sources, *cotangents)
    return [None if array is None else TensorFlowTensor(array, inputs, no_second_derivative) for array in found]


def _listed(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _defun(
    *,
    compiled: bool = False,
    separate_compiled_gradients: bool = False,
    grad_func: Callable[..., object] | None = None,
    func_name: str | None = None,
) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """`function.Defun`: the function sees its arguments as tensors of its own, and may bring its own gradient.

    How it is compiled changes no value. With `grad_func`, gradients through a call are what `grad_func` gives for the
    arguments and the gradient of the result, so upstream's own gradient code is what runs.
    """

    def decorate(function: Callable[..., object]) -> Callable[..., object]:
        @functools.wraps(function)
        def call(*arguments: object) -> object:
            tensors = tuple(_tensor(argument) for argument in arguments)
            if grad_func is None:
                return function(*(tensor.passed_on() for tensor in tensors))
            inner = tuple(TensorFlowTensor(tensor.value) for tensor in tensors)
            result = function(*inner)
            if not isinstance(result, TensorFlowTensor):
                raise TypeError("a function with grad_func returns one tensor here")

            def pullback(g: Array) -> tuple[Array, ...]:
                parts = [_tensor(part).value for part in _listed(grad_func(*inner, TensorFlowTensor(g)))]
                if [part.shape for part in parts] != [tensor.shape for tensor in tensors]:
                    raise ValueError("grad_func returns gradients of other shapes than the arguments have")
                return tuple(parts)

            return TensorFlowTensor(result.value, tensors, pullback)

        return call

    return decorate


def _ones_initializer() -> Initializer:
    return np.ones


def _zeros_initializer() -> Initializer:
    return np.zeros


class VariableScope:
    """An open scope, as `with tf.variable_scope(…) as scope` gives it."""

    def __init__(self, name: str, reuse: bool) -> None:
        self.name = name
        self.reuse = reuse

    def reuse_variables(self) -> None:
        """From now on, variables in this scope must exist already."""
        self.reuse = True


class _Scopes:
    """The variable scopes of one run."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._current = VariableScope("", reuse=False)
        # How often each scope was opened, which is what makes default names unique.
        self._opened: dict[str, int] = {}

    @contextmanager
    def variable_scope(
        self,
        name_or_scope: str | None = None,
        default_name: str | None = None,
        values: Sequence[object] | None = None,
        reuse: bool | None = None,
    ) -> Iterator[VariableScope]:
        """Open a scope below the current one; without a name, below a default name made unique."""
        if name_or_scope is None and default_name is None:
            raise TypeError("a variable scope needs a name or a default name")
        if name_or_scope is None and reuse:
            raise ValueError("reuse=True needs a name: a default name is always a new one")
        if not isinstance(name_or_scope, str | None):
            raise TypeError(f"a variable scope is named by a text, not by {type(name_or_scope).__name__}")
        above = self._current
        name = self._inside(above, name_or_scope) if name_or_scope is not None else self._unused(str(default_name))
        self._opened[name] = self._opened.get(name, 0) + 1
        self._current = VariableScope(name, reuse=bool(reuse) or above.reuse)
        try:
            yield self._current
        finally:
            # Counting begins anew inside a scope that is left: entering it again for reuse then finds the same names.
            self._opened = {one: n for one, n in self._opened.items() if not one.startswith(f"{name}/")}
            self._current = above

    def get_variable(
        self, name: str, shape: Sequence[int] | int | None = None, initializer: Initializer | None = None
    ) -> TensorFlowTensor:
        """Create a variable in the current scope, or find it there if the scope is one for reuse."""
        full = self._inside(self._current, name)
        sizes = None if shape is None else tuple(int(size) for size in np.atleast_1d(shape))
        known = self._state.variables.get(full)
        if self._current.reuse:
            if known is None or not isinstance(known.tensor, TensorFlowTensor):
                raise ValueError(f"the variable {full} does not exist, but its scope reuses variables")
            if sizes is not None and sizes != known.tensor.shape:
                raise ValueError(f"the variable {full} has shape {list(known.tensor.shape)}, not {list(sizes)}")
            return known.tensor
        if known is not None:
            raise ValueError(f"the variable {full} exists already, and its scope does not reuse variables")
        if sizes is None:
            raise ValueError(f"the new variable {full} needs a shape")
        return self._state.create(TensorFlowTensor, full, sizes, initializer or self._random(full))

    @staticmethod
    def _random(name: str) -> Initializer:
        def initial(shape: Shape) -> Array:
            raise ValueError(f"the variable {name} would begin at random: give it a value")

        return initial

    @staticmethod
    def _inside(scope: VariableScope, name: str) -> str:
        return f"{scope.name}/{name}" if scope.name else name

    def _unused(self, name: str) -> str:
        full = self._inside(self._current, name)
        candidate, number = full, 0
        while self._opened.get(candidate):
            number += 1
            candidate = f"{full}_{number}"
        return candidate


def _serve(state: State) -> Modules:
    scopes = _Scopes(state)
    return {
        "tensorflow": {
            "constant": _constant,
            "get_variable": scopes.get_variable,
            "gradients": _gradients,
            "ones_initializer": _ones_initializer,
            "reduce_mean": _reduce_mean,
            "rsqrt": _rsqrt,
            "square": _square,
            "variable_scope": scopes.variable_scope,
            "zeros_initializer": _zeros_initializer,
        },
        "tensorflow.python.framework.function": {"Defun": _defun},
    }


TENSORFLOW = Facade(name="tensorflow", is_for_whole_files=False, serve=_serve, tensor=TensorFlowTensor)
