"""Sums as components: the residual sum, and one vector added to all positions.

They are components of their own, so that a model's graph shows where a path goes round a layer and what comes in.
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


@operator(
    "x[... d], v[d] -> [... d]",
    title="Sum with one vector",
    family=Family("sum-with-vector", "Sums with one vector", "embedding"),
    source="in common use",
    macs="0",
)
def add_to_each(x: Floats, v: Floats) -> Any:
    """Add one and the same vector to every feature vector.

    Shapes: as in the signature; v is there once, whatever the batch.
    Units:  those of x and v, which are the same.
    Errors: ShapeError where the widths differ.
    Source: in common use, for what is known of a whole batch, such as its language.
    """
    return x + v
