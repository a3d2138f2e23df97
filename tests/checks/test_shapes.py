"""Shapes and counts against operators: sizes to try are found, one wrong argument is one issue, lies are noticed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from atlas.checks.formula import read_table
from atlas.checks.parameters import check_counts, check_learned
from atlas.checks.shapes import check_shapes
from atlas.entries.atlas import Atlas, Collection, Entry
from atlas.entries.collection import Model
from atlas.entries.component import Component
from atlas.entries.load import load
from atlas.exceptions import SizeError
from atlas.graph.accounting import account, model_account
from atlas.graph.build import build
from atlas.graph.unroll import Sizes
from atlas.issues import Issue
from atlas.operators.catalogue import find
from atlas.operators.family import Family
from atlas.operators.registry import Operator, operator

PROJECT = Path(__file__).resolve().parents[1] / "project"

Axes = Mapping[str, list[str | int]]
WithAxes = Callable[[Axes], Entry]


@pytest.fixture(scope="module")
def atlas() -> Atlas:
    found, issues = load(PROJECT, PROJECT / "content", PROJECT / "sources")
    assert issues == []
    return found


@pytest.fixture
def transformer(atlas: Atlas) -> Collection:
    return atlas.collections["transformer"]


@pytest.fixture
def with_axes(transformer: Collection) -> WithAxes:
    """The second norm of the Transformer with other axes, by what its symbols bind."""

    def make(axes: Axes) -> Entry:
        entry = transformer.entries[1]
        data = entry.data.model_dump(by_alias=True)
        for symbol in data["symbols"].values():
            symbol["axes"] = tuple(axes.get(symbol["binds"], symbol["axes"]))
        data["batch"] = ()  # they need not be axes any more
        return replace(entry, data=Component.model_validate(data))

    return make


def shapes(entry: Entry, operator: Operator) -> tuple[str, list[Issue]]:
    table, issues = read_table(entry, operator)
    assert issues == []
    assert table is not None
    return check_shapes(entry, operator, table)


def counts(entry: Entry, collection: Collection, operator: Operator) -> tuple[str, list[Issue]]:
    table, issues = read_table(entry, operator)
    assert issues == []
    assert table is not None
    graph, issues = build(collection)
    assert issues == []
    assert isinstance(collection.data, Model)
    accounts = {}
    for name, variant in collection.data.variants.items():
        found = model_account(graph, Sizes.of(variant))
        own = account(entry, variant.numbers, 6)
        accounts[name] = replace(found, entries={entry.id: replace(own, places=own.places * 6)})
    return check_counts(entry, collection, operator, table, accounts)


def places(issues: list[Issue]) -> list[tuple[int, int, str]]:
    return [(issue.line, issue.column, issue.code) for issue in issues]


@pytest.mark.parametrize(
    "axes",
    [
        {},
        {"x": ["d"], "result": ["d"]},
        {"x": ["B", "S", "h d_v"], "gamma": ["d_v h"], "beta": ["h d_v"], "result": ["B", "S", "d_v h"]},
        {"x": ["B", "S", 64], "gamma": [64], "beta": [64], "result": ["B", "S", 64]},
        {"x": ["B", "d/h"], "gamma": ["d/h"], "beta": ["d/h"], "result": ["B", "d/h"]},
        {"x": ["H-k+1", "d"], "result": ["H+1-k", "d"]},
        {"x": ["H-k-12", "d"], "result": ["H-k-12", "d"]},
        {"x": [r"\lfloor n/7\rfloor", "d"], "result": [r"\lfloor n/7\rfloor", "d"]},
    ],
)
def test_axes_that_fit(with_axes: WithAxes, axes: Axes) -> None:
    figure, issues = shapes(with_axes(axes), find("layer_norm"))
    assert issues == []
    assert figure.startswith("in and out shapes agree with layer_norm, symbolically and on arrays with ")


def test_the_figure_names_the_sizes_that_were_tried(with_axes: WithAxes) -> None:
    assert shapes(with_axes({}), find("layer_norm"))[0].endswith("with B = 7, S = 3, d = 5")


@pytest.mark.parametrize(
    ("axes", "line", "message"),
    [
        ({"gamma": ["B"]}, 15, "gamma has axes [B], with B where x [B, S, d], beta [d] and result [B, S, d] have d"),
        ({"beta": ["d", "d"]}, 16, "beta has axes [d, d], but [C] is 1 axis"),
        ({"x": ["B", "S"]}, 14, "x has axes [B, S], with S where gamma [d], beta [d] and result [B, S, d] have d"),
        ({"x": []}, 14, "x has axes [], but [... C] is at least 1 axis"),
        ({"result": ["B", "d"]}, 18, "y is declared with axes [B, d], but layer_norm returns [B, S, d]"),
        ({"result": ["S", "B", "d"]}, 18, "y is declared with axes [S, B, d], but layer_norm returns [B, S, d]"),
    ],
)
def test_one_wrong_argument_is_one_issue(with_axes: WithAxes, axes: Axes, line: int, message: str) -> None:
    figure, (issue,) = shapes(with_axes(axes), find("layer_norm"))
    assert figure == ""
    assert (issue.code, issue.line, issue.message) == ("A301", line, message)


@pytest.mark.parametrize(
    ("was", "written", "message", "hint"),
    [
        (
            "'W_2': {axes: [f, d]",
            "'W_2': {axes: [f, f]",
            "W_2 has axes [f, f], with f where b_2 [d] and result [B, S, d] have d",
            "write `axes: [f, d]`",
        ),
        (
            "'W_1': {axes: [d, f]",
            "'W_1': {axes: [f, d]",
            "W_1 has axes [f, d], with f where x [B, S, d] has d and d where b_1 [f] and W_2 [f, d] have f",
            "write `axes: [d, f]`",
        ),
        (
            "'x': {axes: [B, S, d]",
            "'x': {axes: [B, S, f]",
            "x has axes [B, S, f], with f where W_1 [d, f] has d",
            "write `axes: [B, S, d]` for x, or `axes: [f, f]` for W_1",
        ),
    ],
)
def test_the_shape_that_stands_alone_is_blamed_and_not_the_one_that_meets_it(
    entry_of: Callable[[str], Entry], was: str, written: str, message: str, hint: str
) -> None:
    assert was in FEED_FORWARD
    entry = entry_of(FEED_FORWARD.replace(was, written))
    _, (issue,) = shapes(entry, find("feed_forward_relu"))
    assert (issue.code, issue.message, issue.hint) == ("A301", message, hint)
    assert FEED_FORWARD.splitlines()[issue.line - 1].startswith(f"  {was.partition(':')[0]}:")


def test_two_wrong_arguments_are_two_issues(with_axes: WithAxes) -> None:
    _, issues = shapes(with_axes({"gamma": ["B"], "beta": ["S"]}), find("layer_norm"))
    assert places(issues) == [(15, 22, "A301"), (16, 21, "A301")]


@pytest.mark.parametrize(
    ("axes", "reason"),
    [
        ({"x": ["d/2-d", "d"], "result": ["d/2-d", "d"]}, "-d/2 is "),
        ({"x": ["1-d", "d"], "result": ["1-d", "d"]}, "1-d is "),
        ({"x": [10**9, "d"], "result": [10**9, "d"]}, "`x` as an array of 7,000,000,000 elements is too large"),
        ({"x": [*("1" * 40), "d"], "result": [*("1" * 40), "d"]}, "`x` has 41 axes; at most 32 are tried"),
    ],
)
def test_axes_without_sizes_to_try(with_axes: WithAxes, axes: Axes, reason: str) -> None:
    _, (issue,) = shapes(with_axes(axes), find("layer_norm"))
    assert (issue.code, issue.line) == ("A303", 13)
    assert reason in issue.message


FEED_FORWARD = r"""
title: A
operator: feed_forward_relu
summary: A
formula: y=\max(0,xW_1+b_1)W_2+b_2
batch: [B, S]
symbols:
  'x': {axes: [B, S, d], binds: x}
  'W_1': {axes: [d, f], binds: W_1}
  'b_1': {axes: [f], binds: b_1}
  'W_2': {axes: [f, d], binds: W_2}
  'b_2': {axes: [d], binds: b_2}
  'y': {axes: [B, S, d], binds: result}
