"""The graph with sizes bound → its steps: which layer, at which sizes, on which values, with whose weights."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from atlas.entries.collection import Variant
from atlas.exceptions import SizeError
from atlas.graph.structure import Graph
from atlas.graph.unroll import MAX_STEPS, Sizes, Walk, placed, unroll
from tests.graph.small_models import LAYERS

Part = Callable[..., str]
GraphOf = Callable[..., Graph]


def relu(takes: str, gives: str, axes: str, part: Part) -> str:
    return part("relu", {"x": f"x: {axes}", "y": f"result: {axes}"}, {takes: "x"}, {gives: "y"})


def chain(part: Part) -> dict[str, str]:
    return {
        "layers/first": relu("x_n", "a", "B, d", part),
        "layers/second": relu("a", "x_{n+1}", "B, d", part),
    }


def test_each_layer_reads_what_the_one_before_hands_on(graph_of: GraphOf, part: Part) -> None:
    graph = graph_of(LAYERS, chain(part))
    walk = Walk(graph, Sizes({"N": 2, "B": 5, "d": 3}, {}))
    steps = [(step.key, dict(step.reads), dict(step.writes), step.place) for step in walk.steps()]
    assert steps == [
        ("layers[0]/first", {"x": "x"}, {"y": "layers[0].a"}, (("layers", 0),)),
        ("layers[0]/second", {"x": "layers[0].a"}, {"y": "layers[0].x_{n+1}"}, (("layers", 0),)),
        ("layers[1]/first", {"x": "layers[0].x_{n+1}"}, {"y": "layers[1].a"}, (("layers", 1),)),
        ("layers[1]/second", {"x": "layers[1].a"}, {"y": "layers[1].x_{n+1}"}, (("layers", 1),)),
    ]
    assert walk.output_keys() == {"layers.x_{n+1}": "layers[1].x_{n+1}"}
    assert walk.aliases == {"layers[0].x_n": "x", "layers[1].x_n": "layers[0].x_{n+1}"}


@pytest.mark.parametrize(
    ("block", "place", "key"),
    [
        ("input", (), "input"),
        ("a/b", (("a", 1), ("a/b", 0)), "a[1]/b[0]"),
        ("a/b", (("a/b", 2),), "a/b[2]"),
        ("a/a", (("a", 3),), "a[3]/a"),
    ],
)
def test_a_place_says_the_layer_of_each_stack_that_has_layers(
    block: str, place: tuple[tuple[str, int], ...], key: str
) -> None:
    assert placed(block, place) == key


def test_what_two_carried_values_swap_is_swapped(graph_of: GraphOf, part: Part) -> None:
    """Each layer takes the other's value of the layer before, not of the one that it was just given."""
    text = LAYERS.replace("{'x_n': x}", "{'x_n': x, 'h_n': x}").replace(
        "carries: {'x_n': 'x_{n+1}'}", "carries: {'x_n': h_n, 'h_n': 'x_{n+1}'}"
    )
    add = part("add", {"x": "x: B, d", "r": "r: B, d", "y": "result: B, d"}, {"x_n": "x", "h_n": "r"}, {"a": "y"})
    graph = graph_of(text, chain(part) | {"layers/first": add})
    read = [dict(step.reads) for step in unroll(graph, Sizes({"N": 3}, {})) if step.node.name == "first"]
    assert read == [
        {"x": "x", "r": "x"},
        {"x": "x", "r": "layers[0].x_{n+1}"},
        {"x": "layers[0].x_{n+1}", "r": "layers[1].x_{n+1}"},
    ]


NESTED = r"""inputs:
  'x': {axes: [B, d], meaning: features}
outputs:
  'outer.x_{n+1}': features
  'outer.inner.z_{m+1}': features
stacks:
  outer:
    title: Outer
    layers: N
    takes: {'x_n': x}
    carries: {'x_n': 'x_{n+1}'}
    varies: [n]
    scope: 'outer.{n}.'
    components: [inner, after]
    stacks:
      inner:
        title: Inner
        layers: n
        index: m
        first: 1
        shares_weights: true
        takes: {'z_m': x_n}
        carries: {'z_m': 'z_{m+1}'}
        scope: 'inner.{m}.'
        components: [one]
"""


def nested(part: Part) -> dict[str, str]:
    return {
        "outer/inner/one": relu("z_m", "z_{m+1}", "B, d", part),
        "outer/after": relu("inner.z_{m+1}", "x_{n+1}", "B, d", part),
    }


