"""The axes of values along edges: the same at both ends, in the terms of the stacks that they cross."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from atlas.checks.graph import check_graph
from atlas.entries.atlas import Collection
from atlas.graph.build import build
from atlas.graph.edges import shown, with_carried_axes
from atlas.graph.structure import Graph
from atlas.issues import Issue
from atlas.sizes import size

Part = Callable[..., str]
ModelOf = Callable[..., Collection]
GraphOf = Callable[..., Graph]


def told(collection: Collection) -> list[tuple[str, int, int, str]]:
    """Where each edge that does not fit is told, and how; all are A604."""
    _, issues = check_graph(collection)
    assert {issue.code for issue in issues} <= {"A604"}
    return [place(issue) for issue in sorted(issues)]


def place(issue: Issue) -> tuple[str, int, int, str]:
    return issue.path.removeprefix("content/tiny/"), issue.line, issue.column, issue.message


def relu(takes: str, gives: str, axes: str, part: Part) -> str:
    return part("relu", {"x": f"x: {axes}", "y": f"result: {axes}"}, {takes: "x"}, {gives: "y"})


TWO = r"""inputs:
  'x': {axes: [B, d], meaning: features}
outputs:
  'two.z': features
stacks:
  one:
    title: One
    components: [first]
  two:
    title: Two
    components: [second]
"""


@pytest.mark.parametrize("axes", ["B, d", "B, 2 d/2", r"B, \lfloor d\rfloor", "B, d+1-1"])
def test_axes_are_the_same_if_their_expressions_are(model_of: ModelOf, part: Part, axes: str) -> None:
    parts = {"one/first": relu("x", "y", "B, d", part), "two/second": relu("one.y", "z", axes, part)}
    assert told(model_of(TWO, parts)) == []


@pytest.mark.parametrize("axes", ["d, B", "B", "B, d, 1", "B, 2 d", "B, e", "", "B, 4"])
def test_other_axes_are_told_where_they_are_read(model_of: ModelOf, part: Part, axes: str) -> None:
    parts = {"one/first": relu("x", "y", "B, d", part), "two/second": relu("one.y", "z", axes, part)}
    message = f"two/second: x has the axes [{axes}] here, but y, which one/first gives, has [B, d]"
    assert told(model_of(TWO, parts)) == [("two/second.yml", 3, 15, message)]


def test_the_axes_of_an_input_are_those_of_the_model(model_of: ModelOf, part: Part) -> None:
    parts = {"one/first": relu("x", "y", "B, e", part), "two/second": relu("one.y", "z", "B, e", part)}
    message = "one/first: x has the axes [B, e] here, but x has [B, d]"
    assert told(model_of(TWO, parts)) == [("one/first.yml", 3, 11, message)]


def test_what_follows_from_an_edge_that_does_not_fit_is_not_told_too(model_of: ModelOf, part: Part) -> None:
    add = part("add", {"x": "x: B, e", "r": "r: B, e", "y": "result: B, e"}, {"x": ["x", "r"]}, {"y": "y"})
    parts = {"one/first": add, "two/second": relu("one.y", "z", "B, d", part)}
    assert [one[0] for one in told(model_of(TWO, parts))] == ["one/first.yml"]


USE = r"""inputs:
  's': {axes: [B, S, d], meaning: source}
  't': {axes: [B, T, d], meaning: target}
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
        with: {S: T}
        in: {'t': 'x'}
        out: {'z': 'y'}
"""


@pytest.mark.parametrize(
    ("sizes", "axes"), [("{S: T}", None), ("{S: T, T: S}", None), ("{d: d}", "[B, S, d]"), ("{S: 2 T}", "[B, 2 T, d]")]
)
def test_a_use_has_the_sizes_that_it_states(model_of: ModelOf, part: Part, sizes: str, axes: str | None) -> None:
    one = part("relu", {"x": "x: B, S, d", "y": "result: B, S, d", "u": ":T"}, {"s": "x"}, {"y": "y"})
    message = f"one/other: x has the axes {axes} here, but t has [B, T, d]"
    assert told(model_of(USE.replace("{S: T}", sizes), {"one/part": one})) == (
        [("model.yml", 12, 9, message)] if axes is not None else []
    )


IDS = r"""inputs:
  't': {axes: [B], ids: V, meaning: ids}
outputs:
  'one.x': features
