"""Random sizes and inputs for a formula: pairwise distinct sizes that satisfy the declared relations, four scales.

The small scale exposes ε and where it sits, the large one clamps and saturation; distinct sizes expose a sum over the
wrong axis.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from atlas.exceptions import FormulaError, SizeError
from atlas.formula.declarations import FunctionOf, Ids, IntegerRange, Positive, SymbolKind, UnitInterval
from atlas.formula.engine import Formula, Input
from atlas.formula.symbols import Symbol, SymbolTable
from atlas.sizes import Size

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"

SCALES = ((1.0, 0.0), (2.0, 0.5), (1e-3, 0.0), (4.0, 0.0))
"""Standard deviation and mean of the inputs of each sample."""

SMALLEST, USUAL, ATTEMPTS = 2, 7, 400
"""The smallest size; the largest, if there are few size symbols; and how often such sizes are drawn."""

LARGER, EACH = 25, 25
"""By how much sizes may be larger where small ones do not fit, as with an axis `H-9`; and how often each is tried."""

KEPT, KEPT_ELEMENTS = 128, 8192
"""How many samples are kept for other entries with the same axes, and how many elements such a sample may have."""

MAX_ELEMENTS = 10_000_000
"""How many elements an array may have."""

MAX_AXES = 32
"""How many axes an array may have."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One choice of sizes and inputs."""

    sizes: Mapping[str, int]
    """Every size symbol and every integer in a range, by canonical name."""
    inputs: Mapping[str, Input]
    """Every input, by the name that it is declared with."""


class RandomFunction:
    """A smooth random function of arrays with given last axes; or a family of them, whose member comes first."""

    def __init__(self, rng: np.random.Generator, members: int | None, of: tuple[int, ...], to: tuple[int, ...]) -> None:
        """Draw the weights."""
        count = 1 if members is None else members
        self._family = members is not None
        self._of, self._to = of, to
        self._weights = rng.normal(size=(count, prod(of), prod(to))) / np.sqrt(prod(of))
        self._shifts = rng.normal(size=(count, prod(to)))

    def __call__(self, *arguments: Any) -> Array:
        """The value at an array; leading axes are mapped over."""
        member, x = arguments if self._family else (0, arguments[0])
        x = np.asarray(x, dtype=np.float64)
        lead = x.shape[: x.ndim - len(self._of)]
        flat = x.reshape((*lead, -1)) @ self._weights[member] + self._shifts[member]
        return np.asarray(np.tanh(flat).reshape((*lead, *self._to)))


def draw(formula: Formula, seed: int, number: int) -> Sample:
    """The sample with this number: the same for the same formula and seed.

    Raises:
        FormulaError: no sizes satisfy the relations and make every axis a whole number, or an array would be too large.
    """
    return draw_inputs(formula.table, formula.plan.mains, seed, number)


def draw_inputs(table: SymbolTable, defined: Container[str], seed: int, number: int) -> Sample:
    """The same from declarations alone; symbols that are defined, by their canonical names, get no input.

    Raises:
        FormulaError: as `draw`.
    """
    wanted = [
        symbol
        for symbol in table.symbols.values()
        if symbol.name not in defined or isinstance(symbol.kind, IntegerRange)
    ]
    key = _Wanted(
        seed,
        number,
        tuple(table.sizes),
        table.axes.relations,
        tuple([_part(symbol) for symbol in table.symbols.values()]),
        tuple([_part(symbol) for symbol in wanted]),
        table,
        wanted,
    )
    drawn = _kept(key) or _drawn(key)
    return Sample(dict(drawn.sizes), dict(zip([symbol.spelled for symbol in wanted], drawn.values, strict=True)))


_Part = tuple[str, SymbolKind, tuple[str, ...]]
"""What is drawn for one symbol: its name where it is a size, what its values are, and its axes."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """All that a sample follows from; the axes' labels and the relations tell all lengths."""

    seed: int
    """The seed."""
    number: int
    """Which of its samples."""
    sizes: tuple[str, ...]
    """The sizes, in the order in which they are drawn."""
    relations: tuple[tuple[str, Size], ...]
    """What some of them equal."""
    parts: tuple[_Part, ...]
    """All symbols, as their axes must be lengths."""
    given: tuple[_Part, ...]
    """Those that get a value, in order."""
    table: SymbolTable = field(compare=False)
    """The declarations."""
    symbols: Sequence[Symbol] = field(compare=False)
    """The symbols that get a value."""


@dataclass(frozen=True, slots=True)
class _Drawn:
    """What was drawn."""

    sizes: Mapping[str, int]
    """Every size symbol and every integer in a range."""
    values: tuple[Input, ...]
    """A value for each symbol that is wanted; arrays cannot be written to, as several entries may get them."""


def _part(symbol: Symbol) -> _Part:
    return (symbol.name if isinstance(symbol.kind, IntegerRange) else "", symbol.kind, symbol.axes)


