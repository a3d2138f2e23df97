from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_for_filename
from pygments.lexers.special import TextLexer
from pygments.style import Style
from pygments.token import STANDARD_TYPES, Token

from atlas.exceptions import ExcerptError
from atlas.markup import code
from atlas.markup.code import (
    CodeLine,
    css_class,
    excerpt,
    highlight,
    lexer_for,
    list_items,
    plain_code,
    plain_lines,
    stylesheet,
    visible,
)
from atlas.markup.code_styles import DarkStyle, LightStyle

MODULE = '''"""A module
whose docstring spans & <lines>.
"""

def f(x):
    return x + 1  # more
'''


def plain(line: Markup) -> str:
    return unescape(re.sub(r"<[^>]*>", "", line))


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    channels = [int(colour.lstrip("#")[start : start + 2], 16) / 255 for start in (0, 2, 4)]
    red, green, blue = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted([luminance(one), luminance(other)])
    return (lighter + 0.05) / (darker + 0.05)


def test_a_token_that_spans_lines_is_closed_and_opened_again() -> None:
    assert highlight(MODULE, "python") == (
        '<span class="sd">"""A module</span>',
        '<span class="sd">whose docstring spans &amp; &lt;lines&gt;.</span>',
        '<span class="sd">"""</span>',
        "",
        '<span class="k">def</span> <span class="nf">f</span>(x):',
        '    <span class="k">return</span> x + <span class="mi">1</span>  <span class="c1"># more</span>',
    )


def test_empty_lines_at_the_start_cost_no_colours_and_blank_ones_have_none() -> None:
    assert highlight('\n\n"""a\n  \n"""\n\n', "python") == (
        *("", ""),
        *('<span class="sd">"""a</span>', "  ", '<span class="sd">"""</span>'),
        "",
    )


def test_an_excerpt_that_begins_within_a_string_keeps_its_colours_and_numbers() -> None:
    assert excerpt(highlight(MODULE, "python"), 2, 3) == (
        CodeLine(2, Markup('<span class="sd">whose docstring spans &amp; &lt;lines&gt;.</span>')),
        CodeLine(3, Markup('<span class="sd">"""</span>')),
    )


@pytest.mark.parametrize(("first", "last"), [(0, 1), (3, 2), (1, 7), (7, 7), (-1, -1)])
def test_lines_that_the_file_does_not_have_are_an_error(first: int, last: int) -> None:
    with pytest.raises(ExcerptError, match=rf"lines {first}-{last} are not in the file, which has 6 lines"):
        excerpt(highlight(MODULE, "python"), first, last)


@pytest.mark.parametrize("language", ["python", "text", "pycon", "yaml", "json", "console", "diff", "cuda", "markdown"])
@pytest.mark.parametrize(
    "text",
    [
        "\n\n\nx = 1\n\n\n",
        "x",
        "x\n",
        "\n",
        "",
        "  \n x \n  ",
        "a\fb\n",
        "a\x0bb\u2028c\x85d\n",
        "\ufeffx\n",
        "'''a\n\n  b'''\n",
    ],
)
def test_no_line_is_lost_and_none_is_added(text: str, language: str) -> None:
    shown = text.replace("\x0b", "␋").replace("\u2028", "⟨U+2028⟩").replace("\x85", "⟨U+0085⟩")
    expected = shown.replace("\ufeff", "⟨U+FEFF⟩").removesuffix("\n").split("\n") if text else []
    assert [plain(line) for line in highlight(text, language)] == expected


def test_windows_line_ends_count_like_others_and_a_lone_return_does_not_count() -> None:
    assert [plain(line) for line in highlight("a\r\n\r\nb\rc\r\n", "python")] == ["a", "", "b␍c"]


@given(st.text(), st.sampled_from(["python", "text", "yaml", "html", "console", "c++", "latex"]))
def test_any_text_comes_back_line_by_line_without_markup_of_its_own(text: str, language: str) -> None:
    lines = highlight(text, language)
    assert "\n".join(map(plain, lines)) == code.visible(text.replace("\r\n", "\n").removesuffix("\n"))
    for line in lines:
        assert re.fullmatch(
            r'(?:[^<>&]|&(?:amp|lt|gt);|<span class="[a-z0-9]+">(?:[^<>&]|&(?:amp|lt|gt);)+</span>)*', line
        )


def test_what_could_mislead_the_eye_is_shown() -> None:
    assert highlight("if a:\u202e x\x00\x7f\n") == ("if a:⟨U+202E⟩ x␀␡",)


@pytest.mark.parametrize(
    "code_point",
    [
        *(0x01, 0x0B, 0x1B, 0x7F, 0x80, 0x85, 0x9F, 0xAD, 0x34F, 0x61C, 0x115F, 0x180E, 0x200B, 0x200D, 0x200F),
        *(0x2028, 0x2029, 0x202A, 0x202E, 0x2060, 0x2064, 0x2066, 0x2069, 0x206F, 0x2800, 0x3164, 0xFE0F, 0xFEFF),
        *(0xFFA0, 0xFFF9, 0x1D173, 0xE0001, 0xE0041, 0xE0100, 0x180B, 0x180F, 0x2065, 0xFFF0, 0xFDD0, 0xFFFE, 0x1D159),
        *(0xE0000, 0xE0002, 0xE01F0, 0xE0FFF),
    ],
)
@pytest.mark.parametrize("language", ["python", "text"])
def test_no_character_that_is_not_drawn_is_left_in_code(code_point: int, language: str) -> None:
    (line,) = highlight(f"is_admin{chr(code_point)} = 1", language)
    assert chr(code_point) not in line
    assert plain(line).startswith("is_admin")
    assert f"⟨U+{code_point:04X}⟩" in plain(line) or plain(line)[8] in "␁␋␛␡"


