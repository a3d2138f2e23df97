"""Which of the shapes that an entry declares stands alone against the others, and what they say it should be.

A contract is bound argument by argument, so the first misfit that it tells is often at an argument that is right and
meets what a wrong one before it has bound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from atlas.checks.base import listed
from atlas.exceptions import ShapeError, SizeError
from atlas.operators.axes import Axis, names
from atlas.operators.binding import Label, LabelBinder
from atlas.operators.contract import Contract
from atlas.operators.signature import Argument
from atlas.sizes import Size, size

MAX_NAMED = 3
"""How many others a message names that say the same."""

Axes = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class OddShape:
    """An argument or output without which all the others fit together."""

    name: str
    """Its name in the contract."""
    message: str
    """What its axes are, and what the others say."""
    axes: tuple[str, ...]
    """The axes that it has."""
    wanted: tuple[str, ...]
    """The axes with which it fits; empty where the others do not tell them."""

    @property
    def strangeness(self) -> tuple[int, int]:
        """How much less likely its axes would be corrected: by sizes that it then has twice, by longer expressions."""
        if not self.wanted:
            return len(self.axes), 0
        twice = [len(axes) - len(set(axes)) for axes in (self.wanted, self.axes)]
        return twice[0] - twice[1], sum(map(len, self.wanted)) - sum(map(len, self.axes))


@dataclass(frozen=True, slots=True)
class Shapes:
    """The axes that an entry declares, and what its sizes are bound to."""

    contract: Contract
    """What an operator takes and returns."""
    axes: Axes
    """The axes of arguments and of outputs, by their names in the contract."""
    sizes: Mapping[str, str]
    """The sizes that options give."""
    relations: Mapping[str, Size]
    """What sizes equal, in those sizes only that no relation defines."""

    def odd(self) -> list[OddShape]:
        """Each that could alone be wrong; those first of which it is likelier, else in the contract's order."""
        if self._agree(self.axes):
            return []
        found = [self._odd(name) for name in self.axes if self._agree(self._without(name))]
        return sorted(found, key=lambda one: one.strangeness)

    def _without(self, name: str) -> Axes:
        return {other: axes for other, axes in self.axes.items() if other != name}

    def _agree(self, axes: Axes) -> bool:
        """Whether these fit together; those that are not given may be anything."""
        inputs = {one.name for one in self.contract.inputs}
        try:
            self.contract.bind_labels(axes, self.sizes, self.relations)
        except ShapeError as error:
            # An output is bound as arguments are, after it was noted that it is none.
            told = Counter(name for name, _ in error.misfits if name in axes)
            return all(count == (name not in inputs) for name, count in told.items())
        except SizeError:
            return False
        return True

    def _odd(self, name: str) -> OddShape:
        own, one = self.axes[name], self._signature(name)
        told = self._told(name, one)
        rank = LabelBinder({}, {})
        if not rank.has_rank(one, tuple(Label(size(axis), size(axis)) for axis in own)):
            wanted = () if None in told else self._wanted(name, one, tuple(map(str, told)))
            return OddShape(name, rank.misfits[0][1], own, wanted)
        named, _ = one.parted(own)
        lengths = tuple(
            declared if length is None else str(length) for length, declared in zip(told, named, strict=True)
        )
        says = [
            f"{declared} where {self._users(_names(axis), name)} {length}"
            for axis, length, declared in zip(one.axes, told, named, strict=True)
            if length is not None and self._differ(length, declared)
        ]
        others = listed(f"{other} [{', '.join(axes)}]" for other, axes in self._without(name).items())
        what = f"with {' and '.join(dict.fromkeys(says))}" if says else f"which do not fit {others}"
        message = f"{name} has axes [{', '.join(own)}], {what}"
        return OddShape(name, message, own, self._wanted(name, one, lengths))

    def _told(self, name: str, one: Argument) -> tuple[Size | None, ...]:
        """The named axes of an argument or an output as the others tell them; None for each that they do not."""
        inputs = {argument.name for argument in self.contract.inputs}
        if name in inputs:
            return self.contract.lengths(name, self.axes, self.sizes, self.relations)
        given = {other: axes for other, axes in self.axes.items() if other in inputs}
        try:
            outputs = self.contract.bind_labels(given, self.sizes, self.relations)
        except (ShapeError, SizeError):
            return (None,) * len(one.axes)
        return tuple(map(size, one.parted(outputs[name])[0]))

    def _wanted(self, name: str, one: Argument, named: tuple[str, ...]) -> tuple[str, ...]:
        """All axes, where these lengths and the batch axes of the others fit together; else nothing."""
        batch = self._batch(name, one)
        axes = one.joined(named, batch) if batch is not None else ()
        return axes if axes and self._agree({**self.axes, name: axes}) else ()

    def _signature(self, name: str) -> Argument:
        return next(one for one in (*self.contract.inputs, *self.contract.outputs) if one.name == name)

    def _batch(self, name: str, one: Argument) -> tuple[str, ...] | None:
        """The batch axes that the others have, where any has them."""
        if not one.batched:
            return ()
        known = [(self._signature(other), axes) for other, axes in self._without(name).items()]
        return next((other.parted(axes)[1] for other, axes in known if other.batched), None)

    def _users(self, sizes: frozenset[str], name: str) -> str:
        """The others that have one of these sizes, with their axes and a verb."""
        users = [
            f"{other} [{', '.join(axes)}]"
            for other, axes in self._without(name).items()
            if any(sizes & _names(axis) for axis in self._signature(other).axes)
        ]
        more = [f"{len(users) - MAX_NAMED} more"] if len(users) > MAX_NAMED else []
        return f"{listed([*users[:MAX_NAMED], *more]) or 'the options'} {'has' if len(users) == 1 else 'have'}"

    def _differ(self, one: Size, other: str) -> bool:
        return one.substitute(self.relations) != size(other).substitute(self.relations)


def _names(axis: Axis) -> frozenset[str]:
    return frozenset(names(axis))
