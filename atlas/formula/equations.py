r"""Parts of a formula → the tree of the whole: left sides first, so that the order of equations is free.

A left side says how it defines: `y`, `f(x)`, `E_i(x)`, `\sigma^2(x)`, `y_{i,j}`, the pieces `y_{2i}` and `y_{2i+1}`,
or the start value `h_0`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from atlas.exceptions import FormulaError
from atlas.formula import rows
from atlas.formula.lexer import Token, tokenize
from atlas.formula.names import Script, Scripted, read_scripted
from atlas.formula.parser import Parser
from atlas.formula.reader import Scope
from atlas.formula.rows import Part
from atlas.formula.span import Span
from atlas.formula.symbols import Kind, SymbolTable
from atlas.formula.tree import Definition, IndexName, Leaf, Name, Node, Range, SizeName, System, mentioned

MAX_EQUATIONS = 64
"""The most equations that one formula may have."""

MAX_TREE = 100
"""How many nodes may lie below each other in one equation; long chains of divisions would be deeper."""

_FORMS = "a left side is `y`, `f(x)` or `y_{i,j}`"


class _Left(NamedTuple):
    """A left side before its indices are parsed; a tuple, as some are made anew when others are known."""

    scripted: Scripted
    """The name with its scripts."""
    name: str
    """What is defined, without indices."""
    parameters: tuple[str, ...]
    """The parameters, if it defines a function."""
    subscript: Script | None
    """The subscript that holds indices, if it has."""
    squared: bool
    """Whether it is the square that is defined."""
    number: int | None
    """The number that is its whole subscript: a start value, or part of the name."""
    span: Span
    """Where it stands."""

    @property
    def base(self) -> str:
        """The name that it has if its number is a step."""
        return self.scripted.name(sub=False, sup=not self.squared)


def parse_system(latex: str, table: SymbolTable) -> System:
    """Parse a whole formula.

    Raises:
        FormulaError: the first thing that cannot be read, or that has no meaning.
    """
    found = rows.parts(tokenize(latex), frozenset(table.symbols))
    equations, signs, ranges = _sorted(found, len(latex))
    if len(equations) > MAX_EQUATIONS:
        message = f"{len(equations)} equations; at most {MAX_EQUATIONS} are read"
        raise FormulaError("A250", message, _span(equations[MAX_EQUATIONS]))
    running = frozenset(variable.text for variables, _, _ in ranges for variable in variables)
    lefts = [_left(part, found[0], table, running) for part, found in zip(equations, signs, strict=True)]
    lefts = [_settled(left, lefts, table) for left in lefts]
    defined: dict[str, Kind] = {}
    for at, left in enumerate(lefts):
        _check_name(left, lefts[:at], table)
        if left.number is None or left.name not in defined:
            defined[left.name] = "function" if left.parameters else "value"
    scope = Scope(table, defined)
    parsed = _ranges(ranges, scope)
    variables: dict[str, Kind] = {found.variable: "index" for found in parsed}
    inner = scope.with_local(variables)
    definitions = [
        _definition(left, part, found, inner) for left, part, found in zip(lefts, equations, signs, strict=True)
    ]
    return System(tuple(definitions), parsed, span=Span(0, len(latex)))


RangeTokens = tuple[tuple[Token, ...], Part, Part]


def _sorted(found: Sequence[Part], length: int) -> tuple[list[Part], list[list[int]], list[RangeTokens]]:
    """The parts that are equations, with the places of their `=`, and those that make ranges: `i=0`, dots, `n-1`."""
    equations: list[Part] = []
    signs: list[list[int]] = []
    ranges: list[RangeTokens] = []
    at = 0
    while at < len(found):
        first = at
        while first < len(found) and _is_only(found[first], "name"):
            first += 1
        if first + 2 < len(found) and _is_only(found[first + 1], "\\dots") and _begins_range(found[first]):
            names = tuple(part[0] for part in found[at : first + 1])
            ranges.append((names, found[first][2:], found[first + 2]))
            at = first + 3
            continue
        part = found[at]
        signs.append(rows.equal_signs(part))
        if not signs[-1]:
            hint = r"write what it defines before it, as in `y = ...`; a range is `,\quad i=1,\dots,n`"
            if at and found[at - 1][-1].kind == "number" and part[0].kind == "number":
                hint = "decimals are written with a point"
            raise FormulaError("A233", "this part has no `=`", _span(part), hint)
        equations.append(part)
        at += 1
    if not equations:
        raise FormulaError("A233", "the formula has no equation", Span(0, max(length, 1)), "write `y = ...`")
    return equations, signs, ranges


def _is_only(part: Part, kind: str) -> bool:
    """Whether a part is one token of this kind."""
    return len(part) == 1 and part[0].kind == kind


def _begins_range(part: Part) -> bool:
    """Whether a part is a name that equals something."""
    return len(part) > 2 and part[0].kind == "name" and part[1].kind == "="


def _left(part: Part, sign: int, table: SymbolTable, running: frozenset[str]) -> _Left:
    tokens = part[:sign]
    if not tokens:
        raise FormulaError("A233", "nothing stands before `=`", part[sign].span, _FORMS)
    if tokens[0].kind != "name":
        raise FormulaError("A233", "the left side is not a symbol", _span(tokens), _FORMS)
    scripted, at = read_scripted(tokens, 0)
    parameters, at = _parameters(tokens, at, table)
    if at != len(tokens):
        raise FormulaError("A233", f"`{tokens[at].text}` is not expected on a left side", tokens[at].span, _FORMS)
    whole = scripted.name()
    if scripted.sup is not None and any(token.kind == "\\top" for token in scripted.sup.tokens):
        raise FormulaError(
            "A233", "a transpose on the left side", scripted.sup.span, "transpose the right side instead"
        )
    squared = scripted.sup is not None and scripted.sup.text == "2" and not table.declares(whole)
    left = _Left(scripted, scripted.name(sup=not squared), parameters, None, squared, None, _span(tokens))
    if scripted.sub is None or table.declares(left.name):
        return left
    number = _number(scripted.sub)
    if number is not None:
        return left._replace(number=number)
    only = scripted.sub.tokens[0] if len(scripted.sub.tokens) == 1 else None
    named = only is not None and (table.kind(only.text) == "size" or only.text.startswith("\\mathrm"))
    if only is not None and named and not table.declares(left.base) and only.text not in running:
        return left
    return left._replace(name=left.base, subscript=scripted.sub)


def _number(script: Script) -> int | None:
    """The whole number that a subscript is, or None."""
    text = "".join(token.text for token in script.tokens)
    return int(text) if text.removeprefix("-").isdigit() and len(script.tokens) <= 2 else None


def _parameters(tokens: Part, at: int, table: SymbolTable) -> tuple[tuple[str, ...], int]:
    if at == len(tokens) or tokens[at].kind != "(":
        return (), at
    found: list[str] = []
    opening = tokens[at]
    while at < len(tokens) and tokens[at].kind in ("(", ",") and (tokens[at].kind == "," or tokens[at] is opening):
        if at + 1 == len(tokens) or tokens[at + 1].kind != "name":
            raise FormulaError("A233", "a parameter is expected here", tokens[at].span, _FORMS)
        scripted, end = read_scripted(tokens, at + 1)
        name = scripted.name()
        if table.kind(name) == "size" or name in found:
            what = "is a size" if table.kind(name) == "size" else "stands twice"
            raise FormulaError("A213", f"the parameter `{name}` {what}", scripted.span, "choose another letter")
        found.append(name)
        at = end
    if at == len(tokens) or tokens[at].kind != ")":
        raise FormulaError("A202", "the parameters are never closed", opening.span)
    return tuple(found), at + 1


def _settled(left: _Left, lefts: Sequence[_Left], table: SymbolTable) -> _Left:
    """`h_0` is the start of `h` where there is an `h` to start, else a name of its own."""
    if left.number is None:
        return left
    if left.base in table.symbols or any(other.subscript is not None and other.name == left.base for other in lefts):
        return left._replace(name=left.base)
    return left._replace(number=None)


def _check_name(left: _Left, earlier: Sequence[_Left], table: SymbolTable) -> None:
    """Refuse to define a size, a function that is declared, or one name twice unless it is piece by piece."""
    name = left.name
    if name in table.sizes or table.kind(name) == "size":
        hint = "relations between sizes are declared, not written"
        raise FormulaError("A213", f"`{name}` is a size and cannot be defined", left.span, hint)
    if name in table.aliases or (table.kind(name) == "function" and name in table.symbols):
        raise FormulaError("A234", f"`{name}` is declared as a function and also defined", left.span)
    others = [other for other in earlier if other.name == name]
    if left.number is not None:
        twice = any(other.number == left.number for other in others)
    else:
        whole = left.subscript is None or bool(left.parameters)
        twice = any(other.number is None and (whole or other.subscript is None) for other in others)
    if twice:
        raise FormulaError("A234", f"`{left.scripted.name()}` is defined twice", left.span)
    if left.number is not None and left.parameters:
        raise FormulaError("A233", "a start value takes no parameters", left.span, _FORMS)


def _ranges(found: Sequence[RangeTokens], scope: Scope) -> tuple[Range, ...]:
    parsed: dict[str, Range] = {}
    for names, lower, upper in found:
        for name in names:
            kind = scope.kind(name.text)
            if kind not in (None, "constant"):
                hint = "choose another letter for the index"
                raise FormulaError("A213", f"`{name.text}` is already a {kind}", name.span, hint)
            first = Parser(lower, scope, name.span.end).whole("a range")
            last = Parser(upper, scope, name.span.end).whole("a range")
            new = Range(name.text, first, last, span=name.span.to(last.span))
            if parsed.setdefault(name.text, new) != new:
                hint = "one letter has one range in the whole formula"
                raise FormulaError("A234", f"`{name.text}` has two ranges", new.span, hint)
    return tuple(parsed.values())


def _definition(left: _Left, part: Part, signs: Sequence[int], scope: Scope) -> Definition:
    fresh = _fresh(left, scope)
    inner = scope.with_local({**dict.fromkeys(fresh, "index"), **dict.fromkeys(left.parameters, "value")})
    indices: tuple[Node, ...] = ()
    if left.subscript is not None:
        indices = Parser((), inner, left.span.end).indices(left.subscript)
        for node in indices:
            if isinstance(node, SizeName | Name):
                what = "a size" if isinstance(node, SizeName) else "a value"
                hint = "choose another letter for the index"
                raise FormulaError("A213", f"`{node.name}` is {what}, not an index", node.span, hint)
    values: list[Node] = []
    for start, end in zip(signs, [*signs[1:], len(part)], strict=True):
        if end == start + 1:
            raise FormulaError("A216", "nothing stands after `=`", part[start].span, "write one `=` and a value")
        values.append(Parser(part[start + 1 : end], inner, part[start].span.end).whole("this equation"))
    found = Definition(
        left.name,
        left.parameters,
        indices,
        left.squared,
        left.number,
        tuple(values),
        left.span,
        mentioned(*indices, *values),
        span=_span(part),
    )
    if left.subscript is not None and not found.variables:
        hint = f"declare `{left.scripted.name()}` if this is its name"
        raise FormulaError("A233", f"the subscript of `{left.name}` has no index", left.span, hint)
    if left.subscript is not None and left.parameters and not all(isinstance(node, IndexName) for node in indices):
        raise FormulaError("A233", "the index of a function is a single letter", left.span, "as in `E_i(x)`")
    # No token makes more than two levels, as the first sign of a sum does, which is one level, and its terms another.
    if 2 * (len(part) + 1) > MAX_TREE and _depth(found) > MAX_TREE:
        hint = "define a part of it by an equation of its own"
        raise FormulaError("A250", f"an equation of more than {MAX_TREE} levels", found.span, hint)
    return found


def _fresh(left: _Left, scope: Scope) -> list[str]:
    """The names in the index of a left side that are not known: they are index variables."""
    if left.subscript is None:
        return []
    tokens = left.subscript.tokens
    return [token.text for token in tokens if token.kind == "name" and scope.kind(token.text) in (None, "constant")]


def _span(tokens: Sequence[Token]) -> Span:
    return tokens[0].span.to(tokens[-1].span) if tokens else Span(0, 1)


def _depth(node: Node) -> int:
    """The number of nodes on the longest path from the node down."""
    depth = 0
    level: list[Node] = [node]
    while level:
        depth += 1
        level = [child for above in level if not isinstance(above, Leaf) for child in above.children]
    return depth
