"""Judges an entry by itself: its names, its shapes, its formula beside the operator.

It imports the engine of formulas and all that tries operators, so it is imported only where something is to be judged.
"""

from __future__ import annotations

from collections.abc import Sequence

from atlas.checks.formula import check_formula, read_formula, read_table
from atlas.checks.interface import check_interface
from atlas.checks.judgement import Alone, Task
from atlas.checks.parameters import check_learned
from atlas.checks.shapes import check_shapes
from atlas.checks.symbols import check_crossings
from atlas.entries.atlas import Entry
from atlas.formula.engine import Formula
from atlas.formula.symbols import SymbolTable
from atlas.issues import Issue
from atlas.operators.registry import Operator

NAMES = frozenset(("A130", "A131", "A132", "A135", "A209", "A210", "A212", "A213", "A244"))
"""Mistakes in names and declarations, from which others would follow in shapes and in what stands for what."""


def judge_all(tasks: Sequence[Task]) -> list[Alone]:
    """Judge entries one after the other; what an executor is given."""
    return [judge(task) for task in tasks]


def judge(task: Task) -> Alone:
    """Judge one entry; a check whose ground another has found missing is left out."""
    entry = task.entry
    operator, interface = check_interface(entry)
    table, declared = read_table(entry, operator)
    formula, symbols = _read(task, table)
    if task.readable and not (symbols and entry.data.formula_not_executed):
        symbols = [*declared, *symbols]  # else the check of names has told the same already
    if not task.placed:
        # An axis that is no axis of the collection is no size of the formula either.
        symbols = [issue for issue in symbols if issue.code != "A244"]
    misnamed = any(issue.code in NAMES for issue in symbols)
    if misnamed:
        # A symbol that is missing stands for nothing either.
        interface = [issue for issue in interface if issue.code != "A134"]
    found = [*symbols, *interface]
    if operator is None or table is None or interface or not task.placed or misnamed:
        return Alone(tuple(found))
    learned = check_learned(entry, operator)
    shapes, issues = check_shapes(entry, operator, table)
    found += [*learned, *issues]
    if issues:
        return Alone(tuple(found))
    proof, issues = _formula(entry, operator, formula)
    found += issues
    return Alone(tuple(found), None if learned or issues or symbols else table, shapes, proof)


def _formula(entry: Entry, operator: Operator, formula: Formula | None) -> tuple[str, list[Issue]]:
    reason = entry.data.formula_not_executed
    if reason is not None:
        return f"displayed, not executed: {reason}", []
    return check_formula(entry, operator, formula) if formula is not None else ("cannot be read", [])


def _read(task: Task, table: SymbolTable | None) -> tuple[Formula | None, list[Issue]]:
    """The formula where it is to be executed, and what is wrong with its names or with the text."""
    if not task.readable:
        return None, []
    if task.entry.data.formula_not_executed is not None:
        return None, list(task.symbols)
    formula, issues, unknown = read_formula(task.entry, table) if table is not None else (None, [], frozenset())
    return formula, [*issues, *check_crossings(task.entry, unknown)]
