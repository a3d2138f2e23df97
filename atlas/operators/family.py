"""What a family of operators is called and what kind of node its operators are in a model's diagram.

Both belong to the family and not to one of its formulations, so that pages and diagrams treat all of them alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal[
    "embedding",
    "position",
    "normalization",
    "attention",
    "projection",
    "feed-forward",
    "routing",
    "mixture-of-experts",
    "activation",
    "residual",
    "convolution",
    "pooling",
    "recurrence",
    "shift",
    "loss",
]
"""What an operator does in a model, in the field's words."""

KINDS: Mapping[Kind, str] = MappingProxyType(
    {
        "embedding": "Embedding",
        "position": "Positions",
        "normalization": "Normalization",
        "attention": "Attention",
        "projection": "Projection",
        "feed-forward": "Feed-forward",
        "routing": "Routing",
        "mixture-of-experts": "Mixture of experts",
        "activation": "Activation",
        "residual": "Residual",
        "convolution": "Convolution",
        "pooling": "Pooling",
        "recurrence": "Recurrence",
        "shift": "Shift",
        "loss": "Loss",
    }
)
"""Every kind with its title, in the order of a legend: from what reads the input to what reads the output."""


@dataclass(frozen=True, slots=True)
class Family:
    """Operators that are formulations of one thing; they are shown side by side."""

    name: str
    """Its name in addresses, such as `layer-norm`."""
    title: str
    """Its name as people write it, such as `Layer normalization`."""
    kind: Kind
    """What its operators do in a model."""
