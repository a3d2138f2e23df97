"""The Transformer against its pinned code, which a program of calls runs; and every single edit of it is found."""

from __future__ import annotations

import shutil
import tracemalloc
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from atlas.checks.formula import check_formula, read_formula, read_table
from atlas.checks.graph import check_graph, count_variants
from atlas.checks.program_block import check_program_block
from atlas.checks.records_model import claims
from atlas.checks.upstream_program import verify_program
from atlas.entries.atlas import Atlas, Collection, Source
from atlas.entries.collection import Model
from atlas.entries.load import load
from atlas.entries.program import Program
from atlas.exceptions import UpstreamError
from atlas.graph.accounting import model_account
from atlas.graph.structure import Graph
from atlas.graph.unroll import Sizes
from atlas.graph.weights import upstream_shapes, weights
from atlas.issues import Issue, show
from atlas.operators.catalogue import find
from atlas.sources.store import PinnedText
from atlas.upstream.program_model import ProgramModel, chosen, tiny_sizes

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = "content/transformer"
MODEL = f"{FOLDER}/model.yml"
EMBEDDING, PADDING, SIGNAL = (
    f"{FOLDER}/encoder-input/{name}.yml" for name in ("embedding", "padding-bias", "timing-signal")
)
NORM, LAST_NORM, RESIDUAL, ATTENTION, FEED_FORWARD = (
    f"{FOLDER}/encoder/{name}.yml"
    for name in ("attention-layer-norm", "ffn-layer-norm", "attention-residual", "self-attention", "feed-forward")
)
CAUSAL, CROSS = (f"{FOLDER}/decoder/{name}.yml" for name in ("self-attention", "encoder-decoder-attention"))
SHIFT, HEAD = f"{FOLDER}/decoder-input/shift.yml", f"{FOLDER}/output/unembedding.yml"

Files = dict[str, PinnedText]


@dataclass(frozen=True, slots=True)
class Subject:
    """The Transformer of an atlas with what its proof needs."""

    atlas: Atlas
    collection: Collection
    graph: Graph
    model: Model
    program: Program
    source: Source


def subject(root: Path) -> Subject:
    atlas, issues = load(root, root / "content", root / "sources")
    assert show(issues) == ""
    collection = atlas.collections["transformer"]
    graph, issues = check_graph(collection)
    assert show(issues) == ""
    assert graph is not None
    assert isinstance(collection.data, Model)
    assert collection.data.program is not None
    source = atlas.sources[collection.data.program.source]
    return Subject(atlas, collection, graph, collection.data, collection.data.program, source)


