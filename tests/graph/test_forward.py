"""The forward pass over a graph equals the same computation by hand, and says where it cannot go on."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from atlas.checks.graph import check_graph
from atlas.entries.load import load
from atlas.exceptions import ForwardError, ShapeError, SizeError
from atlas.graph.forward import (
    Traced,
    forward,
    random_inputs,
    random_weights,
    run_randomly,
)
from atlas.graph.structure import Graph
from atlas.graph.unroll import Sizes
from atlas.graph.weights import weights

Part = Callable[..., str]
GraphOf = Callable[..., Graph]
Arrays = dict[str, Any]

PROJECT = Path(__file__).resolve().parents[1] / "project"
SIZES = Sizes({"V": 11, "d": 6, "h": 2, "N": 3, "B": 2, "S": 5, "T": 4}, {})


@pytest.fixture(scope="module")
def tiny() -> Graph:
    """The small encoder–decoder of the tests' project."""
    atlas, issues = load(PROJECT, PROJECT / "content", PROJECT / "sources")
    assert issues == []
    graph, issues = check_graph(atlas.collections["tiny"])
    assert issues == []
    assert graph is not None
    return graph


@pytest.fixture(scope="module")
def arrays(tiny: Graph) -> Arrays:
    return dict(random_weights(tiny, SIZES, np.random.default_rng(3)))


@pytest.fixture(scope="module")
def inputs(tiny: Graph) -> Arrays:
    return dict(random_inputs(tiny, SIZES, np.random.default_rng(4)))


def attended(asks: Any, reads: Any, weight: Mapping[str, Any]) -> Any:
    """Attention in two heads, written out: each head by itself, then side by side."""
    heads = []
    for head in range(2):
        q, k, v = (one @ weight[name][head] for one, name in ((asks, "W^Q"), (reads, "W^K"), (reads, "W^V")))
        scores = np.einsum("bsk,btk->bst", q, k) / np.sqrt(3.0)
        share = np.exp(scores - scores.max(-1, keepdims=True))
        heads.append(np.einsum("bst,btk->bsk", share / share.sum(-1, keepdims=True), v))
    return np.concatenate(heads, -1) @ weight["W^O"]


def of(arrays: Arrays, place: str) -> Arrays:
    return {key.rpartition(".")[2]: array for key, array in arrays.items() if key.startswith(f"{place}.")}


def test_a_tiny_model_computes_what_is_computed_by_hand(tiny: Graph, arrays: Arrays, inputs: Arrays) -> None:
    table = arrays["input/embedding.E"]
    x = table[inputs["s"]]
    by_hand = {"input.e_s": x, "input.e_t": table[inputs["t"]]}
    for layer in range(3):
        a = attended(x, x, of(arrays, f"encoder[{layer}]/self-attention"))
        x = x + a
        by_hand |= {f"encoder[{layer}].a_n": a, f"encoder[{layer}].x_{{n+1}}": x}
    y = by_hand["input.e_t"]
    for layer in range(2):
        a = attended(y, x, of(arrays, f"decoder[{layer}]/attention"))
        y = y + a
        by_hand |= {f"decoder[{layer}].a_n": a, f"decoder[{layer}].y_{{n+1}}": y}
    by_hand[r"output.\ell"] = y @ table.T
    run = forward(tiny, SIZES, inputs, arrays)
    values: Arrays = dict(run.values)
    assert values.keys() == by_hand.keys() | {"s", "t"}
    for key, array in by_hand.items():
        np.testing.assert_allclose(values[key], array, rtol=1e-12, atol=1e-14, err_msg=key)
    assert list(run.outputs) == [r"output.\ell"]
    np.testing.assert_array_equal(run.outputs[r"output.\ell"], run.values[r"output.\ell"])
    assert run.outputs[r"output.\ell"].shape == (2, 4, 11)


