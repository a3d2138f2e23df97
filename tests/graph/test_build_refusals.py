"""What leads nowhere, clashes or is lost in a model: each mistake is told once, where it stands, with a fix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from atlas.entries.atlas import Collection
from atlas.graph.build import build
from atlas.graph.scope import MAX_HINTS
from tests.graph.small_models import LAYERS, ONE, ModelOf, Part, relu, told


def test_of_a_model_that_is_not_complete_only_what_is_there_is_joined(model_of: ModelOf, part: Part) -> None:
    text = LAYERS.replace("outputs:\n  'layers.x_{n+1}': features\n", "").replace("    takes: {'x_n': x}\n", "")
    parts = {"layers/first": relu("x_n", "a", part), "layers/second": relu("b", "x_{n+1}", part)}
    graph, issues = build(model_of(text + "complete: false\n", parts))
    assert issues == []
    assert [[port.value for port in node.takes] for node in graph.nodes] == [["layers.x_n"], []]
    assert graph.blocks[0].carries[0].first == ""


def test_where_a_component_cannot_be_read_nothing_is_said_of_what_it_gives(model_of: ModelOf, part: Part) -> None:
    collection = model_of(LAYERS, {"layers/first": relu("x_n", "a", part), "layers/second": relu("a", "x_{n+1}", part)})
    part_of_it = Collection(
        collection.id, collection.file, collection.document, collection.data, collection.entries[1:], whole=False
    )
    _, issues = build(part_of_it)
    assert issues == []


def chain(part: Part) -> dict[str, str]:
    return {"layers/first": relu("x_n", "a", part), "layers/second": relu("a", "x_{n+1}", part)}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("takes: {'x_n': x}", "takes: {'x_n': y}", ("model.yml", 9, 20, "A601", "nothing produces y")),
        ("'layers.x_{n+1}': features", "'layer.x_{n+1}': f",
         ("model.yml", 4, 3, "A601", "nothing produces layer.x_{n+1}")),
        ("'x_n': 'x_{n+1}'", "'x_n': x",
         ("model.yml", 10, 22, "A601", "x is not made in layers, so its layers cannot hand it on")),
        ("'x_n': 'x_{n+1}'", "'x_n': x_m", ("model.yml", 10, 22, "A601", "nothing produces x_m")),
        ("components: [first, second]", "components: [second, first]",
         ("layers/second.yml", 3, 6, "A603", "a is read before tiny/layers/first produces it")),
    ],
)  # fmt: skip
def test_a_name_that_leads_nowhere_is_told_where_it_stands(
    model_of: ModelOf, part: Part, old: str, new: str, expected: tuple[str, int, int, str, str]
) -> None:
    assert LAYERS.count(old) == 1
    _, issues = build(model_of(LAYERS.replace(old, new).lstrip(), chain(part)))
    path, line, column, code, message = expected
    assert told(issues) == [(path, line, column, code, message)]


ROUND = r"""inputs:
  'x': {axes: [B, d], meaning: features}
outputs:
  'outer.x_n': features
stacks:
  outer:
    title: Outer
    layers: N
    takes: {'x_n': x, 'z_n': x}
    carries: {'x_n': 'x_{n+1}', 'z_n': 'x_n'}
    components: [inner, first]
    stacks:
      inner:
        title: Inner
        layers: M
        takes: {'y_m': x_n, 'v_m': z_n}
        carries: {'y_m': 'y_{m+1}', 'v_m': 'y_m'}
        components: [second]
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("'x_n': 'x_{n+1}', 'z_n': 'x_n'", "'x_n': 'x_{n+1}', 'z_n': 'z_n'", ["outer: z_n"]),
        ("'x_n': 'x_{n+1}', 'z_n': 'x_n'", "'x_n': 'x_{n+1}', 'z_n': 'z_{n}'", ["outer: z_n"]),
        ("'x_n': 'x_{n+1}', 'z_n': 'x_n'", "'x_n': 'z_n', 'z_n': 'x_n'", ["outer: x_n", "outer: z_n"]),
        ("'x_n': 'x_{n+1}', 'z_n': 'x_n'", "'x_n': 'inner.y_m', 'z_n': 'x_{n+1}'", ["outer: x_n"]),
        ("'x_n': 'x_{n+1}', 'z_n': 'x_n'", "'x_n': 'x_{n+1}', 'z_n': 'inner.v_m'", ["outer: z_n"]),
        ("'y_m': 'y_{m+1}', 'v_m': 'y_m'", "'y_m': 'y_{m+1}', 'v_m': 'v_m'", ["outer/inner: v_m"]),
        ("'v_m': 'y_m'", "'v_m': 'y_m'", []),
    ],
    ids=["its own", "its own in another spelling", "in turn", "by way of a stack within", "past a stack within",
         "within another", "what the layer before took"],
)  # fmt: skip
def test_a_layer_does_not_hand_on_what_it_took(
    model_of: ModelOf, part: Part, old: str, new: str, expected: list[str]
) -> None:
    """What one layer took may be there for the next as another value; nothing may go round without a component."""
    assert ROUND.count(old) == 1
    parts = {"outer/first": relu("inner.y_{m+1}", "x_{n+1}", part), "outer/inner/second": relu("y_m", "y_{m+1}", part)}
    collection = model_of(ROUND.replace(old, new), parts)
    _, issues = build(collection)
    end = "as they take it, so nothing that they compute goes on"
    line = 17 if "inner:" in "".join(expected) else 10
    wanted = [
        (line, "A601", f"the layers of {where} hand on {name} {end}")
        for where, name in (one.split(": ") for one in expected)
    ]
    told = [(one.line, one.code, one.message.partition("; ")[0]) for one in issues if one.code != "A605"]
    assert told == wanted


