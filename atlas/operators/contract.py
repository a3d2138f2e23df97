"""An operator's shape contract, parsed once from its signature and then bound to arrays or to an entry's axis labels.

One contract proves both: that arrays fit while the operator runs, and that the axes an entry declares fit without
running anything. Every argument that does not fit is reported at once, with the argument that bound the axis first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from atlas.exceptions import ContractError, ShapeError
from atlas.operators.axes import Axis, Binary, Name, NoSizeError, evaluate, names, solvable
from atlas.operators.binding import Binder, LabelBinder, SizeBinder
from atlas.operators.signature import Argument, read
from atlas.sizes import Size, size

__all__ = ["Argument", "Array", "Binding", "Contract", "Floats", "Integers"]

Array: TypeAlias = "np.ndarray[Any, Any] | np.generic"
"""What an operator takes and returns; a scalar is an array without axes."""

Floats: TypeAlias = "np.ndarray[Any, np.dtype[np.floating[Any]]]"
"""What a function of an operator gets for an argument without a kind, in the precision that it computes in."""

Integers: TypeAlias = "np.ndarray[Any, np.dtype[np.integer[Any]]]"
"""What it gets for an argument of the kind `int`."""


@dataclass(frozen=True, slots=True)
class Binding:
    """What a call's arrays bound."""

    sizes: Mapping[str, int]
    """Every named size."""
    batch: tuple[int, ...]
    """The sizes of the batch axes (`...`); empty also where no argument has any."""


