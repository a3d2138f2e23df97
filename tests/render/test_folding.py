"""Markdown has one blank line where templates leave several, also where texts are put between others."""

from __future__ import annotations

import pytest

from atlas.render.markdown_pages import folded, joined

CODE = "```\na\n\n\n\nb\n```"


def test_blank_lines_are_folded_but_in_code() -> None:
    assert folded(f"\n\n# A\n\n\n\nb\n{CODE}\n\n\n\n\nc\n\n") == f"# A\n\nb\n{CODE}\n\nc\n"


@pytest.mark.parametrize("text", ["", "\n\n", "\n\n## Also in\n\n\n\n- a\n\n", f"\n\n{CODE}\n\n\n", "a"])
@pytest.mark.parametrize("after", ["", "\n", "\n\nz\n", f"\n\n{CODE}\n"])
@pytest.mark.parametrize("before", ["", "a\n\n", f"{CODE}\n\n", "a"])
def test_what_is_put_between_folded_texts_is_folded_with_them(before: str, text: str, after: str) -> None:
    assert joined(before, text, after) == folded(f"{before}{text}{after}")
