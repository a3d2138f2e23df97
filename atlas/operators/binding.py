"""Binds the axes of a contract, argument by argument, to sizes or to labels, and remembers who bound what.

Plain names bind first and expressions afterwards, so that the order of arguments never decides whether `(h v)` can be
checked; sizes and labels share the rules and the messages and differ only in what an expression means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from atlas.exceptions import ShapeError, SizeError
from atlas.operators.axes import (
    Axis,
    Name,
    NoSizeError,
    Number,
    evaluate,
    names,
    reckoned,
    size_of,
    solvable,
    solve,
    solve_size,
)
from atlas.operators.signature import Argument
from atlas.sizes import Size, size


@dataclass(frozen=True, slots=True)
class Label:
    """A declared axis; equal to another where the two are equal under the relations between sizes."""

    shown: Size = field(compare=False)
    """As it is declared."""
    resolved: Size
    """In those sizes only that no relation defines."""

    def __str__(self) -> str:
        return str(self.shown)


Value = TypeVar("Value", int, Label)

_Open = tuple[Argument, Axis, Value]


class Binder(Generic[Value]):
    """Collects bindings and misfits; used for one call and then thrown away."""

    noun = "shape"
    """What messages call the axes of one argument."""

    def __init__(self, given: Mapping[str, Value]) -> None:
        self.values: dict[str, Value] = dict(given)
        self.bound_by: dict[str, str] = dict.fromkeys(given, "an option")
        self.batch: tuple[Value, ...] | None = None
        self.batch_from = ""
        self.misfits: list[tuple[str, str]] = []

    def misfit(self, argument: Argument, message: str) -> None:
        """Note that an argument does not fit."""
        self.misfits.append((argument.name, f"{argument.name} {message}"))

    def raise_misfits(self, arguments: Sequence[Argument]) -> None:
        """Raise one ShapeError for all that does not fit, if anything does not, in the order of the arguments."""
        if self.misfits:
            order = [argument.name for argument in arguments]
            found = sorted(self.misfits, key=lambda one: order.index(one[0]) if one[0] in order else len(order))
            raise ShapeError("\n".join(message for _, message in found), tuple(found))

    def bind_all(self, arguments: Sequence[Argument], shapes: Mapping[str, tuple[Value, ...]]) -> None:
        """Bind every axis of the arguments."""
        expressions: list[_Open[Value]] = []
        for argument in arguments:
            shape = shapes[argument.name]
            if not self.has_rank(argument, shape):
                continue
            named, batch = argument.parted(shape)
            if argument.batched:
                self.bind_batch(argument, batch)
            for written, value in zip(argument.axes, named, strict=True):
                axis = self.reckoned(written)
                if isinstance(axis, Name):
                    self.bind_name(argument, axis, value, shape)
                else:
                    expressions.append((argument, axis, value))
        self.bind_expressions(expressions, shapes)

    def has_rank(self, argument: Argument, shape: tuple[Value, ...]) -> bool:
        """Whether the number of axes fits; notes it where not."""
        needed = len(argument.axes)
        if len(shape) == needed or (argument.batched and len(shape) > needed):
            return True
        least = "at least " if argument.batched else ""
        axes = "axis" if needed == 1 else "axes"
        self.misfit(argument, f"has {self.noun} {self.shown(shape)}, but {argument.shape} is {least}{needed} {axes}")
        return False

    def bind_batch(self, argument: Argument, batch: tuple[Value, ...]) -> None:
        """Bind the batch axes, or compare them with those that an earlier argument has."""
        if self.batch is None:
            self.batch, self.batch_from = batch, argument.name
        elif batch != self.batch:
            message = f"has batch axes {self.shown(batch)}, but {self.batch_from} bound ... to {self.shown(self.batch)}"
            self.misfit(argument, message)

    def bind_name(self, argument: Argument, axis: Name, value: Value, shape: tuple[Value, ...]) -> None:
        """Bind a named axis, or compare it with what an earlier argument bound."""
        bound = self.values.setdefault(axis.name, value)
        by = self.bound_by.setdefault(axis.name, argument.name)
        if bound != value:
            self.misfit(argument, f"has {self.found(axis, value, shape)}, but {by} bound {axis} to {bound}")

    def reckoned(self, axis: Axis) -> Axis:
        """The axis as it is bound."""
        return axis

    def bind_expressions(self, expressions: list[_Open[Value]], shapes: Mapping[str, tuple[Value, ...]]) -> None:
        """Bind or compare the axes that are not plain names: those first that have at most one unknown."""
        waiting = expressions
        while ready := [one for one in waiting if self._is_ready(one[1])]:
            argument, axis, value = ready[0]
            waiting = [one for one in waiting if one is not ready[0]]
            self.bind_expression(argument, axis, value, shapes[argument.name])
        for argument, axis, value in waiting:
            self.bind_open(argument, axis, value, shapes[argument.name])

    def _is_ready(self, axis: Axis) -> bool:
        unknown = self.unknown(axis)
        return not unknown or (len(unknown) == 1 and solvable(axis, unknown[0]))

    def unknown(self, axis: Axis) -> list[str]:
        """The names in an axis that nothing has bound yet."""
        return [name for name in dict.fromkeys(names(axis)) if name not in self.values]

    def bind_expression(self, argument: Argument, axis: Axis, value: Value, shape: tuple[Value, ...]) -> None:
        """Compare an axis whose names are bound, or solve it for the only one that is not."""
        raise NotImplementedError

    def bind_open(self, argument: Argument, axis: Axis, value: Value, shape: tuple[Value, ...]) -> None:
        """Deal with an axis that cannot be solved."""
        raise NotImplementedError

    def shown(self, shape: tuple[Value, ...]) -> str:
        """A shape, or some of its axes, in a message."""
        raise NotImplementedError

    def found(self, axis: Axis, value: Value, shape: tuple[Value, ...]) -> str:
        """What an argument has on an axis, in a message."""
        raise NotImplementedError


class SizeBinder(Binder[int]):
    """Binds axes to the sizes of arrays."""

    def bind_expression(self, argument: Argument, axis: Axis, value: int, shape: tuple[int, ...]) -> None:
        """Compare or solve, in whole numbers that are not negative."""
        unknown = self.unknown(axis)
        reason = self._reason(axis)
        try:
            if unknown:
                self.values[unknown[0]] = solve(axis, value, unknown[0], self.values)
                self.bound_by[unknown[0]] = argument.name
                return
            expected = evaluate(axis, self.values)
            if expected != value and isinstance(axis, Number):
                self.misfit(argument, f"has {value} on an axis that is always {expected}")
            elif expected != value:
                self.misfit(argument, f"has {value} on axis {axis}, but that is {expected}{reason}")
        except NoSizeError as error:
            self.misfit(argument, f"has {value} on axis {axis}, which fits no size: {error}{reason}")

    def bind_open(self, argument: Argument, axis: Axis, value: int, shape: tuple[int, ...]) -> None:
        """A size that nothing determines is a misfit, unless it follows from another."""
        if not self.misfits:  # else the sizes are unknown because of an argument that is reported already
            unknown = " and ".join(self.unknown(axis))
            self.misfit(argument, f"has {value} on axis {axis}, which does not determine {unknown}")

    def _reason(self, axis: Axis) -> str:
        known = [name for name in dict.fromkeys(names(axis)) if name in self.values]
        parts = [f"{self.bound_by[name]} bound {name} to {self.values[name]}" for name in known]
        return f", as {' and '.join(parts)}" if parts else ""

    def shown(self, shape: tuple[int, ...]) -> str:
        """As NumPy shows it."""
        return str(shape)

    def found(self, axis: Axis, value: int, shape: tuple[int, ...]) -> str:
        """The size on the axis."""
        return f"{value} on axis {axis}"


class LabelBinder(Binder[Label]):
    """Binds axes to size expressions; one that cannot be solved takes what it meets first as a whole."""

    noun = "axes"

    def __init__(self, given: Mapping[str, str], relations: Mapping[str, Size]) -> None:
        self.relations = relations
        super().__init__({name: self.label_of(size(text)) for name, text in given.items()})
        self.whole: dict[Axis, tuple[Label, str]] = {}
        numbers = {name: label.resolved.number for name, label in self.values.items()}
        self.numbers = {name: number for name, number in numbers.items() if number is not None}

    def label_of(self, expression: Size) -> Label:
        """A size expression as a label."""
        return Label(expression, expression.substitute(self.relations))

    def reckoned(self, axis: Axis) -> Axis:
        """The axis with the sizes that options give as numbers, so that `(groups c)` is `c` where there is one."""
        return reckoned(axis, self.numbers)

    def bind_expression(self, argument: Argument, axis: Axis, value: Label, shape: tuple[Label, ...]) -> None:
        """Compare with the names' labels put in, or solve; what cannot be divided stays a whole."""
        unknown = self.unknown(axis)
        sizes = {name: label.shown for name, label in self.values.items()}
        if not unknown:
            self._compare(argument, axis, value, shape, self.label_of(size_of(axis, sizes)), self._binders(axis))
            return
        try:
            solved = self.label_of(solve_size(axis, value.shown, unknown[0], sizes))
        except SizeError:
            self.bind_open(argument, axis, value, shape)
            return
        self.values[unknown[0]] = solved
        self.bound_by[unknown[0]] = argument.name

    def bind_open(self, argument: Argument, axis: Axis, value: Label, shape: tuple[Label, ...]) -> None:
        """Compare with what the same expression met first."""
        expected, by = self.whole.setdefault(axis, (value, argument.name))
        self._compare(argument, axis, value, shape, expected, by)

    def _compare(
        self, argument: Argument, axis: Axis, value: Label, shape: tuple[Label, ...], expected: Label, by: str
    ) -> None:
        if value != expected:
            self.misfit(argument, f"has {self.found(axis, value, shape)}, but {by} bound {axis} to {expected}")

    def _binders(self, axis: Axis) -> str:
        return " and ".join(dict.fromkeys(self.bound_by[name] for name in names(axis))) or "the contract"

    def bind_range(self, argument: Argument, below: Axis, label: Label) -> None:
        """Bind or compare the size that an argument's whole numbers are declared to be below."""
        if isinstance(below, Name):
            self.bound_by.setdefault(below.name, argument.name)
            self.values.setdefault(below.name, label)
        if not self.unknown(below) and (expected := self.label(below)) != label:
            message = f"holds whole numbers below {label}, but {self._binders(below)} bound {below} to {expected}"
            self.misfit(argument, message)

    def label(self, written: Axis) -> Label:
        """An axis' label: that of the whole expression where one was met, else its names' labels put in.

        A name that nothing has bound stands for itself.
        """
        axis = self.reckoned(written)
        if axis in self.whole:
            return self.whole[axis][0]
        return self.label_of(size_of(axis, {name: label.shown for name, label in self.values.items()}))

    def shown(self, shape: tuple[Label, ...]) -> str:
        """As entries write it."""
        return f"[{', '.join(map(str, shape))}]"

    def found(self, axis: Axis, value: Label, shape: tuple[Label, ...]) -> str:
        """All axes of an argument; its own labels tell more than the contract's name of one of them."""
        where = "" if len(shape) == 1 else f" with {value} on axis {axis}"
        return f"axes {self.shown(shape)}{where}"
