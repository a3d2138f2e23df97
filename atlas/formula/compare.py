"""Two arrays → how far they differ, and where first; relative to the values and to the largest of them."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOLERANCE = 1e-9
"""The largest relative error that counts as equal."""

TINY = sys.float_info.min
"""What keeps an error relative to nothing from having no value."""

Array: TypeAlias = "NDArray[Any]"


@dataclass(frozen=True, slots=True)
class Difference:
    """How a formula's value compares with its reference."""

    error: float
    """The largest relative error; infinite where one of the two is not finite and the other is another number."""
    share: float
    """The share of the entries that differ by more than the tolerance."""
    index: tuple[int, ...]
    """The first entry that differs, counted from 0; empty where none does."""
    found: float
    """The formula's value there."""
    expected: float
    """The reference's value there."""

    @property
    def equal(self) -> bool:
        """Whether no entry differs."""
        return self.share == 0


def difference(found: Array, expected: Array, tolerance: float = TOLERANCE) -> Difference:
    """Compare two arrays of one shape; an entry's error is relative to its size plus that of the largest entry."""
    if expected.size == 0:
        return Difference(0.0, 0.0, (), 0.0, 0.0)
    with np.errstate(all="ignore"):
        sizes = np.abs(expected)
        errors = np.abs(found - expected) / (sizes + np.maximum.reduce(sizes, axis=None) + TINY)
        worst = float(np.maximum.reduce(errors, axis=None))
        if worst <= tolerance:  # so none is infinite or no number
            return Difference(worst, 0.0, (), 0.0, 0.0)
        if not np.isfinite(errors).all():
            finite = np.isfinite(expected)
            scale = sizes + np.max(np.where(finite, sizes, 0.0)) + TINY
            errors = np.where(found == expected, 0.0, np.abs(found - expected) / scale)
            errors = np.where(np.isnan(errors) | (~finite & (found != expected)), np.inf, errors)
    differs = errors > tolerance
    if not differs.any():
        return Difference(float(errors.max()), 0.0, (), 0.0, 0.0)
    first = np.unravel_index(int(np.argmax(differs)), differs.shape)
    index = tuple(int(at) for at in first)
    return Difference(float(errors.max()), float(differs.mean()), index, float(found[index]), float(expected[index]))


def describe(name: str, axes: tuple[str, ...], found: Difference) -> str:
    """The sentence of an issue about a difference."""
    place = ""
    if found.index:
        shown = ", ".join(f"{axis}={at}" for axis, at in zip(axes, found.index, strict=False))
        place = f", first at [{','.join(str(at) for at in found.index)}]" + (f" ({shown})" if shown else "")
    return (
        f"`{name}` differs from the reference in {_percent(found.share)} of the entries{place}: "
        f"the formula gives {_shown(found.found, found.expected)}, the reference {_shown(found.expected, found.found)}"
    )


def _shown(number: float, other: float) -> str:
    """A number with at least six digits, and as many as tell it from the other."""
    digits = next((digits for digits in range(6, 17) if f"{number:.{digits}g}" != f"{other:.{digits}g}"), 17)
    return f"{number:.{digits}g}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.01 else "less than 1 %"
