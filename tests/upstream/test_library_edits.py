"""Wrong words about upstream's models are found by comparing with its code."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from atlas.graph.weights import weights
from atlas.issues import show
from atlas.upstream import library_values
from atlas.upstream.library import Library
from atlas.upstream.library_config import tiny_sizes
from atlas.upstream.library_model import LibraryModel, build
from atlas.upstream.library_values import compare_values
from tests.upstream.library_models import (
    HEAD,
    MODEL,
    NORM,
    REPOSITORY,
    edit,
    found,
    subject,
    with_upstream,
)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the models and of the manifests."""
    for name in with_upstream():
        shutil.copytree(REPOSITORY / "content" / name, tmp_path / "content" / name)
    shutil.copytree(REPOSITORY / "sources", tmp_path / "sources")
    return tmp_path


EDITS: dict[str, tuple[list[tuple[str, str, str]], str, str]] = {
    "a key that the configuration does not have": (
        [
            (MODEL, "add_cross_attention: false", "add_crossattention: false"),
            (MODEL, "add_cross_attention: decoder", "add_crossattention: decoder"),
        ],
        "A709",
        "GPT2Config has no key add_crossattention; did you mean add_cross_attention?",
    ),
    "a default that is not the library's": (
        [(MODEL, "n_layer: 12, n_head: 12,", "n_layer: 12, n_head: 16,")],
        "A709",
        "gpt-2: GPT2Config has the default 12 for n_head, not 16",
    ),
    "a setting that is not the default, without a reason": (
        [(MODEL, "scale_attn_by_inverse_layer_idx: false", "scale_attn_by_inverse_layer_idx: true")],
        "A709",
        "gpt-2: GPT2Config has the default False for scale_attn_by_inverse_layer_idx, but the setting is True",
    ),
    "a reason for a setting that is the default": (
        [(MODEL, "  concerns:\n", "  unlike_default: {activation_function: for a test}\n  concerns:\n")],
        "A709",
        "gpt-2: activation_function is 'gelu_new', which is the default of GPT2Config, so there is nothing to explain",
    ),
    "another name of another key": (
        [(MODEL, "hidden_size: n_embd", "hidden_size: n_head")],
        "A709",
        "gpt-2: no GPT2Config can be made with another value of hidden_size, so nothing shows that it is n_head",
    ),
    "a name that the library does not know": (
        [(MODEL, "hidden_size: n_embd", "hidden_width: n_embd")],
        "A709",
        "gpt-2: made with hidden_width = 25, GPT2Config has 768 for n_embd, so it is no other name of it",
    ),
    "a default that follows only at the library's own sizes": (
        [(MODEL, "n_inner: 4 d}", "n_inner: 3072}")],
        "A709",
        "gpt-2: without n_inner, GPT2LMHeadModel has transformer.h.0.mlp.c_fc.bias of [96], but of [3072] with",
    ),
    "a default that does not follow where it is one at the library's own sizes": (
        [(MODEL, "n_layer: 12,", "n_layer: h,")],
        "A608",
        "by default GPT2Config has h for n_layer, which is 16",
    ),
    "an ignored key that changes outputs": (
        [
            (MODEL, "    scale_attn_weights: true\n", ""),
            (MODEL, "    scale_attn_weights: decoder/self-attention\n", ""),
            (MODEL, "  ignored:\n", "  ignored:\n    scale_attn_weights: for a test\n"),
        ],
        "A707",
        "but with scale_attn_weights = False GPT2LMHeadModel has other outputs",
    ),
    "an ignored key that changes tensors": (
        [
            (MODEL, "    add_cross_attention: false\n", ""),
            (MODEL, "    add_cross_attention: decoder\n", ""),
            (MODEL, "  ignored:\n", "  ignored:\n    add_cross_attention: for a test\n"),
        ],
        "A707",
        "but with add_cross_attention = True GPT2LMHeadModel has other tensors",
    ),
    "a value that the configuration refuses": (
        [(MODEL, "scale_attn_weights: true", "scale_attn_weights: sometimes")],
        "A709",
        "gpt-2: making GPT2Config:",
    ),
    "a class that the library does not have": (
        [(MODEL, "model: GPT2LMHeadModel", "model: GPT2Models")],
        "A709",
        "transformers 5.24.0 has no GPT2Models",
    ),
    "a class whose file is not pinned": (
        [(MODEL, "config: GPT2Config", "config: BloomConfig")],
        "A709",
        "the manifest does not pin configuration_bloom.py, in which transformers 5.24.0 has BloomConfig",
    ),
    "a module that upstream does not have": (
        [(MODEL, "'transformer.h.{n}.mlp'", "'transformer.h.{n}.mpl'")],
        "A709",
        "GPT2LMHeadModel has no module transformer.h.0.mpl; did you mean transformer.h.0.mlp?",
    ),
    "a field that upstream does not return": (
        [(MODEL, "outputs: {logits: ", "outputs: {scores: ")],
        "A709",
        "GPT2LMHeadModel returns no scores; it returns logits",
    ),
    "an argument that upstream does not take": (
        [(MODEL, "inputs: {input_ids: ", "inputs: {tokens: ")],
        "A709",
        "gpt-2: calling GPT2LMHeadModel:",
    ),
    "a precision that upstream is not limited to": (
        [(MODEL, "  ignored:\n", "  precision: float32\n  precision_note: for a test\n  ignored:\n")],
        "A707",
        "upstream agrees in float64 too",
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_a_wrong_word_about_upstream_is_found(copy: Path, library: Library, name: str) -> None:
    edits, code, message = EDITS[name]
    edit(copy, edits)
    issues = found(copy, library)
    assert code in {issue.code for issue in issues}
    assert any(message in f"{issue.message}; {issue.hint}" for issue in issues), show(issues)


ROTATION, EXPERTS, MIXTRAL = (
    "content/mixtral/decoder/query-rotation.yml",
    "content/mixtral/decoder/experts.yml",
    "content/mixtral/model.yml",
)


RESNET = "content/resnet/model.yml"


BATCH_NORM, RELU = (
    "content/resnet/input/batch-norm.yml",
    "content/resnet/input/relu.yml",
)


OTHER_EDITS: dict[str, tuple[list[tuple[str, str, str]], str, str]] = {
    "pairs of neighbours for pairs of halves": (
        [(ROTATION, "operator: rope_half", "operator: rope_interleaved")],
        "A707",
        "decoder/query-rotation",
    ),
    "another base of the angles": (
        [(ROTATION, "arguments: {base: 1000000.0}", "arguments: {base: 10000.0}")],
        "A707",
        "decoder/query-rotation",
    ),
    "keys that are not turned": (
        [(MIXTRAL, "in: {'k_n': 'x'}", "in: {'v_n': 'x'}")],
        "A605",
        "nothing reads k_n, which decoder/key-projection gives",
    ),
    "shares that are not divided by their sum": (
        [(EXPERTS, "operator: mixture_of_swiglu_experts_renormalized", "operator: mixture_of_swiglu_experts")],
        "A707",
        "decoder/experts gives decoder[0].m_n, which is not upstream’s model.layers.0.mlp",
    ),
    "one expert more for every token": (
        [(MIXTRAL, "num_experts_per_tok: k\n", "num_experts_per_tok: k+1\n")],
        "A707",
        "decoder/experts gives decoder[0].m_n",
    ),
    "up for gate": (
        [
            (EXPERTS, "part: 1 of 2", "part: 3 of 3"),
            (EXPERTS, "part: 2 of 2", "part: 1 of 2"),
            (EXPERTS, "part: 3 of 3", "part: 2 of 2"),
        ],
        "A707",
        "decoder/experts gives decoder[0].m_n",
    ),
    "twice the heads of keys": (
        [(MIXTRAL, "num_key_value_heads: 'h_{kv}'\n", "num_key_value_heads: '2 h_{kv}'\n")],
        "A706",
        "decoder[0]/key-projection.W: model.layers.0.self_attn.k_proj.weight has the shape [48, 28] upstream",
    ),
    "a base of the angles without consequence": (
        [
            (MIXTRAL, "    rope_parameters: {rope_type: default, rope_theta: 1000000.0}\n", ""),
            (MIXTRAL, "    rope_parameters: decoder/query-rotation\n", ""),
            (MIXTRAL, "  aliases: {num_experts: num_local_experts, rope_theta: rope_parameters.rope_theta}\n", ""),
            (MIXTRAL, "  ignored:\n", "  ignored:\n    rope_parameters: for a test\n"),
        ],
        "A707",
        "rope_parameters is said to change nothing, but with rope_parameters = {'rope_theta': 2000000.0",
    ),
    "another name of a part that is not there": (
        [(MIXTRAL, "rope_theta: rope_parameters.rope_theta}", "rope_theta: rope_parameters.theta}")],
        "A709",
        "made with rope_theta = 1, MixtralConfig has None for rope_parameters.theta",
    ),
    "a width of a head that does not follow so": (
        [(MIXTRAL, "head_dim: d/h\n", "head_dim: 128\n")],
        "A709",
        "mixtral: without head_dim, MixtralForCausalLM has model.layers.0.self_attn.k_proj.weight of [8, 28]",
    ),
    "mean for variance": (
        [
            (BATCH_NORM, "normalization.running_mean}", "normalization.running_none}"),
            (BATCH_NORM, "normalization.running_var}", "normalization.running_mean}"),
            (BATCH_NORM, "normalization.running_none}", "normalization.running_var}"),
        ],
        "A707",
        "input/batch-norm gives input.b, which is not upstream’s resnet.embedder.embedder.normalization",
    ),
    "SiLU for ReLU": (
        [(RELU, "operator: relu", "operator: silu")],
        "A707",
        "input/relu gives input.z, which is not upstream’s resnet.embedder.embedder in float32",
    ),
}


@pytest.mark.parametrize("name", OTHER_EDITS)
def test_an_edit_of_another_model_is_found(copy: Path, library: Library, name: str) -> None:
    edits, code, message = OTHER_EDITS[name]
    edit(copy, edits)
    issues = found(copy, library, edits[0][0].split("/")[1])
    assert code in {issue.code for issue in issues}
    assert any(message in f"{issue.message}; {issue.hint}" for issue in issues), show(issues)


@pytest.mark.parametrize(
    ("path", "old", "new", "message"),
    [
        (MIXTRAL, "n_e: 7, k: 5,", "n_e: 5, k: 5,", "the tiny sizes n_e and k are both 5, so one might"),
        (MIXTRAL, "n_e: 7, k: 5,", "n_e: 7, k: 1,", "the tiny size k has the value 1, with which"),
        (RESNET, "    m: [2, 4, 3, 2]\n", "    m: [2, 2, 2, 2]\n", "the tiny size m has the same value in every layer"),
        (RESNET, "    m: [2, 4, 3, 2]\n", "    m: [2, 4, 1, 2]\n", "the tiny size m has the value 1, with which"),
    ],
)  # fmt: skip
def test_tiny_sizes_behind_which_a_mistake_could_hide_are_refused(
    copy: Path, library: Library, path: str, old: str, new: str, message: str
) -> None:
    edit(copy, [(path, old, new)])
    (issue,) = found(copy, library, path.split("/")[1])
    assert issue.code == "A608"
    assert issue.message.startswith(message)
    assert issue.path == path


def test_an_issue_stands_where_the_component_states_what_is_wrong(copy: Path, library: Library) -> None:
    edit(copy, [(HEAD, ", tied: input/token-embedding.E", "")])
    (issue,) = found(copy, library)
    line = next(n for n, text in enumerate((copy / HEAD).read_text("utf-8").splitlines(), 1) if "'E': {axes" in text)
    assert (issue.code, issue.path, issue.line) == ("A706", HEAD, line)
    assert issue.hint == "add `tied: input/token-embedding.E` to E"


def test_an_issue_of_a_use_stands_in_the_models_file(copy: Path, library: Library) -> None:
    edit(copy, [(MODEL, "in: {'r_n': 'x', 'm_n': 'r'}", "in: {'x_n': 'x', 'm_n': 'r'}")])
    (issue, *_) = found(copy, library)
    assert issue.path == MODEL
    assert "feed-forward-residual" in (copy / MODEL).read_text("utf-8").splitlines()[issue.line]


def test_an_epsilon_is_seen_in_float32_by_weights_of_a_small_scale(
    copy: Path, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(copy, [(NORM, "arguments: {epsilon: 1e-5}", "arguments: {epsilon: 9.9e-6}")])
    one = subject(copy)
    sizes = tiny_sizes(one.upstream)
    model, listed = build(library, one.upstream, sizes), weights(one.graph, sizes)

    def seen() -> bool:
        found = compare_values(one.graph, one.upstream, sizes, listed, model, "float32", 1e-5)
        return found.finding is not None

    assert seen()
    monkeypatch.setattr(library_values, "FACTORS", (1.0,))
    assert not seen()


def test_counters_are_no_tensors_of_the_model(library: Library) -> None:
    import torch

    norm = torch.nn.BatchNorm2d(3)
    assert "num_batches_tracked" in norm.state_dict()
    found = LibraryModel(norm, "BatchNorm2d", library).tensors()
    assert {name: one.learned for name, one in found.items()} == {
        "weight": True,
        "bias": True,
        "running_mean": False,
        "running_var": False,
    }
