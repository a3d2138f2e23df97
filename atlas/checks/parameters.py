"""Parameters: exactly the operator's learned arguments are listed, and every count reconciles with an independent one.

The account multiplies the axes that the entry states for a parameter; the check takes the lengths that the operator's
other arguments, its results and its options tell of that parameter, and says where they tell none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from atlas.checks.base import listed
from atlas.checks.call import axes_of, call_of, relations
from atlas.checks.interface import bound_to
from atlas.entries.atlas import Collection, Entry
from atlas.entries.collection import Model
from atlas.exceptions import SizeError
from atlas.formula.symbols import SymbolTable
from atlas.graph.accounting import Instance, ModelAccount, account, grouped, total
from atlas.issues import Issue
from atlas.operators.registry import Operator
from atlas.sizes import Size, product, size


def check_learned(entry: Entry, operator: Operator) -> list[Issue]:
    """What is counted is what the operator learns, and what a token uses of it; the entry's interface must hold."""
    return list(_listed(entry, operator)) or list(_used(entry, operator))


def check_counts(
    entry: Entry,
    collection: Collection,
    operator: Operator,
    table: SymbolTable,
    accounts: Mapping[str, ModelAccount] = MappingProxyType({}),
) -> tuple[str, list[Issue]]:
    """What was counted, for the page, and the issues; interface, shapes and sizes must hold.

    `accounts` has what each variant of a model has; a library has none.
    """
    try:
        independent, untold = _count(entry, operator, table)
        if isinstance(collection.data, Model):
            figure, message = _counts_of_variants(entry, collection.data, operator, independent, accounts)
        else:
            figure, message = _counts_of_symbols(entry, operator, total(independent.values()))
    except SizeError as error:
        figure, message = "", f"the parameters cannot be counted: {error}"
    if message:
        hint = "correct the axes of the parameters, or what is said of their parts"
        return "", [entry.issue_at_key(("symbols",), "A402", message, hint)]
    return f"{figure}; not counted independently: {listed(untold)}" if untold else figure, []


def _counts_of_variants(
    entry: Entry,
    model: Model,
    operator: Operator,
    independent: Mapping[str, Size],
    accounts: Mapping[str, ModelAccount],
) -> tuple[str, str]:
    """What was counted in every variant, or else what is wrong."""
    counted = []
    for name, variant in model.variants.items():
        try:
            found = accounts[name].entries[entry.id]
            count = found.across.value({})
            expected = sum(_own(independent, place).value(place.sizes) for place in found.places)
        except SizeError as error:
            return "", f"in {name} the parameters cannot be counted: {error}"
        if count != expected:
            return "", f"{name} has {count:,} parameters here by its axes, {expected:,} by {operator.name}"
        counted.append(f"{variant.title} {grouped(count)}")
    return f"counted for every variant over its layers: {', '.join(counted)}", ""


def _own(independent: Mapping[str, Size], place: Instance) -> Size:
    """What the parameters are in one place that are not tied to another component's there."""
    return total(count for name, count in independent.items() if name not in place.tied)


def _counts_of_symbols(entry: Entry, operator: Operator, independent: Size) -> tuple[str, str]:
    """A library binds no sizes, so its count, which is of symbols, is compared at sizes that are pairwise distinct."""
    count = account(entry, {}, None).per_instance
    names = sorted(count.symbols | independent.symbols)
    sizes = {name: 420 * position + 420 for position, name in enumerate(names)}  # whole also where halved
    stated, expected = count.value(sizes), independent.value(sizes)
    if stated != expected:
        tried = ", ".join(f"{name} = {value}" for name, value in sizes.items())
        return "", f"there are {stated:,} parameters here by their axes, {expected:,} by {operator.name}, with {tried}"
    return f"{count} per instance, as many as {operator.name} has", ""


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
            yield entry.issue(("symbols", name, "parameter"), "A401", message, "remove `parameter`")
    for name, declared in entry.data.symbols.items():
        # A learned argument without `parameter` is told of above.
        is_stored = declared.parameter is not None or declared.buffer is not None
        if declared.tensor is not None and not is_stored and declared.binds not in operator.parameters:
            message = f"{name} has a tensor upstream but is no parameter"
            hint = "give it `parameter: ` and a name, or `buffer: ` where it is not learned"
            yield entry.issue(("symbols", name, "tensor"), "A401", message, hint)


