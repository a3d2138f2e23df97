"""Every weight of a model: where it is, how large, what it is the same as, how much of it one token meets."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from atlas.checks.graph import count_variants
from atlas.entries.atlas import Collection
from atlas.exceptions import ShapeError, SizeError
from atlas.graph.accounting import model_account
from atlas.graph.structure import Graph
from atlas.graph.unroll import Sizes
from atlas.graph.weights import resolved, upstream_shapes, weights

Part = Callable[..., str]
GraphOf = Callable[..., Graph]
ModelOf = Callable[..., Collection]

MODEL = r"""inputs:
  't': {axes: [B], ids: V, meaning: ids}
outputs:
  'last.z': scores
stacks:
  first:
    title: First
    components: [table]
    scope: 'model.'
  layers:
    title: Layers
    layers: N
    takes: {'x_n': 'first.x'}
    carries: {'x_n': 'x_{n+1}'}
    scope: 'model.layers.{n}.'
    components:
      - norm
      - experts
  last:
    title: Last
    components: [head]
"""


def parts(part: Part, **experts: Any) -> dict[str, str]:
    table = part(
        "embedding",
        {"t": ("t: B", {"ids": "V"}), "E": ("E*: V, d", {"tensor": "embed.weight"}), "x": "result: B, d"},
        {"t": "t"},
        {"x": "x"},
    )
    stored = {name: (f"{one}: d", {"tensor": f"norm.{name}"}) for name, one in
              {"g": "gamma*", "b": "beta*", "m": "mean+", "v": "variance+"}.items()}  # fmt: skip
    norm = part("batch_norm_running", {"x": "x: B, d", **stored, "y": "result: B, d"}, {"x_n": "x"}, {"y": "y"})
    chosen = {"active": {"n": "k"}} | experts
    symbols = {
        "x": "x: B, d",
        "R": ("W_r*: d, n", {"tensor": "router"}),
        "G": ("W_g*: n, d, f", {"tensor": "gate", **chosen}),
        "U": ("W_u*: n, d, f", {"tensor": "up", **chosen}),
        "D": ("W_d*: n, f, d", {"tensor": "down", **chosen}),
        "y": "result: B, d",
    }
    mixture = part("mixture_of_swiglu_experts", symbols, {"y": "x"}, {"x_{n+1}": "y"}, arguments={"k": 2})
    head = part(
        "unembedding",
        {"x": "x: B, d", "E": ("E*: V, d", {"tensor": "head.weight", "tied": "first/table.E"}), "z": "result: B, V"},
        {"layers.x_{n+1}": "x"},
        {"z": "z"},
    )
    return {"first/table": table, "layers/norm": norm, "layers/experts": mixture, "last/head": head}


SIZES = Sizes({"V": 11, "d": 5, "n": 4, "f": 3, "k": 2, "N": 2, "B": 1}, {})


def test_each_weight_has_its_place_shape_and_name(graph_of: GraphOf, part: Part) -> None:
    found = {one.key: one for one in weights(graph_of(MODEL, parts(part)), SIZES)}
    assert {key: (one.shape, one.learned, one.tensor) for key, one in found.items() if "[1]" not in key} == {
        "first/table.E": ((11, 5), True, "model.embed.weight"),
        "layers[0]/norm.g": ((5,), True, "model.layers.0.norm.g"),
        "layers[0]/norm.b": ((5,), True, "model.layers.0.norm.b"),
        "layers[0]/norm.m": ((5,), False, "model.layers.0.norm.m"),
        "layers[0]/norm.v": ((5,), False, "model.layers.0.norm.v"),
        "layers[0]/experts.R": ((5, 4), True, "model.layers.0.router"),
        "layers[0]/experts.G": ((4, 5, 3), True, "model.layers.0.gate"),
        "layers[0]/experts.U": ((4, 5, 3), True, "model.layers.0.up"),
        "layers[0]/experts.D": ((4, 3, 5), True, "model.layers.0.down"),
        "last/head.E": ((11, 5), True, "head.weight"),
    }
    assert [key for key in found if "[1]" in key] == [
        key.replace("[0]", "[1]") for key in found if "[0]" in key
    ]  # fmt: skip
    assert found["layers[1]/experts.D"].tensor == "model.layers.1.down"


def test_what_one_token_meets_of_experts_is_a_part(graph_of: GraphOf, part: Part) -> None:
    found = {one.key: one for one in weights(graph_of(MODEL, parts(part)), SIZES)}
    assert found["layers[0]/experts.G"].count == 4 * 5 * 3
    assert found["layers[0]/experts.G"].active == 2 * 5 * 3
    assert found["layers[0]/experts.R"].active == found["layers[0]/experts.R"].count == 20
    account = model_account(graph_of(MODEL, parts(part)), SIZES)
    assert account.total == 55 + 2 * (10 + 20 + 3 * 60)
    assert account.active == 55 + 2 * (10 + 20 + 3 * 30)
    assert account.buffers == 2 * 10
    assert (account.embedding, account.non_embedding) == (55, account.total - 55)


def test_more_active_experts_than_there_are(model_of: ModelOf, graph_of: GraphOf, part: Part) -> None:
    graph = graph_of(MODEL, parts(part))
    with pytest.raises(SizeError, match=r"^layers\[0\]/experts.G: one token would use 5 of n, which is 4$"):
        weights(graph, Sizes({**SIZES.numbers, "k": 5}, {}))
    _, found = count_variants(model_of(MODEL, parts(part), V=11, d=5, n=4, f=3, k=5, N=2), graph)
    assert [(issue.path, issue.code) for issue in found] == [("content/tiny/model.yml", "A606")]


def test_a_size_that_only_a_part_needs_is_asked_for(model_of: ModelOf, graph_of: GraphOf, part: Part) -> None:
    """Nothing but `active` has the size k, which no variant gives; no total can then be told."""
    graph = graph_of(MODEL, parts(part))
    _, (issue,) = count_variants(model_of(MODEL, parts(part), V=11, d=5, n=4, f=3, N=2), graph)
    assert issue.code == "A606"
    assert issue.message == "in the variant small the model cannot be built: k has no value"


@pytest.mark.parametrize(("axis", "message"), [("d_k", "d_k is none"), ("(", "the size `(` ends")])
def test_a_part_is_a_part_of_an_axis(part: Part, model_of: ModelOf, axis: str, message: str) -> None:
    with pytest.raises(AssertionError, match=re.escape(message)):  # loading gives an issue
        model_of(MODEL, parts(part, active={axis: "k"}))


def test_a_tied_weight_is_the_other(graph_of: GraphOf, part: Part) -> None:
    found = weights(graph_of(MODEL, parts(part)), SIZES)
    tied = {one.key: one.tied for one in found if one.tied is not None}
    assert tied == {"last/head.E": "first/table.E"}
    held = resolved(found)
    assert held["last/head.E"] == "first/table.E"
    assert all(held[one.key] == one.key for one in found if one.tied is None)


def test_shared_layers_have_one_set_of_weights(graph_of: GraphOf, part: Part) -> None:
    graph = graph_of(MODEL.replace("    layers: N\n", "    layers: N\n    shares_weights: true\n"), parts(part))
    found = [one.key for one in weights(graph, SIZES)]
    assert len(found) == len(set(found)) == 10
    assert {key.partition("/")[0] for key in found} == {"first", "layers[0]", "last"}
    account = model_account(graph, SIZES)
    assert account.total == 55 + 10 + 20 + 180
    assert {one.name: one.layers for one in account.stacks} == {"first": 1, "layers": 1, "last": 1}


def test_shared_layers_of_different_sizes_are_refused(graph_of: GraphOf, part: Part) -> None:
    text = MODEL.replace("    layers: N\n", "    layers: N\n    shares_weights: true\n    varies: [f]\n")
    graph = graph_of(text, parts(part))
    numbers = {name: value for name, value in SIZES.numbers.items() if name != "f"}
    assert len(weights(graph, Sizes(numbers, {"f": (3, 3)}))) == 10
    message = r"layers[1]/experts shares layers[0]/experts.G, which has the shape (4, 5, 3), but needs (4, 5, 7)"
    with pytest.raises(ShapeError, match=f"^{re.escape(message)}$"):
        weights(graph, Sizes(numbers, {"f": (3, 7)}))


def test_upstream_has_each_tensor_once(graph_of: GraphOf, part: Part) -> None:
    found = upstream_shapes(weights(graph_of(MODEL, parts(part)), SIZES))
    assert len(found) == 1 + 2 * 8 + 1
    assert found["model.layers.1.gate"] == (4, 5, 3)
    assert found["head.weight"] == (11, 5)


TWO = r"""inputs:
  'x': {axes: [B, d], meaning: features}
