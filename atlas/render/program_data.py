"""A model's program as plain data for the browser; `templates/js/counting.js` walks it.

An expression is a list of terms, a term the list of its numerator, its denominator, and each atom with its power; an
atom is a symbol, or the expression that a floor is taken of. A number beyond 2⁵³ is a text, as JavaScript rounds it.
"""

from __future__ import annotations

from typing import TypeAlias

from atlas.graph.program import BlockProgram, NodeProgram, Program, WeightProgram
from atlas.graph.unroll import MAX_STEPS
from atlas.sizes import LARGEST_VALUE, Size, floor_of

Data: TypeAlias = "dict[str, Data] | list[Data] | str | int | bool | None"

EXACT = 2**53
"""The largest whole number up to which JavaScript's numbers are exact."""


def program_data(program: Program) -> Data:
    """The whole program."""
    return {
        "blocks": [_block(block) for block in program.blocks],
        "follows": {name: [*sorted(symbols)] for name, symbols in program.follows.items()},
        "most": MAX_STEPS,
        "largest": str(LARGEST_VALUE),
    }


def expression_data(expression: Size) -> Data:
    """An expression."""
    return [
        [_number(factor.numerator), _number(factor.denominator), *(part for one in monomial for part in _power(*one))]
        for monomial, factor in expression.terms
    ]


def _power(atom: str, power: int) -> tuple[Data, Data]:
    inner = floor_of(atom)
    return atom if inner is None else expression_data(inner), power


def _number(number: int) -> Data:
    return number if abs(number) <= EXACT else str(number)


def _block(block: BlockProgram) -> Data:
    found: dict[str, Data] = {"id": block.id, "title": block.title}
    if block.layers is not None:
        found["layers"] = expression_data(block.layers)
    for key, expressions in (("with", block.starts), ("then", block.then)):
        if expressions:
            found[key] = [[name, expression_data(one)] for name, one in expressions.items()]
    if block.ends:
        found["ends"] = [[name, called] for name, called in block.ends.items()]
    if block.varies:
        found["varies"] = [*block.varies]
    if block.shares_weights:
        found["shared"] = True
    found["of"] = [_node(child) if isinstance(child, NodeProgram) else _block(child) for child in block.children]
    return found


def _node(node: NodeProgram) -> Data:
    found: dict[str, Data] = {"id": node.id}
    if node.sizes:
        found["with"] = [[name, expression_data(one)] for name, one in node.sizes.items()]
    if node.weights:
        found["weights"] = [_weight(one) for one in node.weights]
    if node.is_table:
        found["table"] = True
    if node.state:
        found["state"] = [[one.lifetime, expression_data(one.count)] for one in node.state]
    if node.settled:
        found["settled"] = [[name, expression_data(one), number] for name, one, number in node.settled]
    found["macs"] = None if node.macs is None else expression_data(node.macs)
    return found


def _weight(weight: WeightProgram) -> Data:
    found: dict[str, Data] = {"axes": [expression_data(axis) for axis in weight.axes]}
    if weight.used != weight.axes:
        found["used"] = [
            None if used == axis else expression_data(used) for used, axis in zip(weight.used, weight.axes, strict=True)
        ]
    if not weight.learned:
        found["buffer"] = True
    if weight.tied:
        found["tied"] = True
    return found
