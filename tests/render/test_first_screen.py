"""Where a page is cut, so that its beginning is drawn before the large style sheet is there."""

from __future__ import annotations

import pytest

from atlas.render.first_screen import first_screen

MASTHEAD = '<nav>Place</nav><header class="masthead"><h1>Title</h1></header>'
FORMULA = '<span class="katex"><span class="katex-html">x</span></span>'


def test_the_cut_is_after_the_masthead() -> None:
    rest = f"<div>{FORMULA}</div><header>another</header>"
    assert first_screen(MASTHEAD + rest) == (MASTHEAD, rest)


@pytest.mark.parametrize("html", [MASTHEAD.replace("Title", FORMULA) + "<p>rest</p>", "<h1>No masthead</h1>", ""])
def test_what_needs_the_large_sheet_from_its_beginning_is_not_cut(html: str) -> None:
    assert first_screen(html) == ("", html)
