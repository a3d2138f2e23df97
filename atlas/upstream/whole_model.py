"""What a comparison asks of an upstream model, however it is run: its tensors, and the values of a call.

An installed library runs one kind of model and a program of pinned calls another; what is compared is the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from atlas.upstream.tensor import Array


@dataclass(frozen=True, slots=True)
class Stored:
    """A tensor of the model, as upstream stores it."""

    name: str
    """Its name."""
    shape: tuple[int, ...]
    """The lengths of its axes."""
    learned: bool
    """Whether it is a parameter; else it is a buffer."""
    held_as: str
    """The first name of the same tensor; another than `name` where the model has it twice."""

    @property
    def count(self) -> int:
        """How many numbers it holds."""
        return int(np.prod(self.shape, dtype=np.int64))


@dataclass(frozen=True, slots=True)
class Returned:
    """What one call of the model gave."""

    fields: Mapping[str, Array]
    """What it returned, as far as it was asked for."""
    modules: Mapping[str, Array]
    """What each part that was asked for returned."""


class Named(Protocol):
    """What the model's file says about names."""

    @property
    def inputs(self) -> Mapping[str, str]:
        """Arguments of upstream's call, each with the input of ours."""

    @property
    def outputs(self) -> Mapping[str, str]:
        """What upstream returns, each with the value of ours."""

    @property
    def states(self) -> Mapping[str, str]:
        """Parts of upstream whose result is compared, each with the value of ours; `{n}` is the layer."""


class WholeModel(Protocol):
    """An upstream model at some sizes."""

    def tensors(self) -> Mapping[str, Stored]:
        """Every tensor that upstream stores, by name."""

    def load(self, arrays: Mapping[str, Array]) -> None:
        """Give tensors these numbers."""

    def run(self, inputs: Mapping[str, Array], fields: list[str], modules: list[str]) -> Returned:
        """Call the model; `modules` are the parts whose result is wanted too."""
