"""Elements that do nothing go, and those by whose place KaTeX's style sheet finds what it moves stay."""

from __future__ import annotations

import re

import pytest

from atlas.node.assets import install_assets
from atlas.node.environment import prepare
from atlas.render.thin_spans import IDLE, thin_spans

BEGIN = '<span class="katex-html" aria-hidden="true">'


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ('<span class="mord">x</span>', "x"),
        ('<span class="mord mathnormal">x</span>', '<span class="mathnormal">x</span>'),
        ('<span class="mord" data-symbol="3"><span class="mord">x</span></span>', '<span data-symbol="3">x</span>'),
        ('<span class="mord" style="top:1em">x</span>', '<span style="top:1em">x</span>'),
        ('<span class="mopen nulldelimiter"></span>', '<span class="nulldelimiter"></span>'),
        ('<span class="vlist"><span></span></span>', '<span class="vlist"><span></span></span>'),
        (
            '<span style="top:1em"><span class="pstrut"></span><span class="mord">x</span></span>',
            '<span style="top:1em"><span class="pstrut"></span><span>x</span></span>',
        ),
    ],
)
def test_what_does_nothing_goes(given: str, wanted: str) -> None:
    after = '</p><span class="mord">no formula</span>'
    assert thin_spans(f"<p>{BEGIN}{given}</span>{after}") == f"<p>{BEGIN}{wanted}</span>{after}"
    assert thin_spans(given) == given


def test_no_style_sheet_knows_the_idle_classes(tmp_path, pytestconfig) -> None:  # type: ignore[no-untyped-def]
    sheets = [install_assets(prepare(), tmp_path)[0], *(pytestconfig.rootpath / "templates" / "css").glob("*.css")]
    known = {name for sheet in sheets for name in re.findall(r"\.([a-zA-Z][\w-]*)", sheet.read_text(encoding="utf-8"))}
    assert "mathnormal" in known
    assert known & IDLE == set()
