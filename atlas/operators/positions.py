"""Absolute positions: sines and cosines in the paper's order and timescales and in those of tensor2tensor, and learned.

The paper's own code base computes the second, so a page about it needs both; it adds the signal in the same function.
"""

# ruff: noqa: N803  # arguments carry the formula's own symbols

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np

from atlas.exceptions import OptionError, ShapeError
from atlas.operators.contract import Floats
from atlas.operators.family import Family
from atlas.operators.options import AtLeast, Count
from atlas.operators.registry import operator

FAMILY = Family("sinusoidal-positions", "Sinusoidal positions", "position")
LONGEST = 10000.0
LEAST = 4
TWO_TIMESCALES = Annotated[int, AtLeast(LEAST)]
SIGNAL = "the signal"


@operator(
    "-> [positions channels]",
    title="Sinusoidal positions",
    family=FAMILY,
    source="arXiv:1706.03762",
    macs="0",
    conventions={"order": "sines and cosines alternate", "result": SIGNAL, "timescales": "10000^(2i/d)"},
)
def sinusoidal_positions(*, positions: Count, channels: Count) -> Any:
    """Give each position a sine and a cosine of each of d/2 timescales, in turn.

    Shapes: [positions channels], in float64; positions count from 0.
    Units:  dimensionless; the timescales are in positions.
    Errors: OptionError for an odd number of channels, as each sine has its cosine.
    Source: Vaswani et al. 2017, section 3.5.
    """
    if channels % 2:
        raise OptionError(f"channels must be even, as each sine has its cosine, not {channels}", "channels")
    timescales = LONGEST ** (np.arange(0, channels, 2) / max(channels, 1))  # [d/2]
    angles = np.arange(positions)[:, None] / timescales  # [positions d/2]
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(positions, channels)


@operator(
    "-> [positions channels]",
    title="Timing signal",
    family=FAMILY,
    source="arXiv:1803.07416",
    macs="0",
    conventions={"order": "all sines, then all cosines", "result": SIGNAL, "timescales": "10000^(i/(d/2-1))"},
)
def timing_signal(*, positions: Count, channels: TWO_TIMESCALES) -> Any:
    """Give each position the sines of all timescales, then their cosines; the longest timescale is 10000 itself.

    Shapes: [positions channels], in float64; positions count from 0; an odd last channel is 0.
    Units:  dimensionless; the timescales are in positions.
    Errors: OptionError for less than 4 channels, as the timescales are spaced by log(10000)/(⌊d/2⌋ - 1).
    Source: Vaswani et al. 2018 (tensor2tensor), get_timing_signal_1d.
    """
    step = math.log(LONGEST) / (channels // 2 - 1)
    angles = np.outer(np.arange(positions), np.exp(-step * np.arange(channels // 2)))  # [positions ⌊d/2⌋]
    signal = np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
    return np.pad(signal, [(0, 0), (0, channels % 2)])


@operator(
    "x[... S d] -> [... S d]",
    title="Timing signal, added",
    family=FAMILY,
    source="arXiv:1803.07416",
    macs="0",
    conventions={
        "order": "all sines, then all cosines",
        "result": "x plus the signal",
        "timescales": "10000^(i/(d/2-1))",
    },
)
def add_timing_signal(x: Floats) -> Any:
    """Add to each position the sines of all timescales, then their cosines.

    Shapes: as in the signature; positions count from 0; to an odd last feature 0 is added.
    Units:  those of x, beside which the signal lies between -1 and 1.
    Errors: ShapeError for less than 4 features, as the timescales are spaced by log(10000)/(⌊d/2⌋ - 1).
    Source: Vaswani et al. 2018 (tensor2tensor), add_timing_signal_1d.
    """
    positions, channels = x.shape[-2:]
    if channels < LEAST:
        message = f"x has {channels} on axis d, but add_timing_signal needs at least {LEAST} there"
        raise ShapeError(message, (("x", message),))
    return x + timing_signal(positions=positions, channels=channels).astype(x.dtype)


@operator(
    "x[... S d], P[n d] -> [... S d]",
    title="Learned positions",
    family=Family("learned-positions", "Learned positions", "position"),
    source="arXiv:1705.03122",
    macs="0",
    parameters=("P",),
)
def learned_positions(x: Floats, P: Floats) -> Any:
    """Add to each position a learned vector of its own: the rows of a table, from the first.

    Shapes: as in the signature; positions count from 0, and rows beyond them are not seen; parameters n·d.
    Units:  those of x and P, which are the same.
    Errors: ShapeError for more positions than rows, as no vector was learned for the rest.
    Source: Gehring et al. 2017, section 3.1.
    """
    count, rows = x.shape[-2], len(P)
    if count > rows:
        message = f"x has {count} on axis S, but P has rows for {rows} positions only"
        raise ShapeError(message, (("x", message),))
    return x + P[:count]
