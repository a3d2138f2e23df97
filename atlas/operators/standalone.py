"""An operator as a text that runs alone: its own source and everything that it calls, with NumPy and nothing of ours.

Readers copy it into their own code. It is cut from the modules that the checks execute, not written a second time; the
declarations and annotations, which only our registry reads, are left out.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from types import ModuleType
from typing import TypeAlias

from atlas.exceptions import ContractError
from atlas.operators.registry import Operator

OURS = "atlas."
"""What the names of our own modules begin with."""
EXCEPTIONS = "atlas.exceptions"
"""The module whose classes become plain errors, as a copy has no tree of them."""

Definition: TypeAlias = ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign


def standalone(operator: Operator) -> str:
    """The source of an operator with all that it needs; executed in an empty namespace, it defines the function.

    The function computes in the type of the arrays that it is given and checks neither shapes nor options; an array
    that the contract marks with `?` may be left out where none that is required follows it.

    Raises:
        ContractError: the operator needs what cannot be copied; the message names it.
    """
    collector = _Collector()
    collector.definition(operator.name, sys.modules[operator.function.__module__])
    notes = [f"{operator.name}: {operator.summary}", f"{operator.name}: {operator.contract}"]
    head = [f"# {note}" for note in notes]
    imports = sorted(collector.imports, key=lambda line: (line.startswith("from"), line))
    return "\n".join([*head, *imports]) + "\n\n\n" + "\n\n\n".join(collector.pieces.values()) + "\n"


@dataclass(frozen=True, slots=True)
class _Facts:
    """What the text of a module defines and imports at its top level."""

    source: bytes
    """The text; positions of the syntax tree count its bytes."""
    definitions: dict[str, Definition]
    """Functions, classes and constants by name."""
    imports: dict[str, tuple[str, str]]
    """For each imported name the module that it comes from, with the import that brings it alone."""


class _Collector:
    """Gathers definitions, each after those that it needs."""

    def __init__(self) -> None:
        self.imports: set[str] = set()
        self.pieces: dict[str, str] = {}
        self._from: dict[str, str] = {}

    def definition(self, name: str, module: ModuleType) -> None:
        """Add what a module defines under a name, after what that needs."""
        if self._from.setdefault(name, module.__name__) != module.__name__:
            raise ContractError(f"two things are called {name}: in {self._from[name]} and in {module.__name__}")
        if name in self.pieces:
            return
        facts = _facts(module)
        node = facts.definitions[name]
        if name in facts.imports:
            raise ContractError(f"{name} is defined and imported in {module.__name__}")
        for needed in _needed(node):
            if needed != name:
                self._need(needed, module, facts)
        self.pieces[name] = _text(node, facts.source, _optional(name, module))
        if isinstance(node, ast.ClassDef):
            self.imports.add("import numpy as np")  # its fields are annotated as arrays

    def _need(self, name: str, module: ModuleType, facts: _Facts) -> None:
        if name in facts.definitions:
            self.definition(name, module)
        elif name not in facts.imports:
            if not hasattr(builtins, name):
                raise ContractError(f"{module.__name__} uses {name}, which it neither defines nor imports by name")
        else:
            origin, statement = facts.imports[name]
            if origin == EXCEPTIONS:
                self.pieces[name] = f'class {name}(ValueError):\n    """The arguments do not fit."""'
            elif origin.startswith(OURS):
                self.definition(name, sys.modules[origin])
            else:
                self.imports.add(statement)


@cache
def _facts(module: ModuleType) -> _Facts:
    source = inspect.getsource(module)
    definitions: dict[str, Definition] = {}
    imports: dict[str, tuple[str, str]] = {}
    for node in _statements(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            definitions[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            definitions |= {target.id: node for target in targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.Import):
            for one in node.names:
                imports[one.asname or one.name] = one.name, f"import {_as(one)}"
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            for one in node.names:
                imports[one.asname or one.name] = node.module, f"from {node.module} import {_as(one)}"
    return _Facts(source.encode(), definitions, imports)


def _statements(module: ast.Module) -> Iterator[ast.stmt]:
    """The statements of a module; what it imports for types alone, it uses by a name of its own when it runs."""
    for node in module.body:
        yield from node.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING" else [node]


def _as(one: ast.alias) -> str:
    return f"{one.name} as {one.asname}" if one.asname else one.name


def _needed(node: Definition) -> tuple[str, ...]:
    """The names that a definition reads from its module, without those of annotations and declarations."""
    read: dict[str, None] = {}
    bound: set[str] = set()
    for part in _executed(node):
        if isinstance(part, ast.Name):
            if isinstance(part.ctx, ast.Load):
                read[part.id] = None
            else:
                bound.add(part.id)
        elif isinstance(part, ast.arg):
            bound.add(part.arg)
        elif isinstance(part, ast.FunctionDef):
            bound.add(part.name)
    return tuple(name for name in read if name not in bound)


def _executed(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a definition that run, or that name what it binds."""
    yield node
    left_out: list[object] = []
    if isinstance(node, ast.FunctionDef):
        left_out = [*node.decorator_list, node.returns]
    elif isinstance(node, ast.arg | ast.AnnAssign):
        left_out = [node.annotation]
    for child in ast.iter_child_nodes(node):
        if child not in left_out:
            yield from _executed(child)


