"""The shift to the right, by which a decoder that is trained on a sequence sees only what came before.

It acts on vectors, after the lookup, so the first position gets zeros instead of the vector of a start token.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from atlas.operators.contract import Floats
from atlas.operators.family import Family
from atlas.operators.registry import operator


@operator(
    "x[... S d] -> [... S d]",
    title="Shift to the right",
    family=Family("shift", "Shifts", "shift"),
    source="arXiv:1803.07416",
    macs="0",
)
def shift_right(x: Floats) -> Any:
    """Move each position's vector to the next position, with zeros at the first; the last vector is dropped.

    Shapes: as in the signature; without positions nothing happens.
    Units:  those of x.
    Errors: ShapeError where x has less than two axes.
    Source: Vaswani et al. 2018 (tensor2tensor); Vaswani et al. 2017, section 3.1: outputs "offset by one position".
    """
    y = np.zeros_like(x)
    y[..., 1:, :] = x[..., :-1, :]
    return y
