"""The activation functions of the field, elementwise: ReLU, GELU in its two formulations, SiLU.

GELU's tanh approximation differs from the exact form by up to 5e-4, so weights trained with one are not at home in the
other; upstream projects use both under one name.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from atlas.operators.contract import Floats
from atlas.operators.error_function import normal_distribution
from atlas.operators.family import Family
from atlas.operators.registry import operator

GELU = Family("gelu", "GELU", "activation")
GELU_SOURCE = "arXiv:1606.08415"


@operator(
    "x[...] -> [...]", title="ReLU", family=Family("relu", "ReLU", "activation"), source="in common use", macs="0"
)
def relu(x: Floats) -> Any:
    """Keep what is positive and put 0 for the rest.

    Shapes: any; the output has that of x.
    Units:  those of x.
    Errors: ShapeError where x does not hold floating-point numbers.
    Source: in common use; Nair, Hinton 2010 name it.
    """
    return np.maximum(x, 0)


@operator("x[...] -> [...]", title="GELU", family=GELU, source=GELU_SOURCE, macs="0", conventions={"form": "exact"})
def gelu(x: Floats) -> Any:
    """Weigh each number with the share of the standard normal distribution that lies below it.

    Shapes: any; the output has that of x.
    Units:  dimensionless, as x is compared with a standard deviation of 1.
    Errors: ShapeError where x does not hold floating-point numbers.
    Limits: at minus infinity it is NaN, as infinity times 0; the limit is 0.
    Source: Hendrycks, Gimpel 2016: x·Φ(x), with Φ by the error function.
    """
    return x * normal_distribution(x)


@operator(
    "x[...] -> [...]",
    title="GELU by tanh",
    family=GELU,
    source=GELU_SOURCE,
    macs="0",
    conventions={"form": "approximate, tanh"},
)
def gelu_tanh(x: Floats) -> Any:
    """Approximate GELU with a tanh of a cubic polynomial.

    Shapes: any; the output has that of x.
    Units:  dimensionless, as in gelu.
    Errors: ShapeError where x does not hold floating-point numbers.
    Limits: differs from gelu by up to 5e-4; 1 + tanh cancels where x is far below 0; at minus infinity it is NaN; x³
            overflows above 7e12 in float32.
    Source: Hendrycks, Gimpel 2016, section 2.
    """
    return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


@operator("x[...] -> [...]", title="SiLU", family=Family("silu", "SiLU", "activation"), source=GELU_SOURCE, macs="0")
def silu(x: Floats) -> Any:
    """Weigh each number with its logistic sigmoid; also called Swish.

    Shapes: any; the output has that of x.
    Units:  dimensionless.
    Errors: ShapeError where x does not hold floating-point numbers.
    Limits: at minus infinity it is NaN, as infinity times 0; the limit is 0.
    Source: Hendrycks, Gimpel 2016; Elfwing, Uchibe, Doya 2017.
    """
    power = np.exp(-np.abs(x))  # never overflows
    return x * np.where(x < 0, power, 1) / (1 + power)
