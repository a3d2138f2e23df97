"""Characters of a text value → their place in the file, in every style that YAML writes texts in."""

from __future__ import annotations

import textwrap
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atlas.entries.spans import excerpt_at, locate
from atlas.entries.tree import Document, parse
from atlas.entries.words import quoted
from atlas.issues import visible


def sound(text: str) -> Document:
    document, issues = parse(text, "a.yml")
    assert issues == []
    assert document is not None
    return document


def place_of(document: Document, part: str) -> tuple[int, int, str]:
    """Line, column and excerpt of a part of the stripped text value `f`."""
    value = document.value["f"]
    assert isinstance(value, str)
    start = value.strip().index(part)
    mark, excerpt = locate(document, ("f",), (start, start + len(part)))
    assert mark.path == "a.yml"
    return mark.line, mark.column, excerpt


@pytest.mark.parametrize(
    ("text", "part", "line", "column"),
    [
        ("f: |\n  a &= b \\\\\n  c &= \\kappa\n", "\\kappa", 3, 8),
        ("f: |-\n  a\n  \\kappa\n", "\\kappa", 3, 3),
        ("f: |+\n  a\n  \\kappa\n\n\n", "\\kappa", 3, 3),
        ("f: |2\n    indented\n  \\kappa\n", "\\kappa", 3, 3),
        ("f: |2\n    indented\n  \\kappa\n", "indented", 2, 5),
        ("f: | # why\n  a\n  \\kappa\n", "\\kappa", 3, 3),
        ("f: |\n\n\n  a\n\n  \\kappa\n", "\\kappa", 6, 3),
        ("f: >\n  one\n  two \\kappa\n", "\\kappa", 3, 7),
        ("f: >-\n  one\n\n  two\n  \\kappa\n", "\\kappa", 5, 3),
        ("f: one \\kappa\n", "\\kappa", 1, 8),
        ("f: one\n  two\n\n  three \\kappa\n", "\\kappa", 4, 9),
        ("f: 'it''s ''so'' \\kappa'\n", "\\kappa", 1, 18),
        ("f: 'it''s ''so'' \\kappa'\n", "'so'", 1, 11),
        ("f: 'one\n  two ''\n\n  \\kappa'\n", "\\kappa", 4, 3),
        ('f: "a \\" b \\\\kappa"\n', "\\kappa", 1, 12),
        ('f: "\\u00e9\\x41\\U0001F600 kappa"\n', "kappa", 1, 26),
        ('f: "one \\\n     two\n  kappa"\n', "kappa", 3, 3),
        ('f: "a\\\\\\\\ \\\\kappa"\n', "\\kappa", 1, 11),
        ("g: {f: 1}\nf: é😀 \\kappa\n", "\\kappa", 2, 7),
        ("g: 😀\nf: |\n  é😀 \\kappa\n", "\\kappa", 3, 6),
        ("f: &x '\\kappa'\ng: *x\n", "\\kappa", 1, 8),
        ("g: &x 'a \\kappa'\nf: *x\n", "\\kappa", 1, 10),
        ("'f':   \\kappa # why\n", "\\kappa", 1, 8),
        ("{g: 1, f: '\\kappa'}\n", "\\kappa", 1, 12),
    ],
)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_part_of_a_text_is_found_where_it_is_written(
    text: str, part: str, line: int, column: int, ending: str
) -> None:
    document = sound(text.replace("\n", ending))
    found_line, found_column, excerpt = place_of(document, part)
    assert (found_line, found_column) == (line, column)
    shown, carets = excerpt.split("\n")
    assert "\r" not in excerpt
    assert shown == text.split("\n")[line - 1].strip()
    assert set(carets.strip()) == {"^"}


def test_the_carets_stand_below_the_part() -> None:
    _, _, excerpt = place_of(sound("f: |\n  y &= \\kappa + b\n"), "\\kappa")
    assert excerpt == "y &= \\kappa + b\n     ^^^^^^"


def test_the_carets_are_as_wide_as_the_part_is_on_a_terminal() -> None:
    _, _, excerpt = place_of(sound("f: |\n  数\té e\u0301 \\kappa 数学 end\n"), "\\kappa 数学")
    assert excerpt == "数\té e\u0301 \\kappa 数学 end\n  \t" + "    " + "^" * 11


def test_the_carets_of_a_part_of_several_lines_end_with_the_first() -> None:
    _, _, excerpt = place_of(sound("f: |\n  a + \\sum_{\n  i} b\n"), "\\sum_{\ni}")
    assert excerpt == "a + \\sum_{\n    ^^^^^^"


def test_of_a_long_line_the_part_around_the_place_is_shown() -> None:
    line = "x + " * 100 + "\\kappa" + " + y" * 100
    _, column, excerpt = place_of(sound(f"f: |\n  {line}\n"), "\\kappa")
    assert column == 403
    shown, carets = excerpt.split("\n")
    assert len(shown) == 100
    start = carets.index("^")
    assert shown[start : start + carets.count("^")] == "\\kappa"


