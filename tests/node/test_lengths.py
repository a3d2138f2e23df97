"""Lengths that would reach out of a formula are refused, however they are written."""

from __future__ import annotations

import re

import pytest

from atlas.node.process import NodeProcess
from tests.node.typesetting import refusal, typeset


@pytest.mark.parametrize(
    ("tex", "length"),
    [
        (r"x\rule{9999em}{1em}", "9999em"),
        (r"x\rule{1em}{ 9999 em }", "9999em"),
        (r"x\rule[-9999em]{1em}{1em}", "9999em"),
        (r"x\kern-21em y", "21em"),
        (r"x\mkern 400mu y", "400mu"),
        (r"x\hskip -30cm y", "30cm"),
        (r"x\hspace*{-.5in}\hspace{-99.5in}y", "99.5in"),
        (r"x\raisebox{-9999pt}{y}", "9999pt"),
        (r"x\\[-9999em]", "9999em"),
        (r"x\genfrac{}{}{9999pt}{}{a}{b}", "9999pt"),
    ],
)
def test_a_length_that_would_reach_out_of_the_formula_is_refused(node: NodeProcess, tex: str, length: str) -> None:
    error, position = refusal(node, tex)
    assert error == f"the length {length} is more than 20 em"
    assert position == tex.index("\\", 1 if ".5in" not in tex else 15)


@pytest.mark.parametrize(
    "tex",
    [
        r"\def\x{9999}\kern-\x em y",
        r"\def\x{9999}\raisebox{-\x em}{y}",
        r"\def\x{9999}\rule[-\x em]{1em}{1em}",
        r"\def\a{\kern-20em}\a\a\a x",
        r"\begin{matrix}" + r"a\\" * 400 + r"\end{matrix}",
    ],
)
def test_a_length_that_a_macro_puts_together_is_refused_too(node: NodeProcess, tex: str) -> None:
    assert refusal(node, tex) == ("it reaches out of its place", None)


@pytest.mark.parametrize(
    "tex",
    [
        r"\rule{20em}{1em}\kern-20em x",
        r"\text{for 100 in a batch, 900 mm}",
        r"\begin{matrix}" + r"a\\[2ex]" * 90 + r"\end{matrix}",
        r"\left(\frac{\sqrt{x}}{\overbrace{y}^{z}}\right)\!\!\negthinspace\hphantom{xxx}\mathrlap{x}",
        r"\mathrm{em}\, 100\,em",
    ],
)
def test_lengths_of_ordinary_formulas_are_kept(node: NodeProcess, tex: str) -> None:
    assert typeset(node, tex).error == ""


def test_a_length_that_a_macro_makes_too_long_is_cut_off(node: NodeProcess) -> None:
    html = typeset(node, r"\def\x{1000}\rule{\x em}{\x em}").html
    assert html is not None
    styles = " ".join(re.findall(r'style="([^"]*)"', html))
    assert max(map(float, re.findall(r"([0-9.]+)em", styles))) == 20
