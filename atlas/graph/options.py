"""The options that one step's operator is called with: what the entry states, and the options that are sizes.

Counting and running call the operator with the same ones.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any

from atlas.entries.atlas import Entry
from atlas.exceptions import SizeError
from atlas.graph.unroll import Step
from atlas.operators.registry import Operator
from atlas.sizes import Size, size


def options_of(step: Step, operator: Operator) -> dict[str, Any]:
    """The options of a step's call: what the entry states, and those that are sizes at their values here."""
    found: dict[str, Any] = dict(step.node.entry.data.arguments)
    for name, expression in _options_that_are_sizes(step.node.entry, operator, step.sizes):
        if expression.symbols <= step.sizes.keys():
            _settle(found, name, expression.value(step.sizes), step)
    return found


def _settle(found: dict[str, Any], name: str, value: int, step: Step) -> None:
    """An option that is a size has that size's value; a number that the entry states too must be the same."""
    if found.setdefault(name, value) != value:
        raise SizeError(f"{step.node.entry.id} is called with {name} = {found[name]}, but the size is {value}")


def symbolic_options(
    entry: Entry, operator: Operator, names: Container[str]
) -> tuple[dict[str, Any], tuple[tuple[str, Size, int], ...]]:
    """The options of a call before sizes have values: those that are sizes as expressions.

    Args:
        entry: The component.
        operator: Its operator.
        names: The sizes that exist where it stands.

    Returns:
        The options, and for each one that the entry states as a number too: its name, the size, and the number.
    """
    found: dict[str, Any] = dict(entry.data.arguments)
    settled = []
    for name, expression in _options_that_are_sizes(entry, operator, names):
        if isinstance(found.setdefault(name, str(expression)), int):
            settled.append((name, expression, found[name]))
    return found, tuple(settled)


def _options_that_are_sizes(entry: Entry, operator: Operator, names: Container[str]) -> Iterator[tuple[str, Size]]:
    """Each option with the size that it is: a symbol of the entry, or the length of an axis of the result."""
    symbols = entry.data.symbols
    for name, symbol in symbols.items():
        if symbol.binds is not None and symbol.binds in operator.options and name in names:
            yield symbol.binds, size(name)
    bound = {symbol.binds: symbol for symbol in symbols.values() if symbol.binds is not None}
    for output in operator.contract.outputs:
        if output.name in bound and not output.batched:
            for axis, declared in zip(output.axes, bound[output.name].axes, strict=True):
                if str(axis) in operator.options:
                    yield str(axis), size(declared)
