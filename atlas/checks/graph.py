"""The graph of a model: every value produced once and read, and the same axes at both ends of every edge.

Axes are compared as expressions, and then once more as numbers for every variant, layer by layer.
"""

from __future__ import annotations

from collections.abc import Iterator

from atlas.entries.atlas import Collection
from atlas.entries.collection import Model, Variant
from atlas.exceptions import OptionError, ShapeError, SizeError
from atlas.graph.accounting import ModelAccount, model_account
from atlas.graph.build import build
from atlas.graph.choice import open_sizes
from atlas.graph.edges import Misfit, misfits, with_carried_axes
from atlas.graph.options import options_of
from atlas.graph.solving import solution, unknown_symbol
from atlas.graph.structure import Graph, Node
from atlas.graph.unroll import Sizes, Step, Walk
from atlas.graph.weights import upstream_shapes, weights
from atlas.issues import Issue
from atlas.operators.catalogue import find
from atlas.sizes import size

FREE_SIZES = (37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97)
"""Lengths for sizes that no variant binds, such as the number of positions; any that are different would do."""


def check_graph(collection: Collection) -> tuple[Graph | None, list[Issue]]:
    """A model's graph, and what does not hold; None for a library and for a model whose edges do not hold."""
    if not isinstance(collection.data, Model):
        return None, []
    graph, issues = build(collection)
    if issues:
        return None, issues
    try:
        graph = with_carried_axes(graph)
        issues = [_issue(collection, found) for found in misfits(graph)]
    except SizeError as error:
        message = f"with the sizes that the stacks state, axes cannot be compared: {error}"
        return None, [collection.issue_at_key(("stacks",), "A604", message)]
    return (None if issues else graph), issues


def count_variants(collection: Collection, graph: Graph) -> tuple[dict[str, ModelAccount], list[Issue]]:
    """What each variant has and does, up to the first that does not hold, and what is wrong with that."""
    accounts: dict[str, ModelAccount] = {}
    return accounts, list(_counted(collection, graph, accounts))


def _counted(collection: Collection, graph: Graph, accounts: dict[str, ModelAccount]) -> Iterator[Issue]:
    if not isinstance(collection.data, Model):
        return
    varying = {symbol for stack in collection.data.paths.values() for symbol in stack.varies}
    for name, variant in collection.data.variants.items():
        if lists := [symbol for symbol in variant.lists if symbol not in varying]:
            message = f"in the variant {name} {lists[0]} is a list, but it varies in no stack"
            hint = f"state one number, or name {lists[0]} in the `varies` of a stack with layers"
            yield collection.issue(("variants", name, "sizes", lists[0]), "A606", message, hint)
            return
        try:
            problem = _misfit_of_numbers(graph, collection.data, variant)
            if problem is None:
                accounts[name] = model_account(graph, Sizes.of(variant))  # what is counted needs no sizes of inputs
        except (OptionError, SizeError, ShapeError) as error:
            message = f"in the variant {name} the model cannot be built: {error}"
            hint = "correct one of these sizes, or what the stacks and components say of them"
            yield collection.issue_at_key(("variants", name, "sizes"), "A606", message, hint)
            return
        if problem is not None:
            node, symbol, message = problem
            message, hint = f"in the variant {name} {message}", f"correct the sizes of {name}, or the range"
            if _is_at_home(collection, node):
                yield node.entry.issue_at_key(("symbols", symbol), "A606", message, hint)
            else:
                yield collection.issue(node.at, "A606", message, hint)
            return


