"""A linear recurrence, the heart of state space models, with matrices that stay the same at all positions.

It steps through the positions one by one, as the formula does; there is no faster form here to be compared with.
"""

# ruff: noqa: N803  # arguments carry the formula's own symbols
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from atlas.operators.contract import Floats
from atlas.operators.family import Family
from atlas.operators.registry import operator


class Recurrence(NamedTuple):
    """What comes out at each position, and the state there."""

    y: Floats
    """[... L q], the outputs."""
    h: Floats
    """[... L n], the states after each position."""


@operator(
    "x[... L p], A[n n], B[n p], C[q n], h_0?[... n] -> y[... L q], h[... L n]",
    title="Linear recurrence",
    family=Family("linear-recurrence", "Linear recurrences", "recurrence"),
    source="arXiv:2111.00396",
    macs="... L n (p + n + q)",
    parameters=("A", "B", "C"),
)
def linear_recurrence(x: Floats, A: Floats, B: Floats, C: Floats, h_0: Floats | None) -> Recurrence:
    """Carry a state from position to position by one matrix, add the input through another, and read out a third.

    Shapes: as in the signature; parameters n·n + n·p + q·n. h_t = A·h_{t-1} + B·x_t and y_t = C·h_t.
    Units:  those of h are those of B times those of x.
    Errors: ShapeError naming the axis and the argument that bound it.
    Limits: without h_0 the state before the first position is 0. Where A stretches, the state grows until it overflows.
    Source: Gu, Goel, Ré 2021, equation 3, without its discretization and without the direct term D·x.
    """
    driven = x @ B.T  # [... L n]
    h = np.empty_like(driven)
    state: Any = np.zeros_like(driven, shape=(*x.shape[:-2], len(A))) if h_0 is None else h_0  # [... n]
    for t in range(x.shape[-2]):
        state = state @ A.T + driven[..., t, :]
        h[..., t, :] = state
    return Recurrence(h @ C.T, h)
