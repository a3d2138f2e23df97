"""Sizes of a collection: each symbol in an axis has a meaning, each meaning is used, variants give what counts need.

All of a collection is looked at together, so that a dimension that is misspelt once is reported once.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from atlas.checks.base import listed
from atlas.entries.atlas import Collection, Entry, Placed
from atlas.entries.collection import Model, Stack
from atlas.entries.tree import KeyPath
from atlas.exceptions import SizeError
from atlas.issues import Issue
from atlas.sizes import size, symbols_of


@dataclass(frozen=True, slots=True)
class _Use:
    """One place where sizes are named."""

    owner: Placed
    """The file's object."""
    path: KeyPath
    """The key path of the value, or of the key."""
    at_key: bool
    """Whether the size is the key."""
    names: frozenset[str]
    """The size symbols."""


def check_sizes(collection: Collection) -> Iterator[Issue]:
    """Every size is a dimension with a meaning, and every dimension is used."""
    data = collection.data
    uses = list(_uses(collection))
    unknown = [use for use in uses if not use.names <= data.dimensions.keys()]
    unused = [name for name in data.dimensions if not any(name in use.names for use in uses)]
    yield from _unknown(collection, unknown, unused)
    if collection.whole and not unknown:
        for name in unused:
            message = f"nothing has the size {name}"
            hint = "remove it, or use it in an entry's axes"
            yield collection.issue_at_key(("dimensions", name), "A122", message, hint)


def check_variants(collection: Collection, entries: Sequence[Entry]) -> Iterator[Issue]:
    """Every variant gives a value to each size that a count needs; only the entries given are to be counted."""
    if isinstance(collection.data, Model):
        yield from _variants_bind(collection, collection.data, entries)
        yield from _layers_are_whole(collection, collection.data)
        bound = _bound(collection.data)
        for entry in entries:
            yield from _axes_are_lengths(entry, bound)


def sizes_are_known(entry: Entry, collection: Collection) -> bool:
    """Whether each size in an entry's axes is a dimension of its collection."""
    return all(use.names <= collection.data.dimensions.keys() for use in _uses_of_entry(entry))


def _unknown(collection: Collection, unknown: list[_Use], unused: list[str]) -> Iterator[Issue]:
    """One issue for each name that is no dimension, at the first place that uses it."""
    dimensions = collection.data.dimensions
    counts = Counter(name for use in unknown for name in use.names)
    reported: set[str] = set()
    for use in unknown:
        names = sorted(use.names - dimensions.keys() - reported)
        reported.update(names)
        if not names:
            continue
        more = f" (the first of {max(counts[name] for name in names)} places)" if counts[names[0]] > 1 else ""
        what = f"the size {names[0]} is not" if len(names) == 1 else f"the sizes {listed(names)} are not"
        message = f"{what} among the dimensions of {collection.path}{more}"
        at = use.owner.issue_at_key if use.at_key else use.owner.issue
        yield at(use.path, "A121", message, _hint(names, list(dimensions), unused))


def _hint(names: list[str], dimensions: list[str], unused: list[str]) -> str:
    near = difflib.get_close_matches(names[0], dimensions, n=1) if len(names) == 1 else []
    if near:
        return f"did you mean `{near[0]}`?"
    if unused:
        return f"did you mean `{unused[0]}`, which nothing has?"
    return f"there is {listed(sorted(dimensions))}"


def _uses(collection: Collection) -> Iterator[_Use]:
    data = collection.data
    if isinstance(data, Model):
        for path, stack in data.paths.items():
            yield from _uses_of_stack(collection, path, stack)
        for name, declared in data.inputs.items():
            for index, axis in enumerate(declared.axes):
                yield _Use(collection, ("inputs", name, "axes", index), False, symbols_of(axis))
            if declared.ids is not None:
                yield _Use(collection, ("inputs", name, "ids"), False, symbols_of(declared.ids))
        yield from _uses_of_upstream(collection, data)
        for name, variant in data.variants.items():
            for symbol in variant.sizes:
                yield _Use(collection, ("variants", name, "sizes", symbol), True, frozenset((symbol,)))
    for entry in collection.entries:
        yield from _uses_of_entry(entry)


def _uses_of_upstream(collection: Collection, data: Model) -> Iterator[_Use]:
    """Sizes that keys of a configuration are, or that their defaults follow from."""
    if data.upstream is None:
        return
    for kind, stated in (("keys", data.upstream.keys), ("defaults", data.upstream.defaults)):
        for name, expressions in stated.items():
            if isinstance(expressions, tuple):
                for index, one in enumerate(expressions):
                    yield _Use(collection, ("upstream", kind, name, index), False, symbols_of(one))
            else:
                yield _Use(collection, ("upstream", kind, name), False, symbols_of(expressions))


