"""One script or two need no table, small struts nothing to hold open; what is seen and where stays as it was."""

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


def visible(html: str) -> list[str]:
    """The characters that are seen; two scripts of one letter may be told in another order."""
    return sorted(re.sub("<[^>]*>|\u200b", "", html.partition('class="katex-html"')[2]))


@pytest.mark.parametrize(
    ("tex", "scripts", "tables"),
    [
        ("x", 0, 0),
        ("d_k", 1, 0),
        ("W^Q", 1, 0),
        ("x_{n+1}", 1, 0),
        ("W_i^Q", 2, 0),
        ("x_{a_b}", 0, 2),
        ("x_{a_b}^c", 0, 2),
        (r"\mathrm{head}_i = W_{ij} + b^{O}", 3, 0),
        (r"\frac{a_1}{b^2}", 2, 0),
    ],
)
def test_only_plain_scripts_are_moved(node: NodeProcess, tex: str, scripts: int, tables: int) -> None:
    (result,) = node.typeset([Formula(tex, display=True)])
    html = str(result.html)
    made = thin(html)
    assert made.count('class="script"') == scripts
    assert made.count("msupsub") == tables
    assert visible(made) == visible(html)
    assert made.count('class="scripts"') == (scripts == 2 and tex == "W_i^Q")
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
    assert "katex-strut" not in made
    (style,) = re.findall(r'<span class="script" style="([^"]*)" data-symbol="7">', made)
    places = {name: float(value.removesuffix("em")) for name, value in (one.split(":") for one in style.split(";"))}
    assert places == pytest.approx({"top": top / 0.7, "margin-left": left / 0.7}, abs=6e-4)
    assert top > 0 > left


def test_two_scripts_stand_above_each_other_where_the_table_had_them(node: NodeProcess) -> None:
    (result,) = node.typeset([Formula("W_i^Q")])
    html = str(result.html)
    rows = re.findall(r'top:(-[\d.]+)em;[^"]*"><span class="pstrut" style="height:([\d.]+)em', html)
    wanted = [(float(top) + float(strut)) / 0.7 for top, strut in rows]
    made = thin(html)
    assert [float(top) for top in re.findall(r'class="script" style="top:(-?[\d.]+)em', made)] == pytest.approx(
        wanted, abs=6e-4
    )
    assert wanted[0] > 0 > wanted[1], "the lower one is first"


def test_a_letter_stands_alone_and_longer_formulas_are_not_broken(node: NodeProcess) -> None:
    letter, several, tall = (thin(str(one.html)) for one in node.typeset(map(Formula, ("d", "d+1", r"\dfrac{1}{2}"))))
    assert letter.partition("katex-html")[2] == '" aria-hidden="true"><span class="mathnormal">d</span></span></span>'
    assert several.count("katex-base") == 1
    assert 'class="medium"' in several
    assert "katex-strut" in tall, "it is higher than a line"


def test_the_sign_of_a_root_keeps_its_corners(node: NodeProcess) -> None:
    (result,) = node.typeset([Formula(r"\sqrt{d_k}")])
    before, after = (re.findall(r'<path d="([^"]*)"', html) for html in (str(result.html), thin(str(result.html))))
    assert len(before) == len(after) == 1
    assert len(after[0]) < len(before[0]) / 3
    assert "xmlns" not in thin(str(result.html)).partition("<svg")[2]


def test_damaged_html_stays_as_it_is(node: NodeProcess) -> None:
    (result,) = node.typeset([Formula("d_k")])
    cut = str(result.html)[: str(result.html).index("pstrut") + 40]
    assert "msupsub" in thin(cut)
    assert thin('<p title=";">style="a;"</p>') == '<p title=";">style="a;"</p>'
