"""An upstream model that a program of pinned calls makes, at small sizes with numbers or at real ones without.

The program is data of the model's file; here its sizes are bound, and one run answers what a comparison asks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from atlas.entries import program as entry
from atlas.exceptions import UpstreamError
from atlas.graph.unroll import Sizes
from atlas.sizes import size
from atlas.upstream.program import Argument, Plain, Program, Step
from atlas.upstream.tensor import Array
from atlas.upstream.whole_model import Returned, Stored

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from atlas.upstream.linked import PinnedFile
    from atlas.upstream.run_program import ProgramRun

HPARAMS = "hparams"
"""What the steps call the hyperparameters."""


@dataclass(frozen=True, slots=True)
class ProgramNames:
    """The names of a program's inputs, outputs and watched values with those of ours."""

    inputs: Mapping[str, str]
    """Names that the steps refer to, each with the input of ours."""
    outputs: Mapping[str, str]
    """References to what the model returns, each with the value of ours."""
    states: Mapping[str, str]
    """What watched functions returned, each with the value of ours."""


def names_of(program: entry.Program) -> ProgramNames:
    """What the model's file says about names, as every comparison takes it."""
    inputs = {name: one.value for name, one in program.inputs.items()}
    return ProgramNames(inputs, program.outputs, program.states)


def tiny_sizes(program: entry.Program) -> Sizes:
    """The small sizes at which the model is run, those of its inputs included."""
    numbers = {name: value for name, value in program.tiny.items() if isinstance(value, int)}
    return Sizes(numbers, {name: value for name, value in program.tiny.items() if not isinstance(value, int)})


def chosen(program: entry.Program, files: Mapping[str, PinnedFile], function: str) -> Mapping[str, Plain]:
    """The hyperparameters that are sizes or settings, as a pinned function chooses them.

    Raises:
        UpstreamError: it cannot be executed, or chooses no such hyperparameter.
    """
    hparams = program.hparams
    wanted = {name: f"{HPARAMS}.{name}" for name in (*hparams.keys, *hparams.settings)}
    # Every check names the sizes of programs, and few execute one.
    from atlas.upstream.run_program import run_program

    step = Step(function, file=hparams.file, gives=HPARAMS)
    return run_program(Program(program.facade, [step], settings=wanted), files).settings


class ProgramModel:
    """One model at some sizes; without a variant, the sizes are set against what upstream's function chose."""

    def __init__(
        self, program: entry.Program, files: Mapping[str, PinnedFile], sizes: Sizes, variant: str | None = None
    ) -> None:
        """Nothing is executed before it is asked for."""
        self.program = program
        self.files = files
        self.sizes = sizes
        self.variant = variant
        self._values: Mapping[str, Array] = {}

    def tensors(self) -> dict[str, Stored]:
        """Every variable that the run creates, by name; its numbers take no memory."""
        return {name: Stored(name, array.shape, True, name) for name, array in self._shapes.variables.items()}

    def load(self, arrays: Mapping[str, Array]) -> None:
        """Give all variables these numbers from the next run on."""
        self._values = dict(arrays)

    def run(self, inputs: Mapping[str, Array], fields: list[str], modules: list[str]) -> Returned:
        """Execute the program, in the element type of the numbers that were given.

        Raises:
            UpstreamError: it cannot be executed, or nothing that is watched has one of these names.
        """
        shaped = {name: self._shaped(name, array) for name, array in inputs.items()}
        found = self._run(shaped, self._values, np.result_type(*self._values.values()))
        missing = [name for name in modules if name not in found.values]
        if missing:
            listed = ", ".join(list(found.values)[:8])
            raise UpstreamError(f"nothing that is watched gives {missing[0]}; there are {listed}, …")
        return Returned({name: found.outputs[name] for name in fields}, {name: found.values[name] for name in modules})

    @cached_property
    def _shapes(self) -> ProgramRun:
        shaped = {}
        for name, one in self.program.inputs.items():
            if one.shape is None:
                shaped[name] = np.zeros((), np.int64)
            else:
                shaped[name] = np.zeros([size(axis).value(self.sizes.numbers) for axis in one.shape], np.int64)
        return self._run(shaped, None, np.float64)

    def _run(self, inputs: Mapping[str, Array], values: Mapping[str, Array] | None, dtype: DTypeLike) -> ProgramRun:
        from atlas.upstream.run_program import run_program

        bound = self._bound()
        return run_program(
            bound,
            self.files,
            inputs=inputs,
            sizes={name: self.sizes.numbers[name] for name in _referred(bound) & self.sizes.numbers.keys()},
            values=values or {},
            dtype=dtype,
            only_shapes=values is None,
        )

    def _shaped(self, name: str, array: Array) -> Array:
        """An input of ours in the shape in which the program takes it."""
        shape = self.program.inputs[name].shape
        if shape is None:
            return array
        lengths = [size(axis).value(self.sizes.numbers) for axis in shape]
        if int(np.prod(lengths)) != array.size:
            raise UpstreamError(f"the input {name} has the shape {lengths}, but ours holds {array.size} numbers")
        return np.asarray(array).reshape(lengths)

    def _bound(self) -> Program:
        """The program as it is executed: the function that chooses the sizes, then the steps."""
        hparams = self.program.hparams
        variant = self.variant or next(iter(hparams.functions))
        if variant not in hparams.functions:
            raise UpstreamError(f"no function is named that chooses the hyperparameters of {variant}")
        sets: dict[str, Argument] = {}
        if self.variant is None:
            sets = {name: size(text).value(self.sizes.numbers) for name, text in hparams.keys.items()}
        first = Step(hparams.functions[variant], file=hparams.file, sets=sets, gives=HPARAMS)
        return Program(
            self.program.facade,
            [first, *(_step(one) for one in self.program.steps)],
            constants=self.program.constants,
            loads=self.program.loads,
            watches=self.program.watches,
            outputs={reference: reference for reference in self.program.outputs},
        )


def _step(call: entry.Call) -> Step:
    return Step(call.call, call.file, call.of, call.passes, call.sets, call.gives)


def _referred(program: Program) -> set[str]:
    """The names that the steps refer to."""
    return {
        name.partition(".")[0]
        for step in program.steps
        for argument in (*step.passes.values(), *step.sets.values())
        for name in _texts(argument)
    }


def _texts(argument: Argument) -> Iterator[str]:
    if isinstance(argument, str):
        yield argument
    elif isinstance(argument, Mapping):
        for one in argument.values():
            yield from _texts(one)
    elif isinstance(argument, Sequence):
        for one in argument:
            yield from _texts(one)
