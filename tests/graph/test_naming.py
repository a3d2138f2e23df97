"""Every value by its names with its shape, before anything is computed, and as the forward pass then has it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from atlas.checks.model import runnable
from atlas.entries.atlas import Collection
from atlas.entries.collection import Model
from atlas.exceptions import SizeError, UnknownValueError
from atlas.graph.forward import Traced, run_randomly
from atlas.graph.naming import Values, values_of
from atlas.graph.structure import Graph
from atlas.graph.unroll import Sizes


@pytest.fixture(scope="module")
def graph(small_models: Mapping[str, Collection]) -> Graph:
    found, issues = runnable(small_models["nested"])
    assert issues == []
    assert found is not None
    return found


def sizes_of(small_models: Mapping[str, Collection], **more: int) -> Sizes:
    assert isinstance(small_models["nested"].data, Model)
    return Sizes.of(small_models["nested"].data.variants["small"], {"B": 2, "S": 3, **more})


@pytest.fixture
def values(graph: Graph, small_models: Mapping[str, Collection]) -> Values:
    return values_of(graph, sizes_of(small_models))


def test_the_forward_pass_computes_exactly_these_values(
    graph: Graph, small_models: Mapping[str, Collection], values: Values
) -> None:
    run = run_randomly(graph, sizes_of(small_models), 0, "float64")
    assert {key: array.shape for key, array in run.values.items()} == dict(values.shapes)
    assert [one.step.key for one in run.trace] == [step.key for step in values.steps]
    assert values.of.keys() == values.shapes.keys()


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("t", "t"),
        ("input.x_0", "input.x_0"),
        ("input.x_{0}", "input.x_0"),
        ("stages[1]/rest[2].u_{r+1}", "stages[1]/rest[2].u_{r+1}"),
        (" stages[1]/rest[2].u_{r + 1} ", "stages[1]/rest[2].u_{r+1}"),
        ("stages[0].x_n", "input.x_0"),
        ("stages[1].x_n", "stages[0].x_{n+1}"),
        ("stages[1]/rest[0].u_r", "stages[0].x_{n+1}"),
        ("stages[1]/rest[1].u_r", "stages[1]/rest[0].u_{r+1}"),
        ("stages.x_{n+1}", "stages[1].x_{n+1}"),
        ("shared[2].y_n", "shared[1].y_{n+1}"),
    ],
)
def test_a_value_is_found_by_any_of_its_names(values: Values, name: str, key: str) -> None:
    assert values.find(name) == key


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("stages[2].x_{n+1}", r"no value is called stages\[2\].x_{n\+1}; did you mean stages\["),
        ("shared[0].y", r"did you mean shared\[0\].y_n\?"),
        ("", "no value is called"),
        ("embedding.E", "no value is called embedding.E"),
    ],
)
def test_a_name_of_nothing_is_told_with_the_nearest(values: Values, name: str, message: str) -> None:
    with pytest.raises(UnknownValueError, match=message):
        values.find(name)


def test_sizes_that_do_not_fit_name_the_component(graph: Graph, small_models: Mapping[str, Collection]) -> None:
    with pytest.raises(SizeError, match=r"^alternating has L/2 layers: L/2 is 3/2"):
        values_of(graph, sizes_of(small_models, L=3))
    with pytest.raises(SizeError, match="c is 24 after the last layer of stages, but e is 16"):
        values_of(graph, sizes_of(small_models, d=6))


def test_one_seed_is_one_run_and_another_is_another(graph: Graph, small_models: Mapping[str, Collection]) -> None:
    seen: list[str] = []

    def watch(traced: Traced) -> None:
        seen.append(traced.step.key)

    def outputs(seed: int, dtype: str) -> Mapping[str, np.ndarray[tuple[int, ...], np.dtype[np.float64]]]:
        return {
            key: np.asarray(one)
            for key, one in run_randomly(graph, sizes_of(small_models), seed, dtype).outputs.items()
        }

    (first,), (again,), (other,) = (list(outputs(seed, "float64").values()) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.allclose(first, other)
    (single,) = outputs(1, "float32").values()
    assert single.dtype == np.float32
    assert np.allclose(single, first, rtol=1e-3, atol=1e-3)
    run_randomly(graph, sizes_of(small_models), 0, "float32", watch)
    assert seen[0] == "input/embedding"
    assert len(seen) == 19
