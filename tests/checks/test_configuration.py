"""Keys of a configuration: sizes solved and compared, settings as documented, and every other key accounted for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from atlas.checks.bookkeeping import BOOKKEEPING
from atlas.checks.configuration import Configuration, check_upstream_names, read_configuration
from atlas.checks.model import runnable
from atlas.checks.sizes import check_sizes
from atlas.entries.atlas import Collection
from atlas.entries.collection import Model
from atlas.entries.load import load
from atlas.exceptions import SizeError
from atlas.graph.choice import choose
from atlas.graph.naming import values_of

MODEL = "content/nested/model.yml"
FULL: Mapping[str, object] = {
    "model_type": "nested-test",
    "vocab_size": 11,
    "hidden_size": 4,
    "stages": 2,
    "depths": [1, 3],
    "pairs": 2,
    "repeats": 3,
    "ffn": [3, 2, 5],
    "final_size": 16,
    "activation": "silu",
    "bias": False,
    "rope": {"theta": 1e4, "kind": "default"},
    "window": None,
}


def read(collection: Collection, **changes: object) -> Configuration:
    """What the whole configuration says, with these keys changed; `...` leaves one out."""
    model = collection.data
    assert isinstance(model, Model)
    assert model.upstream is not None
    data = {name: value for name, value in {**FULL, **changes}.items() if value is not ...}
    return read_configuration(model, model.upstream, data)


@pytest.fixture
def nested(small_models: Mapping[str, Collection]) -> Collection:
    return small_models["nested"]


def test_a_whole_configuration_is_a_variant(nested: Collection) -> None:
    found = read(nested)
    assert isinstance(nested.data, Model)
    assert found.problems == ()
    assert found.sizes == nested.data.variants["small"].sizes
    assert found.stated_by["L"] == "pairs"
    assert found.stated_by["k"] == "ffn"
    assert (found.defaults, found.assumed, found.ignored, found.unknown) == ((), (), {}, ())
    assert found.bookkeeping == ("model_type",)
    assert found.confirmed == ("activation", "bias", "rope", "window")


def test_what_is_left_out_is_the_librarys_default_where_it_is_stated(nested: Collection) -> None:
    found = read(nested, pairs=..., ffn=..., final_size=None, bias=..., rope=...)
    assert found.problems == ()
    assert (found.sizes["L"], found.sizes["n"], found.sizes["e"]) == (2, 3, 16)
    assert found.defaults == ("pairs", "final_size", "ffn")
    assert found.stated_by["e"] == "the default of final_size"
    assert found.assumed == ("rope", "bias")


def test_defaults_may_follow_from_each_other_in_any_order(models: Any) -> None:
    models.edit(MODEL, "{pairs: 1, final_size: 4 d,", "{pairs: 1, final_size: 4 d, hidden_size: 2 N,")
    collection = models.atlas().collections["nested"]
    found = read(collection, hidden_size=..., final_size=...)
    assert found.problems == ()
    assert (found.sizes["d"], found.sizes["e"]) == (4, 16)
    assert found.defaults == ("hidden_size", "final_size")
    [problem] = read(collection, hidden_size=..., final_size=..., stages=...).problems
    assert problem.message == "stages is left out, and the atlas states no default for it"


def test_defaults_in_a_circle_are_told(models: Any) -> None:
    models.edit(MODEL, "{pairs: 1, final_size: 4 d,", "{pairs: 1, final_size: 4 d, hidden_size: e/4,")
    collection = models.atlas().collections["nested"]
    assert read(collection, hidden_size=...).problems == ()
    [problem] = read(collection, hidden_size=..., final_size=...).problems
    assert problem.message.endswith("follow from each other, so d and e cannot be found")


def test_keys_have_other_names(nested: Collection) -> None:
    found = read(nested, hidden_size=..., width=4, theta=10000, rope=...)
    assert found.problems == ()
    assert found.sizes["d"] == 4
    assert found.stated_by["d"] == "width"
    assert found.assumed == ()
    [problem] = read(nested, theta=500000.0).problems
    assert (problem.key, problem.code) == ("theta", "A620")
    assert problem.message == "theta is 500000.0, but the documented model has 10000.0"


def test_every_key_is_accounted_for(nested: Collection) -> None:
    found = read(nested, dropout=0.1, torch_dtype="bfloat16", _name_or_path="x", n_group=2, extra={"hidden_size": 7})
    assert found.problems == ()
    assert found.ignored == {"dropout": "it is the identity in evaluation"}
    assert found.bookkeeping == ("model_type", "torch_dtype", "_name_or_path")
    assert found.unknown == ("n_group", "extra")


@pytest.mark.parametrize("name", ["hidden_size", "is_decoder", "pruned_heads", "quantization_config", "head_dim"])
def test_keys_that_change_a_model_are_no_bookkeeping(name: str) -> None:
    assert name not in BOOKKEEPING


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("activation", "gelu", 'activation is "gelu", but the documented model has "silu"; it concerns shared/experts'),
        ("bias", True, "bias is true, but the documented model has false; it concerns stages"),
        ("bias", 0, "bias is 0, but the documented model has false; it concerns stages"),
        ("bias", None, "bias is null, but the documented model has false; it concerns stages"),
        ("window", 4096, "window is 4096, but the documented model has null"),
        ("rope", {"theta": 1e4}, 'rope is {"theta": 10000.0}, but the documented model has {"theta": 10000.0, "kind"'),
        ("rope", "x" * 500, 'rope is "' + "x" * 59 + "…, but the documented"),
    ],
)
def test_another_setting_is_another_model(nested: Collection, key: str, value: object, message: str) -> None:
    [problem] = read(nested, **{key: value}).problems
    assert (problem.key, problem.code) == (key, "A620")
    assert problem.message.startswith(message)
    assert problem.hint == "this is another model, so no figures are given for it"


@pytest.mark.parametrize("value", [{"kind": "default", "theta": 10000}, {"theta": 1e4, "kind": "default"}])
def test_a_setting_is_the_same_however_its_parts_are_ordered(nested: Collection, value: object) -> None:
    assert read(nested, rope=value).problems == ()


@pytest.mark.parametrize(
    ("key", "value", "code", "message"),
    [
        ("hidden_size", "4", "A621", 'hidden_size is "4", where a whole number is expected'),
        ("hidden_size", 4.0, "A621", "hidden_size is 4.0, where a whole number is expected"),
        ("hidden_size", True, "A621", "hidden_size is true, where a whole number is expected"),
        ("hidden_size", [4], "A621", "hidden_size is [4], where a whole number is expected"),
        ("hidden_size", -4, "A621", "hidden_size is at least 1 and at most 1,000,000,000,000, not -4"),
        ("stages", 0, "A621", "stages is at least 1"),
        ("vocab_size", 10**13, "A621", "vocab_size is at least 1 and at most 1,000,000,000,000, not 10,000,"),
        ("depths", 3, "A621", "depths is 3, where a list of whole numbers is expected"),
        ("depths", [], "A621", "depths is [], where a list of whole numbers is expected"),
        ("depths", [1, None], "A621", "depths is [1, null], where a list of whole numbers is expected"),
        ("depths", [1, -2], "A621", "depths is at least 1"),
        ("ffn", [3, 2], "A621", "ffn is [3, 2], where a list of 3 whole numbers is expected"),
        ("ffn", 3, "A621", "ffn is 3, where a list of 3 whole numbers is expected"),
        ("width", 5, "A622", "width is 5, but d is 4 by hidden_size"),
        ("hidden_size", ..., "A623", "hidden_size is left out, and the atlas states no default for it"),
        ("depths", ..., "A623", "depths is left out, and the atlas states no default for it"),
        ("depths", None, "A623", "depths is left out, and the atlas states no default for it"),
    ],
)
def test_a_value_that_does_not_fit_is_one_problem(
    nested: Collection, key: str, value: object, code: str, message: str
) -> None:
    [problem] = read(nested, **{key: value}).problems
    assert problem.code == code
    assert problem.message.startswith(message)
    assert problem.key == ("" if code == "A623" else key)


def test_a_size_that_is_left_out_is_told_with_its_meaning(nested: Collection) -> None:
    [problem] = read(nested, hidden_size=...).problems
    assert problem.hint == "add it: it gives the size d, width at the beginning"


def test_all_problems_are_told_at_once(nested: Collection) -> None:
    found = read(nested, hidden_size=-1, activation="gelu", depths="x", vocab_size=...)
    assert {problem.code for problem in found.problems} == {"A620", "A621", "A623"}
    assert len(found.problems) == 4


def test_expressions_are_solved_and_compared(models: Any) -> None:
    models.edit(MODEL, "pairs: L/2,", "pairs: L/2, inner: 4 d, share: f/d, ")
    collection = models.atlas().collections["nested"]
    found = read(collection, hidden_size=..., inner=16, ffn=[3, 2, 8], share=2)
    assert found.problems == ()
    assert found.sizes["d"] == 4
    assert found.stated_by["d"] == "inner"
    [problem] = read(collection, inner=18, share=...).problems
    assert problem.message == "inner is 18, but 4 d is 16 with d = 4 (hidden_size)"
    [problem] = read(collection, share=2).problems
    assert problem.message == "share is 2, but f/d is no whole number with d = 4 (hidden_size) and f = 5 (ffn)"
    [problem] = read(collection, hidden_size=..., inner=18).problems
    assert (problem.code, problem.key) == ("A622", "inner")
    assert problem.message == "inner is 18, but no whole number d makes 4 d that"


def test_a_default_that_follows_from_a_key_is_compared_too(nested: Collection) -> None:
    found = read(nested, final_size=..., hidden_size=8)
    assert found.sizes["e"] == 32
    assert found.problems == ()


def test_the_number_of_labels_is_that_of_their_names(models: Any) -> None:
    models.edit(MODEL, "vocab_size: V,", "num_labels: V,")
    collection = models.atlas().collections["nested"]
    found = read(collection, vocab_size=..., id2label={"0": "cat", "1": "dog", "2": "cow"})
    assert found.problems == ()
    assert found.sizes["V"] == 3
    assert found.stated_by["V"] == "id2label"
    assert found.bookkeeping == ("model_type",)
    assert read(collection, vocab_size=..., num_labels=5).sizes["V"] == 5
    [problem] = read(collection, vocab_size=...).problems
    assert problem.message.startswith("num_labels is left out")


def test_a_size_that_no_key_gives_is_told(models: Any) -> None:
    models.edit(MODEL, "repeats: M, ", "")
    [problem] = read(models.atlas().collections["nested"]).problems
    assert problem.message == "no key of a configuration gives the size M"


def test_lists_of_another_length_do_not_fit_the_layers(nested: Collection) -> None:
    found = read(nested, depths=[1, 2, 3])
    assert isinstance(nested.data, Model)
    assert found.problems == ()
    graph, _ = runnable(nested)
    assert graph is not None
    with pytest.raises(SizeError, match="m has 3 values, but stages has 2 layers"):
        values_of(graph, choose(nested.data, found.sizes, {}, {"B": 1, "S": 1}).bound)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("ignored: {dropout:", "ignored: {bias:", "`bias` is in `settings` and in `ignored`"),
        (
            "width: hidden_size",
            "width: hiden_size",
            "`width` is another name of `hiden_size`, but there is no",
        ),
        ("theta: rope.theta", "theta: stages.theta", "`theta` is another name of `stages.theta`"),
        ("defaults: {pairs: 1", "defaults: {pears: 1", "`pears` has a default, but is not in `keys`"),
        ("bias: stages}", "stages: stages}", "`concerns` says what `stages` is about, but it is not in `settings`"),
        ("model_type: nested-test", "model_type: nested test", "model_type"),
    ],
)
def test_names_in_upstream_must_fit(models: Any, old: str, new: str, message: str) -> None:
    models.edit(MODEL, old, new)
    _, issues = load(models.root, models.root / "content", models.root / "sources")
    [issue] = [one for one in issues if one.path == MODEL]
    assert message in issue.message or message in str(issue)


def test_what_a_setting_concerns_is_there(models: Any) -> None:
    assert list(check_upstream_names(models.atlas().collections["nested"])) == []
    models.edit(MODEL, "bias: stages}", "bias: stages/rest/mixx}")
    [issue] = check_upstream_names(models.atlas().collections["nested"])
    assert (issue.path, issue.code, issue.hint) == (MODEL, "A609", "did you mean `stages/rest/mix`?")
    assert issue.line == models.line(MODEL, "mixx")


@pytest.mark.parametrize(("old", "new"), [("vocab_size: V,", "vocab_size: W,"), ("final_size: 4 d,", "final_size: W,")])
def test_sizes_of_keys_and_defaults_have_a_meaning(models: Any, old: str, new: str) -> None:
    assert list(check_sizes(models.atlas().collections["nested"])) == []
    models.edit(MODEL, old, new)
    [issue] = check_sizes(models.atlas().collections["nested"])
    assert (issue.code, issue.line) == ("A121", models.line(MODEL, new))
