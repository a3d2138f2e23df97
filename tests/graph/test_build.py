"""A model's file and its components → the graph: what each name means, and what leads nowhere or is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from atlas.entries.load import load
from atlas.graph.build import build, spelled
from atlas.graph.scope import parted
from atlas.graph.structure import Graph
from tests.graph.small_models import LAYERS, ONE, ModelOf, Part, relu

PROJECT = Path(__file__).resolve().parents[1] / "project"


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("x_{n}", "x_n"),
        ("x_{n+1}", "x_{n + 1}"),
        ("x^{2}", "x^2"),
        (r"\ell", r" \ell "),
        (r"\alpha x", r"\alpha  x"),
        ("encoder.x_n", "encoder . x_{n}"),
    ],
)
def test_a_name_has_one_spelling(name: str, same: str) -> None:
    assert spelled(name) == spelled(same)
    assert spelled(spelled(name)) == spelled(name)


@pytest.mark.parametrize(
    ("name", "other"), [("x_{12}", "x_12"), (r"\alpha x", r"\alphax"), ("x_n", "x^n"), ("x", "X"), (r"\ x", "x")]
)
def test_other_names_stay_apart(name: str, other: str) -> None:
    assert spelled(name) != spelled(other)


@pytest.mark.parametrize(
    ("name", "blocks", "last"),
    [
        ("x", (), "x"),
        ("encoder.x_{n+1}", ("encoder",), "x_{n+1}"),
        ("a-1.b_2.x", ("a-1", "b_2"), "x"),
        ("x_{1.5}", (), "x_{1.5}"),
        ("a.x_{1.5}", ("a",), "x_{1.5}"),
        (r"\alpha.x", (), r"\alpha.x"),
        ("x.", (), "x."),
    ],
)
def test_blocks_stand_before_a_dot_outside_of_braces(name: str, blocks: tuple[str, ...], last: str) -> None:
    assert parted(name) == (blocks, last)


def test_values_run_from_what_gives_them_to_what_reads_them(model_of: ModelOf, part: Part) -> None:
    graph, issues = build(
        model_of(LAYERS, {"layers/first": relu("x_n", "a", part), "layers/second": relu("a", "x_{n+1}", part)})
    )
    assert issues == []
    assert graph.inputs == ("x",)
    assert dict(graph.outputs) == {"layers.x_{n+1}": "features"}
    assert [node.id for node in graph.nodes] == ["layers/first", "layers/second"]
    first, second = graph.nodes
    assert [(port.symbol, port.argument, port.value) for port in first.takes] == [("x", "x", "layers.x_n")]
    assert [(port.symbol, port.argument, port.value) for port in first.gives] == [("y", "result", "layers.a")]
    assert [port.value for port in second.takes] == ["layers.a"]
    assert {value.id: value.source for value in graph.values.values()} == {
        "x": "",
        "layers.x_n": "",
        "layers.a": "layers/first",
        "layers.x_{n+1}": "layers/second",
    }
    (carry,) = graph.blocks[0].carries
    assert (carry.taken, carry.first, carry.handed) == ("layers.x_n", "x", "layers.x_{n+1}")
    assert graph.node("layers/second") is second
    assert graph.block("layers") is graph.blocks[0]
    assert graph.node("layers/third") is None
    assert graph.block("other") is None


NESTED = r"""
inputs:
  'x': {axes: [B, d], meaning: features}
outputs:
  'outer.inner.z': features
  'last.z': features
stacks:
  outer:
    title: Outer
    components: [before, inner, after]
    stacks:
      inner:
        title: Inner
        components: [one, two]
  last:
    title: Last
    components: [end]
"""


def test_a_name_is_looked_up_from_within_outwards(model_of: ModelOf, part: Part) -> None:
    graph, issues = build(
        model_of(
            NESTED,
            {
                "outer/before": relu("x", "y", part),
                "outer/inner/one": relu("y", "x", part),  # from the block around; the model's x is hidden from here on
                "outer/inner/two": relu("x", "z", part),
                "outer/after": relu("inner.z", "x", part),
                "last/end": relu("outer.x", "z", part),
            },
        )
    )
    assert issues == []
    read = {node.id: node.takes[0].value for node in graph.nodes}
    assert read == {
        "outer/before": "x",
        "outer/inner/one": "outer.y",
        "outer/inner/two": "outer/inner.x",
        "outer/after": "outer/inner.z",
        "last/end": "outer.x",
    }
    assert list(graph.outputs) == ["outer/inner.z", "last.z"]
    assert [block.id for block in graph.blocks[0].blocks] == ["outer", "outer/inner"]


@pytest.mark.parametrize("name", ["x_{1.5}", "x.y", r"\alpha.x", "x_{n+1}.x", "(x)", "x{y}", "{x}", "x,y", "1"])
def test_dots_and_braces_in_names_of_values(model_of: ModelOf, part: Part, name: str) -> None:
    quoted = name.replace("'", "''")
    text = ONE.replace("'x':", f"'{quoted}':").replace("one.y", f"one.{quoted}")
    text = text.replace("[part]", "[part, more]")
    graph, issues = build(
        model_of(text, {"one/part": relu(name, "between", part), "one/more": relu("between", name, part)})
    )
    assert issues == []
    assert [port.value for node in graph.nodes for port in node.gives] == ["one.between", f"one.{spelled(name)}"]


def test_one_value_may_enter_as_several_symbols(model_of: ModelOf, part: Part) -> None:
    add = part("add", {"x": "x: B, d", "r": "r: B, d", "y": "result: B, d"}, {"x": ["x", "r"]}, {"y": "y"})
    graph, issues = build(model_of(ONE, {"one/part": add}))
    assert issues == []
    assert [(port.symbol, port.value) for port in graph.nodes[0].takes] == [("x", "x"), ("r", "x")]


def test_one_result_may_leave_as_several_values(model_of: ModelOf, part: Part) -> None:
    text = ONE.replace("'one.y': features", "'one.y': features\n  'one.z': features")
    two = part("relu", {"x": "x: B, d", "y": "result: B, d"}, {"x": "x"}, {"y": "y", "z": "y"})
    graph, issues = build(model_of(text, {"one/part": two}))
    assert issues == []
    assert [port.value for port in graph.nodes[0].gives] == ["one.y", "one.z"]


USES = r"""
inputs:
  'x': {axes: [B, d], meaning: features}
