"""Uses of components, stacks within stacks, and tied parameters: what holds and what is refused."""

from __future__ import annotations

import pytest

from atlas.graph.build import build
from tests.graph.small_models import ONE, ModelOf, Part, relu, told

USE = r"""inputs:
  'x': {axes: [B, d], meaning: features}
outputs:
  'two.z': features
stacks:
  one:
    title: One
    components: [part]
  two:
    title: Two
    components:
      - use: one/part
        with: {d: e}
        in: {'one.y': 'x'}
        out: {'z': 'y'}
        tensors: {'W': other.weight}
        tied: {'W': one/part.W}
"""

UNFIT = "name a parameter of equal axes that is outside of layers and not tied itself, or remove `tied`"


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "message", "hint"),
    [
        ("use: one/part", "use: one/port", 12, 14, "the model has no component one/port", "did you mean `one/part`?"),
        ("use: one/part", "use: x", 12, 14, "the model has no component x", "name a component of this model"),
        ("with: {d: e}", "with: {g: e}", 13, 16, "tiny/one/part has no size g", "there is B, d"),
        ("'one.y': 'x'", "'one.y': 'xx'", 14, 23, "`xx` is not among the symbols of tiny/one/part",
         "did you mean `x`?"),
        ("'z': 'y'", "'z': 'yy'", 15, 20, "`yy` is not among the symbols of tiny/one/part", "did you mean `y`?"),
        ("tensors: {'W'", "tensors: {'V'", 16, 19, "tiny/one/part has no parameter V", "there is W"),
        ("tied: {'W'", "tied: {'W_1'", 17, 16, "tiny/one/part has no parameter W_1", "there is W"),
        ("tied: {'W'", "tied: {'y'", 17, 16, "tiny/one/part has no parameter y", "there is W"),
    ],
)  # fmt: skip
def test_a_use_speaks_of_what_the_component_has(
    model_of: ModelOf, part: Part, old: str, new: str, line: int, column: int, message: str, hint: str
) -> None:
    assert USE.count(old) == 1
    linear = part("linear", {"x": "x: B, d", "W": "W*: d, d", "y": "result: B, d"}, {"x": "x"}, {"y": "y"})
    _, issues = build(model_of(USE.replace(old, new), {"one/part": linear}))
    found = [issue for issue in issues if issue.code != "A610"]  # a tie of d and e is told too
    assert [(one.path, one.line, one.column, one.code, one.message, one.hint) for one in found] == [
        ("content/tiny/model.yml", line, column, "A609", message, hint)
    ]


TWICE = r"""inputs:
  'x': {axes: [B, d], meaning: features}
outputs:
  'one.part.y': features
stacks:
  one:
    title: One
    components: [part]
    stacks:
      part:
        title: Part
        components: [relu]
"""


@pytest.mark.parametrize(
    ("components", "message"),
    [
        ("[part, part]", "part is there twice in one"),
        ("[part, {use: one/part/relu, as: part}]", "part is there twice in one"),
        ("[{use: one/part/relu, as: part, in: {x: x}}]", "the stack part is not among the components of one"),
        ("[{use: one/part/relu, as: other, in: {x: x}, out: {z: y}}]",
         "the stack part is not among the components of one"),
    ],
)  # fmt: skip
def test_a_stack_within_another_stands_among_its_components_once(
    model_of: ModelOf, part: Part, components: str, message: str
) -> None:
    text = TWICE.replace("components: [part]", f"components: {components}")
    collection = model_of(text, {} if "not among" in message else {"one/part/relu": relu("x", "y", part)})
    _, issues = build(collection)
    assert ("A609", message) in {(issue.code, issue.message) for issue in issues}
    if "twice" in message:
        assert len(issues) == 1


def test_two_uses_in_one_stack_need_two_names(model_of: ModelOf, part: Part) -> None:
    text = ONE.replace("[part]", "[part, {use: one/part, in: {y: x}, out: {z: y}}]").replace("one.y", "one.z")
    _, issues = build(model_of(text, {"one/part": relu("x", "y", part)}))
    assert [(issue.code, issue.message, issue.hint) for issue in issues] == [
        ("A609", "part is there twice in one", "give one of them another name: `as: …`")
    ]


def test_a_component_that_is_listed_twice_is_told_with_the_lists(model_of: ModelOf, part: Part) -> None:
    _, issues = build(model_of(ONE.replace("[part]", "[part, part]"), {"one/part": relu("x", "y", part)}))
    assert issues == []  # as loading has told it


TIED = r"""inputs:
  't': {axes: [B], ids: V, meaning: ids}
outputs:
  'last.z': scores
stacks:
  first:
    title: First
    with: {e: d}
    components: [table]
  layers:
    title: Layers
    layers: 2
    takes: {'x_n': 'first.x'}
    carries: {'x_n': 'y'}
    components: [mix]
  last:
    title: Last
    components: [head]
"""


@pytest.mark.parametrize(
    ("tied", "axes", "message", "hint"),
    [
        ("first/table.E", "V, d", "", ""),  # the stack says that its e is the model's d
        ("first/table.E", "d, V", "E has the axes [d, V], but first/table.E has [V, d]", UNFIT),
        ("first/table.F", "V, d", "no component has the parameter first/table.F", "did you mean `first/table.E`?"),
        ("first/tabel.E", "V, d", "no component has the parameter first/tabel.E", "did you mean `first/table.E`?"),
        ("z.E", "V, d", "no component has the parameter z.E", "name a component and its parameter"),
        ("first/table.x", "V, d", "no component has the parameter first/table.x", "did you mean `first/table.E`?"),
        (
            "layers/mix.W",
            "V, d",
            "layers/mix is in a stack with layers, so which layer's W is meant is not said",
            UNFIT,
        ),
        ("last/head.E", "V, d", "last/head.E is tied itself; name the one that both are", UNFIT),
    ],
)
def test_a_tied_parameter_is_the_same_as_one_that_is_there_once(
    model_of: ModelOf, part: Part, tied: str, axes: str, message: str, hint: str
) -> None:
    table = part(
        "embedding", {"t": ("t: B", {"ids": "V"}), "E": "E*: V, e", "x": "result: B, e"}, {"t": "t"}, {"x": "x"}
    )
    mix = part("linear", {"x": "x: B, d", "W": "W*: d, d", "y": "result: B, d"}, {"x_n": "x"}, {"y": "y"})
    head = part(
        "unembedding",
        {"x": "x: B, d", "E": (f"E*: {axes}", {"tied": tied}), "z": "result: B, V"},
        {"layers.y": "x"},
        {"z": "z"},
    )
    graph, issues = build(model_of(TIED, {"first/table": table, "layers/mix": mix, "last/head": head}))
    assert [(one.path, one.line, one.code, one.message, one.hint) for one in issues] == (
        [("content/tiny/last/head.yml", 2, "A610", message, hint)] if message else []
    )
    assert dict(graph.nodes[2].tied) == {"E": tuple(tied.split("."))}


def test_a_tie_that_a_use_states_is_told_there(model_of: ModelOf, part: Part) -> None:
    linear = part("linear", {"x": "x: B, d", "W": "W*: d, d", "y": "result: B, d"}, {"x": "x"}, {"y": "y"})
    _, issues = build(model_of(USE.replace("one/part.W}", "two/part.W}"), {"one/part": linear}))
    message = "two/part.W is tied itself; name the one that both are"
    assert told(issues) == [("model.yml", 17, 21, "A610", message)]
