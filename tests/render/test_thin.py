"""One script needs no table, two do; nothing else changes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest

from atlas.node.environment import prepare
from atlas.node.process import Formula, NodeProcess
from atlas.render.thin import thin


@pytest.fixture(scope="module")
def node() -> Iterator[NodeProcess]:
    with NodeProcess(prepare()) as process:
        yield process


class Balance(HTMLParser):
    """Whether every element of a text is closed in its place."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.opened.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.opened.pop() == tag


def shown(html: str) -> str:
    return re.sub("<[^>]*>|\u200b", "", html)


@pytest.mark.parametrize(
    ("tex", "scripts", "tables"),
    [
        ("x", 0, 0),
        ("d_k", 1, 0),
        ("W^Q", 1, 0),
        ("x_{n+1}", 1, 0),
        ("W_i^Q", 0, 1),
        ("x_{a_b}", 0, 2),
        (r"\mathrm{head}_i = W_{ij} + b^{O}", 3, 0),
        (r"\frac{a_1}{b^2}", 2, 0),
    ],
)
def test_only_a_script_that_stands_alone_is_moved(node: NodeProcess, tex: str, scripts: int, tables: int) -> None:
    (result,) = node.typeset([Formula(tex, display=True)])
    html = str(result.html)
    made = thin(html)
    assert made.count('class="script"') == scripts
    assert made.count("msupsub") == tables
    assert shown(made) == shown(html)
    assert Balance(made).opened == []
    assert len(made) < len(html)
    assert thin(made) == made


def test_a_script_keeps_its_place_its_mark_and_what_is_in_it(node: NodeProcess) -> None:
    (result,) = node.typeset([Formula("W_k")])
    html = str(result.html)
    table = html[html.index('<span class="msupsub">') :]
    top = float(re.findall(r"top:(-[\d.]+)em", table)[0]) + float(
        re.findall(r'pstrut" style="height:([\d.]+)', table)[0]
    )
    left = float(re.findall(r"margin-left:(-[\d.]+)em", table)[0])
    made = thin(html.replace('size3 mtight"', 'size3 mtight" data-symbol="7"'))
    (style,) = re.findall(r'<span class="script" style="([^"]*)" data-symbol="7">', made)
    places = {name: float(value.removesuffix("em")) for name, value in (one.split(":") for one in style.split(";"))}
    assert places == pytest.approx({"top": top / 0.7, "margin-left": left / 0.7}, abs=1e-4)
    assert top > 0 > left


def test_damaged_html_stays_as_it_is(node: NodeProcess) -> None:
    (result,) = node.typeset([Formula("d_k")])
    cut = str(result.html)[: str(result.html).index("mtight") + 40]
    assert thin(cut) == cut.replace(';"', '"')
    assert thin('<p title=";">style="a;"</p>') == '<p title=";">style="a;"</p>'
