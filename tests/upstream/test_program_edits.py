"""Wrong words about the Transformer are found by comparing with its pinned code."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from atlas.checks.formula import check_formula, read_formula, read_table
from atlas.entries.load import load
from atlas.issues import Issue, show
from atlas.operators.catalogue import find
from tests.upstream.library_models import edit
from tests.upstream.transformer_model import (
    ATTENTION,
    CAUSAL,
    CROSS,
    EMBEDDING,
    FEED_FORWARD,
    FOLDER,
    HEAD,
    LAST_NORM,
    MODEL,
    NORM,
    PADDING,
    REPOSITORY,
    SHIFT,
    SIGNAL,
    Files,
    found,
)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the Transformer and of the manifests."""
    shutil.copytree(REPOSITORY / FOLDER, tmp_path / FOLDER)
    shutil.copytree(REPOSITORY / "sources", tmp_path / "sources")
    return tmp_path


PRE_NORM = [
    (MODEL, "encoder/layer_{n}/layer_norm': 'encoder.v'", "encoder/layer_{n}/layer_norm': 'encoder.u'"),
    (
        MODEL,
        "      - self-attention\n      - attention-residual\n      - attention-layer-norm\n      - feed-forward\n",
        "      - attention-layer-norm\n      - self-attention\n      - attention-residual\n      - feed-forward\n",
    ),
    (MODEL, "as: feed-forward-residual\n        in: {'v': 'x'", "as: feed-forward-residual\n        in: {'u': 'x'"),
    (ATTENTION, "in: {'x_n': ['Q', 'K', 'V']", "in: {'v': ['Q', 'K', 'V']"),
    (NORM, "in: {'u': 'x'}", "in: {'x_n': 'x'}"),
    (FEED_FORWARD, "in: {'v': 'x'}", "in: {'u': 'x'}"),
    (MODEL, "as: attention-layer-norm\n        with: {S: T}\n",
     "as: attention-layer-norm\n        with: {S: T}\n        in: {'u': 'x'}\n"),
]  # fmt: skip


FUSED = "layout: '1 1 d (part h k) -> h d k', part: "


