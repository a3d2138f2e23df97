"""Scaled dot-product attention, for equal numbers of heads and for heads that share keys and values in groups.

The causal forms are operators of their own, as only where queries and keys are the same positions is it certain what
the past is.
"""

# ruff: noqa: N803  # arguments carry the formula's own symbols
from __future__ import annotations

import math
from typing import Any

import numpy as np

from atlas.operators.contract import Floats
from atlas.operators.family import Family
from atlas.operators.registry import operator
from atlas.operators.softmax import softmax

FAMILY = Family("attention", "Scaled dot-product attention", "attention")
GROUPED = Family("grouped-query-attention", "Grouped-query attention", "attention")


def _attend(
    Q: Floats, K: Floats, V: Floats, mask: Floats | None, bias: Floats | None, scale: float | None, causal: bool
) -> Any:
    """The weighted values [... S v]; where no key is seen at all, 0."""
    scale = 1 / math.sqrt(Q.shape[-1]) if scale is None else scale
    scores = Q @ np.swapaxes(K, -1, -2) * scale  # [... S T]
    for added in (mask, bias):
        scores = scores if added is None else scores + added
    if causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=np.bool_), scores, -np.inf)
    hidden = np.isneginf(scores).all(axis=-1, keepdims=True)  # [... S 1]
    return np.where(hidden, 0, softmax(scores)) @ V


@operator(
    "Q[... S k], K[... T k], V[... T v], mask?[S T], bias?[... S T] -> [... S v]",
    title="Scaled dot-product attention",
    family=FAMILY,
    source="arXiv:1706.03762",
    macs="... S T (k + v)",
    conventions={"keys": "all"},
    nonempty=("T", "k"),
)
def attention(
    Q: Floats, K: Floats, V: Floats, mask: Floats | None, bias: Floats | None, *, scale: float | None = None
) -> Any:
    """Average the values for each query, weighed by the softmax of its scaled dot products with the keys.

    Shapes: as in the signature; mask is added to all scores alike, bias has its own values in each batch element.
    Units:  those of V; Q·K·scale, mask and bias are dimensionless. Without scale it is 1/√k.
    Errors: ShapeError naming the axis and the argument that bound it, or that there is no key or no feature.
    Limits: minus infinity in mask or bias hides a key, whose weight is exactly 0; a query that sees no key gets 0, not
            the 0/0 of the softmax. NaN or infinity in V reaches every query, also where the weight is 0.
    Source: Vaswani et al. 2017, section 3.2.1.
    """
    return _attend(Q, K, V, mask, bias, scale, causal=False)


@operator(
    "Q[... S k], K[... S k], V[... S v], mask?[S S], bias?[... S S] -> [... S v]",
    title="Causal scaled dot-product attention",
    family=FAMILY,
    source="arXiv:1706.03762",
    macs="... S S (k + v)",
    conventions={"keys": "up to the query's own position"},
    nonempty=("S", "k"),
)
def attention_causal(
    Q: Floats, K: Floats, V: Floats, mask: Floats | None, bias: Floats | None, *, scale: float | None = None
) -> Any:
    """Average the values up to each query's own position, weighed as in attention.

    Shapes: as in the signature; there are as many keys as queries, at the same positions.
    Units:  as in attention.
    Errors: ShapeError naming the axis and the argument that bound it.
    Limits: as attention; finite values of later positions never change an output.
    Source: Vaswani et al. 2017, section 3.2.3.
    """
    return _attend(Q, K, V, mask, bias, scale, causal=True)


def _grouped(
    Q: Floats, K: Floats, V: Floats, mask: Floats | None, bias: Floats | None, scale: float | None, causal: bool
) -> Any:
    """Attention with a further axis for the query heads of one group: [... m g S k] against [... m 1 T k]."""
    shared = K.shape[-3]

    def by_group(heads: Floats) -> Floats:
        return heads.reshape(*heads.shape[:-3], shared, heads.shape[-3] // shared, *heads.shape[-2:])

    bias = None if bias is None else by_group(bias)
    Y = _attend(by_group(Q), K[..., None, :, :], V[..., None, :, :], mask, bias, scale, causal)  # noqa: N806  # the symbol
    return Y.reshape(*Q.shape[:-1], V.shape[-1])


@operator(
    "Q[... (g m) S k], K[... m T k], V[... m T v], mask?[S T], bias?[... (g m) S T] -> [... (g m) S v]",
    title="Grouped-query attention",
    family=GROUPED,
    source="arXiv:2305.13245",
    macs="... (g m) S T (k + v)",
    conventions={"groups": "consecutive query heads", "keys": "all"},
    nonempty=("m", "T", "k"),
)
def grouped_query_attention(
    Q: Floats, K: Floats, V: Floats, mask: Floats | None, bias: Floats | None, *, scale: float | None = None
) -> Any:
    """Let each group of g consecutive query heads attend to one head of keys and values.

    Shapes: as in the signature: query head i reads key head ⌊i/g⌋; g = 1 is attention, m = 1 multi-query attention.
    Units:  as in attention.
    Errors: ShapeError naming the axis and the argument that bound it, also where m does not divide the query heads.
    Limits: as attention.
    Source: Ainslie et al. 2023.
    """
    return _grouped(Q, K, V, mask, bias, scale, causal=False)


@operator(
    "Q[... (g m) S k], K[... m S k], V[... m S v], mask?[S S], bias?[... (g m) S S] -> [... (g m) S v]",
    title="Causal grouped-query attention",
    family=GROUPED,
    source="arXiv:2305.13245",
    macs="... (g m) S S (k + v)",
    conventions={"groups": "consecutive query heads", "keys": "up to the query's own position"},
    nonempty=("m", "S", "k"),
)
def grouped_query_attention_causal(
    Q: Floats, K: Floats, V: Floats, mask: Floats | None, bias: Floats | None, *, scale: float | None = None
) -> Any:
    """Let each group of g consecutive query heads attend to one head of keys and values, up to its own position.

    Shapes: as in grouped_query_attention, with as many keys as queries, at the same positions.
    Units:  as in attention.
    Errors: as in grouped_query_attention.
    Limits: as attention_causal.
    Source: Ainslie et al. 2023.
    """
    return _grouped(Q, K, V, mask, bias, scale, causal=True)
