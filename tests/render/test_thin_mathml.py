"""MathML that says the same with less; what could be meant otherwise stays."""

from __future__ import annotations

import pytest

from atlas.render.thin_mathml import thin_mathml

CELL = '<mtd><mstyle scriptlevel="0" displaystyle="true">{}</mstyle></mtd>'
TEX = '<annotation encoding="application/x-tex">{}</annotation>'


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (f"<semantics><mrow><mi>d</mi></mrow>{TEX.format('d')}</semantics>", "<mi>d</mi>"),
        (f"<semantics><mrow><mn>12</mn></mrow>{TEX.format('12')}</semantics>", "<mn>12</mn>"),
        ('<mo separator="true">,</mo>', "<mo>,</mo>"),
        ('<mo fence="true">(</mo>', "<mo>(</mo>"),
        (
            '<mrow><mi mathvariant="normal">h</mi><mi mathvariant="normal">d</mi></mrow>',
            "<mi>hd</mi>",
        ),
        (
            f"<semantics><mrow><msub><mi>d</mi><mi>k</mi></msub></mrow>{TEX.format('d_k')}</semantics>",
            f"<semantics><msub><mi>d</mi><mi>k</mi></msub>{TEX.format('d_k')}</semantics>",
        ),
        (
            f'<mtable rowspacing="0.25em" columnalign="right left"><mtr>{CELL.format("<mi>a</mi>")}</mtr></mtable>',
            '<mtable displaystyle="true"><mtr><mtd><mi>a</mi></mtd></mtr></mtable>',
        ),
    ],
)
def test_what_goes_without_saying_goes(given: str, wanted: str) -> None:
    assert thin_mathml(given) == wanted
    assert thin_mathml(wanted) == wanted


@pytest.mark.parametrize(
    "html",
    [
        rf"<semantics><mi>γ</mi>{TEX.format(chr(92) + 'gamma')}</semantics>",
        f"<semantics><mi>d</mi>{TEX.format('{d}')}</semantics>",
        '<mi mathvariant="normal">d</mi>',
        "<mrow><mi>a</mi><mi>b</mi></mrow>",
        "<mrow><mo>−</mo></mrow>",
        '<mo stretchy="false">(</mo>',
        '<mo fence="true"></mo>',
        '<mtable><mtr><mtd><mstyle scriptlevel="0" displaystyle="false">b</mstyle></mtd></mtr></mtable>',
        f"<mtable><mtr>{CELL.format('<mi>a</mi>')}<mtd><mi>b</mi></mtd></mtr></mtable>",
        "<p>(a, b)</p>",
    ],
)
def test_what_says_something_stays(html: str) -> None:
    assert thin_mathml(html) == html
