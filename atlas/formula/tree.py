r"""The syntax tree of a formula: one frozen class per kind of node, each with the span that it was read from.

Spans take no part in comparison, so two trees are equal if and only if they mean the same text. Names are already
resolved: the parser has told sizes, indices, functions and values apart.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from atlas.formula.nodes import Leaf as Leaf
from atlas.formula.nodes import Node as Node
from atlas.formula.nodes import walk as walk
from atlas.formula.span import Span

Sign = Literal["+", "-"]
Comparison = Literal["=", "\\neq", "<", ">", "\\leq", "\\geq"]
ReductionName = Literal["\\sum", "\\prod", "\\max", "\\min"]
MultiplySign = Literal["\\odot", "\\cdot", "\\times"]


@dataclass(frozen=True, slots=True)
class Number(Leaf):
    """A number without sign."""

    text: str
    """The digits as written, so that a printed formula shows `10` and not `10.0`."""


@dataclass(frozen=True, slots=True)
class Infinity(Leaf):
    r"""`\infty`."""


@dataclass(frozen=True, slots=True)
class Name(Leaf):
    """A value: declared, defined, a parameter or a constant."""

    name: str
    """Canonical LaTeX spelling."""


@dataclass(frozen=True, slots=True)
class SizeName(Leaf):
    """A size as a number."""

    name: str
    """Canonical LaTeX spelling."""


@dataclass(frozen=True, slots=True)
class IndexName(Leaf):
    """An index variable of a sum, a left side or a range."""

    name: str
    """Canonical LaTeX spelling."""


@dataclass(frozen=True, slots=True)
class Group(Node):
    """An expression in parentheses."""

    inner: Node
    """What the parentheses hold."""


@dataclass(frozen=True, slots=True)
class Term(Node):
    """One term of a sum with its sign."""

    sign: Sign
    """A first term without a sign has `+`."""
    value: Node
    """The term without its sign."""
    sign_span: Span | None = field(compare=False)
    """Where the sign stands; None for a first term without one."""


@dataclass(frozen=True, slots=True)
class Sum(Node):
    """Terms added and subtracted, or one term with a minus before it."""

    terms: tuple[Term, ...]
    """From left to right."""


@dataclass(frozen=True, slots=True)
class Product(Node):
    """Factors side by side."""

    factors: tuple[Node, ...]
    """At least two."""


@dataclass(frozen=True, slots=True)
class Multiply(Node):
    """A product with a sign: elementwise, or with a scalar."""

    operator: MultiplySign
    """As written."""
    left: Node
    """The first factor."""
    right: Node
    """The second factor."""
    operator_span: Span = field(compare=False)
    """Where the sign stands."""


@dataclass(frozen=True, slots=True)
class Quotient(Node):
    r"""A division, written `\frac` or with a slash."""

    numerator: Node
    """What is divided."""
    denominator: Node
    """What it is divided by."""
    form: Literal["frac", "slash"]
    """How it is written; with a slash, both sides are single factors."""
    operator_span: Span = field(compare=False)
    """Where the sign stands."""


@dataclass(frozen=True, slots=True)
class Remainder(Node):
    r"""`a \bmod b`, with the sign of b."""

    left: Node
    """What is divided."""
    right: Node
    """What it is divided by."""


@dataclass(frozen=True, slots=True)
class Power(Node):
    """An elementwise power."""

    base: Node
    """What is raised."""
    exponent: Node
    """A scalar."""


@dataclass(frozen=True, slots=True)
class Transpose(Node):
    r"""`^\top`."""

    base: Node
    """What is transposed."""


@dataclass(frozen=True, slots=True)
class Root(Node):
    """A square root."""

    radicand: Node
    """What stands below the root."""


@dataclass(frozen=True, slots=True)
class Absolute(Node):
    """An absolute value."""

    inner: Node
    """What stands between the bars."""


@dataclass(frozen=True, slots=True)
class Norm(Node):
    """The Euclidean norm over the last axis."""

    inner: Node
    """What stands between the double bars."""


@dataclass(frozen=True, slots=True)
class Rounded(Node):
    """The nearest whole number that is not above, or not below."""

    direction: Literal["floor", "ceil"]
    """Which of the two."""
    inner: Node
    """What is rounded."""


@dataclass(frozen=True, slots=True)
class Subscript(Node):
    """A value at indices."""

    base: Node
    """What is indexed."""
    indices: tuple[Node, ...]
    """At least one."""


@dataclass(frozen=True, slots=True)
class Call(Node):
    """A function applied to arguments."""

    function: str
    """Canonical LaTeX spelling."""
    subscripts: tuple[Node, ...]
    """The index of a family, or of the axis that a softmax acts on."""
    arguments: tuple[Node, ...]
    """At least one."""
    name_span: Span = field(compare=False)
    """Where the function's name stands, with its scripts."""


