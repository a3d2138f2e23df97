"""The whole pinned Transformer of tensor2tensor, executed, against a forward pass written here from our operators.

The files are brought from their package (or the cache), never stored here.
"""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from atlas.exceptions import UpstreamError
from atlas.operators.embedding import embedding_scaled
from atlas.operators.feed_forward import feed_forward_relu
from atlas.operators.layer_norm import layer_norm
from atlas.operators.multi_head_attention import multi_head_attention, multi_head_attention_causal
from atlas.operators.positions import sinusoidal_positions, timing_signal
from atlas.sources.store import PinnedText
from atlas.upstream.compare import largest_relative_error
from atlas.upstream.program import Program, Step
from atlas.upstream.run_program import ProgramRun, run_program
from atlas.upstream.tensor import Array

MODELS = "tensor2tensor/models"
ATTENTION, LAYERS, MODALITIES, TRANSFORMER, HPARAMS = (
    f"{MODELS}/{name}.py"
    for name in ("common_attention", "common_layers", "modalities", "transformer", "common_hparams")
)
PROBLEM = "tensor2tensor/data_generators/problem_hparams.py"
RTOL = 1e-10
FIELDS = {"hidden_size": "d", "filter_size": "f", "num_heads": "h", "num_hidden_layers": "N"}

PROGRAM = Program(
    facade="tensorflow",
    constants={"symbol": "symbol", "evaluation": "eval"},
    loads={MODALITIES: ["SymbolModality"]},
    steps=[
        Step("transformer_base", file=TRANSFORMER, sets=FIELDS, gives="hparams"),
        Step(
            "default_problem_hparams",
            file=PROBLEM,
            sets={"input_modality": {"inputs": ["symbol", "V"]}, "target_modality": ["symbol", "V"]},
            gives="problem",
        ),
        Step(
            "Transformer",
            file=TRANSFORMER,
            passes={"hparams": "hparams", "mode": "evaluation", "problem_hparams": "problem"},
            gives="model",
        ),
        Step(
            "model_fn",
            on="model",
            passes={"features": {"inputs": "inputs", "targets": "targets", "target_space_id": "target_space"}},
            gives=["logits", "loss", "extra_loss"],
        ),
    ],
    watches={
        ATTENTION: ["multihead_attention"],
        LAYERS: ["layer_norm", "conv_hidden_relu"],
        MODALITIES: ["SymbolModality.bottom_simple"],
        TRANSFORMER: [
            "transformer_prepare_encoder",
            "transformer_prepare_decoder",
            "transformer_encoder",
            "transformer_decoder",
        ],
    },
    outputs={"logits": "logits.0", "loss": "loss"},
)
SIZES = {"d": 8, "f": 12, "h": 2, "N": 2, "V": 37}
SOURCE = np.array([[3, 5, 36, 7, 1], [2, 4, 1, 0, 0], [0, 9, 11, 1, 0]])
TARGET = np.array([[4, 6, 8, 1], [35, 1, 0, 0], [7, 0, 7, 1]])
SPACE = 8
INPUTS = {"inputs": SOURCE[:, :, None, None], "targets": TARGET[:, :, None, None], "target_space": np.array(SPACE)}

Files = Mapping[str, PinnedText]


@pytest.fixture(scope="module")
def found(tensor2tensor: Files) -> ProgramRun:
    return run_program(PROGRAM, tensor2tensor, inputs=INPUTS, sizes=SIZES, seed=5)