def test_what_is_drawn_is_left_as_it_is() -> None:
    for text in ("naïve = 'γ ≤ é'", "# 日本語　全角", "x = 1", "é 🙂"):
        assert code.visible(text) == text


def test_adjacent_tokens_of_a_class_share_a_span() -> None:
    (line,) = highlight("'a' 'b'\n", "python")
    assert line == "<span class=\"s1\">'a'</span> <span class=\"s1\">'b'</span>"
    (line,) = highlight("'ab\"'\n", "python")  # Pygments gives the quotes and the text as four tokens
    assert line == '<span class="s1">\'ab"\'</span>'


@pytest.mark.parametrize(
    ("language", "path", "expected"),
    [
        ("python", "", "Python"),
        ("py", "notes.txt", "Python"),
        ("", "models/common_layers.py", "Python"),
        ("", "kernel.cu", "CUDA"),
        ("", "unknown.extension", "Text only"),
        ("no such language", "a.py", "Text only"),
        ("", "", "Text only"),
        ("<script>", "", "Text only"),
    ],
)
def test_the_language_comes_from_its_name_or_the_path(language: str, path: str, expected: str) -> None:
    assert lexer_for(language, path).name == expected


def test_every_file_of_python_is_read_by_the_lexer_that_pygments_has_for_it() -> None:
    found = get_lexer_for_filename("models/layers.py")
    assert type(lexer_for("", "models/layers.py")) is type(found)


def test_lines_of_code_know_their_items_and_their_text() -> None:
    text = "x = 'a < b & c'\n\n\treturn \u202ex"
    lines = excerpt(highlight(text, "python"), 1, 3)
    assert lines.items == "".join(f"<li>{line.html}</li>" for line in lines) == list_items(list(lines))
    assert lines.plain == visible(text) == plain_code(list(lines))
    assert lines.items is lines.items, "it is made once"
    assert list_items(()) == "" == plain_code(())


def test_a_lexer_that_changes_the_text_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Swallowing(TextLexer):
        def get_tokens_unprocessed(self, text: str) -> list[tuple[int, object, str]]:  # type: ignore[override]  # wrong on purpose
            return [(0, Token.Keyword, text.replace("\n", ""))]

    def swallowing(language: str, path: str) -> Lexer:
        return Swallowing()

    monkeypatch.setattr(code, "lexer_for", swallowing)
    assert highlight("a\nb\n") == ("a", "b")


def test_this_very_file_comes_back_as_it_is() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    assert [plain(line) for line in highlight(text, path=__file__)] == text.removesuffix("\n").split("\n")


@pytest.mark.parametrize("style", [LightStyle, DarkStyle])
def test_every_colour_can_be_read_on_its_background(style: type[Style]) -> None:
    for token in STANDARD_TYPES:
        colour = style.style_for_token(token)["color"]
        assert colour, f"{token} has no colour"
        for background in (style.background_color, style.highlight_color):
            assert contrast(colour, background) >= 4.5, (style.__name__, token, colour, background)


def test_contrast_is_computed_as_the_standard_says() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


def test_the_stylesheet_has_light_first_and_dark_for_the_system_and_for_the_choice() -> None:
    css = stylesheet(".code")
    light, system, chosen = re.split(r"@media [^{]*\{\n", css)
    assert re.findall(r"@media ([^{]*) \{", css) == ["screen and (prefers-color-scheme: dark)", "screen"]
    assert light.startswith(f".code {{ color: #1f2430; background: {LightStyle.background_color} }}")
    for line in light.splitlines():
        assert line.startswith(".code")
    for line in system.rstrip().removesuffix("}").splitlines():
        assert line.startswith("  :root:not([data-theme=light]) .code")
    for line in chosen.rstrip().removesuffix("}").splitlines():
        assert line.startswith("  :root[data-theme=dark] .code")
    assert system.count(DarkStyle.background_color) == chosen.count(DarkStyle.background_color) == 1
    assert css.count("{") == css.count("}")


def test_both_themes_name_every_class_that_highlighting_uses() -> None:
    light, *dark = re.split(r"@media", stylesheet())
    used = {css_class(token) for token in STANDARD_TYPES} - {""}
    assert {"k", "nf", "sd", "c1", "mi", "nb"} <= used
    for theme in (light, *dark):
        assert used <= set(re.findall(r"\.([a-z0-9]+)\b", theme))


def test_a_kind_without_a_class_of_its_own_has_that_of_its_parent() -> None:
    assert css_class(Token.Keyword.Of.A.Language) == "k"
    assert css_class(Token.Unheard.Of) == ""
    assert css_class(Token.Text.Whitespace) == ""


@pytest.mark.parametrize(
    "text", ["", "\n", "a\r\nb", "a &amp; <b>\n\n", "x = '\u202e'\t# \x07\n", 'r = """\n <i>\n"""\n\n']
)
def test_the_plain_text_at_hand_is_that_of_the_highlighted_lines(text: str) -> None:
    lines, plain = highlight(text, "python"), plain_lines(text)
    assert len(lines) == len(plain)
    for first in range(1, len(lines) + 1):
        cut = excerpt(lines, first, len(lines), plain)
        assert cut.plain == plain_code(cut) == excerpt(lines, first, len(lines)).plain
