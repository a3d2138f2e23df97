"""What only a browser can show: pages load from their own origin alone, fit every screen, and need no script."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from playwright.sync_api import TimeoutError as Late

Opener = Callable[..., Any]

PAGES = {
    "home": "/",
    "model": "/transformer/",
    "decoder": "/gpt-2/",
    "experts": "/mixtral/",
    "images": "/resnet/",
    "model component": "/transformer/encoder/ffn-layer-norm/",
    "library": "/chainer/",
    "library layer": "/chainer/layer-normalization/",
    "operators": "/operators/",
    "operator": "/operators/layer-norm/",
    "sources": "/sources/",
    "source": "/sources/tensor2tensor/",
    "source file": "/sources/tensor2tensor/tensor2tensor/models/common_layers.py/",
    "glossary": "/glossary/",
    "data": "/data/",
    "verification": "/verification/",
    "compare": "/compare/",
    "index": "/a-z/",
    "issue codes": "/contribute/issue-codes/",
    "contribute": "/contribute/",
    "guide": "/contribute/proofs/",
    "prose": "/formula-language/",
    "search": "/search/",
    "not found": "/404.html",
}
FORMULAS = ("model component", "library layer")
WIDTHS = (320, 390, 768, 1440)
WITHOUT_A_DRAWER = 961
"""From this width the contents of a page stand beside it."""

every_page = pytest.mark.parametrize(
    "path", PAGES.values(), ids=[name.replace(" ", "-") for name in PAGES], scope="module"
)
formula_pages = pytest.mark.parametrize("path", [PAGES[name] for name in FORMULAS])

WIDER_THAN_THE_SCREEN = """() => {
    const width = document.documentElement.clientWidth;
    if (document.scrollingElement.scrollWidth <= width) return [];
    const wide = [...document.body.querySelectorAll('*')].filter(e => e.getBoundingClientRect().right > width + 0.5);
    return ['the page', ...wide.slice(0, 5).map(e => e.tagName.toLowerCase() + '.' + e.getAttribute('class'))];
}"""

UNFOLD = "() => document.querySelectorAll('details').forEach(e => { e.open = true })"

SAID = """() => {
    // Scripts may add controls and a comparison, and no other text; what is folded or hidden counts too.
    const main = document.querySelector('main').cloneNode(true);
    main.querySelectorAll('button, [data-comparison]').forEach(e => e.remove());
    main.querySelectorAll('button, .tex').forEach(e => e.remove());
    return main.textContent.split(/\\s+/).filter(Boolean);
}"""

BRIGHTEST_OF_THE_BACKGROUND = """() => {
    const pixel = new OffscreenCanvas(1, 1).getContext('2d');
    for (const element of [document.documentElement, document.body]) {
        pixel.fillStyle = getComputedStyle(element).backgroundColor;
        pixel.fillRect(0, 0, 1, 1);
    }
    return Math.max(...[...pixel.getImageData(0, 0, 1, 1).data].slice(0, 3));
}"""

HARD_TO_READ = """() => {
    const pixel = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
    const paint = colours => {
        pixel.clearRect(0, 0, 1, 1);
        for (const colour of colours) { pixel.fillStyle = colour; pixel.fillRect(0, 0, 1, 1); }
        return [...pixel.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const light = rgb => {
        const [r, g, b] = rgb.map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const found = new Map();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const text = texts.currentNode.data.trim(), element = texts.currentNode.parentElement;
        if (!text || !element.checkVisibility({visibilityProperty: true})) continue;
        const box = element.getBoundingClientRect();
        if (box.width < 2 || box.height < 2 || element.closest('.katex-mathml, script, style')) continue;
        const layers = [];
        for (let e = element; e; e = e.parentElement) layers.unshift(getComputedStyle(e).backgroundColor);
        const style = getComputedStyle(element), size = parseFloat(style.fontSize);
        const below = ['Canvas', ...layers];
        const [dark, bright] = [light(paint(below)), light(paint([...below, style.color]))].sort((a, b) => a - b);
        const contrast = (bright + 0.05) / (dark + 0.05);
        const large = size >= 24 || size >= 18.66 && style.fontWeight >= 700;
        const name = `${element.tagName.toLowerCase()}.${element.className}`;
        if (contrast < (large ? 3 : 4.5)) found.set(`${name} ${contrast.toFixed(2)}`, text.slice(0, 40));
    }
    return [...found].map(([where, text]) => `${where}: ${text}`);
}"""


def settled(page: Page, faults: str, when: str) -> None:
    """Wait until a script that lists faults finds none; after a change of the screen the page may lag behind."""
    try:
        page.wait_for_function(f"() => ({faults})().length === 0", timeout=10_000)
    except Late:
        assert page.evaluate(faults) == [], when


@every_page
def test_a_page_loads_from_its_own_origin_without_a_complaint(kept_visit: Opener, path: str) -> None:
    seen = kept_visit(path)
    assert seen.status == HTTPStatus.OK
    assert seen.foreign == []
    assert seen.complaints == []
    assert seen.page.locator("h1").count() == 1
    assert seen.page.title().strip()


@every_page
def test_a_page_never_scrolls_sideways(kept_visit: Opener, path: str) -> None:
    page = kept_visit(path).page
    for unfold in (False, True):
        if unfold:
            page.evaluate(UNFOLD)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            settled(page, WIDER_THAN_THE_SCREEN, f"at {width} px")


LENGTHENED = """([selector, word]) => {
    // What authors write freely: the first text of each place, wherever it stands on this page.
    const places = [...document.querySelectorAll(selector)].filter(e => e.closest('main, .site-nav, .toc'));
    for (const place of places) {
        const texts = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) {
            const around = texts.currentNode.parentElement;
            if (!texts.currentNode.data.trim() || around.closest('.katex, svg, .status')) continue;
            texts.currentNode.data += ` ${word}`;
            break;
        }
    }
    return places.length;
}"""
WRITTEN = ", ".join(
    (
        "h1, h2, h3, .structure a, .toc a, .cards a, .site-nav a, .breadcrumb a, nav.neighbours a, th, td, caption",
        ".summary, .note, .statement, .where, .cards p, .cards dd, main p, main li, main dd, main dt, summary",
    )
)
"""Where a word may stand that is longer than any line."""


@every_page
def test_a_word_of_two_hundred_letters_breaks_no_page(visit: Opener, path: str) -> None:
    page = visit(path).page
    page.evaluate(UNFOLD)
    assert page.evaluate(LENGTHENED, [WRITTEN, "Donaudampfschifffahrt" * 9 + "Donaudampfs"]) > 1
    for width in (320, 768, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        settled(page, WIDER_THAN_THE_SCREEN, f"at {width} px")


@every_page
def test_every_text_stands_out_from_its_background(kept_visit: Opener, path: str) -> None:
    page = kept_visit(path).page
    page.evaluate(UNFOLD)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        settled(page, HARD_TO_READ, scheme)


WITHOUT_TEX = r"""() => [...document.querySelectorAll('.katex')].filter(e => !e.querySelector('annotation')
    && !/^([A-Za-z]|\d+)$/.test(e.querySelector('math > :is(mi, mn):only-child')?.textContent ?? '')
).map(e => e.innerHTML)"""
"""Formulas that say their TeX nowhere; that of a letter or number is what it is."""


@every_page
def test_the_page_is_dark_where_the_reader_wants_it_dark(kept_visit: Opener, path: str) -> None:
    page = kept_visit(path).page
    page.emulate_media(color_scheme="light")
    page.wait_for_function(f"() => ({BRIGHTEST_OF_THE_BACKGROUND})() > 230")
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"() => ({BRIGHTEST_OF_THE_BACKGROUND})() < 60")


@formula_pages
def test_formulas_are_typeset_with_their_fonts_and_for_screen_readers(visit: Opener, path: str) -> None:
    page = visit(path).page
    assert page.locator(".katex .katex-html").count() > 0
    assert page.locator(".katex-error").count() == 0
    assert page.evaluate(WITHOUT_TEX) == []
    fonts = page.evaluate(
        "() => [...document.fonts].filter(f => f.family.includes('KaTeX')).map(f => `${f.family} ${f.status}`)"
    )
    assert any(font.endswith(" loaded") for font in fonts)
    assert not [font for font in fonts if font.endswith(" error")]


@every_page
def test_a_page_says_the_same_without_scripts(kept_visit: Opener, visit: Opener, path: str) -> None:
    with_scripts, without = kept_visit(path), visit(path, scripts=False)
    assert without.complaints == []
    expect(without.page.locator("main h1")).to_be_visible()
    said = without.page.evaluate(SAID)
    assert len(said) > 10
    assert said == with_scripts.page.evaluate(SAID)


@formula_pages
def test_formulas_and_excerpts_can_be_read_without_scripts(visit: Opener, path: str) -> None:
    page = visit(path, scripts=False).page
    expect(page.locator("main .katex-html").first).to_be_visible()
    folded = page.locator("main details", has=page.locator(".code")).first
    code = folded.locator(".code").first
    expect(code).to_be_hidden()
    folded.locator("summary").first.click()
    expect(code).to_be_visible()


def test_an_unknown_address_gets_a_whole_page_with_a_way_home(visit: Opener, base_url: str) -> None:
    seen = visit("/transformer/no-such-thing/at-all/")
    assert seen.status == HTTPStatus.NOT_FOUND
    assert [complaint for complaint in seen.complaints if "no-such-thing" not in complaint] == []
    seen.page.locator("main").get_by_role("link", name="The home page").click()
    seen.page.wait_for_url(f"{base_url}/", wait_until="load")
    expect(seen.page.locator("h1")).to_have_count(1)


@pytest.mark.parametrize("width", [390, 1000, 1440])
def test_the_contents_of_a_page_lead_to_its_headings(visit: Opener, width: int) -> None:
    page = visit(PAGES["model component"]).page
    page.set_viewport_size({"width": width, "height": 900})
    link = page.locator(".toc a", has_text="transformer.py")
    if width < WITHOUT_A_DRAWER:
        expect(link).to_be_hidden()
        page.locator(".drawer > summary").click()
    expect(link).to_be_visible()
    link.click()
    expect(page.locator("#excerpt-residual-fn")).to_be_in_viewport()


@every_page
def test_a_page_has_few_landmarks(kept_visit: Opener, path: str) -> None:
    page = kept_visit(path).page
    found = page.locator("nav, main, header.top, footer.bottom, aside, [role=region], section[aria-label]").count()
    assert found <= 7
