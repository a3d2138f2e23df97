"""Root mean square normalization over the last axis, with its scale as it is or stored as the difference from 1.

Weights stored for the one give near 0 in the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from atlas.operators.contract import Floats
from atlas.operators.family import Family
from atlas.operators.options import NonNegative
from atlas.operators.registry import operator

FAMILY = Family("rms-norm", "RMS normalization", "normalization")


@operator(
    "x[... C], gamma[C] -> [... C]",
    title="RMSNorm",
    family=FAMILY,
    source="arXiv:1910.07467",
    macs="0",
    parameters=("gamma",),
    conventions={"axis": "last", "epsilon": "inside the root", "scale": "gamma"},
    nonempty=("C",),
)
def rms_norm(x: Floats, gamma: Floats, *, epsilon: NonNegative = 1e-6) -> Any:
    """Divide each feature vector by the root of its mean square, then scale each feature.

    Shapes: as in the signature; parameters C.
    Units:  dimensionless; epsilon is in units of x squared.
    Errors: ShapeError naming the axis and the argument that bound it; OptionError for a negative or non-finite epsilon.
    Limits: with epsilon 0, a vector of zeros is 0/0, NaN; features above the root of the largest number overflow when
            squared (1.8e19 in float32).
    Source: Zhang, Sennrich 2019, who have no epsilon; projects add it inside the root.
    """
    mean_square = np.square(x).mean(axis=-1, keepdims=True)  # [... 1]
    return gamma * x / np.sqrt(mean_square + epsilon)


@operator(
    "x[... C], gamma[C] -> [... C]",
    title="RMSNorm, scale from 1",
    family=FAMILY,
    source="arXiv:2403.08295",
    macs="0",
    parameters=("gamma",),
    conventions={"axis": "last", "epsilon": "inside the root", "scale": "1 + gamma"},
    nonempty=("C",),
)
def rms_norm_from_one(x: Floats, gamma: Floats, *, epsilon: NonNegative = 1e-6) -> Any:
    """Divide each feature vector by the root of its mean square, then scale each feature by 1 plus its parameter.

    Shapes: as in the signature; parameters C.
    Units:  dimensionless; epsilon is in units of x squared.
    Errors: as rms_norm.
    Limits: as rms_norm.
    Source: Gemma Team 2024.
    """
    mean_square = np.square(x).mean(axis=-1, keepdims=True)  # [... 1]
    return (1 + gamma) * x / np.sqrt(mean_square + epsilon)
