"""Multiply–accumulates: what a call costs in matrix products and convolutions, over the axes of its contract.

The expression is read once, from text such as `... S T (k + v)`, and then counted over the axis labels that an entry
declares; so the count of a whole model is a sum of sizes, as its count of parameters is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from atlas.exceptions import SizeError
from atlas.operators.axes import Axis, Binary, Name, Number, names, solvable
from atlas.operators.contract import Contract
from atlas.operators.signature import BATCH, read_count
from atlas.sizes import Size, constant, floored, product, size


@dataclass(frozen=True, slots=True)
class Macs:
    """How many multiply–accumulates a call makes; made by `Macs.parse`."""

    text: str
    """The expression as it was written; `...` is the product of the batch axes."""
    expression: Axis
    """The same as a tree, with `...` as a name."""

    @classmethod
    def parse(cls, text: str) -> Macs:
        """Read an expression such as `... C O`; factors stand side by side.

        Raises:
            ContractError: the expression cannot be read; the message says at which character.
        """
        return cls(text, read_count(text))

    def __str__(self) -> str:
        return self.text

    @property
    def names(self) -> frozenset[str]:
        """The sizes that it is made of."""
        return frozenset(names(self.expression))

    def over(self, contract: Contract, axes: Mapping[str, Sequence[str] | None], given: Mapping[str, Size]) -> Size:
        """The count for arguments with these axis labels, which fit the contract; `given` are the sizes of options.

        Raises:
            SizeError: a label is no size expression, or a size does not follow from the labels.
        """
        known = _Known(given)
        known.read(contract, axes)
        return known.size(self.expression)


class _Known:
    """The sizes that labels give, one for each name of the contract, and for expressions that were met as a whole."""

    def __init__(self, given: Mapping[str, Size]) -> None:
        self.values = {BATCH: constant(1), **given}
        self.whole: dict[Axis, Size] = {}

    def read(self, contract: Contract, axes: Mapping[str, Sequence[str] | None]) -> None:
        """Take what the labels say of each axis, then solve the expressions for the names that are left."""
        for argument in contract.inputs:
            labels = axes.get(argument.name)
            if labels is None:
                continue
            named, batch = argument.parted(tuple(labels))
            if argument.batched:
                self.values[BATCH] = product(map(size, batch))
            for axis, label in zip(argument.axes, named, strict=True):
                if isinstance(axis, Name):
                    self.values.setdefault(axis.name, size(label))
                else:
                    self.whole.setdefault(axis, size(label))
        while solved := dict(self.solved()):
            self.values |= solved

    def solved(self) -> Iterator[tuple[str, Size]]:
        """The names that follow from an expression with one unknown, where sizes can be divided so."""
        for axis, total in self.whole.items():
            unknown = [name for name in dict.fromkeys(names(axis)) if name not in self.values]
            if len(unknown) == 1 and solvable(axis, unknown[0]):
                try:
                    yield unknown[0], self.solve(axis, total, unknown[0])
                except SizeError:  # the quotient by a sum is no size; the expression may still serve as a whole
                    continue

    def solve(self, axis: Axis, total: Size, unknown: str) -> Size:
        """The size for which the expression is the total."""
        while isinstance(axis, Binary):
            in_left = unknown in names(axis.left)
            other = self.size(axis.right if in_left else axis.left)
            match axis.operation:
                case "+":
                    total = total + -other
                case "-":
                    total = total + other if in_left else other + -total
                case "*":
                    total = total / other
                case _:
                    total = total * other if in_left else other / total
            axis = axis.left if in_left else axis.right
        return total

    def size(self, axis: Axis) -> Size:
        """The size of an expression."""
        if axis in self.whole:
            return self.whole[axis]
        match axis:
            case Number(value):
                return constant(value)
            case Name(name) if name in self.values:
                return self.values[name]
            case Name(name):
                raise SizeError(f"{name} does not follow from the axes")
            case Binary(operation, first, second):
                left, right = self.size(first), self.size(second)
        match operation:
            case "+":
                return left + right
            case "-":
                return left + -right
            case "*":
                return left * right
            case "/":
                return left / right
        return floored(left / right)
