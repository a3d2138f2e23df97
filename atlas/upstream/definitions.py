"""A module's syntax tree → the named definitions with what they refer to, and nothing else of the module.

Upstream files import and define far more than an excerpt needs; the facades serve only what the excerpt calls.
"""

from __future__ import annotations

import ast
import difflib
import symtable
from collections.abc import Collection, Iterator, Sequence
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
    """Whether it may be executed by itself: a definition, an import or an assignment to names."""
    is_mutable: bool
    """Whether it assigns something that could be changed in place: not a number, a text or the like."""

    def binds(self) -> set[str]:
        """The module's names that it defines."""
        return {
            symbol.get_name() for symbol in self.table.get_symbols() if symbol.is_assigned() or symbol.is_imported()
        }

    def uses(self) -> set[str]:
        """The module's names that it refers to, now or when what it defines is called."""
        now = {symbol.get_name() for symbol in self.table.get_symbols() if symbol.is_referenced()}
        return now.union(*map(_globals_of, self.table.get_children()))

    def changes(self) -> set[str]:
        """The module's names whose values it may change without binding them: `x[0] = 1`, `x.y = 1`, `x.append(1)`."""
        match self.node:
            case ast.Assign() | ast.AugAssign() | ast.AnnAssign() if not self.is_plain:
                return _roots(self.node.targets if isinstance(self.node, ast.Assign) else [self.node.target])
            case ast.Expr() | ast.Delete():
                return {symbol.get_name() for symbol in self.table.get_symbols() if symbol.is_referenced()}
        return set()


class Definitions:
    """A module's top-level statements, of which only those that a name needs are taken."""

    def __init__(self, tree: ast.Module, filename: str) -> None:
        self._filename = filename
        self._statements = [_described(node) for node in _split(tree)]
        self._binders: dict[str, list[int]] = {}
        for index, statement in enumerate(self._statements):
            for name in statement.binds():
                self._binders.setdefault(name, []).append(index)

    def needed(self, names: Sequence[str]) -> frozenset[int]:
        """The numbers of the statements that define `names` and all that they refer to.

        Errors: UpstreamError for a name that does not exist, one that a statement other than a definition, an import
        or an assignment defines, and one whose value a further statement changes.
        """
        for name in names:
            if name not in self._binders:
                raise UpstreamError(unknown(f"{self._filename} defines no", name, self._binders))
        wanted, seen, taken = list(names), set(names), set[int]()
        while wanted:
            name = wanted.pop()
            for index in set(self._binders.get(name, ())) - taken:
                statement = self._statements[index]
                if not statement.is_plain:
                    raise UpstreamError(
                        f"{self._place(statement)}: {name} is needed, but this statement, which defines it, is not "
                        "executed: only definitions, imports and assignments are"
                    )
                taken.add(index)
                wanted += statement.uses() - seen
                seen |= statement.uses()
        self._check_changes(taken)
        return frozenset(taken)

    def part(self, numbers: Collection[int]) -> ast.Module:
        """The statements of these numbers, in the file's order and with the file's line numbers."""
        body = [
            one.node for index, one in enumerate(self._statements) if index in numbers or _is_future_import(one.node)
        ]
        return ast.Module(body=body, type_ignores=[])

    def _check_changes(self, taken: set[int]) -> None:
        """Refuse a value that is filled or changed after its assignment, as it would silently be another one here."""
        assigned = {
            name: self._statements[index]
            for index in taken
            if self._statements[index].is_mutable
            for name in self._statements[index].binds()
        }
        for statement in self._statements:
            for name in sorted(statement.changes() & assigned.keys()):
                raise UpstreamError(
                    f"{self._place(statement)}: {name} is needed, but this statement, which may change it, is not "
                    "executed"
                )

    def _place(self, statement: _Statement) -> str:
        return f"{self._filename}:{statement.node.lineno}"


def needed(tree: ast.Module, names: Sequence[str], filename: str) -> ast.Module:
    """The part of a module that defines `names`, in the file's order and with the file's line numbers."""
    found = Definitions(tree, filename)
    return found.part(found.needed(names))


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
    return _Statement(
        node, symtable.symtable(ast.unparse(node), "<statement>", "exec"), _is_plain(node), _is_mutable(node)
    )


def _is_plain(node: ast.stmt) -> bool:
    if isinstance(node, ast.Assign):
        parts = [part for target in node.targets for part in ast.walk(target)]
        return not any(isinstance(part, ast.Subscript | ast.Attribute) for part in parts)
    return isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom)


def _is_mutable(node: ast.stmt) -> bool:
    if not isinstance(node, ast.Assign):
        return False
    try:
        hash(ast.literal_eval(node.value))
    except (ValueError, TypeError):  # the latter for an unhashable value
        return True
    return False


def _roots(targets: Sequence[ast.expr]) -> set[str]:
    """The names that stand first in the targets of an assignment."""
    return {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)}


def _is_future_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _globals_of(table: symtable.SymbolTable) -> set[str]:
    """The module's names that a function or class body, or one inside it, refers to."""
    own = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global()}
    return own.union(*map(_globals_of, table.get_children()))
