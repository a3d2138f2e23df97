"""Layer normalization over the last axis, in its two published formulations, each with its gradient.

They differ in where epsilon stands, which decides what happens to features that hardly vary; upstream projects use both
under one name.
"""
# NumPy types its reductions as Any:
# mypy: disable-error-code=no-any-return

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from atlas.operators.contract import Floats
from atlas.operators.family import Family
from atlas.operators.options import NonNegative
from atlas.operators.registry import operator

FAMILY = Family("layer-norm", "Layer normalization", "normalization")
SOURCE = "arXiv:1607.06450"


class LayerNormGradient(NamedTuple):
    """The gradient of a loss for everything that layer normalization takes."""

    x: Floats
    """In the shape of x."""
    epsilon: np.floating[Any]
    """A scalar: the sum over the whole batch."""
    gamma: Floats
    """[C], summed over the batch."""
    beta: Floats
    """[C], summed over the batch."""


@operator(
    "x[... C], gamma[C], beta[C], dy[... C] -> x[... C], epsilon[], gamma[C], beta[C]",
    title="Gradient of LayerNorm",
    family=FAMILY,
    source=SOURCE,
    macs="0",
    parameters=("gamma", "beta"),
    nonempty=("C",),
    precision="float64",  # gamma, beta and epsilon sum over the whole batch
)
def layer_norm_gradient(
    x: Floats, gamma: Floats, beta: Floats, dy: Floats, *, epsilon: NonNegative
) -> LayerNormGradient:
    """Bring the gradient of a loss from the output of layer_norm back to its inputs.

    Shapes: as in the signature; gradients of gamma, beta and epsilon are summed over the batch.
    Errors: as layer_norm.
    """
    centred, variance = _moments(x)
    scale = 1 / np.sqrt(variance + epsilon)  # [... 1]
    normal = centred * scale  # [... C]
    dn = dy * gamma  # [... C]
    along = (dn * normal).mean(axis=-1, keepdims=True)  # [... 1]
    return LayerNormGradient(
        x=scale * (dn - dn.mean(axis=-1, keepdims=True) - normal * along),
        epsilon=np.sum(-0.5 * dn * normal * np.square(scale)),
        gamma=_over_batch(dy * normal),
        beta=_over_batch(dy),
    )


@operator(
    "x[... C], gamma[C], beta[C] -> [... C]",
    title="LayerNorm",
    family=FAMILY,
    source=SOURCE,
    macs="0",
    parameters=("gamma", "beta"),
    conventions={"axis": "last", "epsilon": "inside the root", "variance": "biased"},
    nonempty=("C",),
    gradient=layer_norm_gradient,
)
def layer_norm(x: Floats, gamma: Floats, beta: Floats, *, epsilon: NonNegative = 1e-6) -> Floats:
    """Centre and scale each feature vector, then apply a learned affine map.

    Shapes: as in the signature; parameters C + C.
    Units:  dimensionless; epsilon is in units of x squared.
    Errors: ShapeError naming the axis and the argument that bound it; OptionError for a negative or non-finite epsilon.
    Limits: with epsilon 0, a vector of equal features is 0/0, NaN; features above the root of the largest number
            overflow when squared (1.8e19 in float32).
    Source: Ba, Kiros, Hinton 2016.
    """
    centred = x - x.mean(axis=-1, keepdims=True)  # [... C]
    centred = centred - centred.mean(axis=-1, keepdims=True)  # what rounding left in the mean of a large offset
    variance = np.square(centred).mean(axis=-1, keepdims=True)  # [... 1]
    return gamma * centred / np.sqrt(variance + epsilon) + beta


@operator(
    "x[N C], gamma[C], beta[C], dy[N C] -> x[N C], epsilon[], gamma[C], beta[C]",
    title="Gradient of LayerNorm with outer epsilon",
    family=FAMILY,
    source=SOURCE,
    macs="0",
    parameters=("gamma", "beta"),
    nonempty=("C",),
    precision="float64",
)
def layer_norm_outer_epsilon_gradient(
    x: Floats, gamma: Floats, beta: Floats, dy: Floats, *, epsilon: NonNegative
) -> LayerNormGradient:
    """Bring the gradient of a loss from the output of layer_norm_outer_epsilon back to its inputs.

    Shapes: as in the signature; gradients of gamma, beta and epsilon are summed over the batch.
    Limits: where all features of a row are equal, the deviation has no derivative, but its product with the centred
            features does: the gradient there is the exact one, dn/epsilon less its mean, and not the 0/0 that
            differentiating step by step gives. With epsilon 0 it is NaN.
    Errors: as layer_norm_outer_epsilon.
    """
    centred, variance = _moments(x)
    deviation = np.sqrt(variance)  # [N 1]
    scale = 1 / (deviation + epsilon)  # [N 1]
    unit = centred / np.where(deviation == 0, 1, deviation)  # [N C]; 0 where the features are equal
    dn = dy * gamma  # [N C]
    along = (dn * unit).mean(axis=-1, keepdims=True)  # [N 1]
    return LayerNormGradient(
        x=scale * (dn - dn.mean(axis=-1, keepdims=True) - unit * along * deviation * scale),
        epsilon=np.sum(-dn * centred * np.square(scale)),
        gamma=_over_batch(dy * centred * scale),
        beta=_over_batch(dy),
    )


@operator(
    "x[N C], gamma[C], beta[C] -> [N C]",
    title="LayerNorm with outer epsilon",
    family=FAMILY,
    source=SOURCE,
    macs="0",
    parameters=("gamma", "beta"),
    conventions={"axis": "second of two", "epsilon": "outside the root", "variance": "biased"},
    nonempty=("C",),
    gradient=layer_norm_outer_epsilon_gradient,
)
def layer_norm_outer_epsilon(x: Floats, gamma: Floats, beta: Floats, *, epsilon: NonNegative = 1e-6) -> Floats:
    """Centre and scale each row, with epsilon added to the standard deviation, then apply a learned affine map.

    Shapes: as in the signature, a batch of vectors; parameters C + C.
    Units:  dimensionless; epsilon is in units of x.
    Errors: ShapeError naming the axis and the argument that bound it; OptionError for a negative or non-finite epsilon.
    Limits: as layer_norm.
    Source: Ba, Kiros, Hinton 2016, as Chainer 1.24 computes it.
    """
    centred = x - x.mean(axis=1, keepdims=True)  # [N C]
    centred = centred - centred.mean(axis=1, keepdims=True)  # what rounding left in the mean of a large offset
    deviation = np.sqrt(np.square(centred).mean(axis=1, keepdims=True))  # [N 1]
    return gamma * centred / (deviation + epsilon) + beta


def _moments(x: Floats) -> tuple[Floats, Floats]:
    """The features less their mean [... C] and their biased variance [... 1]."""
    centred = x - x.mean(axis=-1, keepdims=True)
    centred = centred - centred.mean(axis=-1, keepdims=True)
    return centred, np.square(centred).mean(axis=-1, keepdims=True)


def _over_batch(values: Floats) -> Floats:
    """The sum over every axis but the last: [... C] → [C]."""
    return values.reshape(-1, values.shape[-1]).sum(axis=0)