def test_every_step_is_traced_with_its_shapes_while_it_runs(tiny: Graph, arrays: Arrays, inputs: Arrays) -> None:
    seen: list[Traced] = []
    run = forward(tiny, SIZES, inputs, arrays, seen.append)
    assert tuple(seen) == run.trace
    assert [one.step.key for one in seen][:4] == [
        "input/embedding", "input/target-embedding", "encoder[0]/self-attention", "encoder[0]/residual",
    ]  # fmt: skip
    last = seen[-1]
    assert (last.step.key, dict(last.reads), dict(last.writes)) == (
        "output/head", {"decoder[1].y_{n+1}": (2, 4, 6)}, {r"output.\ell": (2, 4, 11)},
    )  # fmt: skip
    assert all(run.values[key].shape == shape for one in seen for key, shape in {**one.reads, **one.writes}.items())


def test_the_tied_table_is_used_in_all_its_places(tiny: Graph, arrays: Arrays, inputs: Arrays) -> None:
    assert not [key for key in arrays if "target-embedding" in key or key.startswith("output")]
    other = arrays | {"input/embedding.E": 2 * arrays["input/embedding.E"]}
    first, second = (dict[str, Any](forward(tiny, SIZES, inputs, one).values) for one in (arrays, other))
    np.testing.assert_allclose(second["input.e_t"], 2 * first["input.e_t"])
    assert not np.allclose(second[r"output.\ell"], first[r"output.\ell"])


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"inputs": {"s": None}}, ShapeError, "the input s is missing; the model takes s, t"),
        ({"inputs": {"t": np.zeros((2, 5), int)}}, ShapeError,
         "the input t has the shape (2, 5), the model says (2, 4)"),
        ({"inputs": {"s": np.full((2, 5), 11)}}, ForwardError, "input/embedding: "),
        ({"arrays": {"encoder[1]/self-attention.W^K": None}}, ForwardError,
         "encoder[1]/self-attention: there is no weight encoder[1]/self-attention.W^K"),
        ({"arrays": {"input/embedding.E": None}}, ForwardError, "input/embedding: there is no weight input/embed"),
        ({"arrays": {"decoder[0]/attention.W^O": np.zeros((5, 6))}}, ForwardError, "decoder[0]/attention: "),
        ({"arrays": {"decoder[0]/attention.W^O": np.zeros((6, 7))}}, ForwardError,
         "decoder[0]/attention: a has the shape (2, 4, 7), its axes say (2, 4, 6)"),
    ],
)  # fmt: skip
def test_a_step_that_cannot_be_taken_says_where_it_is(
    tiny: Graph, arrays: Arrays, inputs: Arrays, change: dict[str, Any], error: type[Exception], message: str
) -> None:
    given = {"inputs": inputs, "arrays": arrays}
    for name, edits in change.items():
        given[name] = {key: one for key, one in (given[name] | edits).items() if one is not None}
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        forward(tiny, SIZES, given["inputs"], given["arrays"])


@pytest.mark.parametrize("missing", ["N", "B", "d"])
def test_a_size_that_is_missing_is_named(tiny: Graph, arrays: Arrays, inputs: Arrays, missing: str) -> None:
    sizes = Sizes({name: value for name, value in SIZES.numbers.items() if name != missing}, {})
    with pytest.raises(SizeError, match=rf"\b{missing} has no value"):
        forward(tiny, sizes, inputs, arrays)


LAYERS = r"""inputs:
  'x': {axes: [B, d, 2, 2], meaning: features}
outputs:
  'layers.x_{n+1}': features
stacks:
  layers:
    title: Layers
    layers: N
    takes: {'x_n': x}
    carries: {'x_n': 'x_{n+1}'}
    components: [norm]
"""


def norm(part: Part) -> dict[str, str]:
    symbols = {
        "x": "x: B, d, 2, 2", "g": "gamma*: d", "b": "beta*: d", "m": "mean+: d",
        "v": ("variance+: d", {"values": "positive"}), "y": "result: B, d, 2, 2",
    }  # fmt: skip
    return {
        "layers/norm": part("batch_norm_running", symbols, {"x_n": "x"}, {"x_{n+1}": "y"}, arguments={"epsilon": 0.5})
    }


