"""Models of someone who means harm, or whose script ran wild: each ends soon, with an issue and no traceback."""

from __future__ import annotations

import cProfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from atlas.checks.graph import check_graph, count_variants
from atlas.entries.atlas import Collection
from atlas.entries.collection import Model
from atlas.entries.load import load
from atlas.issues import Issue

Part = Callable[..., str]
ModelOf = Callable[..., Collection]

SECONDS = 60
"""What each of these may take at most, on a machine that is busy with other things; alone, it takes a few."""

MANY = 1500


@contextmanager
def bounded() -> Iterator[None]:
    """What is done within ends soon."""
    begun = time.monotonic()
    yield
    assert time.monotonic() - begun < SECONDS


def cost(work: Callable[[], object]) -> tuple[int, int]:
    """The calls that are made and the most bytes that are held, which are the same on every machine."""
    profile = cProfile.Profile()
    profile.runcall(work)
    tracemalloc.start()
    try:
        work()
        held = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return sum(entry.callcount for entry in profile.getstats()), held


def judged(collection: Collection) -> list[Issue]:
    """Everything that the graph's checks say, as `atlas check` calls them."""
    graph, issues = check_graph(collection)
    if graph is not None:
        issues += count_variants(collection, graph)[1]
    texts = {path: (collection.file.parents[2] / path).read_text("utf-8") for path in {one.path for one in issues}}
    lengths = {path: [len(line) for line in text.split("\n")] for path, text in texts.items()}
    for issue in issues:
        lines = lengths[issue.path]
        assert 1 <= issue.line <= len(lines)
        assert 1 <= issue.column <= lines[issue.line - 1] + 1
        assert len(issue.message) < 2000
    return issues


def relu(takes: str, gives: str, axes: str, part: Part) -> str:
    return part("relu", {"x": f"x: {axes}", "y": f"result: {axes}"}, {takes: "x"}, {gives: "y"})


ONE = r"""inputs:
  'x': {axes: [B, d], meaning: features}
outputs:
  'one.%s': features
stacks:
  one:
    title: One
    components: [part%s]
"""


def many(count: int, takes: str, gives: str) -> str:
    """So many uses of one component, each reading what the one before gives."""
    return "".join(
        f",\n      {{use: one/part, as: p{index}, in: {{{takes.format(index)}: x}}, out: {{{gives.format(index)}: y}}}}"
        for index in range(count)
    )


def row(count: int) -> str:
    """So many uses of one component, each reading what the one before gives."""
    before = ["y", *(f"z{index}" for index in range(count))]
    uses = "".join(
        f",\n      {{use: one/part, as: p{index}, in: {{{before[index]}: x}}, out: {{z{index}: y}}}}"
        for index in range(count)
    )
    return ONE % (f"z{count - 1}", uses)


def test_thousands_of_components_in_a_row(model_of: ModelOf, part: Part) -> None:
    with bounded():
        assert judged(model_of(row(5000), {"one/part": relu("x", "y", "B, d", part)}, d=3)) == []


def test_twice_the_components_take_twice_the_time_and_memory(model_of: ModelOf, part: Part) -> None:
    parts = {"one/part": relu("x", "y", "B, d", part)}
    small, large = (cost(partial(judged, model_of(row(count), parts, d=3))) for count in (400, 800))
    for one, two in zip(small, large, strict=True):
        assert 1.5 * one < two < 2.3 * one


def test_twice_the_layers_take_twice_the_time_and_memory(model_of: ModelOf, part: Part) -> None:
    parts = {"one/part": relu("x_n", "y", "B, d", part)}
    small, large = (cost(partial(judged, model_of(LAYERS, parts, d=3, N=count))) for count in (400, 800))
    for one, two in zip(small, large, strict=True):
        assert 1.5 * one < two < 2.3 * one


@pytest.mark.parametrize(
    ("takes", "gives", "code"),
    [("'w_{{{0}}}'", "z{0}", "A601"), ("y", "y", "A602"), ("z{0}", "z{0}", "A603"), ("y", "z{0}", "A605")],
)
def test_thousands_of_mistakes(model_of: ModelOf, part: Part, takes: str, gives: str, code: str) -> None:
    count = MANY
    text = ONE % ("y", many(count, takes, gives))
    with bounded():
        issues = judged(model_of(text, {"one/part": relu("x", "y", "B, d", part)}, d=3))
    assert {issue.code for issue in issues} == {code}
    assert len(issues) == count


@pytest.mark.parametrize("use", ["one/port", "one"])
def test_thousands_of_uses_of_nothing(model_of: ModelOf, part: Part, use: str) -> None:
    count = MANY
    text = ONE % ("y", many(count, "y", "z{0}").replace("one/part", use))
    with bounded():
        issues = judged(model_of(text, {"one/part": relu("x", "y", "B, d", part)}, d=3))
    assert {issue.code for issue in issues} == {"A609"}
    assert len(issues) == count


