"""Formulas against operators: what is compared with what, where an issue stands, what an entry must declare."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from atlas.checks.formula import check_formula, declarations, read_formula
from atlas.entries.atlas import Entry
from atlas.entries.component import Component, Symbol
from atlas.entries.tree import Document, parse
from atlas.entries.validate import validate
from atlas.exceptions import FormulaError
from atlas.formula import codes
from atlas.formula import parse as parse_formula
from atlas.formula.declarations import AliasOf, FunctionOf, Ids, IntegerRange, Positive, Real, UnitInterval
from atlas.issues import TITLES, Issue, show
from atlas.operators.catalogue import find
from atlas.operators.registry import Operator, operator

LINEAR = r"""
title: A
operator: linear
summary: A
formula: 'y=xW+b'
batch: [B]
symbols:
  'x': {axes: [B, d], binds: x}
  'W': {axes: [d, m], binds: W}
  'b': {axes: [m], binds: b}
  'y': {axes: [B, m], binds: result}
sources:
  - {id: shown, claim: A, source: none, path: none.py, lines: 1}
"""


def entry_of(text: str) -> Entry:
    document, issues = parse(text, "a.yml")
    assert issues == []
    assert isinstance(document, Document)
    data, issues = validate(document, Component)
    assert show(issues) == ""
    assert data is not None
    return Entry("a", Path("a.yml"), document, data, "none", None)


def checked(text: str, operator: Operator) -> tuple[str, list[Issue]]:
    entry = entry_of(text)
    formula, issues = read_formula(entry)
    if formula is None:
        return "", issues
    return check_formula(entry, operator, formula)


def test_a_formula_that_equals_its_operator_says_by_how_much() -> None:
    figure, issues = checked(LINEAR, find("linear"))
    assert issues == []
    assert figure.startswith("executed: equals linear on 4 inputs, largest relative error ")
    assert float(figure.split()[-1]) < 1e-12


def test_one_that_differs_is_an_issue_at_its_equation_with_the_place_of_the_repair() -> None:
    _, (issue,) = checked(LINEAR.replace("xW+b", "xW-b"), find("linear"))
    assert (issue.path, issue.line, issue.column, issue.code) == ("a.yml", 5, 11, "A260")
    assert issue.excerpt == "formula: 'y=xW-b'\n          ^^^^^^"
    assert issue.hint == "at 5:15: replace `-` by `+`"


def test_repairs_are_placed_in_folded_and_literal_texts_too() -> None:
    text = LINEAR.replace("'y=xW+b'", "|\n  y\n  = xW\n  - b")
    _, (issue,) = checked(text, find("linear"))
    assert (issue.line, issue.column) == (6, 3)
    assert issue.hint == "at 8:3: replace `-` by `+`"


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "message"),
    [
        (
            "binds: b}",
            "meaning: a shift}",
            10,
            3,
            "b is not defined by the formula and stands for no argument of linear",
        ),
        ("y=xW+b", "y=xW+b, b=0", 10, 3, "b stands for the argument b of linear, but the formula defines it"),
        ("y=xW+b", "z=xW+b+0y", 11, 3, "y stands for what linear returns, but the formula does not define it"),
    ],
)
def test_inputs_and_arguments_are_the_same(old: str, new: str, line: int, column: int, message: str) -> None:
    text = LINEAR.replace(old, new)
    if new.startswith("z"):
        text = text.replace("sources:", "  'z': {axes: [B, m]}\nsources:")
    _, issues = checked(text, find("linear"))
    assert [(issue.line, issue.column, issue.code) for issue in issues] == [(line, column, "A263")]
    assert issues[0].message.startswith(message)


@pytest.mark.parametrize(
    ("old", "new", "place", "code"),
    [
        ("'x': {axes", "'x y': {axes", (8, 3), "A244"),
        ("'b': {axes", "'b^2': {axes", (10, 3), "A212"),
        ("'b': {axes", "'m': {axes", (10, 3), "A213"),
        ("batch: [B]", "batch: [B, N]", (6, 12), "A244"),
        ("batch: [B]", "batch: [B]\nzero_outside: [q]", (7, 16), "A244"),
        ("batch: [B]", "batch: [B]\nsizes: {d: 2 m, m: d/2+1}", (7, 9), "A244"),
        ("'b': {axes", "'b': {stands_for: '\\tan', axes", (5, 16), "A215"),
    ],
)
def test_a_declaration_that_cannot_be_read_is_reported_where_it_stands(
    old: str, new: str, place: tuple[int, int], code: str
) -> None:
    _, (issue,) = checked(LINEAR.replace(old, new), find("linear"))
    assert (issue.line, issue.column, issue.code) == (*place, code), issue


def test_an_option_that_the_formula_states_too_must_be_the_same_number() -> None:
    @operator("x[... C] -> [... C]", title="T", family="t", source="none")
    def shifted(x: Any, *, by: float = 1.0) -> Any:
        """Shift.

        Shapes: same.
        """
        return x + by

    text = LINEAR.replace("'y=xW+b'", r"'y=x+s,\quad s=2'").replace("operator: linear", "operator: t")
    for line in ("  'W': {axes: [d, m], binds: W}\n", "  'b': {axes: [m], binds: b}\n"):
        text = text.replace(line, "")
    text = text.replace("[B, m]", "[B, d]").replace("sources:", "  's': {axes: [], binds: by}\nsources:")
    stated = text.replace("summary: A", "summary: A\narguments: {by: 2.0}")
    assert checked(stated, shifted)[1] == []
    codes_found = {(issue.code, issue.message.split()[0]) for issue in checked(text, shifted)[1]}
    assert ("A260", "`s`") in codes_found


def test_a_symbols_declaration_becomes_its_kind() -> None:
    kinds = {
        "{axes: [m]}": Real(),
        "{axes: [m], values: positive}": Positive(),
        "{axes: [m], values: fraction}": UnitInterval(),
        "{axes: [m], ids: 2 d}": Ids("2 d"),
        "{axes: [], between: [1, m-1]}": IntegerRange("1", "m-1"),
        "{axes: [d], maps_to: [m]}": FunctionOf(("m",)),
        "{axes: [d], maps_to: [m], members: n}": FunctionOf(("m",), "n"),
        r"{axes: [], stands_for: '\tanh'}": AliasOf(r"\tanh"),
    }
    for text, kind in kinds.items():
        declared = declarations(entry_of(LINEAR.replace("{axes: [m], binds: b}", text)))
        assert declared.symbols["b"].kind == kind


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"ids": "d", "values": "positive"}, "ids and values exclude each other"),
        ({"ids": "d", "between": (1, 2)}, "ids and between exclude each other"),
        ({"between": (1, 2), "maps_to": ("d",)}, "between and maps_to exclude each other"),
        ({"maps_to": ("d",), "stands_for": r"\tanh"}, "maps_to and stands_for exclude each other"),
        ({"members": "n"}, "`members` goes with `maps_to`"),
    ],
)
def test_kinds_of_values_exclude_each_other(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Symbol(axes=(), **fields)


def test_batch_base_and_sizes_reach_the_engine() -> None:
    text = LINEAR.replace("batch: [B]", "batch: [B]\nbase: 0\nsizes: {d: 2 r}\nzero_outside: [x]")
    declared = declarations(entry_of(text))
    assert (declared.batch, declared.base) == (("B",), 0)
    assert (dict(declared.sizes), declared.zero_outside) == ({"d": "2 r"}, frozenset({"x"}))


def test_an_option_may_be_the_length_of_a_results_axis() -> None:
    """A table of positions is compared at the sample's sizes, whatever sizes the entry names."""
    given = []

    @operator("-> [positions channels]", title="T", family="t", source="none")
    def table(*, positions: int, channels: int) -> Any:
        """Number the rows.

        Shapes: same.
        """
        given.append((positions, channels))
        return np.arange(positions)[:, None] * np.ones((1, channels))

    entry = entry_of(r"""
title: A
operator: table
arguments: {positions: 5000, channels: 64}
summary: A
formula: 'T_{p,i}=p'
base: 0
symbols:
  'T': {axes: [S, d], binds: result}
sources:
  - {id: shown, claim: A, source: none, path: none.py, lines: 1}
""")
    formula, _ = read_formula(entry)
    assert formula is not None
    assert check_formula(entry, table, formula)[1] == []
    assert len(given) == 4
    assert all(positions != channels and positions < 100 for positions, channels in given)


def test_an_input_that_is_missing_is_refused_by_the_engine() -> None:
    declared = declarations(entry_of(LINEAR))
    with pytest.raises(FormulaError, match="the input `x` is missing") as caught:
        parse_formula("y=xW+b", declared).run({"W": np.ones((2, 3)), "b": np.ones(3)}, {"B": 1})
    assert caught.value.code == "A249"


def test_the_engines_codes_have_the_titles_of_issues() -> None:
    assert {code: TITLES[code] for code in codes.TITLES} == dict(codes.TITLES)
    assert {code for code in TITLES if code.startswith("A2")} - codes.TITLES.keys() == {"A263"}
