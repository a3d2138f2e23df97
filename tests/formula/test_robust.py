"""No text crashes or hangs the engine: the outcome is a value, or an error with a place in the text."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atlas.exceptions import FormulaError
from atlas.formula.budget import MAX_WORK
from atlas.formula.check import check
from atlas.formula.codes import TITLES
from atlas.formula.declarations import Declarations
from atlas.formula.engine import Formula, parse
from atlas.formula.sample import draw
from tests.formula.printed import print_latex

PIECES = [
    *"xyzWbdijthSABFkgnNpe0129+-=/^_{}()[]|,&<>'*~%.! ",
    *("ε", "γ", "−", "\u202e", "\x00", "é", "\\", "\\\\", "\\{", "\\}", "\\|", "\\,", "\n"),
    *(r"\frac", r"\sqrt", r"\sum_{j=1}^{d}", r"\sum_{", r"\sum_j", r"\prod_{i}", r"\max", r"\max_j", r"^\top", "^{-1}"),
    *(r"\left(", r"\right)", r"\left|", r"\right|", r"\left.", r"\lfloor", r"\rfloor", r"\odot", r"\cdot", r"\bmod"),
    *(r"\in", r"\le", r"\dots", r"\begin{cases}", r"\end{cases}", r"\begin{aligned}", r"\end{aligned}", r"\infty"),
    *(r"\operatorname{softmax}", r"\operatorname{TopK}", r"\operatorname{Concat}", r"\mathbb{1}[", r"\exp", r"\log"),
    *("x_{i,j}", "x_j", "_{i,j}", "_{t-1}", "h_0=0", "h_t", "f(x)=", r"\quad", r"\varepsilon", r"\pi", "^2", "10^{9}"),
    *(
        r"\mathrm{",
        r"\operatorname",
        r"\bar{x}",
        r"\text{if}",
        r"\lVert",
        r"\rVert",
        "9" * 12,
        "x/" * 9,
        "(" * 9,
        "{" * 9,
    ),
]


def outcome(latex: str, declarations: Declarations, reference: Any) -> None:
    """Parse and check; every error must have a known code and a place inside the text."""
    try:
        formula = parse(latex, declarations)
    except FormulaError as error:
        errors = [error]
    else:
        errors = list(check(formula, reference, repair=False).issues)
        assert formula.rewritten(print_latex(formula.system)).system == formula.system
    for found in errors:
        assert found.code in TITLES
        assert found.message
        assert 0 <= found.span[0] <= found.span[1] <= len(latex) + 1


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_mutated_formulas(data: st.DataObject, cases: dict[str, Any], references: dict[str, Any]) -> None:
    case = cases[data.draw(st.sampled_from(sorted(cases)))]
    latex = case.latex
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(latex)))
        end = min(len(latex), start + data.draw(st.integers(0, 8)))
        new = data.draw(st.sampled_from(["", latex[start:end] * 2, *PIECES]))
        latex = latex[:start] + new + latex[end:]
    outcome(latex, case.declarations, references[case.name])


@settings(max_examples=200, deadline=None)
@given(
    pieces=st.lists(st.sampled_from(PIECES), max_size=40), name=st.sampled_from(["linear", "lstm", "moe_topk", "mha"])
)
def test_random_pieces(pieces: list[str], name: str, cases: dict[str, Any], references: dict[str, Any]) -> None:
    outcome("".join(pieces), cases[name].declarations, references[name])
    outcome("y=" + " ".join(pieces), cases[name].declarations, references[name])


@settings(max_examples=200, deadline=None)
@given(latex=st.text(max_size=80))
def test_any_text(latex: str, cases: dict[str, Any], references: dict[str, Any]) -> None:
    outcome(latex, cases["linear"].declarations, references["linear"])


def expressions() -> st.SearchStrategy[str]:
    """Expressions over scalars that are read, for the round trip of parsing and printing."""
    atoms = st.sampled_from(["a", "b", "x_i", "x_{i+1}", "d", "2", "0.5", r"\pi", "i", r"\infty", "W_{i,1}", "v"])

    def grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        pair = st.tuples(inner, inner)
        return st.one_of(
            pair.map(lambda p: rf"({p[0]}+{p[1]})"),
            pair.map(lambda p: rf"\left(-{p[0]}-{p[1]}\right)"),
            pair.map(lambda p: rf"\frac{{{p[0]}}}{{{p[1]}}}"),
            pair.map(lambda p: rf"({p[0]})({p[1]})"),
            pair.map(lambda p: rf"({p[0]} \cdot {p[1]} / a)"),
            pair.map(lambda p: rf"\max({p[0]}, {p[1]})^2"),
            pair.map(lambda p: rf"({p[0]})^{{{p[1]}}}"),
            pair.map(lambda p: rf"\begin{{cases}}{p[0]} & i \le {p[1]} < d \\ 0 & \text{{otherwise}}\end{{cases}}"),
            inner.map(lambda e: rf"\sqrt{{{e}}}"),
            inner.map(lambda e: rf"\left(\sum_{{j=1}}^{{d}} x_j \cdot {e}\right)"),
            inner.map(lambda e: rf"\lvert {e} \rvert"),
            inner.map(lambda e: rf"|x_i-b|^{{{e}}}"),
            inner.map(lambda e: rf"\lfloor {e} \rfloor"),
            inner.map(lambda e: rf"\log({e})"),
            inner.map(lambda e: rf"\mathbb{{1}}[{e} \neq a]"),
            inner.map(lambda e: rf"({e} \bmod 3)"),
        )

    return st.recursive(atoms, grow, max_leaves=8)


@settings(max_examples=150, deadline=None)
@given(expression=expressions())
def test_print_and_parse_give_an_equal_tree(expression: str, declare: Any) -> None:
    symbols = {"x": "[d]", "a": "[]", "b": "[]", "W": "[d,m]", "v": "[m]", "y": "[d]"}
    formula = parse(f"y_i = {expression}", declare(symbols))
    printed = print_latex(formula.system)
    assert formula.rewritten(printed).system == formula.system


def functions(pattern: str) -> str:
    """A chain of functions, each defined by the one before."""
    names = [rf"\\mathrm{{{a}{b}}}" for a in "fgh" for b in "abcdefghijklmno"]
    chain = [pattern.format(name, before) for before, name in pairwise(names)]
    return ",".join([rf"{names[0]}(x)=x+x", *chain, f"y={names[-1]}(x)"]).replace("\\\\", "\\")


@pytest.mark.parametrize(
    ("latex", "codes"),
    [
        ("y=x" + "".join(rf"\sum_{{{i}=1}}^{{9}}" for i in "abcefghk") + "(a+b+c+e+f+g+h+k)", {"A251"}),
        ("y=" + r"\log" * 500 + " x", {"A250"}),
        ("y=x" + "_{x" * 300 + "}" * 300, {"A250"}),
        ("y=" + "x^{" * 200 + "x" + "}" * 200, {"A250"}),
        ("y=" + "((" * 1500, {"A250"}),
        ("y=" + r"\sum_j" * 500 + "x_j", {"A250"}),
        ("y=" + r"\frac1" * 600 + "x", {"A216"}),
        (r"y=10^{10^{10^{10}}}x\sum_{j=1}^{10^{12}}1", {"A251"}),
        (r"y=x\sum_{j=1}^{10^{300}}1", {"A251"}),
        (r"y=x\sum_{j=1}^{10^{10^{10}}}1", {"A241"}),
        ("y=x" + r"+\sum_{i=1}^{99999}\cos(i)" * 100, {"A252"}),
        (functions("{0}(x)={1}({1}(x))"), {"A252"}),
        (functions("{0}(x)={1}(x)+{1}(x)"), {"A252"}),
        (functions("{0}(x)=2(1+({1}(x)+1))"), {"A250"}),
    ],
)  # fmt: skip
def test_bounds(latex: str, codes: set[str], read: Any) -> None:
    with pytest.raises(FormulaError) as caught:
        run(read(latex, {"x": "[d]", "y": "[d]"}))
    assert caught.value.code in codes


def run(formula: Formula) -> None:
    """Evaluate a formula on its first sample."""
    sample = draw(formula, 0, 0)
    formula.run(sample.inputs, sample.sizes)


def test_the_budget_is_the_same_on_every_machine(read: Any) -> None:
    formula = read(r"y=x\sum_{i=1}^{9}\sum_{j=1}^{9}ij", {"x": "[d]", "y": "[d]"})
    sample = draw(formula, 0, 0)
    works = {formula.execute(sample.inputs, sample.sizes).work for _ in range(3)}
    assert len(works) == 1
    assert 0 < works.pop() < MAX_WORK


def test_a_function_that_is_asked_again_costs_what_it_did(read: Any) -> None:
    definitions = r"f(x)=\sum_{j=1}^{d}x_jx, g(x)=\sum_{j=1}^{d}x_jx"
    formulas = [read(f"{definitions}, y={right}", {"x": "[d]", "y": "[d]"}) for right in ("f(x)+f(x)", "f(x)+g(x)")]
    sample = draw(formulas[0], 0, 0)
    once, twice = (formula.execute(sample.inputs, sample.sizes) for formula in formulas)
    assert once.work == twice.work
    assert (once.values["y"] == twice.values["y"]).all()


def test_a_function_that_is_asked_again_goes_as_deep_as_it_did(read: Any) -> None:
    """What is known from where there was room is no way around the limit where there is none."""

    def outcome_of(number: int, pattern: str) -> str:
        names = [rf"\mathrm{{{a}{b}}}" for a in "fgh" for b in "abcdefghijklmnopqrst"][:number]
        chain = [f"{name}(x)=1+(1+{before}(x))" for before, name in pairwise(names)]
        equations = [f"{names[0]}(x)=x+x", *chain, "y=" + pattern.format(f"{names[-1]}(x)")]
        try:
            run(read(",".join(equations), {"x": "[d]", "y": "[d]"}))
        except FormulaError as error:
            return error.code
        return "sound"

    deepest = max(number for number in range(1, 60) if outcome_of(number, "{0}") == "sound")
    assert deepest < 59
    assert outcome_of(deepest, "{0}+{0}+{0}") == outcome_of(deepest - 2, "{0}+(1+(1+{0}))") == "sound"
    assert outcome_of(deepest, "{0}+(1+(1+{0}))") == outcome_of(deepest, "(1+(1+{0}))") == "A250"


def test_declared_sizes_cannot_explode(refuse: Any) -> None:
    factors = "".join(f"({chr(97 + i)}+{chr(65 + i)})" for i in range(20))
    error = refuse("y=x", {"x": f"[{factors}]", "y": "[]"})
    assert error.code == "A244"
    assert "terms" in error.message
