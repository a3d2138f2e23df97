"""The memory of a forward pass, reckoned from sizes: never less than what it takes, and not far more."""

from __future__ import annotations

import tracemalloc
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from atlas.checks.model import runnable
from atlas.entries.atlas import Collection
from atlas.entries.collection import Model
from atlas.entries.load import load
from atlas.exceptions import TooLargeError
from atlas.graph.accounting import model_account
from atlas.graph.forward import run_randomly
from atlas.graph.memory import gigabytes, needed
from atlas.graph.structure import Graph
from atlas.graph.unroll import Sizes

REPOSITORY = Path(__file__).resolve().parents[2]
PLENTY = 10**15


@pytest.fixture(scope="module")
def collections(small_models: Mapping[str, Collection]) -> Mapping[str, Collection]:
    atlas, _ = load(REPOSITORY, REPOSITORY / "content", REPOSITORY / "sources")
    return {**small_models, "gpt-2": atlas.collections["gpt-2"]}


def model_of(collection: Collection) -> tuple[Graph, Model]:
    graph, issues = runnable(collection)
    assert issues == []
    assert graph is not None
    assert isinstance(collection.data, Model)
    return graph, collection.data


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("gpt-2", {"B": 1, "S": 96, "d": 96, "h": 12, "f": 384, "N": 2, "V": 4001, "P": 128}),  # weights
        ("gpt-2", {"B": 2, "S": 300, "d": 48, "h": 12, "f": 64, "N": 2, "V": 50, "P": 300}),  # attention scores
        ("gpt-2", {"B": 4, "S": 200, "d": 32, "h": 2, "f": 4096, "N": 1, "V": 50, "P": 200}),  # a hidden layer
        ("pyramid", {"B": 4, "R": 150, "N": 2}),  # windows of a convolution
    ],
)
def test_it_is_at_least_what_is_taken_and_not_far_more(
    collections: Mapping[str, Collection], name: str, more: dict[str, int], dtype: str
) -> None:
    graph, model = model_of(collections[name])
    sizes = Sizes.of(next(iter(model.variants.values())), more)
    run_randomly(graph, sizes, 0, dtype)  # what is made once, such as caches of parsed sizes, is no part of a run
    tracemalloc.start()
    try:
        run = run_randomly(graph, sizes, 0, dtype)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    found = needed(graph, sizes, dtype, PLENTY)
    assert peak <= found.total <= 5 * peak
    assert found.values == sum(array.nbytes for array in run.values.values())
    assert found.step in {one.step.key for one in run.trace}


def test_windows_of_a_large_kernel_count(models: Any) -> None:
    file = "content/pyramid/stages/convolution.yml"
    models.edit(file, "{stride: 2, padding: 1}", "{stride: 1, padding: 5}")
    models.edit(file, "[2 c, c, 3, 3]", "[2 c, c, 11, 11]")
    models.edit(file, r"[B, 2 c, '\lfloor (r-1)/2\rfloor+1', '\lfloor (r-1)/2\rfloor+1']", "[B, 2 c, r, r]")
    models.edit("content/pyramid/model.yml", r"{c: 2 c, r: '\lfloor (r-1)/2\rfloor+1'}", "{c: 2 c, r: r}")
    graph, model = model_of(models.atlas().collections["pyramid"])
    sizes = Sizes.of(model.variants["three"], {"B": 1, "R": 60, "N": 1})
    tracemalloc.start()
    try:
        run_randomly(graph, sizes, 0, "float64")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak > 8 * 3 * 11 * 11 * 60 * 60  # every window is copied
    assert peak <= needed(graph, sizes, "float64", PLENTY).total <= 6 * peak


def test_weights_are_those_of_the_account(small_models: Mapping[str, Collection]) -> None:
    graph, model = model_of(small_models["nested"])
    sizes = Sizes.of(model.variants["small"], {"B": 2, "S": 3})
    found = needed(graph, sizes, "float32", PLENTY)
    largest = 3 * 16 * 5
    assert found.weights == 4 * model_account(graph, sizes).total + 16 * largest


def test_too_much_is_told_with_its_parts(small_models: Mapping[str, Collection]) -> None:
    graph, model = model_of(small_models["nested"])
    sizes = Sizes.of(model.variants["small"], {"B": 10**9, "S": 10**9})
    with pytest.raises(TooLargeError, match=r"^it would need [\d,.]+ GB of memory .*, but may have 2.0 GB$") as caught:
        needed(graph, sizes, "float32", 2 * 10**9)
    assert "while" not in str(caught.value)  # nothing was tried
    few = Sizes.of(model.variants["small"], {"B": 1, "S": 1})
    least = needed(graph, few, "float32", PLENTY)
    assert needed(graph, few, "float32", least.total) == least
    with pytest.raises(TooLargeError, match=r"GB while [a-z0-9/\[\]-]+ runs"):
        needed(graph, few, "float32", least.total - 1)


def test_bytes_are_told_in_gigabytes() -> None:
    assert gigabytes(1_540_000_000) == "1.5 GB"
    assert gigabytes(12_345_678_901_234) == "12,345.7 GB"
