"""The pinned functions of tensor2tensor's Transformer one by one, and the gradients of the whole."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from atlas.operators.feed_forward import feed_forward_relu
from atlas.operators.layer_norm import layer_norm
from atlas.operators.positions import timing_signal
from atlas.sources.store import PinnedText
from atlas.upstream.execute import located
from atlas.upstream.facade import State, drawn
from atlas.upstream.linked import Linked
from atlas.upstream.tensor import Array, gradients
from atlas.upstream.tensorflow_facade import TENSORFLOW
from atlas.upstream.tensorflow_tensor import TensorFlowTensor

MODELS = "tensor2tensor/models"
ATTENTION, LAYERS, MODALITIES, TRANSFORMER = (
    f"{MODELS}/{name}.py" for name in ("common_attention", "common_layers", "modalities", "transformer")
)
PROBLEM = "tensor2tensor/data_generators/problem_hparams.py"
SOURCE = np.array([[3, 5, 36, 7, 1], [2, 4, 1, 0, 0]])
TARGET = np.array([[4, 6, 8, 1], [35, 1, 0, 0]])

Files = Mapping[str, PinnedText]
Function = Callable[[str, str], Any]


@pytest.fixture
def state() -> State:
    return State(fill=drawn(11))


@pytest.fixture
def function(tensor2tensor: Files, state: State) -> Callable[[str, str], Any]:
    linked = Linked(tensor2tensor, TENSORFLOW, state)
    return linked.definition


def tensor(*shape: int) -> TensorFlowTensor:
    return TensorFlowTensor(np.random.default_rng(shape).standard_normal(shape))


def test_attention_by_itself(function: Function, state: State) -> None:
    q, k, v, bias = tensor(2, 3, 4, 5), tensor(2, 3, 6, 5), tensor(2, 3, 6, 7), tensor(2, 1, 4, 6)
    attended = function(ATTENTION, "dot_product_attention")(q, k, v, bias, summaries=True)
    scores = np.exp(q.value @ k.value.swapaxes(-1, -2) + bias.value)
    np.testing.assert_allclose(attended.value, scores / scores.sum(-1, keepdims=True) @ v.value, rtol=1e-12)
    assert state.variables == {}
    found = function(ATTENTION, "multihead_attention")(tensor(2, 4, 6), tensor(2, 5, 3), None, 8, 12, 10, 4, 0.0)
    assert found.shape == (2, 4, 10)
    assert {name: one.tensor.shape for name, one in state.variables.items()} == {
        "multihead_attention/q_transform_single/kernel": (1, 1, 6, 8),
        "multihead_attention/q_transform_single/bias": (8,),
        "multihead_attention/kv_transform_single/kernel": (1, 1, 3, 20),
        "multihead_attention/kv_transform_single/bias": (20,),
        "multihead_attention/output_transform_single/kernel": (1, 1, 12, 10),
        "multihead_attention/output_transform_single/bias": (10,),
    }


def test_attention_biases_by_themselves(function: Function) -> None:
    lower = function(ATTENTION, "attention_bias_lower_triangle")(3)
    assert lower.value.tolist() == [[[[0, -1e9, -1e9], [0, 0, -1e9], [0, 0, 0]]]]
    padding = function(ATTENTION, "embedding_to_padding")(TensorFlowTensor(np.array([[[0.0, 0], [1, -1], [0, 2]]])))
    assert padding.value.tolist() == [[True, False, False]]
    hidden = function(ATTENTION, "attention_bias_ignore_padding")(padding)
    assert hidden.value.tolist() == [[[[-1e9, 0, 0]]]]


@pytest.mark.parametrize("channels", [8, 9])
def test_the_timing_signal_by_itself(function: Function, channels: int) -> None:
    x = tensor(2, 5, channels)
    found = function(ATTENTION, "add_timing_signal_1d")(x)
    expected = x.value + timing_signal(positions=5, channels=channels)
    np.testing.assert_allclose(found.value, expected, rtol=1e-12, atol=1e-14)


def test_layers_by_themselves(function: Function, state: State) -> None:
    x = tensor(2, 3, 4)
    widened = function(LAYERS, "conv_hidden_relu")(x, 6, 5)
    weights = [one.tensor.value.squeeze() for one in state.variables.values()]
    np.testing.assert_allclose(widened.value, feed_forward_relu(x.value, *weights), rtol=1e-12)
    normalized = function(LAYERS, "layer_norm")(x)
    gain, shift = (state.variables[f"layer_norm/layer_norm_{part}"].tensor.value for part in ("scale", "bias"))
    np.testing.assert_allclose(normalized.value, layer_norm(x.value, gain, shift), rtol=1e-12)
    shifted = function(LAYERS, "shift_left_3d")(x)
    np.testing.assert_array_equal(shifted.value[:, 1:], x.value[:, :-1])
    assert not shifted.value[:, 0].any()


def test_the_modality_by_itself(function: Function, state: State) -> None:
    hparams = function(TRANSFORMER, "transformer_base")()
    hparams.hidden_size = 8
    modality = function(MODALITIES, "SymbolModality")(hparams, 37)
    with located():
        bottom = modality.bottom(TensorFlowTensor(SOURCE[:, :, None, None]))
        again = modality.targets_bottom(TensorFlowTensor(SOURCE[:, :, None, None]))
        logits = modality.top(tensor(2, 3, 1, 8), None)
    table = np.concatenate([one.tensor.value for one in state.variables.values()])
    assert table.shape == (37, 8)
    expected = table[SOURCE] * math.sqrt(8) * (SOURCE != 0)[..., None]
    np.testing.assert_allclose(bottom.value[:, :, 0], expected, rtol=1e-12)
    np.testing.assert_array_equal(again.value, bottom.value)
    np.testing.assert_allclose(logits.value[:, :, 0, 0], tensor(2, 3, 1, 8).value[:, :, 0] @ table.T, rtol=1e-12)


def test_the_stacks_by_themselves(function: Function, state: State) -> None:
    hparams = function(TRANSFORMER, "transformer_base")()
    for name, value in {"hidden_size": 8, "filter_size": 12, "num_heads": 2, "num_hidden_layers": 1}.items():
        setattr(hparams, name, value)
    with located():
        source, bias, padding = function(TRANSFORMER, "transformer_prepare_encoder")(
            tensor(2, 5, 8), TensorFlowTensor(np.array(3)), hparams
        )
        target, mask = function(TRANSFORMER, "transformer_prepare_decoder")(tensor(2, 4, 8), hparams)
        memory = function(TRANSFORMER, "transformer_encoder")(source, lambda x, y: x + y, bias, hparams, name="in")
        result = function(TRANSFORMER, "transformer_decoder")(
            target, memory, lambda x, y: x + y, mask, bias, hparams, name="out"
        )
    assert (memory.shape, result.shape, padding.shape) == ((2, 5, 8), (2, 4, 8), (2, 5))
    assert list(state.variables)[:2] == [
        "target_space_embedding/kernel",
        "in/layer_0/encoder_self_attention/qkv_transform_single/kernel",
    ]
    assert len(state.variables) == 1 + 8 + 14


def test_gradients_of_the_loss_are_finite_differences(tensor2tensor: Files) -> None:
    sizes = {"hidden_size": 4, "filter_size": 5, "num_heads": 2, "num_hidden_layers": 1}

    def loss(values: Mapping[str, Array]) -> tuple[State, TensorFlowTensor]:
        state = State(values, fill=drawn(11))
        definition = Linked(tensor2tensor, TENSORFLOW, state).definition
        definition(MODALITIES, "SymbolModality")
        base: Any = definition(TRANSFORMER, "transformer_base")
        default: Any = definition(PROBLEM, "default_problem_hparams")
        model: Any = definition(TRANSFORMER, "Transformer")
        hparams, problem = base(), default()
        for name, value in sizes.items():
            setattr(hparams, name, value)
        problem.input_modality, problem.target_modality = {"inputs": ("symbol", 37)}, ("symbol", 37)
        features = {
            "inputs": TensorFlowTensor(SOURCE[:, :, None, None]),
            "targets": TensorFlowTensor(TARGET[:, :, None, None]),
            "target_space_id": TensorFlowTensor(np.array(8)),
        }
        return state, model(hparams, "eval", problem).model_fn(features)[1]

    state, total = loss({})
    variables = {name: one.tensor for name, one in state.variables.items()}
    slopes = gradients([total], list(variables.values()), [np.ones(())])
    values = {name: tensor.value for name, tensor in variables.items()}
    step = 1e-5
    followed = [
        "symbol_modality_37_4/shared/weights_0",
        "body/target_space_embedding/kernel",
        "body/encoder/layer_0/encoder_self_attention/qkv_transform_single/kernel",
        "body/encoder/layer_0/layer_norm/layer_norm_scale",
        "body/decoder/layer_0/encdec_attention/kv_transform_single/kernel",
        "body/decoder/layer_0/conv_hidden_relu/conv1_single/kernel",
    ]
    assert set(followed) <= set(values)
    for (name, value), slope in zip(values.items(), slopes, strict=True):
        assert slope is not None, name
        if name not in followed:
            continue
        direction = np.random.default_rng([*name.encode()]).standard_normal(value.shape)
        above, below = (float(loss(values | {name: value + sign * step * direction})[1].value) for sign in (1, -1))
        np.testing.assert_allclose((slope * direction).sum(), (above - below) / (2 * step), rtol=1e-5, atol=1e-7)
