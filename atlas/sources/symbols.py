"""Questions that the claims of an entry ask of a pinned Python file.

Is the symbol defined here, is that called there, what are the arguments and defaults, which sizes are configured:
the answers come from reading, and nothing is executed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from atlas.exceptions import ExcerptError
from atlas.sources.definitions import (
    Definition,
    Function,
    definitions,
    dotted,
    masked,
    nodes,
    nodes_between,
    plain_lines,
    syntax_tree,
    targets,
)
from atlas.sources.excerpts import excerpt
from atlas.sources.store import PinnedText

ArgumentKind = Literal["positional-only", "positional", "variadic", "keyword-only", "keywords"]

NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
SHOWN = 4
"""How many names a message lists at most."""


@dataclass(frozen=True, slots=True)
class SignatureArgument:
    """One argument of a function, as its definition writes it."""

    name: str
    """The name, without stars."""
    default: str | None
    """The default's source text, or None where there is none."""
    kind: ArgumentKind
    """How it is passed; `variadic` is `*name` and `keywords` is `**name`."""
    annotation: str | None
    """The annotation's source text."""


@dataclass(frozen=True, slots=True)
class WrittenValue:
    """A value as the source writes it."""

    line: int
    """The line on which it begins."""
    text: str
    """Its source text."""
    literal: bool
    """Whether it is a literal, so that reading it is enough to know it."""
    value: object
    """The literal's value; None where it is not a literal."""


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """A call as the source writes it."""

    line: int
    """The line on which it begins."""
    arguments: tuple[WrittenValue, ...]
    """The positional arguments; starred ones are left out."""
    keywords: tuple[tuple[str, WrittenValue], ...]
    """The named arguments."""


def defined_in(pinned: PinnedText, first: int, last: int, symbol: str) -> Definition:
    """The definition that a symbol means, whose naming line must be among the lines."""
    _check_name(symbol, "symbol")
    within = _within(pinned, first, last)
    for definition in within:
        if definition.is_named(symbol):
            return definition
    advice = f"they define {_nearest_first(within, symbol) if within else 'nothing'}"
    if elsewhere := [found for found in definitions(pinned.text) if found.is_named(symbol)]:
        advice += f"; it is defined at line {' and '.join(str(found.line) for found in elsewhere[:SHOWN])}"
    raise ExcerptError(f"lines {first}-{last} of {pinned.path} do not define {symbol!r}", ("symbol",), advice)


def first_defined(pinned: PinnedText, first: int, last: int) -> Definition | None:
    """The first function or class whose naming line is among the lines, else the first assignment, else None."""
    within = _within(pinned, first, last)
    return next((found for found in within if found.kind != "assignment"), next(iter(within), None))


def begins_with(pinned: PinnedText, first: int, last: int, symbol: str) -> Definition:
    """The first definition of the lines, which must be the one that `first_symbol` names."""
    _check_name(symbol, "first_symbol")
    found = first_defined(pinned, first, last)
    if found is not None and found.is_named(symbol):
        return found
    stated = "nothing" if found is None else f"{found.name} at line {found.line}"
    raise ExcerptError(
        f"the first definition in lines {first}-{last} of {pinned.path} is {stated}, not {symbol!r}", ("first_symbol",)
    )


def calls(pinned: PinnedText, first: int, last: int, dotted_name: str) -> list[int]:
    """The lines, in order, on which a call of `dotted_name` begins."""
    return [node.lineno for node in _calls(pinned, first, last, dotted_name)]


def call_literals(pinned: PinnedText, first: int, last: int, dotted_name: str) -> list[WrittenCall]:
    """The calls of `dotted_name` that begin on the lines, with what each argument says."""
    text = plain_lines(pinned.text)
    return [
        WrittenCall(
            node.lineno,
            tuple(_written(argument, text) for argument in node.args if not isinstance(argument, ast.Starred)),
            tuple((keyword.arg, _written(keyword.value, text)) for keyword in node.keywords if keyword.arg),
        )
        for node in _calls(pinned, first, last, dotted_name)
    ]


