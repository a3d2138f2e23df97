"""Top-k routing: which experts see a token, and how much each of them counts.

Models differ in whether the weights of the chosen experts are brought back to a sum of 1, which changes every output.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from atlas.exceptions import OptionError
from atlas.operators.contract import Floats, Integers
from atlas.operators.family import Family
from atlas.operators.options import Positive
from atlas.operators.registry import operator
from atlas.operators.softmax import softmax

FAMILY = Family("top-k-routing", "Top-k routing", "routing")


class Routing(NamedTuple):
    """The experts of each token, the most likely first."""

    weights: Floats
    """[... k], how much each chosen expert counts."""
    experts: Integers
    """[... k], the numbers of the chosen experts, from 0."""


@operator(
    "logits[... n] -> weights[... k], experts: int[... k]",
    title="Top-k routing",
    family=FAMILY,
    source="arXiv:2405.04434",
    macs="0",
    conventions={"weights": "as the softmax over all experts gives them"},
    nonempty=("n",),
)
def top_k_routing(logits: Floats, *, k: Positive) -> Routing:
    """Choose the k experts with the largest shares of a softmax over all of them.

    Shapes: as in the signature; the largest share comes first.
    Units:  dimensionless; the weights add up to less than 1 where k is less than n.
    Errors: OptionError where k is more than the number of experts.
    Limits: of equal logits, the expert with the lower number comes first. A vector with NaN or plus infinity has NaN
            weights.
    Source: DeepSeek-AI 2024 (DeepSeek-V2), without its balance terms.
    """
    if k > logits.shape[-1]:
        raise OptionError(f"k is {k}, but there are {logits.shape[-1]} experts", "k")
    experts = np.argsort(-logits, axis=-1, kind="stable")[..., :k]  # by logits, as shares may round to equal ones
    return Routing(np.take_along_axis(softmax(logits), experts, axis=-1), experts)


@operator(
    "logits[... n] -> weights[... k], experts: int[... k]",
    title="Top-k routing, renormalized",
    family=FAMILY,
    source="arXiv:2401.04088",
    macs="0",
    conventions={"weights": "divided by their sum"},
    nonempty=("n",),
)
def top_k_routing_renormalized(logits: Floats, *, k: Positive) -> Routing:
    """Choose the k experts with the largest shares of a softmax over all of them, and divide by their sum.

    Shapes: as in the signature; the largest share comes first.
    Units:  dimensionless; the weights add up to 1: they are the softmax over the chosen experts alone.
    Errors: OptionError where k is more than the number of experts.
    Limits: as top_k_routing.
    Source: Jiang et al. 2024 (Mixtral), section 2.1.
    """
    weights, experts = top_k_routing(logits, k=k)
    return Routing(weights / weights.sum(axis=-1, keepdims=True), experts)
