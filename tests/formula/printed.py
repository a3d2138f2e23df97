"""A whole formula as LaTeX, to parse again: expressions by the printer that hints use, the rows around them here."""

from __future__ import annotations

from atlas.formula.printer import print_node
from atlas.formula.tree import Definition, Range, System


def print_latex(system: System) -> str:
    """A whole formula, one equation in a row."""
    lines = [_definition(found) for found in system.definitions] + [_range(found) for found in system.ranges]
    return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"


def _definition(found: Definition) -> str:
    base, sup, script = found.name.partition("^")
    sub = ""
    if found.start is not None:
        sub = f"_{{{found.start}}}"
    elif found.indices:
        sub = "_{" + ", ".join(print_node(node) for node in found.indices) + "}"
    power = "^2" if found.squared else f"{sup}{script}"
    parameters = f"({', '.join(found.parameters)})" if found.parameters else ""
    values = " = ".join(print_node(value) for value in found.values)
    return f"{base}{sub}{power}{parameters} &= {values}"


def _range(found: Range) -> str:
    return f"{found.variable} &= {print_node(found.first)}, \\dots, {print_node(found.last)}"
