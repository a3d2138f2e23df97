"""What a pinned Python file defines and on which lines, by its syntax tree or, for older Python, by its lines.

Pinned files may be written for Python 2, which today's parser refuses; their `def` and `class` lines can be read
all the same. Nothing of a file is ever executed here.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Kind = Literal["function", "class", "assignment"]
Function = ast.FunctionDef | ast.AsyncFunctionDef

STRING_OR_COMMENT = re.compile(
    r'"""(?:\\.|[^\\])*?"""'
    r"|'''(?:\\.|[^\\])*?'''"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'(?:\\.|[^'\\\n])*'"
    r"|\#[^\n]*",
    re.DOTALL,
)
DEFINITION = re.compile(r"(?P<kind>(?:async\s+)?def|class)\s+(?P<name>\w+)")
ASSIGNMENT = re.compile(r"(?P<name>[A-Za-z_][\w.]*)\s*(?::[^=]+)?=(?!=)")


@dataclass(frozen=True, slots=True)
class Definition:
    """One name that a file defines."""

    name: str
    """The name with those of the classes and functions around it, joined by dots."""
    kind: Kind
    """What is defined."""
    first: int
    """The first line, decorators included."""
    line: int
    """The line with the name."""
    last: int
    """The last line."""

    def is_named(self, symbol: str) -> bool:
        """Whether a symbol means this definition: its full dotted name or the last parts of it."""
        return self.name == symbol or self.name.endswith(f".{symbol}")


def plain_lines(text: str) -> str:
    """The text as Python's parser must see it to count lines as git does: only a line feed ends a line."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", " ").replace("\f", " ")


@lru_cache(maxsize=64)
def syntax_tree(text: str) -> ast.Module | None:
    """The tree of a text, or None where it is not today's Python. It is shared: nobody may change it."""
    with warnings.catch_warnings():
        # A doubtful escape in somebody else's string is not ours to warn of.
        warnings.simplefilter("ignore")
        try:
            return ast.parse(plain_lines(text))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def nodes_between(text: str, first: int, last: int) -> Iterator[ast.AST]:
    """Every expression and statement that begins on these lines of a text that is today's Python; none of another."""
    by_line = _nodes_by_line(text)
    return (node for line in range(first, last + 1) for node in by_line.get(line, ()))


@lru_cache(maxsize=64)
def _nodes_by_line(text: str) -> Mapping[int, tuple[ast.AST, ...]]:
    """The nodes by the line on which they begin: many claims ask about one file, and it is walked once."""
    found: dict[int, list[ast.AST]] = defaultdict(list)
    tree = syntax_tree(text)
    for node in ast.walk(tree) if tree is not None else ():
        if (line := getattr(node, "lineno", None)) is not None:
            found[line].append(node)
    return {line: tuple(nodes) for line, nodes in found.items()}


@lru_cache(maxsize=64)
def definitions(text: str) -> tuple[Definition, ...]:
    """Every definition in a Python text, in the order of the lines that name them."""
    tree = syntax_tree(text)
    found = list(_of_lines(plain_lines(text)) if tree is None else (about for about, _ in nodes(tree.body)))
    return tuple(sorted(found, key=lambda definition: (definition.line, definition.name)))


def nodes(
    body: Sequence[ast.AST], scope: str = "", inside: Kind | None = None
) -> Iterator[tuple[Definition, ast.stmt]]:
    """Each definition with its node; names of local variables are no definitions, attributes set anywhere are."""
    for node in body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                kind: Kind = "class" if isinstance(node, ast.ClassDef) else "function"
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                yield Definition(scope + node.name, kind, first, node.lineno, node.end_lineno or node.lineno), node
                yield from nodes(node.body, f"{scope}{node.name}.", kind)
            case ast.Assign() | ast.AnnAssign():
                last = node.end_lineno or node.lineno
                for target in targets(node):
                    name = dotted(target)
                    if name and ("." in name or inside != "function"):
                        yield Definition(scope + name, "assignment", node.lineno, target.lineno, last), node
            case _:
                for name in ("body", "handlers", "cases", "orelse", "finalbody"):
                    inner = getattr(node, name, None)
                    if isinstance(inner, list):
                        yield from nodes(inner, scope, inside)


def targets(node: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    """The single targets of an assignment, those in tuples one by one."""
    waiting: list[ast.expr] = list(node.targets) if isinstance(node, ast.Assign) else [node.target]
    found: list[ast.expr] = []
    while waiting:
        target = waiting.pop(0)
        if isinstance(target, ast.Tuple | ast.List):
            waiting = [*target.elts, *waiting]
        elif isinstance(target, ast.Starred):
            waiting.insert(0, target.value)
        else:
            found.append(target)
    return found


def dotted(node: ast.AST) -> str:
    """The name `a.b.c` that an expression is, or an empty string where it is something else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def masked(text: str) -> str:
    """The text with strings and comments blanked, so that what is left on its lines is code."""
    return STRING_OR_COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


@dataclass(slots=True)
class _Open:
    """A definition whose end has not been seen yet."""

    indent: int
    name: str
    kind: Kind
    first: int
    line: int


def _of_lines(text: str) -> Iterator[Definition]:
    """The definitions told from indentation alone."""
    stack: list[_Open] = []
    depth, seen, decorated, continued = 0, 0, 0, False
    written = text.split("\n")
    for number, code in enumerate(masked(text).split("\n"), 1):
        statement = code.strip()
        if statement and not depth and not continued:
            indent = len(code.expandtabs(8)) - len(code.expandtabs(8).lstrip())
            while stack and indent <= stack[-1].indent:
                yield _closed(stack, seen)
            if statement.startswith("@"):
                decorated = decorated or number
            elif found := DEFINITION.match(statement):
                kind: Kind = "class" if found["kind"] == "class" else "function"
                stack.append(_Open(indent, found["name"], kind, decorated or number, number))
                decorated = 0
            else:
                decorated = 0
                local = bool(stack) and stack[-1].kind == "function"
                if (found := ASSIGNMENT.match(statement)) and ("." in found["name"] or not local):
                    scope = ".".join([*(outer.name for outer in stack), found["name"]])
                    yield Definition(scope, "assignment", number, number, number)
        depth = max(depth + sum(map(code.count, "([{")) - sum(map(code.count, ")]}")), 0)
        continued = code.rstrip().endswith("\\")
        if written[number - 1].strip() and not written[number - 1].lstrip().startswith("#"):
            seen = number
    while stack:
        yield _closed(stack, seen)


def _closed(stack: list[_Open], last: int) -> Definition:
    name = ".".join(outer.name for outer in stack)
    ended = stack.pop()
    return Definition(name, ended.kind, ended.first, ended.line, last)
