"""Embedding lookup: a learned vector for each id, as it is or scaled by the root of its width.

The scale decides how much the positions added afterwards count, and both forms are called embedding.
"""

# ruff: noqa: N803  # arguments carry the formula's own symbols
from __future__ import annotations

import math
from typing import Any

from atlas.operators.contract import Floats, Integers
from atlas.operators.registry import operator

FAMILY = "embedding"


@operator(
    "t: int(V)[...], E[V d] -> [... d]",
    title="Embedding lookup",
    family=FAMILY,
    source="in common use",
    parameters=("E",),
    conventions={"scale": "none"},
)
def embedding(t: Integers, E: Floats) -> Any:
    """Take the row of a table for each id.

    Shapes: as in the signature; parameters V·d.
    Units:  those of E.
    Errors: ShapeError for an id below 0 or not below V; a negative id does not count from the end.
    Source: in common use; Bengio et al. 2003.
    """
    return E[t]


@operator(
    "t: int(V)[...], E[V d] -> [... d]",
    title="Scaled embedding lookup",
    family=FAMILY,
    source="arXiv:1706.03762",
    parameters=("E",),
    conventions={"scale": "√d"},
)
def embedding_scaled(t: Integers, E: Floats) -> Any:
    """Take the row of a table for each id, times the root of the width.

    Shapes: as in the signature; parameters V·d.
    Units:  those of E.
    Errors: ShapeError for an id below 0 or not below V; a negative id does not count from the end.
    Source: Vaswani et al. 2017, section 3.4.
    """
    return E[t] * math.sqrt(E.shape[-1])
