"""A parsed formula that can be run: declarations and LaTeX in, arrays in, arrays out.

Arrays have the axes that are declared, in that order; ids count from 0, whatever the formula's base is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from atlas.exceptions import FormulaError, SizeError
from atlas.formula.axes import AxisTable
from atlas.formula.declarations import Declarations, FunctionOf, Ids, IntegerRange
from atlas.formula.equations import parse_system
from atlas.formula.evaluate import Evaluator
from atlas.formula.machine import Function, Setting
from atlas.formula.names import canonical
from atlas.formula.plan import Plan, make_plan
from atlas.formula.symbols import Symbol, SymbolTable, symbol_table
from atlas.formula.tensor import Tensor, aligned
from atlas.formula.tree import System, mentioned

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"

Input: TypeAlias = "Array | int | float | Callable[..., Array]"
"""An array, a number for a scalar, or a function of an array (for a family: of a member's number and an array)."""


@dataclass(frozen=True, slots=True)
class Run:
    """What one evaluation gave."""

    values: Mapping[str, Array]
    """Every output, by the name that it is declared with."""
    work: int
    """What it cost, in the units of the budget."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula with its declarations."""

    latex: str
    """The text as it is displayed."""
    table: SymbolTable
    """The declared names."""
    system: System
    """The syntax tree."""
    plan: Plan
    """In what order its equations are evaluated."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """The declared symbols that must be given, as they are spelled in the declarations."""
        return tuple(symbol.spelled for symbol in self.table.symbols.values() if symbol.name not in self.plan.mains)

    @property
    def outputs(self) -> tuple[str, ...]:
        """The declared symbols that the formula defines, as they are spelled in the declarations."""
        return tuple(symbol.spelled for symbol in self.table.symbols.values() if symbol.name in self.plan.mains)

    def rewritten(self, latex: str) -> Formula:
        """Another text with the same declarations.

        Raises:
            FormulaError: it cannot be read.
        """
        return parse_with(latex, self.table)

    def run(self, inputs: Mapping[str, Input], sizes: Mapping[str, int] | None = None) -> Mapping[str, Array]:
        """Evaluate the formula.

        Args:
            inputs: every declared symbol that the formula does not define, by its name.
            sizes: a value for every size symbol that no relation defines; those of axes of arrays may be left out.

        Raises:
            FormulaError: an input is missing or has other axes than declared, or the formula does not fit its axes.
        """
        return self.execute(inputs, sizes or {}).values

    def execute(self, inputs: Mapping[str, Input], sizes: Mapping[str, int], others: Iterable[str] = ()) -> Run:
        """Evaluate the formula; the result also holds other names that it defines, by their canonical names."""
        machine = Evaluator(_setting(self, inputs, sizes))
        with np.errstate(all="ignore"):
            for name in (*self.plan.order, *(name for name in self.plan.mains if name in self.table.symbols)):
                if name not in machine.memo:
                    machine.named(name, self.plan.mains[name][0].left_span)
        found: dict[str, Array] = {}
        for symbol in self.table.symbols.values():
            if symbol.name in self.plan.mains:
                found[symbol.spelled] = _result(machine, machine.memo[symbol.name], symbol)
        for name in others:
            if name in machine.memo and name not in self.table.symbols:
                tensor = machine.memo[name]
                found[name] = aligned(
                    tensor, tuple(axis for axis in self.table.batch if axis in tensor.free), tensor.core
                )
        if machine.stray and any(np.isnan(array).any() for array in found.values()):
            raise machine.out_of_range()
        return Run(found, machine.algebra.budget.work)

    def unused(self) -> tuple[str, ...]:
        """Declared symbols and own definitions that no declared output depends on."""
        reached: set[str] = set()
        symbols, mains, starts = self.table.symbols, self.plan.mains, self.plan.starts
        waiting = [name for name in mains if name in symbols]
        indexed = [name for name in symbols if "_" in name]
        while waiting:
            name = waiting.pop()
            if name in reached:
                continue
            reached.add(name)
            waiting += self.plan.mentions.get(name, ())
            waiting += [other for other in indexed if other.startswith(f"{name}_") and other not in reached]
            for found in (*mains.get(name, ()), *(starts[name].values() if name in starts else ())):
                waiting += [parameter for parameter in found.parameters if parameter in symbols]
        reached = reached.union(*[names for found in self.system.ranges for names in mentioned(found)])
        declared = [*symbols, *self.table.aliases]
        return tuple(name for name in dict.fromkeys([*declared, *mains]) if name not in reached)


def parse(latex: str, declarations: Declarations) -> Formula:
    """Parse a formula with its declarations.

    Raises:
        FormulaError: the first thing that cannot be read or has no meaning; shapes are judged when it is run.
    """
    return parse_with(latex, symbol_table(declarations))


def parse_with(latex: str, table: SymbolTable) -> Formula:
    """Parse a formula with declarations that were read already.

    Raises:
        FormulaError: as `parse`.
    """
    system = parse_system(latex, table)
    plan = make_plan(system, table.base)
    if not any(name in table.symbols for name in plan.mains):
        hint = "declare the symbol on the left side, with its axes"
        raise FormulaError("A246", "the formula defines no declared symbol", system.definitions[0].left_span, hint)
    return Formula(latex, table, system, plan)


def _setting(formula: Formula, inputs: Mapping[str, Input], sizes: Mapping[str, int]) -> Setting:
    given = {canonical(name): value for name, value in inputs.items()}
    bound = {canonical(name): int(value) for name, value in sizes.items()}
    table = formula.table
    for symbol in table.symbols.values():
        if isinstance(symbol.kind, IntegerRange) and symbol.name in given:
            bound.setdefault(symbol.name, int(np.asarray(given[symbol.name])))
    if not bound.keys() >= table.sizes.keys():
        _bind_from_shapes(table, given, bound)
    _bind_relations(table, bound)
    lengths = _Lengths(table.axes, bound)
    values: dict[str, Tensor] = {}
    functions: dict[str, Function] = {}
    for symbol in table.symbols.values():
        if symbol.name in formula.plan.mains or isinstance(symbol.kind, IntegerRange):
            continue
        if symbol.name not in given:
            raise FormulaError("A249", f"the input `{symbol.spelled}` is missing")
        value = given[symbol.name]
        if isinstance(symbol.kind, FunctionOf):
            if not callable(value):
                raise FormulaError("A249", f"the input `{symbol.spelled}` is declared as a function, but is an array")
            functions[symbol.name] = value
        elif callable(value):
            raise FormulaError("A249", f"the input `{symbol.spelled}` is declared as an array, but is a function")
        else:
            values[symbol.name] = _tensor(table, symbol, np.asarray(value, dtype=np.float64), lengths)
    ranges = {found.variable: found for found in formula.system.ranges}
    return Setting(table, formula.plan, ranges, bound, lengths, values, functions)


def _bind_from_shapes(table: SymbolTable, given: Mapping[str, Input], bound: dict[str, int]) -> None:
    """Take sizes that are not given from the arrays whose axes they are."""
    for symbol in table.symbols.values():
        value = given.get(symbol.name)
        if value is None or callable(value):
            continue
        shape = np.shape(value)
        for axis, length in zip(symbol.axes, shape, strict=False):
            if axis in table.sizes:
                bound.setdefault(axis, length)


def _bind_relations(table: SymbolTable, bound: dict[str, int]) -> None:
    for name, relation in table.sizes.items():
        if relation is None and name not in bound:
            raise FormulaError("A249", f"the size `{name}` has no value")
    for name, relation in table.sizes.items():
        if relation is None:
            continue
        try:
            value = table.axes.resolve(relation).value(bound)
        except SizeError as error:
            raise FormulaError("A249", f"the size `{name}` is {relation}: {error}") from None
        if bound.setdefault(name, value) != value:
            raise FormulaError("A249", f"the size `{name}` is given as {bound[name]}, but {relation} is {value}")


class _Lengths(dict[str, int]):
    """The length of each axis, reckoned when it is first asked for, as most symbols have the same few."""

    def __init__(self, axes: AxisTable, sizes: Mapping[str, int]) -> None:
        super().__init__()
        self.axes = axes
        self.sizes = sizes

    def __missing__(self, axis: str) -> int:
        length = self[axis] = self.axes.size(axis).value(self.sizes)
        return length


def _tensor(table: SymbolTable, symbol: Symbol, array: Array, lengths: Mapping[str, int]) -> Tensor:
    """An input under its axes: batch axes first, which are free, then the others in order."""
    expected = tuple([lengths[axis] for axis in symbol.axes])
    if array.shape != expected:
        message = f"the input `{symbol.spelled}` has the shape {array.shape}, but {symbol.shown} is {expected}"
        raise FormulaError("A249", message)
    data = array.transpose(_order(symbol.axes, symbol.batch))
    if isinstance(symbol.kind, Ids):
        data = data + table.base
    return Tensor(data, symbol.batch, symbol.core)


def _result(machine: Evaluator, tensor: Tensor, symbol: Symbol) -> Array:
    """A value as an array with the declared axes in the declared order."""
    data = aligned(tensor, symbol.batch, symbol.core)
    shape = tuple([machine.length(axis) for axis in symbol.batch + symbol.core])
    if data.shape != shape:
        data = np.broadcast_to(data, shape)
    return data.transpose(_inverse(_order(symbol.axes, symbol.batch)))


@lru_cache(maxsize=1024)
def _order(axes: tuple[str, ...], batch: tuple[str, ...]) -> tuple[int, ...]:
    """The places of the batch axes among all, then those of the others."""
    places = range(len(axes))
    return (*(at for at in places if axes[at] in batch), *(at for at in places if axes[at] not in batch))


@lru_cache(maxsize=1024)
def _inverse(order: tuple[int, ...]) -> tuple[int, ...]:
    """The order that undoes another."""
    return tuple(order.index(at) for at in range(len(order)))
