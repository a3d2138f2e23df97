"""Parameters counted from the axes that entries state: per instance, times layers, for every variant.

Nothing here is typed by a contributor; a count is a product of sizes, and a total is the sum of the counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from atlas.entries.atlas import Entry
from atlas.graph.options import options_of
from atlas.graph.structure import Block, Graph
from atlas.graph.unroll import Place, Sizes, Step, unroll
from atlas.graph.weights import Weight, weights_of
from atlas.operators.catalogue import find
from atlas.sizes import Size, constant, product, size

TABLES = frozenset(("embedding", "position"))
"""The kinds of operators whose parameters are look-up tables."""


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
    tied: bool
    """Whether it is the same as another component's, and so no part of the sum here."""


@dataclass(frozen=True, slots=True)
class Instance:
    """A component in one place."""

    sizes: Mapping[str, int]
    """The values of the sizes that are bound."""
    tied: frozenset[str]
    """The symbols of parameters that are the same as another component's."""


@dataclass(frozen=True, slots=True)
class Account:
    """The parameters of one component under one binding of sizes."""

    rows: tuple[Row, ...]
    """The learned tensors."""
    per_instance: Size
    """Their sum."""
    layers: int | None
    """How many places have the component with weights of its own; None in a library."""
    across: Size
    """Per instance times layers; where layers differ, their sum."""
    uniform: bool
    """Whether all layers have the same count; else `rows` and `per_instance` are those of the first."""
    places: tuple[Instance, ...]
    """Each place that has the component with weights of its own."""


@dataclass(frozen=True, slots=True)
class StackAccount:
    """The parameters of one stack under one variant."""

    name: str
    """The stack's path in the collection."""
    layers: int
    """How often its layer is gone through with weights of its own; 1 for a part without layers."""
    per_layer: int | None
    """The parameters of one layer; None where layers differ."""
    total: int
    """The parameters of all layers."""


@dataclass(frozen=True, slots=True)
class ModelAccount:
    """What one variant of a model has and does; every figure is a sum over the steps of its graph."""

    entries: Mapping[str, Account]
    """The parameters of each entry by id."""
    stacks: tuple[StackAccount, ...]
    """The parameters of each stack, those within others after them."""
    nodes: Mapping[str, int]
    """The parameters of each node in its first place, by id; those that are tied are not counted."""
    across: Mapping[str, int]
    """The parameters of each node in all its places."""
    total: int
    """All learned numbers, those of tied parameters once."""
    active: int
    """The learned numbers that one token meets: of routed experts only those that it is sent to."""
    embedding: int
    """The learned numbers of look-up tables: token embeddings and learned positions."""
    buffers: int
    """Numbers that are kept and not learned, such as running means; no part of any total."""
    cache: int
    """How many numbers are kept for each token that the model generates."""
    input_cache: int
    """How many numbers are kept for each token of an input that is read whole before the model generates."""
    window_cache: int
    """How many numbers are kept for each of the last tokens, as many as a window holds."""
    constant_state: int
    """How many numbers are kept whatever the length."""
    macs: Size
    """The multiply–accumulates of matrix products and convolutions of a forward pass, in the sizes of the inputs."""

    @property
    def non_embedding(self) -> int:
        """All learned numbers but those of look-up tables."""
        return self.total - self.embedding


def parameters(entry: Entry) -> tuple[Parameter, ...]:
    """The learned tensors of an entry, in the order of its symbols."""
    return tuple(
        Parameter(symbol.parameter, name, symbol.binds or "", symbol.tensor, tuple(size(axis) for axis in symbol.axes))
        for name, symbol in entry.data.symbols.items()
        if symbol.parameter is not None
    )


def account(entry: Entry, bindings: Mapping[str, int], layers: int | None, tied: Container[str] = ()) -> Account:
    """The parameters of one component with sizes bound; sizes without a binding stay symbols.

    Those that are tied to another component's are listed and not added.
    """
    rows = tuple(_row(parameter, bindings, parameter.symbol in tied) for parameter in parameters(entry))
    per_instance = total(row.count for row in rows if not row.tied)
    return Account(
        rows,
        per_instance,
        layers,
        per_instance * constant(1 if layers is None else layers),
        True,
        (Instance(bindings, frozenset()),),
    )


def model_account(graph: Graph, sizes: Sizes) -> ModelAccount:
    """Everything that is counted of a model with the sizes of a variant; sizes of inputs stay symbols.

    Raises:
        SizeError: a size is missing or gives no length.
        ShapeError: a layout does not fit its symbol.
    """
    steps = list(unroll(graph, sizes))
    alike = _alike(steps)
    listed = list(weights_of(steps))
    learned = [weight for weight in listed if weight.learned]
    own = [weight for weight in learned if weight.tied is None]
    by_entry: dict[str, list[Step]] = {}
    for step in steps:
        by_entry.setdefault(step.node.entry.id, []).append(step)
    macs: dict[str, Size] = {}
    tables = {node.id for node in graph.nodes if find(node.entry.data.operator).kind in TABLES}
    return ModelAccount(
        entries={name: _instances(found) for name, found in by_entry.items()},
        stacks=tuple(_stack(block, around, steps, own) for around, block in _nested(graph.blocks, ())),
        nodes=_nodes(own),
        across=_across(own),
        total=sum(weight.count for weight in own),
        active=sum(weight.active for weight in own),
        embedding=sum(weight.count for weight in own if weight.node.id in tables),
        buffers=sum(weight.count for weight in listed if not weight.learned),
        cache=sum(times * _kept(step, "token") for step, times in alike),
        input_cache=sum(times * _kept(step, "input") for step, times in alike),
        window_cache=sum(times * _kept(step, "window") for step, times in alike),
        constant_state=sum(times * _kept(step, "constant") for step, times in alike),
        macs=total(constant(times) * multiply_accumulates(step, macs) for step, times in alike),
    )