@pytest.mark.parametrize(
    ("new", "line", "message"),
    [
        ("'x_n': 'x_{n+1}', 'x_{n}': 'a'", 10, "x_{n} is produced already, by the layer before, in layers"),
    ],
)
def test_two_values_of_one_name_are_refused(model_of: ModelOf, part: Part, new: str, line: int, message: str) -> None:
    text = LAYERS.lstrip().replace("'x_n': 'x_{n+1}'", new).replace("{'x_n': x}", "{'x_n': x, 'x_{n}': x}")
    _, issues = build(model_of(text, chain(part)))
    assert told(issues) == [("model.yml", line, 33, "A602", message)]


@pytest.mark.parametrize(
    ("name", "path", "message"),
    [
        ("x_{1}", "model.yml", "x_{1} is produced already, by the caller of the model"),
        ("layers.a", "layers/first.yml", "a is produced already, by the caller of the model"),
        ("layers.x_n", "model.yml", "x_n is produced already, by the caller of the model"),
    ],
)
def test_an_input_is_called_like_no_other_value(
    model_of: ModelOf, part: Part, name: str, path: str, message: str
) -> None:
    more = f"  'x_1': {{axes: [B], meaning: more}}\n  '{name}': {{axes: [B], meaning: more}}\n"
    text = LAYERS.lstrip().replace("inputs:\n", f"inputs:\n{more}").replace("stacks:", "  'x_1': nothing\nstacks:", 1)
    _, issues = build(model_of(text, chain(part)))
    found = [one for one in told(issues) if one[3] == "A602"]
    assert [(one[0], one[4]) for one in found] == [(path, message)]
    assert len(issues) == 1


def test_a_buffer_or_a_parameter_is_no_place_for_a_value(model_of: ModelOf, part: Part) -> None:
    norm = part(
        "batch_norm_running",
        {"x": "x: B, d", "g": "gamma*: d", "b": "beta*: d", "m": "mean+: d", "v": "variance+: d", "y": "result: B, d"},
        {"x": ["x", "m"]},
        {"y": "y"},
    )
    _, issues = build(model_of(ONE, {"one/part": norm}))
    assert told(issues) == [
        ("one/part.yml", 3, 11, "A607", "m is stored with the model, so no value can enter as it")
    ]  # fmt: skip


ADD: Mapping[str, str] = {"x": "x: B, d", "r": "r: B, d", "y": "result: B, d"}


@pytest.mark.parametrize(
    ("operator", "symbols", "enters", "leaves", "message"),
    [
        ("add", ADD, {"x": "x"}, {"y": "y"}, "no value enters tiny/one/part as r"),
        ("add", ADD, {"x": ["x", "r", "r"]}, {"y": "y"}, "two values enter tiny/one/part as r"),
        ("add", ADD, {"x": ["x", "y"]}, {"y": "y"}, "y is no argument of add, so no value can enter as it"),
        ("add", ADD, {"x": ["x", "r"]}, {"y": "r"}, "r is no result of add, so it cannot leave as a value"),
        ("add", ADD, {"x": ["x", "r"]}, {}, "nothing leaves tiny/one/part"),
        ("linear", {"x": "x: B, d", "W": "W*: d, d", "y": "result: B, d"}, {"x": ["x", "W"]}, {"y": "y"},
         "W is stored with the model, so no value can enter as it"),
    ],
)  # fmt: skip
def test_arguments_and_results_that_are_not_joined_are_told_once(
    model_of: ModelOf,
    part: Part,
    operator: str,
    symbols: Mapping[str, str],
    enters: Mapping[str, Any],
    leaves: Mapping[str, str],
    message: str,
) -> None:
    """Also where what is missing would be read later: that follows from the first mistake."""
    _, issues = build(model_of(ONE, {"one/part": part(operator, symbols, enters, leaves)}))
    assert [(issue.path, issue.code, issue.message) for issue in issues] == [
        ("content/tiny/one/part.yml", "A607", message)
    ]


