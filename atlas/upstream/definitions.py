"""A module's syntax tree → the named definitions with what they refer to, and nothing else of the module.

Upstream files import and define far more than an excerpt needs; the facades serve only what the excerpt calls.
"""

from __future__ import annotations

import ast
import difflib
import symtable
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from atlas.exceptions import UpstreamError


@dataclass(frozen=True, slots=True)
class _Statement:
    """A top-level statement."""

    node: ast.stmt
    """Its syntax tree, with the line numbers of the file."""
    table: symtable.SymbolTable
    """Its names and their scopes."""
    is_plain: bool
    """Whether it may be executed by itself: a definition, an import or the assignment of a literal."""

    def binds(self) -> set[str]:
        """The module's names that it defines."""
        return {
            symbol.get_name() for symbol in self.table.get_symbols() if symbol.is_assigned() or symbol.is_imported()
        }

    def uses(self) -> set[str]:
        """The module's names that it refers to, now or when what it defines is called."""
        now = {symbol.get_name() for symbol in self.table.get_symbols() if symbol.is_referenced()}
        return now.union(*map(_globals_of, self.table.get_children()))


def needed(tree: ast.Module, names: Sequence[str], filename: str) -> ast.Module:
    """The part of a module that defines `names`, in the file's order and with the file's line numbers."""
    statements = [_described(node) for node in _split(tree)]
    binders: dict[str, list[int]] = {}
    for index, statement in enumerate(statements):
        for name in statement.binds():
            binders.setdefault(name, []).append(index)
    for name in names:
        if name not in binders:
            raise UpstreamError(unknown(f"{filename} defines no", name, binders))
    wanted, seen, taken = list(names), set(names), set[int]()
    while wanted:
        name = wanted.pop()
        for index in set(binders.get(name, ())) - taken:
            statement = statements[index]
            if not statement.is_plain:
                raise UpstreamError(
                    f"{filename}:{statement.node.lineno}: {name} is needed, but this statement, which defines it, is "
                    "not executed: only definitions, imports and assignments of literals are"
                )
            taken.add(index)
            wanted += statement.uses() - seen
            seen |= statement.uses()
    body = [one.node for index, one in enumerate(statements) if index in taken or _is_future_import(one.node)]
    return ast.Module(body=body, type_ignores=[])


def unknown(what: str, name: str, known: Sequence[str] | dict[str, list[int]]) -> str:
    """A message about a name that does not exist, with the nearest that do."""
    near = difflib.get_close_matches(name, list(known), n=3, cutoff=0.6)
    hint = f" (did you mean {' or '.join(near)}?)" if near else ""
    return f"{what} {name}{hint}"


def _split(tree: ast.Module) -> Iterator[ast.stmt]:
    """The top-level statements, with one statement for each imported name, so that each can be left out."""
    for node in tree.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield ast.copy_location(ast.Import(names=[alias]), node)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield ast.copy_location(ast.ImportFrom(module=node.module, names=[alias], level=node.level), node)
        else:
            yield node


def _described(node: ast.stmt) -> _Statement:
    return _Statement(node, symtable.symtable(ast.unparse(node), "<statement>", "exec"), _is_plain(node))


def _is_plain(node: ast.stmt) -> bool:
    if isinstance(node, ast.Assign):
        return _is_literal(node.value)
    return isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom)


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError):  # the latter for an unhashable key of a dictionary
        return False
    return True


def _is_future_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _globals_of(table: symtable.SymbolTable) -> set[str]:
    """The module's names that a function or class body, or one inside it, refers to."""
    own = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global()}
    return own.union(*map(_globals_of, table.get_children()))
