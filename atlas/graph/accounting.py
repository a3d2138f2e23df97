"""Parameters counted from the axes that entries state: per instance, times layers, for every variant.

Nothing here is typed by a contributor; a count is a product of sizes, and a total is the sum of the counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from atlas.entries.atlas import Collection, Entry
from atlas.entries.collection import Model
from atlas.sizes import Size, constant, product, size


@dataclass(frozen=True, slots=True)
class Parameter:
    """One learned tensor of a component."""

    label: str
    """Its name in the table."""
    symbol: str
    """Its symbol in the formula."""
    argument: str
    """The operator's argument that it is."""
    tensor: str | None
    """The name under which upstream stores it."""
    axes: tuple[Size, ...]
    """The lengths of its axes."""

    @property
    def count(self) -> Size:
        """How many numbers it holds."""
        return product(self.axes)


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table of parameters, with sizes bound as far as they can be."""

    label: str
    """The parameter's name."""
    symbol: str
    """Its symbol, in LaTeX."""
    calculation: str
    """The product of its axes, in LaTeX: `512 \\times 2{,}048`, or of symbols in a library."""
    count: Size
    """How many numbers it holds: the calculation's result; a number where all sizes are bound."""


@dataclass(frozen=True, slots=True)
class Account:
    """The parameters of one component under one binding of sizes."""

    rows: tuple[Row, ...]
    """The learned tensors."""
    per_instance: Size
    """Their sum."""
    layers: int | None
    """How many layers repeat the component; None in a library."""
    across: Size
    """Per instance times layers."""


@dataclass(frozen=True, slots=True)
class StackAccount:
    """The parameters of one stack under one variant."""

    name: str
    """The stack's name in the collection."""
    layers: int
    """How many layers it has."""
    per_layer: int
    """The parameters of one layer."""
    total: int
    """Per layer times layers."""


def parameters(entry: Entry) -> tuple[Parameter, ...]:
    """The learned tensors of an entry, in the order of its symbols."""
    return tuple(
        Parameter(symbol.parameter, name, symbol.binds or "", symbol.tensor, tuple(size(axis) for axis in symbol.axes))
        for name, symbol in entry.data.symbols.items()
        if symbol.parameter is not None
    )


def account(entry: Entry, bindings: Mapping[str, int], layers: int | None) -> Account:
    """The parameters of one component with sizes bound; sizes without a binding stay symbols."""
    rows = tuple(_row(parameter, bindings) for parameter in parameters(entry))
    per_instance = total(row.count for row in rows)
    return Account(rows, per_instance, layers, per_instance * constant(1 if layers is None else layers))


def stack_accounts(collection: Collection, variant: str) -> tuple[StackAccount, ...]:
    """The parameters of a model's stacks in one variant, over the components that have entries."""
    model = collection.data
    if not isinstance(model, Model):
        raise TypeError(f"{collection.id} is a library; only a model has stacks")
    sizes = model.variants[variant].sizes
    accounts = []
    for name, stack in model.stacks.items():
        layers = size(stack.layers).value(sizes)
        counts = [account(entry, sizes, None).per_instance for entry in collection.entries if entry.stack == name]
        per_layer = total(counts).value({})
        accounts.append(StackAccount(name, layers, per_layer, per_layer * layers))
    return tuple(accounts)


def layers_of(entry: Entry, collection: Collection, bindings: Mapping[str, int]) -> int | None:
    """How many layers repeat an entry under a binding; None in a library."""
    stack = collection.stack_of(entry)
    return None if stack is None else size(stack.layers).value(bindings)


def total(counts: Iterable[Size]) -> Size:
    """The sum of counts."""
    result = constant(0)
    for count in counts:
        result = result + count
    return result


def bound(expression: Size, bindings: Mapping[str, int]) -> Size:
    """The expression as a number where every symbol is bound, else as it is."""
    return constant(expression.value(bindings)) if expression.symbols <= bindings.keys() else expression


def grouped(number: int) -> str:
    """A number with commas between groups of three digits, as running text shows it."""
    return f"{number:,}"


def latex_number(number: int) -> str:
    """A number with commas that LaTeX does not space: `1{,}024`."""
    return grouped(number).replace(",", "{,}")


def latex_size(expression: Size) -> str:
    """A size in LaTeX, a number with grouped digits."""
    return str(expression) if expression.number is None else latex_number(expression.number)


def _row(parameter: Parameter, bindings: Mapping[str, int]) -> Row:
    axes = [bound(axis, bindings) for axis in parameter.axes]
    factors = [f"({axis})" if len(axis.terms) > 1 and len(axes) > 1 else latex_size(axis) for axis in axes]
    return Row(parameter.label, parameter.symbol, r" \times ".join(factors) or "1", product(axes))
