"""Two entries that disagree about a value's name: the one that stands alone is told, else both are named."""

from __future__ import annotations

from atlas.graph.build import build
from tests.graph.small_models import LAYERS, ModelOf, Part, relu

TEXT = LAYERS.lstrip()
WIDE = TEXT.replace("[first, second]", "[first, second, {use: layers/second, as: third, in: {a: x}, out: {b: y}}]")


def said(model_of: ModelOf, text: str, parts: dict[str, str]) -> list[tuple[str, int, str, str]]:
    _, issues = build(model_of(text, parts))
    assert {issue.code for issue in issues} <= {"A601"}
    return [(one.path.removeprefix("content/tiny/"), one.line, one.message, one.hint) for one in issues]


def test_a_giver_that_stands_alone_against_its_readers_is_what_is_wrong(model_of: ModelOf, part: Part) -> None:
    parts = {"layers/first": relu("x_n", "q", part), "layers/second": relu("a", "x_{n+1}", part)}
    assert said(model_of, WIDE.replace("{'layers.x", "{'layers.b': more, 'layers.x"), parts) == [
        ("layers/first.yml", 4,
         "nothing produces a, which content/tiny/layers/second.yml, line 3 and content/tiny/model.yml, line 11 read; "
         "nothing reads q, which layers/first gives here", "name it `a` here, as its readers do"),
    ]  # fmt: skip


def test_what_layers_hand_on_and_outputs_read_counts_as_read(model_of: ModelOf, part: Part) -> None:
    parts = {"layers/first": relu("x_n", "a", part), "layers/second": relu("a", "x_{m+1}", part)}
    [(path, line, message, hint)] = said(model_of, TEXT, parts)
    assert (path, line, hint) == ("layers/second.yml", 4, "name it `x_{n+1}` here, as its readers do")
    assert "content/tiny/model.yml, line 10 and content/tiny/model.yml, line 4 read" in message


def test_of_one_giver_and_one_reader_both_are_named(model_of: ModelOf, part: Part) -> None:
    """Which of them is wrong cannot be known; a name that something reads is not proposed, be it ever so like."""
    parts = {"layers/first": relu("x_n", "a_m", part), "layers/second": relu("a_n", "x_{n+1}", part)}
    assert said(model_of, TEXT, parts) == [
        ("layers/second.yml", 3,
         "nothing produces a_n; nothing reads a_m, which layers/first gives in content/tiny/layers/first.yml, line 4",
         "if one value is meant, name it `a_m` here or `a_n` there"),
    ]  # fmt: skip


def test_a_reader_that_stands_alone_is_what_is_wrong(model_of: ModelOf, part: Part) -> None:
    """What another stack calls so too speaks for the giver's name."""
    more = "  more:\n    title: More\n    components: [{use: layers/first, as: one, in: {x: x}}]\n"
    parts = {"layers/first": relu("x_n", "a_n", part), "layers/second": relu("a_m", "x_{n+1}", part)}
    text = TEXT.replace("in: {x: x}", "").replace("features\nstacks", "features\n  'more.z': more\nstacks") + more
    use = ", {use: layers/first, as: two, in: {a_n: x}, out: {z: y}}]"
    assert said(model_of, text.replace("in: {x: x}}]", "in: {x: x}}" + use), parts) == [
        ("layers/second.yml", 3,
         "nothing produces a_m; nothing reads a_n, which layers/first gives in content/tiny/layers/first.yml, line 4",
         "did you mean `a_n`?"),
    ]  # fmt: skip


def test_a_value_that_is_made_only_later_is_not_meant(model_of: ModelOf, part: Part) -> None:
    parts = {"layers/first": relu("q", "a", part), "layers/second": relu("a", "x_{n+1}", part)}
    assert said(model_of, WIDE, parts) == [("layers/first.yml", 3, "nothing produces q", "there is x_n, x")]


def test_what_a_layer_hands_on_from_outside_is_told_with_what_it_gives_for_nothing(
    model_of: ModelOf, part: Part
) -> None:
    parts = {"layers/first": relu("x_n", "a", part), "layers/second": relu("a", "x_{n+1}", part)}
    text = TEXT.replace("'x_n': 'x_{n+1}'", "'x_n': x").replace("'layers.x_{n+1}'", "'layers.a'")
    assert said(model_of, text, parts) == [
        ("model.yml", 10,
         "x is not made in layers, so its layers cannot hand it on; nothing reads x_{n+1}, which layers/second gives "
         "in content/tiny/layers/second.yml, line 4", "if one value is meant, name it `x_{n+1}` here"),
    ]  # fmt: skip


def test_of_many_readers_the_first_are_listed(model_of: ModelOf, part: Part) -> None:
    uses = "".join(
        f",\n      {{use: layers/second, as: p{index}, in: {{a: x}}, out: {{b{index}: y}}}}" for index in range(5)
    )
    text = TEXT.replace("second]", f"second{uses}]")
    parts = {"layers/first": relu("x_n", "q", part), "layers/second": relu("a", "x_{n+1}", part)}
    [(path, line, message, _)] = said(model_of, text, parts)
    assert (path, line) == ("layers/first.yml", 4)
    lines = "second.yml, line 3, content/tiny/model.yml, line 12, content/tiny/model.yml, line 13 and 3 more read; "
    assert f"which content/tiny/layers/{lines}" in message


def test_what_goes_round_is_told_with_the_way_that_it_takes(model_of: ModelOf, part: Part) -> None:
    """The value on the way may be what is wrong, so it is named with its place, as is what might be handed on."""
    parts = {"layers/first": relu("x_n", "a", part), "layers/second": relu("a", "b", part)}
    text = TEXT.replace("'x_n': x}", "'x_n': x, 'z_n': x}").replace("'x_n': 'x_{n+1}'}", "'x_n': z_n,\n 'z_n': x_n}")
    text = text.replace("'layers.x_{n+1}'", "'layers.b'").replace(" 'z_n': x_n", "              'z_n': x_n")
    told = said(model_of, text, parts)
    end = "as they take it, so nothing that they compute goes on; it goes round by way of"
    hint = "hand on a value that a component in the layer gives, such as `b` (content/tiny/layers/second.yml, line 4)"
    assert told == [
        ("model.yml", 10, f"the layers of layers hand on x_n {end} z_n (content/tiny/model.yml, line 11)", hint),
        ("model.yml", 11, f"the layers of layers hand on z_n {end} x_n (content/tiny/model.yml, line 10)", hint),
    ]
