"""Pooling of images: the largest value below a window, and the mean over all places.

Stride and padding are the same for both axes, as in convolution.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from atlas.exceptions import OptionError, ShapeError
from atlas.operators.contract import Floats
from atlas.operators.family import Family
from atlas.operators.options import Count, Positive
from atlas.operators.registry import operator


@operator(
    "x[... C H W] -> [... C ((H+2 padding-kernel)//stride+1) ((W+2 padding-kernel)//stride+1)]",
    title="2-D max pooling",
    family=Family("max-pooling", "Max pooling", "pooling"),
    source="in common use",
    macs="0",
    conventions={"channels": "before rows and columns", "padding": "minus infinity on all sides"},
)
def max_pool_2d(x: Floats, *, kernel: Positive, stride: Positive = 1, padding: Count = 0) -> Any:
    """Take the largest value below a square window at every place, for each channel by itself.

    Shapes: as in the signature; kernel is the window's rows and columns.
    Units:  those of x.
    Errors: ShapeError where the window is larger than the image with its padding; OptionError for a padding of more
            than half the window, as a window could then lie on padding alone.
    Limits: rows and columns at the end that a stride does not reach are not seen. A window with NaN in it gives NaN.
    Source: in common use; Scherer, Müller, Behnke 2010.
    """
    if 2 * padding > kernel:
        raise OptionError(f"padding must be at most half of kernel, which is {kernel}, not {padding}", "padding")
    image = np.pad(x, [(0, 0)] * (x.ndim - 2) + [(padding, padding)] * 2, constant_values=-np.inf)
    if kernel > min(image.shape[-2:]):
        message = f"x has {image.shape[-2:]} rows and columns with its padding, fewer than kernel, which is {kernel}"
        raise ShapeError(message, (("x", message),))
    windows = np.lib.stride_tricks.sliding_window_view(image, (kernel, kernel), axis=(-2, -1))
    return windows[..., ::stride, ::stride, :, :].max(axis=(-2, -1))  # [... C H' W']


@operator(
    "x[... C H W] -> [... C]",
    title="2-D global average pooling",
    family=Family("global-average-pooling", "Global average pooling", "pooling"),
    source="arXiv:1312.4400",
    macs="0",
    conventions={"channels": "before rows and columns"},
    nonempty=("H", "W"),
)
def global_average_pool_2d(x: Floats) -> Any:
    """Average each channel over all places of its image.

    Shapes: as in the signature.
    Units:  those of x.
    Errors: ShapeError where an image has no rows or no columns.
    Source: Lin, Chen, Yan 2013, section 3.2.
    """
    return x.mean(axis=(-2, -1))
