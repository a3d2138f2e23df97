"""Whole models against the installed library: those of the atlas agree, and what is not upstream's is told.

Edits of components are in tests/content/edits/; here are those of what a model's file says of the upstream model.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from atlas.checks.graph import check_graph, count_variants
from atlas.checks.records_model import claims
from atlas.checks.upstream_block import check_upstream_block
from atlas.checks.upstream_model import verify_model
from atlas.entries.atlas import Atlas, Collection, Source
from atlas.entries.collection import Model, Upstream
from atlas.entries.load import load
from atlas.exceptions import LibraryError, UpstreamError
from atlas.graph.accounting import ModelAccount, model_account, multiply_accumulates
from atlas.graph.structure import Graph
from atlas.graph.unroll import Sizes, Step
from atlas.graph.weights import weights
from atlas.issues import Issue, show
from atlas.sizes import Size, constant
from atlas.upstream import library_figures, library_values
from atlas.upstream.compare import largest_relative_error
from atlas.upstream.library import Library, open_library
from atlas.upstream.library_compare import compare_tensors, drawn
from atlas.upstream.library_config import configuration, tiny_sizes
from atlas.upstream.library_figures import compare_cache, compare_products
from atlas.upstream.library_model import LibraryModel, build
from atlas.upstream.library_values import compare_values, value_id, watched

REPOSITORY = Path(__file__).resolve().parents[2]

MODEL = "content/gpt-2/model.yml"
NORM = "content/gpt-2/decoder/attention-layer-norm.yml"
HEAD = "content/gpt-2/output/unembedding.yml"


def with_upstream() -> list[str]:
    """The models of this repository that name an upstream one."""
    atlas, _ = load(REPOSITORY, REPOSITORY / "content", REPOSITORY / "sources")
    return [name for name, one in atlas.collections.items() if isinstance(one.data, Model) and one.data.upstream]


@dataclass(frozen=True, slots=True)
class Subject:
    """A model of an atlas with what its proof needs."""

    atlas: Atlas
    collection: Collection
    graph: Graph
    model: Model
    upstream: Upstream
    source: Source

    @property
    def account(self) -> ModelAccount:
        return model_account(self.graph, tiny_sizes(self.upstream))


def subject(root: Path, name: str = "gpt-2") -> Subject:
    atlas, issues = load(root, root / "content", root / "sources")
    assert issues == []
    collection = atlas.collections[name]
    graph, issues = check_graph(collection)
    assert issues == []
    assert graph is not None
    assert isinstance(collection.data, Model)
    assert collection.data.upstream is not None
    source = atlas.sources[collection.data.upstream.source]
    return Subject(atlas, collection, graph, collection.data, collection.data.upstream, source)


@pytest.fixture(scope="session")
def library() -> Library:
    return open_library(subject(REPOSITORY).source)


@pytest.fixture(scope="module")
def gpt2() -> Subject:
    return subject(REPOSITORY)


@pytest.fixture
def tiny(gpt2: Subject, library: Library) -> LibraryModel:
    return build(library, gpt2.upstream, tiny_sizes(gpt2.upstream))


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the models and of the manifests."""
    for name in with_upstream():
        shutil.copytree(REPOSITORY / "content" / name, tmp_path / "content" / name)
    shutil.copytree(REPOSITORY / "sources", tmp_path / "sources")
    return tmp_path


def edit(root: Path, edits: Iterable[tuple[str, str, str]]) -> None:
    for path, old, new in edits:
        file = root / path
        text = file.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{path} holds {old!r} {text.count(old)} times"
        file.write_text(text.replace(old, new), encoding="utf-8")


def found(root: Path, library: Library, name: str = "gpt-2") -> list[Issue]:
    """What the checks of the graph find, else what the comparison finds."""
    atlas, issues = load(root, root / "content", root / "sources")
    assert issues == []
    collection = atlas.collections[name]
    graph, issues = check_graph(collection)
    if graph is not None:
        issues += count_variants(collection, graph)[1]
    issues += check_upstream_block(collection, graph if not issues else None, atlas)
    if issues:
        return issues
    one = subject(root, name)
    # At real sizes the models of the atlas are compared; an edit is found at the tiny ones or at those of one variant.
    first = dict(list(one.model.variants.items())[:1])
    collection = replace(one.collection, data=one.model.model_copy(update={"variants": first}))
    return [issue for compared in verify_model(collection, one.graph, one.source, library) for issue in compared.issues]


@pytest.mark.parametrize("name", with_upstream())
def test_the_models_of_the_atlas_equal_upstreams(name: str, library: Library) -> None:
    one = subject(REPOSITORY, name)
    compared = list(verify_model(one.collection, one.graph, one.source, library))
    assert show(issue for each in compared for issue in each.issues) == ""
    assert [each.claim for each in compared] == claims(one.graph, one.upstream)
    records = {each.claim: each.record for each in compared}
    for claim, limit in (("float32", 1e-5), ("float64", 1e-10)):
        record = records.get(claim)  # type: ignore[call-overload]
        if record is not None:
            assert 0 < record.maximum_error < limit
            assert record.compared >= 2 * len(one.upstream.outputs)
    tensors = records["tensors"]
    assert tensors is not None
    assert tensors.compared > len(one.model.variants)
    assert tensors.versions["transformers"] == "5.24.0"