def _uses_of_stack(collection: Collection, path: str, stack: Stack) -> Iterator[_Use]:
    where: KeyPath = tuple(part for name in path.split("/") for part in ("stacks", name))
    if stack.layers is not None:
        yield _Use(collection, (*where, "layers"), False, symbols_of(stack.layers))
    for key, sizes in (("with", stack.with_), ("then", stack.then)):
        for name, expression in sizes.items():
            yield _Use(collection, (*where, key, name), True, frozenset((name,)))
            yield _Use(collection, (*where, key, name), False, symbols_of(expression))
    for name, called in stack.ends.items():
        yield _Use(collection, (*where, "ends", name), False, frozenset((called,)))
    for index, name in enumerate(stack.varies):
        yield _Use(collection, (*where, "varies", index), False, frozenset((name,)))
    for index, component in enumerate(stack.components):
        if not isinstance(component, str):
            for name, expression in component.with_.items():
                yield _Use(collection, (*where, "components", index, "with", name), False, symbols_of(expression))


def _uses_of_entry(entry: Entry) -> Iterator[_Use]:
    for name, symbol in entry.data.symbols.items():
        for index, axis in enumerate(symbol.axes):
            yield _Use(entry, ("symbols", name, "axes", index), False, symbols_of(axis))
        if symbol.ids is not None:
            yield _Use(entry, ("symbols", name, "ids"), False, symbols_of(symbol.ids))
        for axis, part in symbol.active.items():
            yield _Use(entry, ("symbols", name, "active", axis), False, symbols_of(part))
    for name, state in entry.data.state.items():
        for index, axis in enumerate(state.axes):
            yield _Use(entry, ("state", name, "axes", index), False, symbols_of(axis))
    for index, axis in enumerate(entry.data.batch):
        yield _Use(entry, ("batch", index), False, frozenset((axis,)))


def _needs(model: Model, entries: Iterable[Entry]) -> dict[str, str]:
    """The sizes that need a value, each with the first thing that needs it."""
    found: dict[str, str] = {}
    for name, stack in model.paths.items():
        for symbol in sorted(symbols_of(stack.layers) if stack.layers is not None else ()):
            found.setdefault(symbol, f"the number of layers of {name}")
        for symbol in stack.varies:
            found.setdefault(symbol, f"the layers of {name}")
    for entry in entries:
        for name, declared in entry.data.symbols.items():
            if declared.parameter is not None:
                for symbol in sorted({symbol for axis in declared.axes for symbol in symbols_of(axis)}):
                    found.setdefault(symbol, f"the parameter {name} of {entry.id}")
    for name, variant in model.variants.items():
        for symbol in variant.sizes:
            found.setdefault(symbol, f"the variant {name}, which gives it one")
    by_stacks = {name for stack in model.paths.values() for name in (*stack.with_, *stack.ends.values())}
    return {symbol: why for symbol, why in found.items() if symbol in model.dimensions.keys() - by_stacks}


def _variants_bind(collection: Collection, model: Model, entries: Iterable[Entry]) -> Iterator[Issue]:
    """Each size that a count needs or that another variant gives has a value in every variant."""
    needed = _needs(model, entries)
    for name, variant in model.variants.items():
        if not variant.sizes.keys() <= model.dimensions.keys():
            continue  # the name that is no dimension may be meant as the one that is missing
        for symbol in sorted(needed.keys() - variant.sizes.keys()):
            message = f"the variant {name} gives the size {symbol} no value; it is needed by {needed[symbol]}"
            path = ("variants", name, "sizes")
            yield collection.issue_at_key(path, "A120", message, f"add `{symbol}: …` to its sizes")


def _bound(model: Model) -> dict[str, dict[str, int]]:
    """For each variant the sizes that have one value in all of the model."""
    by_stacks = {name for stack in model.paths.values() for name in (*stack.with_, *stack.ends.values())}
    return {
        name: {symbol: number for symbol, number in variant.numbers.items() if symbol not in by_stacks}
        for name, variant in model.variants.items()
    }


def _axes_are_lengths(entry: Entry, bound: Mapping[str, Mapping[str, int]]) -> Iterator[Issue]:
    """In every variant, each axis whose sizes are bound is at least 1 long."""
    for name, symbol in entry.data.symbols.items():
        for index, axis in enumerate(symbol.axes):
            for variant_name, numbers in bound.items():
                if not symbols_of(axis) <= numbers.keys():
                    continue
                try:
                    problem = f"{axis} is {count}" if (count := size(axis).value(numbers)) < 1 else ""
                except SizeError as error:
                    problem = str(error)
                if problem:
                    message = f"in the variant {variant_name} this axis has no length: {problem}"
                    hint = f"correct the axis, or the sizes of the variant {variant_name}"
                    yield entry.issue(("symbols", name, "axes", index), "A402", message, hint)
                    return


def _layers_are_whole(collection: Collection, model: Model) -> Iterator[Issue]:
    for name, stack in model.stacks.items():
        layers = size(stack.layers if stack.layers is not None else 1)
        for variant_name, variant in model.variants.items():
            if not layers.symbols <= variant.numbers.keys():
                continue
            try:
                problem = f"{layers} is {count}" if (count := layers.value(variant.numbers)) < 1 else ""
            except SizeError as error:
                problem = str(error)
            if problem:
                message = f"the variant {variant_name} has no number of layers of {name}: {problem}"
                hint = f"correct `layers`, or the sizes of the variant {variant_name}"
                yield collection.issue(("stacks", name, "layers"), "A402", message, hint)
                break
