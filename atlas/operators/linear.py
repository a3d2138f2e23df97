"""The affine map of the last axis, in the two layouts in which upstream projects store its weight, and unembedding.

A weight of one layout runs unnoticed in the other where the map is square, so the layout is a convention that an entry
states. Unembedding is named apart, as its weight is a table of vectors, often the embedding's own.
"""

# ruff: noqa: N803  # arguments carry the formula's own symbols
from __future__ import annotations

from typing import Any

from atlas.operators.contract import Floats
from atlas.operators.family import Family
from atlas.operators.registry import operator

FAMILY = Family("linear", "Linear maps", "projection")
SOURCE = "in common use"


@operator(
    "x[... C], W[C O], b?[O] -> [... O]",
    title="Linear",
    family=FAMILY,
    source=SOURCE,
    macs="... C O",
    parameters=("W", "b"),
    conventions={"weight": "inputs × outputs"},
)
def linear(x: Floats, W: Floats, b: Floats | None) -> Any:
    """Multiply each feature vector with a matrix from the right and add a bias.

    Shapes: as in the signature; parameters C·O + O, or C·O without a bias.
    Units:  those of x times those of W.
    Errors: ShapeError naming the axis and the argument that bound it.
    Source: in common use; this layout is that of TensorFlow and of GPT-2.
    """
    y = x @ W
    return y if b is None else y + b


@operator(
    "x[... C], W[O C], b?[O] -> [... O]",
    title="Linear, weight transposed",
    family=FAMILY,
    source=SOURCE,
    macs="... C O",
    parameters=("W", "b"),
    conventions={"weight": "outputs × inputs"},
)
def linear_transposed(x: Floats, W: Floats, b: Floats | None) -> Any:
    """Multiply each feature vector with the transpose of a matrix from the right and add a bias.

    Shapes: as in the signature; parameters O·C + O, or O·C without a bias.
    Units:  those of x times those of W.
    Errors: ShapeError naming the axis and the argument that bound it.
    Source: in common use; this layout is that of PyTorch and of Chainer.
    """
    y = x @ W.T
    return y if b is None else y + b


@operator(
    "x[... d], E[V d] -> [... V]",
    title="Unembedding",
    family=Family("unembedding", "Unembedding", "projection"),
    source="arXiv:1608.05859",
    macs="... d V",
    parameters=("E",),
)
def unembedding(x: Floats, E: Floats) -> Any:
    """Score each id of a vocabulary by the dot product of its row in a table with the feature vector.

    Shapes: as in the signature; the table may be that of the embedding; parameters V·d, none where it is.
    Units:  those of x times those of E; the scores are logits.
    Errors: ShapeError naming the axis and the argument that bound it.
    Source: Press, Wolf 2016, for the table that is shared with the embedding.
    """
    return x @ E.T
