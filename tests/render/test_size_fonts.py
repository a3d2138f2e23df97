"""One font in place of KaTeX's four of sizes: the same shapes, chosen by features."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from fontTools.pens.recordingPen import RecordingPen
from fontTools.ttLib import TTFont

from atlas.exceptions import NodeError
from atlas.kept import Kept
from atlas.node.assets import install_assets, woff2_only
from atlas.node.environment import Environment, prepare
from atlas.render import size_fonts
from atlas.render.fonts import subset
from atlas.render.size_fonts import FEATURES, NAME, SIZES, merged, one_family, with_one_font_of_sizes


@pytest.fixture(scope="module")
def environment() -> Environment:
    return prepare()


@pytest.fixture(scope="module")
def fonts(environment: Environment) -> list[bytes]:
    return [(environment.katex_dist / "fonts" / name).read_bytes() for name in SIZES]


@pytest.fixture(scope="module")
def css(environment: Environment) -> str:
    return woff2_only((environment.katex_dist / "katex.min.css").read_text(encoding="utf-8"))


def glyph(font: TTFont, character: str, feature: str = "") -> str:
    """The name of the glyph that shows a character."""
    name = str(font.getBestCmap()[ord(character)])
    if not feature:
        return name
    table = font["GSUB"].table
    (record,) = (one for one in table.FeatureList.FeatureRecord if one.FeatureTag == feature)
    for index in record.Feature.LookupListIndex:
        for rule in table.LookupList.Lookup[index].SubTable:
            name = rule.mapping.get(name, name)
    return name


def drawn(font: TTFont, name: str) -> tuple[object, int]:
    pen = RecordingPen()
    font.getGlyphSet()[name].draw(pen)
    return pen.value, font["hmtx"][name][0]


@pytest.mark.parametrize("cut", [False, True])
def test_each_feature_shows_the_characters_of_its_font(fonts: list[bytes], *, cut: bool) -> None:
    one = merged(fonts)
    together = TTFont(io.BytesIO(subset(one, "()[]{}∑∫⟨⎧√")[0] if cut else one))
    looks = set()
    for number, font in enumerate(fonts):
        own = TTFont(io.BytesIO(font))
        for character in "()[]{}∑∫⟨⎧√":
            if ord(character) in own.getBestCmap():
                shown = glyph(together, character, FEATURES[number] if number else "")
                assert drawn(together, shown) == drawn(own, glyph(own, character)), (number, character)
                looks.add(str(drawn(together, shown)))
    assert len(looks) > 20, "sizes differ"


def test_lines_stay_as_high_and_the_middle_where_it_was(fonts: list[bytes]) -> None:
    together = TTFont(io.BytesIO(merged(fonts)))
    for font in (TTFont(io.BytesIO(one)) for one in fonts):
        assert together["head"].unitsPerEm == font["head"].unitsPerEm
        middle = together["hhea"].ascent + together["hhea"].descent
        assert abs(middle - font["hhea"].ascent - font["hhea"].descent) <= 2
        assert together["hhea"].ascent >= font["hhea"].ascent


def test_the_same_fonts_give_the_same_bytes(fonts: list[bytes]) -> None:
    assert merged(fonts) == merged(fonts)
    assert merged(fonts) != merged(fonts[:3])


def test_the_style_sheet_chooses_by_features(css: str) -> None:
    made = one_family(css)
    assert made.count("@font-face") == css.count("@font-face") - 3
    assert made.count(f"fonts/{NAME}") == 1
    assert "KaTeX_Size1" not in made
    for number, feature in enumerate(FEATURES, start=1):
        chosen = css.count(f"font-family:KaTeX_Size{number}") - 1
        assert chosen >= 1
        assert made.count(f'font-family:KaTeX_Sizes;font-feature-settings:"{feature}"') == chosen


def test_a_style_sheet_with_other_fonts_is_an_error(css: str) -> None:
    with pytest.raises(NodeError, match="0 fonts of sizes"):
        one_family("a{b:c}")
    with pytest.raises(NodeError, match="fonts of sizes"):
        one_family(css.replace("KaTeX_Size4-Regular", "KaTeX_Size3-Regular"))
    with pytest.raises(NodeError, match="5 fonts of sizes"):
        one_family(f"@font-face{{font-family:KaTeX_Size1;src:url({SIZES[0]})}}{css}")


def test_the_installed_fonts_are_replaced(
    environment: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = install_assets(environment, tmp_path / "first")
    with Kept(tmp_path) as kept:
        made = with_one_font_of_sizes(installed, kept)
        names = {file.name for file in made}
        assert names == {file.name for file in installed} - set(SIZES) | {NAME}
        assert all(file.is_file() for file in made)
        assert NAME in made[0].read_text(encoding="utf-8")
        assert not any(file.exists() for file in installed if file.name in SIZES)
        with pytest.raises(NodeError, match="KaTeX_Size1-Regular"):
            with_one_font_of_sizes(made, kept)
        monkeypatch.setattr(size_fonts, "merged", None)  # as the font is kept
        again = with_one_font_of_sizes(install_assets(environment, tmp_path / "again"), kept)
        assert again[-1].read_bytes() == made[-1].read_bytes()
