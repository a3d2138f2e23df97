r"""Tokens → the tree of an expression: a Pratt parser that is given the symbol table and resolves names as it reads.

What a name is decides how the text after it is read (`f(x)` applies or multiplies, `x_n` is a name or an index), so
names cannot be left to a second pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import cast

from atlas.exceptions import FormulaError
from atlas.formula import reductions, references
from atlas.formula.lexer import Token, matching
from atlas.formula.names import Script, read_script
from atlas.formula.reader import MAX_DEPTH, Reader, Scope
from atlas.formula.span import Span
from atlas.formula.tree import (
    Absolute,
    Branch,
    Cases,
    Comparison,
    Group,
    IndexName,
    Infinity,
    Multiply,
    MultiplySign,
    Node,
    Norm,
    Number,
    Power,
    Product,
    Quotient,
    Reduction,
    Relation,
    Remainder,
    Root,
    Rounded,
    Sign,
    Subscript,
    Sum,
    Term,
    Transpose,
)

COMPARISONS = frozenset(("=", "\\neq", "<", ">", "\\leq", "\\geq"))
"""Kinds of tokens that compare two expressions."""

_SIGNS = frozenset(("+", "-"))
_INFIX = frozenset(("\\odot", "\\cdot", "\\times", "/", "\\bmod"))
_CLOSERS = {"(": ")", "\\lfloor": "\\rfloor", "\\lceil": "\\rceil", "\\lvert": "\\rvert", "|": "|", "||": "||"}
_OTHERWISE = frozenset((r"\mathrm{otherwise}", r"\mathrm{else}"))
_LOOSE = (Sum, Product, Multiply, Remainder, Reduction, Relation)


class Parser:
    """Reads expressions from the tokens of one part of a formula."""

    def __init__(self, tokens: Sequence[Token], scope: Scope, after: int = 0, depth: int = 0) -> None:
        """Read these tokens in a scope; errors at their end point to the offset `after`."""
        self.reader = Reader(tokens, after)
        self.scope = scope
        self.depth = depth
        self.closers: list[str] = []

    def inside(self, tokens: Sequence[Token], span: Span) -> Parser:
        """A parser for a part whose tokens were cut out, such as a subscript."""
        return Parser(tokens, self.scope, span.end - 1, self.depth)

    def part(self, tokens: Sequence[Token], span: Span, what: str) -> Node:
        """A part whose tokens were cut out, as one expression."""
        found = references.lone(self, tokens)
        return self.inside(tokens, span).whole(what) if found is None else found

    def whole(self, what: str) -> Node:
        """All tokens as one expression."""
        node = self.sum()
        self.finish(what)
        return node

    def finish(self, what: str) -> None:
        """Refuse tokens that are left."""
        if not self.reader.done:
            token = self.reader.peek()
            raise FormulaError("A216", f"`{token.text}` is not expected in {what}", token.span)

    def sum(self) -> Node:
        """Terms with plus and minus; the first may have a sign."""
        reader = self.reader
        first = reader.take() if reader.kind in _SIGNS else None
        value = self.term()
        if reader.kind not in _SIGNS and (first is None or first.kind == "+"):
            return value
        sign_span = first.span if first is not None and first.kind == "-" else None
        terms = [Term("-" if sign_span else "+", value, sign_span, span=(sign_span or value.span).to(value.span))]
        while reader.kind in _SIGNS:
            sign = reader.take()
            value = self.term()
            terms.append(Term(cast(Sign, sign.kind), value, sign.span, span=sign.span.to(value.span)))
        return Sum(tuple(terms), span=terms[0].span.to(value.span))

    def term(self) -> Node:
        """Products with a sign, and divisions with a slash; from left to right."""
        left = self.product()
        while self.reader.kind in _INFIX:
            sign = self.reader.take()
            right = self.product()
            span = left.span.to(right.span)
            if sign.kind == "/":
                if isinstance(right, Product):
                    hint = r"write \frac{...}{...}, or put the divisor in parentheses"
                    raise FormulaError("A206", "it is unclear what `/` divides by", right.span, hint)
                left = Quotient(left, right, "slash", sign.span, span=span)
            elif sign.kind == "\\bmod":
                left = Remainder(left, right, span=span)
            else:
                left = Multiply(cast(MultiplySign, sign.kind), left, right, sign.span, span=span)
        return left

    def product(self) -> Node:
        """Factors side by side."""
        if not self.starts():
            raise self.missing()
        factors = [self.factor()]
        while self.starts():
            if self.reader.kind == "number":
                hint = "write the number first; or is it a sub- or superscript?"
                raise FormulaError("A217", "a number after a factor", self.reader.peek().span, hint)
            factors.append(self.factor())
        if len(factors) == 1:
            return factors[0]
        return Product(tuple(factors), span=factors[0].span.to(factors[-1].span))

    def missing(self) -> FormulaError:
        """The error where an operand should begin."""
        token = self.reader.peek()
        if self.reader.done:
            return FormulaError("A216", "an operand is missing at the end", token.span)
        hint = "put a signed operand in parentheses" if token.kind in ("+", "-") else ""
        if token.kind in ("|", "||"):
            hint = r"write `\lvert ... \rvert` or `\lVert ... \rVert`, whose sides differ"
        if token.kind == "/":
            hint = r"a row ends with `\\`, and a fraction is `\frac{...}{...}`"
        if token.kind == "=":
            hint = r"write one `=`; `\leq` and `\geq` are commands"
        return FormulaError("A216", f"an operand is missing before `{token.text}`", token.span, hint)

    def starts(self) -> bool:
        """Whether a factor begins at the position; a bar begins one unless it closes the innermost bracket."""
        kind = self.reader.kind
        if kind not in _FACTORS:
            return False
        if kind in ("|", "||"):
            return self.closers[-1:] != [kind]
        return kind != "begin" or self.reader.peek().text == "cases"

    def factor(self) -> Node:
        """One operand with the scripts on it; all nesting passes through here, so here its depth is bounded."""
        if self.depth == MAX_DEPTH:
            message = f"the formula is nested more than {MAX_DEPTH} deep"
            hint = "define a part of it by an equation of its own"
            raise FormulaError("A250", message, self.reader.peek().span, hint)
        self.depth += 1
        node = _FACTORS[self.reader.kind](self)
        self.depth -= 1
        return node

    def number(self) -> Node:
        """A number, with scripts."""
        token = self.reader.take()
        return self.scripts(Number(token.text, span=token.span))

    def infinity(self) -> Node:
        """The sign of infinity."""
        return Infinity(span=self.reader.take().span)

    def braces(self) -> Node:
        """A group in braces; they are not shown, so they must not change how the text is read."""
        tokens, span = self.reader.group()
        inner = self.part(tokens, span, "a group")
        if isinstance(inner, _LOOSE) or (isinstance(inner, Quotient) and inner.form == "slash"):
            message = "braces are not shown, but here they would hold the operands together"
            raise FormulaError("A248", message, span, "use parentheses")
        if isinstance(inner, Power | Transpose | Subscript) and self.reader.kind in ("_", "^"):
            message = "two scripts in a row are shown as one"
            raise FormulaError("A248", message, span.to(self.reader.peek().span), "use parentheses")
        return self.scripts(inner)

    def bracket(self) -> Node:
        """Parentheses, bars, floors and ceilings."""
        reader = self.reader
        opening = reader.take()
        closer = _CLOSERS[opening.kind]
        self.closers.append(closer)
        inner = self.sum()
        self.closers.pop()
        self.close(opening, closer)
        span = opening.span.to(reader.last)
        if opening.kind == "(":
            return self.scripts(Group(inner, span=span))
        if opening.kind in ("\\lfloor", "\\lceil"):
            return self.scripts(Rounded("floor" if opening.kind == "\\lfloor" else "ceil", inner, span=span))
        if opening.kind == "||":
            return self.scripts(self.norm(inner, span))
        return self.scripts(Absolute(inner, span=span))

    def close(self, opening: Token, closer: str) -> None:
        """Step over the bracket that closes another."""
        token = self.reader.peek()
        if self.reader.done:
            raise FormulaError("A202", f"`{opening.text}` is never closed", opening.span)
        if token.kind != closer:
            message = f"`{token.text}` stands where `{opening.text}` should be closed"
            hint = r"write `\operatorname{Concat}(a,b)` to join vectors" if token.kind == "," else ""
            raise FormulaError("A202", message, token.span, hint)
        if opening.kind == "(" and not matching(opening.text, token.text):
            raise FormulaError("A202", f"`{opening.text}` is closed by `{token.text}`", opening.span.to(token.span))
        self.reader.take()

    def norm(self, inner: Node, span: Span) -> Node:
        r"""A norm with its index 2, which may be left out."""
        if self.reader.kind != "_":
            return Norm(inner, span=span)
        script = self.script()
        if script.text != "2":
            message = f"the norm with index {script.text} is not in the formula language"
            raise FormulaError("A201", message, script.span, r"only \lVert x \rVert_2 is; write others as a sum")
        return Norm(inner, span=span.to(script.span))

    def fraction(self) -> Node:
        r"""`\frac` with its two arguments."""
        sign = self.reader.take()
        numerator, denominator = self.argument(sign), self.argument(sign)
        span = sign.span.to(self.reader.last)
        return self.scripts(Quotient(numerator, denominator, "frac", sign.span, span=span))

    def root(self) -> Node:
        """A square root."""
        sign = self.reader.take()
        if self.reader.peek().text == "[":
            hint = "write a power, as in x^{1/3}"
            raise FormulaError("A201", "roots other than square roots are not in the language", sign.span, hint)
        radicand = self.argument(sign)
        return self.scripts(Root(radicand, span=sign.span.to(self.reader.last)))

    def argument(self, command: Token) -> Node:
        """What TeX takes as an argument: a group, or a single token; of a number, the first digit only."""
        hint = r"write `\frac{...}{...}`" if command.kind == "\\frac" else f"write `{command.text}{{...}}`"
        reader = self.reader
        token = reader.peek()
        if token.kind == "{":
            tokens, span = reader.group()
            return self.part(tokens, span, f"the argument of `{command.text}`")
        if token.kind == "number":
            first, rest = Span(token.span.start, token.span.start + 1), Span(token.span.start + 1, token.span.end)
            if len(token.text) == 1:
                reader.take()
            elif "." in token.text:
                raise FormulaError("A216", f"`{command.text}` needs its argument in braces", token.span, hint)
            else:
                reader.tokens[reader.index] = Token("number", token.text[1:], rest)
            return Number(token.text[0], span=first)
        if token.kind != "name":
            raise FormulaError("A216", f"`{command.text}` needs its argument in braces", token.span, hint)
        reader.take()
        return self.part((token,), token.span, f"the argument of `{command.text}`")

    def cases(self) -> Node:
        """A case distinction; values and conditions stand left and right of `&`."""
        reader = self.reader
        opening = reader.take()
        branches: list[Branch] = []
        while True:
            value = self.sum()
            if reader.kind == ",":
                reader.take()
            reader.expect("&", "between a value and its condition")
            condition = None
            if reader.peek().text in _OTHERWISE:
                reader.take()
            else:
                condition = self.relation()
            if reader.kind == ",":
                reader.take()
            branches.append(Branch(value, condition, span=value.span.to(reader.last)))
            if reader.kind == "\\\\":
                reader.take()
                if reader.kind != "end":
                    continue
            end = reader.expect("end", "to close `\\begin{cases}`")
            if end.text != "cases":
                raise FormulaError("A202", f"`\\begin{{cases}}` is closed by `\\end{{{end.text}}}`", end.span)
            return Cases(tuple(branches), span=opening.span.to(end.span))

    def relation(self) -> Relation:
        """A chain of comparisons."""
        operands = [self.sum()]
        operators: list[Comparison] = []
        spans: list[Span] = []
        while self.reader.kind in COMPARISONS:
            token = self.reader.take()
            operators.append(cast(Comparison, token.kind))
            spans.append(token.span)
            operands.append(self.sum())
        if not operators:
            message = "a condition such as `i \\le j` is expected"
            raise FormulaError("A232", message, operands[0].span)
        span = operands[0].span.to(operands[-1].span)
        return Relation(tuple(operands), tuple(operators), tuple(spans), span=span)

    def script(self) -> Script:
        """The script that begins at the position."""
        script, self.reader.index = read_script(self.reader.tokens, self.reader.index)
        return script

    def scripts(self, node: Node) -> Node:
        """An operand that is no name, with its scripts; both are shown in one place, so the index comes first."""
        if self.reader.kind not in ("_", "^"):
            return node
        found: dict[str, Script] = {}
        while self.reader.kind in ("_", "^"):
            mark = self.reader.kind
            if mark in found:
                message = f"two scripts `{mark}` on one operand, which LaTeX rejects"
                raise FormulaError("A203", message, self.reader.peek().span, "use parentheses")
            found[mark] = self.script()
        if "_" in found:
            node = self.subscript(node, found["_"])
        return self.power(node, found["^"]) if "^" in found else node

    def subscript(self, node: Node, script: Script) -> Node:
        """An operand at indices."""
        span = Span(node.span.start, max(node.span.end, script.span.end))
        return Subscript(node, self.indices(script), span=span)

    def indices(self, script: Script) -> tuple[Node, ...]:
        """The indices of a subscript, which are separated by commas."""
        if (only := references.lone(self, script.tokens)) is not None:
            return (only,)
        parser = self.inside(script.tokens, script.span)
        found = [parser.sum()]
        while parser.reader.kind == ",":
            parser.reader.take()
            found.append(parser.sum())
        parser.finish("a subscript")
        for node in found:
            if isinstance(node, Product) and all(isinstance(factor, IndexName) for factor in node.factors):
                names = ",".join(factor.name for factor in node.factors if isinstance(factor, IndexName))
                hint = f"write `_{{{names}}}` for several indices"
                raise FormulaError("A208", "indices side by side are a product", node.span, hint)
        return tuple(found)

    def power(self, node: Node, script: Script) -> Node:
        r"""An operand with a superscript: a transpose or an exponent."""
        span = Span(node.span.start, max(node.span.end, script.span.end))
        if [token.kind for token in script.tokens] == ["\\top"]:
            return Transpose(node, span=span)
        if len(script.tokens) == 1 and script.text in ("T", r"\mathrm{T}", r"\mathbf{T}", r"\mathcal{T}"):
            message = f"`^{script.text}` could be a transpose or a power"
            raise FormulaError("A205", message, script.span, r"write the transpose as `^\top`")
        if len(script.tokens) == 1 and script.tokens[0].kind == "name" and self.scope.kind(script.text) is None:
            message = f"`^{script.text}` is neither part of a declared name nor an exponent that is known"
            raise FormulaError("A209", message, script.span, self.suggestion(script.text), script.text)
        exponent = self.part(script.tokens, script.span, "an exponent")
        return Power(node, exponent, span=span)

    def suggestion(self, name: str) -> str:
        """The hint for a name that is not known."""
        near = self.scope.nearest(name)
        return f"did you mean {' or '.join(f'`{found}`' for found in near)}?" if near else ""


_FACTORS: Mapping[str, Callable[[Parser], Node]] = MappingProxyType(
    {
        "number": Parser.number,
        "name": references.reference,
        "\\infty": Parser.infinity,
        "{": Parser.braces,
        "(": Parser.bracket,
        "\\lfloor": Parser.bracket,
        "\\lceil": Parser.bracket,
        "\\lvert": Parser.bracket,
        "|": Parser.bracket,
        "||": Parser.bracket,
        "\\frac": Parser.fraction,
        "\\sqrt": Parser.root,
        "\\sum": reductions.reduction,
        "\\prod": reductions.reduction,
        "begin": Parser.cases,
    }
)
"""How an operand that begins with each kind of token is read."""