def test_of_several_results_some_may_be_left(model_of: ModelOf, part: Part) -> None:
    routing = part(
        "top_k_routing",
        {"x": "logits: B, n", "w": "weights: B, k", "e": ("experts: B, k", {"ids": "n"})},
        {"x": "x"},
        {"y": "w"},
        arguments={"k": 2},
    )
    graph, issues = build(model_of(ONE.replace("[B, d]", "[B, n]"), {"one/part": routing}))
    assert issues == []
    assert [port.argument for port in graph.nodes[0].gives] == ["weights"]


def test_a_value_that_nothing_reads(model_of: ModelOf, part: Part) -> None:
    text = ONE.replace("[part]", "[part, more]").replace("stacks:", "  'x': the input itself\nstacks:", 1)
    _, issues = build(model_of(text.lstrip(), {"one/part": relu("x", "y", part), "one/more": relu("x", "z", part)}))
    assert [(issue.path, issue.line, issue.code, issue.message) for issue in issues] == [
        ("content/tiny/one/more.yml", 4, "A605", "nothing reads z, which one/more gives")
    ]


def test_an_input_that_nothing_reads(model_of: ModelOf, part: Part) -> None:
    text = ONE.replace("outputs:", "  'w': {axes: [B], meaning: nothing}\noutputs:").lstrip()
    _, issues = build(model_of(text, {"one/part": relu("x", "y", part)}))
    assert told(issues) == [("model.yml", 3, 3, "A605", "nothing reads w")]


def test_a_stack_that_reads_only_itself(model_of: ModelOf, part: Part) -> None:
    text = LAYERS.replace("'layers.x_{n+1}': features", "'x': features").lstrip()
    _, issues = build(model_of(text, chain(part)))
    message = "nothing outside of layers reads x_{n+1}, which its last layer hands on"
    assert told(issues) == [("model.yml", 10, 22, "A605", message)]


def test_of_several_values_that_are_carried_one_may_stay_within(model_of: ModelOf, part: Part) -> None:
    text = LAYERS.replace("{'x_n': x}", "{'x_n': x, 'h_n': x}").replace(
        "{'x_n': 'x_{n+1}'}", "{'x_n': 'x_{n+1}', 'h_n': 'a'}"
    )
    first = part("add", ADD, {"x_n": "x", "h_n": "r"}, {"a": "y"})
    _, issues = build(model_of(text, {"layers/first": first, "layers/second": relu("a", "x_{n+1}", part)}))
    assert issues == []


def test_the_names_that_are_searched_are_bounded(model_of: ModelOf, part: Part) -> None:
    """A file that is wrong throughout gets an issue for each name, and the first of them a hint."""
    count = 3 * MAX_HINTS
    uses = "".join(
        f"\n      - {{use: one/part, as: part-{index}, in: {{'w_{{{index}}}': x}}, out: {{'y_{{{index}}}': y}}}}"
        for index in range(count)
    )
    text = ONE.replace("[part]", f"\n      - part{uses}")
    _, issues = build(model_of(text, {"one/part": relu("x", "y", part)}))
    assert [issue.code for issue in issues] == ["A601"] * count
    assert sum(bool(issue.hint) for issue in issues) == MAX_HINTS


def test_what_a_missing_component_may_give_is_not_missed_too(model_of: ModelOf, part: Part) -> None:
    """It is not known what it would give, so no name that leads nowhere is a mistake of its own."""
    text = ONE.replace("[part]", "[{use: nothing/like-it}, part]").replace("one.y", "one.z")
    _, issues = build(model_of(text, {"one/part": relu("w", "z", part)}))
    assert [(issue.code, issue.message) for issue in issues] == [("A609", "the model has no component nothing/like-it")]
