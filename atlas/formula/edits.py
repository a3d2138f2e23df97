r"""Single edits of a formula's text: a sign flipped, a term dropped, a symbol swapped, ε moved, an index, a transpose.

They are what goes wrong when a formula is typed: the repair search tries them backwards, and the mutation test proves
that the check refuses them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from atlas.formula.engine import Formula
from atlas.formula.printer import print_node
from atlas.formula.span import Span
from atlas.formula.tree import (
    Between,
    Call,
    Group,
    IndexName,
    Multiply,
    Name,
    Node,
    Number,
    Power,
    Product,
    Quotient,
    Reduction,
    Relation,
    Root,
    Rounded,
    SizeName,
    Subscript,
    Sum,
    Transpose,
    walk,
)

EditKind = Literal["sign", "term", "factor", "symbol", "number", "exponent", "root", "index", "transpose", "function"]


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of a formula's text."""

    kind: EditKind
    """What is changed."""
    span: Span
    """The characters that are replaced; empty for an insertion."""
    old: str
    """The text that stands there."""
    new: str
    """The text that replaces it."""

    def apply(self, latex: str) -> str:
        """The formula with the change; a space keeps a command from running into a letter."""
        before, after = latex[: self.span.start], latex[self.span.end :]
        runs_on = self.new[-1:].isalpha() and after[:1].isalpha()
        joined = not self.new and after[:1].isalpha() and before[-1:].isalpha()
        return f"{before}{' ' if joined else ''}{self.new}{' ' if runs_on else ''}{after}"

    def describe(self) -> str:
        """What to do, as a hint says it; characters are counted from 1."""
        at = f"at {self.span.start + 1}: "
        if not self.old:
            return f"{at}insert `{self.new}`"
        return f"{at}replace `{self.old}` by `{self.new}`" if self.new else f"{at}remove `{self.old}`"


def edits(formula: Formula) -> Iterator[Edit]:
    """All single edits of a formula, in the order of its text; those that cannot be parsed among them."""
    editor = _Editor(formula)
    seen: set[tuple[Span, str]] = set()
    for definition in formula.system.definitions:
        for side in definition.values:
            for node in walk(side):
                for edit in editor.of(node):
                    if (edit.span, edit.new) not in seen and edit.old != edit.new:
                        seen.add((edit.span, edit.new))
                        yield edit


_FUNCTIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        r"\sin": (r"\cos",),
        r"\cos": (r"\sin",),
        r"\max": (r"\min",),
        r"\min": (r"\max",),
        r"\tanh": (r"\sin",),
        r"\exp": (r"\log",),
        r"\log": (r"\exp",),
    }
)
_RELATIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        r"\leq": ("<", r"\geq"),
        "<": (r"\leq", ">"),
        r"\geq": (">", r"\leq"),
        ">": (r"\geq", "<"),
        "=": (r"\neq",),
        r"\neq": ("=",),
    }
)
_REDUCTIONS: Mapping[str, str] = MappingProxyType({r"\sum": r"\prod", r"\max": r"\min", r"\min": r"\max"})
_EPSILONS = frozenset((r"\varepsilon", r"\epsilon"))
_EXPONENTS_OF_TEN = range(3, 13)