outputs:
  'two.y': features
stacks:
  one:
    title: One
    components: [part]
  two:
    title: Two
    components:
      - use: one/part
        in: {'one.y': 'x'}
      - use: one/part
        as: wider
        with: {d: 2 d, e: f}
        in: {'y': 'x'}
        out: {'z': 'y'}
        tensors: {'b': other.bias}
        tied: {'W': one/part.W}
      - last
"""


def test_a_component_is_used_again_with_other_sizes_values_and_tensors(model_of: ModelOf, part: Part) -> None:
    symbols = {
        "x": "x: B, d",
        "W": ("W*: d, e", {"tensor": "weight"}),
        "b": ("b*: e", {"tensor": "bias"}),
        "y": "result: B, e",
    }
    linear = part("linear", symbols, {"x": "x"}, {"y": "y"})
    last = part("relu", {"x": "x: B, f", "y": "result: B, f"}, {"z": "x"}, {"w": "y"})
    collection = model_of(USES.replace("two.y", "two.w"), {"one/part": linear, "two/last": last})
    graph, issues = build(collection)
    assert [issue.code for issue in issues] == ["A610"]  # the tie is of other axes, which is told; all else holds
    one, same, wider, _ = graph.nodes
    assert (one.id, same.id, wider.id) == ("one/part", "two/part", "two/wider")
    assert one.entry is same.entry is wider.entry
    assert [node.takes[0].value for node in (one, same, wider)] == ["x", "one.y", "two.y"]
    assert [node.gives[0].value for node in (one, same, wider)] == ["one.y", "two.y", "two.z"]
    assert dict(same.sizes) == {}
    assert {name: str(axis) for name, axis in wider.sizes.items()} == {"d": "2 d", "e": "f"}
    assert dict(one.tensors) == dict(same.tensors) == {"W": "weight", "b": "bias"}
    assert dict(wider.tensors) == {"W": "weight", "b": "other.bias"}
    assert dict(wider.tied) == {"W": ("one/part", "W")}
    assert (one.at, wider.at) == (("stacks", "one", "components", 0), ("stacks", "two", "components", 1))
    assert [str(axis) for axis in graph.values["two.z"].axes] == ["B", "f"]


def test_a_stack_reads_the_last_layer_of_another(model_of: ModelOf, part: Part) -> None:
    text = (
        LAYERS.replace("layers.x_{n+1}': f", "other.z': f")
        + r"""
  other:
    title: Other
    layers: 2
    takes: {'z_n': 'layers.x_{n+1}'}
    carries: {'z_n': 'z'}
    components: [both]
"""
    )
    both = part(
        "add",
        {"x": "x: B, d", "r": "r: B, d", "y": "result: B, d"},
        {"z_n": "x", "layers.x_{n+1}": "r"},
        {"z": "y"},
    )
    parts = {"layers/first": relu("x_n", "a", part), "layers/second": relu("a", "x_{n+1}", part), "other/both": both}
    graph, issues = build(model_of(text, parts))
    assert issues == []
    assert [port.value for port in graph.nodes[2].takes] == ["other.z_n", "layers.x_{n+1}"]


def test_a_library_has_no_graph() -> None:
    atlas, _ = load(PROJECT, PROJECT / "content", PROJECT / "sources")
    with pytest.raises(TypeError, match="chainer is a library"):
        build(atlas.collections["chainer"])


def test_a_graph_is_the_same_each_time(model_of: ModelOf, part: Part) -> None:
    collection = model_of(LAYERS, {"layers/first": relu("x_n", "a", part), "layers/second": relu("a", "x_{n+1}", part)})
    first, second = build(collection)[0], build(collection)[0]
    assert isinstance(first, Graph)
    assert first == second