sources:
  - {id: shown, claim: A, source: none, path: none.py, lines: 1}
"""

SIGNATURE = "x[... C], gamma[C], beta[C] -> [... C]"
FAMILY = Family("layer-norm", "Layer normalization", "normalization")


def lying(
    function: Callable[..., Any], signature: str = SIGNATURE, parameters: tuple[str, ...] = ("gamma", "beta")
) -> Operator:
    made = operator(signature, title="Lying", family=FAMILY, source="here", macs="0", parameters=parameters)
    return made(function)


def test_an_operator_that_breaks_its_own_contract_is_noticed_on_arrays(with_axes: WithAxes) -> None:
    def liar(x: Any, gamma: Any, beta: Any, *, epsilon: float = 0.0) -> Any:
        """Return something of another shape than promised."""
        return x[..., :-1] + gamma[:-1] + beta[:-1]

    _, (issue,) = shapes(with_axes({}), lying(liar))
    assert (issue.code, issue.line) == ("A302", 13)
    assert issue.message == ("liar refuses arrays of these axes: result has shape (7, 3, 4), but [... C] is (7, 3, 5)")
    assert issue.hint.startswith("correct the axes, or what the arguments' values may be: liar takes x[... C], gamma")


def test_an_operator_that_refuses_the_arrays_is_noticed(with_axes: WithAxes) -> None:
    def picky(x: Any, gamma: Any, beta: Any) -> Any:
        """Take no option, so that the entry's is one too many."""
        return x * gamma + beta

    _, (issue,) = shapes(with_axes({}), lying(picky))
    assert issue.code == "A302"
    assert "picky has no option epsilon" in issue.message
    assert issue.hint == "it takes no options: remove `arguments`, and `binds` to them"


