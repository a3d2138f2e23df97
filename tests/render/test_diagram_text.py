from __future__ import annotations

import pytest

from atlas.exceptions import DiagramError
from atlas.node.letters import INSTEAD
from atlas.render.diagram_text import LOWERED, RAISED, SMALLER, SMALLEST, Run, runs, spoken


def text(latex: str) -> str:
    return "".join(run.text for run in runs(latex))


def test_a_subscript_is_smaller_and_lower_and_variables_are_italic() -> None:
    assert runs("d_{ff}") == (Run("d", "i"), Run("ff", "i", SMALLER, LOWERED, "sub"))


def test_a_superscript_is_raised() -> None:
    assert runs("x^2") == (Run("x", "i"), Run("2", "", SMALLER, RAISED, "sup"))


def test_a_script_ends_with_its_argument() -> None:
    assert runs("x_ny") == (Run("x", "i"), Run("n", "i", SMALLER, LOWERED, "sub"), Run("y", "i"))
    assert runs("x_n^2")[1:] == (Run("n", "i", SMALLER, LOWERED, "sub"), Run("2", "", SMALLER, RAISED, "sup"))


def test_scripts_of_scripts_stay_readable() -> None:
    sizes = [run.size for run in runs("a_{b_{c_{d}}}")]
    assert sizes == [1, SMALLER, SMALLEST, SMALLEST]
    shifts = [run.shift for run in runs("a_{b_{c_{d}}}")]
    assert shifts == sorted(shifts)
    assert len(set(shifts)) == 4


@pytest.mark.parametrize(
    ("latex", "shown"),
    [
        (r"\gamma_2", "γ2"),
        (r"\ell", "ℓ"),
        (r"\varepsilon \epsilon", "εϵ"),
        (r"h\,d_k", "h\u2009dk"),
        (r"h \cdot d_v", "h·dv"),
        (r"3 \times d", "3\u2009×\u2009d"),
        ("x_{n+1}", "xn+1"),
        ("n-1", "n\u2009−\u20091"),
        (r"\lfloor H/2\rfloor", "⌊H/2⌋"),
        (r"\left\lceil n\right\rceil", "⌈n⌉"),
        (r"\frac{d}{h}", "d/h"),
        (r"\frac{H-1}{s}", "(H\u2009−\u20091)/s"),
        (r"\frac{12}{d_k}", "12/dk"),
        (r"\sqrt{d_k}", "√dk"),
        (r"\sqrt{a+b}", "√(a\u2009+\u2009b)"),
        (r"\sqrt[3]{x}", "3√x"),
        (r"\text{ids in}", "ids in"),
        (r"\mathrm{ff}", "ff"),
        (r"\mathbb{R}^d", "ℝd"),
        (r"\mathcal{L}", "ℒ"),
        (r"\mathcal{N}", "𝒩"),
        (r"\hat{y}", "y\u0302"),
        (r"\max(a, b)", "max(a,\u2009b)"),
        (r"\{x\}", "{x}"),
        ("h'", "h′"),
        ("漢字", "漢字"),
        ("", ""),
    ],
)
def test_what_is_shown(latex: str, shown: str) -> None:
    assert text(latex) == shown


def test_upright_text_and_bold_letters_have_their_styles() -> None:
    assert runs(r"\text{ff}") == (Run("ff"),)
    assert runs(r"\mathbf{W}x") == (Run("W", "b"), Run("x", "i"))
    assert runs(r"\Gamma") == (Run("Γ"),)
    assert runs(r"\gamma") == (Run("γ", "i"),)


def test_neighbours_of_one_style_are_one_run() -> None:
    assert runs("abc") == (Run("abc", "i"),)


def test_every_symbol_that_formulas_may_not_hold_raw_can_be_shown_by_its_command() -> None:
    commands = {command for command in INSTEAD.values() if command[1:].isalpha() and command[0] == "\\"}
    commands -= {r"\quad", r"\enspace"}
    assert len(commands) > 100
    for command in commands:
        assert INSTEAD[text(command).strip()] == command


@pytest.mark.parametrize(
    ("latex", "said"),
    [
        ("x_{n+1}", "x sub n+1"),
        (r"\gamma_2", "γ sub 2"),
        ("x_n y", "x sub n y"),
        ("x^2", "x sup 2"),
        ("h'", "h prime"),
        ("h d_k", "hd sub k"),
    ],
)
def test_what_is_read_aloud(latex: str, said: str) -> None:
    assert spoken(latex) == said


@pytest.mark.parametrize(
    ("latex", "why"),
    [
        (r"\unheardof", r"\unheardof is not known in pictures"),
        ("x_{n", "a { has no }"),
        ("x}", "a } has no {"),
        ("x_", "nothing follows _"),
        (r"\frac{a}", r"nothing follows \frac"),
        (r"\sqrt[3", "a [ has no ]"),
        ("{" * 30 + "x" + "}" * 30, "braces are nested deeper than 20"),
    ],
)
def test_what_cannot_be_shown_is_refused_by_name(latex: str, why: str) -> None:
    with pytest.raises(DiagramError) as caught:
        runs(latex)
    assert str(caught.value) == f"`{latex}` cannot be shown in a diagram: {why}"
