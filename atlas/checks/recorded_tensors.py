"""Names of tensors, as entries state them, against those that upstream had when its model was last compared.

The names are kept with the record, so that a misspelt one is told where it stands without the upstream library; that a
record is stale says no more than that something changed.
"""

from __future__ import annotations

from collections.abc import Collection as Names
from collections.abc import Iterator
from difflib import get_close_matches

from atlas.entries.atlas import Collection
from atlas.entries.collection import Upstream
from atlas.entries.program import Program
from atlas.exceptions import ShapeError, SizeError
from atlas.graph.structure import Graph, Node
from atlas.graph.weights import weights
from atlas.issues import Issue
from atlas.upstream import library_config, program_model


def check_tensor_names(
    collection: Collection, graph: Graph, upstream: Upstream | Program, known: Names[str]
) -> Iterator[Issue]:
    """Every parameter whose tensor is not among those that upstream has at the tiny sizes, where it is named.

    Args:
        collection: The model.
        graph: Its graph.
        upstream: What it is compared with.
        known: The names of all tensors of upstream's model at the tiny sizes.
    """
    tiny = program_model.tiny_sizes(upstream) if isinstance(upstream, Program) else library_config.tiny_sizes(upstream)
    try:
        found = weights(graph, tiny)
    except (ShapeError, SizeError):
        return  # told with the layouts and sizes, or by `atlas verify`
    told: set[tuple[str, str]] = set()
    for weight in found:
        missing = next((name for name in weight.stored if name not in known), None)
        # What is wrong in the first layer is wrong in all; one issue says it.
        if missing is None or (weight.node.id, weight.symbol) in told:
            continue
        told.add((weight.node.id, weight.symbol))
        near = get_close_matches(missing, known, n=1)
        stated = weight.node.tensors[weight.symbol]
        hint = f"did you mean {near[0]}?" if near else f"upstream has {', '.join(sorted(known)[:5])} and others"
        message = f"{weight.symbol}: upstream has no tensor {missing}, which `{stated}` means"
        yield _issue(collection, weight.node, weight.symbol, message, hint)


def _issue(collection: Collection, node: Node, symbol: str, message: str, hint: str) -> Issue:
    """An issue where the tensor is named: by a use, else by the symbol of the component."""
    stated = node.entry.data.symbols[symbol].tensor
    if node.tensors[symbol] != stated:
        return collection.issue((*node.at, "tensors", symbol), "A706", message, hint)
    return node.entry.issue(("symbols", symbol, "tensor"), "A706", message, hint)
