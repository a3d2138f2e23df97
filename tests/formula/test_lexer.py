r"""Tokens: what is read as one name, which spellings are the same, and that spans cover the text."""

from __future__ import annotations

import pytest

from atlas.exceptions import FormulaError
from atlas.formula.lexer import Token, tokenize
from atlas.formula.names import canonical


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"\operatorname{head}", r"\mathrm{head}"),
        (r"\text{head}", r"\mathrm{head}"),
        (r"\le", r"\leq"),
        (r"\bar A", r"\bar{A}"),
        (r"\left( x \right)", "(x)"),
        (r"\bigl( x \bigr)", "(x)"),
        (r"\dfrac12", r"\frac12"),
        (r"x\,y\;z\quad w", "xyzw"),
        ("x % a comment\n y", "x y"),
        (r"\Vert x\Vert", r"\lVert x\rVert"),
    ],
)
def test_the_same_display_gives_the_same_tokens(one: str, other: str) -> None:
    assert [(token.kind, token.kind == "name" and token.text) for token in tokenize(one)] == [
        (token.kind, token.kind == "name" and token.text) for token in tokenize(other)
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("W_{g}", "W_g"),
        (r"\bar A", r"\bar{A}"),
        ("x_{n + 1}", "x_{n+1}"),
        (r"W^{ Q }_i", "W_i^Q"),
        (r"\operatorname{PE}", r"\mathrm{PE}"),
        (r"x_{\alpha a}", r"x_{\alpha a}"),
        (r"h^{(l)}", "h^{(l)}"),
        ("H'", "H'"),
        (r"\hat{\mathbf{x}}", r"\hat{\mathbf{x}}"),
    ],
)
def test_canonical_names(name: str, expected: str) -> None:
    assert canonical(name) == expected
    assert canonical(expected) == expected


def test_spans_cover_every_character_that_has_a_meaning() -> None:
    latex = r"\mathrm{PE}_{p,2i} = \sin\left(\frac{p}{10000^{2i/d}}\right)"
    covered = {at for token in tokenize(latex) for at in range(*token.span)}
    assert {latex[at] for at in range(len(latex)) if at not in covered} == {" "}
    assert [latex[slice(*token.span)] for token in tokenize(latex)][:3] == [r"\mathrm{PE}", "_", "{"]


def found_in(latex: str) -> tuple[Token, ...] | tuple[str, str, tuple[int, int], str]:
    """The tokens of a formula, or else all that is said of why there are none."""
    try:
        return tokenize(latex)
    except FormulaError as error:
        return error.code, error.message, error.span, error.hint


@pytest.mark.parametrize(
    "latex",
    [
        r"y=x+1 \\ z=2y",
        r"\begin{aligned}y&=x\\[2pt] z&=\left(y\right)\,\\w&=z'\end{aligned}",
        r"y=\begin{cases}1 & x>0\\ 0 & x\leq 0\end{cases}",
        r"x\\'",
        r"a_\\b",
        r"\{\\\}",
        r"\\",
        "\\\\\\\\",
        r"\, \\ [3mm] \\\,",
        r"y={x\\z}",
        r"y=\left(x\\z\right)",
        r"y=\left\\(z\right)",
        r"y=}\\{",
        r"y={x\\ z",
        r"y=\frac\\{x}{2}",
        r"y=\mathrm\\{x}",
        r"y=1e\\-6",
        "y=x\\\n\\\\z",
        r"y=\nonsense x\\z=*",
        r"y=x\\z=\nonsense",
    ],
)
def test_rows_by_themselves_give_what_the_whole_gives(latex: str) -> None:
    """A comment after it keeps a formula from being read by rows."""
    assert found_in(latex) == found_in(latex + "%")


def test_rows_that_formulas_have_in_common_stand_where_they_are_read() -> None:
    one, other = tokenize(r"y=x\\z=y\\w=a"), tokenize(r"y=x\\z=y\\w=b")
    assert one[:-1] == other[:-1]
    shifted = tokenize(r" y=x\\z=y\\w=a")
    assert [token.span.start for token in shifted] == [token.span.start + 1 for token in one]
