"""Shapes: the axes that an entry declares, against the operator's contract symbolically and on arrays.

The sizes drawn for the arrays are pairwise distinct, so that two axes cannot agree by chance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from atlas.checks.interface import bound_to
from atlas.entries.atlas import Entry
from atlas.exceptions import AtlasError, ShapeError, SizeError
from atlas.issues import Issue
from atlas.operators.contract import Array
from atlas.operators.registry import Operator
from atlas.sizes import size

SEED = 20160721
"""Seed of the arrays; any would do."""
FIRST_SIZES = (3, 4, 5, 7, 9, 11, 13, 17, 19, 23)
"""The sizes given to size symbols in alphabetic order: small and pairwise distinct."""


def check_shapes(entry: Entry, operator: Operator) -> tuple[str, list[Issue]]:
    """What was found, for the page, and the issues; the entry's interface must hold."""
    labels = {
        name: tuple(str(size(axis)) for axis in symbol.axes)
        for name, symbol in entry.data.symbols.items()
        if symbol.binds is not None
    }
    issues = list(_symbolically(entry, operator, labels))
    if issues:
        return "", issues
    try:
        arrays, sizes = sample_arrays(entry, operator, np.random.default_rng(SEED))
        outputs = run(entry, operator, arrays)
    except SizeError as error:
        return "", [entry.issue_at_key(("symbols",), "A303", f"the axes have no sizes to try: {error}")]
    except AtlasError as error:
        return "", [entry.issue_at_key(("symbols",), "A302", f"{operator.name} refuses arrays of these axes: {error}")]
    issues = list(_on_arrays(entry, outputs, sizes))
    tried = ", ".join(f"{name} = {value}" for name, value in sorted(sizes.items()))
    return f"in and out shapes agree with {operator.name}, symbolically and on arrays with {tried}", issues


def sample_arrays(entry: Entry, operator: Operator, rng: np.random.Generator) -> tuple[dict[str, Any], dict[str, int]]:
    """Random float64 arrays for the operator's arguments, with the sizes that were given to the size symbols."""
    symbols = sorted(
        {name for symbol in entry.data.symbols.values() for axis in symbol.axes for name in size(axis).symbols}
    )
    sizes = dict(zip(symbols, _distinct(len(symbols)), strict=True))
    arrays = {}
    for argument in operator.contract.inputs:
        symbol = bound_to(entry, argument.name)
        if symbol is not None:
            shape = [size(axis).value(sizes) for axis in entry.data.symbols[symbol].axes]
            arrays[argument.name] = rng.normal(size=shape)
    return arrays, sizes


def run(entry: Entry, operator: Operator, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """The operator's outputs by name, with the entry's own options."""
    result = operator(**arrays, **entry.data.arguments)
    names = [output.name for output in operator.contract.outputs]
    return dict(zip(names, (result,) if len(names) == 1 else tuple(result), strict=True))


def _distinct(count: int) -> tuple[int, ...]:
    more = range(FIRST_SIZES[-1] + 1, FIRST_SIZES[-1] + 1 + max(0, count - len(FIRST_SIZES)))
    return (*FIRST_SIZES, *more)[:count]


def _symbolically(entry: Entry, operator: Operator, labels: Mapping[str, tuple[str, ...]]) -> Iterator[Issue]:
    names = [argument.name for argument in operator.contract.inputs]
    given = {name: labels[symbol] for name in names if (symbol := bound_to(entry, name)) is not None}
    try:
        outputs = operator.contract.bind_labels(given)
    except ShapeError as error:
        for name, message in error.misfits or ((names[0], str(error)),):
            symbol = bound_to(entry, name)
            path = ("symbols", symbol, "axes") if symbol is not None else ("symbols",)
            yield entry.issue(path, "A301", message)
        return
    for name, axes in outputs.items():
        symbol = bound_to(entry, name)
        if symbol is not None and labels[symbol] != axes:
            declared, found = ", ".join(labels[symbol]), ", ".join(axes)
            message = f"{symbol} is declared with axes [{declared}], but {operator.name} returns [{found}]"
            yield entry.issue(("symbols", symbol, "axes"), "A301", message, f"write `axes: [{found}]`")


def _on_arrays(entry: Entry, outputs: Mapping[str, Array], sizes: Mapping[str, int]) -> Iterator[Issue]:
    for name, array in outputs.items():
        symbol = bound_to(entry, name)
        if symbol is None:
            continue
        expected = tuple(size(axis).value(sizes) for axis in entry.data.symbols[symbol].axes)
        if array.shape != expected:
            message = f"{symbol} has the shape {array.shape} on arrays, but its axes say {expected}"
            yield entry.issue(("symbols", symbol, "axes"), "A302", message)
