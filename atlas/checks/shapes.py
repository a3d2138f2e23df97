"""Shapes: the axes that an entry declares, against the operator's contract symbolically and on arrays.

The sizes drawn for the arrays are pairwise distinct, so that two axes cannot agree by chance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from random import Random
from typing import Any

import numpy as np

from atlas.checks.base import listed
from atlas.checks.interface import bound_to
from atlas.entries.atlas import Entry
from atlas.exceptions import AtlasError, ShapeError, SizeError
from atlas.issues import Issue
from atlas.operators.contract import Array
from atlas.operators.registry import Operator
from atlas.sizes import Size, size

SEED = 20160721
"""Seed of the arrays; any would do."""
FIRST_SIZES = (3, 4, 5, 7, 9, 11, 13, 17, 19, 23)
"""The sizes given to size symbols in alphabetic order: small and pairwise distinct."""
TRIES = 2000
"""How many other sizes are drawn where those do not fit, as with an axis `d/h`."""
MAX_ELEMENTS = 10_000_000
"""How many elements an array may have."""
MAX_AXES = 32
"""How many axes an array may have."""


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
    except SizeError as error:
        return "", [entry.issue_at_key(("symbols",), "A303", f"there are no sizes to try the axes with: {error}")]
    try:
        outputs = run(entry, operator, arrays)
    except AtlasError as error:
        reason = "; ".join(str(error).splitlines())
        return "", [entry.issue_at_key(("symbols",), "A302", f"{operator.name} refuses arrays of these axes: {reason}")]
    issues = list(_on_arrays(entry, outputs, sizes))
    tried = ", ".join(f"{name} = {value}" for name, value in sorted(sizes.items()))
    return f"in and out shapes agree with {operator.name}, symbolically and on arrays with {tried}", issues


def sample_arrays(entry: Entry, operator: Operator, rng: np.random.Generator) -> tuple[dict[str, Any], dict[str, int]]:
    """Random float64 arrays for the operator's arguments, with the sizes that were given to the size symbols.

    Raises:
        SizeError: no small sizes give every axis a length, or the arrays would be too large.
    """
    axes = {name: [size(axis) for axis in symbol.axes] for name, symbol in entry.data.symbols.items()}
    sizes = fitting_sizes([axis for each in axes.values() for axis in each])
    bound = {argument.name: bound_to(entry, argument.name) for argument in operator.contract.inputs}
    shapes = {
        name: [axis.value(sizes) for axis in axes[symbol]] for name, symbol in bound.items() if symbol is not None
    }
    largest = max((prod(shape) for shape in shapes.values()), default=0)
    if largest > MAX_ELEMENTS or any(len(shape) > MAX_AXES for shape in shapes.values()):
        raise SizeError(f"an array of {largest:,} elements is too large")
    return {name: rng.normal(size=shape) for name, shape in shapes.items()}, sizes


def fitting_sizes(axes: Sequence[Size]) -> dict[str, int]:
    """Small, pairwise distinct sizes with which every axis has a length of at least 1.

    Raises:
        SizeError: none were found.
    """
    symbols = sorted({name for axis in axes for name in axis.symbols})
    sizes = dict(zip(symbols, _distinct(len(symbols)), strict=True))
    pool = range(2, 26 + len(symbols))
    draws = Random(SEED)  # noqa: S311  not for secrets
    for _ in range(TRIES):
        problem = _misfit(axes, sizes)
        if not problem:
            return sizes
        if not symbols:
            break
        sizes = dict(zip(symbols, draws.sample(pool, len(symbols)), strict=True))
    raise SizeError(problem)


def _misfit(axes: Sequence[Size], sizes: Mapping[str, int]) -> str:
    """Why an axis has no length with these sizes, or an empty text."""
    for axis in axes:
        try:
            if (length := axis.value(sizes)) < 1:
                return f"{axis} is {length}"
        except SizeError as error:
            return str(error)
    return ""


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
    misfits = _misfits(operator, given)
    if misfits:
        for name, message in _fewest(operator, given, misfits).items():
            symbol = bound_to(entry, name)
            path = ("symbols", symbol, "axes") if symbol is not None else ("symbols",)
            yield entry.issue(path, "A301", message)
        return
    for name, axes in operator.contract.bind_labels(given).items():
        symbol = bound_to(entry, name)
        if symbol is not None and labels[symbol] != axes:
            declared, found = ", ".join(labels[symbol]), ", ".join(axes)
            message = f"{symbol} is declared with axes [{declared}], but {operator.name} returns [{found}]"
            yield entry.issue(("symbols", symbol, "axes"), "A301", message, f"write `axes: [{found}]`")


def _misfits(operator: Operator, given: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Each argument whose axes do not fit, with the message."""
    try:
        operator.contract.bind_labels(given)
    except ShapeError as error:
        return dict(error.misfits or ((next(iter(given), ""), str(error)),))
    return {}


def _fewest(operator: Operator, given: Mapping[str, tuple[str, ...]], misfits: dict[str, str]) -> dict[str, str]:
    """The misfits, or one argument alone where everything else fits together without it."""
    for name in given:
        rest = {other: axes for other, axes in given.items() if other != name}
        if len(misfits) > 1 and _misfits(operator, rest).keys() <= {name}:
            others = listed(f"{other} [{', '.join(axes)}]" for other, axes in rest.items())
            return {name: f"{name} has axes [{', '.join(given[name])}], which do not fit {others}"}
    return misfits


def _on_arrays(entry: Entry, outputs: Mapping[str, Array], sizes: Mapping[str, int]) -> Iterator[Issue]:
    for name, array in outputs.items():
        symbol = bound_to(entry, name)
        if symbol is None:
            continue
        expected = tuple(size(axis).value(sizes) for axis in entry.data.symbols[symbol].axes)
        if array.shape != expected:
            message = f"{symbol} has the shape {array.shape} on arrays, but its axes say {expected}"
            yield entry.issue(("symbols", symbol, "axes"), "A302", message)
