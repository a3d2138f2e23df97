"""The formula engine: LaTeX that is displayed, parsed with its symbol table and executed under named axes.

`parse` reads a formula with its declarations, `Formula.run` evaluates it, and `check` compares it with a reference.
"""

from atlas.exceptions import FormulaError
from atlas.formula.check import CheckReport, Reference, check
from atlas.formula.declarations import (
    AliasOf,
    Declarations,
    FunctionOf,
    Ids,
    IntegerRange,
    Positive,
    Real,
    SymbolDeclaration,
    UnitInterval,
)
from atlas.formula.edits import Edit
from atlas.formula.engine import Formula, parse

__all__ = [
    "AliasOf",
    "CheckReport",
    "Declarations",
    "Edit",
    "Formula",
    "FormulaError",
    "FunctionOf",
    "Ids",
    "IntegerRange",
    "Positive",
    "Real",
    "Reference",
    "SymbolDeclaration",
    "UnitInterval",
    "check",
    "parse",
]
