"""Every shared formula equals its reference, prints as a text with an equal tree, and gives the same on every run."""

from __future__ import annotations

from typing import Any

import numpy as np

from atlas.formula.check import check
from atlas.formula.engine import parse
from atlas.formula.sample import draw
from atlas.formula.tree import Name, walk
from tests.formula.printed import print_latex


def test_equals_its_reference(case: Any, references: dict[str, Any]) -> None:
    report = check(parse(case.latex, case.declarations), references[case.name])
    assert report.issues == ()
    assert report.largest_relative_error < 1e-12
    assert report.samples == 4
    assert report.compared
    assert report.repair is None


def test_another_seed_is_no_false_alarm(case: Any, references: dict[str, Any]) -> None:
    formula = parse(case.latex, case.declarations)
    for seed in (1, 2, 3):
        assert check(formula, references[case.name], seed, repair=False).issues == ()


def test_printed_formula_has_an_equal_tree(case: Any) -> None:
    formula = parse(case.latex, case.declarations)
    again = formula.rewritten(print_latex(formula.system))
    assert again.system == formula.system
    assert print_latex(again.system) == print_latex(formula.system)


def test_every_node_has_the_span_of_its_text(case: Any) -> None:
    formula = parse(case.latex, case.declarations)
    for node in walk(formula.system):
        assert 0 <= node.span.start < node.span.end <= len(case.latex)
        if isinstance(node, Name) and len(node.name) == 1:
            assert case.latex[node.span.start] == node.name


def test_is_deterministic(case: Any) -> None:
    formula = parse(case.latex, case.declarations)
    one, other = draw(formula, 7, 1), draw(formula, 7, 1)
    assert one.sizes == other.sizes
    first, second = formula.run(one.inputs, one.sizes), formula.run(other.inputs, other.sizes)
    assert first.keys() == second.keys()
    assert all(np.array_equal(first[name], second[name]) for name in first)


def test_every_formula_has_a_reference(cases: dict[str, Any], references: dict[str, Any]) -> None:
    assert cases.keys() == references.keys()
