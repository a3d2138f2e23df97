"""What hides the padding of sequences that are shorter than the longest of their batch.

It is computed once from the ids and added to the scores of every attention that reads the sequence.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from atlas.operators.contract import Integers
from atlas.operators.family import Family
from atlas.operators.registry import operator


@operator(
    "t: int[...] -> [...]",
    title="Padding hidden from attention",
    family=Family("padding", "Padding", "attention"),
    source="arXiv:1803.07416",
    macs="0",
    conventions={"padding": "id 0"},
)
def padding_bias(t: Integers, *, value: float = -1e9) -> Any:
    """Give the keys of padding a large negative number to be added to their scores, and all others 0.

    Shapes: as in the signature; in float64.
    Units:  dimensionless, as scores are.
    Errors: ShapeError where t does not hold integers.
    Limits: a query all of whose keys are padding weighs them as if none were, up to rounding, as the same number is
            added to all its scores.
    Source: Vaswani et al. 2018 (tensor2tensor), attention_bias_ignore_padding.
    """
    return np.where(t == 0, value, 0.0)