@dataclass(frozen=True, slots=True)
class Sequence(Node):
    r"""`a_1,\dots,a_n` as arguments: one term with a running index."""

    index: str
    """The name of the running index inside the template; no LaTeX name is spelled so."""
    template: Node
    """The term with the running index in the place where the two ends differ."""
    first: Node
    """The index of the first term."""
    last: Node
    """The index of the last term."""


@dataclass(frozen=True, slots=True)
class Indicator(Node):
    r"""`\mathbb{1}[condition]`: 1 where it holds, else 0."""

    condition: Node
    """A relation."""


@dataclass(frozen=True, slots=True)
class Over(Node):
    r"""The indices of `\sum_{i,j}`, whose ranges follow from their use."""

    variables: tuple[str, ...]
    """At least one."""


@dataclass(frozen=True, slots=True)
class Between(Node):
    r"""The index of `\sum_{j=1}^{d}`."""

    variables: tuple[str, ...]
    """Exactly one."""
    lower: Node
    """The first value."""
    upper: Node
    """The last value."""


@dataclass(frozen=True, slots=True)
class Within(Node):
    r"""The index of `\sum_{i\in\operatorname{TopK}(g,k)}`."""

    variables: tuple[str, ...]
    """Exactly one."""
    members: Node
    """A set."""


@dataclass(frozen=True, slots=True)
class Where(Node):
    r"""The index of `\sum_{s\leq t}`."""

    variables: tuple[str, ...]
    """Exactly one: the name of the condition that is not known yet."""
    condition: Relation
    """A relation that holds the index."""


Domain = Over | Between | Within | Where


@dataclass(frozen=True, slots=True)
class Reduction(Node):
    r"""`\sum`, `\prod`, or `\max` and `\min` with an index."""

    operator: ReductionName
    """As written."""
    domain: Domain
    """What the index runs over."""
    body: Node
    """One term: up to the next plus or minus."""
    operator_span: Span = field(compare=False)
    """Where the operator stands, without its scripts."""


@dataclass(frozen=True, slots=True)
class Branch(Node):
    """One line of a case distinction."""

    value: Node
    """What holds there."""
    condition: Node | None
    """A relation; None for `otherwise`."""


@dataclass(frozen=True, slots=True)
class Cases(Node):
    """A case distinction: the first branch whose condition holds."""

    branches: tuple[Branch, ...]
    """At least one."""


@dataclass(frozen=True, slots=True)
class Relation(Node):
    """A chain of comparisons, all of which must hold."""

    operands: tuple[Node, ...]
    """One more than comparisons."""
    operators: tuple[Comparison, ...]
    """At least one."""
    operator_spans: tuple[Span, ...] = field(compare=False)
    """Where the comparisons stand."""


class Mentioned(NamedTuple):
    """The names that stand in a part of a formula."""

    values: frozenset[str]
    """Those of values."""
    others: frozenset[str]
    """Those of sizes and functions."""


def mentioned(*tops: Node) -> Mentioned:
    """The names that stand in some parts of a formula."""
    values: set[str] = set()
    others: set[str] = set()
    for node in walk(*tops):
        if isinstance(node, Name):
            values.add(node.name)
        elif isinstance(node, SizeName):
            others.add(node.name)
        elif isinstance(node, Call):
            others.add(node.function)
    return Mentioned(frozenset(values), frozenset(others))


@dataclass(frozen=True, slots=True)
class Definition(Node):
    """One equation: a left side, and one or more right sides that are equal."""

    name: str
    """What is defined, in canonical spelling without indices."""
    parameters: tuple[str, ...]
    """The parameters of `f(x)`; empty for a value."""
    indices: tuple[Node, ...]
    """The indices on the left side; empty for a whole value."""
    squared: bool
    r"""Whether the left side is the square (`\sigma^2=…` defines σ as its root)."""
    start: int | None
    """The step whose start value of a recurrence this is (`h_0=…`); else None."""
    values: tuple[Node, ...]
    """The right sides; all but the first are asserted to be equal to it."""
    left_span: Span = field(compare=False)
    """Where the left side stands."""
    mentioned: Mentioned = field(compare=False, repr=False)
    """The names in its indices and right sides."""

    @property
    def variables(self) -> tuple[str, ...]:
        """The index variables of the left side, each once, in order."""
        if not self.indices:
            return ()
        found = (node.name for index in self.indices for node in walk(index) if isinstance(node, IndexName))
        return tuple(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class Range(Node):
    r"""`i=0,\dots,n-1` beside the equations."""

    variable: str
    """The index variable."""
    first: Node
    """Its first value."""
    last: Node
    """Its last value."""


@dataclass(frozen=True, slots=True)
class System(Node):
    """A whole formula."""

    definitions: tuple[Definition, ...]
    """The equations in the order in which they stand."""
    ranges: tuple[Range, ...]
    """The ranges of index variables, each variable once."""
