"""Symbols that are marked in formulas: which names are found, that nothing moves, and what is copied stays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from atlas.entries.atlas import Atlas
from atlas.entries.load import load
from atlas.exceptions import SizeError
from atlas.markup.symbol_marks import coloured, marked, names_of
from atlas.node.environment import prepare
from atlas.node.process import Formula, NodeProcess

ROOT = Path(__file__).parents[2]
VISIBLE = '<span class="katex-html"'


@pytest.fixture(scope="module")
def node() -> Iterator[NodeProcess]:
    with NodeProcess(prepare()) as process:
        yield process


@pytest.fixture(scope="module")
def atlas() -> Atlas:
    loaded, _ = load(ROOT, ROOT / "content", ROOT / "sources")
    return loaded


class Seen(HTMLParser):
    """Each character of a formula with all that is said of how it looks and where it stands."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.around: list[tuple[tuple[str, str | None], ...]] = []
        self.seen: list[tuple[str, tuple[tuple[tuple[str, str | None], ...], ...]]] = []
        self.feed(html.partition(VISIBLE)[2].partition(">")[2])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.around.append(tuple(one for one in attrs if one[0] != "data-symbol"))

    def handle_endtag(self, tag: str) -> None:
        del self.around[-1:]

    def handle_data(self, data: str) -> None:
        self.seen.extend((one, tuple(filter(None, self.around))) for one in data)


def marks(html: str) -> set[int]:
    return {int(number) for number in re.findall(r'data-symbol="(\d+)"', html)}


def test_every_formula_of_the_content_looks_the_same_with_marks(node: NodeProcess, atlas: Atlas) -> None:
    formulas = [marked(entry.data, one.data.dimensions) for one in atlas.collections.values() for entry in one.entries]
    plain = node.typeset(Formula(one.tex, one.display) for one in formulas)
    for formula, with_marks, without in zip(formulas, node.typeset(formulas), plain, strict=True):
        marked_html, html = str(with_marks.html), str(without.html)
        assert marks(marked_html), formula
        assert Seen(marked_html).seen == Seen(html).seen, formula
        assert marked_html.partition(VISIBLE)[0] == html.partition(VISIBLE)[0], formula  # MathML and TeX


def test_names_in_the_content_are_found(node: NodeProcess, atlas: Atlas) -> None:
    entry = next(one for one in atlas.entries if one.id == "gpt-2/decoder/self-attention")
    names = names_of(entry.data, atlas.collections["gpt-2"].data.dimensions)
    assert names[: len(entry.data.symbols)] == tuple(entry.data.symbols)
    assert set(names[len(entry.data.symbols) :]) <= set(atlas.collections["gpt-2"].data.dimensions)
    (result,) = node.typeset([marked(entry.data, atlas.collections["gpt-2"].data.dimensions)])
    assert marks(str(result.html)) >= set(range(len(entry.data.symbols)))


def test_a_size_that_cannot_be_read_is_told_by_whoever_asked(atlas: Atlas) -> None:
    entry = next(one for one in atlas.entries if one.data.symbols)
    name, symbol = next(iter(entry.data.symbols.items()))
    broken = entry.data.model_copy(update={"symbols": {name: symbol.model_copy(update={"axes": ("d+",)})}})
    with pytest.raises(SizeError):
        marked(broken, ("d",))


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
    assert coloured(tex, tuple(names)) == expected


def test_more_symbols_than_there_are_marks() -> None:
    symbols = tuple(f"x_{{{number}}}" for number in range(300))
    assert coloured("x_{299}", symbols) == "x_{299}"
    assert "#a71afe" in coloured("x_{254}", symbols)