EDITS: dict[str, tuple[list[tuple[str, str, str]], str, str]] = {
    "pre-norm for post-norm": (PRE_NORM, "A707", "encoder/self-attention gives encoder[0].a, which is not upstream’s"),
    "a residual edge from before attention": (
        [(MODEL, "in: {'v': 'x', 'm': 'r'}", "in: {'x_n': 'x', 'm': 'r'}")],
        "A707",
        "encoder/ffn-layer-norm gives encoder[0].x_{n+1}",
    ),
    "a residual edge of the decoder from before the encoder was read": (
        [(MODEL, "in: {'z': 'x', 'm': 'r'}", "in: {'v': 'x', 'm': 'r'}")],
        "A707",
        "decoder/ffn-layer-norm gives decoder[0].x_{n+1}",
    ),
    "another width of a head in the configuration": (
        [(MODEL, "num_heads: h,", "num_heads: 2 h,")],
        "A707 A710",
        "encoder/self-attention gives encoder[0].a, which is not upstream’s body/encoder/layer_0/multihead_attention",
    ),
    "heads of a variant": (
        [(MODEL, "sizes: {V: 33708, d: 512, h: 8,", "sizes: {V: 33708, d: 512, h: 4,")],
        "A710",
        "h is 4 in the variant transformer_base, but transformer_base sets num_heads to 8",
    ),
    "heads of twice the width": (
        [(MODEL, "d_k: d/h}\n    scope: 'body/encoder", "d_k: 2 d/h}\n    scope: 'body/encoder")],
        "A706",
        "encoder[0]/self-attention.W^Q: body/encoder/layer_0/encoder_self_attention/qkv_transform_single/kernel has",
    ),
    "another part of the fused kernel": (
        [(ATTENTION, f"{FUSED}1 of 3", f"{FUSED}2 of 3")],
        "A606",
        "encoder[0]/self-attention.W^Q and encoder[0]/self-attention.W^K both say that they are",
    ),
    "queries and keys exchanged": (
        [
            (CAUSAL, f"{FUSED}1 of 3", f"{FUSED}9 of 9"),
            (CAUSAL, f"{FUSED}2 of 3", f"{FUSED}1 of 3"),
            (CAUSAL, f"{FUSED}9 of 9", f"{FUSED}2 of 3"),
        ],
        "A707",
        "decoder/self-attention gives decoder[0].a",
    ),
    "keys and values exchanged": (
        [
            (CROSS, f"{FUSED}1 of 2", f"{FUSED}9 of 9"),
            (CROSS, f"{FUSED}2 of 2", f"{FUSED}1 of 2"),
            (CROSS, f"{FUSED}9 of 9", f"{FUSED}2 of 2"),
        ],
        "A707",
        "decoder/encoder-decoder-attention gives decoder[0].c",
    ),
    "heads that alternate": (
        [(CROSS, "'1 1 d (h k) -> h d k'", "'1 1 d (k h) -> h d k'")],
        "A707",
        "decoder/encoder-decoder-attention gives decoder[0].c",
    ),
    "a kernel without its axes of length 1": (
        [(CROSS, "'1 1 d (h k) -> h d k'", "'1 d (h k) -> h d k'")],
        "A706",
        "decoder[0]/encoder-decoder-attention.W^Q: body/decoder/layer_0/encdec_attention/q_transform_single/kernel has",
    ),
    "positions before the shift": (
        [
            (MODEL, "      - shift\n      - use: encoder-input/timing-signal\n        as: timing-signal\n"
             "        with: {S: T}\n        in: {'r': 'x'}\n",
             "      - use: encoder-input/timing-signal\n        as: timing-signal\n        with: {S: T}\n"
             "        in: {'e': 'x'}\n        out: {'r': 'y'}\n      - shift\n"),
            (SHIFT, "in: {'e': 'x'}\nout: {'r': 'y'}", "in: {'r': 'x'}\nout: {'x_0': 'y'}"),
        ],
        "A707",
        "decoder-input/timing-signal gives decoder-input.r, which is not upstream’s body/shift_left_3d",
    ),
    "the target space after the positions": (
        [
            (MODEL, "target-space-sum, timing-signal]", "timing-signal, target-space-sum]"),
            (MODEL, "        in: {'r': 'x'}\n", "        in: {'r': 'x'}\n        out: {'x_0': 'y'}\n"),
            (SIGNAL, "in: {'e_g': 'x'}\nout: {'x_0': 'y'}", "in: {'e': 'x'}\nout: {'e_g': 'y'}"),
            (f"{FOLDER}/encoder-input/target-space-sum.yml", "in: {'e': 'e', 'g': 'g'}\nout: {'e_g': 'y'}",
             "in: {'e_g': 'e', 'g': 'g'}\nout: {'x_0': 'y'}"),
            (MODEL, "signal_1d': 'encoder-input.x_0'", "signal_1d': 'encoder-input.e_g'"),
        ],
        "A707",
        "encoder-input/timing-signal gives encoder-input.e_g, which is not upstream’s body/add_timing_signal_1d",
    ),
    "GELU for ReLU": (
        [(FEED_FORWARD, "operator: feed_forward_relu", "operator: feed_forward_gelu_tanh")],
        "A707",
        "encoder/feed-forward gives encoder[0].m, which is not upstream’s body/encoder/layer_0/conv_hidden_relu",
    ),
    "a larger ε": (
        [(LAST_NORM, "arguments: {epsilon: 1e-6}", "arguments: {epsilon: 1e-5}")],
        "A707",
        "encoder/attention-layer-norm gives encoder[0].v",
    ),
    "padding like any other token": (
        [(EMBEDDING, "operator: embedding_scaled_zero_padding", "operator: embedding_scaled")],
        "A707",
        "encoder-input/embedding gives encoder-input.e, which is not upstream’s symbol_modality_37_8/bottom_simple",
    ),
    "embeddings that are not scaled": (
        [(EMBEDDING, "operator: embedding_scaled_zero_padding", "operator: embedding")],
        "A707",
        "encoder-input/embedding gives encoder-input.e",
    ),
    "padding that is seen": (
        [(PADDING, "operator: padding_bias\n", "operator: padding_bias\narguments: {value: 0.0}\n")],
        "A707",
        "encoder-input/padding-bias gives encoder-input.p, which is not upstream’s body/transformer_prepare_encoder:1",
    ),
    "padding of the wrong attention": (
        [(ATTENTION, "in: {'x_n': ['Q', 'K', 'V'], 'encoder-input.p': 'p'}", "in: {'x_n': ['Q', 'K', 'V']}")],
        "A607",
        "no value enters transformer/encoder/self-attention as p",
    ),
    "attention to later positions": (
        [(CAUSAL, "operator: multi_head_attention_causal", "operator: multi_head_attention")],
        "A707",
        "decoder/self-attention gives decoder[0].a",
    ),
    "the encoder read before its last normalization": (
        [(CROSS, "'encoder.x_{n+1}': ['K', 'V']", "'encoder.w': ['K', 'V']")],
        "A707",
        "decoder/encoder-decoder-attention gives decoder[0].c",
    ),
    "a table of its own for the scores": (
        [(HEAD, ", tied: encoder-input/embedding.E", "")],
        "A606",
        "encoder-input/embedding.E and output/unembedding.E both say that they are symbol_modality_33708_512/",
    ),
    "another number of shards": (
        [(EMBEDDING, "        shards: 16}", "        shards: 8}"), (HEAD, "        shards: 16,", "        shards: 8,")],
        "A706",
        "encoder-input/embedding.E: symbol_modality_37_8/shared/weights_0 has the shape [3, 8] upstream, but [5, 8]",
    ),
    "a tensor without its layer": (
        [(MODEL, "scope: 'body/decoder/layer_{n}/'", "scope: 'body/decoder/layer_0/'")],
        "A606",
        "decoder[0]/self-attention.W^Q and decoder[1]/self-attention.W^Q both say that they are body/decoder/layer_0/",
    ),
    "a norm of another name": (
        [(NORM, "layer_norm/layer_norm_scale", "layer_norm/layer_norm_gain")],
        "A706",
        "attention-layer-norm.\\gamma_1: upstream has no tensor body/encoder/layer_0/layer_norm/layer_norm_gain",
    ),
    "no target space": (
        [(MODEL, "target-space-embedding, target-space-sum, timing-signal]", "target-space-embedding, timing-signal]"),
         (SIGNAL, "in: {'e_g': 'x'}", "in: {'e': 'x'}")],
        "A113",
        "no list names the entry content/transformer/",
    ),
    "a setting that is another architecture": (
        [(MODEL, "      pos: timing\n", "      pos: none\n")],
        "A710",
        "pos is stated as 'none', but transformer_base sets it to 'timing'",
    ),
    "a setting of another type": (
        [(MODEL, "shared_embedding_and_softmax_weights: 1", "shared_embedding_and_softmax_weights: true")],
        "A710",
        "shared_embedding_and_softmax_weights is stated as True, but transformer_base sets it to 1",
    ),
    "a width that its heads do not divide": (
        [(MODEL, "d: 8, h: 4, f: 12", "d: 8, h: 7, f: 12")],
        "A608",
        "at the tiny sizes the model cannot be built",
    ),
    "a call that upstream has not": (
        [(MODEL, "call: model_fn\n", "call: model_function\n")],
        "A709",
        "transformer: model.model_function: Transformer has no attribute model_function",
    ),
    "a state that nothing watches": (
        [(MODEL, "[conv_hidden_relu, embedding, layer", "[conv_hidden_relu, layer")],
        "A709",
        "transformer: nothing that is watched gives body/embedding",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_is_found_by_the_name_of_the_component(copy: Path, tensor2tensor: Files, name: str) -> None:
    edits, code, message = EDITS[name]
    edit(copy, edits)
    issues = found(copy, tensor2tensor)
    assert {issue.code for issue in issues} == {*code.split()}, show(issues)
    assert message in show(issues)


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (SIGNAL, "x_{p,i}+\\sin\\left(\\frac{p}{10000^{i/(r-1)}}", "x_{p,i}+\\sin\\left(\\frac{p}{10000^{i/r}}"),
        (SIGNAL, "y_{p,r+i}&=x_{p,r+i}+\\cos", "y_{p,r+i}&=x_{p,r+i}+\\sin"),
        (FEED_FORWARD, "\\max(0,xW_1+b_1)", "(xW_1+b_1)"),
        (CAUSAL, "t\\le s", "t<s"),
        (CROSS, "M_{s,t}&=p_t", "M_{s,t}&=-p_t"),
        (ATTENTION, "\\frac{QW_i^Q+b_i^Q}{\\sqrt{d_k}}", "\\frac{QW_i^Q+b_i^Q}{d_k}"),
        (PADDING, "10^9", "10^8"),
        (EMBEDDING, "\\mathbb{1}[t\\neq0]\\,", ""),
        (LAST_NORM, "10^{-6}", "10^{-5}"),
    ],
)  # fmt: skip
def test_a_formula_that_is_not_the_operators_is_found(copy: Path, path: str, old: str, new: str) -> None:
    def checked() -> list[Issue]:
        atlas, issues = load(copy, copy / "content", copy / "sources")
        assert show(issues) == ""
        entry = next(one for one in atlas.entries if one.path == path)
        operator = find(entry.data.operator)
        table, issues = read_table(entry, operator)
        assert show(issues) == ""
        assert table is not None
        formula, issues, _ = read_formula(entry, table)
        assert show(issues) == ""
        assert formula is not None
        return check_formula(entry, operator, formula)[1]

    assert show(checked()) == ""
    edit(copy, [(path, old, new)])
    issues = checked()
    assert [issue.code for issue in issues] == ["A260"], show(issues)
    assert issues[0].path == path