@dataclass(frozen=True, slots=True)
class Contract:
    """The arrays that an operator takes and returns, with their axes. Made by `Contract.parse`."""

    inputs: tuple[Argument, ...]
    """The arguments, in the order of the function's parameters."""
    outputs: tuple[Argument, ...]
    """The outputs; a single one without a name is called `result`."""

    @classmethod
    def parse(cls, signature: str) -> Contract:
        """Read a signature such as `x[... C], gamma[C] -> y[... C]`; `signature.py` states the grammar.

        Raises:
            ContractError: the signature cannot be read; the message says at which character.
        """
        return cls(*read(signature))

    def __str__(self) -> str:
        return f"{', '.join(map(str, self.inputs))} -> {', '.join(map(str, self.outputs))}".strip()

    @property
    def sizes(self) -> tuple[str, ...]:
        """The named sizes, in the order in which they first occur."""
        arguments = (*self.inputs, *self.outputs)
        axes = [
            axis for argument in arguments for axis in (*argument.axes, *([argument.below] if argument.below else []))
        ]
        return tuple(dict.fromkeys(name for axis in axes for name in names(axis)))

    def require_solvable(self, given: Sequence[str] = ()) -> None:
        """Refuse a contract with a size that the arguments, and sizes given by options, do not determine.

        Raises:
            ContractError: names each such size.
        """
        known = set(given)
        axes = [axis for argument in self.inputs if not argument.optional for axis in argument.axes]
        while found := {name for axis in axes for name in _determined(axis, known)}:
            known |= found
        missing = [name for name in self.sizes if name not in known]
        if missing:
            raise ContractError(f"nothing determines {' or '.join(missing)} in {self}")

    def bind(self, arrays: Mapping[str, Array | None], sizes: Mapping[str, int] | None = None) -> Binding:
        """Check arrays against the contract and return the sizes they have; `sizes` are those that options give.

        Batch axes (`...`) are not broadcast: every argument that has them has the same ones.

        Raises:
            ShapeError: names each argument that does not fit, the axis, and what bound it.
        """
        binder = SizeBinder(sizes or {})
        given = self._given(arrays, binder)
        shapes: dict[str, tuple[int, ...]] = {}
        for argument in given:
            if kind := _misfit_of_kind(argument, arrays[argument.name]):
                binder.misfit(argument, kind)
            else:
                shapes[argument.name] = np.asarray(arrays[argument.name]).shape
        binder.bind_all([argument for argument in given if argument.name in shapes], shapes)
        for argument in given:
            if argument.below is not None and argument.name in shapes and not binder.misfits:
                _check_range(argument, argument.below, np.asarray(arrays[argument.name]), binder)
        binder.raise_misfits(self.inputs)
        return Binding(MappingProxyType(binder.values), binder.batch or ())

    def shapes(self, binding: Binding) -> Mapping[str, tuple[int, ...]]:
        """The shape that each output has under a binding.

        Raises:
            ShapeError: an output's size would be negative or a fraction.
        """
        return {output.name: self._shape(output, binding) for output in self.outputs}

    def _shape(self, output: Argument, binding: Binding) -> tuple[int, ...]:
        try:
            axes = tuple(evaluate(axis, binding.sizes) for axis in output.axes)
        except NoSizeError as error:
            sizes = ", ".join(f"{name} is {size}" for name, size in binding.sizes.items())
            raise ShapeError(f"{output.name} cannot have the axes {output.shape}: {error}, as {sizes}") from None
        return output.joined(axes, binding.batch)

    def check_outputs(self, outputs: Sequence[object], binding: Binding) -> None:
        """Check what an operator returned, in the order of the contract's outputs.

        Raises:
            ShapeError: an output's shape or kind of number is not the one the contract promises.
        """
        if len(outputs) != len(self.outputs):
            raise ShapeError(f"{len(outputs)} outputs were returned, where the contract promises {len(self.outputs)}")
        misfits: list[tuple[str, str]] = []
        expected = self.shapes(binding)
        for output, array in zip(self.outputs, outputs, strict=True):
            if kind := _misfit_of_kind(output, array):
                misfits.append((output.name, f"{output.name} {kind}"))
            elif (shape := np.asarray(array).shape) != expected[output.name]:
                message = f"{output.name} has shape {shape}, but {output.shape} is {expected[output.name]}"
                misfits.append((output.name, message))
        if misfits:
            raise ShapeError("\n".join(message for _, message in misfits), tuple(misfits))

    def bind_labels(
        self,
        axes: Mapping[str, Sequence[str] | None],
        sizes: Mapping[str, str] | None = None,
        relations: Mapping[str, Size] | None = None,
        ranges: Mapping[str, str] | None = None,
    ) -> Mapping[str, tuple[str, ...]]:
        """Check the axes that each argument is declared with and return those of each output.

        Axes are size expressions, compared as such: `h d_v` and `d_v h` are equal, `d` and `2 r` under the relation
        `d = 2 r`. The expression `(2 r)` of a contract is solved for `r` where that is all that is not bound; where it
        cannot be solved, it takes the axis it meets first as a whole. A size that only an option gives keeps its own
        name, unless `sizes` has an expression for it. Rounded quotients are simplified as far as it is sure, so that
        `((H+2 p-k)//s+1)` is `H-k+1` where p is 0 and s is 1.

        Args:
            axes: size expressions by argument, in LaTeX; None for an argument that is left out.
            sizes: size expressions by the name of the option that gives a size.
            relations: sizes that equal expressions of others, which hold none of these sizes.
            ranges: for arguments that hold whole numbers, what these are below.

        Raises:
            ShapeError: names each argument that does not fit, the axis, and what bound it.
            SizeError: an expression cannot be read, or is divided by a sum.
        """
        order = [argument.name for argument in self.inputs if argument.name in axes]
        axes = {name: axes[name] for name in dict.fromkeys([*order, *axes])}
        binder = self._binder(axes, sizes, relations, ranges)
        binder.raise_misfits(self.inputs)
        batch = tuple(map(str, binder.batch or ()))
        return {
            output.name: output.joined(tuple(str(binder.label(axis)) for axis in output.axes), batch)
            for output in self.outputs
        }

    def lengths(
        self,
        name: str,
        axes: Mapping[str, Sequence[str] | None],
        sizes: Mapping[str, str] | None = None,
        relations: Mapping[str, Size] | None = None,
        ranges: Mapping[str, str] | None = None,
    ) -> tuple[Size | None, ...]:
        """The named axes of one argument, as all others tell them; None for each that they do not determine.

        Args:
            name: the argument.
            axes: as `bind_labels` takes them, and those of outputs; of those that contradict, the first counts.
            sizes: as `bind_labels` takes them.
            relations: as `bind_labels` takes them.
            ranges: as `bind_labels` takes them.

        Raises:
            SizeError: as `bind_labels`.
        """
        binder = self._binder({other: axes[other] for other in axes if other != name}, sizes, relations, ranges)
        wanted = next(argument for argument in self.inputs if argument.name == name)
        reckoned = [binder.reckoned(axis) for axis in wanted.axes]
        return tuple(None if binder.unknown(axis) else binder.label(axis).shown for axis in reckoned)

    def _binder(
        self,
        axes: Mapping[str, Sequence[str] | None],
        sizes: Mapping[str, str] | None,
        relations: Mapping[str, Size] | None,
        ranges: Mapping[str, str] | None,
    ) -> LabelBinder:
        """Everything that is given, bound."""
        binder = LabelBinder(sizes or {}, relations or {})
        outputs = {output.name: output for output in self.outputs}
        given = {argument.name: argument for argument in self._given(axes, binder)}
        known = [found for name in axes if (found := given.get(name, outputs.get(name))) is not None]
        labels = {one.name: tuple(binder.label_of(size(text)) for text in axes[one.name] or ()) for one in known}
        binder.bind_all(known, labels)
        for argument in known:
            if argument.below is not None and argument.name in (ranges or {}):
                binder.bind_range(argument, argument.below, binder.label_of(size((ranges or {})[argument.name])))
        return binder

    def _given(self, values: Mapping[str, object], binder: Binder[Any]) -> list[Argument]:
        """The arguments that are there, after noting those that are missing or unknown."""
        takes = ", ".join(argument.name for argument in self.inputs) or "no arrays"
        for argument in self.inputs:
            if values.get(argument.name) is None and not argument.optional:
                binder.misfit(argument, f"is missing; the contract takes {takes}")
        for name in values:
            if all(name != argument.name for argument in self.inputs):
                binder.misfits.append((name, f"{name} is no argument; the contract takes {takes}"))
        return [argument for argument in self.inputs if values.get(argument.name) is not None]


