"""Whole models against the installed library: those of the atlas agree, and what is not upstream's is told.

Edits of components are in tests/content/edits/; here are those of what a model's file says of the upstream model.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import metadata
from typing import Any

import numpy as np
import pytest

from atlas.checks.records_model import claims
from atlas.checks.upstream_model import verify_model
from atlas.exceptions import LibraryError, UpstreamError
from atlas.graph.accounting import multiply_accumulates
from atlas.graph.unroll import Sizes, Step
from atlas.graph.weights import weights
from atlas.issues import show
from atlas.sizes import Size, constant
from atlas.upstream import library_figures
from atlas.upstream.compare import largest_relative_error
from atlas.upstream.library import Library, open_library
from atlas.upstream.library_compare import compare_tensors, drawn
from atlas.upstream.library_config import configuration, tiny_sizes
from atlas.upstream.library_figures import compare_cache, compare_products
from atlas.upstream.library_model import LibraryModel, build
from atlas.upstream.library_values import value_id, watched
from tests.upstream.library_models import (
    REPOSITORY,
    Subject,
    subject,
    with_upstream,
)


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