outputs:
  'one.z': features
stacks:
  one:
    title: One
    components: [first, second]
"""


def linears(part: Part, first: dict[str, Any], second: dict[str, Any]) -> dict[str, str]:
    return {
        "one/first": part(
            "linear", {"x": "x: B, d", "W": ("W*: d, d", first), "y": "result: B, d"}, {"x": "x"}, {"y": "y"}
        ),
        "one/second": part(
            "linear", {"x": "x: B, d", "W": ("W*: d, f", second), "y": "result: B, f"}, {"y": "x"}, {"z": "y"}
        ),
    }


FUSED = {"tensor": "w", "layout": "(part e) d -> d e"}


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ({"tensor": "w"}, {"tensor": "w"}, "w would have the shapes (3, 3) and (3, 4)"),
        ({"tensor": "w", "layout": "a b -> b a"}, {"tensor": "v", "layout": "(a b) -> b a", "part": "1 of 2"},
         "one/second: W: an axis called `part` in the layout and the key `part` go together"),
        ({**FUSED, "part": "1 of 2"}, {"tensor": "v"}, "of the 2 parts of w, 1 are stated"),
        ({**FUSED, "part": "1 of 4"}, {**FUSED, "part": "1 of 3"},
         "one/first.W and one/second.W both say that they are w"),
        ({"tensor": "w_{m}"}, {"tensor": "v"}, "one/first: W: the name w_{m} has {m}, which is no layer and no size"),
    ],
)  # fmt: skip
def test_upstream_tensors_that_do_not_fit_are_told(
    graph_of: GraphOf, part: Part, first: dict[str, Any], second: dict[str, Any], message: str
) -> None:
    graph = graph_of(TWO, linears(part, first, second))
    with pytest.raises(ShapeError, match=re.escape(message)):
        upstream_shapes(weights(graph, Sizes({"d": 3, "f": 4, "B": 1}, {})))


def test_the_parts_of_a_fused_tensor_are_one_tensor(graph_of: GraphOf, part: Part) -> None:
    graph = graph_of(TWO, linears(part, {**FUSED, "part": "2 of 2"}, {**FUSED, "part": "1 of 2"}))
    assert upstream_shapes(weights(graph, Sizes({"d": 3, "f": 3, "B": 1}, {}))) == {"w": (6, 3)}


def test_a_tied_weight_may_be_the_same_tensor(graph_of: GraphOf, part: Part) -> None:
    second = {"tensor": "w", "tied": "one/first.W"}
    texts = {path: text.replace("'f'", "'d'") for path, text in linears(part, {"tensor": "w"}, second).items()}
    graph = graph_of(TWO, texts)
    assert upstream_shapes(weights(graph, Sizes({"d": 3, "B": 1}, {}))) == {"w": (3, 3)}


@pytest.mark.parametrize(("axes", "message"), [("d-3, d", "which is 0"), ("d/2, d", "not a whole number")])
def test_a_weight_without_a_shape_is_told(graph_of: GraphOf, part: Part, axes: str, message: str) -> None:
    texts = linears(part, {}, {})
    one = part("linear", {"x": "x: B, d", "W": f"W*: {axes}", "y": "result: B, d"}, {"x": "x"}, {"y": "y"})
    graph = graph_of(TWO, texts | {"one/first": one})
    with pytest.raises(SizeError, match=f"one/first: W has .*{message}"):
        weights(graph, Sizes({"d": 3, "f": 4, "B": 1}, {}))