class Forward:
    """The model as its pages describe it, from our operators alone; `values` has every intermediate result."""

    prenorm = False
    positions: Callable[..., Any] = staticmethod(timing_signal)

    def __init__(self, variables: Mapping[str, Array], sizes: Mapping[str, int]) -> None:
        self.variables = variables
        self.d, self.h, self.layers = sizes["d"], sizes["h"], sizes["N"]
        modality = f"symbol_modality_{sizes['V']}_{sizes['d']}"
        self.table = np.concatenate([variables[f"{modality}/shared/weights_{i}"] for i in range(16)])
        self.values: dict[str, Array] = {}

    def run(self, source: Array, target: Array, space: int) -> Array:
        hidden = np.where(source == 0, -1e9, 0.0)[:, None, None, :]  # [B 1 1 S]
        x = self.embedded(source) + self.variables["body/target_space_embedding/kernel"][space]
        x = self.placed(x)
        self.values["encoder_input"] = x
        for n in range(self.layers):
            x = self.encoder_layer(f"body/encoder/layer_{n}", x, hidden)
        memory = x
        x = np.pad(self.embedded(target), [(0, 0), (1, 0), (0, 0)])[:, :-1]
        x = self.placed(x)
        self.values["decoder_input"] = x
        for n in range(self.layers):
            x = self.decoder_layer(f"body/decoder/layer_{n}", x, memory, hidden)
        self.values["logits"] = x @ self.table.T
        return self.values["logits"]

    def embedded(self, ids: Array) -> Array:
        return np.asarray(embedding_scaled(ids, self.table) * (ids != 0)[..., None])

    def placed(self, x: Array) -> Array:
        return np.asarray(x + self.positions(positions=x.shape[1], channels=self.d))

    def encoder_layer(self, scope: str, x: Array, hidden: Array) -> Array:
        bias = np.broadcast_to(hidden, (x.shape[0], self.h, x.shape[1], x.shape[1]))
        y = self.attention(f"{scope}/encoder_self_attention", multi_head_attention, x, x, bias)
        x = self.added(scope, 0, x, y, "multihead_attention")
        return self.added(scope, 1, x, self.feed_forward(scope, x), "conv_hidden_relu")

    def decoder_layer(self, scope: str, x: Array, memory: Array, hidden: Array) -> Array:
        y = self.attention(f"{scope}/decoder_self_attention", multi_head_attention_causal, x, x, None)
        x = self.added(scope, 0, x, y, "multihead_attention")
        bias = np.broadcast_to(hidden, (x.shape[0], self.h, x.shape[1], memory.shape[1]))
        y = self.attention(f"{scope}/encdec_attention", multi_head_attention, x, memory, bias)
        x = self.added(scope, 1, x, y, "multihead_attention_1")
        return self.added(scope, 2, x, self.feed_forward(scope, x), "conv_hidden_relu")

    def added(self, scope: str, number: int, x: Array, y: Array, sublayer: str) -> Array:
        """A residual sublayer's end: the sum is normalized."""
        name = f"{scope}/layer_norm_{number}" if number else f"{scope}/layer_norm"
        gain, shift = (self.variables[f"{name}/layer_norm_{part}"] for part in ("scale", "bias"))
        result = x + layer_norm(y, gain, shift) if self.prenorm else layer_norm(x + y, gain, shift)
        self.values[f"{scope}/{sublayer}"], self.values[name] = y, np.asarray(result)
        return np.asarray(result)

    def attention(self, scope: str, operator: Callable[..., Any], x: Array, memory: Array, bias: Array | None) -> Array:
        if memory is x:
            columns = np.split(self.kernel(f"{scope}/qkv_transform_single"), 3, axis=-1)
        else:
            both = np.split(self.kernel(f"{scope}/kv_transform_single"), 2, axis=-1)
            columns = [self.kernel(f"{scope}/q_transform_single"), *both]
        # [1 + d, d] with the bias as first row → [h, 1 + d, d / h]
        heads = [part.reshape(-1, self.h, self.d // self.h).swapaxes(0, 1) for part in columns]
        out = self.kernel(f"{scope}/output_transform_single")
        weights, biases = [part[:, 1:] for part in heads], [part[:, 0] for part in heads]
        return np.asarray(operator(x, memory, memory, *weights, out[1:], *biases, out[0], None, bias))

    def feed_forward(self, scope: str, x: Array) -> Array:
        first, second = (self.kernel(f"{scope}/conv_hidden_relu/conv{i}_single") for i in (1, 2))
        return np.asarray(feed_forward_relu(x, first[1:], first[0], second[1:], second[0]))

    def kernel(self, scope: str) -> Array:
        """A layer's bias above its weight."""
        return np.concatenate([self.variables[f"{scope}/bias"][None], self.variables[f"{scope}/kernel"][0, 0]])


def test_every_value_and_the_logits_are_those_of_our_operators(found: ProgramRun) -> None:
    forward = Forward(found.variables, SIZES)
    logits = forward.run(SOURCE, TARGET, SPACE)
    assert largest_relative_error(found.outputs["logits"][:, :, 0, 0], logits) <= RTOL
    values = dict(found.values)
    for name, expected in [
        ("body/transformer_prepare_encoder:0", forward.values["encoder_input"]),
        ("body/transformer_prepare_decoder:0", forward.values["decoder_input"]),
        ("body/transformer_encoder", forward.values["body/encoder/layer_1/layer_norm_1"]),
        ("body/transformer_decoder", forward.values["body/decoder/layer_1/layer_norm_2"]),
        ("symbol_modality_37_8/bottom_simple", forward.embedded(SOURCE)[:, :, None]),
        ("symbol_modality_37_8/bottom_simple_1", forward.embedded(TARGET)[:, :, None]),
        *((name, value) for name, value in forward.values.items() if "/layer_" in name),
    ]:
        assert largest_relative_error(values.pop(name), expected) <= RTOL, name
    assert list(values) == [
        "body/transformer_prepare_encoder:1",
        "body/transformer_prepare_encoder:2",
        "body/transformer_prepare_decoder:1",
    ]
    assert found.notices == ()


def test_what_padding_and_the_future_hide(found: ProgramRun) -> None:
    is_padding, bias = SOURCE == 0, found.values["body/transformer_prepare_encoder:1"]
    np.testing.assert_array_equal(found.values["body/transformer_prepare_encoder:2"], is_padding)
    np.testing.assert_array_equal(bias[:, 0, 0], np.where(is_padding, -1e9, 0))
    future = np.arange(4) > np.arange(4)[:, None]
    np.testing.assert_array_equal(found.values["body/transformer_prepare_decoder:1"][0, 0], np.where(future, -1e9, 0))


def test_the_loss_is_the_smoothed_cross_entropy(found: ProgramRun) -> None:
    logits = Forward(found.variables, SIZES).run(SOURCE, TARGET, SPACE)
    shares = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    low = 0.1 / (SIZES["V"] - 1)
    wanted = np.where(np.arange(SIZES["V"]) == TARGET[..., None], 0.9, low)
    divergence = (wanted * np.log(wanted / shares)).sum(-1)  # its entropy is taken off upstream
    expected = divergence[TARGET != 0].sum() / (TARGET != 0).sum()
    np.testing.assert_allclose(found.outputs["loss"], expected, rtol=1e-10)


def test_other_architectures_are_told_apart(found: ProgramRun) -> None:
    class PreNorm(Forward):
        prenorm = True

    class Alternating(Forward):
        positions = staticmethod(sinusoidal_positions)

    class Unscaled(Forward):
        def embedded(self, ids: Array) -> Array:
            return super().embedded(ids) / math.sqrt(self.d)

    class Visible(Forward):
        def encoder_layer(self, scope: str, x: Array, hidden: Array) -> Array:
            return super().encoder_layer(scope, x, 0 * hidden)

    class OneHead(Forward):
        def __init__(self, variables: Mapping[str, Array], sizes: Mapping[str, int]) -> None:
            super().__init__(variables, {**sizes, "h": 1})

    logits = found.outputs["logits"][:, :, 0, 0]
    for other in (PreNorm, Alternating, Unscaled, Visible, OneHead):
        wrong = other(found.variables, SIZES).run(SOURCE, TARGET, SPACE)
        assert largest_relative_error(logits, wrong) > 1e-3, other.__name__


def test_float32_agrees_to_its_precision(tensor2tensor: Files, found: ProgramRun) -> None:
    single = run_program(PROGRAM, tensor2tensor, inputs=INPUTS, sizes=SIZES, seed=5, dtype=np.float32)
    assert {value.dtype for value in single.variables.values()} == {np.dtype(np.float32)}
    assert single.outputs["logits"].dtype == np.float32
    for name, value in found.variables.items():
        np.testing.assert_array_equal(single.variables[name], value.astype(np.float32))
    assert largest_relative_error(single.outputs["logits"], found.outputs["logits"]) < 1e-5


def test_given_values_replace_drawn_ones(tensor2tensor: Files, found: ProgramRun) -> None:
    again = run_program(PROGRAM, tensor2tensor, inputs=INPUTS, sizes=SIZES, seed=99, values=found.variables)
    np.testing.assert_array_equal(again.outputs["logits"], found.outputs["logits"])


def settings(tensor2tensor: Files, function: str) -> Any:
    """The hyperparameters that a function of transformer.py chooses."""
    steps = [
        Step(function, file=TRANSFORMER, gives="hparams"),
        Step("values", on="hparams", gives="values"),
    ]
    program = Program(facade="tensorflow", steps=steps, settings={"values": "values"})
    return run_program(program, tensor2tensor).settings["values"]


@pytest.mark.parametrize(
    ("function", "sizes"),
    [
        ("transformer_base", {"d": 512, "f": 2048, "h": 8, "N": 6}),
        ("transformer_big", {"d": 1024, "f": 4096, "h": 16, "N": 6}),
    ],
)
def test_hyperparameters_are_upstreams_own(tensor2tensor: Files, function: str, sizes: dict[str, int]) -> None:
    chosen = settings(tensor2tensor, function)
    assert {letter: chosen[name] for name, letter in FIELDS.items()} == sizes
    assert chosen["shared_embedding_and_softmax_weights"] == 1
    assert chosen["symbol_modality_num_shards"] == 16
    assert chosen["multiply_embedding_mode"] == "sqrt_depth"


@pytest.mark.parametrize(("function", "total"), [("transformer_base", 61_413_376), ("transformer_big", 210_907_136)])
def test_variables_are_counted_at_real_sizes_without_memory(tensor2tensor: Files, function: str, total: int) -> None:
    chosen, vocabulary = settings(tensor2tensor, function), 33_708
    sizes = {letter: chosen[name] for name, letter in FIELDS.items()} | {"V": vocabulary}
    inputs = INPUTS | {"inputs": INPUTS["inputs"][:1, :2], "targets": INPUTS["targets"][:1, :2]}
    tracemalloc.start()
    counted = run_program(PROGRAM, tensor2tensor, inputs=inputs, sizes=sizes, only_shapes=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60_000_000
    d, f, layers = sizes["d"], sizes["f"], sizes["N"]
    attention, feed_forward, norm = 4 * (d * d + d), 2 * d * f + d + f, 2 * d
    encoder, decoder = attention + feed_forward + 2 * norm, 2 * attention + feed_forward + 3 * norm
    assert sum(value.size for value in counted.variables.values()) == total
    assert total == vocabulary * d + 32 * d + layers * (encoder + decoder)
    assert len(counted.variables) == 16 + 1 + layers * (12 + 18 + 2) == 209


def test_dropout_is_refused_in_training(tensor2tensor: Files) -> None:
    training = replace(PROGRAM, constants={"symbol": "symbol", "evaluation": "train"})
    message = r"^tensor2tensor/models/transformer\.py:65: ValueError: dropout would keep 0\.9 of the elements at random"
    with pytest.raises(UpstreamError, match=message):
        run_program(training, tensor2tensor, inputs=INPUTS, sizes=SIZES)


def test_a_width_that_heads_do_not_divide_is_upstreams_error(tensor2tensor: Files) -> None:
    message = r"^tensor2tensor/models/common_attention\.py:\d+: ValueError: Key depth \(8\) must be divisible"
    with pytest.raises(UpstreamError, match=message):
        run_program(PROGRAM, tensor2tensor, inputs=INPUTS, sizes=SIZES | {"h": 3})


def test_a_feed_forward_that_the_facade_does_not_serve_is_named(tensor2tensor: Files) -> None:
    first, *rest = PROGRAM.steps
    steps = [replace(first, sets={**first.sets, "ffn_layer": "convolution"}), *rest]
    constants = {**PROGRAM.constants, "convolution": "conv_hidden_relu_with_sepconv"}
    program = replace(PROGRAM, steps=steps, constants=constants)
    with pytest.raises(
        UpstreamError, match=r"common_layers\.py:\d+: AttributeError: the facade has no tensorflow\.layers\.sep"
    ):
        run_program(program, tensor2tensor, inputs=INPUTS, sizes=SIZES)
