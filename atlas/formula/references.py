r"""Names in an expression: which part of `W_i^Q` is the name, which an index, which an exponent; and applications.

Declared names win, from the longest on; what is left over is an index below and an exponent above.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Tokens  # the tree has a node called Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from atlas.exceptions import FormulaError
from atlas.formula import letters, reductions
from atlas.formula.functions import EXTREMES, INDICATORS, PREFIX
from atlas.formula.lexer import Token
from atlas.formula.names import Script, Scripted, read_scripted
from atlas.formula.reader import MAX_DEPTH
from atlas.formula.span import Span
from atlas.formula.symbols import Kind
from atlas.formula.tree import (
    Call,
    Group,
    IndexName,
    Indicator,
    Name,
    Node,
    Number,
    Power,
    Product,
    Quotient,
    Reduction,
    Sequence,
    SizeName,
    Subscript,
    Sum,
    Term,
    Transpose,
)

if TYPE_CHECKING:
    from atlas.formula.parser import Parser
    from atlas.formula.reader import Reader

_LONG_NAME = r"a size of several letters is written d_{\mathrm{model}}, and stands among the dimensions"

RUNNING = r"\dots"
"""The running index of a sequence; no name is spelled so."""

_LONE: Mapping[Kind | None, type[Name | SizeName | IndexName]] = MappingProxyType(
    {"value": Name, "constant": Name, "size": SizeName, "index": IndexName}
)
"""What a name without scripts is, by what it names."""


def lone(parser: Parser, tokens: Tokens[Token]) -> Node | None:
    """A number or name that is all of a part, as of most scripts; None where more must be read to tell."""
    if len(tokens) != 1 or parser.depth == MAX_DEPTH:
        return None
    token = tokens[0]
    if token.kind == "number":
        return Number(token.text, span=token.span)
    rule = _LONE.get(parser.scope.kind(token.text)) if token.kind == "name" else None
    return rule(token.text, span=token.span) if rule is not None else None


def reference(parser: Parser) -> Node:
    """The name at the position with its scripts, as a value, size, index or application."""
    reader = parser.reader
    scripted, reader.index = read_scripted(reader.tokens, reader.index)
    name, kind, sub, sup = _resolve(parser, scripted)
    if kind == "function":
        return _application(parser, name, sub, sup, scripted.span)
    base = scripted.base.span
    span = scripted.span
    if sup is not None:
        span = Span(base.start, max([base.end, *([scripted.sub.span.end] if scripted.sub is not None else [])]))
    node: Node
    if kind in ("size", "index"):
        node = SizeName(name, span=span) if kind == "size" else IndexName(name, span=span)
        if sub is not None:
            what = "a size" if kind == "size" else "an index"
            raise FormulaError("A224", f"`{name}` is {what} and takes no subscript", sub.span, _LONG_NAME)
    else:
        node = Name(name, span=span if sub is None else base)
        if sub is not None:
            node = Subscript(node, parser.indices(sub), span=span)
    return parser.power(node, sup) if sup is not None else node


def _resolve(parser: Parser, scripted: Scripted) -> tuple[str, Kind, Script | None, Script | None]:
    """The longest spelling that is known, with what it is and the scripts that are not part of it."""
    if scripted.sub is None and scripted.sup is None and (kind := parser.scope.kind(scripted.base.text)) is not None:
        return scripted.base.text, kind, None, None
    tries: list[tuple[str, Script | None, Script | None]] = [(scripted.name(), None, None)]
    if scripted.sup is not None:
        tries.append((scripted.name(sub=False), scripted.sub, None))
    if scripted.sub is not None:
        tries.append((scripted.name(sup=False), None, scripted.sup))
    tries.append((scripted.base.text, scripted.sub, scripted.sup))
    for name, sub, sup in tries:
        if (kind := parser.scope.kind(name)) is not None:
            if (
                kind == "constant"
                and sub is not None
                and letters.lookalikes(scripted.name(sup=False), parser.scope.names)
            ):
                break  # a constant has no subscript, so that a declared letter of another look is meant
            return name, kind, sub, sup
    raise _unknown(parser, scripted)


def _unknown(parser: Parser, scripted: Scripted) -> FormulaError:
    name, reader = scripted.name(), parser.reader
    if letters.lookalikes(scripted.name(sup=False), parser.scope.names):
        name = scripted.name(sup=False)  # what stands above it is an exponent
    message = f"the symbol `{name}` is not known"
    near = parser.scope.nearest(name)
    if near:
        return FormulaError("A209", message, scripted.span, parser.suggestion(name), name)
    before = reader.tokens[max(reader.index - 2, 0)]
    neighbours = [token for token in (before, reader.peek()) if token.kind == "name" and token is not scripted.base]
    letter = len(scripted.base.text) == 1
    if letter and any(len(token.text) == 1 and token.text.isalpha() for token in neighbours):
        return FormulaError("A210", message, scripted.span, _for_letters(reader, scripted), name)
    if reader.kind == "(" and not letter:
        hint = "define it by an equation, or declare it as a function"
    else:
        hint = "declare it, define it by an equation, or give the index a range"
    return FormulaError("A209", message, scripted.span, hint, name)


def _for_letters(reader: Reader, scripted: Scripted) -> str:
    """What to write for a run of letters: a command whose backslash was left out, or a name."""
    start = reader.tokens.index(scripted.base)
    word = ""
    for token in reader.tokens[start:]:
        if token.kind != "name" or len(token.text) != 1:
            break
        word += token.text
    if word in letters.GREEK | letters.FUNCTIONS | letters.STRUCTURE:
        return f"write `\\{word}`"
    return r"a name of several letters is written \mathrm{...}"


def _application(parser: Parser, name: str, sub: Script | None, sup: Script | None, span: Span) -> Node:
    r"""A function with its argument; `\max_j` is a reduction and `\mathbb{1}[…]` an indicator."""
    reader = parser.reader
    if name in EXTREMES and sub is not None and sup is None:
        return reductions.over(parser, name, sub, None, span)
    if name in INDICATORS:
        return _indicator(parser, span)
    subscripts = parser.indices(sub) if sub is not None else ()
    if reader.kind == "(":
        arguments = _arguments(parser, name)
    elif name in PREFIX and parser.starts():
        arguments = (_bare_argument(parser, name, span),)
    elif name in PREFIX:
        raise FormulaError("A215", f"the function `{name}` needs an argument", span)
    else:
        hint = f"write `{name}(...)`"
        raise FormulaError("A215", f"the function `{name}` needs its argument in parentheses", span, hint)
    call = Call(name, subscripts, arguments, span, span=span.to(reader.last))
    if sup is None:
        return parser.scripts(call)
    if len(sup.tokens) != 1 or sup.tokens[0].kind != "number":
        message = f"`{name}^{sup.text}(...)` could be a power or an inverse"
        raise FormulaError("A211", message, span, "write the power after the argument, as in f(x)^{-1}")
    return parser.scripts(parser.power(call, sup))


def _arguments(parser: Parser, name: str) -> tuple[Node, ...]:
    """The arguments of a function in parentheses; dots stand for a sequence."""
    reader = parser.reader
    opening = reader.take()
    parser.closers.append(")")
    found: list[Node | Token] = []
    while True:
        found.append(reader.take() if reader.kind == "\\dots" else parser.sum())
        if reader.kind != ",":
            break
        reader.take()
    parser.closers.pop()
    parser.close(opening, ")")
    nodes = [node for node in found if isinstance(node, Node)]
    if len(nodes) == len(found):
        return tuple(nodes)
    if len(found) == 3 and len(nodes) == 2:
        return (sequence(nodes[0], nodes[1]),)
    dots = next(token for token in found if isinstance(token, Token))
    message = f"dots in the arguments of `{name}` stand between two terms"
    raise FormulaError("A242", message, dots.span, r"as in `\operatorname{Concat}(a_1,\dots,a_n)`")


def _bare_argument(parser: Parser, name: str, span: Span) -> Node:
    """The one factor that a function takes without parentheses; what follows must not look like more of it."""
    argument = parser.factor()
    token = parser.reader.peek()
    next_function = token.kind == "name" and parser.scope.kind(token.text) == "function"
    if parser.starts() and not next_function and not isinstance(argument, Reduction):
        message = f"it is unclear where the argument of `{name}` ends"
        raise FormulaError("A207", message, span.to(token.span), "put the argument in parentheses")
    return argument


def _indicator(parser: Parser, span: Span) -> Node:
    reader = parser.reader
    if reader.kind != "(":
        raise FormulaError("A215", "the indicator needs its condition in brackets", span, r"write `\mathbb{1}[i = j]`")
    opening = reader.take()
    parser.closers.append(")")
    condition = parser.relation()
    parser.closers.pop()
    parser.close(opening, ")")
    return parser.scripts(Indicator(condition, span=span.to(reader.last)))


def sequence(first: Node, last: Node) -> Sequence:
    r"""`a_1,\dots,a_n`: the template is the first term with the one place where both differ running."""
    found: list[tuple[Node, Node]] = []
    template = _template(first, last, found)
    if len(found) != 1 or not all(isinstance(node, Number | SizeName) for node in found[0]):
        message = r"both sides of `\dots` must be the same term with a first and a last index"
        raise FormulaError("A242", message, first.span.to(last.span), r"as in `\mathrm{head}_1,\dots,\mathrm{head}_h`")
    return Sequence(RUNNING, template, found[0][0], found[0][1], span=first.span.to(last.span))


def _template(one: Node, other: Node, found: list[tuple[Node, Node]]) -> Node:
    if one == other:
        return one
    match one, other:
        case Subscript(), Subscript() if len(one.indices) == len(other.indices):
            base = _template(one.base, other.base, found)
            return Subscript(base, _templates(one.indices, other.indices, found), span=one.span)
        case Call(), Call() if one.function == other.function and len(one.children) == len(other.children):
            subscripts = _templates(one.subscripts, other.subscripts, found)
            arguments = _templates(one.arguments, other.arguments, found)
            return Call(one.function, subscripts, arguments, one.name_span, span=one.span)
        case Product(), Product() if len(one.factors) == len(other.factors):
            return Product(_templates(one.factors, other.factors, found), span=one.span)
        case Sum(), Sum() if [term.sign for term in one.terms] == [term.sign for term in other.terms]:
            values = _templates([term.value for term in one.terms], [term.value for term in other.terms], found)
            terms = (Term(t.sign, v, t.sign_span, span=t.span) for t, v in zip(one.terms, values, strict=True))
            return Sum(tuple(terms), span=one.span)
        case (Group(), Group()) | (Transpose(), Transpose()):
            inner = _template(one.children[0], other.children[0], found)
            return Group(inner, span=one.span) if isinstance(one, Group) else Transpose(inner, span=one.span)
        case Quotient(), Quotient() if one.form == other.form:
            above, below = _templates(one.children, other.children, found)
            return Quotient(above, below, one.form, one.operator_span, span=one.span)
        case Power(), Power() if one.exponent == other.exponent:
            return Power(_template(one.base, other.base, found), one.exponent, span=one.span)
        case _:
            found.append((one, other))
            return IndexName(RUNNING, span=one.span)


def _templates(
    ones: tuple[Node, ...] | list[Node], others: tuple[Node, ...] | list[Node], found: list[tuple[Node, Node]]
) -> tuple[Node, ...]:
    return tuple(_template(one, other, found) for one, other in zip(ones, others, strict=True))
