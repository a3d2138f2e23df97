"""A layer that behaves as Chainer 1.24 documents its LayerNormalization, with the operator doing the arithmetic.

It exists because a library's page documents a class with arguments and attributes, and those claims need something
that can be run too.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias, cast

import numpy as np

from atlas.exceptions import OptionError, ShapeError, UninitializedError
from atlas.operators.contract import Floats
from atlas.operators.layer_norm import LayerNormGradient, layer_norm_outer_epsilon

Initializer: TypeAlias = Callable[[Floats], object]
"""Called with the vector to fill in place; what it returns is not used."""

Initial: TypeAlias = "float | Floats | Initializer | None"
"""A number for every unit, the vector itself, an initializer, or None for the default."""


_EPS = replace(layer_norm_outer_epsilon.options["epsilon"], name="eps")


class LayerNormalization:
    """Layer normalization of a batch of vectors, with epsilon added to the standard deviation.

    Statistics are taken along the second axis. The parameters are made when the number of units is known: at once where
    `size` is given, else at the first call. Until then `has_uninitialized_params` is true, and `gamma` and `beta` do
    not exist: reading them raises UninitializedError, and `hasattr` says no.

    Args:
        size: The number of units; None leaves it to the first call.
        eps: What is added to the standard deviation; not negative.
        initial_gamma: The scaling vector: None fills it with 1, a number fills it with that number, an array of one
            axis is copied, and an initializer is called with the vector and fills it in place.
        initial_beta: The shifting vector, likewise; None fills it with 0.

    Attributes:
        gamma: The scaling parameter.
        beta: The shifting parameter.
        eps: What is added to the standard deviation.

    The parameters are kept in float64 (Chainer's are float32), so that values given in float64 stay what they are;
    the output has the type of x. Arrays of parameters may be written to in place but not replaced.
    """

    __slots__ = ("_beta", "_gamma", "_initial_beta", "_initial_gamma", "eps")

    def __init__(
        self, size: int | None = None, eps: float = 1e-6, initial_gamma: Initial = None, initial_beta: Initial = None
    ) -> None:
        self.eps = cast(float, _EPS.check(eps))
        self._initial_gamma = _checked("initial_gamma", 1.0 if initial_gamma is None else initial_gamma)
        self._initial_beta = _checked("initial_beta", 0.0 if initial_beta is None else initial_beta)
        self._gamma: Floats | None = None
        self._beta: Floats | None = None
        if size is not None:
            self._gamma, self._beta = self._parameters(_checked_size(size))
        warnings.warn(
            "LayerNormalization is experimental: its interface may still change in a later release",
            FutureWarning,
            stacklevel=2,
        )

    @property
    def has_uninitialized_params(self) -> bool:
        """Whether the parameters still wait for the first call."""
        return self._gamma is None

    @property
    def gamma(self) -> Floats:
        """The scaling parameter."""
        return _made("gamma", self._gamma)

    @property
    def beta(self) -> Floats:
        """The shifting parameter."""
        return _made("beta", self._beta)

    def __call__(self, x: Floats) -> Floats:
        """Normalize a batch of vectors (batch size, units); the first call makes the parameters if they wait.

        A call that fails makes no parameters.

        Raises:
            ShapeError: x does not have two axes, or another number of units than the layer.
        """
        units = _units(x)
        gamma, beta = self._parameters(units) if self.has_uninitialized_params else (self.gamma, self.beta)
        _require_units(units, gamma.size)
        y = layer_norm_outer_epsilon(x, gamma, beta, epsilon=self.eps)
        self._gamma, self._beta = gamma, beta
        return cast(Floats, y)

    def backward(self, x: Floats, dy: Floats) -> LayerNormGradient:
        """The gradient for x, eps (as `epsilon`), gamma and beta, where dy is the gradient of the output at x.

        Raises:
            UninitializedError: the layer has not been called yet and was made without a size.
            ShapeError: x or dy does not fit the layer.
        """
        gamma, beta = self.gamma, self.beta
        _require_units(_units(x), gamma.size)
        gradient = layer_norm_outer_epsilon.gradient
        assert gradient is not None  # noqa: S101  # declared beside the operator
        return cast(LayerNormGradient, gradient(x, gamma, beta, dy, epsilon=self.eps))

    def _parameters(self, size: int) -> tuple[Floats, Floats]:
        gamma = _filled("initial_gamma", self._initial_gamma, size)
        return gamma, _filled("initial_beta", self._initial_beta, size)


def _made(name: str, parameter: Floats | None) -> Floats:
    if parameter is None:
        raise UninitializedError(f"{name} does not exist before the first call, as the layer was made without a size")
    return parameter


def _units(x: object) -> int:
    """The number of units of a batch; x.size over x.shape[0], and also where the batch is empty."""
    if not isinstance(x, np.ndarray):
        message = f"x is of type {type(x).__name__}, not a NumPy array"
    elif x.ndim != 2:
        message = f"x has shape {x.shape}, but the layer takes two axes: the batch and its units"
    else:
        return int(x.shape[1])
    raise ShapeError(message, (("x", message),))


def _require_units(units: int, size: int) -> None:
    if units != size:
        message = f"x has {units} units on its second axis, but the layer was made for {size}"
        raise ShapeError(message, (("x", message),))


def _checked_size(size: object) -> int:
    plain = size.item() if isinstance(size, np.integer) else size
    if type(plain) is not int or plain < 1:
        raise OptionError(f"size must be a whole number of at least 1, or None, not {size!r}", "size")
    return plain


def _checked(name: str, initial: Any) -> Any:
    """The initial value, refused while the caller still stands at the line that gave it."""
    if callable(initial):
        return initial
    is_number = isinstance(initial, int | float | np.generic | np.ndarray) and not isinstance(
        initial, np.ma.MaskedArray
    )
    if not is_number or np.asarray(initial).dtype.kind not in "fiu":
        raise OptionError(f"{name} must be a number, an array of numbers or an initializer, not {initial!r}", name)
    values = np.array(initial, dtype=np.float64)
    if values.ndim > 1:
        raise ShapeError(f"{name} has shape {values.shape}, but is a vector with one value for each unit")
    return values


def _filled(name: str, initial: Any, size: int) -> Floats:
    """A new vector [size] with the initial values."""
    vector = np.full(size, np.nan)
    if callable(initial):
        initial(vector)
        if np.isnan(vector).any():
            raise OptionError(f"{name} must fill the vector that it is called with, in place; it left NaN in it", name)
    elif initial.shape not in ((), (size,)):
        raise ShapeError(f"{name} has shape {initial.shape}, but the layer has {size} units")
    else:
        vector[...] = initial
    return vector