def test_the_totals_that_are_published_are_those_of_upstream(gpt2: Subject, library: Library) -> None:
    totals = {}
    for name, variant in gpt2.model.variants.items():
        sizes = replace(tiny_sizes(gpt2.upstream), numbers=variant.numbers)
        model = build(library, gpt2.upstream, sizes, meta=True)
        assert model.allocated() == []
        totals[name] = sum(one.count for one in model.tensors().values() if one.held_as == one.name)
    assert totals == {
        "gpt2": 124_439_808,
        "gpt2-medium": 354_823_168,
        "gpt2-large": 774_030_080,
        "gpt2-xl": 1_557_611_200,
    }


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


def test_a_tensor_that_no_component_names_is_told_of_the_nearest(gpt2: Subject, tiny: LibraryModel) -> None:
    listed = [weight for weight in weights(gpt2.graph, tiny_sizes(gpt2.upstream)) if not weight.key.endswith(".b_2")]
    (first, *_) = compare_tensors(listed, tiny.tensors())
    assert first.node is not None
    assert first.node.id == "decoder/feed-forward"
    assert first.message.startswith("upstream’s transformer.h.0.mlp.c_proj.bias of shape [24] is a parameter of no")


def test_every_tensor_is_drawn_and_no_two_numbers_are_alike(gpt2: Subject, tiny: LibraryModel) -> None:
    listed, stored = weights(gpt2.graph, tiny_sizes(gpt2.upstream)), tiny.tensors()
    arrays = drawn(listed, stored, np.random.default_rng(0), 1.0)
    assert arrays.keys() == {one.held_as for one in stored.values()}
    together = np.concatenate([array.ravel() for array in arrays.values()])
    assert len(np.unique(together)) == len(together)
    tiny.load(arrays)
    state = tiny.module.state_dict()
    assert all(largest_relative_error(state[name].numpy(), array) < 1e-6 for name, array in arrays.items())


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


def test_variances_are_drawn_positive(gpt2: Subject, tiny: LibraryModel) -> None:
    stored = tiny.tensors()
    listed = weights(gpt2.graph, tiny_sizes(gpt2.upstream))
    name = "transformer.h.0.ln_1.weight"
    before = drawn(listed, stored, np.random.default_rng(0), 0.01)[name]
    (gain,) = (weight for weight in listed if weight.tensor == name)
    data = gain.node.entry.data
    positive = data.symbols["\\gamma"].model_copy(update={"values": "positive"})
    entry = replace(gain.node.entry, data=data.model_copy(update={"symbols": {**data.symbols, "\\gamma": positive}}))
    listed[listed.index(gain)] = replace(gain, node=replace(gain.node, entry=entry))
    after = drawn(listed, stored, np.random.default_rng(0), 0.01)[name]
    assert before.max() > 1e-3
    assert 0 < after.min() < after.max() < 1e-3


def test_states_are_expanded_over_the_layers_in_the_order_of_the_data_flow(gpt2: Subject) -> None:
    listed = watched(gpt2.graph, gpt2.upstream, tiny_sizes(gpt2.upstream))
    names = [one.theirs for one in listed]
    layer = [f"transformer.h.{{}}{part}" for part in (".ln_1", ".attn", ".ln_2", ".mlp", "")]
    assert names == [
        "transformer.wte",
        "transformer.drop",
        *(name.format(index) for index in range(3) for name in layer),
        "transformer.ln_f",
        "logits",
    ]
    assert value_id("stages.first.x_{n}") == "stages/first.x_n"
    assert value_id("x_{n}") == "x_n"


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("transformer.h.{m}", "the name transformer.h.{m} has a letter that is no stack's around"),
        ("transformer.h", "several values are compared with upstream’s module transformer.h"),
    ],
)
def test_a_module_that_tells_no_layer_is_refused(gpt2: Subject, template: str, message: str) -> None:
    upstream = gpt2.upstream.model_copy(update={"states": {template: "decoder.x_{n+1}"}})
    with pytest.raises(UpstreamError, match=message.replace("{", r"\{")):
        watched(gpt2.graph, upstream, tiny_sizes(gpt2.upstream))


def test_a_module_that_is_called_twice_has_no_one_value(gpt2: Subject, tiny: LibraryModel) -> None:
    inputs = {"input_ids": np.ones((2, 7), dtype=np.int64)}
    layers = tiny.module.transformer.h
    layers[1].mlp.act = layers[0].mlp.act
    with pytest.raises(UpstreamError, match=r"calls its module transformer\.h\.0\.mlp\.act several times"):
        tiny.run(inputs, [], ["transformer.h.0.mlp.act"])
    with pytest.raises(UpstreamError, match=r"never calls its module transformer\.h$"):
        tiny.run(inputs, [], ["transformer.h"])


