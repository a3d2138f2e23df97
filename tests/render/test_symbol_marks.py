"""Symbols that are marked in formulas: which names are found, that nothing moves, and what is copied stays."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from atlas.entries.load import load
from atlas.node.environment import prepare
from atlas.node.process import NodeProcess
from atlas.render.deferred import Maths, Typesetting
from atlas.render.symbol_marks import MarkedMaths, coloured, marked, marked_html

ROOT = Path(__file__).parents[2]
MERGED = re.compile(r'(<span class="[^"]*">)([^<]*)</span>\1')
WRAPPED = re.compile(
    r'<span class="mord mtight">(<span class="mord(?: mathnormal)? mtight"(?: style="[^"]*")?>[^<]*</span>)</span>'
)
"""What braces around a single letter of a script add: a box of the same size."""


@pytest.fixture(scope="module")
def node() -> Iterator[NodeProcess]:
    with NodeProcess(prepare()) as process:
        yield process


def typeset(node: NodeProcess, formulas: Mapping[str, tuple[str, Mapping[str, int]]]) -> dict[str, tuple[str, str]]:
    """For each formula its whole HTML with marks and without."""
    typesetting = Typesetting()
    made = {name: marked(tex, symbols, typesetting) for name, (tex, symbols) in formulas.items()}
    typesetting.take(node.typeset(typesetting.waiting))
    plain = {name: one.plain if isinstance(one, MarkedMaths) else one for name, one in made.items()}
    html = {name: str(typesetting.html(one.formula)) for name, one in plain.items()}
    marked_up = {name: one.whole() for name, one in made.items() if isinstance(one, MarkedMaths)}
    return {name: (marked_up.get(name, html[name]), html[name]) for name in made}


def simplified(html: str) -> str:
    """Without marks, with neighbours that are styled alike in one element."""
    html, last = re.sub(r' data-symbol="\d+"', "", html), ""
    while html != last:
        last = html
        html = WRAPPED.sub(r"\1", MERGED.sub(r"\1\2", html))
    return html


def marks(html: str) -> set[int]:
    return {int(number) for number in re.findall(r'data-symbol="(\d+)"', html)}


def test_every_formula_of_the_content_looks_the_same_with_marks(node: NodeProcess) -> None:
    atlas, _ = load(ROOT, ROOT / "content", ROOT / "sources")
    symbols = {entry.id: {name: number for number, name in enumerate(entry.data.symbols)} for entry in atlas.entries}
    made = typeset(node, {entry.id: (entry.data.formula, symbols[entry.id]) for entry in atlas.entries})
    for name, (with_marks, plain) in made.items():
        assert with_marks != plain, name
        assert simplified(with_marks) == simplified(plain), name
        assert marks(with_marks), name
        assert with_marks.partition("katex-html")[0] == plain.partition("katex-html")[0], name  # MathML and TeX


def test_names_in_the_content_are_found(node: NodeProcess) -> None:
    atlas, _ = load(ROOT, ROOT / "content", ROOT / "sources")
    entry = next(one for one in atlas.entries if one.id == "gpt-2/decoder/self-attention")
    symbols = {name: number for number, name in enumerate(entry.data.symbols)}
    ((html, _),) = typeset(node, {"one": (entry.data.formula, symbols)}).values()
    assert marks(html) == set(symbols.values())


@pytest.mark.parametrize(
    ("tex", "names", "expected"),
    [
        ("y = x", ["x"], r"y = \textcolor{#a71a00}{x}"),
        (r"\gamma_2 x", [r"\gamma_{2}"], r"\textcolor{#a71a00}{\gamma_2} x"),
        ("x_{i}", ["x"], r"\textcolor{#a71a00}{x_{\textcolor{#a71aff}{i}}}"),
        ("x_i^2", ["x"], r"\textcolor{#a71a00}{x_{\textcolor{#a71aff}{i}}^{\textcolor{#a71aff}{2}}}"),
        ("W_i^Q", ["W^Q"], r"\textcolor{#a71a00}{W_{\textcolor{#a71aff}{i}}^Q}"),
        ("W^Q_i", ["W^Q"], r"\textcolor{#a71a00}{W^Q_{\textcolor{#a71aff}{i}}}"),
        ("W_i^Q", ["W"], r"\textcolor{#a71a00}{W_{\textcolor{#a71aff}{i}}^{\textcolor{#a71aff}{Q}}}"),
        ("x_d", ["x", "d"], r"\textcolor{#a71a00}{x_{\textcolor{#a71aff}{\textcolor{#a71a01}{d}}}}"),
        ("z_d", ["d"], r"z_{\textcolor{#a71a00}{d}}"),
        (r"\frac1d", ["d"], r"\frac1{\textcolor{#a71a00}{d}}"),
        (r"\frac{1}{d}", ["d"], r"\frac{1}{\textcolor{#a71a00}{d}}"),
        (r"\mathrm{head}_i", ["i"], r"\mathrm{head}_{\textcolor{#a71a00}{i}}"),
        ("x", ["y"], "x"),
        (r"\unknown{x}", ["x"], r"\unknown{x}"),
        (r"\textcolor{#a71a01}{x}", ["x"], r"\textcolor{#a71a01}{x}"),
    ],
)
def test_what_is_coloured(tex: str, names: list[str], expected: str) -> None:
    assert coloured(tex, {name: number for number, name in enumerate(names)}) == expected


def test_more_symbols_than_there_are_marks(node: NodeProcess) -> None:
    symbols = {f"x_{{{number}}}": number for number in range(300)}
    assert coloured("x_{299}", symbols) == "x_{299}"
    assert "#a71afe" in coloured("x_{254}", symbols)


def test_what_does_not_show_the_same_is_not_used() -> None:
    plain = '<math/><span class="katex-html" aria-hidden="true"><span>x</span></span>'
    good = '<math/><span class="katex-html" aria-hidden="true"><span style="color:#a71a03;">x</span></span>'
    assert marked_html(plain, good) == plain.replace("<span>x", '<span data-symbol="3">x')
    assert marked_html(plain, good.replace(">x<", ">y<")) == plain
    assert marked_html(plain, good.replace("color:#", "border-color:#")) == plain
    assert marked_html(plain, "") == plain


def test_what_stands_within_a_mark_is_not_marked_again() -> None:
    def spans(*colours: str) -> str:
        return "".join(f'<span style="color:#a71a{one};">' for one in colours)

    frame = '<span class="katex-html" aria-hidden="true">{}x</span></span><span>{}y</span>{}z</span></span></span>'
    plain = frame.format("<span>", "", "<span>")
    made = marked_html(plain, frame.format(spans("03", "03", "04"), spans("03"), spans("04")))
    assert [tag for tag in made.split("<") if "data-symbol" in tag] == [
        'span data-symbol="3">',
        'span data-symbol="4">x',
        'span data-symbol="4">z',
    ]


def test_a_formula_that_katex_refuses_with_colours_stays_plain(node: NodeProcess) -> None:
    typesetting = Typesetting()
    plain = typesetting.maths("x", display=True)
    made = MarkedMaths(plain, typesetting.attempt(r"\refused{x}", display=True))
    typesetting.take(node.typeset(typesetting.waiting))
    assert made.__html__() == plain.__html__()
    assert isinstance(plain, Maths)
