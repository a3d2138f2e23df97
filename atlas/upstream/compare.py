"""Inputs on which upstream code and our operator are compared, and the number that says how far apart they are.

Four scales, because a wrong ε shows only where the variance is as small as ε, and a lost offset only where the mean is
not zero; sizes are distinct primes, so that no mixed-up axis and no flattened pair of axes fits by chance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from atlas.exceptions import UpstreamError
from atlas.upstream.tensor import Array

SCALES: Mapping[str, tuple[float, float]] = MappingProxyType(
    {"N(0, 1)": (1.0, 0.0), "2 N(0, 1) + 0.5": (2.0, 0.5), "0.001 N(0, 1)": (1e-3, 0.0), "4 N(0, 1)": (4.0, 0.0)}
)
"""Name of a scale → factor and offset of the normal numbers."""
_PRIMES = (3, 5, 7, 11, 13, 17, 19, 23)


@dataclass(frozen=True, slots=True)
class Sample:
    """Arrays for one run."""

    scale: str
    """The key in SCALES."""
    sizes: Mapping[str, int]
    """Axis → size."""
    arrays: Mapping[str, Array]
    """Operator argument → float64 array."""


def samples(axes: Mapping[str, Sequence[str]], seed: int) -> tuple[Sample, ...]:
    """One sample for each scale; `axes` gives each argument's axis names, and equal names have equal sizes."""
    labels = dict.fromkeys(label for names in axes.values() for label in names)
    if len(labels) > len(_PRIMES):
        raise UpstreamError(f"samples have at most {len(_PRIMES)} axes, not {len(labels)}: {', '.join(labels)}")
    sizes = MappingProxyType(dict(zip(labels, _PRIMES, strict=False)))
    generator = np.random.default_rng(seed)
    return tuple(
        Sample(
            scale,
            sizes,
            MappingProxyType(
                {
                    name: factor * generator.standard_normal([sizes[label] for label in names]) + offset
                    for name, names in axes.items()
                }
            ),
        )
        for scale, (factor, offset) in SCALES.items()
    )


def largest_relative_error(found: Array, expected: Array) -> float:
    """The largest absolute difference over the largest absolute expected value of the whole array.

    Relative to the array's scale, not to each element, as an element near zero is the difference of larger numbers and
    has no digits to agree in. Infinite where either array holds a NaN or an infinity, and where the expected array is
    zero throughout but the other is not.
    """
    if found.shape != expected.shape:
        raise UpstreamError(f"arrays of shapes {list(found.shape)} and {list(expected.shape)} cannot be compared")
    if not expected.size:
        raise UpstreamError("empty arrays prove nothing")
    a, b = found.astype(np.float64), expected.astype(np.float64)
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        return float("inf")
    difference, scale = float(np.abs(a - b).max()), float(np.abs(b).max())
    if difference == 0:
        return 0.0
    return difference / scale if scale else float("inf")