def _optional(name: str, module: ModuleType) -> frozenset[str]:
    """The arguments of an operator that may be left out."""
    found = getattr(module, name)
    if not isinstance(found, Operator):
        return frozenset()
    return frozenset(argument.name for argument in found.contract.inputs if argument.optional)


def _text(node: Definition, source: bytes, optional: frozenset[str]) -> str:
    """The source of a definition without declarations and annotations."""
    places = _Places(source)
    text, stop = b"", places.end(node)
    for first, last, instead in sorted(_edits(node, places, optional), reverse=True):
        text = instead + source[last:stop] + text
        stop = first
    return (source[places.begin(node) : stop] + text).decode()


@dataclass(slots=True)
class _Places:
    """Where the parts of a syntax tree stand in their text, in bytes."""

    source: bytes
    """The text."""
    starts: list[int] = field(init=False)
    """The first byte of each line."""

    def __post_init__(self) -> None:
        self.starts = [0, *accumulate(map(len, self.source.splitlines(keepends=True)))]

    def begin(self, part: ast.expr | ast.stmt | ast.arg) -> int:
        """The first byte of a part."""
        return self.starts[part.lineno - 1] + part.col_offset

    def end(self, part: ast.expr | ast.stmt | ast.arg) -> int:
        """The byte after a part."""
        return self.starts[(part.end_lineno or part.lineno) - 1] + (part.end_col_offset or part.col_offset)


def _edits(node: Definition, places: _Places, optional: frozenset[str]) -> Iterator[tuple[int, int, bytes]]:
    """What is replaced, from which byte to which, and by what."""
    for part in ast.walk(node):
        if isinstance(part, ast.FunctionDef):
            yield from _signature_edits(part, places, optional)
        elif isinstance(part, ast.AnnAssign) and isinstance(node, ast.ClassDef):
            yield places.begin(part.annotation), places.end(part.annotation), b"np.ndarray"
        elif isinstance(part, ast.AnnAssign) and part.value is not None:
            yield places.end(part.target), places.begin(part.value), b" = "


def _signature_edits(
    function: ast.FunctionDef, places: _Places, optional: frozenset[str]
) -> Iterator[tuple[int, int, bytes]]:
    filled = _left_out(function.args, optional)
    for argument, default in _arguments(function.args):
        named = places.begin(argument) + len(argument.arg.encode())
        if default is not None:
            yield named, places.begin(default), b"="
        else:
            yield named, places.end(argument), b"=None" if argument.arg in filled else b""
    if function.returns is not None:
        arrow = places.source.rindex(b"->", 0, places.begin(function.returns))
        yield len(places.source[:arrow].rstrip()), places.end(function.returns), b""


def _arguments(arguments: ast.arguments) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    """Each argument with its default."""
    positional = [*arguments.posonlyargs, *arguments.args]
    missing: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    yield from zip(positional, [*missing, *arguments.defaults], strict=True)
    yield from zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)


def _left_out(arguments: ast.arguments, optional: Iterable[str]) -> frozenset[str]:
    """The last positional arguments, as far as all of them may be left out."""
    found: set[str] = set()
    for argument in reversed(arguments.args):
        if argument.arg not in optional:
            break
        found.add(argument.arg)
    return frozenset(found)
