"""The options that one step's operator is called with: what the entry states, and the options that are sizes.

Counting and running call the operator with the same ones.
"""

from __future__ import annotations

from typing import Any

from atlas.graph.unroll import Step
from atlas.operators.registry import Operator
from atlas.sizes import size


def options_of(step: Step, operator: Operator) -> dict[str, Any]:
    """The options of a step's call: what the entry states, and those that are sizes at their values here."""
    entry = step.node.entry.data
    found: dict[str, Any] = dict(entry.arguments)
    for name, symbol in entry.symbols.items():
        if symbol.binds is None or symbol.binds in found or symbol.binds not in operator.options:
            continue
        if name in step.sizes:
            found[symbol.binds] = step.sizes[name]
    bound = {symbol.binds: symbol for symbol in entry.symbols.values() if symbol.binds is not None}
    for output in operator.contract.outputs:
        if output.name in bound and not output.batched:
            for axis, declared in zip(output.axes, bound[output.name].axes, strict=True):
                if str(axis) in operator.options and str(axis) not in found:
                    found[str(axis)] = size(declared).value(step.sizes)
    return found
