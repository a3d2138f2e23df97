"""The formula: parsed from the displayed LaTeX, executed under named axes, and compared with the operator.

Formula and operator are written independently; the entry's `arguments` are what the operator is called with, so a
number such as ε that the formula states too must be the same in both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from atlas.checks.call import call_of, declarations
from atlas.checks.interface import bound_to
from atlas.entries.atlas import Entry
from atlas.entries.spans import locate
from atlas.exceptions import AtlasError, FormulaError
from atlas.formula.check import check
from atlas.formula.compare import TOLERANCE, difference
from atlas.formula.edits import Edit
from atlas.formula.engine import Formula, Input, parse_with
from atlas.formula.letters import lookalikes
from atlas.formula.names import canonical
from atlas.formula.sample import SCALES, Sample, draw
from atlas.formula.symbols import SymbolTable, symbol_table
from atlas.issues import Issue
from atlas.operators.registry import Operator

SEED = 19170
"""Seed of the samples; any would do."""
UNKNOWN = frozenset(("A209", "A210"))
"""Codes of symbols in a formula that nothing declares."""

CHANGE = 0.01
"""By what share of itself another value of an option differs that the comparison must notice."""


def read_table(entry: Entry, operator: Operator | None = None) -> tuple[SymbolTable | None, list[Issue]]:
    """The entry's declarations as the formula engine takes them, or what cannot be read in them."""
    try:
        return symbol_table(declarations(entry, operator)), []
    except FormulaError as error:
        return None, [_issue_of_declaration(entry, error)]


def read_formula(entry: Entry, table: SymbolTable) -> tuple[Formula | None, list[Issue], frozenset[str]]:
    """The formula, parsed with the entry's declarations, or what cannot be read in it, and unknown symbols."""
    try:
        return parse_with(entry.data.formula, table), [], frozenset()
    except FormulaError as error:
        unknown = {error.symbol} if error.code in UNKNOWN and error.symbol is not None else ()
        return None, [_issue(entry, error)], frozenset(unknown)


def check_formula(entry: Entry, operator: Operator, formula: Formula) -> tuple[str, list[Issue]]:
    """What was found, for the page, and the issues; the entry's interface and shapes must hold."""
    free = list(_misspelt(entry, formula)) or list(_free_inputs(entry, operator, formula))
    if free:
        return "", free
    reference = _Reference(entry, operator, formula)
    report = check(formula, reference, SEED)
    errors = report.issues
    if report.repair is not None:
        # One mistake may show in several results; the equation that holds it says so best.
        errors = tuple(error for error in errors if _holds(error, report.repair.span.start)) or errors
    issues = [_issue(entry, error, report.repair) for error in errors] or list(_unproved(entry, formula, reference))
    worst = report.largest_relative_error
    return f"executed: equals {operator.name} on {report.samples} inputs, largest relative error {worst:.1e}", issues


def _misspelt(entry: Entry, formula: Formula) -> Iterator[Issue]:
    r"""Names that equations define and nothing declares, beside declared ones that the formula has in another look.

    LaTeX has two of many letters, such as `\epsilon` and `\varepsilon`, and others with a style of their own; what
    follows from taking one for the other, an operator that is given any number for ε, says nothing of the mistake.
    """
    idle = [name for name in formula.unused() if name in formula.table.symbols and name not in formula.plan.mains]
    for name, equations in formula.plan.mains.items():
        if name not in formula.table.symbols and (meant := lookalikes(name, idle)):
            message = f"`{name}` is not declared, and `{meant[0]}`, which is, does not stand in the formula"
            span = equations[0].left_span
            place = (span.start, span.start + len(entry.data.formula[span.start : span.end].rstrip()))
            yield entry.issue_in_text(("formula",), place, "A247", message, f"did you mean `{meant[0]}`?")


def _free_inputs(entry: Entry, operator: Operator, formula: Formula) -> Iterator[Issue]:
    """Inputs that no argument stands for: the operator could not know them, so nothing could be compared."""
    known = {argument.name for argument in operator.contract.inputs} | set(operator.options)
    for name in formula.inputs:
        binds = entry.data.symbols[name].binds
        if binds is None:
            message = f"{name} is not defined by the formula and stands for no argument of {operator.name}"
            yield entry.issue_at_key(("symbols", name), "A263", message, "define it in the formula, or give it `binds`")
        elif binds not in known:
            message = f"{name} stands for what {operator.name} returns, but the formula does not define it"
            yield entry.issue_at_key(("symbols", name), "A263", message)
        elif _takes_whole(operator, binds) and formula.table.kind(canonical(name)) != "size":
            wanted = operator.options[binds].wanted
            message = f"{name} stands for {binds} of {operator.name}, {wanted}, but may be any number here"
            hint = "give it `between: [lowest, highest]`, or define it in the formula"
            yield entry.issue_at_key(("symbols", name), "A263", message, hint)
    for name in formula.outputs:
        binds = entry.data.symbols[name].binds
        if any(binds == argument.name for argument in operator.contract.inputs):
            message = f"{name} stands for the argument {binds} of {operator.name}, but the formula defines it"
            yield entry.issue_at_key(("symbols", name), "A263", message)


