"""Every operator of the atlas, by explicit import: what is not listed here does not exist for entries and pages.

Gradients are not listed; each belongs to its operator.
"""

from __future__ import annotations

from collections.abc import Mapping

from atlas.operators.layer_norm import layer_norm, layer_norm_outer_epsilon
from atlas.operators.registry import Operator, collect, families, look_up

CATALOGUE: Mapping[str, Operator] = collect([layer_norm, layer_norm_outer_epsilon])
"""The operators by name."""

FAMILIES: Mapping[str, tuple[Operator, ...]] = families(CATALOGUE)
"""The formulations of each family, to be shown side by side."""


def find(name: str) -> Operator:
    """The operator of that name.

    Raises:
        UnknownOperatorError: there is none; the message lists those that exist and the nearest.
    """
    return look_up(CATALOGUE, name)