stacks:
  one:
    title: One
    components: [table]
"""


@pytest.mark.parametrize(
    ("given", "taken", "message"),
    [
        ("ids: V", {"ids": "V"}, ""),
        ("ids: V", {"ids": "M"}, "t stands for numbers below M, but t holds numbers below V"),
        ("ids: 2 V", {"ids": "V"}, "t stands for numbers below V, but t holds numbers below 2 V"),
        ("ids: V", {}, "t stands for any numbers, but t holds numbers of an axis"),
        ("", {"ids": "V"}, "t stands for numbers of an axis, but t holds any numbers"),
    ],
)
def test_numbers_of_an_axis_stay_numbers_of_that_axis(
    model_of: ModelOf, part: Part, given: str, taken: dict[str, Any], message: str
) -> None:
    table = part("embedding", {"t": ("t: B", taken), "E": "E*: V, d", "x": "result: B, d"}, {"t": "t"}, {"x": "x"})
    collection = model_of(IDS.replace("ids: V", given or "ids: V") if given else IDS.replace(" ids: V,", ""), {
        "one/table": table
    })  # fmt: skip
    assert told(collection) == ([("one/table.yml", 3, 11, f"one/table: {message}")] if message else [])


def test_numbers_of_an_axis_are_carried_through_layers(model_of: ModelOf, part: Part) -> None:
    layered = """layers: 3
    takes: {'t_n': t}
    carries: {'t_n': u}
    components: [table, next]"""
    table = part(
        "embedding", {"t": ("t: B", {"ids": "M"}), "E": "E*: M, d", "x": "result: B, d"}, {"t_n": "t"}, {"x": "x"}
    )
    following = part("relu", {"x": ("x: B", {"ids": "V"}), "y": ("result: B", {"ids": "V"})}, {"t_n": "x"}, {"u": "y"})
    message = "one/table: t stands for numbers below M, but t_n holds numbers below V"
    found = told(model_of(IDS.replace("components: [table]", layered), {"one/table": table, "one/next": following}))
    assert found == [("one/table.yml", 3, 13, message)]


PYRAMID = r"""inputs:
  'x': {axes: [B, c, H, W], meaning: an image}
outputs:
  'last.y': features
stacks:
  stages:
    title: Stages
    layers: N
    takes: {'x_n': x}
    carries: {'x_n': 'rest.z_{m+1}'}
    with: {k: 'c', h: H, w: W}
    then: {k: 2 k, h: '\lfloor (h+1)/2\rfloor', w: '\lfloor (w+1)/2\rfloor'}
    ends: {k: e, h: n, w: m}
    components: [halve, rest]
    stacks:
      rest:
        title: Rest
        layers: M
        takes: {'z_m': 'a'}
        carries: {'z_m': 'z_{m+1}'}
        with: {d: 2 k, S: '\lfloor (h+1)/2\rfloor', T: '\lfloor (w+1)/2\rfloor'}
        components: [mix]
  last:
    title: Last
    components: [end]
