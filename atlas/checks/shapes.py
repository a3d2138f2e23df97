"""Shapes: the axes that an entry declares, against the operator's contract symbolically and on arrays.

The arrays are those that formulas are tried with: their sizes satisfy the entry's relations and are pairwise distinct
where these allow it, so that two axes cannot agree by chance, and their elements are what the entry says they may be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from atlas.checks.call import Call, axes_of, call_of, stated_relations, with_whole_quotients
from atlas.checks.odd_shape import OddShape, Shapes
from atlas.entries.atlas import Entry
from atlas.exceptions import AtlasError, FormulaError, OptionError, ShapeError, SizeError
from atlas.formula.names import canonical
from atlas.formula.sample import Sample, draw_inputs
from atlas.formula.symbols import SymbolTable
from atlas.issues import Issue
from atlas.operators.registry import Operator
from atlas.sizes import Size, size

SEED = 20160721
"""Seed of the arrays; any would do."""

Axes = Mapping[str, tuple[str, ...]]

UNTRIED = "correct the axes of the symbols that the message names"
"""What to do where no sizes can be tried, and the reason has no advice of its own."""


def check_shapes(entry: Entry, operator: Operator, table: SymbolTable) -> tuple[str, list[Issue]]:
    """What was found, for the page, and the issues; the entry's interface must hold, and `table` holds its symbols."""
    try:
        call = call_of(entry, operator, table)
    except AtlasError as error:
        message = f"{operator.name} cannot be called: {error}"
        return "", [entry.issue_at_key(("arguments",), "A302", message, _missing(operator, error))]
    issues = [*_kinds(entry, operator), *_symbolically(entry, call, table)]
    if issues:
        return "", issues
    try:
        sample = _sample(call, table)
    except FormulaError as error:
        message = f"the axes cannot be tried: {error.message}"
        return "", [entry.issue_at_key(("symbols",), "A303", message, error.hint or UNTRIED)]
    try:
        outputs = call.run(sample.inputs, call.options_at(sample.sizes))
    except AtlasError as error:
        reason = "; ".join(str(error).splitlines())
        message = f"{operator.name} refuses arrays of these axes: {reason}"
        return "", [entry.issue_at_key(("symbols",), "A302", message, _advice(operator, error))]
    issues = list(_on_arrays(entry, operator, outputs, sample.sizes))
    tried = ", ".join(f"{name} = {value}" for name, value in sorted(sample.sizes.items()))
    return f"in and out shapes agree with {operator.name}, symbolically and on arrays with {tried}", issues


def _sample(call: Call, table: SymbolTable) -> Sample:
    """Inputs for the operator's arguments alone."""
    given = {canonical(declared) for declared in call.inputs.values()}
    return draw_inputs(table, table.symbols.keys() - given, SEED, 0)


def _missing(operator: Operator, error: AtlasError) -> str:
    """What to state for an option that is not there or does not fit."""
    option = operator.options.get(error.option) if isinstance(error, OptionError) else None
    if option is not None:
        return f"give `{option.name}` under `arguments`, or between other bounds, as it is {option.wanted}"
    takes = ", ".join(operator.options)
    return f"its options are {takes}" if takes else "it takes no options: remove `arguments`, and `binds` to them"


def _advice(operator: Operator, error: AtlasError) -> str:
    """Where sizes are refused that the entry allows, it may have left out that they depend on each other."""
    related = isinstance(error, ShapeError) and "fits no size" in str(error)
    if related:
        return "declare the relations between sizes under `sizes`, as in `d: 2 r`"
    if isinstance(error, OptionError):
        return _missing(operator, error)
    return f"correct the axes, or what the arguments' values may be: {operator.name} takes {operator.contract}"


def _kinds(entry: Entry, operator: Operator) -> Iterator[Issue]:
    """Whole numbers are declared where the operator takes them, and nowhere else."""
    for argument in operator.contract.inputs:
        for name, declared in entry.data.symbols.items():
            if declared.binds != argument.name or (declared.ids is not None) == argument.integer:
                continue
            if argument.integer:
                message = f"{name} stands for {argument.name} of {operator.name}, which holds whole numbers"
                yield entry.issue_at_key(("symbols", name), "A301", message, "say below which size: `ids: …`")
            else:
                message = f"{name} is declared as whole numbers, but {argument.name} of {operator.name} holds real ones"
                yield entry.issue(("symbols", name, "ids"), "A301", message, "remove `ids`")


