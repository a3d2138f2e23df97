"""Two-dimensional convolution as networks use the word: the kernel is laid on, not flipped.

Stride, padding and groups are the same for both axes, as in nearly all published models.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from atlas.exceptions import ShapeError
from atlas.operators.contract import Floats
from atlas.operators.family import Family
from atlas.operators.options import Count, Positive
from atlas.operators.registry import operator


@operator(
    "x[... (groups c) H W], kernel[(groups o) c k l], b?[(groups o)] "
    "-> [... (groups o) ((H+2 padding-k)//stride+1) ((W+2 padding-l)//stride+1)]",
    title="2-D convolution",
    family=Family("convolution", "Convolution", "convolution"),
    source="in common use",
    macs="... (groups o) c k l ((H+2 padding-k)//stride+1) ((W+2 padding-l)//stride+1)",
    parameters=("kernel", "b"),
    conventions={"channels": "before rows and columns", "kernel": "not flipped", "padding": "zeros on all sides"},
    nonempty=("k", "l"),
)
def convolution_2d(
    x: Floats, kernel: Floats, b: Floats | None, *, stride: Positive = 1, padding: Count = 0, groups: Positive = 1
) -> Any:
    """Lay a kernel on every place of each image and sum what it weighs, for each output channel.

    Shapes: as in the signature; channels are split into groups of neighbours, and each group of outputs sees one group
            of inputs. Parameters o·c·k·l·groups, and o·groups with a bias.
    Units:  those of x times those of kernel.
    Errors: ShapeError naming the axis and the argument that bound it, or that the kernel is larger than the image.
    Limits: rows and columns at the end that a stride does not reach are not seen.
    Source: in common use; LeCun et al. 1989.
    """
    image = np.pad(x, [(0, 0)] * (x.ndim - 2) + [(padding, padding)] * 2)
    size = kernel.shape[-2:]
    if size[0] > image.shape[-2] or size[1] > image.shape[-1]:
        message = f"kernel has {size} rows and columns, more than the {image.shape[-2:]} of x with its padding"
        raise ShapeError(message, (("kernel", message),))
    windows = np.lib.stride_tricks.sliding_window_view(image, size, axis=(-2, -1))
    windows = windows[..., ::stride, ::stride, :, :]  # [... (groups c) H' W' k l]
    windows = windows.reshape(*x.shape[:-3], groups, kernel.shape[1], *windows.shape[-4:])
    kernels = kernel.reshape(groups, kernel.shape[0] // groups, *kernel.shape[1:])  # [groups o c k l]
    y = np.einsum("...gcijkl,gockl->...goij", windows, kernels, optimize=True)
    y = y.reshape(*x.shape[:-3], kernel.shape[0], *y.shape[-2:])
    return y if b is None else y + b[:, None, None]
