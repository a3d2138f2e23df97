"""The page that explains the formula language: its examples run, its refusals are refused as it says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from atlas.checks.formula import read_formula, read_table
from atlas.entries.atlas import Entry
from atlas.entries.component import Component, Symbol
from atlas.entries.tree import Document, parse
from atlas.entries.validate import validate
from atlas.entries.words import quoted
from atlas.exceptions import FormulaError
from atlas.formula.sample import SCALES, draw
from atlas.issues import show

PAGE = (Path(__file__).resolve().parents[2] / "content" / "formula-language.md").read_text(encoding="utf-8")

EXAMPLES = re.findall(r"```formula\n(.+?)\n```\n\n```yaml\n(.+?)```", PAGE, flags=re.DOTALL)

REFUSED = re.findall(r"^\| `([^`]+)` \| [^|`]+ \| (A\d{3}) \| `([^`]+)` \|$", PAGE, flags=re.MULTILINE)

DECLARED = PAGE.partition("## What is refused")[2].partition("```yaml\n")[2].partition("```")[0]

REST = """
title: A
operator: linear
summary: A
sources:
  - {id: shown, claim: A, source: none, path: none.py, lines: 1}
"""


def entry_of(latex: str, declared: str) -> Entry:
    document, issues = parse(f"formula: {quoted(latex)}\n{declared}{REST}", "a.yml")
    assert show(issues) == ""
    assert isinstance(document, Document)
    data, issues = validate(document, Component)
    assert show(issues) == ""
    assert data is not None
    return Entry("a", Path("a.yml"), document, data, "none", None)


def executed(latex: str, declared: str) -> Mapping[str, Any]:
    """Run a formula on samples of all scales; the last values."""
    entry = entry_of(latex, declared)
    table, issues = read_table(entry)
    assert show(issues) == ""
    assert table is not None
    formula, issues, _ = read_formula(entry, table)
    assert show(issues) == ""
    assert formula is not None
    values: Mapping[str, Any] = {}
    for number in range(len(SCALES)):
        sample = draw(formula, 7, number)
        values = formula.run(sample.inputs, sample.sizes)
    return values


def refusal(latex: str, declared: str) -> str:
    """The code with which a formula is refused when it is read or run."""
    entry = entry_of(latex, declared)
    table, issues = read_table(entry)
    if table is None:
        return issues[0].code
    formula, issues, _ = read_formula(entry, table)
    if formula is None:
        return issues[0].code
    sample = draw(formula, 7, 0)
    with pytest.raises(FormulaError) as caught:
        formula.run(sample.inputs, sample.sizes)
    return caught.value.code


def test_each_rule_has_an_example() -> None:
    rules = re.findall(r"^### (\d+)\. ", PAGE, flags=re.MULTILINE)
    assert rules == [str(number) for number in range(1, 13)]
    for number in rules:
        section = PAGE.partition(f"### {number}. ")[2].partition("\n#")[0]
        assert section.count("```formula") == 1
    assert len(EXAMPLES) == PAGE.count("```formula") == 13
    assert len(re.findall(r"\| A\d{3} \|", PAGE)) == len(REFUSED) == 17


@pytest.mark.parametrize(("latex", "declared"), EXAMPLES)
def test_an_example_is_executed(latex: str, declared: str) -> None:
    for values in executed(latex, declared).values():
        assert values.size
        assert np.isfinite(values).all()


@pytest.mark.parametrize(("latex", "code", "accepted"), REFUSED)
def test_what_is_refused_gives_its_code_and_what_to_write_is_executed(latex: str, code: str, accepted: str) -> None:
    assert refusal(latex, DECLARED) == code
    (values,) = executed(accepted, DECLARED).values()
    assert np.isfinite(values).all()


def test_a_name_that_would_be_a_power_is_refused_and_the_other_spelling_is_not() -> None:
    assert "such as `x^2`, cannot be declared (A212)" in PAGE
    assert refusal("y=x", DECLARED + "  'x^2': {axes: [d]}\n") == "A212"
    assert set(executed("y=x+x^{(2)}", DECLARED + "  'x^{(2)}': {axes: [d]}\n")) == {"y"}


def test_the_tables_name_the_keys_of_the_schema() -> None:
    for name in ("symbols", "batch", "base", "sizes", "zero_outside", "formula_not_executed"):
        assert f"| `{name}` |" in PAGE
        assert name in Component.model_fields
    kinds = re.findall(r"^\| `(\w+): .*?` \|", PAGE.partition("A symbol states")[2].partition("##")[0], re.MULTILINE)
    assert kinds == ["values", "ids", "between", "maps_to", "stands_for"]
    assert set(kinds) <= Symbol.model_fields.keys()
