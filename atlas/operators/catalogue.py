"""Every operator of the atlas, by explicit import: what is not listed here does not exist for entries and pages.

Gradients are not listed; each belongs to its operator.
"""

from __future__ import annotations

from collections.abc import Mapping

from atlas.operators.activation import gelu, gelu_tanh, relu, silu
from atlas.operators.alibi import alibi_bias, alibi_scores
from atlas.operators.attention import (
    attention,
    attention_causal,
    grouped_query_attention,
    grouped_query_attention_causal,
)
from atlas.operators.batch_norm import batch_norm, batch_norm_running
from atlas.operators.convolution import convolution_2d
from atlas.operators.cross_entropy import cross_entropy
from atlas.operators.embedding import embedding, embedding_scaled, embedding_scaled_zero_padding
from atlas.operators.feed_forward import feed_forward_gelu_tanh, feed_forward_relu, feed_forward_swiglu
from atlas.operators.heads import join_heads, project_to_heads
from atlas.operators.layer_norm import layer_norm, layer_norm_outer_epsilon
from atlas.operators.linear import linear, linear_transposed, unembedding
from atlas.operators.linear_recurrence import linear_recurrence
from atlas.operators.mixture_of_experts import (
    mixture_of_experts,
    mixture_of_experts_renormalized,
    mixture_of_swiglu_experts,
    mixture_of_swiglu_experts_renormalized,
)
from atlas.operators.multi_head_attention import multi_head_attention, multi_head_attention_causal
from atlas.operators.padding import padding_bias
from atlas.operators.pooling import global_average_pool_2d, max_pool_2d
from atlas.operators.positions import add_timing_signal, learned_positions, sinusoidal_positions, timing_signal
from atlas.operators.registry import Operator, collect, families, look_up
from atlas.operators.residual import add, add_to_each
from atlas.operators.rms_norm import rms_norm, rms_norm_from_one
from atlas.operators.rotary import rope_half, rope_interleaved
from atlas.operators.routing import top_k_routing, top_k_routing_renormalized
from atlas.operators.shift import shift_right
from atlas.operators.softmax import softmax

CATALOGUE: Mapping[str, Operator] = collect(
    [
        *(linear, linear_transposed, unembedding, relu, gelu, gelu_tanh, silu, softmax),
        *(add, add_to_each, shift_right, padding_bias),
        *(feed_forward_relu, feed_forward_gelu_tanh, feed_forward_swiglu),
        *(attention, attention_causal, grouped_query_attention, grouped_query_attention_causal),
        *(multi_head_attention, multi_head_attention_causal, project_to_heads, join_heads),
        *(rope_half, rope_interleaved, sinusoidal_positions, timing_signal, add_timing_signal, learned_positions),
        *(alibi_bias, alibi_scores, embedding, embedding_scaled, embedding_scaled_zero_padding),
        *(layer_norm, layer_norm_outer_epsilon, rms_norm, rms_norm_from_one),
        *(batch_norm, batch_norm_running, convolution_2d, max_pool_2d, global_average_pool_2d),
        *(linear_recurrence, cross_entropy),
        *(top_k_routing, top_k_routing_renormalized, mixture_of_experts, mixture_of_experts_renormalized),
        *(mixture_of_swiglu_experts, mixture_of_swiglu_experts_renormalized),
    ]
)
"""The operators by name."""

FAMILIES: Mapping[str, tuple[Operator, ...]] = families(CATALOGUE)
"""The formulations of each family, to be shown side by side."""


def find(name: str) -> Operator:
    """The operator of that name.

    Raises:
        UnknownOperatorError: there is none; the message lists those that exist and the nearest.
    """
    return look_up(CATALOGUE, name)