def test_thousands_of_ties_to_nothing(model_of: ModelOf, part: Part) -> None:
    count = MANY
    linear = part("linear", {"x": "x: B, d", "W": "W*: d, d", "y": "result: B, d"}, {"x": "x"}, {"y": "y"})
    uses = many(count, "y", "z{0}").replace("use: one/part,", "use: one/part, tied: {W: one/port.W},")
    with bounded():
        issues = judged(model_of(ONE % ("y", uses), {"one/part": linear}, d=3))
    assert {issue.code for issue in issues} == {"A610"}
    assert len(issues) == count


CARRIED = r"""inputs:
  'x': {axes: [B, d], meaning: features}
outputs:
  'one.y': features
stacks:
  one:
    title: One
    layers: N
    takes: {%s}
    carries: {%s}
    components: [part]
"""


def test_thousands_of_carried_values(model_of: ModelOf, part: Part) -> None:
    names = [f"c{index}" for index in range(MANY)]
    text = CARRIED % (", ".join(f"{name}: x" for name in names), ", ".join(f"{name}: y" for name in names))
    with bounded():
        issues = judged(model_of(text, {"one/part": relu("c7", "y", "B, d", part)}, d=3, N=3))
    assert {issue.code for issue in issues} == {"A605"}
    assert len(issues) == len(names) - 1


LAYERS = r"""inputs:
  'x': {axes: [B, d], meaning: features}
outputs:
  'one.y': features
stacks:
  one:
    title: One
    layers: N
    takes: {'x_n': x}
    carries: {'x_n': y}
    components: [part]
"""


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        ("N", "there are 1 to 50,000"),
        ("N N N", "there are 1 to 50,000"),
        ("N-1000000000000", "which is 0; there are 1 to 50,000"),
        ("N^9 N^9 N^9", "beyond 1e+300"),
        ("N/7", "not a whole number"),
        ("B", "there are 1 to 50,000|B has no value|layers"),
    ],
)
def test_numbers_of_layers_beyond_any_bound(model_of: ModelOf, part: Part, layers: str, message: str) -> None:
    text = LAYERS.replace("layers: N", f"layers: '{layers.strip()}'")
    with bounded():
        issues = judged(model_of(text, {"one/part": relu("x_n", "y", "B, d", part)}, d=3, N=10**12))
    if layers != "B":  # which is a size that nobody binds: any number will do, until something is counted
        (issue,) = issues
        assert issue.code == "A606"
        assert message in issue.message


def test_layers_within_layers_beyond_any_bound(model_of: ModelOf, part: Part) -> None:
    inner = """[in]
    stacks:
      in:
        title: In
        layers: 10000
        takes: {'z_n': x_n}
        carries: {'z_n': z}
        components: [part]"""
    text = LAYERS.replace("[part]", inner).replace("carries: {'x_n': y}", "carries: {'x_n': 'in.z'}")
    text = text.replace("'one.y'", "'one.in.z'")
    with bounded():
        (issue,) = judged(model_of(text, {"one/in/part": relu("z_n", "z", "B, d", part)}, d=3, N=10000))
    assert (issue.code, issue.message.endswith("the model has more than 50,000 steps")) == ("A606", True)


@pytest.mark.parametrize("count", [9_999, 10_000])
def test_a_list_of_thousands(model_of: ModelOf, part: Part, count: int) -> None:
    text = LAYERS.replace("    components", "    varies: [f]\n    components")
    linear = part(
        "linear", {"x": "x: B, d", "W": "W*: d, d", "b": "b*: d", "y": "result: B, d"}, {"x_n": "x"}, {"y": "y"}
    )
    with bounded():
        issues = judged(model_of(text, {"one/part": linear}, d=3, N=10_000, f=[5] * count))
    assert [issue.message for issue in issues] == (
        [] if count == 10_000 else
        ["in the variant small the model cannot be built: f has 9999 values, but one has 10000 layers"]
    )  # fmt: skip


GROWS = r"""inputs:
  'x': {axes: [B, d], meaning: features}
outputs:
  'one.y': features
stacks:
  one:
    title: One
    layers: N
    takes: {'x_n': x}
    carries: {'x_n': y}
    with: {f: %s}
    then: {f: '%s'}
    components: [part]
"""


