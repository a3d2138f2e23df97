"""Multi-head attention with its projections: one matrix for each head, and one for the heads side by side.

Upstream projects keep the heads' matrices in one array in many layouts; here each head has its own, as in the paper.
"""

# ruff: noqa: N803  # arguments carry the formula's own symbols
from __future__ import annotations

from typing import Any

import numpy as np

from atlas.operators.attention import attention, attention_causal
from atlas.operators.contract import Floats
from atlas.operators.family import Family
from atlas.operators.heads import join_heads, project_to_heads
from atlas.operators.registry import operator

FAMILY = Family("multi-head-attention", "Multi-head attention", "attention")
SOURCE = "arXiv:1706.03762"
PARAMETERS = ("W_q", "W_k", "W_v", "W_o", "b_q", "b_k", "b_v", "b_o")


def _with_keys(bias: Floats | None, key_bias: Floats | None, Q: Floats, W_q: Floats) -> Any:
    """What is added to the scores [... h S T], with what is added to those of each key [... T]."""
    if key_bias is None:
        return bias
    added = key_bias[..., None, None, :]  # [... 1 1 T]
    shape = (*Q.shape[:-2], len(W_q), Q.shape[-2], key_bias.shape[-1])
    return np.broadcast_to(added, shape) if bias is None else bias + added


@operator(
    "Q[... S d], K[... T c], V[... T e], W_q[h d k], W_k[h c k], W_v[h e v], W_o[(h v) m], "
    "b_q?[h k], b_k?[h k], b_v?[h v], b_o?[m], mask?[S T], bias?[... h S T], key_bias?[... T] -> [... S m]",
    title="Multi-head attention",
    family=FAMILY,
    source=SOURCE,
    macs="... h (S d k + T c k + T e v + S T (k + v) + S v m)",
    parameters=PARAMETERS,
    conventions={"keys": "all"},
    nonempty=("T", "k"),
)
def multi_head_attention(
    Q: Floats,
    K: Floats,
    V: Floats,
    W_q: Floats,
    W_k: Floats,
    W_v: Floats,
    W_o: Floats,
    b_q: Floats | None,
    b_k: Floats | None,
    b_v: Floats | None,
    b_o: Floats | None,
    mask: Floats | None,
    bias: Floats | None,
    key_bias: Floats | None,
    *,
    scale: float | None = None,
) -> Any:
    """Attend once for each head in a projection of its own, and project the heads' outputs side by side.

    Shapes: as in the signature; in self-attention Q, K and V are one array. Parameters h·k·(d + c) + h·v·(e + m), and
            2·h·k + h·v + m with all biases. key_bias is added to the scores of a key for every head and query.
    Units:  as in attention, with the projections in between.
    Errors: ShapeError naming the axis and the argument that bound it.
    Limits: as attention; the output of a query that sees no key is b_o, or 0.
    Source: Vaswani et al. 2017, section 3.2.2, which has no biases.
    """
    heads = attention(
        project_to_heads(Q, W_q, b_q),
        project_to_heads(K, W_k, b_k),
        project_to_heads(V, W_v, b_v),
        mask,
        _with_keys(bias, key_bias, Q, W_q),
        scale=scale,
    )
    return join_heads(heads, W_o, b_o)


@operator(
    "Q[... S d], K[... S c], V[... S e], W_q[h d k], W_k[h c k], W_v[h e v], W_o[(h v) m], "
    "b_q?[h k], b_k?[h k], b_v?[h v], b_o?[m], mask?[S S], bias?[... h S S], key_bias?[... S] -> [... S m]",
    title="Causal multi-head attention",
    family=FAMILY,
    source=SOURCE,
    macs="... h (S d k + S c k + S e v + S S (k + v) + S v m)",
    parameters=PARAMETERS,
    conventions={"keys": "up to the query's own position"},
    nonempty=("S", "k"),
)
def multi_head_attention_causal(
    Q: Floats,
    K: Floats,
    V: Floats,
    W_q: Floats,
    W_k: Floats,
    W_v: Floats,
    W_o: Floats,
    b_q: Floats | None,
    b_k: Floats | None,
    b_v: Floats | None,
    b_o: Floats | None,
    mask: Floats | None,
    bias: Floats | None,
    key_bias: Floats | None,
    *,
    scale: float | None = None,
) -> Any:
    """Attend once for each head up to each query's own position, and project the heads' outputs side by side.

    Shapes: as in multi_head_attention, with as many keys as queries, at the same positions.
    Units:  as in attention, with the projections in between.
    Errors: ShapeError naming the axis and the argument that bound it.
    Limits: as attention_causal.
    Source: Vaswani et al. 2017, sections 3.2.2 and 3.2.3.
    """
    heads = attention_causal(
        project_to_heads(Q, W_q, b_q),
        project_to_heads(K, W_k, b_k),
        project_to_heads(V, W_v, b_v),
        mask,
        _with_keys(bias, key_bias, Q, W_q),
        scale=scale,
    )
    return join_heads(heads, W_o, b_o)
