"""The formula: parsed from the displayed LaTeX, executed under named axes, and compared with the operator.

Formula and operator are written independently; the entry's `arguments` are what the operator is called with, so a
number such as ε that the formula states too must be the same in both.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from atlas.checks.call import call_of, declarations
from atlas.checks.interface import bound_to
from atlas.checks.latex import occurrences, tokens
from atlas.checks.option_slips import OptionSlip, option_slip
from atlas.checks.symbols import idle_hint
from atlas.entries.atlas import Entry
from atlas.entries.spans import locate
from atlas.exceptions import AtlasError, FormulaError
from atlas.formula.check import check
from atlas.formula.compare import TOLERANCE, difference
from atlas.formula.edits import Edit
from atlas.formula.engine import Formula, Input, parse_with
from atlas.formula.functions import CONSTANTS
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

DIFFERS = "A260"
"""Code of values that differ."""
COMPARED = frozenset((DIFFERS, "A261"))
"""Codes of what a comparison finds."""

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
        hint = idle_hint(entry, error.symbol) if error.symbol is not None and error.code == "A209" else ""
        return None, [_issue(entry, error, hint=hint)], frozenset(unknown)


def check_formula(entry: Entry, operator: Operator, formula: Formula) -> tuple[str, list[Issue]]:
    """What was found, for the page, and the issues; the entry's interface and shapes must hold."""
    unused = formula.unused()
    free = list(_misspelt(entry, formula, unused)) or list(_free_inputs(entry, operator, formula))
    if free:
        return "", free
    reference = _Reference(entry, operator, formula)
    report = check(formula, reference, SEED)
    errors = report.issues
    if report.repair is not None:
        # One mistake may show in several results; the equation that holds it says so best.
        errors = tuple(error for error in errors if _holds(error, report.repair.span.start)) or errors
    advice = f"no change of one place makes them equal; compare it with what {operator.name} does: {_does(operator)}"
    issues = [
        _issue(entry, error, report.repair, "" if error.hint or error.code not in COMPARED else advice)
        for error in errors
    ] or list(_unproved(entry, formula, reference))
    if any(error.code == DIFFERS for error in errors) and (slip := _slip(formula, reference)) is not None:
        # Whichever results it shows in, it is one mistake.
        first = next(issue for issue in issues if issue.code == DIFFERS)
        first = replace(first, hint="") if first.hint == advice else first
        issues = [_of_option(entry, operator, first, slip), *(issue for issue in issues if issue.code not in COMPARED)]
    worst = report.largest_relative_error
    return f"executed: equals {operator.name} on {report.samples} inputs, largest relative error {worst:.1e}", issues


def _does(operator: Operator) -> str:
    return operator.summary.removesuffix(".")


def _misspelt(entry: Entry, formula: Formula, unused: Collection[str]) -> Iterator[Issue]:
    r"""Names that equations define and nothing declares, beside declared ones that the formula has in another look.

    LaTeX has two of many letters, such as `\epsilon` and `\varepsilon`, and others with a style of their own; what
    follows from taking one for the other, an operator that is given any number for ε, says nothing of the mistake.
    """
    idle = [name for name in unused if name in formula.table.symbols and name not in formula.plan.mains]
    if not idle:
        return
    for occurrence in occurrences(tokens(entry.data.formula)):
        name = next((one for one in occurrence.spellings if one in CONSTANTS), "")
        if name and name not in formula.table.symbols and (meant := lookalikes(name, idle)):
            message = f"`{name}` is a number, and `{meant[0]}`, which is declared, does not stand in the formula"
            yield entry.issue_in_text(("formula",), occurrence.span, "A247", message, f"did you mean `{meant[0]}`?")
            return
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
            yield entry.issue_at_key(("symbols", name), "A263", message, _definition(formula, name))
        elif _takes_whole(operator, binds) and formula.table.kind(canonical(name)) != "size":
            wanted = operator.options[binds].wanted
            message = f"{name} stands for {binds} of {operator.name}, {wanted}, but may be any number here"
            hint = "give it `between: [lowest, highest]`, or define it in the formula"
            yield entry.issue_at_key(("symbols", name), "A263", message, hint)
    for name in formula.outputs:
        binds = entry.data.symbols[name].binds
        if any(binds == argument.name for argument in operator.contract.inputs):
            message = f"{name} stands for the argument {binds} of {operator.name}, but the formula defines it"
            hint = f"remove the equation, or define another name with it, as {operator.name} is given {binds}"
            yield entry.issue_at_key(("symbols", name), "A263", message, hint)


