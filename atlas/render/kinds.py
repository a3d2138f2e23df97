"""The kinds of components that pictures tell apart, each with one colour of the theme.

The diagram, the badges and the budget use the same kinds, so that a colour means one thing on the whole site.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from atlas.exceptions import DiagramError

KINDS: Mapping[str, str] = MappingProxyType(
    {
        "embedding": "Embedding",
        "position": "Position",
        "attention": "Attention",
        "feed-forward": "Feed-forward",
        "routing": "Experts and routing",
        "projection": "Projection",
        "convolution": "Convolution",
        "recurrence": "Recurrence",
        "normalization": "Normalization",
        "activation": "Activation",
        "pooling": "Pooling",
        "residual": "Residual sum",
        "loss": "Loss",
        "other": "Other",
        "input": "Input",
        "output": "Output",
    }
)
"""Each kind with its name in legends, in the order of legends; the theme has `--kind-NAME` and `--kind-NAME-soft`."""


PICTURED: Mapping[str, str] = MappingProxyType({"mixture-of-experts": "routing", "shift": "other"})
"""Kinds of operators that pictures show in the colour of another."""


def picture_name(kind: str) -> str:
    """The kind with which pictures show operators of a kind."""
    return PICTURED.get(kind, kind)


def named(kind: str) -> str:
    """The name of a kind in a legend.

    Raises:
        DiagramError: there is no such kind; the message lists those that exist.
    """
    if kind not in KINDS:
        raise DiagramError(f"{kind!r} is no kind of component that pictures show; there are {', '.join(KINDS)}")
    return KINDS[kind]