def assignments(pinned: PinnedText, first: int, last: int, dotted_name: str) -> list[WrittenValue]:
    """The values assigned to `dotted_name` on the lines, in order; `line` is that of the assignment."""
    _check_name(dotted_name, "name")
    text = plain_lines(pinned.text)
    found: list[WrittenValue] = []
    for node in _nodes(pinned, first, last):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            for target in targets(node):
                if dotted(target) == dotted_name:
                    # One name out of several is given a part of the value, which reading does not tell.
                    whole = target in (node.targets if isinstance(node, ast.Assign) else [node.target])
                    found.append(_written(node.value, text, node.lineno, may_be_literal=whole))
        elif isinstance(node, ast.AugAssign) and dotted(node.target) == dotted_name:
            found.append(_written(node.value, text, node.lineno, may_be_literal=False))
    return sorted(found, key=lambda value: value.line)


CALLED = ("__call__", "forward")
"""The methods by which an instance is called, nearest first: Python's own, and the one to which PyTorch's hands on."""


def call_method(pinned: PinnedText, symbol: str) -> str:
    """The method of a class, as `Class.method`, that runs when an instance is called; `__call__` where it has none."""
    return _method(pinned, symbol, CALLED) or f"{symbol}.{CALLED[0]}"


def constructor(pinned: PinnedText, symbol: str) -> str | None:
    """The `Class.__init__` of a class or else of the nearest base that the file defines; None where there is none."""
    return _method(pinned, symbol, ("__init__",))


def _method(pinned: PinnedText, symbol: str, methods: tuple[str, ...]) -> str | None:
    """The first of these methods that a class has, of its own or from the bases that the file defines."""
    functions = [found for found in definitions(pinned.text) if found.kind == "function"]
    names = [f"{one}.{method}" for method in methods for one in (symbol, *_bases(pinned, symbol))]
    return next((name for name in names if any(found.is_named(name) for found in functions)), None)


def _bases(pinned: PinnedText, symbol: str) -> list[str]:
    """The classes of the file from which a class inherits, nearest first; none where it is not today's Python."""
    tree = syntax_tree(pinned.text)
    classes = {found.name: node for found, node in nodes(tree.body) if isinstance(node, ast.ClassDef)} if tree else {}
    waiting = [name for name in classes if name == symbol or name.endswith(f".{symbol}")][-1:]
    found: list[str] = []
    while waiting:
        name = waiting.pop(0)
        above = [dotted(base.value if isinstance(base, ast.Subscript) else base) for base in classes[name].bases]
        own = [base for base in above if base in classes and base not in (symbol, *found)]
        found += own
        waiting = [*own, *waiting]
    return found


def signature(pinned: PinnedText, symbol: str) -> tuple[SignatureArgument, ...]:
    """The arguments of a function; of a method, those that a caller passes (`self` or `cls` is left out)."""
    _check_name(symbol, "symbol")
    found = [definition for definition in definitions(pinned.text) if definition.is_named(symbol)]
    functions = [definition for definition in found if definition.kind == "function"]
    if not functions:
        if any(definition.kind == "class" for definition in found):
            raise ExcerptError(
                f"{symbol} is a class in {pinned.path}; its arguments are those of {symbol}.__init__", ("symbol",)
            )
        names = _nearest_first([each for each in definitions(pinned.text) if each.kind == "function"], symbol)
        raise ExcerptError(
            f"{pinned.path} defines no function {symbol!r}", ("symbol",), f"it defines {names}" if names else ""
        )
    # Of several definitions with one name the last is the one that is left after import.
    chosen = functions[-1]
    node = _function_node(pinned, chosen)
    owner = chosen.name.rpartition(".")[0]
    in_class = any(each.name == owner and each.kind == "class" for each in definitions(pinned.text))
    is_static = any(dotted(decorator) == "staticmethod" for decorator in node.decorator_list)
    return _arguments(node, plain_lines(pinned.text), skip_first=in_class and not is_static)


def _arguments(node: Function, text: str, *, skip_first: bool) -> tuple[SignatureArgument, ...]:
    given = node.args
    plain: list[tuple[ast.arg, ArgumentKind]] = [
        *((argument, "positional-only") for argument in given.posonlyargs),
        *((argument, "positional") for argument in given.args),
    ]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(given.defaults))
    defaults += given.defaults
    found = [_argument(*each, default, text) for each, default in zip(plain, defaults, strict=True)]
    found = found[1:] if skip_first else found
    if given.vararg:
        found.append(_argument(given.vararg, "variadic", None, text))
    found += [
        _argument(argument, "keyword-only", default, text)
        for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
    ]
    if given.kwarg:
        found.append(_argument(given.kwarg, "keywords", None, text))
    return tuple(found)


