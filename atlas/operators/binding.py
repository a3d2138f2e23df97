"""Binds the axes of a contract, argument by argument, to sizes or to labels, and remembers who bound what.

Plain names bind first and expressions afterwards, so that the order of arguments never decides whether `(h v)` can be
checked; sizes and labels share the rules and the messages and differ only in what an expression means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic, TypeVar

from atlas.exceptions import ShapeError
from atlas.operators.axes import Axis, Name, NoSizeError, Number, evaluate, names, reckoned, render, solvable, solve
from atlas.operators.signature import Argument

Value = TypeVar("Value", int, str)

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
        """Bind or compare the axes that are not plain names."""
        raise NotImplementedError

    def shown(self, shape: tuple[Value, ...]) -> str:
        """A shape, or some of its axes, in a message."""
        raise NotImplementedError

    def found(self, axis: Axis, value: Value, shape: tuple[Value, ...]) -> str:
        """What an argument has on an axis, in a message."""
        raise NotImplementedError


class SizeBinder(Binder[int]):
    """Binds axes to the sizes of arrays; an expression with one unknown name is solved for it."""

    def bind_expressions(self, expressions: list[_Open[int]], shapes: Mapping[str, tuple[int, ...]]) -> None:
        """Take those expressions first that have at most one unknown, until none is left that could be solved."""
        waiting = expressions
        while ready := [one for one in waiting if self._is_ready(one[1])]:
            argument, axis, value = ready[0]
            waiting = [one for one in waiting if one is not ready[0]]
            self._bind_expression(argument, axis, value)
        for argument, axis, value in waiting:
            unknown = [name for name in dict.fromkeys(names(axis)) if name not in self.values]
            if not self.misfits:  # else the sizes are unknown because of an argument that is reported already
                self.misfit(argument, f"has {value} on axis {axis}, which does not determine {' and '.join(unknown)}")

    def _is_ready(self, axis: Axis) -> bool:
        unknown = [name for name in dict.fromkeys(names(axis)) if name not in self.values]
        return not unknown or (len(unknown) == 1 and solvable(axis, unknown[0]))

    def _bind_expression(self, argument: Argument, axis: Axis, value: int) -> None:
        unknown = next((name for name in names(axis) if name not in self.values), None)
        reason = self._reason(axis)
        try:
            if unknown is None:
                size = evaluate(axis, self.values)
                if size != value and isinstance(axis, Number):
                    self.misfit(argument, f"has {value} on an axis that is always {size}")
                elif size != value:
                    self.misfit(argument, f"has {value} on axis {axis}, but that is {size}{reason}")
            else:
                self.values[unknown] = solve(axis, value, unknown, self.values)
                self.bound_by[unknown] = argument.name
        except NoSizeError as error:
            self.misfit(argument, f"has {value} on axis {axis}, which fits no size: {error}{reason}")

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


class LabelBinder(Binder[str]):
    """Binds axes to labels; a label is one opaque text, so an expression is compared as a whole."""

    noun = "axes"

    def __init__(self, given: Mapping[str, str]) -> None:
        super().__init__(given)
        self.whole: dict[Axis, tuple[str, str]] = {}
        self.numbers = {name: int(label) for name, label in given.items() if label.isdecimal()}

    def reckoned(self, axis: Axis) -> Axis:
        """The axis with the sizes that options give as numbers, so that `(groups c)` is `c` where there is one."""
        return reckoned(axis, self.numbers)

    def bind_expressions(self, expressions: list[_Open[str]], shapes: Mapping[str, tuple[str, ...]]) -> None:
        """Compare expressions with their names' labels put in, or with what they met first."""
        for argument, axis, value in expressions:
            if all(name in self.values for name in names(axis)):
                expected, by = render(axis, self.values), self._binders(axis)
            else:
                expected, by = self.whole.setdefault(axis, (value, argument.name))
            if value != expected:
                shape = shapes[argument.name]
                self.misfit(argument, f"has {self.found(axis, value, shape)}, but {by} bound {axis} to {expected}")

    def _binders(self, axis: Axis) -> str:
        return " and ".join(dict.fromkeys(self.bound_by[name] for name in names(axis))) or "the contract"

    def label(self, written: Axis) -> str:
        """An output's axis: the label of the whole expression where one was met, else its names' labels put in."""
        axis = self.reckoned(written)
        return self.whole[axis][0] if axis in self.whole else render(axis, self.values)

    def shown(self, shape: tuple[str, ...]) -> str:
        """As entries write it."""
        return f"[{', '.join(shape)}]"

    def found(self, axis: Axis, value: str, shape: tuple[str, ...]) -> str:
        """All axes of an argument; its own labels tell more than the contract's name of one of them."""
        where = "" if len(shape) == 1 else f" with {value} on axis {axis}"
        return f"axes {self.shown(shape)}{where}"
