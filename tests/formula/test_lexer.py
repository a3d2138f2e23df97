r"""Tokens: what is read as one name, which spellings are the same, and that spans cover the text."""

from __future__ import annotations

import pytest

from atlas.formula.lexer import tokenize
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