def test_layers_within_layers_begin_anew_each_time(graph_of: GraphOf, part: Part) -> None:
    walk = Walk(graph_of(NESTED, nested(part)), Sizes({"N": 2}, {"n": (1, 2)}))
    steps = list(walk.steps())
    assert [(step.key, step.reads["x"], step.scope) for step in steps] == [
        ("outer[0]/inner[0]/one", "x", "outer.0.inner.1."),
        ("outer[0]/after", "outer[0]/inner[0].z_{m+1}", "outer.0."),
        ("outer[1]/inner[0]/one", "outer[0].x_{n+1}", "outer.1.inner.1."),
        ("outer[1]/inner[1]/one", "outer[1]/inner[0].z_{m+1}", "outer.1.inner.1."),
        ("outer[1]/after", "outer[1]/inner[1].z_{m+1}", "outer.1."),
    ]
    assert [step.sizes["n"] for step in steps] == [1, 1, 2, 2, 2]
    assert walk.output_keys() == {
        "outer.x_{n+1}": "outer[1].x_{n+1}",
        "outer/inner.z_{m+1}": "outer[1]/inner[1].z_{m+1}",
    }
    assert [step.weights[-1] for step in steps if step.node.name == "one"] == [("outer/inner", 0)] * 3
    assert [step.place[-1][1] for step in steps if step.node.name == "one"] == [0, 0, 1]


def test_a_part_without_layers_is_gone_through_once(graph_of: GraphOf, part: Part) -> None:
    text = LAYERS.replace("    layers: N\n", "").replace("    takes: {'x_n': x}\n    carries: {'x_n': 'x_{n+1}'}\n", "")
    text += "    scope: 'part.{n}.'\n"
    graph = graph_of(text, chain(part) | {"layers/first": relu("x", "a", "B, d", part)})
    steps = list(unroll(graph, Sizes({}, {})))
    assert [(step.key, step.place, step.scope) for step in steps] == [
        ("layers/first", (), "part.{n}."),  # which no tensor is called: there is no layer to name
        ("layers/second", (), "part.{n}."),
    ]


CHANGES = r"""inputs:
  'x': {axes: [B, d, H], meaning: an image}
outputs:
  'last.y': features
stacks:
  stages:
    title: Stages
    layers: N
    takes: {'x_n': x}
    carries: {'x_n': 'y'}
    with: {k: d, h: H}
    then: {k: 2 k, h: '\lfloor (h+1)/2\rfloor'}
    ends: {k: e, h: n}
    components: [stage]
  last:
    title: Last
    components: [end]
"""


def changes(part: Part) -> dict[str, str]:
    stage = part(
        "convolution_2d",
        {"x": "x: B, k, h", "K": "kernel*: 2 k, k, 3, 3", "y": r"result: B, 2 k, \lfloor (h+1)/2\rfloor"},
        {"x_n": "x"},
        {"y": "y"},
        arguments={"stride": 2, "padding": 1},
    )
    return {"stages/stage": stage, "last/end": relu("stages.y", "y", "B, e, n", part)}


@pytest.mark.parametrize(("length", "after"), [(8, (8, 4, 2, 1)), (13, (13, 7, 4, 2)), (1, (1, 1, 1, 1))])
def test_sizes_change_from_layer_to_layer(
    graph_of: GraphOf, part: Part, length: int, after: tuple[int, int, int, int]
) -> None:
    graph = graph_of(CHANGES, changes(part))
    steps = list(unroll(graph, Sizes({"N": 3, "d": 5, "H": length}, {})))
    assert [(step.sizes["k"], step.sizes["h"]) for step in steps[:3]] == list(zip((5, 10, 20), after[:3], strict=True))
    assert (steps[3].sizes["e"], steps[3].sizes["n"]) == (40, after[3])
    assert "k" not in steps[3].sizes


def test_a_size_that_ends_otherwise_than_the_variant_says_is_refused(graph_of: GraphOf, part: Part) -> None:
    graph = graph_of(CHANGES, changes(part))
    assert len(list(unroll(graph, Sizes({"N": 3, "d": 5, "H": 8, "e": 40}, {})))) == 4
    with pytest.raises(SizeError, match=r"^k is 40 after the last layer of stages, but e is 41$"):
        list(unroll(graph, Sizes({"N": 3, "d": 5, "H": 8, "e": 41}, {})))


