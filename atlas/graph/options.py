"""The options that one step's operator is called with: what the entry states, and the options that are sizes.

Counting and running call the operator with the same ones.
"""

from __future__ import annotations

from typing import Any

from atlas.exceptions import SizeError
from atlas.graph.unroll import Step
from atlas.operators.registry import Operator
from atlas.sizes import size


def options_of(step: Step, operator: Operator) -> dict[str, Any]:
    """The options of a step's call: what the entry states, and those that are sizes at their values here."""
    entry = step.node.entry.data
    found: dict[str, Any] = dict(entry.arguments)
    for name, symbol in entry.symbols.items():
        if symbol.binds is not None and symbol.binds in operator.options and name in step.sizes:
            _settle(found, symbol.binds, step.sizes[name], step)
    bound = {symbol.binds: symbol for symbol in entry.symbols.values() if symbol.binds is not None}
    for output in operator.contract.outputs:
        if output.name in bound and not output.batched:
            for axis, declared in zip(output.axes, bound[output.name].axes, strict=True):
                length = size(declared)
                if str(axis) in operator.options and length.symbols <= step.sizes.keys():
                    _settle(found, str(axis), length.value(step.sizes), step)
    return found


def _settle(found: dict[str, Any], name: str, value: int, step: Step) -> None:
    """An option that is a size has that size's value; a number that the entry states too must be the same."""
    if found.setdefault(name, value) != value:
        raise SizeError(f"{step.node.entry.id} is called with {name} = {found[name]}, but the size is {value}")