def _determined(axis: Axis, known: set[str]) -> Iterator[str]:
    """The name in an axis that follows from the axis' size, where exactly one is not known yet."""
    unknown = [name for name in dict.fromkeys(names(axis)) if name not in known]
    if isinstance(axis, Name | Binary) and len(unknown) == 1 and solvable(axis, unknown[0]):
        yield unknown[0]


def _misfit_of_kind(argument: Argument, array: object) -> str:
    """What is wrong with the kind of array, or an empty text."""
    if isinstance(array, np.ma.MaskedArray):
        return "is a masked array, whose mask would be lost; fill it first"
    if not isinstance(array, np.ndarray | np.generic):
        return f"is of type {type(array).__name__}, not a NumPy array"
    wanted = np.integer if argument.integer else np.floating
    if not np.issubdtype(array.dtype, wanted):
        return f"holds {array.dtype}, where {'integers' if argument.integer else 'floating-point numbers'} are expected"
    return ""


def _check_range(argument: Argument, below: Axis, array: np.ndarray[Any, Any], binder: SizeBinder) -> None:
    try:
        limit = evaluate(below, binder.values)
    except NoSizeError as error:
        binder.misfit(argument, f"has no range: {error}")
        return
    outside = array[(array < 0) | (array >= limit)]
    if outside.size:
        binder.misfit(argument, f"holds {outside.flat[0]}, but goes from 0 to below {below}, which is {limit}")