def _takes_whole(operator: Operator, name: str) -> bool:
    """Whether it is an option that takes fewer values than all numbers."""
    return name in operator.options and operator.options[name].type is not float


class _Reference:
    """The operator, called with the formula's inputs and the entry's own options."""

    def __init__(self, entry: Entry, operator: Operator, formula: Formula) -> None:
        self.call = call_of(entry, operator, formula.table)
        bound = {name: symbol for name in operator.options if (symbol := bound_to(entry, name)) is not None}
        free = {name: one for name, one in bound.items() if name not in self.call.sized}
        self._given = {name: one for name, one in free.items() if one in formula.inputs}
        self._stated = {name: one for name, one in bound.items() if one in formula.outputs}

    def __call__(self, inputs: Mapping[str, Input], sizes: Mapping[str, int]) -> Mapping[str, Any]:
        options = self._options(inputs, sizes)
        return self.call.run(inputs, options) | {one: np.asarray(options[name]) for name, one in self._stated.items()}

    def notices(self, sample: Sample, name: str, value: object) -> bool:
        """Whether another value of an option gives other outputs; one that the operator refuses would be noticed."""
        options = self._options(sample.inputs, sample.sizes)
        ours = self.call.run(sample.inputs, options)
        try:
            others = self.call.run(sample.inputs, options | {name: value})
        except AtlasError:
            return True
        return any(
            array.shape != others[symbol].shape or not difference(others[symbol], array).equal
            for symbol, array in ours.items()
        )

    def _options(self, inputs: Mapping[str, Input], sizes: Mapping[str, int]) -> dict[str, Any]:
        given = {name: float(np.asarray(inputs[one])) for name, one in self._given.items()}
        return self.call.options_at(sizes) | given


def _unproved(entry: Entry, formula: Formula, reference: _Reference) -> Iterator[Issue]:
    """Options that could be others without any effect on what is compared, as an ε that is tiny beside every input.

    An option that a symbol binds is compared by itself, or tried at many values; a length is that of the sample.
    """
    call = reference.call
    for name in entry.data.arguments:
        value = call.options[name]
        if isinstance(value, str) or not value or name in call.sized or bound_to(entry, name) is not None:
            continue
        other = not value if isinstance(value, bool) else value + 1 if isinstance(value, int) else value * (1 + CHANGE)
        samples = [draw(formula, SEED, number) for number in range(len(SCALES))]
        if not any(reference.notices(sample, name, other) for sample in samples):
            message = f"{name} is {value} here, but another value would give {call.operator.name} the same outputs"
            yield entry.issue(("arguments", name), "A263", message, _declaration(formula, samples[0], name, value))


def _declaration(formula: Formula, sample: Sample, name: str, value: float) -> str:
    """The line that makes an option compared by itself, where the formula states its value under some name."""
    undeclared = [one for one in formula.plan.mains if one not in formula.table.symbols]
    values = formula.execute(sample.inputs, sample.sizes, undeclared).values
    equal = [
        one
        for one in undeclared
        if one in values and values[one].shape == () and np.isclose(values[one], value, TOLERANCE, 0)
    ]
    if equal:
        return f"declare its symbol: `'{equal[0]}': {{axes: [], binds: {name}}}`"
    return f"state it in the formula, and give its symbol `binds: {name}`"


def _holds(error: FormulaError, offset: int) -> bool:
    return error.span[0] <= offset < error.span[1]


def _issue_of_declaration(entry: Entry, error: FormulaError) -> Issue:
    """An issue at the declaration that the error is about; spans of these errors do not count in the formula."""
    name = error.symbol or ""
    for key in ("symbols", "sizes"):
        if entry.value(key, name) is not None:
            return entry.issue_at_key((key, name), error.code, error.message, error.hint)
    for key, values in (("batch", entry.data.batch), ("zero_outside", entry.data.zero_outside)):
        if name in values:
            return entry.issue((key, values.index(name)), error.code, error.message, error.hint)
    return entry.issue_at_key(("symbols",), error.code, error.message, error.hint)


def _issue(entry: Entry, error: FormulaError, repair: Edit | None = None) -> Issue:
    hint = error.hint
    if repair is not None and hint == repair.describe():
        # Told by the character of the formula; a contributor looks for a line and column of the file.
        mark, _ = locate(entry.document, ("formula",), (repair.span.start, repair.span.end))
        hint = f"at {mark.line}:{mark.column}: {hint.partition(': ')[2]}"
    return entry.issue_in_text(("formula",), (error.span[0], error.span[1]), error.code, error.message, hint)
