"""Counts: a parameter's length is told by everything else, or the page says by nothing; a mistake is told once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from atlas.checks.formula import read_table
from atlas.checks.parameters import check_counts, check_learned
from atlas.entries.atlas import Collection, Entry
from atlas.issues import Issue
from atlas.operators.catalogue import find
from atlas.operators.family import Family
from atlas.operators.registry import Operator, operator

EntryOf = Callable[[str], Entry]
LibraryOf = Callable[[Entry], Collection]
Counts = Callable[[str, Operator], tuple[str, list[Issue]]]

FAMILY = Family("t", "T", "position")

LINEAR = r"""
title: A
operator: linear
summary: A
formula: 'y=xW+b'
batch: [B]
symbols:
  'x': {axes: [B, d], binds: x}
  'W': {axes: [d, m], binds: W, parameter: Weight}
  'b': {axes: [m], binds: b, parameter: Bias}
  'y': {axes: [B, m], binds: result}
sources:
  - {id: shown, claim: A, source: none, path: none.py, lines: 1}
"""

EXPERTS = r"""
title: A
operator: mixture_of_swiglu_experts
summary: A
formula: 'y=x'
batch: [B]
symbols:
  'x': {axes: [B, d], binds: x}
  'k': {axes: [], binds: k, between: [1, n-1]}
  'W^r': {axes: [d, n], binds: W_r, parameter: Router}
  'W^g': {axes: [n, d, f], binds: W_g, parameter: Gate, active: {n: k}}
  'W^u': {axes: [n, d, f], binds: W_u, parameter: Up, active: {n: k}}
  'W^d': {axes: [n, f, m], binds: W_d, parameter: Down, active: {n: k}}
  'y': {axes: [B, m], binds: result}
sources:
  - {id: shown, claim: A, source: none, path: none.py, lines: 1}
"""

CONVOLUTION = r"""
title: A
operator: convolution_2d
arguments: {stride: 2}
summary: A
formula: 'y=x'
symbols:
  'x': {axes: [N, C, H, L], binds: x}
  'W': {axes: [O, C, k, 3], binds: kernel, parameter: Kernel}
  'b': {axes: [O], binds: b, parameter: Bias}
  'y': {axes: [N, O, '\lfloor (H-k)/2\rfloor+1', '\lfloor (L-3)/2\rfloor+1'], binds: result}
sources:
  - {id: shown, claim: A, source: none, path: none.py, lines: 1}
