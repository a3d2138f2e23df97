"""The check: a formula against a reference on several samples, with a repair where a single edit makes it right."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from atlas.exceptions import FormulaError
from atlas.formula.compare import TOLERANCE, describe, difference
from atlas.formula.edits import Edit, edits
from atlas.formula.engine import Formula
from atlas.formula.names import canonical
from atlas.formula.sample import SCALES, Sample, draw
from atlas.formula.span import Span

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"
Reference = Callable[[Mapping[str, Any], Mapping[str, int]], Any]
"""Inputs by declared name (arrays, numbers, functions) and sizes, to the one output, or to a mapping of outputs and
intermediates by name."""

MAX_REPAIRS = 600
"""The most edits that are tried to repair a formula."""

MAX_REPAIR_WORK = 40_000_000
"""What all these trials may cost together, in the units of the budget of one evaluation."""


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a check found."""

    largest_relative_error: float
    """Over all samples, outputs and entries; infinite where they could not be compared."""
    samples: int
    """The number of samples that were compared."""
    compared: tuple[str, ...]
    """The outputs and intermediates that the reference gave, by canonical name."""
    issues: tuple[FormulaError, ...]
    """What is wrong; empty where the formula equals its reference."""
    repair: Edit | None
    """The single edit of the text that makes it right, where there is one."""


@dataclass(frozen=True, slots=True)
class Expected:
    """One sample with what the reference gives for it."""

    sample: Sample
    """Sizes and inputs."""
    values: Mapping[str, Array]
    """Outputs and intermediates by canonical name."""


def check(formula: Formula, reference: Reference, seed: int = 0, *, repair: bool = True) -> CheckReport:
    """Compare a formula with a reference on one sample of each scale.

    Every finding is an issue of the report; nothing is raised, whatever the reference does.
    """
    idle = _idle(formula)
    try:
        expected = [_expected(formula, reference, draw(formula, seed, number)) for number in range(len(SCALES))]
    except FormulaError as error:
        # A reference that is given any number for what the formula leaves out may fail of that alone.
        unread = any(name in formula.inputs for name in formula.unused())
        return CheckReport(float("inf"), 0, (), idle if unread else (error, *idle), None)
    compared = tuple(expected[0].values)
    worst, work, issues = _compare(formula, expected)
    if not issues:
        return CheckReport(worst, len(expected), compared, idle, None)
    edit = find_repair(formula, expected, work) if repair else None
    if edit is not None:
        issues = [error if error.hint else _with_hint(error, edit.describe()) for error in issues]
    return CheckReport(worst, len(expected), compared, (*issues, *idle), edit)


def find_repair(formula: Formula, expected: Sequence[Expected], work: int) -> Edit | None:
    """The first single edit that makes the formula equal to what is expected, among as many as may be tried."""
    spent = 0
    for tried, edit in enumerate(edits(formula)):
        if tried == MAX_REPAIRS or spent > MAX_REPAIR_WORK:
            return None
        try:
            changed = formula.rewritten(edit.apply(formula.latex))
        except FormulaError:
            continue
        _, cost, issues = _compare(changed, expected)
        if not issues:
            return edit
        spent += max(cost, work)
    return None


def _idle(formula: Formula) -> tuple[FormulaError, ...]:
    """What is declared or defined, but has no part in any output, is not proved by a comparison of outputs."""
    whole = Span(0, len(formula.latex))
    issues: list[FormulaError] = []
    for name in formula.unused():
        equations = formula.plan.mains.get(name)
        what = "defined" if equations is not None else "declared"
        span = equations[0].left_span if equations is not None else whole
        issues.append(FormulaError("A247", f"`{name}` is {what}, but no declared output depends on it", span))
    return tuple(issues)


def _expected(formula: Formula, reference: Reference, sample: Sample) -> Expected:
    """What the reference gives, with its names and shapes checked as far as they are known."""
    whole = Span(0, len(formula.latex))
    try:
        given = reference(sample.inputs, sample.sizes)
    except Exception as error:  # any failure of the reference is a finding, not a crash of the check
        message = f"the reference fails for {_sizes(sample)}: {type(error).__name__}: {error}"
        raise FormulaError("A262", message, whole) from error
    if not isinstance(given, Mapping):
        if len(formula.outputs) != 1:
            message = f"the reference gives one array, but the formula defines {' and '.join(formula.outputs)}"
            raise FormulaError("A262", message, whole, "let the reference give a mapping of names")
        given = {formula.outputs[0]: np.asarray(given)}
    values: dict[str, Array] = {}
    for spelled, array in given.items():
        name = canonical(spelled)
        if name not in formula.plan.mains or (name not in formula.plan.order and name not in formula.table.symbols):
            raise FormulaError("A262", f"the reference gives `{spelled}`, which the formula does not define", whole)
        values[name] = np.asarray(array, dtype=np.float64)
        if np.isnan(values[name]).any():
            hint = "declare where its inputs lie, as in `> 0`"
            raise FormulaError("A262", f"the reference gives no number in `{spelled}`", whole, hint)
    if not values:
        raise FormulaError("A262", "the reference gives nothing to compare", whole)
    return Expected(sample, values)


def _sizes(sample: Sample) -> str:
    return ", ".join(f"{name}={value}" for name, value in sample.sizes.items()) or "no sizes"


def _compare(formula: Formula, expected: Sequence[Expected]) -> tuple[float, int, list[FormulaError]]:
    """The largest error, the work, and the issues of the first sample that has any."""
    worst, work = 0.0, 0
    for one in expected:
        try:
            run = formula.execute(one.sample.inputs, one.sample.sizes, one.values)
        except FormulaError as error:
            return float("inf"), work, [error]
        work += run.work
        found = {canonical(name): array for name, array in run.values.items()}
        issues: list[FormulaError] = []
        for name, array in one.values.items():
            size, issue = _judge(formula, name, found[name], array)
            worst = max(worst, size)
            issues += [issue] if issue is not None else []
        if issues:
            return worst, work, issues
    return worst, work, []


def _judge(formula: Formula, name: str, found: Array, expected: Array) -> tuple[float, FormulaError | None]:
    symbol = formula.table.symbols.get(name)
    equations = formula.plan.mains.get(name)
    span = equations[0].span if equations is not None else Span(0, len(formula.latex))
    if found.shape != expected.shape:
        message = f"`{name}` has the shape {found.shape}, but the reference gives {expected.shape}"
        return float("inf"), FormulaError("A261", message, span)
    result = difference(found, expected, TOLERANCE)
    if result.equal:
        return result.error, None
    axes = symbol.axes if symbol is not None else ()
    return result.error, FormulaError("A260", describe(name, axes, result), span)


def _with_hint(error: FormulaError, hint: str) -> FormulaError:
    return FormulaError(error.code, error.message, Span(*error.span), hint)
