"""Markup that is not understood is found where it is written, and what only looks like it is not."""

from __future__ import annotations

import pytest

from atlas.markup.prose import parse
from atlas.markup.unknown import unknown


def told(markdown: str) -> list[tuple[int, int, str, str]]:
    """Line, column, what it is and how it is written."""
    return [
        (
            markdown.count("\n", 0, one.start) + 1,
            one.start - markdown.rfind("\n", 0, one.start),
            one.what,
            one.written,
        )
        for one in unknown(markdown)
    ]


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("a\n\n<!-- one\ntwo -->\n\nb", [(3, 1, "a comment of HTML", "<!-- one")]),
        ("a <!-- x --> b", [(1, 3, "a comment of HTML", "<!-- x -->")]),
        ("<details>\n<summary>x</summary>\n\ny\n\n</details>", [(1, 1, "raw HTML", "<details>")]),
        ("x\n`<sub>` H<sub>2</sub>O", [(2, 10, "raw HTML", "<sub>")]),
        ("a <b>x</b> <b>y</b>", [(1, 3, "raw HTML", "<b>"), (1, 12, "raw HTML", "<b>")]),
        ("ends </i>", [(1, 6, "raw HTML", "</i>")]),
        ('> - <img src="x.png">', [(1, 5, "raw HTML", '<img src="x.png">')]),
        ("| a |\n| - |\n| `<br>` <br> |", [(3, 10, "raw HTML", "<br>")]),
        ("!!! note\n    x", [(1, 1, "an admonition", "!!! note")]),
        ('??? tip "T"\n    x', [(1, 1, "an admonition", '??? tip "T"')]),
        ("a\n\n::: warning\nx\n:::", [(3, 1, "a container", "::: warning")]),
        ("> [!NOTE]\n> x", [(1, 3, "an alert", "[!NOTE]")]),
        ('=== "Tab"', [(1, 1, "a tab", '=== "Tab"')]),
        ("[TOC]", [(1, 1, "a table of contents", "[TOC]")]),
        ("# Title {#own}", [(1, 9, "a list of attributes", "{#own}")]),
        ("text\n{: .wide }", [(2, 1, "a list of attributes", "{: .wide }")]),
        ("- [ ] a\n- [x] b", [(1, 3, "a task of a list", "[ ]"), (2, 3, "a task of a list", "[x]")]),
        ("Term\n: what it is", [(2, 1, "a definition", ": what it is")]),
        ("a[^1] b\n\n[^1]: A note.", [(1, 2, "a footnote", "[^1]"), (3, 1, "a footnote", "[^1]:")]),
        ("a[^n]\n\n[^N]: one", [(3, 1, "a footnote", "[^n]:")]),
    ],
)
def test_it_is_found_where_it_is_written(markdown: str, expected: list[tuple[int, int, str, str]]) -> None:
    assert told(markdown) == expected


@pytest.mark.parametrize(
    "markdown",
    [
        "a < b, c <d, $a<b>c$ and x<3",
        "\\<b> &lt;i> <https://example.org> <mail@example.org>",
        "`<b>` and ``<!-- x -->``",
        "```html\n<div>\n!!! note\n- [ ] x\n[^1]\n```",
        "    <div>\n    !!! note",
        "- [x](y.md) [x] \\[^1] `[^1]` $x[^1]$",
        "What!!! Why??? 1 ::: 2 {x} [a]: b",
        "$$\n<b>\n$$",
        "## {x}\n\ntime 12: 30",
    ],
)
def test_what_only_looks_like_it_is_none(markdown: str) -> None:
    assert told(markdown) == []


def test_pages_still_show_it_as_text() -> None:
    assert "&lt;b&gt;x&lt;/b&gt;" in parse("a <b>x</b>").render_plain()
