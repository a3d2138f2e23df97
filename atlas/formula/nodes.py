"""What all nodes of a syntax tree have: the characters that they were read from, and the nodes below them.

The fields of each kind of node tell which of them hold nodes, so that no kind can forget one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

from atlas.formula.span import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """What all nodes have."""

    span: Span = field(compare=False)
    """The characters that the node was read from."""

    @property
    def children(self) -> tuple[Node, ...]:
        """The nodes below, from left to right: every field that is a node, and the nodes of every field of several."""
        found: list[Node] = []
        kind: Any = type(self)
        for name, several in _held(kind):
            value = getattr(self, name)
            if several:
                found += value
            elif value is not None:
                found.append(value)
        return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf(Node):
    """A node that never has any below it, as most have not."""

    @property
    def children(self) -> tuple[Node, ...]:
        """None."""
        return ()


def walk(*tops: Node) -> Iterator[Node]:
    """The nodes and all below them, from left to right; without recursion, so no depth is too deep."""
    waiting = [*tops[::-1]]
    while waiting:
        current = waiting.pop()
        yield current
        if not isinstance(current, Leaf):
            waiting.extend(current.children[::-1])


@cache
def _held(kind: type[Node]) -> tuple[tuple[str, bool], ...]:
    """The fields of a kind of node that hold nodes, in order, and whether each holds several."""
    hints = get_type_hints(kind)
    names: tuple[str, ...] = getattr(kind, "__match_args__", ())
    found = ((name, get_origin(hints[name]) is tuple, get_args(hints[name]) or (hints[name],)) for name in names)
    return tuple((name, several) for name, several, parts in found if any(map(_is_node, parts)))


def _is_node(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Node)
