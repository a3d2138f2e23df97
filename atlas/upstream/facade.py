"""What every facade has in common: which modules it serves to upstream code, and the state of one run.

A facade itself never changes; whatever upstream code creates (variables, open scopes) lives in a `State` that is made
for one run, so that two runs cannot see each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar

import numpy as np

from atlas.exceptions import UpstreamError
from atlas.upstream.tensor import Array, Shape, Tensor
from atlas.upstream.uniform import uniform

Modules: TypeAlias = Mapping[str, Mapping[str, object]]
"""Dotted module name → what the module holds; the packages above follow from the name."""
T = TypeVar("T", bound=Tensor)
Initial: TypeAlias = Callable[[Shape], Array]
"""A variable's shape → its first value."""
Fill: TypeAlias = Callable[[str, Shape, Initial | None], Array]
"""A variable's full name, its shape and upstream's initializer (None: a random one) → its first value."""
DOUBLE = np.dtype(np.float64)


def upstreams_own(name: str, shape: Shape, initial: Initial | None) -> Array:
    """What upstream's initializer gives; a random one is refused, as it proves nothing."""
    if initial is None:
        raise ValueError(f"the variable {name} would begin at random: give it a value")
    return initial(shape)


def drawn(seed: int) -> Fill:
    """Normal numbers around what upstream's initializer gives, so that no gain is 1 and no bias is 0.

    They depend on the seed and the variable's name alone, not on what else there is. Their standard deviation is one
    over the root of the number of inputs (the size of all axes but the last), and 1/4 for a vector, so that sums of
    them stay near 1.
    """

    def fill(name: str, shape: Shape, initial: Initial | None) -> Array:
        generator = np.random.default_rng([seed, *name.encode()])
        deviation = 0.25 if len(shape) < 2 else float(np.prod(shape[:-1])) ** -0.5
        noise = deviation * generator.standard_normal(shape)
        return noise if initial is None else initial(shape) + noise

    return fill


def shapes_alone(_: str, shape: Shape, initial: Initial | None) -> Array:
    """Zeros that take no memory: for counting at a real model's sizes, where values say nothing."""
    return uniform(0.0, shape, DOUBLE)


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable that upstream code created."""

    name: str
    """Its full name, with `/` after each scope."""
    tensor: Tensor
    """What upstream code computes with."""
    preset: str | None
    """The key in `State.presets` that gave its value; None where upstream's initializer did."""


class State:
    """What one run of upstream code is given and what it creates."""

    def __init__(
        self,
        presets: Mapping[str, Array] = MappingProxyType({}),
        *,
        fill: Fill = upstreams_own,
        dtype: np.dtype[Any] = DOUBLE,
    ) -> None:
        self.presets = presets
        self.dtype = dtype
        # Where upstream code is now; a facade whose library has variable scopes keeps it.
        self.scope = ""
        self._fill = fill
        self._variables: dict[str, Variable] = {}

    @property
    def variables(self) -> Mapping[str, Variable]:
        """Every variable created so far by its full name, in the order of creation."""
        return MappingProxyType(self._variables)

    def create(self, kind: type[T], name: str, shape: Shape, initial: Initial | None) -> T:
        """A new variable, with the caller's value for it if there is one, else as this run fills variables.

        `initial` is upstream's initializer, None for a random one.
        """
        if name in self._variables:
            raise UpstreamError(f"the variable {name} exists already")
        keys = matching(name, self.presets)
        if len(keys) > 1:
            raise UpstreamError(f"the variable {name} has several values: {', '.join(sorted(keys))}")
        if keys:
            value = self.presets[keys[0]].astype(self.dtype)
            if value.shape != shape:
                raise UpstreamError(
                    f"the variable {name} has shape {list(shape)} upstream, but the value for {keys[0]} has shape "
                    f"{list(value.shape)}"
                )
        else:
            value = np.asarray(self._fill(name, shape, initial), self.dtype)
        tensor = kind(value)
        self._variables[name] = Variable(name, tensor, keys[0] if keys else None)
        return tensor


def matching(name: str, keys: Mapping[str, object]) -> list[str]:
    """The keys that mean this variable: its full name, or the last parts of it."""
    return [key for key in keys if name == key or name.endswith(f"/{key}")]


@dataclass(frozen=True, slots=True)
class Facade:
    """The few calls of one library, served over NumPy."""

    name: str
    """The library's import name."""
    is_for_whole_files: bool
    """Whether a file is executed whole; otherwise only the named definitions and what they refer to."""
    serve: Callable[[State], Modules]
    """The modules for one run."""
    tensor: Callable[[Array], Tensor]
    """An input array as what the library's users would pass."""
