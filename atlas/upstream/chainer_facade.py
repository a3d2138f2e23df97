"""The Chainer 1 calls that the pinned LayerNormalization makes, over NumPy.

Chainer's arithmetic does not broadcast between variables, and its parameters begin as NaN until an initializer fills
them: both are kept, as upstream code is written around them. Its float32 parameters are float64 here.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TypeAlias

import numpy as np

from atlas.upstream.facade import Facade, Modules, State
from atlas.upstream.tensor import Array, Axis, Shape, Tensor

Initializer: TypeAlias = Callable[[Array], object]
"""Fills the array that it is called with."""


class ChainerVariable(Tensor):
    """A variable of the computational graph, or a parameter of a link."""

    __slots__ = ()

    @property
    def data(self) -> Array:
        """The array itself, to be read or filled."""
        return self.value

    @property
    def size(self) -> int:
        """The number of elements."""
        return self.value.size

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self.value.ndim

    def operand(self, other: object) -> Tensor:
        """Another variable of the same shape, or a number."""
        tensor = super().operand(other)
        if isinstance(other, Tensor | np.ndarray) and tensor.shape != self.shape:
            raise ValueError(
                f"variables of shapes {list(self.shape)} and {list(tensor.shape)} do not combine elementwise"
            )
        return tensor


def _variable(x: ChainerVariable | Array) -> ChainerVariable:
    return x if isinstance(x, ChainerVariable) else ChainerVariable(x)


def _broadcast_to(x: ChainerVariable | Array, shape: Shape) -> ChainerVariable:
    return _variable(x).broadcast(tuple(shape))


def _sum(x: ChainerVariable | Array, axis: Axis = None, keepdims: bool = False) -> ChainerVariable:
    return _variable(x).summed(axis, keep=keepdims)


def _sqrt(x: ChainerVariable | Array) -> ChainerVariable:
    return _variable(x).square_root()


def _square(x: ChainerVariable | Array) -> ChainerVariable:
    return _variable(x).squared()


def _scale(x: ChainerVariable | Array, y: ChainerVariable | Array, axis: int = 1) -> ChainerVariable:
    return _variable(x) * _aligned(_variable(y), _variable(x).shape, axis)


def _bias(x: ChainerVariable | Array, y: ChainerVariable | Array, axis: int = 1) -> ChainerVariable:
    return _variable(x) + _aligned(_variable(y), _variable(x).shape, axis)


def _aligned(y: ChainerVariable, shape: Shape, axis: int) -> ChainerVariable:
    """`y` repeated to `shape`, its first axis being axis number `axis` there."""
    after = len(shape) - axis - y.ndim
    if after < 0:
        raise ValueError(f"shape {list(y.shape)} does not fit into {list(shape)} from axis {axis} on")
    return y.reshaped((*(1,) * axis, *y.shape, *(1,) * after)).broadcast(shape)


def _constant_initializer(value: object) -> Initializer:
    def fill(array: Array) -> None:
        array[...] = np.asarray(value)

    return fill


def _zero() -> Initializer:
    return _constant_initializer(0.0)


def _one() -> Initializer:
    return _constant_initializer(1.0)


def _get_device_from_id(device_id: int | None) -> AbstractContextManager[None]:
    if device_id is not None:
        raise ValueError(f"there is no device {device_id} here")
    return nullcontext()


def _experimental(api_name: str) -> None:
    warnings.warn(f"{api_name} is experimental. The interface can change in the future.", FutureWarning, stacklevel=2)


class Link:
    """Holds parameters, each an attribute; those announced first get their shape later."""

    state: State
    """The run that counts the parameters; set by `_serve`, which derives a class for each run."""

    def __init__(self) -> None:
        self._device_id: int | None = None
        self._uninitialized_params: set[str] = set()

    def add_uninitialized_param(self, name: str) -> None:
        """Announce a parameter whose shape is not known yet."""
        if name in self._uninitialized_params or name in vars(self):
            raise AttributeError(f"the parameter {name} exists already")
        self._uninitialized_params.add(name)

    @property
    def has_uninitialized_params(self) -> bool:
        """Whether any announced parameter is still without a shape."""
        return bool(self._uninitialized_params)

    def add_param(self, name: str, shape: int | Shape, initializer: Initializer | None = None) -> None:
        """Create a parameter; without an initializer it holds NaN until it is filled."""
        if name in vars(self):
            raise AttributeError(f"the attribute {name} exists already")
        sizes = (shape,) if isinstance(shape, int) else tuple(shape)
        parameter = self.state.create(ChainerVariable, name, sizes, lambda sizes: np.full(sizes, np.nan))
        if initializer is not None:
            _init_weight(self.state, parameter.data, initializer)
        setattr(self, name, parameter)
        self._uninitialized_params.discard(name)


class Chain(Link):
    """A link that may hold other links; those are not served yet."""


def _init_weight(state: State, weights: Array, initializer: object, scale: float = 1.0) -> None:
    """Fill an array by a number, an array or a callable; a parameter that the caller gave a value keeps it."""
    if initializer is None:
        raise ValueError("a parameter would begin at random: give it an initializer")
    fill = initializer if callable(initializer) else _constant_initializer(initializer)
    is_preset = any(one.preset is not None and one.tensor.value is weights for one in state.variables.values())
    # The initializer runs in either case, so that one which does not fit is an error in either case.
    target = np.full_like(weights, np.nan) if is_preset else weights
    fill(target)
    target *= scale


def _serve(state: State) -> Modules:
    def init_weight(weights: Array, initializer: object, scale: float = 1.0) -> None:
        _init_weight(state, weights, initializer, scale)

    return {
        "chainer.cuda": {"get_device_from_id": _get_device_from_id},
        "chainer.initializers": {"One": _one, "Zero": _zero, "init_weight": init_weight},
        "chainer.link": {"Chain": type("Chain", (Chain,), {"state": state})},
        "chainer.utils": {"experimental": _experimental},
        "chainer.functions.array.broadcast": {"broadcast_to": _broadcast_to},
        "chainer.functions.math.bias": {"bias": _bias},
        "chainer.functions.math.scale": {"scale": _scale},
        "chainer.functions.math.sqrt": {"sqrt": _sqrt},
        "chainer.functions.math.square": {"square": _square},
        "chainer.functions.math.sum": {"sum": _sum},
    }


CHAINER = Facade(name="chainer", is_for_whole_files=True, serve=_serve, tensor=ChainerVariable)
