"""Attention with linear biases: a penalty on scores in proportion to the distance, with a slope for each head.

The bias is shown by itself and in the scores it is added to, as projects do either.
"""

# ruff: noqa: N803  # arguments carry the formula's own symbols
from __future__ import annotations

import math
from typing import Any

import numpy as np

from atlas.operators.contract import Floats
from atlas.operators.family import Family
from atlas.operators.options import Count, Positive
from atlas.operators.registry import operator

FAMILY = Family("alibi", "ALiBi", "position")
SOURCE = "arXiv:2108.12409"


@operator(
    "-> [heads positions positions]",
    title="ALiBi",
    family=FAMILY,
    source=SOURCE,
    macs="0",
    conventions={"distance": "absolute", "result": "the bias", "slopes": "2^(-8n/heads) for n = 1, …, heads"},
)
def alibi_bias(*, heads: Positive, positions: Count) -> Any:
    """Penalize each pair of positions by the head's slope times their distance.

    Shapes: [heads positions positions], in float64; queries come before keys.
    Units:  dimensionless, as scores are; slopes are per position.
    Errors: OptionError for less than one head.
    Limits: for a number of heads that is no power of two the authors' code interleaves the slopes of two powers of two,
            while these stay one geometric sequence. With causal attention the absolute distance is i - j.
    Source: Press, Smith, Lewis 2021, section 3.
    """
    slopes = 2.0 ** (-8 * np.arange(1, heads + 1) / heads)  # [heads]
    place = np.arange(positions)
    return -slopes[:, None, None] * np.abs(place[:, None] - place)


@operator(
    "Q[... h S k], K[... h S k] -> [... h S S]",
    title="Attention scores with ALiBi",
    family=FAMILY,
    source=SOURCE,
    macs="... h S S k",
    conventions={
        "distance": "absolute",
        "result": "the scores with the bias",
        "slopes": "2^(-8n/heads) for n = 1, …, heads",
    },
    nonempty=("h", "k"),
)
def alibi_scores(Q: Floats, K: Floats, *, scale: float | None = None) -> Any:
    """Score each key for each query by their scaled dot product, less the head's slope times their distance.

    Shapes: as in the signature; there are as many keys as queries, at the same positions.
    Units:  dimensionless. Without scale it is 1/√k.
    Errors: ShapeError naming the axis and the argument that bound it.
    Limits: as alibi_bias.
    Source: Press, Smith, Lewis 2021, section 3.
    """
    scale = 1 / math.sqrt(Q.shape[-1]) if scale is None else scale
    bias = alibi_bias(heads=Q.shape[-3], positions=Q.shape[-2])
    return Q @ np.swapaxes(K, -1, -2) * scale + bias.astype(Q.dtype)
