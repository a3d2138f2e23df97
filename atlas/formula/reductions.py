r"""Sums, products and extremes over an index: `\sum_{j=1}^{d}`, `\sum_{s\le t}`, `\sum_{i\in S}`, `\max_j`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from atlas.exceptions import FormulaError
from atlas.formula.lexer import Token
from atlas.formula.names import Script, read_scripted
from atlas.formula.span import Span
from atlas.formula.tree import Between, Domain, Node, Over, Reduction, ReductionName, Where, Within

if TYPE_CHECKING:
    from atlas.formula.parser import Parser

_COMPARISONS = frozenset(("=", "\\neq", "<", ">", "\\leq", "\\geq"))


def reduction(parser: Parser) -> Node:
    r"""`\sum` or `\prod` at the position, with its scripts and its body."""
    reader = parser.reader
    sign = reader.take()
    scripts: dict[str, Script] = {}
    while reader.kind in ("_", "^"):
        mark = reader.kind
        if mark in scripts:
            raise FormulaError("A203", f"`{sign.text}` has two scripts `{mark}`", reader.peek().span)
        scripts[mark] = parser.script()
    if "_" not in scripts:
        hint = f"write `{sign.kind}_{{j=1}}^{{d}}`"
        raise FormulaError("A226", f"`{sign.kind}` has no index", sign.span, hint)
    return over(parser, sign.kind, scripts["_"], scripts.get("^"), sign.span)


def over(parser: Parser, operator: str, sub: Script, sup: Script | None, span: Span) -> Node:
    """A reduction whose operator and scripts are read; its body is the next term."""
    outer = parser.scope
    domain = _domain(parser, sub, sup)
    parser.scope = outer.with_local(dict.fromkeys(domain.variables, "index"))
    body = parser.term()
    parser.scope = outer
    return Reduction(cast(ReductionName, operator), domain, body, span, span=span.to(body.span))


def _domain(parser: Parser, sub: Script, sup: Script | None) -> Domain:
    kinds = [token.kind for token in sub.tokens]
    if sup is not None and "=" not in kinds:
        raise FormulaError("A226", "an upper bound without a lower one", sub.span, r"write `\sum_{j=1}^{d}`")
    if "\\in" in kinds:
        at = kinds.index("\\in")
        return _within(parser, sub, at)
    if "=" in kinds and not _COMPARISONS.intersection(kinds) - {"="}:
        at = kinds.index("=")
        if sup is None:
            raise FormulaError("A226", "a lower bound without an upper one", sub.span, r"write `\sum_{j=1}^{d}`")
        variables = _variables(parser, sub.tokens[:at], sub.span)
        if len(variables) != 1:
            hint = r"write one sum for each, or `\sum_{i,j}`"
            raise FormulaError("A226", "one lower bound for several indices", sub.span, hint)
        lower = parser.part(sub.tokens[at + 1 :], sub.span, "a lower bound")
        upper = parser.part(sup.tokens, sup.span, "an upper bound")
        return Between(variables, lower, upper, span=sub.span.to(sup.span))
    if _COMPARISONS.intersection(kinds):
        return _where(parser, sub)
    return Over(_variables(parser, sub.tokens, sub.span), span=sub.span)


def _within(parser: Parser, sub: Script, at: int) -> Within:
    variables = _variables(parser, sub.tokens[:at], sub.span)
    members = sub.tokens[at + 1 :]
    if len(variables) != 1:
        raise FormulaError("A226", "one set for several indices", sub.span, "write one sum for each")
    if members and members[0].text == "\\{":
        hint = r"write the bounds, as in `\sum_{j=1}^{d}`"
        raise FormulaError("A226", "a range in braces is not in the formula language", members[0].span, hint)
    node = parser.part(members, sub.span, "a set")
    return Within(variables, node, span=sub.span)


def _where(parser: Parser, sub: Script) -> Where:
    """A condition; the index is the one name in it that is not known."""
    fresh: list[str] = []
    at = 0
    while at < len(sub.tokens):
        if sub.tokens[at].kind != "name":
            at += 1
            continue
        scripted, end = read_scripted(sub.tokens, at)
        spellings = {scripted.name(), scripted.name(sub=False), scripted.name(sup=False), scripted.base.text}
        if all(parser.scope.kind(name) in (None, "constant") for name in spellings):
            fresh.append(scripted.base.text)
        at = end
    if len(set(fresh)) != 1:
        found = f"`{'` and `'.join(dict.fromkeys(fresh))}` are new" if fresh else "all names are known"
        hint = "choose one new letter for the index"
        raise FormulaError("A226", f"it is unclear which index runs here: {found}", sub.span, hint)
    scope = parser.scope
    parser.scope = scope.with_local({fresh[0]: "index"})
    inner = parser.inside(sub.tokens, sub.span)
    parser.scope = scope
    condition = inner.relation()
    inner.finish("a condition")
    return Where((fresh[0],), condition, span=sub.span)


def _variables(parser: Parser, tokens: Sequence[Token], span: Span) -> tuple[str, ...]:
    """Index names, separated by commas; a name that is a size or value is refused."""
    names = [token for token in tokens if token.kind == "name"]
    alternating = [token.kind for token in tokens] == ["name", ","] * (len(names) - 1) + ["name"] * bool(names)
    if not names or not alternating:
        raise FormulaError("A226", "names of indices are expected here", span, "separate several by commas")
    for token in names:
        kind = parser.scope.kind(token.text)
        if kind in ("size", "value", "function"):
            what = f"`{token.text}` is already a {kind}"
            raise FormulaError("A213", what, token.span, "choose another letter for the index")
    if len({token.text for token in names}) != len(names):
        raise FormulaError("A213", "one index stands twice", span, "choose another letter for the second")
    return tuple(token.text for token in names)
