"""What every facade has in common: which modules it serves to upstream code, and the state of one run.

A facade itself never changes; whatever upstream code creates (variables, open scopes) lives in a `State` that is made
for one run, so that two runs cannot see each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias, TypeVar

from atlas.exceptions import UpstreamError
from atlas.upstream.tensor import Array, Shape, Tensor

Modules: TypeAlias = Mapping[str, Mapping[str, object]]
"""Dotted module name → what the module holds; the packages above follow from the name."""
T = TypeVar("T", bound=Tensor)


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

    def __init__(self, presets: Mapping[str, Array] = MappingProxyType({})) -> None:
        self.presets = presets
        self._variables: dict[str, Variable] = {}

    @property
    def variables(self) -> Mapping[str, Variable]:
        """Every variable created so far by its full name, in the order of creation."""
        return MappingProxyType(self._variables)

    def create(self, kind: type[T], name: str, shape: Shape, initial: Callable[[Shape], Array]) -> T:
        """A new variable, with the caller's value for it if there is one, else with `initial(shape)`."""
        if name in self._variables:
            raise UpstreamError(f"the variable {name} exists already")
        keys = matching(name, self.presets)
        if len(keys) > 1:
            raise UpstreamError(f"the variable {name} has several values: {', '.join(sorted(keys))}")
        if keys:
            value = self.presets[keys[0]].copy()
            if value.shape != shape:
                raise UpstreamError(
                    f"the variable {name} has shape {list(shape)} upstream, but the value for {keys[0]} has shape "
                    f"{list(value.shape)}"
                )
        else:
            value = initial(shape)
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