@pytest.mark.parametrize(
    ("old", "new", "code", "message"),
    [
        ("  source: tensor2tensor\n  facade", "  source: tensor3\n  facade", "A116", "no manifest is called tensor3"),
        ("complete: true", "complete: false", "A608", "a model that is documented in part is not compared"),
        ("common_attention.py: [add", "uncommon_attention.py: [add", "A117", "does not pin"),
        ("models/transformer.py\n    functions", "models/t.py\n    functions", "A117", "does not pin"),
        ("{transformer_base: transformer_base, ", "{", "A608", "no function is named that chooses"),
        ("big: transformer_big}", "big: transformer_big, huge: huge}", "A608", "huge is no variant of the model"),
        ("{hidden_size: d,", "{hidden_size: q,", "A608", "in the tiny sizes, hidden_size: "),
        ("shape: [B, S, 1, 1]", "shape: [B, U, 1, 1]", "A608", "at the tiny sizes, "),
        ("tiny: {B: 3,", "tiny: {Q: 3, B: 3,", "A608", "Q is no dimension of the model"),
        ("h: 4, f: 12, N: 2}", "h: 2, f: 12, N: 2}", "A608", "the tiny sizes h and N are both 2, so one might stand"),
        ("h: 4, f: 12, N: 2}", "h: 4, f: 12, N: 1}", "A608", "the tiny size N has the value 1"),
        ("    target_space: {value: 'c'}\n", "", "A608", "upstream is not given the input c"),
        ("target_space: {value: 'c'}", "target_space: {value: 'g'}", "A608", "target_space is given g, which is no"),
        ("logits.0: 'output.\\ell'", "logits.0: 'output.z'", "A608", "no component gives the value output.z"),
        ("layer_{n}/layer_norm': 'encoder.v'", "layer_{m}/layer_norm': 'encoder.v'", "A608", "that is no stack's"),
        ("layer_{n}/layer_norm': 'encoder.v'", "layer_0/layer_norm': 'encoder.v'", "A608", "several values are"),
    ],
)  # fmt: skip
def test_a_block_that_names_nothing_is_told_before_it_is_run(
    copy: Path, tensor2tensor: Files, old: str, new: str, code: str, message: str
) -> None:
    edit(copy, [(MODEL, old, new)])
    issues = found(copy, tensor2tensor)
    assert code in {issue.code for issue in issues}, show(issues)
    assert message in show(issues)
    assert all(issue.path == MODEL and issue.line for issue in issues)
