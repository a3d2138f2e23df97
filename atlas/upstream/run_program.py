"""A program of upstream calls → the variables, values and results of one run over a facade.

Every name that a program, its inputs or its sizes state must be used and exist, so that no claim is empty by a slip.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import DTypeLike

from atlas.exceptions import UpstreamError
from atlas.upstream.facade import Facade, State, drawn, shapes_alone
from atlas.upstream.linked import Linked, PinnedFile
from atlas.upstream.program import Argument, Plain, Program, Step
from atlas.upstream.run import called, facade_named, listing
from atlas.upstream.tensor import Array, Tensor

_NO_ARRAYS: Mapping[str, Array] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """What a run gave."""

    variables: Mapping[str, Array]
    """Every variable that upstream code created, by its full name and in the order of creation."""
    values: Mapping[str, Array]
    """What the watched functions returned, in the order in which they did; see `Linked.values` for the names."""
    outputs: Mapping[str, Array]
    """The program's outputs."""
    settings: Mapping[str, Plain]
    """The program's settings."""
    notices: tuple[str, ...]
    """The texts of all warnings, in order."""


def run_program(
    program: Program,
    files: Mapping[str, PinnedFile],
    *,
    inputs: Mapping[str, Array] = _NO_ARRAYS,
    sizes: Mapping[str, int] = MappingProxyType({}),
    values: Mapping[str, Array] = _NO_ARRAYS,
    seed: int = 0,
    dtype: DTypeLike = np.float64,
    only_shapes: bool = False,
) -> ProgramRun:
    """Execute a program on pinned files (path → file), in the element type `dtype`.

    A variable has its value in `values`, by its full name or the last parts of it, else random numbers that depend on
    `seed` and its name. With `only_shapes` variables without a value are zeros that take no memory, whatever their
    size: their names and shapes are then all that is to be looked at.

    Errors: UpstreamError, with the file and line where upstream code raised it; also for a file that is not the pinned
    one, a name that does not exist or is used twice, and an input, size or value that nothing uses.
    """
    facade = facade_named(program.facade)
    state = State(values, fill=shapes_alone if only_shapes else drawn(seed), dtype=np.dtype(dtype))
    linked = Linked(files, facade, state, program.watches)
    names = _Names(program.constants, inputs, sizes, facade, state)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for path, wanted in program.loads.items():
            for name in wanted:
                linked.definition(path, name)
        for step in program.steps:
            _take(step, linked, names)
    outputs = {name: names.tensor(reference) for name, reference in program.outputs.items()}
    settings = {name: names.plain(reference) for name, reference in program.settings.items()}
    _check_used(names, state, program, linked)
    return ProgramRun(
        variables=MappingProxyType({name: one.tensor.value for name, one in state.variables.items()}),
        values=linked.values,
        outputs=MappingProxyType(outputs),
        settings=MappingProxyType(settings),
        notices=tuple(str(one.message) for one in caught),
    )


class _Names:
    """What the steps refer to."""

    def __init__(
        self,
        constants: Mapping[str, Plain],
        inputs: Mapping[str, Array],
        sizes: Mapping[str, int],
        facade: Facade,
        state: State,
    ) -> None:
        self._known: dict[str, object] = {}
        self._used: set[str] = set()
        for name, array in inputs.items():
            self.add(name, facade.tensor(_element_type(name, array, state)))
        for group in (sizes, constants):
            for name, value in group.items():
                self.add(name, value)
        self._given = tuple(self._known)

    def add(self, name: str, value: object) -> None:
        """Make a value known; a name means one thing."""
        if not name or "." in name:
            raise UpstreamError(f"{name!r} cannot be a name: a dot stands before a part")
        if name in self._known:
            raise UpstreamError(f"the name {name} is given twice")
        self._known[name] = value

    def value(self, argument: Argument) -> object:
        """What an argument stands for."""
        if isinstance(argument, str):
            return self.referred(argument)
        if isinstance(argument, Mapping):
            return {key: self.value(one) for key, one in argument.items()}
        if isinstance(argument, Sequence):
            return [self.value(one) for one in argument]
        return argument

    def referred(self, reference: str) -> object:
        """What a reference means."""
        name, *parts = reference.split(".")
        if name not in self._known:
            raise UpstreamError(f"{reference} refers to nothing: the names are {listing(self._known)}")
        self._used.add(name)
        found = self._known[name]
        for part in parts:
            found = _part(found, part, reference)
        return found

    def tensor(self, reference: str) -> Array:
        """The array of the tensor that a reference means."""
        found = self.referred(reference)
        if not isinstance(found, Tensor):
            raise UpstreamError(f"{reference} is {type(found).__name__} where a tensor was expected")
        return found.value

    def plain(self, reference: str) -> Plain:
        """The number, text or the like that a reference means."""
        return _plain(self.referred(reference), reference)

    def unused(self) -> list[str]:
        """The inputs, sizes and constants that nothing referred to."""
        return [name for name in self._given if name not in self._used]


