r"""What Node writes of KaTeX's trees is what KaTeX's whole HTML gives without what is idle; nothing seen is lost."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from atlas.entries.load import load
from atlas.markup.symbol_marks import marked
from atlas.node.assets import install_assets
from atlas.node.environment import Environment
from atlas.node.outline_paths import with_straight_roots
from atlas.node.process import Formula, NodeProcess
from tests.node.string_route import IDLE, NAMESPACE, shown

ROOT = Path(__file__).parents[2]
MANY = r"""
\sqrt{d_k} + \sqrt[3]{x^2+y_2} + \sqrt{\dfrac{a}{b_{c_d}}}
\left(\frac{\sum_{i=1}^{n} x_i}{\prod_j y_j}\right)^{2} + \dfrac12 + \tfrac34
\mathrm{head}_i = \mathrm{softmax}(QK^\top/\sqrt{d_k}) \mathrm{d}x \mathrm{ab}\mathrm{c1} \operatorname{ReLU}(x)
\begin{cases} x & \text{if } x>0 \\ 0 & \text{otherwise}\end{cases}
\begin{aligned} a&=b\\ c&=\begin{cases} x & \text{if } x>0 \\ 0 & \text{else}\end{cases}\end{aligned}
\begin{bmatrix} a & b \\ c & d \end{bmatrix} \begin{smallmatrix} a & b \end{smallmatrix}
\left\{ \begin{array}{l|c} a & b \\ \hline c & d \end{array} \right. \left( a \middle| b \right)
\underbrace{a+b}_{n}+\overbrace{x_1+y}^{k} \widehat{xy}_i \hat{x} \overline{abc_d} \vec{v} \widetilde{xyz_p}
\text{if } x \text{ is 3em wide} \textbf{bold} \textit{it} \text{日本 é ñ} \text{a < b \& c's "d"}
\lim_{x\to 0} \frac{\sin x}{x} \int_0^1 f\,dx \quad \iint_D \qquad \oiint_a^b x
\mathop{\mathrm{argmax}}\limits_{\theta} f
x' + y'' + f'(x)^2 x^\dagger_i {}^2 x {}_3 {} x_{a_b}^{c^d} x_{\mathrm{out}} W_{\text{query}}^{(h)}
\mathbb{R}^{n\times m} \mathcal{L} \mathbf{W}^{(l)} \boldsymbol{\theta} \mathfrak{g} \mathsf{A}
\textcolor{red}{x_i^2 + \sqrt{y}} \colorbox{yellow}{$x_i$} \fcolorbox{red}{blue}{a} \boxed{x_1} {\color{blue} a + b} c
a \not= b \neq c \notin D \bmod b \pmod{c} 1{,}024 \times 34 = 34816
\rule{1em}{2em} \kern 0.5em x \hspace{2em} y \raisebox{0.3em}{x} \phantom{x} \smash{z}
\kern -0.0625em \raisebox{0.1875em}{y}
\tag{1} x = y
x \\ y \\[1em] z
\big( \Big[ \bigg\{ \Bigg| x \Bigg| \binom{n}{k} \genfrac{[}{]}{0pt}{1}{a}{b} \lfloor y_{\lfloor z\rfloor} \rceil
\xrightarrow[a]{bcd} \cancel{x} \xcancel{z} \text{\sout{q}} \overset{a}{b} \underset{c}{d} \stackrel{e}{f}
\phase{3} \angl n
\def\f#1{#1_{#1}}\f{x}\f{y} \verb|a b| \tiny x_i \Huge y^2 \scriptstyle x_i \displaystyle \sum_i
\sum_{\substack{i=1\\j=2}}^{n} a_{ij} \mathchoice{a}{b}{c}{d}
""".strip().splitlines()
REFUSED = r"""
x^a^b
\undefined x
\href{https://example.org}{z}
\text{#fe0e1d}
\textcolor{#fe0e1d}{x}
\kern -15em x \kern -15em y \kern -15em z
\def\x{45}\raisebox{\x em}{x}
\def\x{1000}\text{\x em}
\middle|
""".strip().splitlines()


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


def both(node: NodeProcess, formula: Formula) -> tuple[str, str]:
    """What is shown of a formula, and all that KaTeX makes of it."""
    ((made,), (whole,)) = (node.typeset([formula], whole=one) for one in (False, True))
    assert made.html is not None, made.error
    assert whole.html is not None, whole.error
    return str(made.html), str(whole.html)


def visible(html: str) -> list[str]:
    """The characters that are seen; two scripts of one letter may be told in another order."""
    return sorted(re.sub("<[^>]*>|\u200b", "", html.partition('class="katex-html"')[2]))


def test_every_formula_of_the_content_is_shown_as_its_whole_html_says(node: NodeProcess) -> None:
    atlas, _ = load(ROOT, ROOT / "content", ROOT / "sources")
    plain = [Formula(name) for entry in atlas.entries for name in entry.data.symbols]
    with_marks = [
        marked(entry.data, one.data.dimensions) for one in atlas.collections.values() for entry in one.entries
    ]
    assert sum(bool(one.coloured) for one in with_marks) > len(with_marks) / 2
    formulas = list(dict.fromkeys([*plain, *with_marks]))
    whole = node.typeset((Formula(one.tex, one.display) for one in formulas), whole=True)
    coloured = node.typeset((Formula(one.coloured, one.display) for one in formulas), whole=True)
    made = node.typeset(formulas)
    for formula, one, plain_html, with_colours in zip(formulas, made, whole, coloured, strict=True):
        wanted = shown(str(plain_html.html), str(with_colours.html or "") if formula.coloured else "")
        assert one.html == with_straight_roots(wanted), formula
        assert bool(formula.coloured) == ("data-symbol" in (one.html or "")), formula


@pytest.mark.parametrize("display", [False, True])
@pytest.mark.parametrize("tex", MANY)
def test_whatever_katex_makes_is_shown_as_its_whole_html_says(node: NodeProcess, tex: str, display: bool) -> None:
    if tex.startswith(r"\tag") and not display:
        tex = tex.removeprefix(r"\tag{1}")
    made, whole = both(node, Formula(tex, display))
    assert made == shown(whole)
    assert visible(made) == visible(whole)
    assert Balance(made).opened == []
    assert len(made) < len(whole)


@pytest.mark.parametrize("tex", REFUSED)
def test_what_is_refused_is_refused_alike_with_marks_and_whole(node: NodeProcess, tex: str) -> None:
    whole, plain, with_marks = (
        node.typeset([Formula(tex, True, coloured)], whole=whole)[0]
        for coloured, whole in (("", True), ("", False), (rf"\textcolor{{#a71a00}}{{{tex}}}", False))
    )
    assert whole.html is plain.html is with_marks.html is None
    assert whole.error
    assert (whole.error, whole.position) == (plain.error, plain.position) == (with_marks.error, with_marks.position)


@pytest.mark.parametrize(
    ("tex", "coloured"),
    [
        ("x+y", r"\textcolor{#a71a00}{z}+y"),  # it does not show the same
        ("x+y", r"\textcolor{#a71a00}{x}^a^b"),  # it cannot be displayed
        ("x", r"\colorbox{#a71a00}{$x$}"),  # the colour is not that of a letter
        ("x", r"\textcolor{#a71a00}{x" + "}" * 9),
    ],
)
def test_what_cannot_be_marked_is_shown_as_it_is(node: NodeProcess, tex: str, coloured: str) -> None:
    made, plain = node.typeset([Formula(tex, True, coloured), Formula(tex, True)])
    assert made.html == plain.html


def test_marks_stand_where_their_colours_are_and_none_within_one_of_the_same(node: NodeProcess) -> None:
    coloured = r"\textcolor{#a71a03}{x_{\textcolor{#a71aff}{\textcolor{#a71a03}{i}\textcolor{#a71a04}{j}}}} + x"
    made, _ = both(node, Formula("x_{ij} + x", True, coloured))
    assert re.findall(r'data-symbol="(\d+)">([^<]*)<', made) == [("3", ""), ("4", "j")]
    assert '<span data-symbol="3"><span class="mathnormal">x</span><span class="script"' in made
    assert "#a71a" not in made


def test_colours_that_are_no_marks_stay(node: NodeProcess) -> None:
    made, _ = both(node, Formula(r"\textcolor{#a71a03}{x}", True))
    assert 'style="color:#a71a03"' in made
    assert "data-symbol" not in made


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
    made, _ = both(node, Formula(tex, display=True))
    assert made.count('class="script"') == scripts
    assert made.count("msupsub") == tables
    assert made.count('class="scripts"') == (scripts == 2 and tex == "W_i^Q")


def test_a_script_keeps_its_place_and_its_mark(node: NodeProcess) -> None:
    made, whole = both(node, Formula("W_k", True, r"\textcolor{#a71a07}{W_k}"))
    table = whole[whole.index('<span class="msupsub">') :]
    top = float(re.findall(r"top:(-[\d.]+)em", table)[0]) + float(
        re.findall(r'pstrut" style="height:([\d.]+)', table)[0]
    )
    left = float(re.findall(r"margin-left:(-[\d.]+)em", table)[0])
    assert "katex-strut" not in made
    (style,) = re.findall(r'<span class="script" style="([^"]*)"', made)
    places = {name: float(value.removesuffix("em")) for name, value in (one.split(":") for one in style.split(";"))}
    assert places == pytest.approx({"top": top / 0.7, "margin-left": left / 0.7}, abs=6e-4)
    assert top > 0 > left
    assert 'data-symbol="7"' in made


def test_two_scripts_stand_above_each_other_where_the_table_had_them(node: NodeProcess) -> None:
    made, whole = both(node, Formula("W_i^Q"))
    rows = re.findall(r'top:(-[\d.]+)em;[^"]*"><span class="pstrut" style="height:([\d.]+)em', whole)
    wanted = [(float(top) + float(strut)) / 0.7 for top, strut in rows]
    found = [float(top) for top in re.findall(r'class="script" style="top:(-?[\d.]+)em', made)]
    assert found == pytest.approx(wanted, abs=6e-4)
    assert wanted[0] > 0 > wanted[1], "the lower one is first"


def test_a_letter_stands_alone_and_longer_formulas_are_not_broken(node: NodeProcess) -> None:
    letter, several, tall = (str(one.html) for one in node.typeset(map(Formula, ("d", "d+1", r"\dfrac{1}{2}"))))
    assert letter.partition("katex-html")[2] == '" aria-hidden="true"><span class="mathnormal">d</span></span></span>'
    assert several.count("katex-base") == 1
    assert 'class="medium"' in several
    assert "katex-strut" in tall, "it is higher than a line"


def test_the_sign_of_a_root_keeps_its_corners(node: NodeProcess) -> None:
    after, before = (re.findall(r'<path d="([^"]*)"', html) for html in both(node, Formula(r"\sqrt{d_k}")))
    assert len(before) == len(after) == 1
    assert len(after[0]) < len(before[0]) / 3
    assert "xmlns" not in both(node, Formula(r"\sqrt{d_k}"))[0]


@pytest.mark.parametrize(
    ("tex", "wanted"),
    [
        ("d", "<math><mi>d</mi></math>"),
        ("12", "<math><mn>12</mn></math>"),
        ("a,b", "<mi>a</mi><mo>,</mo><mi>b</mi>"),
        (r"\left(x\right)", "<mo>(</mo><mi>x</mi><mo>)</mo>"),
        (r"{\mathrm{hd}}", "<mi>hd</mi>"),
        ("d_k", "<semantics><msub><mi>d</mi><mi>k</mi></msub><annotation"),
        (
            r"\begin{aligned} a & b \end{aligned}",
            '<mtable displaystyle="true"><mtr><mtd><mi>a</mi></mtd><mtd><mrow><mrow></mrow><mi>b</mi></mrow></mtd>',
        ),
        (r"\gamma", "<semantics><mi>γ</mi><annotation"),
        ("{d}", "<annotation"),
        (r"\mathrm{d}", '<mi mathvariant="normal">d</mi>'),
        ("ab", "<mrow><mi>a</mi><mi>b</mi></mrow>"),
        ("(", '<mo stretchy="false">(</mo>'),
        (r"\begin{matrix} a \end{matrix}", '<mstyle scriptlevel="0" displaystyle="false">'),
    ],
)
def test_mathml_says_the_same_with_less(node: NodeProcess, tex: str, wanted: str) -> None:
    made, whole = both(node, Formula(tex))
    assert wanted in made
    assert NAMESPACE in whole
    assert NAMESPACE not in made


def test_no_style_sheet_knows_the_idle_classes(environment: Environment, tmp_path: Path) -> None:
    sheets = [install_assets(environment, tmp_path)[0], *(ROOT / "templates" / "css").glob("*.css")]
    known = {name for sheet in sheets for name in re.findall(r"\.([a-zA-Z][\w-]*)", sheet.read_text(encoding="utf-8"))}
    assert "mathnormal" in known
    assert known & IDLE == set()
