"""Asks the layout engine in the Node process where the parts of a graph go.

The engine is ELK, which computes layered drawings with nested boxes; its graphs are JSON, and so are its answers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from atlas.exceptions import DiagramError
from atlas.node.process import NodeProcess, Request

LARGEST_GRAPH = 2_000_000
"""Characters of JSON above which a graph is not sent; 200 nodes take about 100,000."""


@dataclass(frozen=True, slots=True)
class Graph:
    """A graph to be laid out."""

    name: str
    """What a message calls it."""
    elements: dict[str, Any]
    """ELK's JSON: `id`, `children`, `ports`, `edges`, `labels`, `layoutOptions`, without coordinates."""


class Engine(Protocol):
    """What lays graphs out, perhaps by knowing them already."""

    def lay_out(self, graphs: Iterable[Graph]) -> list[dict[str, Any]]:
        """As the function `lay_out`."""


def lay_out(process: NodeProcess, graphs: Iterable[Graph]) -> list[dict[str, Any]]:
    """The graphs with coordinates, in their order; all are handed in before the first is waited for.

    Raises:
        DiagramError: a graph is too large, the engine refuses it, or it takes too long or too much memory.
        NodeError: the process itself hangs or dies.
    """
    requests = [(graph, _ask(process, graph)) for graph in graphs]
    return [_answer(process, graph, request) for graph, request in requests]


def _ask(process: NodeProcess, graph: Graph) -> Request:
    length = len(json.dumps(graph.elements))
    if length > LARGEST_GRAPH:
        raise DiagramError(
            f"{graph.name} is too large to be laid out: it takes {length:,} characters, more than {LARGEST_GRAPH:,}"
        )
    return process.ask(f"the layout of {graph.name}", "layout", graph=graph.elements)


def _answer(process: NodeProcess, graph: Graph, request: Request) -> dict[str, Any]:
    answer = process.wait_for(request)
    if "error" in answer:
        raise DiagramError(f"{graph.name} could not be laid out: {answer['error']}")
    placed: dict[str, Any] = answer["graph"]
    return placed
