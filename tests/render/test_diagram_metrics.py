from __future__ import annotations

import string

import pytest

from atlas.node.letters import GREEK
from atlas.render.diagram_metrics import MATHS, OTHER, SANS, WIDE, runs_width, text_width, wrapped
from atlas.render.diagram_text import runs


def test_every_common_character_has_a_width_of_its_own() -> None:
    assert set(string.ascii_letters + string.digits + " .,-–×()[]/") <= SANS.keys()
    assert set(string.ascii_letters + string.digits + "()[]/+−×⌊⌋ℓ") <= MATHS.keys()
    lower = {letter for letter in GREEK if "α" <= letter <= "ω"}
    assert lower <= MATHS.keys()


def test_a_width_grows_with_the_size_and_the_text() -> None:
    assert text_width("i", 10) < text_width("M", 10) < text_width("MM", 10) == text_width("M", 20)
    assert text_width("漢", 100) == WIDE > text_width("ж", 100) == OTHER
    assert text_width("e\u0301", 10) == text_width("e", 10)


def test_scripts_take_less_room() -> None:
    assert runs_width(runs("x"), 10) < runs_width(runs("x_n"), 10) < runs_width(runs("xn"), 10)


@pytest.mark.parametrize(
    "text", ["Feed-forward network of the encoder", "Donaudampfschifffahrt", "漢字漢字漢字漢字", "a " * 60]
)
def test_lines_fit_and_hold_the_text_or_its_beginning(text: str) -> None:
    lines = wrapped(text, 14, 100)
    assert 1 <= len(lines) <= 2
    assert all(text_width(line, 14) <= 100 for line in lines)
    shown = "".join(lines).replace(" ", "")
    whole = text.replace(" ", "")
    assert shown == whole or (shown.endswith("…") and whole.startswith(shown[:-1]))


def test_a_line_breaks_at_a_space_else_after_a_hyphen_else_within_a_word() -> None:
    assert wrapped("Multi-head attention", 14, 120) == ("Multi-head", "attention")
    assert wrapped("Encoder–decoder", 14, 80) == ("Encoder–", "decoder")
    first, second = wrapped("abcdefghijklmnop", 14, 80)
    assert first + second == "abcdefghijklmnop"


def test_a_text_that_fits_is_one_line_and_what_is_left_over_is_cut() -> None:
    assert wrapped("LayerNorm", 14, 120) == ("LayerNorm",)
    assert wrapped("A very long title", 14, 60, 1) == ("A ver…",)
    assert wrapped("", 14, 60) == ()
