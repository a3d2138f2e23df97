"""Tied parameters: each names a parameter that is there once, is not tied itself, and has the same axes.

What is tied is counted and stored once, so a tie that does not hold would make every total wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from itertools import islice

from atlas.entries.atlas import Collection
from atlas.entries.collection import Model, Use
from atlas.entries.tree import KeyPath
from atlas.exceptions import SizeError
from atlas.graph.scope import MAX_COMPARED, MAX_HINTS, around
from atlas.graph.structure import Block, Node
from atlas.issues import Issue
from atlas.sizes import Size, size


def check_ties(collection: Collection, model: Model, blocks: tuple[Block, ...]) -> Iterator[Issue]:
    """Every tie that does not hold, where it is stated: in the component, or where the model uses it."""
    nodes = {node.id: node for block in blocks for node in block.nodes}
    inner = {one.id: one for block in blocks for one in block.blocks}
    unknown = 0
    for node in nodes.values():
        for symbol, (other_id, other_symbol) in node.tied.items():
            if symbol not in node.entry.data.symbols:
                continue  # reported with the use that names it
            message, hint = _problem(nodes, inner, node, symbol), ""
            if message.startswith("no component"):
                unknown += 1
                hint = _hint(nodes, f"{other_id}.{other_symbol}") if unknown <= MAX_HINTS else ""
            elif message:
                hint = "name a parameter of equal axes that is outside of layers and not tied itself, or remove `tied`"
            if message:
                yield _issue(collection, model, node, symbol, message, hint)


def _problem(nodes: Mapping[str, Node], blocks: Mapping[str, Block], node: Node, symbol: str) -> str:
    """Why a tie does not hold, or an empty text."""
    other_id, other_symbol = node.tied[symbol]
    other = nodes.get(other_id)
    target = other.entry.data.symbols.get(other_symbol) if other is not None else None
    if other is None or target is None or target.parameter is None:
        return f"no component has the parameter {other_id}.{other_symbol}"
    if any(blocks[path].stack.layers is not None for path in around(other.block)):
        return f"{other_id} is in a stack with layers, so which layer's {other_symbol} is meant is not said"
    if other_symbol in other.tied:
        return f"{other_id}.{other_symbol} is tied itself; name the one that both are"
    try:
        ours, theirs = _axes(node, symbol, blocks), _axes(other, other_symbol, blocks)
    except SizeError as error:
        return f"the axes of {symbol} and {other_id}.{other_symbol} cannot be compared: {error}"
    if ours != theirs:
        return f"{symbol} has the axes [{_shown(ours)}], but {other_id}.{other_symbol} has [{_shown(theirs)}]"
    return ""


def _issue(collection: Collection, model: Model, node: Node, symbol: str, message: str, hint: str) -> Issue:
    use = model.stack(node.block).components[int(node.at[-1])]
    if isinstance(use, Use) and symbol in use.tied:
        return collection.issue((*node.at, "tied", symbol), "A610", message, hint)
    at: KeyPath = ("symbols", symbol, "tied")
    return node.entry.issue(at, "A610", message, hint)


def _hint(nodes: Mapping[str, Node], name: str) -> str:
    known = (
        f"{node.id}.{symbol}"
        for node in nodes.values()
        for symbol, declared in node.entry.data.symbols.items()
        if declared.parameter is not None
    )
    near = get_close_matches(name, islice(known, MAX_COMPARED), n=1)
    return f"did you mean `{near[0]}`?" if near else "name a component and its parameter"


def _axes(node: Node, symbol: str, blocks: Mapping[str, Block]) -> tuple[Size, ...]:
    """The axes of a parameter in the model's own sizes, as far as its stacks say them once for all layers."""
    axes = tuple(size(axis).substitute(node.sizes) for axis in node.entry.data.symbols[symbol].axes)
    for path in reversed(around(node.block)):
        stack = blocks[path].stack
        fixed = {name: size(text) for name, text in stack.with_.items() if name not in stack.then}
        axes = tuple(axis.substitute(fixed) for axis in axes)
    return axes


def _shown(axes: tuple[Size, ...]) -> str:
    return ", ".join(map(str, axes))