def on_a_terminal(text: str) -> list[str]:
    """What stands in each column of a terminal, with tab stops at every eighth one; a wide character takes two."""
    cells: list[str] = []
    for char in f"    {visible(text)}":
        if char == "\t":
            cells += " " * (8 - len(cells) % 8)
        elif unicodedata.category(char) == "Mn":
            cells[-1] += char
        else:
            cells += [char, ""] if unicodedata.east_asian_width(char) in "WF" else [char]
    return cells


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("a + \\kappa b", "\\kappa"),
        ("数学 の \\kappa 数 b", "\\kappa 数"),
        ("e\u0301e\u20d7 \\kappa", "\\kappa"),
        ("❤\ufe0f \\kappa❤\ufe0f b", "\\kappa❤\ufe0f"),
        ("a\u00a0\u3000b \\kappa c", "\\kappa"),
        ("a b\u00a0\u3000\\kappa c", "b\u00a0\u3000\\kappa"),
        ("a\tb\t\\kappa\tc", "\\kappa"),
        ("a\t数\tb\t\\kappa\tc\td", "b\t\\kappa\tc"),
        ("x\t" * 60 + "\\kappa" + "\ty" * 60, "\\kappa"),
        ("数学" * 60 + "\\kappa" + "数学" * 60, "\\kappa"),
        ("é" * 300 + "\\kappa", "\\kappa"),
        ("\\kappa" + " 数" * 300, "\\kappa"),
    ],
)
def test_the_carets_are_below_the_part_whatever_characters_are_beside_it(line: str, part: str) -> None:
    shown, carets = excerpt_of(f"f: |\n  {line}\n", part).split("\n")
    cells, below = on_a_terminal(shown), on_a_terminal(carets)
    assert "\t" in shown or len(cells) <= 104
    assert part in shown
    # A tab has no caret, as how wide one would be below it depends on its place.
    marked = [cell for cell, sign in zip(cells, below, strict=False) if sign == "^"]
    assert "".join(marked).replace(" ", "") == visible(part).replace("\t", "").replace(" ", "")
    assert below.count("^") == below[below.index("^") :].count("^")


def excerpt_of(text: str, part: str) -> str:
    return place_of(sound(text), part)[2]


@pytest.mark.parametrize(
    ("text", "line", "column", "excerpt"),
    [
        ("title: Layer\nsymbols: {x: 1}\n", 2, 1, "symbols: {x: 1}\n^^^^^^^"),
        ("title: Layer\nsymbols: {x: 1}\n", 2, 10, "symbols: {x: 1}\n         ^"),
        ("  - id: a-b, c # why\n", 1, 9, "- id: a-b, c # why\n      ^^^"),
        ("a: 'it''s one'  # b\n", 1, 4, "a: 'it''s one'  # b\n   ^^^^^^^^^^^"),
        ('a: "\\" b" c\n', 1, 4, 'a: "\\" b" c\n   ^^^^^^'),
        ("a: 'open\n  end'\n", 1, 4, "a: 'open\n   ^^^^^"),
        ("a: 数学, b\r\nc: 1\r\n", 1, 4, "a: 数学, b\n   ^^^^"),
        ("a: [", 1, 5, "a: [\n    ^"),
        ("a:\tb\n", 1, 3, "a:\tb\n  ^"),
        ("a: 1\n\nb: 2\n", 2, 1, ""),
        ("a: 1\n", 2, 1, ""),
        ("a: 1\n", 9, 1, ""),
        ("a: 1\n", 1, 9, ""),
        ("a: 1\n", 1, 0, ""),
        ("a: 1\n", 0, 0, ""),
        ("", 1, 1, ""),
    ],
)
def test_a_place_has_its_line_with_carets_below_what_begins_there(
    text: str, line: int, column: int, excerpt: str
) -> None:
    assert excerpt_at(text, line, column) == excerpt


@pytest.mark.parametrize("span", [(0, 0), (5, 5), (5, 6), (4, 99), (99, 100)])
def test_spans_at_and_after_the_end_have_a_place_too(span: tuple[int, int]) -> None:
    document = sound("f: |\n  a + b\ng: 1\n")
    mark, excerpt = locate(document, ("f",), span)
    assert mark.line == 2
    assert 3 <= mark.column <= 9
    assert excerpt.startswith("a + b\n")
    assert excerpt.endswith("^")


def test_only_texts_have_characters() -> None:
    with pytest.raises(TypeError, match="is not a text"):
        locate(sound("f: 1\n"), ("f",), (0, 1))


WORDS = st.text(alphabet="ab\\{}'\"é😀数.", min_size=1, max_size=6)
LINES = st.lists(st.lists(WORDS, min_size=1, max_size=4).map(" ".join), min_size=1, max_size=4)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(LINES, st.sampled_from(["|", ">", "'", '"']), st.sampled_from(["\n", "\r\n"]), st.integers(0, 3))
def test_every_character_of_every_style_is_found(lines: list[str], style: str, ending: str, extra: int) -> None:
    if style in ("|", ">"):
        indented = textwrap.indent("\n".join(lines), " " * (2 + extra))
        text = f"before: 'é'\nf: {style}\n{indented}\nafter: 1\n"
    else:
        joined = f"\n{' ' * extra}  ".join(lines)
        body = quoted(joined) if style == "'" else '"' + joined.replace("\\", "\\\\").replace('"', '\\"') + '"'
        text = f"before: 'é'\nf: {body}\nafter: 1\n"
    text = text.replace("\n", ending)
    document = sound(text)
    value = document.value["f"]
    assert isinstance(value, str)
    assert "".join(value.split()) == "".join("".join(lines).split())
    stripped = value.strip()
    for offset, char in enumerate(stripped):
        if not char.isspace():
            mark, _ = locate(document, ("f",), (offset, offset + 1))
            written = text.split("\n")[mark.line - 1][mark.column - 1 :]
            assert written.startswith(f"\\{char}" if style == '"' and char in '\\"' else char)
