"""The maps into attention's heads and out of them: one matrix for each head, and one for the heads side by side.

Models that do something to queries and keys between projection and attention, such as turning them by their position,
are made of these; upstream projects keep the heads' matrices in one array in many layouts.
"""

# ruff: noqa: N803  # arguments carry the formula's own symbols
from __future__ import annotations

from typing import Any

import numpy as np

from atlas.operators.contract import Floats
from atlas.operators.family import Family
from atlas.operators.registry import operator

SOURCE = "arXiv:1706.03762"


@operator(
    "x[... S d], W[h d k], b?[h k] -> [... h S k]",
    title="Projection to heads",
    family=Family("head-projection", "Projections to heads", "projection"),
    source=SOURCE,
    macs="... S d h k",
    parameters=("W", "b"),
    conventions={"weight": "heads × inputs × outputs"},
)
def project_to_heads(x: Floats, W: Floats, b: Floats | None) -> Any:
    """Map each feature vector once for each head, by a matrix of the head's own.

    Shapes: as in the signature; parameters h·d·k + h·k, or h·d·k without a bias.
    Units:  those of x times those of W.
    Errors: ShapeError naming the axis and the argument that bound it.
    Source: Vaswani et al. 2017, section 3.2.2, which has no biases.
    """
    heads = x[..., None, :, :] @ W  # [... h S k]
    return heads if b is None else heads + b[:, None, :]


@operator(
    "x[... h S v], W_o[(h v) m], b_o?[m] -> [... S m]",
    title="Joined heads",
    family=Family("head-joining", "Joining of heads", "projection"),
    source=SOURCE,
    macs="... S h v m",
    parameters=("W_o", "b_o"),
    conventions={"order": "head by head", "weight": "inputs × outputs"},
)
def join_heads(x: Floats, W_o: Floats, b_o: Floats | None) -> Any:
    """Put the heads' outputs side by side and map them to the model's width.

    Shapes: as in the signature; parameters h·v·m + m, or h·v·m without a bias.
    Units:  those of x times those of W_o.
    Errors: ShapeError naming the axis and the argument that bound it.
    Source: Vaswani et al. 2017, section 3.2.2, which has no bias.
    """
    beside = np.moveaxis(x, -3, -2)  # [... S h v]
    y = beside.reshape(*beside.shape[:-2], W_o.shape[0]) @ W_o
    return y if b_o is None else y + b_o