def _used(entry: Entry, operator: Operator) -> Iterator[Issue]:
    """Of each parameter a token uses what the operator uses for one, no more and no less."""
    shapes = {argument.name: [str(axis) for axis in argument.axes] for argument in operator.contract.inputs}
    for name, declared in entry.data.symbols.items():
        if declared.parameter is None or len(shapes[declared.binds or ""]) != len(declared.axes):
            continue  # axes that do not fit are told of with the shapes
        own = dict(zip(shapes[declared.binds or ""], declared.axes, strict=True))
        used = {own[axis]: option for axis, option in operator.active.get(declared.binds or "", {}).items()}
        parts = {axis: _option(entry, operator, option) for axis, option in used.items()}
        wanted = {size(axis): size(part) for axis, part in parts.items()}
        if {size(axis): size(part) for axis, part in declared.active.items()} != wanted:
            uses = listed(f"{part} of {axis}" for axis, part in parts.items()) or "all of it"
            message = f"of {name} one token uses {uses} in {operator.name}"
            stated = ", ".join(f"{axis}: {part}" for axis, part in parts.items())
            hint = f"write `active: {{{stated}}}`" if parts else "remove `active`"
            yield entry.issue_at_key(("symbols", name), "A403", message, hint)


def _option(entry: Entry, operator: Operator, name: str) -> str:
    """A whole option as entries write sizes: the symbol that stands for it, or else its value."""
    return bound_to(entry, name) or str(operator.check_options(entry.data.arguments)[name])


def _count(entry: Entry, operator: Operator, table: SymbolTable) -> tuple[dict[str, Size], list[str]]:
    """How many elements each of the operator's parameters has, by symbol, as all else that it takes and returns tells.

    The second value names the parameters of which nothing else tells a length, with the axes that have it: of these,
    the entry's own axis is taken, which proves nothing.
    """
    call = call_of(entry, operator, table)
    learned = [name for name in operator.parameters if name in call.inputs]  # one that may be left out may be missing
    others = {name: axes for name, axes in call.axes(entry).items() if name not in learned}
    results = {name: axes_of(entry, declared) for name, declared in call.results.items()}
    axes = {**others, **results, **{name: axes_of(entry, call.inputs[name]) for name in learned}}
    known = relations(table, dict.fromkeys(axes.values()))
    sizes, ranges = call.sizes(), call.ranges(entry)
    form = tuple(axes.items()), tuple(sizes.items()), tuple(ranges.items())
    counts: dict[str, Size] = {}
    untold = []
    for name in learned:
        if known:
            told = operator.contract.lengths(name, axes, sizes, known, ranges)
            count, open_axes = _product(told, axes[name], known)
        else:
            count, open_axes = _unrelated(operator, name, *form)
        counts[call.inputs[name]] = count
        if open_axes:
            label = entry.data.symbols[call.inputs[name]].parameter or name
            untold.append(f"{label} ({', '.join(open_axes)})")
    return counts, untold


# Cached, as the entries of one operator mostly have the same axes.
@lru_cache(maxsize=1024)
def _unrelated(
    operator: Operator,
    name: str,
    axes: tuple[tuple[str, tuple[str, ...]], ...],
    sizes: tuple[tuple[str, str], ...],
    ranges: tuple[tuple[str, str], ...],
) -> tuple[Size, tuple[str, ...]]:
    """How many elements a parameter has where the entry relates no sizes, and the axes that nothing else tells."""
    told = operator.contract.lengths(name, dict(axes), dict(sizes), {}, dict(ranges))
    return _product(told, dict(axes)[name], {})


def _product(
    told: Sequence[Size | None], axes: Sequence[str], known: Mapping[str, Size]
) -> tuple[Size, tuple[str, ...]]:
    """The product of a parameter's lengths as they are told, and those of its own axes that are not."""
    pairs = list(zip(told, map(size, axes), strict=True))
    count = product(_told(length, axis, known) for length, axis in pairs)
    return count, tuple(dict.fromkeys(str(axis) for length, axis in pairs if length is None))


def _told(length: Size | None, own: Size, known: Mapping[str, Size]) -> Size:
    """A length in the entry's own words where it is the same: a variant need not give other sizes a value."""
    if length is None or length == own:
        return own
    return own if length.substitute(known) == own.substitute(known) else length
