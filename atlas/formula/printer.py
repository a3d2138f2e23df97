r"""The tree of an expression → LaTeX, such that parsing the text again gives an equal tree.

Parentheses are nodes of their own, so the printer never has to guess where they belong.
"""

from __future__ import annotations

from collections.abc import Sequence as Items

from atlas.formula.tree import (
    Absolute,
    Between,
    Branch,
    Call,
    Cases,
    Domain,
    Group,
    IndexName,
    Indicator,
    Infinity,
    Multiply,
    Name,
    Node,
    Norm,
    Number,
    Over,
    Power,
    Product,
    Quotient,
    Reduction,
    Relation,
    Remainder,
    Root,
    Rounded,
    Sequence,
    SizeName,
    Subscript,
    Sum,
    Term,
    Transpose,
    Where,
    Within,
)


def print_node(node: Node) -> str:
    """An expression."""
    return _Printer(None).show(node)


class _Printer:
    """Prints nodes; inside a sequence it knows what the running index stands for."""

    def __init__(self, running: tuple[str, Node] | None) -> None:
        self.running = running

    def show(self, node: Node) -> str:
        match node:
            case Number(text=text):
                return text
            case IndexName(name=name) if self.running is not None and name == self.running[0]:
                return _Printer(None).show(self.running[1])
            case Name(name=name) | SizeName(name=name) | IndexName(name=name):
                return name
            case Infinity():
                return r"\infty"
            case Sum(terms=terms):
                return self.terms(terms)
            case Product(factors=factors):
                return " ".join(self.show(factor) for factor in factors)
            case Multiply(operator=operator, left=left, right=right):
                return f"{self.show(left)} {operator} {self.show(right)}"
            case Remainder(left=left, right=right):
                return rf"{self.show(left)} \bmod {self.show(right)}"
            case Quotient(numerator=above, denominator=below, form="slash"):
                return f"{self.show(above)} / {self.show(below)}"
            case _:
                return self.enclosed(node)

    def enclosed(self, node: Node) -> str:
        """Nodes that brackets or commands hold together."""
        match node:
            case Quotient(numerator=above, denominator=below):
                return rf"\frac{{{self.show(above)}}}{{{self.show(below)}}}"
            case Root(radicand=radicand):
                return rf"\sqrt{{{self.show(radicand)}}}"
            case Group(inner=inner):
                return rf"\left({self.show(inner)}\right)"
            case Absolute(inner=inner):
                return rf"\lvert {self.show(inner)} \rvert"
            case Norm(inner=inner):
                return rf"\lVert {self.show(inner)} \rVert"
            case Rounded(direction=direction, inner=inner):
                return rf"\l{direction} {self.show(inner)} \r{direction}"
            case Cases(branches=branches):
                lines = " \\\\ ".join(self.branch(branch) for branch in branches)
                return rf"\begin{{cases}} {lines} \end{{cases}}"
            case _:
                return self.scripted(node)

    def scripted(self, node: Node) -> str:
        """Nodes with sub- or superscripts, and applications."""
        match node:
            case Power(base=base, exponent=exponent):
                return f"{self.show(base)}^{{{self.show(exponent)}}}"
            case Transpose(base=base):
                return rf"{self.show(base)}^\top"
            case Subscript(base=base, indices=indices):
                return f"{self.show(base)}_{{{self.list(indices)}}}"
            case Call(function=function, subscripts=subscripts, arguments=arguments):
                sub = f"_{{{self.list(subscripts)}}}" if subscripts else ""
                return f"{function}{sub}({self.list(arguments)})"
            case Indicator(condition=condition):
                return rf"\mathbb{{1}}[{self.show(condition)}]"
            case Relation(operands=operands, operators=operators):
                rest = zip(operators, operands[1:], strict=True)
                return self.show(operands[0]) + "".join(f" {sign} {self.show(operand)}" for sign, operand in rest)
            case Reduction(operator=operator, domain=domain, body=body):
                return f"{operator}{self.domain(domain)} {self.show(body)}"
            case Sequence(index=index, template=template, first=first, last=last):
                ends = (_Printer((index, end)).show(template) for end in (first, last))
                return r", \dots, ".join(ends)
            case _:
                raise TypeError(f"{type(node).__name__} is not printed by itself")

    def terms(self, terms: Items[Term]) -> str:
        first, *rest = terms
        start = ("-" if first.sign == "-" else "") + self.show(first.value)
        return start + "".join(f" {term.sign} {self.show(term.value)}" for term in rest)

    def branch(self, branch: Branch) -> str:
        condition = r"\text{otherwise}" if branch.condition is None else self.show(branch.condition)
        return f"{self.show(branch.value)} & {condition}"

    def domain(self, domain: Domain) -> str:
        match domain:
            case Over(variables=variables):
                return f"_{{{', '.join(variables)}}}"
            case Between(variables=variables, lower=lower, upper=upper):
                return f"_{{{variables[0]} = {self.show(lower)}}}^{{{self.show(upper)}}}"
            case Within(variables=variables, members=members):
                return rf"_{{{variables[0]} \in {self.show(members)}}}"
            case Where(condition=condition):
                return f"_{{{self.show(condition)}}}"

    def list(self, nodes: Items[Node]) -> str:
        return ", ".join(self.show(node) for node in nodes)