def test_lists_and_symbols_become_keys_of_the_configuration(gpt2: Subject) -> None:
    keys = {"depths": "D", "hidden_sizes": ("2 c", "4 c"), "channels": "c"}
    settings = {"rope": {"kind": "default", "factors": (1, 2)}}
    upstream = gpt2.upstream.model_copy(
        update={"keys": keys, "settings": settings, "tiny": {"c": 3, "D": (1, 2)}},
    )
    assert configuration(upstream, tiny_sizes(upstream)) == {
        "rope": {"kind": "default", "factors": [1, 2]},
        "depths": [1, 2],
        "hidden_sizes": [6, 12],
        "channels": 3,
    }


def test_a_product_that_is_not_counted_names_the_component(
    gpt2: Subject, tiny: LibraryModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes, account = tiny_sizes(gpt2.upstream), gpt2.account
    assert compare_products(gpt2.graph, gpt2.upstream, sizes, account, tiny).finding is None
    less = replace(account, macs=account.macs + constant(-1))
    found = compare_products(gpt2.graph, gpt2.upstream, sizes, less, tiny)
    assert found.finding is not None
    assert (
        found.finding.message == "a forward pass makes 229,487 multiply–accumulates by our count, 229,488 by upstream’s"
    )
    assert found.finding.hint.startswith("upstream’s largest: transformer.h.0.attn.c_attn 24,192, ")

    def half(step: Step) -> Size:
        return constant(1) if step.node.name == "feed-forward" else multiply_accumulates(step)

    monkeypatch.setattr(library_figures, "multiply_accumulates", half)
    found = compare_products(gpt2.graph, gpt2.upstream, sizes, less, tiny)
    assert found.finding is not None
    assert found.finding.node is not None
    assert found.finding.node.id == "decoder/feed-forward"


def test_what_is_left_over_is_told_of_the_nearest_layer_and_part(gpt2: Subject, tiny: LibraryModel) -> None:
    listed = weights(gpt2.graph, tiny_sizes(gpt2.upstream))
    two = [weight for weight in listed if ".h.2." not in (weight.tensor or "")]
    (first, *_) = compare_tensors(two, tiny.tensors())
    assert first.message.startswith("upstream’s transformer.h.2.ln_1.weight of shape [24] is a parameter of no")
    assert first.message.endswith("the nearest is decoder/attention-layer-norm, with transformer.h.1.ln_1.weight")


def test_a_cache_that_is_not_counted_is_told(gpt2: Subject, tiny: LibraryModel) -> None:
    more = replace(gpt2.account, constant_state=1)
    found = compare_cache(gpt2.graph, gpt2.upstream, tiny_sizes(gpt2.upstream), more, tiny)
    assert (found.ours, found.theirs) == (2018, 2016)
    assert found.finding is not None
    numbers = {**tiny_sizes(gpt2.upstream).numbers, "B": 1, "S": 5}
    found = compare_cache(gpt2.graph, gpt2.upstream, Sizes(numbers, {}), gpt2.account, tiny)
    assert (found.ours, found.theirs, found.finding) == (720, 720, None)


def test_the_library_must_be_installed(gpt2: Subject, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    with pytest.raises(
        LibraryError, match=r"transformers is not installed, .*: pip install 'openmodelatlas\[verify\]'"
    ):
        open_library(gpt2.source)


@pytest.mark.parametrize(
    ("versions", "message"),
    [
        (
            {"transformers": "5.23.0", "torch": "2.13.0"},
            "transformers 5.23.0 is installed, but proofs are made with 5.24.0",
        ),
        (
            {"transformers": "5.24.0", "torch": "2.12.1+cpu"},
            r"torch 2.12.1\+cpu is installed, but proofs are made with 2.13",
        ),
    ],
)
def test_the_library_must_have_the_pinned_version(
    gpt2: Subject, monkeypatch: pytest.MonkeyPatch, versions: dict[str, str], message: str
) -> None:
    monkeypatch.setattr(metadata, "version", versions.__getitem__)
    with pytest.raises(LibraryError, match=message):
        open_library(gpt2.source)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"blob": "0" * 40}, "is pinned as blob 0{40}, but the installed transformers 5.24.0 has [0-9a-f]{40}"),
        ({"path": "src/transformers/nothing.py"}, "the installed transformers 5.24.0 has no transformers/nothing.py"),
        ({"path": "src/others/nothing.py"}, "has no others/nothing.py"),
        ({"artifact": None}, "pins no package"),
    ],
)
def test_the_library_must_hold_the_pinned_files(gpt2: Subject, change: dict[str, Any], message: str) -> None:
    manifest = gpt2.source.data
    path, pinned = next(iter(manifest.files.items()))
    files = {**manifest.files}
    files[change.get("path", path)] = pinned.model_copy(update={"blob": change.get("blob", pinned.blob)})
    data = manifest.model_copy(update={"files": files, "artifact": change.get("artifact", manifest.artifact)})
    with pytest.raises(LibraryError, match=message):
        open_library(replace(gpt2.source, data=data))