class _Editor:
    """Makes the edits of one formula, node by node."""

    def __init__(self, formula: Formula) -> None:
        self.latex = formula.latex
        self.table = formula.table
        nodes = list(walk(formula.system))
        self.indices = sorted({node.name for node in nodes if isinstance(node, IndexName)} - {r"\dots"})
        self.sizes = sorted({node.name for node in nodes if isinstance(node, SizeName)} | set(self.table.sizes))

    def of(self, node: Node) -> Iterator[Edit]:
        make = _EDITS.get(type(node))
        if make is not None:
            yield from make(self, node)

    def text(self, span: Span) -> str:
        return self.latex[span.start : span.end]

    def edit(self, kind: EditKind, span: Span, new: str) -> Edit:
        return Edit(kind, span, self.text(span), new)

    def sum(self, node: Sum) -> Iterator[Edit]:
        terms = node.terms
        for at, term in enumerate(terms):
            if term.sign_span is not None:
                other = "-" if term.sign == "+" else "" if at == 0 else "+"
                yield self.edit("sign", term.sign_span, other)
            else:
                yield self.edit("sign", Span(term.span.start, term.span.start), "-")
        if len(terms) > 1:
            second = terms[1].sign_span or terms[1].span
            yield self.edit("term", Span(terms[0].span.start, second.end if terms[1].sign == "+" else second.start), "")
            for term in terms[1:]:
                yield self.edit("term", term.span, "")
        yield from self.epsilon_inside(node)

    def epsilon_inside(self, node: Sum) -> Iterator[Edit]:
        """ε added to a root or deviation, moved below a root."""
        if len(node.terms) != 2 or not self.is_epsilon(node.terms[1].value):
            return
        first, epsilon = node.terms[0].value, print_node(node.terms[1].value)
        if isinstance(first, Root):
            yield self.edit("root", node.span, rf"\sqrt{{{print_node(first.radicand)}+{epsilon}}}")
        elif isinstance(first, Name | Call):
            yield self.edit("root", node.span, rf"\sqrt{{{print_node(first)}^2+{epsilon}}}")

    def is_epsilon(self, node: Node) -> bool:
        return isinstance(node, Name) and node.name in _EPSILONS

    def root(self, node: Root) -> Iterator[Edit]:
        """The root dropped; ε below it moved outside."""
        yield self.edit("root", node.span, rf"\left({print_node(node.radicand)}\right)")
        inner = node.radicand
        if isinstance(inner, Sum) and len(inner.terms) == 2 and self.is_epsilon(inner.terms[1].value):
            first, epsilon = inner.terms[0].value, print_node(inner.terms[1].value)
            rooted = rf"\sqrt{{{print_node(first)}}}"
            if isinstance(first, Power) and first.exponent == Number("2", span=node.span):
                rooted = print_node(first.base)
            yield self.edit("root", node.span, rf"\left({rooted}+{epsilon}\right)")

    def product(self, node: Product) -> Iterator[Edit]:
        for factor in node.factors:
            yield self.edit("factor", factor.span, "")
            if isinstance(factor, Name | Call | Group | Subscript):
                yield self.edit("transpose", Span(factor.span.end, factor.span.end), r"^\top")

    def multiply(self, node: Multiply) -> Iterator[Edit]:
        yield self.edit("factor", Span(node.left.span.start, node.operator_span.end), "")
        yield self.edit("factor", Span(node.operator_span.start, node.right.span.end), "")
        if node.operator == r"\odot":
            yield self.edit("factor", node.operator_span, "")
            yield self.edit("factor", node.operator_span, "+")

    def quotient(self, node: Quotient) -> Iterator[Edit]:
        above, below = print_node(node.numerator), print_node(node.denominator)
        kept = rf"\left({above}\right)" if isinstance(node.numerator, Sum) else above
        yield self.edit("factor", node.span, kept)
        yield self.edit("factor", node.span, rf"\frac{{{below}}}{{{above}}}")

    def power(self, node: Power) -> Iterator[Edit]:
        base, exponent = print_node(node.base), node.exponent
        yield self.edit("exponent", node.span, base)
        if isinstance(exponent, Number) and exponent.text.isdigit():
            for other in (int(exponent.text) + 1, int(exponent.text) - 1):
                yield self.edit("exponent", node.span, f"{base}^{{{other}}}")
        if isinstance(node.base, Number) and node.base.text == "10" and isinstance(exponent, Sum):
            for other in _EXPONENTS_OF_TEN:
                yield self.edit("exponent", node.span, f"10^{{-{other}}}")

    def number(self, node: Number) -> Iterator[Edit]:
        whole, point, decimals = node.text.partition(".")
        if point:
            last = str((int(decimals[-1]) + 1) % 10)
            yield self.edit("number", node.span, f"{whole}.{decimals[:-1]}{last}")
        else:
            yield self.edit("number", node.span, str(int(whole) + 1))
            if int(whole) > 0:
                yield self.edit("number", node.span, str(int(whole) - 1))

    def name(self, node: Name) -> Iterator[Edit]:
        """Another declared symbol that has the same axes; a transpose that was forgotten."""
        symbol = self.table.symbols.get(node.name)
        if symbol is None:
            return
        for other in self.table.symbols.values():
            if other.name != node.name and other.core == symbol.core and not other.to:
                yield self.edit("symbol", node.span, other.name)

    def size(self, node: SizeName) -> Iterator[Edit]:
        for other in self.sizes:
            if other != node.name:
                yield self.edit("symbol", node.span, other)
        yield self.edit("index", Span(node.span.end, node.span.end), "-1")

    def index(self, node: IndexName) -> Iterator[Edit]:
        for other in self.indices:
            if other != node.name:
                yield self.edit("index", node.span, other)

    def subscript(self, node: Subscript) -> Iterator[Edit]:
        for first, second in zip(node.indices, node.indices[1:], strict=False):
            swapped = f"{self.text(second.span)},{self.text(first.span)}"
            yield self.edit("index", first.span.to(second.span), swapped)
        for index in node.indices:
            if isinstance(index, IndexName):
                shown = node.span
                if len(self.text(index.span)) and self.text(Span(index.span.start - 1, index.span.start)) in ("{", ","):
                    yield self.edit("index", Span(index.span.end, index.span.end), "+1")
                    yield self.edit("index", Span(index.span.end, index.span.end), "-1")
                elif len(node.indices) == 1 and index.span.end <= shown.end:
                    yield self.edit("index", index.span, f"{{{index.name}-1}}")
                    yield self.edit("index", index.span, f"{{{index.name}+1}}")

    def transpose(self, node: Transpose) -> Iterator[Edit]:
        yield self.edit("transpose", node.span, print_node(node.base))

    def rounded(self, node: Rounded) -> Iterator[Edit]:
        other: Literal["floor", "ceil"] = "ceil" if node.direction == "floor" else "floor"
        yield self.edit("function", node.span, print_node(Rounded(other, node.inner, span=node.span)))

    def call(self, node: Call) -> Iterator[Edit]:
        for other in _FUNCTIONS.get(node.function, ()):
            start = node.name_span.start
            if self.latex.startswith(node.function, start):
                yield self.edit("function", Span(start, start + len(node.function)), other)

    def relation(self, node: Relation) -> Iterator[Edit]:
        for operator, span in zip(node.operators, node.operator_spans, strict=True):
            for other in _RELATIONS[operator]:
                yield self.edit("sign", span, other)

    def reduction(self, node: Reduction) -> Iterator[Edit]:
        other = _REDUCTIONS.get(node.operator)
        start = node.operator_span.start
        if other is not None and self.latex.startswith(node.operator, start):
            yield self.edit("function", Span(start, start + len(node.operator)), other)
        if node.operator == r"\sum" and isinstance(node.domain, Between):
            yield self.edit("factor", Span(start, start), rf"\frac{{1}}{{{print_node(node.domain.upper)}}}")

    def group(self, node: Group) -> Iterator[Edit]:
        if not self.latex.startswith("^", node.span.end):
            yield self.edit("exponent", Span(node.span.end, node.span.end), "^2")


_EDITS: Mapping[type[Node], Callable[[_Editor, Any], Iterator[Edit]]] = MappingProxyType(
    {
        Sum: _Editor.sum,
        Root: _Editor.root,
        Product: _Editor.product,
        Multiply: _Editor.multiply,
        Quotient: _Editor.quotient,
        Power: _Editor.power,
        Number: _Editor.number,
        Name: _Editor.name,
        SizeName: _Editor.size,
        IndexName: _Editor.index,
        Subscript: _Editor.subscript,
        Transpose: _Editor.transpose,
        Rounded: _Editor.rounded,
        Call: _Editor.call,
        Relation: _Editor.relation,
        Reduction: _Editor.reduction,
        Group: _Editor.group,
    }
)