def test_counts_are_made_twice_and_must_agree(with_axes: WithAxes, transformer: Collection) -> None:
    entry = with_axes({})
    figure, issues = counts(entry, transformer, find("layer_norm"))
    assert issues == []
    assert figure == "counted for every variant over its layers: base 6,144, big 12,288"

    def gated(x: Any, gamma: Any, beta: Any, *, epsilon: float = 0.0) -> Any:
        """Learn a gain for two features at once."""
        return x * gamma[0] + beta

    wide = lying(gated, "x[... C], gamma[C], beta[C] -> [... C]")
    wrong = with_axes({"gamma": ["2 d"]})
    _, (issue,) = counts(wrong, transformer, wide)
    assert (issue.code, issue.line) == ("A402", 13)
    assert issue.message == "transformer_base has 9,216 parameters here by its axes, 6,144 by gated"


def test_a_count_that_is_no_whole_number_is_none(with_axes: WithAxes, transformer: Collection) -> None:
    axes: Axes = {"x": ["B", "d/3"], "gamma": ["d/3"], "beta": ["d/3"], "result": ["B", "d/3"]}
    with pytest.raises(SizeError, match="d/3 is 512/3, not a whole number"):
        counts(with_axes(axes), transformer, find("layer_norm"))


def test_what_is_counted_is_what_the_operator_learns(with_axes: WithAxes) -> None:
    entry = with_axes({})
    assert check_learned(entry, find("layer_norm")) == []

    def fixed(x: Any, gamma: Any, beta: Any) -> Any:
        """Learn nothing but the bias."""
        return x * gamma + beta

    (issue,) = check_learned(entry, lying(fixed, parameters=("beta",)))
    assert (issue.code, issue.line) == ("A401", 15)
    assert issue.message.endswith("learned are beta")
    (issue, _) = check_learned(entry, lying(fixed, parameters=()))
    assert issue.message.endswith("learned are none")
