"""The feed-forward networks that stand after attention: two layers with ReLU or GELU, and the gated form with SiLU.

They act on each position by itself.
"""

# ruff: noqa: N803  # arguments carry the formula's own symbols
from __future__ import annotations

from typing import Any

from atlas.operators.activation import gelu_tanh, relu, silu
from atlas.operators.contract import Floats
from atlas.operators.family import Family
from atlas.operators.linear import linear
from atlas.operators.registry import operator

FAMILY = Family("feed-forward", "Feed-forward networks", "feed-forward")


@operator(
    "x[... d], W_1[d f], b_1?[f], W_2[f m], b_2?[m] -> [... m]",
    title="Feed-forward network with ReLU",
    family=FAMILY,
    source="arXiv:1706.03762",
    macs="... f (d + m)",
    parameters=("W_1", "b_1", "W_2", "b_2"),
    conventions={"activation": "ReLU", "gate": "none", "weight": "inputs × outputs"},
)
def feed_forward_relu(x: Floats, W_1: Floats, b_1: Floats | None, W_2: Floats, b_2: Floats | None) -> Any:
    """Widen each feature vector, drop what is negative, and bring it back.

    Shapes: as in the signature; m is d in a residual block; parameters d·f + f + f·m + m, less the biases left out.
    Units:  those of x times those of both weights.
    Errors: ShapeError naming the axis and the argument that bound it.
    Source: Vaswani et al. 2017, section 3.3.
    """
    hidden = relu(linear(x, W_1, b_1))  # [... f]
    return linear(hidden, W_2, b_2)


@operator(
    "x[... d], W_1[d f], b_1?[f], W_2[f m], b_2?[m] -> [... m]",
    title="Feed-forward network with GELU by tanh",
    family=FAMILY,
    source="arXiv:1810.04805",
    macs="... f (d + m)",
    parameters=("W_1", "b_1", "W_2", "b_2"),
    conventions={"activation": "GELU, approximate, tanh", "gate": "none", "weight": "inputs × outputs"},
)
def feed_forward_gelu_tanh(x: Floats, W_1: Floats, b_1: Floats | None, W_2: Floats, b_2: Floats | None) -> Any:
    """Widen each feature vector, apply the tanh approximation of GELU, and bring it back.

    Shapes: as in the signature; m is d in a residual block; parameters d·f + f + f·m + m, less the biases left out.
    Units:  as in gelu_tanh between the layers; those of W_2 behind them.
    Errors: ShapeError naming the axis and the argument that bound it.
    Limits: as gelu_tanh.
    Source: Radford et al. 2018 put GELU here, Devlin et al. 2018 after them; the approximation is that of their code.
    """
    hidden = gelu_tanh(linear(x, W_1, b_1))  # [... f]
    return linear(hidden, W_2, b_2)


@operator(
    "x[... d], W_g[d f], W_u[d f], W_d[f m] -> [... m]",
    title="SwiGLU feed-forward network",
    family=FAMILY,
    source="arXiv:2002.05202",
    macs="... f (2 d + m)",
    parameters=("W_g", "W_u", "W_d"),
    conventions={"activation": "SiLU", "gate": "activated, times the other half", "weight": "inputs × outputs"},
)
def feed_forward_swiglu(x: Floats, W_g: Floats, W_u: Floats, W_d: Floats) -> Any:
    """Widen each feature vector twice, let the SiLU of the one weigh the other, and bring the product back.

    Shapes: as in the signature; m is d in a residual block; parameters 2·d·f + f·m.
    Units:  those of x squared times those of all three weights, where the gate is far from 0.
    Errors: ShapeError naming the axis and the argument that bound it.
    Source: Shazeer 2020, FFN-SwiGLU, without biases.
    """
    hidden = silu(x @ W_g) * (x @ W_u)  # [... f]
    return hidden @ W_d