def test_what_a_stack_within_layers_ends_with_is_that_of_the_layer(graph_of: GraphOf, part: Part) -> None:
    """The widths of a layer are not those of the layer before it; but stacks of one layer must agree."""
    text = r"""inputs:
  'x': {axes: [B, d], meaning: features}
outputs:
  'outer.inner.z_{m+1}': features
stacks:
  outer:
    title: Outer
    layers: N
    takes: {'x_n': x}
    carries: {'x_n': 'inner.z_{m+1}'}
    with: {c: d}
    then: {c: f}
    components: [inner]
    stacks:
      inner:
        title: Inner
        layers: 2
        takes: {'z_m': x_n}
        carries: {'z_m': 'z_{m+1}'}
        with: {k: c}
        then: {k: 3 k}
        ends: {k: f}
        components: [widen]
"""
    widen = part("linear", {"x": "x: B, k", "W": "W*: k, 3 k", "y": "result: B, 3 k"}, {"z_m": "x"}, {"z_{m+1}": "y"})
    graph = graph_of(text, {"outer/inner/widen": widen})
    assert [step.sizes["k"] for step in unroll(graph, Sizes({"N": 2, "d": 2}, {}))] == [2, 6, 18, 54]


def test_a_use_has_sizes_of_its_own(graph_of: GraphOf, part: Part) -> None:
    text = r"""inputs:
  'x': {axes: [B, d], meaning: features}
outputs:
  'one.z': features
stacks:
  one:
    title: One
    with: {f: 3 d}
    components:
      - part
      - use: one/part
        as: other
        with: {k: 2 f}
        in: {'y': 'x'}
        out: {'z': 'y'}
"""
    both = part("relu", {"x": "x: B, d", "y": "result: B, d", "u": ": k"}, {"x": "x"}, {"y": "y"})
    one, other = unroll(graph_of(text, {"one/part": both}), Sizes({"d": 2, "B": 1, "k": 7}, {}))
    assert (one.sizes["k"], other.sizes["k"]) == (7, 12)
    assert (one.sizes["f"], other.sizes["f"]) == (6, 6)


def test_two_sizes_are_swapped(graph_of: GraphOf, part: Part) -> None:
    text = r"""inputs:
  'x': {axes: [B, S], meaning: one}
  'w': {axes: [B, T], meaning: another}
outputs:
  'one.y': features
  'one.z': features
stacks:
  one:
    title: One
    components:
      - part
      - use: one/part
        as: other
        with: {S: T, T: S}
        in: {'w': 'x'}
        out: {'z': 'y'}
"""
    both = part("relu", {"x": "x: B, S", "y": "result: B, S", "u": ": T"}, {"x": "x"}, {"y": "y"})
    one, other = unroll(graph_of(text, {"one/part": both}), Sizes({"S": 3, "T": 5}, {}))
    assert (one.sizes["S"], one.sizes["T"]) == (3, 5)
    assert (other.sizes["S"], other.sizes["T"]) == (5, 3)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        (Sizes({}, {}), "layers has N layers: N has no value"),
        (Sizes({"N": 0}, {}), "layers has N layers, which is 0; there are 1 to 50,000"),
        (Sizes({"N": -3}, {}), "layers has N layers, which is -3; there are"),
        (Sizes({"N": 10**12}, {}), "layers has N layers, which is 1,000,000,000,000; there are 1 to 50,000"),
        (Sizes({"N": MAX_STEPS // 2 + 1}, {}), "the model has more than 50,000 steps"),
    ],
)
def test_a_number_of_layers_that_none_has(graph_of: GraphOf, part: Part, sizes: Sizes, message: str) -> None:
    graph = graph_of(LAYERS, chain(part))
    with pytest.raises(SizeError, match=re.escape(message)):
        next(unroll(graph, sizes))  # before any step is taken


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        (Sizes({"N": 2}, {"n": (1,)}), "n has 1 values, but outer has 2 layers"),
        (Sizes({"N": 2}, {"n": (1, 2, 3)}), "n has 3 values, but outer has 2 layers"),
        (Sizes({"N": 2, "n": 1}, {}), "n varies in outer, but has one value, not a list"),
        (Sizes({"N": 2}, {}), "outer/inner has n layers: n has no value"),
    ],
)
def test_a_list_has_a_value_for_each_layer(graph_of: GraphOf, part: Part, sizes: Sizes, message: str) -> None:
    graph = graph_of(NESTED, nested(part))
    with pytest.raises(SizeError, match=f"^{re.escape(message)}$"):
        list(unroll(graph, sizes))


def test_a_size_that_grows_without_bound_is_refused(graph_of: GraphOf, part: Part) -> None:
    graph = graph_of(CHANGES, changes(part))
    with pytest.raises(SizeError, match=r"2 k is beyond 1e\+300"):
        list(unroll(graph, Sizes({"N": 40_000, "d": 5, "H": 1}, {})))


def test_sizes_of_a_variant() -> None:
    variant = Variant.model_validate({"title": "a", "sizes": {"d": 4, "n": (1, 2)}})
    assert Sizes.of(variant) == Sizes({"d": 4}, {"n": (1, 2)})
    assert Sizes.of(variant, {"B": 3, "d": 5}) == Sizes({"d": 5, "B": 3}, {"n": (1, 2)})