@pytest.fixture(scope="module")
def transformer() -> Subject:
    return subject(REPOSITORY)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the Transformer and of the manifests."""
    shutil.copytree(REPOSITORY / FOLDER, tmp_path / FOLDER)
    shutil.copytree(REPOSITORY / "sources", tmp_path / "sources")
    return tmp_path


def edit(root: Path, edits: Iterable[tuple[str, str, str]]) -> None:
    for path, old, new in edits:
        file = root / path
        text = file.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{path} holds {old!r} {text.count(old)} times"
        file.write_text(text.replace(old, new), encoding="utf-8")


def found(root: Path, files: Files) -> list[Issue]:
    """What the checks of the graph find, else what the comparison finds."""
    atlas, issues = load(root, root / "content", root / "sources")
    if issues:
        return issues
    collection = atlas.collections["transformer"]
    graph, issues = check_graph(collection)
    if graph is not None:
        issues += count_variants(collection, graph)[1]
    issues += check_program_block(collection, graph if not issues else None, atlas)
    if issues or graph is None:
        return issues
    one = subject(root)
    return [issue for each in verify_program(collection, graph, one.source, files) for issue in each.issues]


def test_the_transformer_equals_its_pinned_code(transformer: Subject, tensor2tensor: Files) -> None:
    one = transformer
    compared = list(verify_program(one.collection, one.graph, one.source, tensor2tensor))
    assert show(issue for each in compared for issue in each.issues) == ""
    assert [each.claim for each in compared] == claims(one.graph, one.program)
    records = {each.claim: each.record for each in compared}
    for claim, limit in (("float32", 1e-5), ("float64", 1e-10)):
        record = records[claim]  # type: ignore[index]
        assert record is not None
        assert record.maximum_error is not None
        assert 0 < record.maximum_error < limit
        # Four values before the encoder, three before the decoder, four and six in a layer of each, and the scores.
        layers = one.program.tiny["N"]
        assert isinstance(layers, int)
        assert record.compared == 2 * (4 + 3 + layers * (4 + 6) + 1)
    tensors = records["tensors"]
    assert tensors is not None
    assert tensors.compared == 2 * 209
    assert set(tensors.versions) == {"python", "numpy", "openmodelatlas"}


@pytest.mark.parametrize("vocabulary", [33_708, 37_000, 16, 1])
def test_the_total_is_a_formula_in_the_vocabulary(transformer: Subject, vocabulary: int) -> None:
    for variant, width, rest in (("transformer_base", 512, 44_154_880), ("transformer_big", 1024, 176_390_144)):
        sizes = Sizes.of(transformer.model.variants[variant], {"V": vocabulary})
        account = model_account(transformer.graph, sizes)
        assert account.total == vocabulary * width + rest
        assert account.embedding == (vocabulary + 32) * width
        assert account.cache == account.input_cache == 2 * 6 * width


@pytest.mark.parametrize(("variant", "total"), [("transformer_base", 61_413_376), ("transformer_big", 210_907_136)])
def test_every_variable_is_counted_at_real_sizes_without_memory(
    transformer: Subject, tensor2tensor: Files, variant: str, total: int
) -> None:
    ours = Sizes.of(transformer.model.variants[variant])
    sizes = Sizes({**tiny_sizes(transformer.program).numbers, **ours.numbers}, {})
    tracemalloc.start()
    stored = ProgramModel(transformer.program, tensor2tensor, sizes, variant).tensors()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000_000  # the numbers of the larger would take 1.7 GB
    shapes = upstream_shapes(weights(transformer.graph, ours))
    assert {name: one.shape for name, one in stored.items()} == shapes
    assert len(shapes) == 209
    assert sum(one.count for one in stored.values()) == model_account(transformer.graph, ours).total == total


def test_hyperparameters_are_those_that_upstream_chooses(transformer: Subject, tensor2tensor: Files) -> None:
    base, big = (chosen(transformer.program, tensor2tensor, name) for name in ("transformer_base", "transformer_big"))
    sizes = {"hidden_size": 512, "filter_size": 2048, "num_heads": 8, "num_hidden_layers": 6}
    assert base == {**sizes, **transformer.program.hparams.settings}
    assert big == {**base, "hidden_size": 1024, "filter_size": 4096, "num_heads": 16}
    with pytest.raises(UpstreamError, match="transformer_huge"):
        chosen(transformer.program, tensor2tensor, "transformer_huge")


def test_a_run_answers_what_it_is_asked_and_nothing_else(transformer: Subject, tensor2tensor: Files) -> None:
    sizes = tiny_sizes(transformer.program)
    model = ProgramModel(transformer.program, tensor2tensor, sizes)
    rng = np.random.default_rng(3)
    model.load({name: rng.normal(size=one.shape).astype(np.float32) for name, one in model.tensors().items()})
    inputs: dict[str, Any] = {
        "source": np.ones((3, 6), np.int64),
        "target": np.ones((3, 5), np.int64),
        "target_space": np.array(7),
    }
    returned = model.run(inputs, ["logits.0"], ["body/encoder/layer_1/layer_norm_1"])
    assert returned.fields["logits.0"].dtype == np.float32
    assert {name: one.shape for name, one in returned.modules.items()} == {
        "body/encoder/layer_1/layer_norm_1": (3, 6, 8)
    }
    with pytest.raises(UpstreamError, match="nothing that is watched gives body/encoder/layer_2/layer_norm"):
        model.run(inputs, [], ["body/encoder/layer_2/layer_norm"])
    with pytest.raises(
        UpstreamError, match=r"the input source has the shape \[3, 6, 1, 1\], but ours holds 15 numbers"
    ):
        model.run(inputs | {"source": np.ones((3, 5), np.int64)}, [], [])


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
        "no list of content/transformer/model.yml names this entry",
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
        ("common_attention.py: [add", "uncommon_attention.py: [add", "A117", "pins no file"),
        ("models/transformer.py\n    functions", "models/t.py\n    functions", "A117", "pins no file"),
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


def test_a_total_that_differs_is_told(transformer: Subject, tensor2tensor: Files) -> None:
    """A tensor that upstream makes and no component names is told, nearest component first."""
    left = [node for node in transformer.graph.nodes if node.name != "target-space-embedding"]
    blocks = tuple(
        replace(block, children=tuple(one for one in block.children if one in left or not hasattr(one, "entry")))
        for block in transformer.graph.blocks
    )
    graph = replace(transformer.graph, blocks=blocks)
    compared = list(verify_program(transformer.collection, graph, transformer.source, tensor2tensor))
    assert [one.claim for one in compared if one.issues] == ["tensors"]
    message = "upstream’s body/target_space_embedding/kernel of shape [32, 8] is a parameter of no component"
    assert message in show(compared[-1].issues)
