"""What the rules of evaluation share: the inputs, what is computed already, and how to evaluate a part.

The rules live in modules of their own and know only this class, so none of them depends on another.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """What a local name stands for."""

    tensor: Tensor
    """Its values; an index variable has a free axis of its own."""
    axis: str | None = None
    """The label of the axis that an index variable ranges over, where it is known."""


Locals = Mapping[str, Bound]
"""Index variables and parameters where an expression is evaluated."""


@dataclass(frozen=True, slots=True, eq=False)
class Applied:
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
    values: Mapping[str, Tensor]
    """The inputs that are arrays."""
    functions: Mapping[str, Function]
    """The inputs that are functions."""


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
        self.stray: list[tuple[Span, str]] = []
        self.runs: dict[str, tuple[tuple[float, ...], str]] = {}
        self.lengths: dict[str, int] = {}
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
        if name in self.memo:
            return self.memo[name]
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
            self.stray.append((span, name))
        return found

    def settled(self, tensor: Tensor) -> Tensor:
        """A value that is compared or ranked, which would hide that it was read out of range."""
        if self.stray and tensor.data.dtype != np.bool_ and np.isnan(tensor.data).any():
            raise self.out_of_range()
        return tensor

    def out_of_range(self) -> FormulaError:
        """The error for the first read out of range."""
        span, name = self.stray[0]
        hint = f"indices begin at {self.table.base}; mask the read, or declare the symbol zero outside its range"
        return FormulaError("A227", f"`{name}` is read outside its range", span, hint)

    def length(self, axis: str) -> int:
        """The length of an axis."""
        if axis not in self.lengths:
            self.lengths[axis] = self.table.axes.size(axis).value(self.setting.sizes)
        return self.lengths[axis]
