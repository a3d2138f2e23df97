"""The call that an entry speaks of: which of its symbols are the operator's arguments, options and results.

Formulas and shapes are checked with the same call, so that an option is the same number in both: one that is a size of
the entry, such as a stride `s` or a number of positions, is as long as that size, whatever sizes are tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np

from atlas.checks.interface import bound_to
from atlas.entries.atlas import Entry
from atlas.entries.component import Symbol
from atlas.formula.axes import read_size
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
from atlas.formula.names import canonical
from atlas.formula.symbols import SymbolTable, sizes_used
from atlas.operators.registry import Operator
from atlas.sizes import Size, constant, size, symbol

_REAL = Real()
_KINDS: Mapping[str, SymbolKind] = MappingProxyType({"positive": Positive(), "fraction": UnitInterval()})
"""What the values of symbols are, by the words of entries; the same objects for all, which are compared soonest."""


@dataclass(frozen=True, slots=True)
class Call:
    """An operator with what an entry gives it."""

    operator: Operator
    """The operator."""
    inputs: Mapping[str, str]
    """Argument → the symbol that stands for it; arguments that are left out are not there."""
    results: Mapping[str, str]
    """Output → the symbol that stands for it, where there is one."""
    options: Mapping[str, Any]
    """Every option with the value that the entry states, or its default."""
    sized: Mapping[str, Size]
    """Options that are a size of the entry, with that size: a symbol's, or the length of a result's axis."""

    def axes(self, entry: Entry) -> Mapping[str, tuple[str, ...]]:
        """The declared axes of every argument that is given, as `Contract.bind_labels` takes them."""
        return {name: axes_of(entry, declared) for name, declared in self.inputs.items()}

    def sizes(self) -> Mapping[str, str]:
        """The size of every option that the contract names, as `Contract.bind_labels` takes them."""
        stated = {
            name: str(value) for name in self.operator.contract.sizes if (value := self.options.get(name)) is not None
        }
        return stated | {name: str(expression) for name, expression in self.sized.items()}

    def ranges(self, entry: Entry) -> Mapping[str, str]:
        """What arguments that hold whole numbers are below, as `Contract.bind_labels` takes it."""
        below = {name: entry.data.symbols[declared].ids for name, declared in self.inputs.items()}
        return {name: str(read_size(str(limit))) for name, limit in below.items() if limit is not None}

    def options_at(self, sizes: Mapping[str, int]) -> dict[str, Any]:
        """Every option, where sizes have these values."""
        return {**self.options, **{name: expression.value(sizes) for name, expression in self.sized.items()}}

    def run(self, arrays: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
        """The outputs by their symbols; arrays go by the symbols that stand for arguments.

        Raises:
            ShapeError: the arrays do not fit the operator.
            OptionError: an option does not.
        """
        given = {name: arrays[declared] for name, declared in self.inputs.items()}
        if all(_may_be_kept(array) for array in given.values()):
            known = tuple([(name, repr(value)) for name, value in options.items()])
            outputs = _kept(_Asked(self.operator, tuple(given), tuple(map(id, given.values())), known, given, options))
        else:
            outputs = _outputs(self.operator, given, options)
        return {declared: outputs[name] for name, declared in self.results.items()}


KEPT, KEPT_ELEMENTS = 128, 8192
"""How many results of operators are kept, and how many elements an array of theirs may have."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A call of an operator with arrays that nobody can change: what it gives follows from which arrays they are."""

    operator: Operator
    """The operator."""
    names: tuple[str, ...]
    """The arguments that are given."""
    arrays: tuple[int, ...]
    """Which arrays they are; no other has the same number while this call is kept, as it keeps them."""
    known: tuple[tuple[str, str], ...]
    """The options, told apart by type and to the last digit."""
    given: Mapping[str, Any] = field(compare=False)
    """The arrays."""
    options: Mapping[str, Any] = field(compare=False)
    """The options."""


def _may_be_kept(array: object) -> bool:
    """Whether it is a small array that cannot be written to, as those of samples that several entries share."""
    return type(array) is np.ndarray and not array.flags.writeable and array.size <= KEPT_ELEMENTS


# Kept, as the entries of a model try the same operators on the same samples.
@lru_cache(maxsize=KEPT)
def _kept(asked: _Asked) -> Mapping[str, Any]:
    outputs = _outputs(asked.operator, asked.given, asked.options)
    for array in outputs.values():
        array.flags.writeable = False
    return outputs


def _outputs(operator: Operator, given: Mapping[str, Any], options: Mapping[str, Any]) -> Mapping[str, Any]:
    """The outputs by their names in the contract."""
    result = operator(**given, **options)
    names = [output.name for output in operator.contract.outputs]
    return dict(zip(names, map(np.asarray, (result,) if len(names) == 1 else tuple(result)), strict=True))