def _take(step: Step, linked: Linked, names: _Names) -> None:
    """Make one call and name its result."""
    if (step.file is None) == (step.on is None):
        raise UpstreamError(f"the call of {step.call} needs either the file that defines it or the object that has it")
    if step.file is not None:
        target, what = linked.definition(step.file, step.call), step.call
    else:
        target, what = names.referred(f"{step.on}.{step.call}"), f"{step.on}.{step.call}"
    if not callable(target):
        raise UpstreamError(f"{what} is {type(target).__name__}, which cannot be called")
    result = called(target, {name: names.value(argument) for name, argument in step.passes.items()}, what)
    for name, argument in step.sets.items():
        if name.startswith("_") or not hasattr(result, name):
            raise UpstreamError(f"the result of {what} has no attribute {name} to be set")
        setattr(result, name, names.value(argument))
    if isinstance(step.gives, str):
        names.add(step.gives, result)
    elif step.gives:
        if not isinstance(result, list | tuple) or len(result) != len(step.gives):
            found = f"{len(result)} results" if isinstance(result, list | tuple) else "one result"
            raise UpstreamError(f"{what} gives {found}, not {len(step.gives)}: {', '.join(step.gives)}")
        for name, member in zip(step.gives, result, strict=True):
            names.add(name, member)


def _check_used(names: _Names, state: State, program: Program, linked: Linked) -> None:
    """Refuse what was given for nothing."""
    if unused := names.unused():
        raise UpstreamError(f"no step refers to {listing(unused)}")
    presets = {variable.preset for variable in state.variables.values()}
    if never := [name for name in state.presets if name not in presets]:
        made = f"there are {listing(state.variables)}" if state.variables else "there is none"
        raise UpstreamError(f"no variable {listing(never)} is ever created; {made}")
    for path, watched in program.watches.items():
        for watch in watched:
            if not linked.calls(path, watch):
                raise UpstreamError(f"{path}: {watch} is watched but never called")


def _element_type(name: str, array: Array, state: State) -> Array:
    """A copy, as upstream code may write into it, with fractions in the run's element type."""
    if array.dtype.kind == "f":
        return array.astype(state.dtype)
    if array.dtype.kind in "iu":
        return array.copy()
    raise UpstreamError(f"the input {name} holds {array.dtype}, which upstream code is not executed on")


def _part(value: object, part: str, reference: str) -> object:
    """One step of a reference: a list's number, a dict's key or an attribute."""
    if isinstance(value, list | tuple) and part.isdecimal():
        if int(part) < len(value):
            return value[int(part)]
        raise UpstreamError(f"{reference}: there is no number {part} of {len(value)}")
    if isinstance(value, Mapping):
        if part in value:
            return value[part]
        raise UpstreamError(f"{reference}: there is no key {part}; there are {listing(map(str, value))}")
    if part.startswith("_") or not hasattr(value, part):
        raise UpstreamError(f"{reference}: {type(value).__name__} has no attribute {part}")
    return getattr(value, part)


def _plain(value: object, reference: str) -> Plain:
    """A copy without arrays."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case list() | tuple():
            return [_plain(one, reference) for one in value]
        case dict():
            return {str(key): _plain(one, reference) for key, one in value.items()}
    raise UpstreamError(f"{reference} is {type(value).__name__}, which is no setting")