def free_sizes(model: Model, variant: Variant) -> dict[str, int]:
    """Different lengths for the dimensions that a variant leaves open."""
    names = open_sizes(model, variant.sizes)
    return {name: FREE_SIZES[index % len(FREE_SIZES)] + index // len(FREE_SIZES) for index, name in enumerate(names)}


def _misfit_of_numbers(graph: Graph, model: Model, variant: Variant) -> tuple[Node, str, str] | None:
    """What does not fit in a variant, also where upstream stores it."""
    sizes = Sizes.of(variant, free_sizes(model, variant))
    found = misfit_of_shapes(graph, sizes)
    if found is None and (model.upstream or model.program):  # else the names are those of single components
        upstream_shapes(weights(graph, sizes))
    return found


def misfit_of_shapes(graph: Graph, sizes: Sizes) -> tuple[Node, str, str] | None:
    """The first component that reads another shape than it declares, with its symbol and what is wrong.

    Raises:
        SizeError: a size is missing or gives no length.
    """
    walk = Walk(graph, sizes)
    shapes = {name: tuple(axis.value(sizes.numbers) for axis in graph.values[name].axes) for name in graph.inputs}
    for step in walk.steps():
        symbols = step.node.entry.data.symbols
        _require_relations(step)
        for symbol, key in step.reads.items():
            shape = tuple(size(axis).value(step.sizes) for axis in symbols[symbol].axes)
            if key in shapes and shapes[key] != shape:
                return (
                    step.node,
                    symbol,
                    f"{step.key} takes {symbol} with the shape {shape}, but {key} has {shapes[key]}",
                )
        for symbol, key in step.writes.items():
            shapes[key] = tuple(size(axis).value(step.sizes) for axis in symbols[symbol].axes)
            if min(shapes[key], default=1) < 1:
                return step.node, symbol, f"{step.key} gives {symbol} with the shape {shapes[key]}"
    return None


def _require_relations(step: Step) -> None:
    """The relations between sizes that the entry's formula relies on hold for these numbers.

    A size that only relations name, as r in `d: 2 r`, is what they make it, and a whole number.

    Raises:
        SizeError: one does not, or an option that is a size has another value than the size.
    """
    data = step.node.entry.data
    options_of(step, find(data.operator))
    known = dict(step.sizes)
    for name, text in data.sizes.items():
        relation = size(text)
        if name not in known:
            continue
        hidden = unknown_symbol(relation, known)
        if hidden is not None and hidden not in step.terms:
            _solved(step, name, text, hidden, known)
        if relation.symbols <= known.keys():
            value = relation.value(known)
            if value != known[name]:
                raise SizeError(f"{step.key} needs {name} = {text}, but {name} is {known[name]}, not {value}")


def _solved(step: Step, name: str, text: str | int, hidden: str, known: dict[str, int]) -> None:
    """Give a size that only relations name its value.

    Raises:
        SizeError: no whole number is one.
    """
    try:
        found = solution(size(text), hidden, known[name], known)
    except SizeError:
        return  # it stands in a floor or in several terms, and any number may be one
    if found.denominator != 1:
        raise SizeError(
            f"{step.key} needs {name} = {text}, but {name} is {known[name]}, for which {hidden} is no whole number"
        )
    known[hidden] = int(found)


def _issue(collection: Collection, found: Misfit) -> Issue:
    if found.block is not None:
        path = [part for name in found.block.id.split("/") for part in ("stacks", name)]
        return collection.issue_at_key(
            (*path, "carries", found.value.name), "A604", f"{found.block.id}: {found.message}"
        )
    if found.node is None or found.port is None:
        raise AssertionError("a misfit is that of a component or of a stack")
    node, symbol = found.node, found.port.symbol
    hint = f"declare the axes of {symbol} as they arrive, or read another value"
    if _is_at_home(collection, node):
        key = next((value for value, other in node.entry.data.takes if other == symbol), "")
        return node.entry.issue(("in", key), "A604", f"{node.id}: {found.message}", hint)
    return collection.issue(node.at, "A604", f"{node.id}: {found.message}", hint)


def _is_at_home(collection: Collection, node: Node) -> bool:
    """Whether the component stands where its file is, and not where the model uses it again."""
    return node.entry.id == f"{collection.id}/{node.id}"
