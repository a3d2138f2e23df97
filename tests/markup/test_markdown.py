"""What is written as Markdown is read again as what it was, by the parser that the site's own prose goes through."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atlas.markup.inline import parse_inline
from atlas.markup.markdown import (
    cell,
    code_block,
    code_span,
    destination,
    display_maths,
    escaped,
    inline_markdown,
    inline_maths,
    relinked,
)
from atlas.markup.prose import parse

MARKUP = st.text(alphabet="ab1 \\`*_[]()<>|$~&;#-+=.!x{}^:/\n", max_size=40)


def plain(markdown: str) -> str:
    """The text of a single paragraph; anything else in it fails."""
    tokens = parse(markdown).tokens
    assert [token.type for token in tokens] in ([], ["paragraph_open", "inline", "paragraph_close"]), markdown
    children = [child for token in tokens for child in token.children or ()]
    assert {child.type for child in children} <= {"text"}, (markdown, children)
    return "".join(child.content for child in children)


@given(MARKUP)
def test_an_escaped_text_is_a_paragraph_of_that_text(text: str) -> None:
    assert plain(escaped(text)) == " ".join(text.split())


@pytest.mark.parametrize(
    "text",
    [
        *("# no heading", "1. no list", "2) none", "- none", "+ none", "---", "===", "> none", "| a | b |"),
        *("&lt;", "&#35;", "a_b_c", "_a_", "**a**", "~~a~~", "$x$", "[a](b)", "<b>", "`a`", "\\", "http://a_b_/*"),
    ],
)
def test_no_markup_is_left(text: str) -> None:
    assert plain(escaped(text)) == text


def test_what_is_no_markup_is_left_alone() -> None:
    assert escaped("layer_norm, R&D, 5 - 3, #1: 3. x") == "layer_norm, R&D, 5 - 3, #1: 3. x"


@given(st.text(alphabet="a` |\\", min_size=1, max_size=20).filter(str.strip))
def test_code_is_read_as_that_code(text: str) -> None:
    (child,) = parse_inline(f"x{code_span(text)}").tokens[1:]
    assert (child.type, child.content) == ("code_inline", " ".join(text.split()))


def test_no_code_at_all_is_nothing() -> None:
    assert code_span("") == ""


@given(st.text(alphabet="a`~ \n#", min_size=1, max_size=40).filter(str.strip))
def test_a_block_of_code_is_read_as_its_lines(text: str) -> None:
    (token,) = parse(code_block(text, "python")).tokens
    assert (token.type, token.info, token.content) == ("fence", "python", text.rstrip() + "\n")


@pytest.mark.parametrize("tex", ["x|y", r"\|x\|", r"\left|x\right|", "a\n  b"])
def test_a_formula_within_a_line_stays_in_the_cell_of_a_table(tex: str) -> None:
    row = cell(inline_maths(tex))
    parsed = parse(f"| a | b |\n| --- | --- |\n| {row} | c |")
    cells = [token.children or [] for token in parsed.tokens if token.type == "inline"][2:]
    assert [[child.type for child in one] for one in cells] == [["math_inline"], ["text"]]
    assert [formula.tex for formula in parsed.formulas] == [inline_maths(tex)[1:-1]]
    assert "|" not in inline_maths(tex)


def test_a_display_formula_has_no_blank_line() -> None:
    tex = "\\begin{aligned}\na\n\nb  \n\\end{aligned}"
    (formula,) = parse(display_maths(tex)).formulas
    assert formula.display
    assert formula.tex.split() == tex.split()


@pytest.mark.parametrize("text", ["a|b", "`a|b`", r"a \| b"])
def test_a_bar_ends_no_cell(text: str) -> None:
    parsed = parse(f"| a | b |\n| --- | --- |\n| {cell(text)} | c |")
    assert len([token for token in parsed.tokens if token.type == "td_open"]) == 2
    cells = [token for token in parsed.tokens if token.type == "inline"][2:]
    assert "|" in "".join(child.content for child in cells[0].children or ())


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("Plain *em* **strong** ~~s~~.", "Plain *em* **strong** ~~s~~."),
        ("A `code|x` and $x|y$.", r"A `code|x` and $x\vert y$."),
        (r"A \* star and a_b.", r"A \* star and a_b."),
        ("See [the *model*](../model.yml#a).", "See [the *model*](<../model.yml#a>)."),
        ("[a b](<x y>)", "[a b](<x%20y>)"),
        ("![alt](x.png)", "[alt](<x.png>)"),
        ("a\nb", "a b"),
    ],
)
def test_a_line_keeps_its_meaning_and_gets_its_links_replaced(markdown: str, expected: str) -> None:
    written = inline_markdown(parse_inline(markdown).tokens, lambda target: f"<{target}>")
    assert written == re.sub(r"<([^>]*)>", r"%3C\1%3E", expected)


@pytest.mark.parametrize("address", ["a b", "a(b)", "a<b>", "a)b", "é"])
def test_an_address_ends_where_it_ends(address: str) -> None:
    tokens = parse_inline(f"[x]({destination(address)})").tokens
    assert [token.type for token in tokens] == ["link_open", "text", "link_close"]


PROSE = """# A [page](a.md)

[b]: b.md "B"

Text [one](a.md#x) and ![two](<img/a.png> "T"), `[no](a.md)`, [ref][b], [web](https://example.org/a.md).

```
[no](a.md)
```

    [no](a.md)

$$
[no](a.md)
$$

| [cell](a.md) |
| --- |
| x |
"""


def test_only_links_of_prose_are_replaced() -> None:
    found = relinked(PROSE, lambda target: f"new/{target}" if "://" not in target else target)
    assert found == (
        PROSE.replace("A [page](a.md)", "A [page](new/a.md)")
        .replace("[b]: b.md", "[b]: new/b.md")
        .replace("(a.md#x)", "(new/a.md#x)")
        .replace("(<img/a.png> ", "(new/img/a.png ")
        .replace("[cell](a.md)", "[cell](new/a.md)")
    )


def test_destinations_are_replaced_however_they_are_written() -> None:
    line = "[a](<a b.md>) [b](b\\_b.md) [c](c(c).md) [d](d&amp;d.md) [e](\ne.md) [f](\n\nf.md)"
    found = relinked(f"{line}\n\n> [g](\n> g.md)\n\n[h]\n\n[h]:\n  h.md", lambda target: f"new/{target}")
    assert found == (
        "[a](new/a%20b.md) [b](new/b_b.md) [c](new/c%28c%29.md) [d](new/d&d.md) [e](\nnew/e.md) [f](\n\nf.md)"
        "\n\n> [g](\n> new/g.md)\n\n[h]\n\n[h]:\n  new/h.md"
    )
