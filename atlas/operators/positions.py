"""Absolute positions as sines and cosines, in the paper's order and timescales and in those of tensor2tensor.

The paper's own code base computes the second, so a page about it needs both.
"""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np

from atlas.exceptions import OptionError
from atlas.operators.options import AtLeast, Count
from atlas.operators.registry import operator

FAMILY = "sinusoidal-positions"
TWO_TIMESCALES = Annotated[int, AtLeast(4)]
LONGEST = 10000.0


@operator(
    "-> [positions channels]",
    title="Sinusoidal positions",
    family=FAMILY,
    source="arXiv:1706.03762",
    conventions={"order": "sines and cosines alternate", "timescales": "10000^(2i/d)"},
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
    conventions={"order": "all sines, then all cosines", "timescales": "10000^(i/(d/2-1))"},
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
