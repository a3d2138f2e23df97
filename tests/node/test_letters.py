from __future__ import annotations

import pytest

from atlas.node.letters import GREEK, INSTEAD, refuse_raw_symbols
from atlas.node.process import Formula, NodeProcess


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        (r"\gamma x + \varepsilon", []),
        ("x + ε", [(4, r"write \varepsilon instead of ε")]),
        ("ϵγ", [(0, r"write \epsilon instead of ϵ"), (1, r"write \gamma instead of γ")]),
        ("a × b", [(2, r"write \times instead of ×")]),
        ("10⁻⁶", [(2, "write ^{-} instead of ⁻"), (3, "write ^6 instead of ⁶")]),
        ("x−y", [(1, "write - instead of −")]),
        ("f′", [(1, "write ' instead of ′")]),
        ("x\u00a0y", [(1, "write ~ instead of U+00A0")]),
        ("µ Ω", [(0, r"write \mu instead of µ"), (2, r"write \Omega instead of Ω")]),  # micro and ohm sign
        ("ά", [(0, r"write \alpha instead of ά")]),
        ("𝛾𝐱𝝲𝔼", [
            (0, r"write \gamma instead of 𝛾"),
            (1, r"write \mathbf{x} instead of 𝐱"),
            (2, r"write \boldsymbol{\gamma} instead of 𝝲"),
            (3, r"write \mathbb{E} instead of 𝔼"),
        ]),
    ],
)  # fmt: skip
def test_each_raw_symbol_is_named_with_its_offset_and_its_command(tex: str, expected: list[tuple[int, str]]) -> None:
    assert refuse_raw_symbols(tex) == expected


@pytest.mark.parametrize(
    "tex",
    [
        r"\text{size ε × 2}",
        r"\text {ε}",
        r"\text ε",
        r"\operatorname{f}\mbox{a {nested ε} b}",
        r"\tag*{ε}",
        r"\verb|ε|",
        "x % a remark with ε\n+ y",
        r"\text{a $x$ ε}",
        r"\text{a \} ε}",
    ],
)
def test_text_and_comments_may_hold_any_symbol(tex: str) -> None:
    assert refuse_raw_symbols(tex) == []


@pytest.mark.parametrize(
    ("tex", "offset"),
    [
        (r"\text{a}ε", 8),
        (r"\text{for $ε$}", 11),
        (r"\text{for \(ε\) ε}", 12),
        (r"\text{a $x_{ε}$ ε}", 12),
        (r"\textcolor{red}{ε}", 16),
        (r"\mathrm{ε}", 8),
        ("% remark\nε", 9),
        (r"\\ε", 2),
    ],
)
def test_a_formula_within_text_and_after_it_is_a_formula(tex: str, offset: int) -> None:
    assert [place for place, _ in refuse_raw_symbols(tex)] == [offset]


def test_the_whole_greek_alphabet_is_covered() -> None:
    assert set("αβγδεζηθικλμνξοπρςστυφχψωΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ") <= set(GREEK)
    assert len(set(GREEK.values())) == len(GREEK) - 1  # ϝ and Ϝ share a command


def test_what_is_written_instead_is_something_that_katex_shows(node: NodeProcess) -> None:
    # a script, a prime and the like need something to stand at; the ellipsis stands for an argument
    formulas = {symbol: Formula("x" + instead.replace("…", "y")) for symbol, instead in INSTEAD.items()}
    refused = {result.formula: result.error for result in node.typeset(formulas.values()) if result.error}
    assert refused == {}
