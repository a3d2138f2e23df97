"""The residual sum: what a layer makes of its input, added to the input.

It is a component of its own, so that a model's graph shows where a path goes round a layer.
"""

from __future__ import annotations

from typing import Any

from atlas.operators.contract import Floats
from atlas.operators.family import Family
from atlas.operators.registry import operator


@operator(
    "x[...], r[...] -> [...]",
    title="Residual sum",
    family=Family("residual", "Residual sums", "residual"),
    source="arXiv:1512.03385",
    macs="0",
)
def add(x: Floats, r: Floats) -> Any:
    """Add what a layer gives to what went round it.

    Shapes: as in the signature; both have the same shape, as nothing is broadcast.
    Units:  those of x and r, which are the same.
    Errors: ShapeError where the shapes differ.
    Source: He et al. 2015, equation 1.
    """
    return x + r