@dataclass(frozen=True, slots=True)
class _Symbolic:
    """What an operator's contract is bound to beside the axes of its arguments."""

    operator: Operator
    """The operator."""
    sizes: Mapping[str, str]
    """The sizes that its options give."""
    relations: Mapping[str, Size]
    """What sizes equal, in those sizes only that no relation defines."""
    ranges: Mapping[str, str]
    """What arguments that hold whole numbers are below."""

    def outputs(self, given: Axes) -> Mapping[str, tuple[str, ...]]:
        """The axes that each output has.

        Raises:
            ShapeError: arguments do not fit.
            SizeError: a size would be divided by a sum.
        """
        ranges = {name: limit for name, limit in self.ranges.items() if name in given}
        return self.operator.contract.bind_labels(given, self.sizes, self.relations, ranges)

    def misfits(self, given: Axes) -> dict[str, str]:
        """Each argument whose axes do not fit, with the message."""
        try:
            self.outputs(given)
        except ShapeError as error:
            return dict(error.misfits)
        except SizeError as error:
            return {"": str(error)}
        return {}

    def equal(self, one: tuple[str, ...], other: tuple[str, ...]) -> bool:
        """Whether axes are equal under the relations."""
        first, second = ([size(axis).substitute(self.relations) for axis in axes] for axes in (one, other))
        return first == second


def _symbolically(entry: Entry, call: Call, table: SymbolTable) -> Iterator[Issue]:
    given = call.axes(entry)
    results = {name: axes_of(entry, declared) for name, declared in call.results.items()}
    stated = stated_relations(table)
    sizes, ranges = call.sizes(), call.ranges(entry)
    groups = (given, results, sizes, stated, ranges)
    if _fits(call.operator, *(tuple(group.items()) for group in groups)):
        return
    known = with_whole_quotients(stated, [size(axis) for one in (*given.values(), *results.values()) for axis in one])
    symbolic = _Symbolic(call.operator, sizes, known, ranges)
    misfits = symbolic.misfits(given)
    if misfits:
        yield from _misfits(entry, call, symbolic, given, results, misfits)
        return
    outputs = symbolic.outputs(given)
    for name, axes in results.items():
        if not symbolic.equal(axes, outputs[name]):
            here, there, declared = ", ".join(axes), ", ".join(outputs[name]), call.results[name]
            message = f"{declared} is declared with axes [{here}], but {call.operator.name} returns [{there}]"
            yield entry.issue(("symbols", declared, "axes"), "A301", message, f"write `axes: [{there}]`")


def _misfits(
    entry: Entry, call: Call, symbolic: _Symbolic, given: Axes, results: Axes, misfits: Mapping[str, str]
) -> Iterator[Issue]:
    """The shape that stands alone against the others; each misfit where no single shape explains them."""
    operator = call.operator
    odd: list[OddShape] = []
    for axes in ({**given, **results}, given):
        odd = odd or Shapes(operator.contract, axes, symbolic.sizes, symbolic.relations).odd()
    symbols = {**call.inputs, **call.results}
    if not odd:
        for name, message in misfits.items():
            path = ("symbols", symbols[name], "axes") if name in symbols else ("symbols",)
            yield entry.issue(path, "A301", message, f"{operator.name} takes {operator.contract}")
        return
    ways = [
        f"`axes: [{', '.join(one.wanted)}]`" + (f" for {one.name}" if len(odd) > 1 else "") for one in odd if one.wanted
    ]
    hint = f"write {', or '.join(ways)}" if ways else f"{operator.name} takes {operator.contract}"
    yield entry.issue(("symbols", symbols[odd[0].name], "axes"), "A301", odd[0].message, hint)


_Axes = tuple[tuple[str, tuple[str, ...]], ...]
_Texts = tuple[tuple[str, str], ...]


# Cached, as the entries of a model have operators in common whose arguments have the same axes.
@lru_cache(maxsize=1024)
def _fits(
    operator: Operator,
    given: _Axes,
    results: _Axes,
    sizes: _Texts,
    stated: tuple[tuple[str, Size], ...],
    ranges: _Texts,
) -> bool:
    """Whether arguments with these axes fit an operator, and what it returns has the axes of the results."""
    known = with_whole_quotients(dict(stated), [size(axis) for _, one in (*given, *results) for axis in one])
    symbolic = _Symbolic(operator, dict(sizes), known, dict(ranges))
    if symbolic.misfits(dict(given)):
        return False
    outputs = symbolic.outputs(dict(given))
    return all(symbolic.equal(axes, outputs[name]) for name, axes in results)


def _on_arrays(
    entry: Entry, operator: Operator, outputs: Mapping[str, Any], sizes: Mapping[str, int]
) -> Iterator[Issue]:
    for name, array in outputs.items():
        expected = tuple(size(axis).value(sizes) for axis in axes_of(entry, name))
        if array.shape != expected:
            message = f"{name} has the shape {array.shape} on arrays, but its axes say {expected}"
            hint = f"{operator.name} does not return what its contract says; correct the operator, not the entry"
            yield entry.issue(("symbols", name, "axes"), "A302", message, hint)