def call_of(entry: Entry, operator: Operator, table: SymbolTable) -> Call:
    """The call that an entry speaks of; its interface must hold.

    Raises:
        OptionError: an option is missing or does not fit.
    """
    contract = operator.contract
    inputs = {one.name: found for one in contract.inputs if (found := bound_to(entry, one.name)) is not None}
    results = {one.name: found for one in contract.outputs if (found := bound_to(entry, one.name)) is not None}
    sized: dict[str, Size] = {}
    for output in contract.outputs:
        axes = axes_of(entry, results[output.name]) if output.name in results else ()
        if len(axes) < len(output.axes) or (len(axes) > len(output.axes) and not output.batched):
            continue  # what the axes are is told by the check of shapes
        named, _ = output.parted(axes)
        for axis, declared in zip(output.axes, named, strict=True):
            # A length that is a number says nothing about other lengths: it must be the option's own value.
            if str(axis) in operator.options and (length := read_size(declared)).symbols:
                sized.setdefault(str(axis), length)
    for name in operator.options:
        declared = canonical(found) if (found := bound_to(entry, name)) is not None else ""
        if table.kind(declared) == "size":
            sized[name] = symbol(declared)
    # An option that is a size has a value only where sizes have theirs; until then, one that it takes stands for it.
    stand_ins = {name: max(1, int(operator.options[name].least or 0)) for name in sized}
    return Call(operator, inputs, results, operator.check_options(stand_ins | dict(entry.data.arguments)), sized)


def axes_of(entry: Entry, declared: str) -> tuple[str, ...]:
    """A symbol's axes in canonical spelling."""
    return tuple([_spelled(str(axis)) for axis in entry.data.symbols[declared].axes])


# Cached, as several checks ask for the same few axes.
@lru_cache(maxsize=4096)
def _spelled(axis: str) -> str:
    return str(read_size(axis))


def stated_relations(table: SymbolTable) -> dict[str, Size]:
    """What sizes are stated to equal, in those only that no relation defines."""
    return {name: table.axes.resolve(symbol(name)) for name, relation in table.sizes.items() if relation is not None}


def relations(table: SymbolTable, axes: Iterable[Sequence[str]]) -> dict[str, Size]:
    """What sizes equal, in those only that no relation defines: as stated, and as follows from axes being whole."""
    return with_whole_quotients(stated_relations(table), [size(axis) for one in axes for axis in one])


def with_whole_quotients(relations: Mapping[str, Size], axes: Sequence[Size]) -> dict[str, Size]:
    r"""The relations, and those that follow from axes being whole: where `H/s` is a length, `H` is s times a size.

    So `\lfloor (H-1)/s\rfloor+1` equals `H/s` in an entry with an axis of that length, and in no other.
    """
    found = dict(relations)
    if not found and not any(map(_is_quotient, axes)):
        return found  # as mostly
    used = {name for axis in axes for name in axis.symbols} | {
        name for value in relations.values() for name in value.symbols
    }
    for axis in axes:
        terms = axis.substitute(found).terms
        if len(terms) != 1:
            continue
        ((monomial, factor),) = terms
        above = [(name, power) for name, power in monomial if power > 0]
        below = tuple((name, -power) for name, power in monomial if power < 0)
        if factor.numerator != 1 or [power for _, power in above] != [1] or above[0][0] not in used:
            continue
        divisor = Size(((below, Fraction(factor.denominator)),))
        if divisor != constant(1):
            name = above[0][0]
            part = next(primed for count in range(1, len(used) + 2) if (primed := name + "'" * count) not in used)
            used.add(part)
            whole = {name: divisor * symbol(part)}
            found = {key: value.substitute(whole) for key, value in found.items()} | whole
    return found


def _is_quotient(axis: Size) -> bool:
    """Whether a size is divided by another one or by a number."""
    if len(axis.terms) != 1:
        return False
    ((monomial, factor),) = axis.terms
    return factor.denominator != 1 or any(power < 0 for _, power in monomial)


def declarations(entry: Entry, operator: Operator | None = None) -> Declarations:
    """What the entry declares, as the formula engine takes it.

    A symbol without axes that stands for a whole-number option and is used as a size, as `s` in an axis `H/s`, is that
    size: the formula knows it as such.

    Raises:
        FormulaError: a name or a size cannot be read.
    """
    data = entry.data
    relations = {name: str(expression) for name, expression in data.sizes.items()}
    symbols = {
        name: SymbolDeclaration(tuple(str(axis) for axis in one.axes), _kind(one)) for name, one in data.symbols.items()
    }
    declared = Declarations(symbols, data.batch, data.base, relations, frozenset(data.zero_outside))
    used = sizes_used(declared)
    sizes = {name for name in symbols if _is_count(data.symbols[name], operator) and canonical(name) in used}
    return replace(declared, symbols={name: one for name, one in symbols.items() if name not in sizes})


def _is_count(declared: Symbol, operator: Operator | None) -> bool:
    """Whether a symbol is just a number, for an option that takes whole ones."""
    option = operator.options.get(declared.binds or "") if operator is not None else None
    return option is not None and option.type is int and not declared.axes and isinstance(_kind(declared), Real)


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
    return _KINDS.get(symbol.values, _REAL)
