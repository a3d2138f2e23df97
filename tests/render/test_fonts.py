"""Fonts hold what is shown and little else."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont
from markupsafe import Markup

from atlas.kept import Kept
from atlas.node.assets import unpacked
from atlas.node.environment import Environment, prepare
from atlas.node.process import Formula, NodeProcess, Typeset
from atlas.render import fonts as fonts_module
from atlas.render.fonts import ALWAYS, Glyphs, fonts_of, shrink, subset, united
from atlas.render.size_fonts import NAME


@pytest.fixture(scope="module")
def environment() -> Environment:
    return prepare()


def typeset(html: str) -> Typeset:
    return Typeset(Formula("x"), Markup(html), "", None)  # noqa: S704 - as if KaTeX had made it


def letters(font: bytes) -> set[str]:
    return {chr(code) for code in TTFont(io.BytesIO(font)).getBestCmap()}


def test_only_the_copy_for_the_eye_uses_the_fonts() -> None:
    glyphs = Glyphs()
    glyphs.note([typeset('<math>Q</math><span class="katex-html" aria-hidden="true"><i title="z">x</i>&lt;</span>')])
    glyphs.note([Typeset(Formula("y"), None, "refused", 0)])
    glyphs.note_text("γ")
    assert set(glyphs.characters) - set(ALWAYS) == {"x", "<", "γ"}


def test_a_subset_has_the_characters_asked_for_and_is_small(environment: Environment) -> None:
    whole = (environment.katex_dist / "fonts" / "KaTeX_Main-Regular.woff2").read_bytes()
    made, own = subset(whole, "ab×Ж")
    assert made[:4] == b"wOF2"
    assert letters(made) == {"a", "b", "×"}, "what the font lacks is left out"
    assert len(made) < len(whole) / 10
    assert own == letters(whole)
    assert subset(whole, "ab×Ж") == (made, own)


def test_shapes_and_widths_stay_as_they_were(environment: Environment) -> None:
    whole = (environment.katex_dist / "fonts" / "KaTeX_Math-Italic.woff2").read_bytes()
    before, after = (TTFont(io.BytesIO(font)) for font in (whole, subset(whole, "xf")[0]))
    assert before["head"].unitsPerEm == after["head"].unitsPerEm
    for letter in "xf":
        widths = [font["hmtx"][font.getBestCmap()[ord(letter)]] for font in (before, after)]
        assert widths[0] == widths[1]


def test_fonts_are_shrunk_in_place_and_kept_for_the_next_build(
    environment: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = environment.katex_dist / "fonts" / "KaTeX_Size1-Regular.woff2"
    made: list[str] = []

    def noted(font: bytes, characters: str) -> tuple[bytes, frozenset[str]]:
        made.append(characters)
        return subset(font, characters)

    monkeypatch.setattr(fonts_module, "subset", noted)
    fonts = [tmp_path / name for name in ("one.woff2", "two.woff2")]
    for font in fonts:
        font.write_bytes(source.read_bytes())
        with Kept(tmp_path / "cache") as kept:
            shrink({font: font}, "(", kept)
    assert made == ["("]
    assert fonts[0].read_bytes() == fonts[1].read_bytes()
    assert letters(fonts[0].read_bytes()) == {"("}
    fonts[0].write_bytes(source.read_bytes())
    with Kept(tmp_path / "cache") as kept:
        shrink({fonts[0]: fonts[0]}, ")", kept)
    assert made == ["(", ")"]
    fonts[0].write_bytes(source.read_bytes())
    with Kept(tmp_path / "cache") as kept:
        shrink({fonts[0]: fonts[0]}, ")Ж", kept)
    assert made == ["(", ")"], "a character that the font lacks is nothing to it"
    assert letters(fonts[0].read_bytes()) == {")"}


def test_what_is_unpacked_is_cut_to_the_same_bytes(environment: Environment, tmp_path: Path) -> None:
    installed = environment.katex_dist / "fonts"
    for packed in sorted(installed.glob("*.woff2")):
        plain = unpacked(environment, tmp_path / packed.name)
        assert plain.suffix == ".ttf"
        shown = "".join(sorted(letters(plain.read_bytes()) & set("12abRS(∑√")))
        assert shown
        made, own = subset(plain.read_bytes(), f"{shown}Ж")
        assert (made, own) == subset(packed.read_bytes(), f"{shown}Ж")
        assert letters(made) == set(shown)
    assert unpacked(environment, tmp_path / "mine.woff2") == tmp_path / "mine.woff2"


@pytest.mark.parametrize(
    ("tex", "fonts"),
    [
        ("1", ["Main-Regular"]),
        ("x", ["Main-Regular", "Math-Italic"]),
        (r"\mathbf{W}", ["Main-Regular", "Main-Bold"]),
        (r"\mathbb{R}", ["Main-Regular", "AMS-Regular"]),
        (r"\displaystyle\sum 1", ["Main-Regular", "Sizes-Regular"]),
        (r"\sum 1", ["Main-Regular", "Sizes-Regular"]),
        (r"\Bigg(1\Bigg)", ["Main-Regular", "Sizes-Regular"]),
        (r"\boldsymbol{\beta}", ["Main-Regular", "Math-BoldItalic"]),
    ],
)
def test_a_page_tells_which_fonts_it_needs(environment: Environment, tex: str, fonts: list[str]) -> None:
    with NodeProcess(environment) as node:
        (result,) = node.typeset([Formula(tex)])
    assert fonts_of(str(result.html)) == tuple(f"KaTeX_{name}.woff2" for name in fonts)
    for name in fonts_of(str(result.html)):
        assert name == NAME or (environment.katex_dist / "fonts" / name).is_file()


def test_a_page_needs_the_fonts_of_all_its_formulas(environment: Environment) -> None:
    with NodeProcess(environment) as node:
        formulas = [str(one.html) for one in node.typeset(map(Formula, [r"\mathbf{W}", "x", "1", r"\mathcal{L}"]))]
    assert united(map(fonts_of, formulas)) == fonts_of("".join(formulas))
    assert united(map(fonts_of, reversed(formulas))) == fonts_of("".join(formulas)), "in the same order"
    assert united([]) == ()


def test_a_page_without_formulas_needs_none() -> None:
    assert fonts_of("<p class='mathnormal'>text</p>") == ()