@pytest.mark.parametrize("shared", [False, True])
def test_buffers_options_and_shared_weights_reach_the_operator(graph_of: GraphOf, part: Part, shared: bool) -> None:
    text = LAYERS + ("    shares_weights: true\n" if shared else "")
    graph, sizes = graph_of(text, norm(part)), Sizes({"N": 3, "B": 2, "d": 4}, {})
    arrays: Arrays = dict(random_weights(graph, sizes, np.random.default_rng(5)))
    assert len(arrays) == (4 if shared else 12)
    inputs: Arrays = dict(random_inputs(graph, sizes, np.random.default_rng(6)))
    expected = inputs["x"]
    for layer in range(3):
        g, b, m, v = (arrays[f"layers[{0 if shared else layer}]/norm.{name}"][:, None, None] for name in "gbmv")
        expected = g * (expected - m) / np.sqrt(v + 0.5) + b
    outputs: Arrays = dict(forward(graph, sizes, inputs, arrays).outputs)
    np.testing.assert_allclose(outputs["layers.x_{n+1}"], expected, rtol=1e-12)


def test_a_result_under_two_names_is_one_array(graph_of: GraphOf, part: Part) -> None:
    text = r"""inputs:
  'x': {axes: [B], meaning: features}
outputs:
  'one.y': features
  'one.z': features
stacks:
  one:
    title: One
    components: [part]
"""
    both = part("relu", {"x": "x: B", "y": "result: B"}, {"x": "x"}, {"y": "y", "z": "y"})
    run = forward(graph_of(text, {"one/part": both}), Sizes({"B": 3}, {}), {"x": np.array([-1.0, 0, 2])}, {})
    assert list(run.outputs) == ["one.y", "one.z"]
    for array in run.outputs.values():
        np.testing.assert_array_equal(array, [0, 0, 2])


def test_random_weights_are_all_drawn(graph_of: GraphOf, part: Part, tiny: Graph) -> None:
    graph, sizes = graph_of(LAYERS, norm(part)), Sizes({"N": 2, "B": 1, "d": 200}, {})
    arrays = random_weights(graph, sizes, np.random.default_rng(0))
    assert arrays.keys() == {one.key for one in weights(graph, sizes)}
    for key, array in arrays.items():
        assert array.shape == (200,)
        assert np.unique(array).size == 200  # no gain is 1 and no bias 0, as both would hide mistakes
        assert (array.min() > 0.4) == key.endswith(".v")  # the entry says that variances are positive
    matrix: Arrays = dict(
        random_weights(tiny, Sizes({**SIZES.numbers, "V": 500, "d": 100}, {}), np.random.default_rng(0))
    )
    table = matrix["input/embedding.E"]
    assert table.shape == (500, 100)
    assert 0.8 < np.std(table) * np.sqrt(100) < 1.2


def test_random_inputs_are_of_the_kind_that_is_declared(tiny: Graph, graph_of: GraphOf, part: Part) -> None:
    sizes = Sizes({**SIZES.numbers, "S": 500, "V": 5}, {})
    ids = random_inputs(tiny, sizes, np.random.default_rng(0), "float32")["s"]
    assert ids.shape == (2, 500)
    assert np.issubdtype(ids.dtype, np.integer)
    assert set(np.unique(ids)) == {1, 2, 3, 4}  # 0 stands for padding in some models
    only = random_inputs(tiny, Sizes({**SIZES.numbers, "V": 1}, {}), np.random.default_rng(0))["s"]
    assert set(np.unique(only)) == {0}
    features = random_inputs(
        graph_of(LAYERS, norm(part)), Sizes({"B": 3, "d": 2}, {}), np.random.default_rng(0), "float32"
    )
    assert (features["x"].shape, features["x"].dtype) == ((3, 2, 2, 2), np.float32)


def scores(tiny: Graph, seed: int, dtype: str) -> Any:
    return run_randomly(tiny, SIZES, seed, dtype).outputs[r"output.\ell"]


def test_one_seed_is_one_run(tiny: Graph) -> None:
    first, again, other = (scores(tiny, seed, "float64") for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    single = scores(tiny, 1, "float32")
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, first, rtol=1e-3, atol=1e-3)