def _definition(formula: Formula, name: str) -> str:
    """What to do for a result without an equation: a left side that nothing declares may be meant for it."""
    mains, mentions = formula.plan.mains, formula.plan.mentions
    used = {other for one in mains for other in mentions.get(one, ())}
    ends = [one for one in mains if one not in formula.table.symbols and one not in used]
    if ends:
        return f"write `{name}` instead of `{ends[0]}` on the left side, as nothing declares `{ends[0]}`"
    return f"add an equation with `{name}` on its left side"


def _takes_whole(operator: Operator, name: str) -> bool:
    """Whether it is an option that takes fewer values than all numbers."""
    return name in operator.options and operator.options[name].type is not float


def _slip(formula: Formula, reference: _Reference) -> OptionSlip | None:
    """An option with another value of which formula and operator would agree."""

    def agrees(name: str, value: object) -> bool:
        found = check(formula, reference.with_option(name, value), SEED, repair=False)
        return found.samples > 0 and not any(error.code in COMPARED for error in found.issues)

    options = reference.call.operator.options
    return option_slip(options, reference.fixed, formula, draw(formula, SEED, 0), agrees)


def _of_option(entry: Entry, operator: Operator, issue: Issue, slip: OptionSlip) -> Issue:
    """The issue of a comparison, told of the option: it or the formula is wrong, and only the author knows which."""
    value, other = (_yaml(one) for one in (slip.value, slip.other))
    formula = issue.hint or f"correct the formula, at {issue.line}:{issue.column}, if {value} is right"
    if slip.name not in entry.data.arguments:
        message = f"{issue.message}; with `{slip.name}: {other}` instead of its default {value} they agree"
        return replace(issue, message=message, hint=f"write `{slip.name}: {other}` under `arguments`, or {formula}")
    message = f"{slip.name} is {value}, but the formula equals {operator.name} with {other}: {issue.message}"
    stated = entry.place("arguments", slip.name)
    if stated.path != issue.path:  # the formula is this entry's own, and the option an inherited one
        where = f"under `arguments`, where it is inherited from {stated.path}:{stated.line}"
        return replace(issue, message=message, hint=f"{formula}, or write `{slip.name}: {other}` {where}")
    hint = f"write `{slip.name}: {other}`, or {formula}"
    return entry.issue(("arguments", slip.name), DIFFERS, message, hint)


def _yaml(value: object) -> str:
    """An option's value as an entry states it."""
    return json.dumps(value).replace("e-0", "e-")


class _Reference:
    """The operator, called with the formula's inputs and the entry's own options."""

    def __init__(self, entry: Entry, operator: Operator, formula: Formula) -> None:
        self._others: dict[str, Any] = {}
        self.call = call_of(entry, operator, formula.table)
        bound = {name: symbol for name in operator.options if (symbol := bound_to(entry, name)) is not None}
        free = {name: one for name, one in bound.items() if name not in self.call.sized}
        inputs, outputs = formula.inputs, formula.outputs
        self._given = {name: one for name, one in free.items() if one in inputs}
        self._stated = {name: one for name, one in bound.items() if one in outputs}

    @property
    def fixed(self) -> dict[str, Any]:
        """The options that are one number for every sample, with their values."""
        call = self.call
        return {name: one for name, one in call.options.items() if name not in call.sized and name not in self._given}

    def with_option(self, name: str, value: object) -> _Reference:
        """The same with another value of one option."""
        other = copy(self)
        other._others = {name: value}
        return other

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
        return self.call.options_at(sizes) | given | self._others


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


def _issue(entry: Entry, error: FormulaError, repair: Edit | None = None, hint: str = "") -> Issue:
    hint = hint or error.hint
    if repair is not None and hint == repair.describe():
        # Told by the character of the formula; a contributor looks for a line and column of the file.
        mark, _ = locate(entry.document, ("formula",), (repair.span.start, repair.span.end))
        hint = f"at {mark.line}:{mark.column}: {hint.partition(': ')[2]}"
    return entry.issue_in_text(("formula",), (error.span[0], error.span[1]), error.code, error.message, hint)