"""


@pytest.fixture
def counts(entry_of: EntryOf, library_of: LibraryOf) -> Counts:
    def run(text: str, operator: Operator) -> tuple[str, list[Issue]]:
        entry = entry_of(text)
        table, issues = read_table(entry, operator)
        assert issues == []
        assert table is not None
        return check_counts(entry, library_of(entry), operator, table)

    return run


def test_lengths_are_told_by_arguments_and_results(counts: Counts) -> None:
    assert counts(LINEAR, find("linear")) == ("d m+m per instance, as many as linear has", [])


@pytest.mark.parametrize(
    ("old", "new", "here"),
    [
        ("[d, m], binds: W", "[d, 2 m], binds: W", "706,440"),
        ("[d, m], binds: W", "[m, m], binds: W", "706,440"),
        ("[m], binds: b", "[d], binds: b", "353,220"),
    ],
)
def test_a_length_that_others_tell_otherwise_is_wrong(counts: Counts, old: str, new: str, here: str) -> None:
    figure, (issue,) = counts(LINEAR.replace(old, new), find("linear"))
    assert figure == ""
    assert (issue.code, issue.line) == ("A402", 7)
    assert issue.message == (
        f"there are {here} parameters here by their axes, 353,640 by linear, with d = 420, m = 840"
    )


def test_a_relation_makes_lengths_equal(counts: Counts) -> None:
    text = LINEAR.replace("[d, m], binds: W", "[h d_v, m], binds: W").replace("batch:", "sizes: {d: h d_v}\nbatch:")
    assert counts(text, find("linear")) == ("d_v h m+m per instance, as many as linear has", [])
    (issue,) = counts(text.replace("{d: h d_v}", "{d: 2 h d_v}"), find("linear"))[1]
    assert issue.code == "A402"


def test_what_nothing_else_tells_is_said(counts: Counts) -> None:
    figure, issues = counts(CONVOLUTION, find("convolution_2d"))
    assert issues == []
    assert figure == "3 C O k+O per instance, as many as convolution_2d has; not counted independently: Kernel (k, 3)"
    plain = CONVOLUTION.replace("arguments: {stride: 2}\n", "").replace("/2", "").replace("+1", "+1")
    assert counts(plain, find("convolution_2d"))[0] == "3 C O k+O per instance, as many as convolution_2d has"


def test_a_table_that_nothing_reads_by_number_is_not_counted_independently(counts: Counts) -> None:
    @operator("x[... S d], P[n d] -> [... S d]", title="T", family=FAMILY, source="none", macs="0", parameters=("P",))
    def placed(x: Any, P: Any) -> Any:  # noqa: N803  # the formula's own symbol
        """Add the first rows of a table.

        Shapes: same.
        """
        return x + P[: x.shape[-2]]

    text = LINEAR.replace("[B, d]", "[B, S, d]").replace("[B, m]", "[B, S, d]")
    text = text.replace(
        "'W': {axes: [d, m], binds: W, parameter: Weight}", "'P': {axes: [n, d], binds: P, parameter: Table}"
    )
    text = text.replace("  'b': {axes: [m], binds: b, parameter: Bias}\n", "")
    figure, issues = counts(text, placed)
    assert issues == []
    assert figure == "d n per instance, as many as placed has; not counted independently: Table (n)"


def test_a_parameter_without_its_name_is_one_mistake(entry_of: EntryOf) -> None:
    text = LINEAR.replace("binds: b, parameter: Bias", "binds: b, tensor: bias")
    (issue,) = check_learned(entry_of(text), find("linear"))
    assert (issue.code, issue.line) == ("A401", 10)
    assert issue.message == "b is a learned parameter of linear and is not counted"
    (issue,) = check_learned(entry_of(LINEAR.replace("binds: x}", "binds: x, tensor: input}")), find("linear"))
    assert (issue.code, issue.line, issue.message) == ("A401", 8, "x has a tensor upstream but is no parameter")


@pytest.mark.parametrize(
    ("old", "new", "line", "message", "hint"),
    [
        (
            "Gate, active: {n: k}",
            "Gate",
            11,
            "of W^g one token uses k of n in mixture_of_swiglu_experts",
            "write `active: {n: k}`",
        ),
        ("Up, active: {n: k}", "Up, active: {f: k}", 12, "of W^u one token uses k of n", "write `active: {n: k}`"),
        ("Down, active: {n: k}", "Down, active: {n: 2}", 13, "of W^d one token uses k of n", "write `active: {n: k}`"),
        ("Router", "Router, active: {n: k}", 10, "of W^r one token uses all of it", "remove `active`"),
    ],
)
def test_a_token_uses_what_the_operator_uses_for_it(
    entry_of: EntryOf, old: str, new: str, line: int, message: str, hint: str
) -> None:
    operator = find("mixture_of_swiglu_experts")
    assert check_learned(entry_of(EXPERTS), operator) == []
    (issue,) = check_learned(entry_of(EXPERTS.replace(old, new)), operator)
    assert (issue.code, issue.line, issue.hint) == ("A403", line, hint)
    assert issue.message.startswith(message)


def test_how_much_a_token_uses_may_be_a_number(entry_of: EntryOf) -> None:
    operator = find("mixture_of_swiglu_experts")
    text = EXPERTS.replace("  'k': {axes: [], binds: k, between: [1, n-1]}\n", "")
    text = text.replace("summary: A", "summary: A\narguments: {k: 2}")
    assert check_learned(entry_of(text.replace("{n: k}", "{n: 2}")), operator) == []
    issues = check_learned(entry_of(text.replace("{n: k}", "{n: 3}")), operator)
    assert [(issue.code, issue.hint) for issue in issues] == [("A403", "write `active: {n: 2}`")] * 3
