"""Parameters: exactly the operator's learned arguments are listed, and every count reconciles with an independent one.

The account multiplies polynomials of sizes; the check counts the elements of arrays of the operator's own shapes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from atlas.checks.base import listed
from atlas.checks.interface import bound_to
from atlas.entries.atlas import Collection, Entry
from atlas.entries.collection import Model
from atlas.exceptions import SizeError
from atlas.graph.accounting import ModelAccount, account, grouped
from atlas.issues import Issue
from atlas.operators.registry import Operator
from atlas.sizes import size


def check_learned(entry: Entry, operator: Operator) -> list[Issue]:
    """What is counted is what the operator learns; the entry's interface must hold."""
    return list(_listed(entry, operator))


def check_counts(
    entry: Entry, collection: Collection, operator: Operator, accounts: Mapping[str, ModelAccount]
) -> tuple[str, list[Issue]]:
    """What was counted, for the page, and the issues; interface, shapes and sizes must hold."""
    if not isinstance(collection.data, Model):
        return _counts_of_symbols(entry, operator)
    counted = []
    for name, variant in collection.data.variants.items():
        try:
            account_ = accounts[name].entries[entry.id]
            total = account_.across.value({})
            independent = sum(_elements(entry, operator, sizes) for sizes in account_.places)
        except SizeError as error:
            message = f"in {name} the parameters cannot be counted: {error}"
            return "", [entry.issue_at_key(("symbols",), "A402", message)]
        if total != independent:
            message = f"{name} has {total:,} parameters here by its axes, {independent:,} by {operator.name}"
            return "", [entry.issue_at_key(("symbols",), "A402", message)]
        counted.append(f"{variant.title} {grouped(total)}")
    return f"counted for every variant over its layers: {', '.join(counted)}", []


def _counts_of_symbols(entry: Entry, operator: Operator) -> tuple[str, list[Issue]]:
    """A library binds no sizes, so its count, which is of symbols, is compared at sizes that are pairwise distinct."""
    count = account(entry, {}, None).per_instance
    names = {name for symbol in entry.data.symbols.values() for axis in symbol.axes for name in size(axis).symbols}
    sizes = {name: 420 * position + 420 for position, name in enumerate(sorted(names))}  # whole also where halved
    try:
        total, independent = count.value(sizes), _elements(entry, operator, sizes)
    except SizeError as error:
        return "", [entry.issue_at_key(("symbols",), "A402", f"the parameters cannot be counted: {error}")]
    if total != independent:
        tried = ", ".join(f"{name} = {value}" for name, value in sizes.items())
        message = f"there are {total:,} parameters here by their axes, {independent:,} by {operator.name}, with {tried}"
        return "", [entry.issue_at_key(("symbols",), "A402", message)]
    return f"{count} per instance, as many as {operator.name} has", []


def _listed(entry: Entry, operator: Operator) -> Iterator[Issue]:
    stated = {symbol.binds: name for name, symbol in entry.data.symbols.items() if symbol.parameter is not None}
    for argument in operator.parameters:
        symbol = bound_to(entry, argument)
        if symbol is not None and argument not in stated:
            message = f"{symbol} is a learned parameter of {operator.name} and is not counted"
            yield entry.issue_at_key(("symbols", symbol), "A401", message, "give it `parameter: ` and a name")
    for binds, name in stated.items():
        if binds not in operator.parameters:
            what = f"{binds} of {operator.name}" if binds else "no argument of the operator"
            message = (
                f"{name} is stated as a parameter but is {what}; learned are {listed(operator.parameters) or 'none'}"
            )
            yield entry.issue(("symbols", name, "parameter"), "A401", message)
    for name, declared in entry.data.symbols.items():
        if declared.tensor is not None and declared.parameter is None:
            message = f"{name} has a tensor upstream but is no parameter"
            yield entry.issue(("symbols", name, "tensor"), "A401", message, "give it `parameter: ` and a name")


def _elements(entry: Entry, operator: Operator, sizes: Mapping[str, int]) -> int:
    """How many elements the operator's parameters have, by its own contract and the sizes of the other arguments."""
    known: dict[str, int] = {}
    for argument in operator.contract.inputs:
        symbol = bound_to(entry, argument.name)
        if symbol is None or argument.name in operator.parameters:
            continue
        own, _ = argument.parted(tuple(entry.data.symbols[symbol].axes))
        for label, axis in zip(argument.axes, own, strict=True):
            expression = size(axis)
            if expression.symbols <= sizes.keys():
                known[str(label)] = expression.value(sizes)
    counts = []
    for argument in operator.contract.inputs:
        symbol = bound_to(entry, argument.name)
        if symbol is not None and argument.name in operator.parameters:  # one that may be left out need not be there
            axes = entry.data.symbols[symbol].axes
            lengths = [known.get(str(label)) for label in argument.axes]
            counts.append(prod(size(axis).value(sizes) if length is None else length
                               for length, axis in zip(lengths, axes, strict=True)))  # fmt: skip
    return sum(counts)
