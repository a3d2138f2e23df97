"""Counts of models with nested, changing, varying, alternating and shared layers, against sums written out by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from atlas.checks.model import runnable
from atlas.entries.atlas import Collection
from atlas.entries.collection import Model
from atlas.exceptions import SizeError
from atlas.graph import accounting
from atlas.graph.accounting import ModelAccount, model_account, multiply_accumulates
from atlas.graph.structure import Graph
from atlas.graph.unroll import Sizes, Step
from atlas.graph.weights import weights
from atlas.sizes import Size, constant, size


def model_of(collection: Collection) -> tuple[Graph, Model]:
    graph, issues = runnable(collection)
    assert issues == []
    assert graph is not None
    assert isinstance(collection.data, Model)
    return graph, collection.data


@pytest.fixture
def account(small_models: Mapping[str, Collection]) -> ModelAccount:
    graph, model = model_of(small_models["nested"])
    return model_account(graph, Sizes.of(model.variants["small"]))


EXPERTS = 16 * 3 + 3 * (16 * 5 + 16 * 5 + 5 * 16)
CHOSEN = 16 * 3 + 2 * (16 * 5 + 16 * 5 + 5 * 16)
REST = 1 * 4 * 4 + 3 * 8 * 8  # m = [1, 3] at the widths 4 and 8
WIDEN = 4 * 8 + 8 * 16
BESIDES = 11 * 4 + REST + WIDEN + 2 * (16 + 16) + 16 + 11 * 16


def test_parameters(account: ModelAccount) -> None:
    assert account.total == BESIDES + EXPERTS  # once, though three layers use them
    assert account.active == BESIDES + CHOSEN
    assert account.embedding == 11 * 4
    assert account.non_embedding == account.total - 11 * 4
    assert account.buffers == 0


def test_parameters_of_stacks_and_components(account: ModelAccount) -> None:
    stacks = {one.name: (one.layers, one.per_layer, one.total) for one in account.stacks}
    assert stacks == {
        "input": (1, 44, 44),
        "stages": (2, None, REST + WIDEN),
        "stages/rest": (4, None, REST),
        "alternating": (2, 32, 64),
        "shared": (1, EXPERTS, EXPERTS),
        "output": (1, 16 + 176, 16 + 176),
    }
    local = account.entries["nested/alternating/local"]
    assert (local.layers, local.per_instance.number, local.across.number, local.uniform) == (3, 16, 48, True)
    widen = account.entries["nested/stages/widen"]
    assert (widen.layers, widen.across.number, widen.uniform) == (2, WIDEN, False)
    assert sum(one.across.value({}) for one in account.entries.values()) == account.total
    assert sum(one.total for one in account.stacks if "/" not in one.name) == account.total


def test_what_is_kept_while_generating(account: ModelAccount) -> None:
    assert account.cache == 1 * 4 + 3 * 8
    assert account.window_cache == 2 * (2 + 2 + 0) + 2  # the norm after the last layer keeps its own
    assert account.constant_state == 3 * 7  # shared weights are no shared state


def test_multiply_accumulates_per_position(account: ModelAccount) -> None:
    experts = 3 * (16 * 3 + 2 * (16 * 5 + 16 * 5 + 5 * 16))
    assert account.macs == size(f"{REST + WIDEN + experts + 16 * 11} B S")


def test_upstream_names_say_which_layer(small_models: Mapping[str, Collection]) -> None:
    graph, model = model_of(small_models["nested"])
    names = [one.tensor for one in weights(graph, Sizes.of(model.variants["small"]))]
    assert names[:4] == [
        "in.table.weight",
        "stages.0.rest.0.mix.weight",
        "stages.0.widen.weight",
        "stages.1.rest.0.mix.weight",
    ]
    assert names.count("shared.up.weight") == 1
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("rows", [1, 2, 7, 32, 129])
def test_computation_that_depends_on_the_image_is_exact_in_each_stage(
    small_models: Mapping[str, Collection], rows: int
) -> None:
    graph, model = model_of(small_models["pyramid"])
    variant = model.variants["three"]
    symbolic = model_account(graph, Sizes.of(variant)).macs
    assert symbolic.symbols == {"B", "R"}
    expected, channels, length = 0, 3, rows
    for _ in range(3):
        length = (length - 1) // 2 + 1
        expected += 5 * length * length * 2 * channels * channels * 9
        channels *= 2
    assert symbolic.value({"B": 5, "R": rows}) == expected
    assert model_account(graph, Sizes.of(variant, {"B": 5, "R": rows})).macs.number == expected


def test_what_an_open_size_ends_as_must_agree_with_what_others_make_of_it(
    small_models: Mapping[str, Collection],
) -> None:
    graph, model = model_of(small_models["pyramid"])
    (stages, output) = graph.blocks
    larger = stages.stack.model_copy(update={"then": {**stages.stack.then, "r": "r+1"}})
    other = replace(stages, id="others", stack=larger)
    twice = replace(graph, blocks=(stages, other, output))
    with pytest.raises(SizeError, match=r"r is .* after the last layer of others, but q is"):
        model_account(twice, Sizes.of(model.variants["three"]))


def test_steps_that_are_alike_are_counted_once(
    small_models: Mapping[str, Collection], monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, _ = model_of(small_models["line"])
    counted: list[str] = []

    def counting(step: Step, before: dict[str, Size]) -> Size:
        counted.append(step.key)
        return multiply_accumulates(step, before)

    monkeypatch.setattr(accounting, "multiply_accumulates", counting)
    found = model_account(graph, Sizes({"d": 5, "N": 3000}, {}))
    assert counted == ["layers[0]/product"]
    assert found.total == 3000 * 5 * 5
    assert found.macs == constant(3000 * 5 * 5) * size("B")