def _argument(argument: ast.arg, kind: ArgumentKind, default: ast.expr | None, text: str) -> SignatureArgument:
    return SignatureArgument(
        argument.arg,
        None if default is None else _source(default, text),
        kind,
        None if argument.annotation is None else _source(argument.annotation, text),
    )


def _function_node(pinned: PinnedText, definition: Definition) -> Function:
    """The function's node; in a file that cannot be parsed, one made of its header alone."""
    tree = syntax_tree(pinned.text)
    if tree is not None:
        return next(
            node
            for found, node in nodes(tree.body)
            if found == definition and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        )
    lines = plain_lines(pinned.text).split("\n")
    depth = 0
    for number, code in enumerate(masked("\n".join(lines[definition.line - 1 :])).split("\n"), definition.line):
        depth += sum(map(code.count, "([{")) - sum(map(code.count, ")]}"))
        if depth <= 0:
            header = lines[definition.first - 1 : number]
            for body in (" pass", ""):
                part = _parsed_part([*header[:-1], header[-1] + body], definition.first)
                for node in ast.walk(part) if part else ():
                    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                        return node
            break
    raise ExcerptError(
        f"the arguments of {definition.name} at line {definition.line} of {pinned.path} are not today's Python",
        ("symbol",),
    )


def _calls(pinned: PinnedText, first: int, last: int, dotted_name: str) -> list[ast.Call]:
    _check_name(dotted_name, "name")
    found = [
        node for node in _nodes(pinned, first, last) if isinstance(node, ast.Call) and dotted(node.func) == dotted_name
    ]
    return sorted(found, key=lambda node: (node.lineno, node.col_offset))


def _nodes(pinned: PinnedText, first: int, last: int) -> Iterator[ast.AST]:
    """Every expression and statement that begins on the lines; in older Python the lines are parsed by themselves."""
    lines = excerpt(pinned, first, last).lines
    tree = syntax_tree(pinned.text)
    if tree is not None:
        return nodes_between(pinned.text, first, last)
    tree = _parsed_part(plain_lines("\n".join(lines)).split("\n"), first)
    if tree is None:
        raise ExcerptError(
            f"lines {first}-{last} of {pinned.path} are not today's Python by themselves, and the file is not either",
            ("lines",),
        )
    return (node for node in ast.walk(tree) if first <= getattr(node, "lineno", 0) <= last)


def _parsed_part(lines: list[str], first: int) -> ast.Module | None:
    """The tree of some lines of a file, with the file's line numbers."""
    indented = lines[0][:1] in (" ", "\t")
    # Blank lines before the part put it where it is in the file; an indented part needs a block to be in.
    before = "\n" * (first - 2) + "if True:\n" if indented and first > 1 else "\n" * (first - 1)
    return syntax_tree(before + "\n".join(lines))


def _within(pinned: PinnedText, first: int, last: int) -> list[Definition]:
    excerpt(pinned, first, last)
    return [found for found in definitions(pinned.text) if first <= found.line <= last]


def _nearest_first(found: list[Definition], symbol: str) -> str:
    """Some names, the one most like the symbol first."""
    names = sorted({definition.name for definition in found})
    tail = symbol.rpartition(".")[2]
    names.sort(key=lambda name: -SequenceMatcher(None, tail, name.rpartition(".")[2]).ratio())
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


def _written(node: ast.expr, text: str, line: int | None = None, *, may_be_literal: bool = True) -> WrittenValue:
    literal, value = False, None
    if may_be_literal:
        try:
            literal, value = True, ast.literal_eval(node)
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            literal = False
    return WrittenValue(line or node.lineno, _source(node, text), literal, value)


def _source(node: ast.expr, text: str) -> str:
    segment = ast.get_source_segment(text, node)
    return ast.unparse(node) if segment is None else segment


def _check_name(name: str, field: str) -> None:
    if not NAME.fullmatch(name):
        raise ExcerptError(f"{name!r} is not a name or names joined by dots", (field,))
