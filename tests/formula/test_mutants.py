"""Single edits of every shared formula: each one is refused, or differs from the reference, or is listed as equivalent.

A seeded sample is tried here; `python bench/formula.py --mutants` tries all.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from atlas.exceptions import FormulaError
from atlas.formula.check import check
from atlas.formula.edits import Edit, edits
from atlas.formula.engine import parse

PER_FORMULA = 16

EQUIVALENT = {
    ("deltanet", r"at 34: insert `^\top`"): "I - β k kᵀ is symmetric, so its transpose is the same",
    (
        "sliding_window_attention",
        "at 109: replace `0` by `1`",
    ): "softmax does not change when all allowed scores grow by 1",
    ("gcn_diag", r"at 12: insert `^\top`"): "a diagonal matrix is symmetric",
    ("gcn_diag", r"at 21: insert `^\top`"): "a diagonal matrix is symmetric",
}


def survives(case: Any, edit: Edit, reference: Any) -> bool:
    formula = parse(case.latex, case.declarations)
    try:
        changed = formula.rewritten(edit.apply(formula.latex))
    except FormulaError:
        return False
    return not check(changed, reference, repair=False).issues


def test_edits_are_caught(case: Any, references: dict[str, Any]) -> None:
    found = list(edits(parse(case.latex, case.declarations)))
    chosen = np.random.default_rng(len(case.latex)).permutation(len(found))[:PER_FORMULA]
    tried = [found[at] for at in chosen]
    assert tried
    escaped = [edit.describe() for edit in tried if survives(case, edit, references[case.name])]
    assert [edit for edit in escaped if (case.name, edit) not in EQUIVALENT] == []


@pytest.mark.parametrize(
    ("name", "described"), EQUIVALENT, ids=[f"{name}-{at}" for at, (name, _) in enumerate(EQUIVALENT)]
)
def test_equivalents_are_equivalent(
    name: str, described: str, cases: dict[str, Any], references: dict[str, Any]
) -> None:
    case = cases[name]
    (edit,) = [edit for edit in edits(parse(case.latex, case.declarations)) if edit.describe() == described]
    assert survives(case, edit, references[name])


def test_all_kinds_of_edits_are_made(cases: dict[str, Any]) -> None:
    kinds = {edit.kind for case in cases.values() for edit in edits(parse(case.latex, case.declarations))}
    assert kinds == {
        "sign", "term", "factor", "symbol", "number", "exponent", "root", "index", "transpose", "function",
    }  # fmt: skip


def test_an_edit_never_glues_a_command_to_a_letter(cases: dict[str, Any]) -> None:
    case = cases["residual"]
    formula = parse(case.latex, case.declarations)
    (edit,) = [edit for edit in edits(formula) if edit.kind == "sign" and edit.old == "+"]
    assert edit.apply(formula.latex) == "x_{n+1}=x_n-F(x_n)"
    assert edit.describe() == "at 12: replace `+` by `-`"