"""


def pyramid(part: Part) -> dict[str, str]:
    halve = part(
        "convolution_2d",
        {
            "x": "x: B, k, h, w",
            "K": "kernel*: 2 k, k, 3, 3",
            "y": r"result: B, 2 k, \lfloor (h+1)/2\rfloor, \lfloor (w-1)/2\rfloor+1",
        },
        {"x_n": "x"},
        {"a": "y"},
        arguments={"stride": 2, "padding": 1},
    )
    return {
        "stages/halve": halve,
        "stages/rest/mix": relu("z_m", "z_{m+1}", "B, d, S, T", part),
        "last/end": relu("stages.rest.z_{m+1}", "y", "B, e, n, m", part),
    }


def test_sizes_change_from_layer_to_layer_and_have_a_name_after_the_last(graph_of: GraphOf, part: Part) -> None:
    graph = graph_of(PYRAMID, pyramid(part))
    axes = {name: shown(value.axes) for name, value in graph.values.items()}
    assert axes == {
        "x": "[B, c, H, W]",
        "stages.x_n": "[B, k, h, w]",
        "stages.a": r"[B, 2 k, \lfloor (h+1)/2\rfloor, \lfloor (w+1)/2\rfloor]",
        "stages/rest.z_m": "[B, d, S, T]",
        "stages/rest.z_{m+1}": "[B, d, S, T]",
        "last.y": "[B, e, n, m]",
    }


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (r"w: '\lfloor (w+1)/2\rfloor'}", "w: w/2}", [
            ("last/end.yml", 3, 29, r"last/end: x has the axes [B, e, n, m] here, but z_{m+1}, which stages/rest/mix "
             r"gives, has [B, e, n, \lfloor (w+1)/2\rfloor]"),
            ("model.yml", 10, 15, r"stages: a layer hands on z_{m+1} with the axes "
             r"[B, 2 k, \lfloor (h+1)/2\rfloor, \lfloor (w+1)/2\rfloor], but the next takes "
             r"[B, 2 k, \lfloor (h+1)/2\rfloor, w/2]"),
        ]),
        ("with: {k: 'c', h: H", "with: {k: 'c', h: W", [
            ("model.yml", 10, 15, "stages: the first layer takes x_n with the axes [B, c, W, W], but x has "
             "[B, c, H, W]"),
        ]),
        ("d: 2 k, S", "d: k, S", [
                (
                    "last/end.yml", 3, 29, "last/end: x has the axes [B, e, n, m] here, but z_{m+1}, which "
                    "stages/rest/mix gives, has [B, k, n, m]",
                ),
            ("model.yml", 10, 15, r"stages: a layer hands on z_{m+1} with the axes "
             r"[B, k, \lfloor (h+1)/2\rfloor, \lfloor (w+1)/2\rfloor], but the next takes "
             r"[B, 2 k, \lfloor (h+1)/2\rfloor, \lfloor (w+1)/2\rfloor]"),
            ("model.yml", 20, 19, r"stages/rest: the first layer takes z_m with the axes "
             r"[B, k, \lfloor (h+1)/2\rfloor, \lfloor (w+1)/2\rfloor], but a, which stages/halve gives, has "
             r"[B, 2 k, \lfloor (h+1)/2\rfloor, \lfloor (w+1)/2\rfloor]"),
        ]),
        ("ends: {k: e, h: n, w: m}", "ends: {k: e, h: m, w: n}", [
            ("last/end.yml", 3, 29, "last/end: x has the axes [B, e, n, m] here, but z_{m+1}, which stages/rest/mix "
             "gives, has [B, e, m, n]"),
        ]),
    ],
)  # fmt: skip
def test_a_size_that_changes_otherwise_is_told(
    model_of: ModelOf, part: Part, old: str, new: str, expected: list[tuple[str, int, int, str]]
) -> None:
    assert PYRAMID.count(old) == 1
    assert told(model_of(PYRAMID.replace(old, new), pyramid(part))) == expected


def test_a_size_within_the_layers_is_none_outside(model_of: ModelOf, part: Part) -> None:
    """Of a value that is not handed on, the axes are those of some layer; no name of the model fits them."""
    parts = pyramid(part) | {"last/end": relu("stages.a", "y", r"B, 2 k, \lfloor (h+1)/2\rfloor, m", part)}
    (found,) = told(model_of(PYRAMID.replace("ends: {k: e, h: n, w: m}", "ends: {k: e}"), parts))
    assert found[:3] == ("last/end.yml", 3, 18)
    assert found[3] == (
        r"last/end: x has the axes [B, 2 k, \lfloor (h+1)/2\rfloor, m] here, but a, which stages/halve gives, has "
        r"[B, e, \lfloor (h+1)/2\rfloor, \lfloor (w+1)/2\rfloor]"
    )


VARIES = r"""inputs:
  'x': {axes: [B, d], meaning: features}
outputs:
  'layers.x_{n+1}': features
stacks:
  layers:
    title: Layers
    layers: N
    takes: {'x_n': x}
    carries: {'x_n': 'x_{n+1}'}
    varies: [f]
    components: [up, down]
