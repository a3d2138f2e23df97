"""Sizes that are set, left open or derived: what is taken, and a clear no where one cannot be set."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from atlas.entries.atlas import Collection
from atlas.entries.collection import Model
from atlas.exceptions import SizeError
from atlas.graph.choice import SizeValue, choose, one_of_a_batch, open_sizes, set_by_stacks, small_lengths


@pytest.fixture
def model(small_models: Mapping[str, Collection]) -> Model:
    assert isinstance(small_models["nested"].data, Model)
    return small_models["nested"].data


@pytest.fixture
def own(model: Model) -> Mapping[str, SizeValue]:
    return model.variants["small"].sizes


def test_what_no_variant_binds_is_open(model: Model, own: Mapping[str, SizeValue]) -> None:
    assert open_sizes(model, own) == ["B", "S"]
    assert open_sizes(model, {}) == ["B", "S", "V", "d", "N", "m", "L", "M", "n", "k", "f"]
    assert set_by_stacks(model) == {"c": "is d in stages", "e": "is what c is after the last layer of stages"}


def test_defaults_are_told_from_what_is_stated(model: Model, own: Mapping[str, SizeValue]) -> None:
    choice = choose(model, own, {"S": 9, "m": (2, 2)}, {"B": 1, "S": 128})
    assert list(choice.sizes) == ["B", "S", "V", "d", "e", "N", "m", "L", "M", "n", "k", "f"]
    assert choice.sizes["S"] == 9
    assert choice.defaults == {"B"}
    assert choice.inputs == ("B", "S")
    assert choice.bound.lists == {"m": (2, 2)}
    assert choice.bound.numbers["B"] == 1
    assert choice.architecture.numbers.keys() == choice.bound.numbers.keys() - {"B", "S"}


def test_small_lengths_are_those_of_the_proof_or_all_different(model: Model, own: Mapping[str, SizeValue]) -> None:
    assert small_lengths(model, own) == {"B": 2, "S": 3}
    without = model.model_copy(update={"upstream": None})
    lengths = small_lengths(without, {})
    assert len(set(lengths.values())) == len(lengths) == 11


def test_the_axis_that_all_inputs_begin_with_is_the_batch(model: Model, own: Mapping[str, SizeValue]) -> None:
    assert one_of_a_batch(model, own, 7) == {"B": 1, "S": 7}
    assert one_of_a_batch(model, {**own, "S": 3}, 7) == {"B": 7}  # one open size may be the length itself


def test_a_name_has_several_spellings(model: Model, own: Mapping[str, SizeValue]) -> None:
    named = model.model_copy(update={"dimensions": {**model.dimensions, "h_{kv}": "heads", "d_k": "width"}})
    found = choose(named, own, {" h _{kv}": 2, "d_{k}": 3}, {}).sizes
    assert (found["h_{kv}"], found["d_k"]) == (2, 3)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("D", 4, "the model has no size D; did you mean d?|there is B, S"),
        ("c", 4, "c cannot be set: it is d in stages"),
        ("m", 2, "m varies from layer to layer, so it is a list, such as m=2,2"),
        ("d", (4, 4), "d is the same in every layer, so it is one number, not 2"),
        ("d", 0, "d is at least 1 and at most 1,000,000,000,000, not 0"),
        ("d", -3, "not -3"),
        ("m", (1, 0), "m is at least 1"),
        ("d", 10**13, "not 10,000,000,000,000"),
    ],
)
def test_a_size_that_cannot_be_set_is_told(
    model: Model, own: Mapping[str, SizeValue], name: str, value: SizeValue, message: str
) -> None:
    with pytest.raises(SizeError, match=message.replace("?", r"\?")):
        choose(model, own, {name: value}, {})
