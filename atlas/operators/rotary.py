"""Rotary position embedding in the two orders in which upstream projects pair the features that turn together.

A checkpoint of the one runs in the other without an error and gives nonsense, as the two are a permutation apart.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from atlas.operators.contract import Floats, Integers
from atlas.operators.family import Family
from atlas.operators.options import AtLeast
from atlas.operators.registry import operator

FAMILY = Family("rotary-positions", "Rotary positions", "position")
BASE = Annotated[float, AtLeast(1)]


def _turns(x: Floats, positions: Integers | None, base: float) -> tuple[Any, Any]:
    """Cosines and sines of p·base^(-2i/d), [S d/2], in the type of x; the angles themselves are float64."""
    count, width = x.shape[-2:]
    theta = base ** (-np.arange(0, width, 2) / width)  # [d/2]
    angles = np.outer(np.arange(count) if positions is None else positions, theta)
    return np.cos(angles).astype(x.dtype), np.sin(angles).astype(x.dtype)


@operator(
    "x[... S (2 r)], positions?: int[S] -> [... S (2 r)]",
    title="Rotary positions, interleaved",
    family=FAMILY,
    source="arXiv:2104.09864",
    macs="0",
    conventions={"pairs": "2i with 2i+1"},
    nonempty=("r",),
)
def rope_interleaved(x: Floats, positions: Integers | None, *, base: BASE = 10000.0) -> Any:
    """Turn each pair of neighbouring features by an angle in proportion to its position.

    Shapes: as in the signature; the number of features is even; without positions they are 0, 1, …, S - 1.
    Units:  those of x; pair i turns by base^(-2i/d) radians per position.
    Errors: ShapeError for an odd number of features; OptionError for a base below 1.
    Limits: the angles are computed in float64, so far positions are as exact as near ones.
    Source: Su et al. 2021, section 3.2.2.
    """
    cos, sin = _turns(x, positions, base)
    even, odd = x[..., 0::2], x[..., 1::2]  # [... S d/2]
    y = np.empty_like(x)
    y[..., 0::2] = even * cos - odd * sin
    y[..., 1::2] = even * sin + odd * cos
    return y


@operator(
    "x[... S (2 r)], positions?: int[S] -> [... S (2 r)]",
    title="Rotary positions, half-split",
    family=FAMILY,
    source="arXiv:2204.06745",
    macs="0",
    conventions={"pairs": "i with i+d/2"},
    nonempty=("r",),
)
def rope_half(x: Floats, positions: Integers | None, *, base: BASE = 10000.0) -> Any:
    """Turn each feature of the first half together with its partner in the second half, in proportion to its position.

    Shapes: as in the signature; the number of features is even; without positions they are 0, 1, …, S - 1.
    Units:  those of x; pair i turns by base^(-2i/d) radians per position.
    Errors: ShapeError for an odd number of features; OptionError for a base below 1.
    Limits: as rope_interleaved.
    Source: Black et al. 2022 (GPT-NeoX); Su et al. 2021 pair neighbours.
    """
    cos, sin = _turns(x, positions, base)
    first, second = np.split(x, 2, axis=-1)  # [... S d/2]
    return np.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)
