"""A model and what somebody wants of it → the value of every size symbol, with a clear no where one cannot be set.

A variant binds the sizes of the model; those of its inputs, such as the number of positions, stay open and are set by
whoever asks, or get a default that is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from atlas.entries.collection import Model
from atlas.exceptions import SizeError
from atlas.graph.build import spelled
from atlas.graph.unroll import Sizes
from atlas.sizes import size

SizeValue = int | tuple[int, ...]
"""One value, or one for each layer."""

LARGEST = 10**12
"""The largest size that is read."""

SMALL = (2, 5, 7, 11, 13, 17, 19, 23)
"""Lengths for the sizes of inputs in a run, in the order in which the model lists them; all different."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The sizes of a model."""

    sizes: Mapping[str, SizeValue]
    """Every size that has a value of its own, in the order of the model's dimensions."""
    defaults: frozenset[str]
    """Those of `sizes` that nobody stated: sizes of inputs at their default."""
    inputs: tuple[str, ...]
    """Those of `sizes` that no variant binds."""

    @property
    def bound(self) -> Sizes:
        """The sizes as the graph takes them."""
        numbers = {name: value for name, value in self.sizes.items() if isinstance(value, int)}
        return Sizes(numbers, {name: value for name, value in self.sizes.items() if not isinstance(value, int)})

    @property
    def architecture(self) -> Sizes:
        """The sizes without those of inputs, as counts take them."""
        bound = self.bound
        return Sizes({name: one for name, one in bound.numbers.items() if name not in self.inputs}, bound.lists)


def choose(
    model: Model, own: Mapping[str, SizeValue], stated: Mapping[str, SizeValue], defaults: Mapping[str, int]
) -> Choice:
    """The value of every size.

    Args:
        model: The model.
        own: The sizes of a variant, or of a configuration.
        stated: What is set beside or instead of them, by any spelling of the symbols.
        defaults: A length for each size of an input, as `open_sizes` lists them.

    Raises:
        SizeError: a size is set that the model does not have, that follows from others, or to what it cannot be.
    """
    named = {known_size(model, name, own): value for name, value in stated.items()}
    varying = {name for stack in model.paths.values() for name in stack.varies}
    for name, value in named.items():
        _check_value(name, value, varies=name in varying)
    found = {**defaults, **own, **named}
    order = [name for name in model.dimensions if name in found]
    opened = tuple(name for name in order if name in defaults)
    return Choice({name: found[name] for name in order}, frozenset(opened) - named.keys(), opened)


def open_sizes(model: Model, own: Mapping[str, SizeValue]) -> list[str]:
    """The dimensions that these sizes leave open, those of inputs and those that no stack sets, in order."""
    of_inputs = {
        name
        for declared in model.inputs.values()
        for axis in (*declared.axes, *([] if declared.ids is None else [declared.ids]))
        for name in size(axis).symbols
    }
    set_elsewhere = set_by_stacks(model).keys() - of_inputs
    return [name for name in model.dimensions if name not in own and name not in set_elsewhere]


def small_lengths(model: Model, own: Mapping[str, SizeValue]) -> dict[str, int]:
    """Small lengths for the sizes of inputs: those of the proof against upstream where it states them."""
    tiny = model.upstream.tiny if model.upstream is not None else {}
    found = {}
    for index, name in enumerate(open_sizes(model, own)):
        length = tiny.get(name)
        found[name] = length if isinstance(length, int) else SMALL[index % len(SMALL)] + index // len(SMALL)
    return found


def one_of_a_batch(model: Model, own: Mapping[str, SizeValue], length: int) -> dict[str, int]:
    """One sequence or image: 1 for the axis that comes first in every input, this length for the others."""
    names = open_sizes(model, own)
    first = {str(size(declared.axes[0])) for declared in model.inputs.values() if declared.axes}
    batch = first if len(first) == 1 and len(names) > 1 else set()
    return {name: 1 if name in batch else length for name in names}


def set_by_stacks(model: Model) -> dict[str, str]:
    """The sizes that stacks set from others, each with how, for messages."""
    found: dict[str, str] = {}
    for path, stack in model.paths.items():
        found |= {name: f"is {text} in {path}" for name, text in stack.with_.items() if name not in found}
        for name, called in stack.ends.items():
            found.setdefault(called, f"is what {name} is after the last layer of {path}")
    return found


def known_size(model: Model, name: str, own: Mapping[str, SizeValue]) -> str:
    """The size that is meant, in the model's own spelling.

    Raises:
        SizeError: it is none of the model's, or follows from others.
    """
    spellings = {spelled(one): one for one in model.dimensions}
    found = spellings.get(spelled(name.strip()))
    if found is None:
        near = get_close_matches(name, list(model.dimensions), n=1)
        hint = f"did you mean {near[0]}?" if near else f"there is {', '.join(model.dimensions)}"
        raise SizeError(f"the model has no size {name}; {hint}")
    if found not in own and found not in open_sizes(model, own):
        raise SizeError(f"{found} cannot be set: it {set_by_stacks(model)[found]}")
    return found


def _check_value(name: str, value: SizeValue, *, varies: bool) -> None:
    if varies and isinstance(value, int):
        raise SizeError(f"{name} varies from layer to layer, so it is a list, such as {name}={value},{value}")
    if not varies and not isinstance(value, int):
        raise SizeError(f"{name} is the same in every layer, so it is one number, not {len(value)}")
    for one in (value,) if isinstance(value, int) else value:
        if not 1 <= one <= LARGEST:
            raise SizeError(f"{name} is at least 1 and at most {LARGEST:,}, not {one:,}")