def _drawn(wanted: _Wanted) -> _Drawn:
    """Draw sizes and values.

    Raises:
        FormulaError: as `draw`.
    """
    table = wanted.table
    rng = np.random.default_rng((wanted.seed, wanted.number))
    sizes = _sizes(table, rng)
    _require_room(table, sizes)
    deviation, mean = SCALES[wanted.number % len(SCALES)]
    values: list[Input] = []
    for symbol in wanted.symbols:
        if isinstance(symbol.kind, IntegerRange):
            values.append(sizes[symbol.name])
            continue
        value = _input(table, symbol, sizes, rng, deviation, mean)
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
        values.append(value)
    return _Drawn(sizes, tuple(values))


# Kept, as the entries of a model declare the same few axes under other names.
@lru_cache(maxsize=KEPT)
def _kept(wanted: _Wanted) -> _Drawn | None:
    """What is drawn, where it is small; else None."""
    return _drawn(wanted) if _is_small(wanted) else None


def _is_small(wanted: _Wanted) -> bool:
    """Whether the arrays of a sample are small enough to be kept."""
    sizes = _sizes(wanted.table, np.random.default_rng((wanted.seed, wanted.number)))
    axes = [(*symbol.axes, *symbol.to, *([symbol.family] if symbol.family else [])) for symbol in wanted.symbols]
    return sum(prod(wanted.table.axes.size(axis).value(sizes) for axis in one) for one in axes) <= KEPT_ELEMENTS


def _sizes(table: SymbolTable, rng: np.random.Generator) -> dict[str, int]:
    free = [name for name, relation in table.sizes.items() if relation is None]
    usual = max(USUAL, SMALLEST + len(free))
    problem = ""
    for attempt in range(ATTEMPTS + LARGER * EACH):
        pool = np.arange(SMALLEST, usual + 1 + max(0, attempt - ATTEMPTS + EACH) // EACH)
        chosen = rng.permutation(pool)[: len(free)]
        sizes = dict(zip(free, (int(value) for value in chosen), strict=True))
        try:
            _complete(table, sizes)
            _bind_integers(table, sizes, rng)
            lengths = {
                axis: table.axes.size(axis).value(sizes) for symbol in table.symbols.values() for axis in symbol.axes
            }
        except SizeError as error:
            problem = problem or str(error)
            continue
        named = {name: sizes[name] for name in table.sizes}
        short = next((f"{axis} is {length}" for axis, length in (lengths | named).items() if length < 1), "")
        problem = problem or short
        distinct = len(set(named.values())) == len(named)
        if not short and (distinct or attempt >= ATTEMPTS // 2):
            return sizes
    message = "no sizes were found that make every axis a positive whole number"
    hint = "declare the relations between sizes, as in `d: 2 r`"
    raise FormulaError("A245", f"{message}: {problem}" if problem else message, hint=hint)


def _require_room(table: SymbolTable, sizes: Mapping[str, int]) -> None:
    for symbol in table.symbols.values():
        axes = (*symbol.axes, *symbol.to)
        if len(axes) > MAX_AXES:
            raise FormulaError("A245", f"`{symbol.spelled}` has {len(axes)} axes; at most {MAX_AXES} are tried")
        elements = prod(table.axes.size(axis).value(sizes) for axis in axes)
        if elements > MAX_ELEMENTS:
            raise FormulaError("A245", f"`{symbol.spelled}` as an array of {elements:,} elements is too large")


def _complete(table: SymbolTable, sizes: dict[str, int]) -> None:
    for name, relation in table.sizes.items():
        if relation is not None:
            sizes[name] = table.axes.resolve(relation).value(sizes)


def _bind_integers(table: SymbolTable, sizes: dict[str, int], rng: np.random.Generator) -> None:
    for symbol in table.symbols.values():
        if isinstance(symbol.kind, IntegerRange) and symbol.bounds is not None:
            low, high = (table.axes.resolve(bound).value(sizes) for bound in symbol.bounds)
            if high < low:
                raise SizeError(f"{symbol.name} has no value from {low} to {high}")
            sizes[symbol.name] = int(rng.integers(low, high + 1))


def _input(
    table: SymbolTable,
    symbol: Symbol,
    sizes: Mapping[str, int],
    rng: np.random.Generator,
    deviation: float,
    mean: float,
) -> Input:
    def length(axis: str) -> int:
        return table.axes.size(axis).value(sizes)

    shape = tuple(length(axis) for axis in symbol.axes)
    if isinstance(symbol.kind, FunctionOf):
        members = length(symbol.family) if symbol.family is not None else None
        return RandomFunction(rng, members, shape, tuple(length(axis) for axis in symbol.to))
    if isinstance(symbol.kind, Ids) and symbol.bounds is not None:
        return rng.integers(0, table.axes.resolve(symbol.bounds[1]).value(sizes), size=shape)
    if isinstance(symbol.kind, UnitInterval):
        return rng.uniform(0.05, 0.95, size=shape)
    values = rng.normal(size=shape) * deviation + mean
    return np.abs(values) + 0.1 * deviation if isinstance(symbol.kind, Positive) else values
