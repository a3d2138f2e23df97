"""Softmax over the last axis, in the form that no score can make overflow.

Attention and routing use it too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from atlas.operators.contract import Floats
from atlas.operators.family import Family
from atlas.operators.registry import operator


@operator(
    "x[... C] -> [... C]",
    title="Softmax",
    family=Family("softmax", "Softmax", "activation"),
    source="in common use",
    macs="0",
    nonempty=("C",),
)
def softmax(x: Floats) -> Any:
    """Turn each vector of scores into shares that add up to 1, in proportion to their exponentials.

    Shapes: as in the signature.
    Units:  dimensionless; a difference of scores is a natural logarithm of a ratio.
    Errors: ShapeError where the last axis is empty.
    Limits: a score of minus infinity gets exactly 0; a vector of nothing else is 0/0, NaN, and so is one that holds
            plus infinity or NaN.
    Source: in common use; Bridle 1990 names it.
    """
    powers = np.exp(x - x.max(axis=-1, keepdims=True))  # the largest is 1
    return powers / powers.sum(axis=-1, keepdims=True)
