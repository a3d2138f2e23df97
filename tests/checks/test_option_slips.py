"""Options that make formula and operator differ: the option is told, at its place, and so is the formula."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from atlas.checks.formula import check_formula, read_formula, read_table
from atlas.entries.atlas import Entry
from atlas.issues import Issue
from atlas.operators.catalogue import find

EntryOf = Callable[[str], Entry]
Found = Callable[[str], list[Issue]]

NORM = r"""
title: A
operator: layer_norm
summary: A
arguments: {epsilon: 1e-5}
formula: |
  \begin{aligned}
  \mu &= \frac{1}{d}\sum_{j=1}^d x_j \\
  v &= \frac{1}{d}\sum_{j=1}^d (x_j-\mu)^2 \\
  y &= \gamma\odot\frac{x-\mu}{\sqrt{v+\varepsilon}}+\beta \\
  \varepsilon &= 10^{-5}
  \end{aligned}
batch: [B]
symbols:
  'x': {axes: [B, d], binds: x}
  '\gamma': {axes: [d], binds: gamma}
  '\beta': {axes: [d], binds: beta}
  '\varepsilon': {axes: [], binds: epsilon}
  'y': {axes: [B, d], binds: result}
sources:
  - {id: shown, claim: A, source: none, path: none.py, lines: 1}
"""

ROTATION = r"""
title: A
operator: rope_half
summary: A
arguments: {base: 1000.0}
formula: |
  \begin{aligned}
  y_{p,i}&=x_{p,i}\cos(p\,\theta_i)-x_{p,i+d/2}\sin(p\,\theta_i)\\
  y_{p,i+d/2}&=x_{p,i+d/2}\cos(p\,\theta_i)+x_{p,i}\sin(p\,\theta_i)\\
  \theta_i&=500^{-2i/d},\quad i=0,\dots,\frac{d}{2}-1
  \end{aligned}
base: 0
sizes: {d: 2 r}
symbols:
  'x': {axes: [S, d], binds: x}
  'y': {axes: [S, d], binds: result}
sources:
  - {id: shown, claim: A, source: none, path: none.py, lines: 1}
"""


@pytest.fixture
def found(entry_of: EntryOf) -> Found:
    def run(text: str) -> list[Issue]:
        entry = entry_of(text)
        operator = find(entry.data.operator or "")
        table, issues = read_table(entry, operator)
        assert (issues, table is None) == ([], False)
        assert table is not None
        formula, issues, _ = read_formula(entry, table)
        assert issues == []
        assert formula is not None
        return check_formula(entry, operator, formula)[1]

    return run


def test_an_option_that_the_formula_states_otherwise_is_told_at_its_place(found: Found) -> None:
    (issue,) = found(NORM.replace("epsilon: 1e-5}", "epsilon: 1e-3}"))
    assert (issue.line, issue.column, issue.code) == (5, 22, "A260")
    assert issue.message.startswith("epsilon is 0.001, but the formula equals layer_norm with 1e-5: ")
    assert issue.hint == r"write `epsilon: 1e-5`, or at 11:18: replace `10^{-5}` by `10^{-3}`"


def test_an_option_that_is_left_out_is_told_beside_the_formula(found: Found) -> None:
    (issue,) = found(NORM.replace("arguments: {epsilon: 1e-5}\n", "").replace("10^{-5}", "10^{-4}"))
    assert (issue.line, issue.code) == (10, "A260")
    assert issue.message.endswith("with `epsilon: 0.0001` instead of its default 1e-6 they agree")
    assert issue.hint == r"write `epsilon: 0.0001` under `arguments`, or at 10:18: replace `10^{-4}` by `10^{-6}`"


def test_a_number_that_only_stands_in_the_formula_is_tried_and_what_shows_twice_is_told_once(found: Found) -> None:
    (issue,) = found(ROTATION)
    assert (issue.line, issue.column, issue.code) == (5, 19, "A260")
    assert issue.message.startswith("base is 1000.0, but the formula equals rope_half with 500.0: `y` differs")
    assert issue.hint == "write `base: 500.0`, or correct the formula, at 8:3, if 1000.0 is right"


def test_a_mistake_of_the_formula_is_not_blamed_on_an_option(found: Found) -> None:
    (issue,) = found(NORM.replace(r"+\beta", r"-\beta"))
    assert (issue.line, issue.code, issue.hint) == (10, "A260", r"at 10:53: replace `-` by `+`")
    assert issue.message.startswith("`y` differs")