def _alike(steps: Iterable[Step]) -> list[tuple[Step, int]]:
    """Steps of which no two have the same component at the same sizes, each with how often it is taken."""
    first: dict[tuple[object, ...], Step] = {}
    times: Counter[tuple[object, ...]] = Counter()
    for step in steps:
        key = (step.node.id, *step.sizes.items(), *step.terms.items())
        first.setdefault(key, step)
        times[key] += 1
    return [(step, times[key]) for key, step in first.items()]


def multiply_accumulates(step: Step, counted: dict[str, Size] | None = None) -> Size:
    """Those of one step, with the sizes bound that are known; `counted` keeps what calls of the same form make."""
    data = step.node.entry.data
    axes = {symbol.binds: tuple(map(str, symbol.axes)) for symbol in data.symbols.values() if symbol.binds is not None}
    operator = find(data.operator)
    labels = {argument.name: axes[argument.name] for argument in operator.contract.inputs if argument.name in axes}
    options = options_of(step, operator)
    form = repr((operator.name, labels, options))
    counted = {} if counted is None else counted
    if form not in counted:
        counted[form] = operator.macs(labels, options)
    return counted[form].substitute({**step.terms, **{name: constant(value) for name, value in step.sizes.items()}})


def _instances(steps: Sequence[Step]) -> Account:
    """The parameters of one entry over all its places."""
    entry = steps[0].node.entry
    places = {(step.node.id, step.weights): step for step in steps}
    first = next(iter(places.values()))
    one = account(entry, first.sizes, len(places), tied=first.node.tied.keys())
    counts: Counter[Size] = Counter()
    for step, times in _alike(places.values()):
        there = one if step is first else account(entry, step.sizes, None, tied=step.node.tied.keys())
        counts[there.per_instance] += times
    found = tuple(Instance(step.sizes, frozenset(step.node.tied)) for step in places.values())
    across = total(constant(times) * count for count, times in counts.items())
    return replace(one, across=across, uniform=len(counts) == 1, places=found)


def _nodes(own: Sequence[Weight]) -> dict[str, int]:
    """The parameters of each node in its first place."""
    first: dict[str, Place] = {}
    counts: dict[str, int] = {}
    for weight in own:
        if first.setdefault(weight.node.id, weight.place) == weight.place:
            counts[weight.node.id] = counts.get(weight.node.id, 0) + weight.count
    return counts


def _across(own: Sequence[Weight]) -> dict[str, int]:
    """The parameters of each node in all its places."""
    counts: dict[str, int] = {}
    for weight in own:
        counts[weight.node.id] = counts.get(weight.node.id, 0) + weight.count
    return counts


def _stack(block: Block, around: Sequence[Block], steps: Sequence[Step], own: Sequence[Weight]) -> StackAccount:
    inside = {node.id for node in block.nodes}
    layers: dict[Place, int] = {}
    depth = sum(one.stack.layers is not None for one in around)
    for step in steps:
        if step.node.id in inside:
            layers.setdefault(step.weights[:depth], 0)
    for weight in own:
        if weight.node.id in inside:
            layers[weight.place[:depth]] += weight.count
    counts = set(layers.values())
    return StackAccount(block.id, len(layers), counts.pop() if len(counts) == 1 else None, sum(layers.values()))


def _nested(blocks: Iterable[Block], around: tuple[Block, ...]) -> Iterator[tuple[tuple[Block, ...], Block]]:
    """Every block with itself and those around it, outermost first."""
    for block in blocks:
        path = (*around, block)
        yield path, block
        yield from _nested([child for child in block.children if isinstance(child, Block)], path)


def _kept(step: Step, lifetime: str) -> int:
    """How many numbers a step keeps for each token, or in all."""
    state = step.node.entry.data.state.values()
    axes = [[size(axis) for axis in one.axes] for one in state if one.lifetime == lifetime]
    return sum(product(each).value(step.sizes) for each in axes)


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


def _row(parameter: Parameter, bindings: Mapping[str, int], tied: bool) -> Row:
    axes = [bound(axis, bindings) for axis in parameter.axes]
    factors = [f"({axis})" if len(axis.terms) > 1 and len(axes) > 1 else latex_size(axis) for axis in axes]
    return Row(parameter.label, parameter.symbol, r" \times ".join(factors) or "1", product(axes), tied)
