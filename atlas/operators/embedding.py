"""Embedding lookup: a learned vector for each id, as it is or scaled by the root of its width, and without padding.

The scale decides how much the positions added afterwards count, and all these forms are called embedding.
"""

# ruff: noqa: N803  # arguments carry the formula's own symbols
from __future__ import annotations

import math
from typing import Any

from atlas.operators.contract import Floats, Integers
from atlas.operators.family import Family
from atlas.operators.registry import operator

FAMILY = Family("embedding", "Embedding", "embedding")
A_ROW = "a row like any other"


@operator(
    "t: int(V)[...], E[V d] -> [... d]",
    title="Embedding lookup",
    family=FAMILY,
    source="in common use",
    macs="0",
    parameters=("E",),
    conventions={"padding": A_ROW, "scale": "none"},
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
    macs="0",
    parameters=("E",),
    conventions={"padding": A_ROW, "scale": "√d"},
)
def embedding_scaled(t: Integers, E: Floats) -> Any:
    """Take the row of a table for each id, times the root of the width.

    Shapes: as in the signature; parameters V·d.
    Units:  those of E.
    Errors: ShapeError for an id below 0 or not below V; a negative id does not count from the end.
    Source: Vaswani et al. 2017, section 3.4.
    """
    return E[t] * math.sqrt(E.shape[-1])


@operator(
    "t: int(V)[...], E[V d] -> [... d]",
    title="Scaled embedding lookup, padding zeroed",
    family=FAMILY,
    source="arXiv:1803.07416",
    macs="0",
    parameters=("E",),
    conventions={"padding": "id 0 gives zeros", "scale": "√d"},
)
def embedding_scaled_zero_padding(t: Integers, E: Floats) -> Any:
    """Take the row of a table for each id, times the root of the width, and zeros for the id 0 of padding.

    Shapes: as in the signature; parameters V·d, of which the first row is never seen.
    Units:  those of E.
    Errors: ShapeError for an id below 0 or not below V; a negative id does not count from the end.
    Limits: the row of id 0 is multiplied by 0, so NaN or infinity in it gives NaN.
    Source: Vaswani et al. 2018 (tensor2tensor), the symbol modality's bottom.
    """
    return E[t] * math.sqrt(E.shape[-1]) * (t != 0)[..., None]
