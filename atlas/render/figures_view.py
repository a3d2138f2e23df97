"""What a model's page shows of its graph: the diagram, the counts of every variant, and the shape of every value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from atlas.checks.checked import CheckedCollection
from atlas.entries.collection import Model
from atlas.graph.accounting import ModelAccount, grouped
from atlas.graph.structure import Graph, Node
from atlas.render.addresses import entry_page
from atlas.render.budget import Budget, BudgetRow, budget
from atlas.render.deferred import Maths
from atlas.render.diagram import Drawing, Placed, Sketch, drawing
from atlas.render.model_sketch import axis_text, model_sketch, picture_kind
from atlas.render.parts import Link, Parts
from atlas.sizes import Size

CACHE_BYTES = (("float32", 4), ("bfloat16", 2), ("8 bits", 1))
"""The formats in which a cache is kept, each with the bytes of a number."""


@dataclass(frozen=True, slots=True)
class DiagramView:
    """The diagram of a model."""

    placed: Placed
    """Where everything is."""

    @property
    def drawing(self) -> Drawing:
        """What is printed of it."""
        return drawing(self.placed)


@dataclass(frozen=True, slots=True)
class BudgetView:
    """Where the parameters of a model are."""

    budget: Budget
    """The picture with its table."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure, counted for every variant."""

    name: str
    """What is counted."""
    definition: str
    """What is meant by it."""
    values: tuple[str, ...]
    """One for each variant."""


@dataclass(frozen=True, slots=True)
class TraceRow:
    """One component in the shape trace."""

    link: Link
    """Its page."""
    place: str
    """Where it stands: `decoder/self-attention`."""
    takes: tuple[tuple[Maths, Maths], ...]
    """Each value that enters, with its axes."""
    gives: tuple[tuple[Maths, Maths], ...]
    """Each value that leaves, with its axes."""
    parameters: str
    """Its parameters, in the first variant."""


def diagram_view(checked: CheckedCollection, place: Callable[[Sketch], Placed]) -> DiagramView | None:
    """The diagram of a model that has a graph."""
    if checked.graph is None or not checked.accounts:
        return None
    sketch = model_sketch(checked, checked.graph, next(iter(checked.accounts.values())))
    return DiagramView(place(sketch))


def budget_view(checked: CheckedCollection) -> BudgetView | None:
    """Where the parameters of the first variant are, component by component."""
    data, graph = checked.collection.data, checked.graph
    if not isinstance(data, Model) or graph is None or not checked.accounts:
        return None
    name, account = next(iter(checked.accounts.items()))
    rows = []
    for node in graph.nodes:
        label = f"{data.stack(node.block).title} · {node.title}"
        kind = picture_kind(node.entry.data.operator)
        rows.append(BudgetRow(label, kind, account.across.get(node.id, 0), entry_page(node.entry)))
    if not account.total:
        return None
    return BudgetView(budget(f"Parameters of {data.variants[name].title}", rows))


def figures(checked: CheckedCollection) -> tuple[Figure, ...]:
    """The counts of every variant; of those that are nothing in all of them, none is shown."""
    accounts = tuple(checked.accounts.values())
    found = [
        Figure("Parameters", "every learned number; tied ones once", _counts(accounts, lambda one: one.total)),
        Figure(
            "Active parameters",
            "the learned numbers that one token meets; of routed experts only those that it is sent to",
            _counts(accounts, lambda one: 0 if one.active == one.total else one.active),
        ),
        Figure(
            "Embedding parameters",
            "those of look-up tables: embeddings and learned positions",
            _counts(accounts, lambda one: one.embedding),
        ),
        Figure(
            "Non-embedding parameters",
            "all but those of look-up tables",
            _counts(accounts, lambda one: one.non_embedding if one.embedding else 0),
        ),
        Figure("Buffers", "numbers kept and not learned, in no total", _counts(accounts, lambda one: one.buffers)),
        Figure(
            "Cached numbers per token",
            "what is kept for each token that the model generates, over all layers",
            _counts(accounts, lambda one: one.cache),
        ),
        Figure(
            "Cached numbers per token of the input",
            "what is kept, once, for each token that is read before the model generates, over all layers",
            _counts(accounts, lambda one: one.input_cache),
        ),
        *(
            Figure(
                f"Cache per token in {name}",
                f"{width} {'bytes' if width > 1 else 'byte'} for each number",
                tuple(f"{grouped(one.cache * width)} bytes" if one.cache else "" for one in accounts),
            )
            for name, width in CACHE_BYTES
        ),
    ]
    return tuple(figure for figure in found if any(figure.values))


def costs(checked: CheckedCollection, parts: Parts) -> tuple[tuple[str, Maths], ...]:
    """Each variant with the multiply–accumulates of one forward pass, in the sizes of its inputs."""
    data = checked.collection.data
    if not isinstance(data, Model):
        return ()
    return tuple(
        (data.variants[name].title, parts.typesetting.maths(latex_sum(account.macs), display=True))
        for name, account in checked.accounts.items()
        if account.macs.terms
    )


def trace(graph: Graph, account: ModelAccount, parts: Parts) -> tuple[TraceRow, ...]:
    """The shapes of every value in symbols, component by component."""
    return tuple(_trace_row(node, graph, account, parts) for node in graph.nodes)


def latex_sum(expression: Size) -> str:
    """A sum of products with grouped digits, powers written as such."""
    parts = []
    for monomial, factor in expression.terms:
        names = " ".join(name if power == 1 else f"{name}^{{{power}}}" for name, power in monomial)
        number = f"{factor.numerator:,}".replace(",", "{,}")
        below = "" if factor.denominator == 1 else f"/{factor.denominator}"
        shown = names if factor == 1 and names else rf"{number}{below}\,{names}".removesuffix(r"\,")
        parts.append(shown)
    return " + ".join(parts).replace("+ -", "- ") or "0"


def _counts(accounts: tuple[ModelAccount, ...], of: Callable[[ModelAccount], int]) -> tuple[str, ...]:
    return tuple(grouped(count) if (count := of(account)) else "" for account in accounts)


def _trace_row(node: Node, graph: Graph, account: ModelAccount, parts: Parts) -> TraceRow:
    maths = parts.typesetting.maths

    def shaped(symbol: str, value: str) -> tuple[Maths, Maths]:
        axes = [axis_text(axis, node.sizes) for axis in node.entry.data.symbols[symbol].axes]
        listed = r",\,".join(axes)
        return maths(graph.values[value].name), maths(f"[{listed}]")

    count = account.nodes.get(node.id, 0)
    return TraceRow(
        Link(node.title, entry_page(node.entry)),
        node.id,
        tuple(shaped(port.symbol, port.value) for port in node.takes),
        tuple(shaped(port.symbol, port.value) for port in node.gives),
        grouped(count) if count else "",
    )
