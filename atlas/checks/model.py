"""What must hold before a model can be counted, traced or run: its sizes, its components' operators and its graph.

Formulas, sources and display are other claims, which `atlas check` is for; so a model can be run without a network.
"""

from __future__ import annotations

from atlas.checks.graph import check_graph
from atlas.checks.interface import check_interface
from atlas.checks.parameters import check_learned
from atlas.checks.sizes import check_sizes, check_variants
from atlas.checks.symbols import check_crossings
from atlas.entries.atlas import Collection
from atlas.graph.structure import Graph
from atlas.issues import Issue


def runnable(collection: Collection) -> tuple[Graph | None, list[Issue]]:
    """A model's graph, or what stands in its way."""
    issues: list[Issue] = []
    for entry in collection.entries:
        issues += check_crossings(entry, set())
        operator, found = check_interface(entry)
        issues += found
        if operator is not None and not found:
            issues += check_learned(entry, operator)
    issues += check_sizes(collection)
    if issues or not collection.whole:
        return None, issues
    issues += check_variants(collection, collection.entries)
    graph, found = check_graph(collection)
    issues += found
    return (graph if not issues else None), issues
