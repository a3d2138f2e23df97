"""What is told of a value's numbers, and all values in one file.

Numbers that are not finite are counted and left out of mean and deviation, so that one of them does not hide the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from atlas.files import writing_whole
from atlas.operators.contract import Array


@dataclass(frozen=True, slots=True)
class Statistics:
    """The shape of a value and how its numbers are spread."""

    shape: tuple[int, ...]
    """The lengths of its axes."""
    dtype: str
    """The type of its numbers."""
    mean: float | None
    """The mean of its finite numbers; None where there is none."""
    deviation: float | None
    """Their standard deviation, over all of them (not one less)."""
    not_finite: int
    """How many numbers are infinite or not a number."""


def statistics(array: Array) -> Statistics:
    """The statistics of an array, computed in float64."""
    whole = np.asarray(array)
    finite = np.isfinite(whole)
    missing = int(whole.size - np.count_nonzero(finite))
    numbers = whole[finite] if missing else whole
    mean = float(numbers.mean(dtype="float64")) if numbers.size else None
    deviation = float(numbers.std(dtype="float64")) if numbers.size else None
    return Statistics(whole.shape, str(whole.dtype), mean, deviation, missing)


def save_values(path: Path, values: Mapping[str, Array]) -> int:
    """Save arrays by name in one file that `numpy.load` reads, whole or not at all; how many there are.

    Raises:
        OSError: the file cannot be written.
    """
    arrays: dict[str, Any] = {name: np.asarray(array) for name, array in values.items()}
    with writing_whole(path) as file:
        np.savez(file, **arrays)
    return len(arrays)
