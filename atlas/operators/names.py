"""What else people call an operator: the abbreviations and names under which they look for it.

They belong beside the catalogue and not to one model, so that every component of an operator is found by them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_ATTENTION = ("SDPA", "self-attention")
_GROUPED = ("GQA", "MQA", "multi-query attention")
_MULTI_HEAD = ("MHA", "self-attention")
_ROTARY = ("RoPE", "rotary position embedding", "rotary embedding")
_SINUSOIDAL = ("positional encoding", "sinusoidal position embedding")
_EXPERTS = ("MoE", "sparse mixture of experts")
_FEED_FORWARD = ("FFN", "MLP", "position-wise feed-forward")
_LAYER_NORM = ("LN",)
_RMS_NORM = ("root mean square layer normalization",)
_BATCH_NORM = ("BN",)
_ROUTING = ("router", "gating", "gate")
_LINEAR = ("fully connected layer", "dense layer", "projection")
_EMBEDDING = ("token embedding", "lookup table")

ALSO_CALLED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "add": ("skip connection", "residual connection", "shortcut"),
        "add_timing_signal": _SINUSOIDAL,
        "alibi_bias": ("attention with linear biases",),
        "alibi_scores": ("attention with linear biases",),
        "attention": _ATTENTION,
        "attention_causal": (*_ATTENTION, "masked attention"),
        "batch_norm": _BATCH_NORM,
        "batch_norm_running": _BATCH_NORM,
        "convolution_2d": ("Conv2d", "convolutional layer"),
        "cross_entropy": ("negative log-likelihood", "softmax loss"),
        "embedding": _EMBEDDING,
        "embedding_scaled": _EMBEDDING,
        "embedding_scaled_zero_padding": _EMBEDDING,
        "feed_forward_gelu_tanh": _FEED_FORWARD,
        "feed_forward_relu": _FEED_FORWARD,
        "feed_forward_swiglu": (*_FEED_FORWARD, "gated linear unit", "GLU"),
        "gelu": ("Gaussian error linear unit",),
        "gelu_tanh": ("Gaussian error linear unit", "gelu_new"),
        "global_average_pool_2d": ("GAP", "AdaptiveAvgPool2d"),
        "grouped_query_attention": _GROUPED,
        "grouped_query_attention_causal": (*_GROUPED, "masked attention"),
        "join_heads": ("output projection", "o_proj"),
        "layer_norm": _LAYER_NORM,
        "layer_norm_outer_epsilon": _LAYER_NORM,
        "learned_positions": ("position embedding", "positional embedding"),
        "linear": _LINEAR,
        "linear_recurrence": ("SSM", "state-space model", "linear RNN"),
        "linear_transposed": _LINEAR,
        "max_pool_2d": ("MaxPool2d",),
        "mixture_of_experts": _EXPERTS,
        "mixture_of_experts_renormalized": _EXPERTS,
        "mixture_of_swiglu_experts": _EXPERTS,
        "mixture_of_swiglu_experts_renormalized": _EXPERTS,
        "multi_head_attention": _MULTI_HEAD,
        "multi_head_attention_causal": (*_MULTI_HEAD, "masked attention"),
        "project_to_heads": ("query, key and value projection", "QKV"),
        "relu": ("rectified linear unit",),
        "rms_norm": _RMS_NORM,
        "rms_norm_from_one": _RMS_NORM,
        "rope_half": (*_ROTARY, "rotate_half"),
        "rope_interleaved": _ROTARY,
        "silu": ("Swish", "sigmoid linear unit"),
        "sinusoidal_positions": _SINUSOIDAL,
        "timing_signal": _SINUSOIDAL,
        "top_k_routing": _ROUTING,
        "top_k_routing_renormalized": _ROUTING,
        "unembedding": ("LM head", "lm_head", "output embedding", "logits"),
    }
)
"""Operators by name, each with what else it is called; one that is not listed is known by its title alone."""
