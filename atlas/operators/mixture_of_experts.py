"""A mixture of experts: the outputs of the experts that a router chose, weighed and added up.

The experts are either given by what each of them makes of the input, whatever they are, or are SwiGLU networks.
"""

# ruff: noqa: N803  # arguments carry the formula's own symbols
from __future__ import annotations

from typing import Any

import numpy as np

from atlas.operators.contract import Floats
from atlas.operators.family import Family
from atlas.operators.feed_forward import feed_forward_swiglu
from atlas.operators.options import Positive
from atlas.operators.registry import operator
from atlas.operators.routing import Routing, top_k_routing, top_k_routing_renormalized

FAMILY = Family("mixture-of-experts", "Mixtures of experts", "mixture-of-experts")
GIVEN = "given by their outputs"
AS_SOFTMAX = "as the softmax over all experts gives them"
RENORMALIZED = "divided by their sum"


def _mixed(outputs: Floats, routing: Routing) -> Any:
    """The weighed sum over the chosen experts' outputs: [... n m] is [... m]."""
    chosen = np.take_along_axis(outputs, routing.experts[..., None], axis=-2)  # [... k m]
    return np.einsum("...k,...km->...m", routing.weights, chosen)


def _mixed_swiglu(x: Floats, routing: Routing, W_g: Floats, W_u: Floats, W_d: Floats) -> Any:
    """The same where each expert runs on the tokens that chose it and on no others."""
    batch, k = routing.weights.shape[:-1], routing.weights.shape[-1]
    weights, experts = (one.reshape(-1, k) for one in routing)  # [N k]
    tokens = x.reshape(len(weights), x.shape[-1])  # [N d]
    y = np.zeros((len(tokens), W_d.shape[-1]), x.dtype)
    for expert in range(len(W_g)):
        token, rank = np.nonzero(experts == expert)  # a token chooses an expert once at most
        output = feed_forward_swiglu(tokens[token], W_g[expert], W_u[expert], W_d[expert])
        y[token] += weights[token, rank, None] * output
    return y.reshape(*batch, W_d.shape[-1])


@operator(
    "x[... d], W_r[d n], outputs[... n m] -> [... m]",
    title="Mixture of experts",
    family=FAMILY,
    source="arXiv:1701.06538",
    macs="... d n",
    parameters=("W_r",),
    conventions={"experts": GIVEN, "weights": AS_SOFTMAX},
    nonempty=("n",),
)
def mixture_of_experts(x: Floats, W_r: Floats, outputs: Floats, *, k: Positive) -> Any:
    """Add up the outputs of the k experts that x favours, each times its share of the softmax over all experts.

    Shapes: as in the signature: what each of the n experts makes of x; parameters d·n.
    Units:  those of outputs.
    Errors: ShapeError naming the axis and the argument that bound it; OptionError where k is more than n.
    Limits: as top_k_routing; outputs of experts that are not chosen do not count, whatever they hold.
    Source: Shazeer et al. 2017, without noise; the softmax is taken before the choice.
    """
    return _mixed(outputs, top_k_routing(x @ W_r, k=k))


@operator(
    "x[... d], W_r[d n], outputs[... n m] -> [... m]",
    title="Mixture of experts, renormalized",
    family=FAMILY,
    source="arXiv:2401.04088",
    macs="... d n",
    parameters=("W_r",),
    conventions={"experts": GIVEN, "weights": RENORMALIZED},
    nonempty=("n",),
)
def mixture_of_experts_renormalized(x: Floats, W_r: Floats, outputs: Floats, *, k: Positive) -> Any:
    """Add up the outputs of the k experts that x favours, with weights that add up to 1.

    Shapes: as in the signature: what each of the n experts makes of x; parameters d·n.
    Units:  those of outputs.
    Errors: ShapeError naming the axis and the argument that bound it; OptionError where k is more than n.
    Limits: as mixture_of_experts.
    Source: Jiang et al. 2024 (Mixtral), section 2.1.
    """
    return _mixed(outputs, top_k_routing_renormalized(x @ W_r, k=k))


@operator(
    "x[... d], W_r[d n], W_g[n d f], W_u[n d f], W_d[n f m] -> [... m]",
    title="Mixture of SwiGLU experts",
    family=FAMILY,
    source="arXiv:2405.04434",
    macs="... (d n + k f (2 d + m))",
    parameters=("W_r", "W_g", "W_u", "W_d"),
    active={name: {"n": "k"} for name in ("W_g", "W_u", "W_d")},
    conventions={"experts": "SwiGLU networks", "weights": AS_SOFTMAX},
    nonempty=("n",),
)
def mixture_of_swiglu_experts(x: Floats, W_r: Floats, W_g: Floats, W_u: Floats, W_d: Floats, *, k: Positive) -> Any:
    """Run the k SwiGLU networks that x favours and add them up, each times its share of the softmax over all experts.

    Shapes: as in the signature; parameters d·n + n·(2·d·f + f·m), of which a token uses d·n + k·(2·d·f + f·m).
    Units:  as in feed_forward_swiglu.
    Errors: ShapeError naming the axis and the argument that bound it; OptionError where k is more than n.
    Limits: as top_k_routing.
    Source: DeepSeek-AI 2024 (DeepSeek-V2), the routed experts alone.
    """
    return _mixed_swiglu(x, top_k_routing(x @ W_r, k=k), W_g, W_u, W_d)


@operator(
    "x[... d], W_r[d n], W_g[n d f], W_u[n d f], W_d[n f m] -> [... m]",
    title="Mixture of SwiGLU experts, renormalized",
    family=FAMILY,
    source="arXiv:2401.04088",
    macs="... (d n + k f (2 d + m))",
    parameters=("W_r", "W_g", "W_u", "W_d"),
    active={name: {"n": "k"} for name in ("W_g", "W_u", "W_d")},
    conventions={"experts": "SwiGLU networks", "weights": RENORMALIZED},
    nonempty=("n",),
)
def mixture_of_swiglu_experts_renormalized(
    x: Floats, W_r: Floats, W_g: Floats, W_u: Floats, W_d: Floats, *, k: Positive
) -> Any:
    """Run the k SwiGLU networks that x favours and add them up with weights that add up to 1.

    Shapes: as in the signature; parameters d·n + n·(2·d·f + f·m), of which a token uses d·n + k·(2·d·f + f·m).
    Units:  as in feed_forward_swiglu.
    Errors: ShapeError naming the axis and the argument that bound it; OptionError where k is more than n.
    Limits: as top_k_routing.
    Source: Jiang et al. 2024 (Mixtral), section 2.1.
    """
    return _mixed_swiglu(x, top_k_routing_renormalized(x @ W_r, k=k), W_g, W_u, W_d)
