"""What the rules of evaluation share: the inputs, what is computed already, and how to evaluate a part.

The rules live in modules of their own and know only this class, so none of them depends on another.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from atlas.exceptions import FormulaError
from atlas.formula.algebra import Algebra
from atlas.formula.budget import Budget
from atlas.formula.functions import CONSTANTS
from atlas.formula.plan import Plan
from atlas.formula.span import Span
from atlas.formula.symbols import SymbolTable
from atlas.formula.tensor import Array, Tensor, scalar
from atlas.formula.tree import Node, Range

MAX_NESTED = 160
"""How deep evaluation may go, through definitions of functions too."""

Function = Callable[..., Array]
"""An input that is a function: of an array, or of a member's number and an array."""


class Bound(NamedTuple):
    """What a local name stands for; a tuple, as values are, because every sum and application makes one."""

    tensor: Tensor
    """Its values; an index variable has a free axis of its own."""
    axis: str | None = None
    """The label of the axis that an index variable ranges over, where it is known."""
    first: int | None = None
    """The first value of an index variable that takes whole numbers one after the other; None for anything else."""


Locals = Mapping[str, Bound]
"""Index variables and parameters where an expression is evaluated."""


class Applied(NamedTuple):
    """A function that the formula defines, at arguments at which it may be asked for again."""

    arguments: tuple[Tensor, ...]
    """The very arguments, which are kept so that no other value is taken for one of them."""
    value: Tensor
    """What it gave."""
    work: int
    """What that cost."""
    height: int
    """How much deeper than the application evaluation went."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What one evaluation is given."""

    table: SymbolTable
    """The declared names."""
    plan: Plan
    """The equations."""
    ranges: Mapping[str, Range]
    """The ranges that are written beside the equations."""
    sizes: Mapping[str, int]
    """A value for every size, and for every integer in a range."""
    lengths: Mapping[str, int]
    """The length of every axis."""
    values: Mapping[str, Tensor]
    """The inputs that are arrays."""
    functions: Mapping[str, Function]
    """The inputs that are functions."""


@dataclass(frozen=True, slots=True)
class Stray:
    """A read out of range, which matters where its value does."""

    span: Span
    """Where it is written."""
    name: str
    """What is read."""
    before: int
    """How far an index lies before the first, at most; 0 where none does."""
    past: tuple[str, ...]
    """The axes of which an index lies past the last."""


class Machine(ABC):
    """One evaluation; it keeps what it has computed, and what it is busy with, to find circles."""

    def __init__(self, setting: Setting) -> None:
        """Evaluate with these sizes and inputs."""
        self.setting = setting
        self.table = setting.table
        self.plan = setting.plan
        self.algebra = Algebra(Budget())
        self.memo: dict[str | tuple[str, int], Tensor] = {}
        self.busy: set[str | tuple[str, int]] = set()
        self.stray: list[Stray] = []
        self.runs: dict[str, tuple[tuple[float, ...], str]] = {}
        self.bound = 0
        self.nested = 0
        self.deepest = 0
        self.applied: dict[tuple[str | int, ...], Applied] = {}

    @abstractmethod
    def value(self, node: Node, scope: Locals) -> Tensor:
        """The value of an expression."""

    @abstractmethod
    def defined(self, name: str) -> Tensor:
        """The value of a name that the formula defines."""

    @abstractmethod
    def unrolled(self, name: str) -> Tensor:
        """The value of a name that depends on itself at earlier steps."""

    @abstractmethod
    def at_step(self, name: str, place: float, span: Span) -> Tensor:
        """The value of such a name at one step, which is counted from 0 here."""

    @abstractmethod
    def start_value(self, name: str, step: int) -> Tensor | None:
        """Its value before the first step, where there is one."""

    def named(self, name: str, span: Span) -> Tensor:
        """The value of a name that is no index or parameter."""
        known = self.memo.get(name)
        if known is not None:
            return known
        if name in self.plan.mains:
            if name in self.busy:
                raise FormulaError("A237", f"`{name}` is defined by itself", span)
            self.busy.add(name)
            try:
                self.memo[name] = self.defined(name)
            finally:
                self.busy.discard(name)
        elif name in self.setting.values:
            self.memo[name] = self.setting.values[name]
        elif name in CONSTANTS:
            self.memo[name] = scalar(CONSTANTS[name])
        else:
            raise FormulaError("A249", f"`{name}` has no value", span)
        return self.memo[name]

    def read(self, base: Tensor, where: Mapping[int, Tensor], name: str, span: Span) -> Tensor:
        """A value at indices that count from 0; reads out of range are zero if so declared, else kept in mind."""
        zero = name in self.table.zero_outside
        found, outside = self.algebra.read(base, where, 0.0 if zero else np.nan)
        if outside and not zero:
            lowest = min(
                (float(np.fmin.reduce(index.data, axis=None, initial=0.0)) for index in where.values()), default=0.0
            )
            before = int(-lowest) if np.isfinite(lowest) else 1
            ends = [
                base.core[at]
                for at, index in where.items()
                if (index.data >= base.data.shape[len(base.free) + at]).any()
            ]
            self.stray.append(Stray(span, name, before, tuple(ends)))
        return found

    def settled(self, tensor: Tensor) -> Tensor:
        """A value that is compared or ranked, which would hide that it was read out of range."""
        if self.stray and tensor.data.dtype != np.bool_ and np.isnan(tensor.data).any():
            raise self.out_of_range()
        return tensor

    def out_of_range(self) -> FormulaError:
        """The error for the first read out of range."""
        found = self.stray[0]
        where = [f"before {self.table.base}, where indices begin{self._down_to(found.before)}"] if found.before else []
        where += [f"past {self.last_of(axis)}, where it ends" for axis in found.past]
        ways = [f"end the range at {self.last_of(axis)}" for axis in found.past]
        if found.before:
            ways.insert(0, self._later(found.before))
        zero = f", or list `{found.name}` under `zero_outside`" if found.name in self.table.symbols else ""
        hint = f"{', '.join(ways)}{', ' if ways else ''}give the edge a case of its own{zero}"
        message = f"`{found.name}` is read outside its range"
        return FormulaError("A227", f"{message}: {' and '.join(where)}" if where else message, found.span, hint)

    def _later(self, before: int) -> str:
        """What to do where a range begins so far before the first index; counting from 0 helps by one alone."""
        base = self.table.base
        if before <= base:
            return "count from 1, or state `base: 0`"
        return f"begin the range {before} later, so that the lowest index is {base}"

    def _down_to(self, before: int) -> str:
        """The lowest index that is read, where it is not the one before the first."""
        return f", down to {self.table.base - before}" if before > 1 else ""

    def last_of(self, axis: str) -> str:
        """The last index of an axis, in its sizes."""
        return axis if self.table.base else f"{axis}-1"

    def length(self, axis: str) -> int:
        """The length of an axis."""
        return self.setting.lengths[axis]