@pytest.mark.parametrize("first", ["3", "S"])
@pytest.mark.parametrize(
    "then",
    [
        "2 f", "f f", "f^9 f^9 f^9", "f+1", "3 f+1", r"\lfloor f/2\rfloor+1", r"\lfloor f f/2\rfloor",
        r"\lfloor (3 f+1)/2\rfloor", r"f \lfloor f/3\rfloor+S", "(f+S) (f+1)", "f/2", "1/f", "f-4", "f",
    ],
)  # fmt: skip
def test_sizes_that_grow_without_bound(model_of: ModelOf, part: Part, first: str, then: str) -> None:
    """Whether the size is a number or one of the inputs that nobody has bound."""
    one = part("relu", {"x": "x: B, d", "y": "result: B, d", "u": ": f"}, {"x_n": "x"}, {"y": "y"})
    with bounded():
        issues = judged(model_of(GROWS % (first, then), {"one/part": one}, d=3, N=3_000))
    assert {issue.code for issue in issues} <= {"A606"}
    assert len(issues) <= 1
    if then in ("2 f", "f f", "f^9 f^9 f^9", "3 f+1", "(f+S) (f+1)"):
        assert issues != []


DEEP = 15


@pytest.mark.parametrize("inner", ["d d", "d^9 d^9", r"\lfloor d d/3\rfloor", "d+1", "1/d", "(d+1) (d+2)"])
def test_stacks_within_stacks_that_each_change_a_size(model_of: ModelOf, part: Part, inner: str) -> None:
    lines = ["inputs:", "  'x': {axes: [B, d], meaning: features}", "outputs:", "  'in.y': features", "stacks:"]
    for depth in range(DEEP):
        indent = "    " * depth
        lines += [
            f"  {indent}in:",
            f"  {indent}  title: In",
            f"  {indent}  with: {{d: '{inner}'}}",
            f"  {indent}  components: [{'in' if depth < DEEP - 1 else 'part'}]",
        ]
        if depth < DEEP - 1:
            lines.append(f"  {indent}  stacks:")
    text = "\n".join(lines).replace("'in.y'", f"'{'in.' * DEEP}y'") + "\n"
    with bounded():
        issues = judged(model_of(text, {f"{'in/' * DEEP}part": relu("x", "y", "B, d", part)}, d=3))
    assert {issue.code for issue in issues} == {"A604"}


def test_two_hundred_stacks_within_each_other(tmp_path: Path) -> None:
    text = "stacks:\n" + "".join(f"{' ' * (2 * depth + 2)}a: {{stacks: \n" for depth in range(200))
    lines = ["title: Deep", "stacks: " + "{a: {stacks: " * 200 + "{}" + "}}" * 200]
    for name, content in (("block", text), ("flow", "\n".join(lines) + "\n")):
        folder = tmp_path / name / "content" / "tiny"
        folder.mkdir(parents=True)
        (folder / "model.yml").write_text(content, encoding="utf-8")
        (tmp_path / name / "sources").mkdir()
        with bounded():
            atlas, issues = load(tmp_path / name, tmp_path / name / "content", tmp_path / name / "sources")
        assert dict(atlas.collections) == {}
        assert {issue.code for issue in issues} <= {"A002", "A011"}
        assert len(issues) == 1


@pytest.mark.parametrize(
    ("components", "codes"),
    [
        ("[one]", {"A112"}),  # a stack that is its own component is a file that there is not
        ("[{use: one}]", {"A113"}),
        ("[part, {use: one/part, as: part}]", set()),
        ("[part, {use: part}]", set()),
        ("[{use: one/part}]", {"A113"}),
    ],
)
def test_a_stack_or_component_that_names_itself(
    tmp_path: Path, part: Part, components: str, codes: set[str], model_of: ModelOf
) -> None:
    collection = model_of(ONE % ("y", ""), {"one/part": relu("x", "y", "B, d", part)})
    collection.file.write_text(
        collection.file.read_text(encoding="utf-8").replace("[part]", components), encoding="utf-8"
    )
    atlas, issues = load(tmp_path, tmp_path / "content", tmp_path / "sources")
    found = atlas.collections["tiny"]
    assert {issue.code for issue in issues} == codes
    assert isinstance(found.data, Model)
    told = judged(found)
    assert {issue.code for issue in told} <= {"A609"}
    assert bool(told) == (components != "[one]" and components != "[{use: one/part}]")


NAMES = st.text(alphabet=st.sampled_from(list("xX_^{}.\\ ()[]+-*'\"#&%$~|/<>0é\u4e00")), min_size=1, max_size=12)


@settings(derandomize=True, deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(NAMES, NAMES, NAMES)
def test_values_of_any_name(model_of: ModelOf, part: Part, first: str, second: str, third: str) -> None:
    """Names are texts: what they hold is nobody's business here, only that each leads somewhere or nowhere."""
    quoted = [name.strip().replace("'", "''") or "x" for name in (first, second, third)]
    text = (ONE % ("y", "")).replace("'x':", f"'{quoted[0]}':").replace("'one.y'", f"'one.{quoted[1]}'")
    one = relu((third.strip() or "x"), (second.strip() or "x"), "B, d", part)
    issues = judged(model_of(text, {"one/part": one}, d=3))
    assert {issue.code for issue in issues} <= {"A601", "A602", "A603", "A605"}
