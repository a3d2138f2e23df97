r"""Built-in functions and constants, by their canonical names.

Each acts on one array elementwise or along one axis; those that need to see axes (`\max`, `Concat`, `TopK`, `diag`) are
named here and carried out by the evaluator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.float64]"


def erf(x: Array) -> Array:
    """The error function, to the last bit of the C library's."""
    return np.fromiter(map(math.erf, x.ravel().tolist()), dtype=np.float64, count=x.size).reshape(x.shape)


def normal_cdf(x: Array) -> Array:
    """The cumulative distribution of the standard normal distribution."""
    return 0.5 * (1 + erf(x / math.sqrt(2)))


def sigmoid(x: Array) -> Array:
    """The logistic function."""
    return 1 / (1 + np.exp(-x))


def silu(x: Array) -> Array:
    """The argument times its logistic function."""
    return x * sigmoid(x)


def gelu(x: Array) -> Array:
    """The argument times its cumulative normal distribution."""
    return x * normal_cdf(x)


def relu(x: Array) -> Array:
    """The argument where it is above zero, else zero."""
    return np.maximum(x, 0)


def softplus(x: Array) -> Array:
    """The logarithm of 1 plus the exponential, without overflow."""
    return np.logaddexp(0, x)


def softmax(x: Array, axis: int) -> Array:
    """Exponentials divided by their sum along an axis."""
    weights = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return np.asarray(weights / weights.sum(axis=axis, keepdims=True))


def log_softmax(x: Array, axis: int) -> Array:
    """The logarithm of softmax, without overflow."""
    shifted = x - np.max(x, axis=axis, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True)))


def _of_numpy(name: str) -> Callable[..., Array]:
    """A function of NumPy, which is looked up when it is called: the names below are read where nothing is computed."""

    def function(*arrays: Array) -> Array:
        found: Callable[..., Array] = getattr(np, name)
        return found(*arrays)

    return function


ELEMENTWISE: Mapping[str, Callable[[Array], Array]] = MappingProxyType(
    {
        r"\exp": _of_numpy("exp"),
        r"\log": _of_numpy("log"),
        r"\ln": _of_numpy("log"),
        r"\sin": _of_numpy("sin"),
        r"\cos": _of_numpy("cos"),
        r"\tan": _of_numpy("tan"),
        r"\tanh": _of_numpy("tanh"),
        r"\sinh": _of_numpy("sinh"),
        r"\cosh": _of_numpy("cosh"),
        r"\arctan": _of_numpy("arctan"),
        r"\Phi": normal_cdf,
        r"\mathrm{erf}": erf,
        r"\mathrm{sigmoid}": sigmoid,
        r"\mathrm{ReLU}": relu,
        r"\mathrm{SiLU}": silu,
        r"\mathrm{Swish}": silu,
        r"\mathrm{GELU}": gelu,
        r"\mathrm{softplus}": softplus,
        r"\mathrm{sign}": _of_numpy("sign"),
    }
)
"""Functions of each number by itself."""

SLOW = frozenset((r"\Phi", r"\mathrm{erf}", r"\mathrm{GELU}"))
"""Those that cost much more than others."""

ALONG_AXIS: Mapping[str, Callable[[Array, int], Array]] = MappingProxyType(
    {r"\mathrm{softmax}": softmax, r"\mathrm{logsoftmax}": log_softmax}
)
"""Functions of the numbers along one axis."""

EXTREMES: Mapping[str, Callable[[Array, Array], Array]] = MappingProxyType(
    {r"\max": _of_numpy("maximum"), r"\min": _of_numpy("minimum")}
)
"""Functions of two or more arguments, elementwise."""

CONCAT = r"\mathrm{Concat}"
TOP = r"\mathrm{TopK}"
DIAGONAL = r"\mathrm{diag}"

INDICATORS = frozenset((r"\mathbb{1}", r"\mathbf{1}"))
"""Names that, before a condition in brackets, are 1 where it holds."""

BUILTINS = frozenset((*ELEMENTWISE, *ALONG_AXIS, *EXTREMES, *INDICATORS, CONCAT, TOP, DIAGONAL))
"""All names of built-in functions."""

PREFIX = frozenset(name for name in (*ELEMENTWISE, *EXTREMES) if not name.startswith(r"\mathrm") and name != r"\Phi")
"""Those that may be applied without parentheses."""

CONSTANTS: Mapping[str, float] = MappingProxyType({"e": math.e, r"\pi": math.pi})
"""Names of numbers; a declaration or definition comes before them."""
