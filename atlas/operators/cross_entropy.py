"""Cross entropy of integer targets, from logits, in the form that no logit can make overflow.

It is what language models are trained and measured with.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from atlas.operators.contract import Floats, Integers
from atlas.operators.family import Family
from atlas.operators.registry import operator


@operator(
    "z[... C], t: int(C)[...] -> loss[]",
    title="Cross entropy",
    family=Family("cross-entropy", "Cross entropy", "loss"),
    source="in common use",
    macs="0",
    conventions={"logarithm": "natural", "reduction": "mean over all targets"},
    nonempty=("C", "..."),
    precision="float64",  # a sure prediction costs log(1 + 1e-9), which single precision takes for 0
)
def cross_entropy(z: Floats, t: Integers) -> Any:
    """Average the negative logarithm of the share that the softmax gives to each target.

    Shapes: as in the signature; z has one logit for each class, t one class for each vector of logits.
    Units:  nats.
    Errors: ShapeError for a target below 0 or not below C, and where there is no target.
    Limits: a target whose logit is minus infinity costs infinity; a vector of nothing but minus infinity, or with plus
            infinity or NaN in it, makes the loss NaN. A loss below 1e-16 is 0.
    Source: in common use.
    """
    shifted = z - z.max(axis=-1, keepdims=True)  # [... C]; the largest is 0
    log_sum = np.log(np.exp(shifted).sum(axis=-1))  # [...]
    at_target = np.take_along_axis(shifted, t[..., None].astype(np.int64), axis=-1)[..., 0]
    return np.mean(log_sum - at_target)
