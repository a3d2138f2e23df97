"""Batch normalization of each channel: with the statistics of the batch, as in training, and with given ones.

The running statistics of inference are an average over training, so the two give different outputs on one batch.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from atlas.operators.contract import Floats
from atlas.operators.family import Family
from atlas.operators.options import NonNegative
from atlas.operators.registry import operator

FAMILY = Family("batch-norm", "Batch normalization", "normalization")
SOURCE = "arXiv:1502.03167"


@operator(
    "x[N C ...], gamma[C], beta[C] -> [N C ...]",
    title="BatchNorm",
    family=FAMILY,
    source=SOURCE,
    macs="0",
    parameters=("gamma", "beta"),
    conventions={"channels": "second axis", "epsilon": "inside the root", "statistics": "of the batch, biased"},
    nonempty=("N", "..."),
    precision="float64",  # statistics are sums over the whole batch
)
def batch_norm(x: Floats, gamma: Floats, beta: Floats, *, epsilon: NonNegative = 1e-5) -> Any:
    """Centre and scale each channel over the batch and all places, then apply a learned affine map.

    Shapes: as in the signature, with any number of axes behind the channels; parameters C + C.
    Units:  dimensionless; epsilon is in units of x squared.
    Errors: ShapeError naming the axis and the argument that bound it, or that there is nothing to average over;
            OptionError for a negative or non-finite epsilon.
    Limits: with epsilon 0, a channel of equal values is 0/0, NaN. One value in a channel gives beta.
    Source: Ioffe, Szegedy 2015, algorithm 1.
    """
    over = (0, *range(2, x.ndim))
    centred = x - x.mean(axis=over, keepdims=True)  # [N C ...]
    centred = centred - centred.mean(axis=over, keepdims=True)  # what rounding left in the mean of a large offset
    variance = np.square(centred).mean(axis=over, keepdims=True)  # [1 C 1 …]
    return _by_channel(gamma, x) * centred / np.sqrt(variance + epsilon) + _by_channel(beta, x)


@operator(
    "x[N C ...], gamma[C], beta[C], mean[C], variance[C] -> [N C ...]",
    title="BatchNorm with running statistics",
    family=FAMILY,
    source=SOURCE,
    macs="0",
    parameters=("gamma", "beta"),
    conventions={"channels": "second axis", "epsilon": "inside the root", "statistics": "given"},
)
def batch_norm_running(
    x: Floats, gamma: Floats, beta: Floats, mean: Floats, variance: Floats, *, epsilon: NonNegative = 1e-5
) -> Any:
    """Centre and scale each channel by statistics that were gathered in training, then apply a learned affine map.

    Shapes: as in the signature, with any number of axes behind the channels; parameters C + C, buffers C + C.
    Units:  dimensionless; mean in units of x, variance and epsilon in units of x squared.
    Errors: ShapeError naming the axis and the argument that bound it; OptionError for a negative or non-finite epsilon.
    Limits: a variance below minus epsilon gives NaN.
    Source: Ioffe, Szegedy 2015, algorithm 2.
    """
    scale = gamma / np.sqrt(variance + epsilon)  # [C]
    return _by_channel(scale, x) * (x - _by_channel(mean, x)) + _by_channel(beta, x)


def _by_channel(values: Floats, x: Floats) -> Floats:
    """One value for each channel, beside x: [C] is [C 1 …]."""
    return values.reshape(-1, *[1] * (x.ndim - 2))
