"""The formula: parsed from the displayed LaTeX, executed under named axes, and compared with the operator.

Formula and operator are written independently; the entry's `arguments` are what the operator is called with, so a
number such as ε that the formula states too must be the same in both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from atlas.checks.interface import bound_to
from atlas.entries.atlas import Entry
from atlas.entries.component import Symbol
from atlas.entries.spans import locate
from atlas.exceptions import FormulaError
from atlas.formula.axes import read_size
from atlas.formula.check import check
from atlas.formula.declarations import (
    AliasOf,
    Declarations,
    FunctionOf,
    Ids,
    IntegerRange,
    Positive,
    Real,
    SymbolDeclaration,
    SymbolKind,
    UnitInterval,
)
from atlas.formula.edits import Edit
from atlas.formula.engine import Formula, Input, parse
from atlas.formula.symbols import symbol_table
from atlas.issues import Issue
from atlas.operators.registry import Operator

SEED = 19170
"""Seed of the samples; any would do."""


def read_formula(entry: Entry) -> tuple[Formula | None, list[Issue]]:
    """The formula, parsed with the entry's declarations, or what cannot be read in either."""
    declared = declarations(entry)
    try:
        symbol_table(declared)
    except FormulaError as error:
        return None, [_issue_of_declaration(entry, error)]
    try:
        return parse(entry.data.formula, declared), []
    except FormulaError as error:
        return None, [_issue(entry, error)]


def check_formula(entry: Entry, operator: Operator, formula: Formula) -> tuple[str, list[Issue]]:
    """What was found, for the page, and the issues; the entry's interface and shapes must hold."""
    free = list(_free_inputs(entry, operator, formula))
    if free:
        return "", free
    report = check(formula, _Reference(entry, operator, formula), SEED)
    errors = report.issues
    if report.repair is not None:
        # One mistake may show in several results; the equation that holds it says so best.
        errors = tuple(error for error in errors if _holds(error, report.repair.span.start)) or errors
    issues = [_issue(entry, error, report.repair) for error in errors]
    worst = report.largest_relative_error
    return f"executed: equals {operator.name} on {report.samples} inputs, largest relative error {worst:.1e}", issues


def declarations(entry: Entry) -> Declarations:
    """What the entry declares, as the formula engine takes it."""
    data = entry.data
    symbols = {
        name: SymbolDeclaration(tuple(str(axis) for axis in symbol.axes), _kind(symbol))
        for name, symbol in data.symbols.items()
    }
    relations = {name: str(expression) for name, expression in data.sizes.items()}
    return Declarations(symbols, data.batch, data.base, relations, frozenset(data.zero_outside))


def _kind(symbol: Symbol) -> SymbolKind:
    if symbol.ids is not None:
        return Ids(str(symbol.ids))
    if symbol.between is not None:
        return IntegerRange(str(symbol.between[0]), str(symbol.between[1]))
    if symbol.maps_to is not None:
        members = None if symbol.members is None else str(symbol.members)
        return FunctionOf(tuple(str(axis) for axis in symbol.maps_to), members)
    if symbol.stands_for is not None:
        return AliasOf(symbol.stands_for)
    kinds: Mapping[str, SymbolKind] = {"positive": Positive(), "fraction": UnitInterval()}
    return kinds.get(symbol.values, Real())


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
    for name in formula.outputs:
        binds = entry.data.symbols[name].binds
        if any(binds == argument.name for argument in operator.contract.inputs):
            message = f"{name} stands for the argument {binds} of {operator.name}, but the formula defines it"
            yield entry.issue_at_key(("symbols", name), "A263", message)


class _Reference:
    """The operator, called with the formula's inputs and the entry's own options.

    An option that is the length of a result's axis, such as the number of positions, is as long as the sample's.
    """

    def __init__(self, entry: Entry, operator: Operator, formula: Formula) -> None:
        self._operator = operator
        self._options = operator.check_options(entry.data.arguments)
        self._inputs = {
            argument.name: symbol
            for argument in operator.contract.inputs
            if (symbol := bound_to(entry, argument.name)) is not None
        }
        bound = {name: symbol for name in operator.options if (symbol := bound_to(entry, name)) is not None}
        self._given_options = {name: symbol for name, symbol in bound.items() if symbol in formula.inputs}
        self._stated_options = {name: symbol for name, symbol in bound.items() if symbol in formula.outputs}
        self._results = {output.name: bound_to(entry, output.name) for output in operator.contract.outputs}
        self._lengths = {
            str(axis): read_size(str(declared))
            for output in operator.contract.outputs
            if (symbol := self._results[output.name]) is not None
            for axis, declared in zip(output.axes, entry.data.symbols[symbol].axes, strict=False)
            if str(axis) in operator.options
        }

    def __call__(self, inputs: Mapping[str, Input], sizes: Mapping[str, int]) -> Mapping[str, Any]:
        arrays = {name: inputs[symbol] for name, symbol in self._inputs.items()}
        given = {name: int(_number(inputs[one])) for name, one in self._given_options.items()}
        lengths = {name: length.value(sizes) for name, length in self._lengths.items()}
        options = self._options | lengths | given
        result = self._operator(**arrays, **options)
        outputs = (result,) if len(self._results) == 1 else tuple(result)
        found = {
            symbol: array for symbol, array in zip(self._results.values(), outputs, strict=True) if symbol is not None
        }
        return found | {symbol: np.asarray(options[name]) for name, symbol in self._stated_options.items()}


def _holds(error: FormulaError, offset: int) -> bool:
    return error.span[0] <= offset < error.span[1]


def _number(value: Input) -> float:
    return float(np.asarray(value))


def _issue_of_declaration(entry: Entry, error: FormulaError) -> Issue:
    """An issue at the declaration that a message names first; spans of these errors do not count in the formula."""
    named = re.search("`(.+?)`", error.message)
    for key in ("symbols", "sizes"):
        path = (key, named[1] if named else "")
        if entry.value(*path) is not None:
            return entry.issue_at_key(path, error.code, error.message, error.hint)
    for key, values in (("batch", entry.data.batch), ("zero_outside", entry.data.zero_outside)):
        if named is not None and named[1] in values:
            return entry.issue((key, values.index(named[1])), error.code, error.message, error.hint)
    return entry.issue_at_key(("symbols",), error.code, error.message, error.hint)


def _issue(entry: Entry, error: FormulaError, repair: Edit | None = None) -> Issue:
    hint = error.hint
    if repair is not None and hint == repair.describe():
        # Told by the character of the formula; a contributor looks for a line and column of the file.
        mark, _ = locate(entry.document, ("formula",), (repair.span.start, repair.span.end))
        hint = f"at {mark.line}:{mark.column}: {hint.partition(': ')[2]}"
    return entry.issue_in_text(("formula",), (error.span[0], error.span[1]), error.code, error.message, hint)
