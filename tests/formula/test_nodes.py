"""Nodes: those below a node are all that its fields hold, of every kind."""

from __future__ import annotations

import dataclasses
from typing import Any

from atlas.formula import tree
from atlas.formula.engine import parse
from atlas.formula.lexer import tokenize
from atlas.formula.nodes import Leaf, Node, walk


def held(node: Node) -> list[Node]:
    """Every node in the fields, found without knowing what the fields are declared to hold."""
    found: list[Node] = []
    for one in dataclasses.fields(node):
        value = getattr(node, one.name)
        found += [item for item in (value if isinstance(value, tuple) else (value,)) if isinstance(item, Node)]
    return found


def test_nothing_below_a_node_is_left_out(cases: Any) -> None:
    seen = set()
    for case in cases.values():
        for node in walk(parse(case.latex, case.declarations).system):
            assert list(node.children) == held(node)
            seen.add(type(node))
    kinds = {kind for kind in vars(tree).values() if isinstance(kind, type) and issubclass(kind, Node)}
    assert kinds - seen == {Node, Leaf, tree.Over}, "every other kind stands in a shared formula"


def levels(node: Node) -> int:
    return 1 + max(map(levels, node.children), default=0)


def test_no_equation_has_more_than_two_levels_for_each_of_its_tokens(cases: Any, read: Any) -> None:
    short = [
        read(latex, {"x": "[]", "y": "[]"})
        for latex in ("y=-x", "y=-(-(-x))", r"y=-\lvert-\lvert-x\rvert\rvert", "y=x/x/x/x", "y=x")
    ]
    for formula in [*short, *(parse(case.latex, case.declarations) for case in cases.values())]:
        for found in formula.system.definitions:
            tokens = tokenize(formula.latex[slice(*found.span)])
            assert levels(found) <= 2 * (len(tokens) + 1)
