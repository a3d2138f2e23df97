"""Whole models joined from operators, against tiny random models of the transformers library, layer by layer.

It shows that the operators are enough for GPT-2, Mixtral and ResNet with bottlenecks, and in which order they stand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from atlas.operators.activation import relu
from atlas.operators.attention import attention_causal, grouped_query_attention_causal
from atlas.operators.batch_norm import batch_norm_running
from atlas.operators.convolution import convolution_2d
from atlas.operators.embedding import embedding
from atlas.operators.feed_forward import feed_forward_gelu_tanh
from atlas.operators.heads import join_heads, project_to_heads
from atlas.operators.layer_norm import layer_norm
from atlas.operators.linear import linear_transposed, unembedding
from atlas.operators.mixture_of_experts import mixture_of_swiglu_experts, mixture_of_swiglu_experts_renormalized
from atlas.operators.pooling import global_average_pool_2d, max_pool_2d
from atlas.operators.positions import learned_positions
from atlas.operators.registry import Operator
from atlas.operators.residual import add
from atlas.operators.rms_norm import rms_norm
from atlas.operators.rotary import rope_half, rope_interleaved

Golden = Callable[[str], dict[str, Any]]


def arrays(value: Any) -> Any:
    """Lists of numbers as arrays; lists of anything else stay lists."""
    if isinstance(value, dict):
        return {key: arrays(each) for key, each in value.items()}
    if not isinstance(value, list):
        return value
    return np.array(value) if _is_numbers(value) else [arrays(each) for each in value]


def _is_numbers(value: Any) -> bool:
    while isinstance(value, list):
        value = value[0]
    return isinstance(value, int | float)


@pytest.fixture(scope="module")
def models(golden: Golden) -> dict[str, Any]:
    """What transformers computed."""
    made = golden("models")
    assert (made["made by"], made["transformers"]) == ("make_models.py", "5.24.0")
    assert made["torch"].startswith("2.13.0")
    return {name: made["models"][name] for name in ("gpt2", "mixtral", "resnet")}


def gpt2(tokens: Any, weights: Any) -> Iterator[Any]:
    """The input of each layer, the normalized output of the last, and the logits."""
    x = learned_positions(embedding(tokens, weights["E"]), weights["P"])
    for layer in weights["layers"]:
        yield x
        normal = layer_norm(x, **layer["norm_1"], epsilon=1e-5)
        q, k, v = (project_to_heads(normal, **one) for one in layer["projections"])
        x = add(x, join_heads(attention_causal(q, k, v), **layer["joining"]))
        x = add(x, feed_forward_gelu_tanh(layer_norm(x, **layer["norm_2"], epsilon=1e-5), **layer["feed_forward"]))
    x = layer_norm(x, **weights["norm"], epsilon=1e-5)
    yield x
    yield unembedding(x, weights["E"])


def mixtral(
    tokens: Any,
    weights: Any,
    base: float,
    epsilon: float,
    rope: Operator = rope_half,
    experts: Operator = mixture_of_swiglu_experts_renormalized,
) -> Iterator[Any]:
    """The input of each layer, the normalized output of the last, and the logits."""
    x = embedding(tokens, weights["E"])
    for layer in weights["layers"]:
        yield x
        normal = rms_norm(x, layer["norm_1"], epsilon=epsilon)
        q, k, v = (project_to_heads(normal, **one) for one in layer["projections"])
        heads = grouped_query_attention_causal(rope(q, base=base), rope(k, base=base), v)
        x = add(x, join_heads(heads, layer["joining"]))
        x = add(x, experts(rms_norm(x, layer["norm_2"], epsilon=epsilon), **layer["experts"], k=2))
    x = rms_norm(x, weights["norm"], epsilon=epsilon)
    yield x
    yield linear_transposed(x, weights["W"])


def resnet(images: Any, weights: Any) -> Iterator[Any]:
    """The input of each stage, the output of the last, and the logits."""

    def normalized(x: Any, one: Any) -> Any:
        return batch_norm_running(
            convolution_2d(x, one["kernel"], **one["options"]), **one["norm"], epsilon=one["epsilon"]
        )

    x = max_pool_2d(relu(normalized(images, weights["stem"])), kernel=3, stride=2, padding=1)
    for stage in weights["stages"]:
        yield x
        for layer in stage:
            first, second, third = layer["convolutions"]
            inner = normalized(relu(normalized(relu(normalized(x, first)), second)), third)
            around = x if layer["shortcut"] is None else normalized(x, layer["shortcut"])
            x = relu(add(around, inner))
    yield x
    yield linear_transposed(global_average_pool_2d(x), **weights["head"])


def check(found: Iterator[Any], made: dict[str, Any], tolerance: float) -> None:
    states = list(found)
    assert len(states) == len(made["states"]) + 1
    for place, (state, expected) in enumerate(zip(states, [*made["states"], made["logits"]], strict=True)):
        wanted = np.array(expected)
        atol = tolerance * float(np.abs(wanted).max())
        np.testing.assert_allclose(state, wanted, rtol=0, atol=atol, err_msg=f"state {place}")


def test_gpt2(models: dict[str, Any]) -> None:
    made = models["gpt2"]
    check(gpt2(np.array(made["input"]), arrays(made["weights"])), made, 1e-13)


def test_mixtral(models: dict[str, Any]) -> None:
    """Upstream norms, softmaxes and angles are in single precision whatever the rest is."""
    made = models["mixtral"]
    assert made["facts"]["base"] == 1e6
    check(mixtral(np.array(made["input"]), arrays(made["weights"]), **made["facts"]), made, 2e-6)


def test_resnet(models: dict[str, Any]) -> None:
    made = models["resnet"]
    options = [one["options"] for layer in made["weights"]["stages"][1] for one in layer["convolutions"]]
    assert [one["stride"] for one in options] == [1, 2, 1]  # the convolution of 3 by 3 places strides
    check(resnet(np.array(made["input"]), arrays(made["weights"])), made, 1e-13)


@pytest.mark.parametrize(
    "changed", [{"rope": rope_interleaved}, {"experts": mixture_of_swiglu_experts}, {"base": 1e4}, {"epsilon": 1e-2}]
)
def test_another_formulation_is_told_apart(models: dict[str, Any], changed: dict[str, Any]) -> None:
    made = models["mixtral"]
    with pytest.raises(AssertionError, match="state 1"):
        check(mixtral(np.array(made["input"]), arrays(made["weights"]), **(made["facts"] | changed)), made, 2e-6)