"""


def test_a_size_may_vary_within_a_layer(graph_of: GraphOf, part: Part) -> None:
    up = part("linear", {"x": "x: B, d", "W": "W*: d, f", "y": "result: B, f"}, {"x_n": "x"}, {"a": "y"})
    down = part("linear", {"x": "x: B, f", "W": "W*: f, d", "y": "result: B, d"}, {"a": "x"}, {"x_{n+1}": "y"})
    graph = graph_of(VARIES, {"layers/up": up, "layers/down": down})
    assert shown(graph.values["layers.a"].axes) == "[B, f]"


def test_what_varies_does_not_come_from_outside(model_of: ModelOf, part: Part) -> None:
    text = VARIES.replace("axes: [B, d]", "axes: [B, f]")
    up = part("linear", {"x": "x: B, f", "W": "W*: f, d", "y": "result: B, d"}, {"x_n": "x"}, {"a": "y"})
    down = part("linear", {"x": "x: B, d", "W": "W*: d, f", "y": "result: B, f"}, {"a": "x"}, {"x_{n+1}": "y"})
    message = "layers: the first layer takes x_n with the axes [B, f], but x has [B, f]"
    assert told(model_of(text, {"layers/up": up, "layers/down": down})) == [("model.yml", 10, 15, message)]


def test_the_second_of_two_carried_values_is_told_at_its_own_place(model_of: ModelOf, part: Part) -> None:
    text = VARIES.replace("    varies: [f]\n", "")
    text = text.replace("{'x_n': x}", "{'x_n': x, 'h_n': x}").replace("'x_{n+1}'}", "'x_{n+1}', 'h_n': a}", 1)
    up = part("linear", {"x": "x: B, d", "W": "W*: d, f", "y": "result: B, f"}, {"x_n": "x"}, {"a": "y"})
    add = {"x": "x: B, d", "r": "r: B, d", "y": "result: B, d"}
    down = part("add", add, {"x_n": "x", "h_n": "r"}, {"x_{n+1}": "y"})
    message = "layers: a layer hands on a with the axes [B, f], but the next takes [B, d]"
    assert told(model_of(text, {"layers/up": up, "layers/down": down})) == [("model.yml", 10, 33, message)]


def test_what_nothing_reads_has_the_axes_of_what_is_handed_on(model_of: ModelOf, part: Part) -> None:
    text = VARIES.replace("    varies: [f]\n", "").replace("    takes: {'x_n': x}\n", "") + "complete: false\n"
    text = text.replace("[up, down]", "[inner]\n    with: {e: 2 d}\n    stacks:\n      inner: {title: I, "
                        "components: [up], with: {f: e}}").replace("'x_n': 'x_{n+1}'", "'x_n': 'inner.a'")  # fmt: skip
    text = text.replace("outputs:\n  'layers.x_{n+1}': features\n", "")
    up = part("linear", {"x": "x: B, d", "W": "W*: d, f", "y": "result: B, f"}, {"x": "x"}, {"a": "y"})
    graph, issues = build(model_of(text, {"layers/inner/up": up}))
    assert issues == []
    assert shown(with_carried_axes(graph).values["layers.x_n"].axes) == "[B, e]"


def test_axes_are_shown_without_what_tells_layers_apart() -> None:
    axes = (size(r"2 d_k_{in stages,first}"), size(r"\lfloor (H_{in a+b}+1)/2\rfloor+n"), size("x_{in}"), size(3))
    assert shown(axes) == r"[2 d_k, \lfloor (H+1)/2\rfloor+n, x_{in}, 3]"


def test_what_a_component_that_does_not_fit_hands_on_is_not_told_too(model_of: ModelOf, part: Part) -> None:
    text = VARIES.replace("    varies: [f]\n", "")
    parts = {"layers/up": relu("x_n", "a", "B, d", part), "layers/down": relu("a", "x_{n+1}", "B, e", part)}
    message = "layers/down: x has the axes [B, e] here, but a, which layers/up gives, has [B, d]"
    assert told(model_of(text, parts)) == [("layers/down.yml", 3, 11, message)]


def test_what_a_stack_within_takes_has_its_axes_before_the_stack_around_hands_it_on(
    model_of: ModelOf, part: Part
) -> None:
    text = r"""complete: false
inputs:
  'x': {axes: [B, d], meaning: features}
stacks:
  outer:
    title: Outer
    layers: 2
    carries: {'x_n': 'inner.z_m'}
    components: [inner]
    stacks:
      inner:
        title: Inner
        layers: 3
        takes: {'z_m': x}
        carries: {'z_m': 'z_{m+1}'}
        components: [one]
"""
    graph, issues = build(model_of(text, {"outer/inner/one": relu("z_m", "z_{m+1}", "B, d", part)}))
    assert issues == []
    values = with_carried_axes(graph).values
    assert shown(values["outer/inner.z_m"].axes) == shown(values["outer.x_n"].axes) == "[B, d]"
