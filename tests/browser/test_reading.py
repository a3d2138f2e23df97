"""Copying, printing and the reader's own settings."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

Opener = Callable[..., Any]

COMPONENT = "/transformer/encoder/ffn-layer-norm/"
TEX = r"\varepsilon &= 10^{-6}"

COPY = """selector => {
    const range = document.createRange(), selection = getSelection();
    range.selectNodeContents(document.querySelector(selector));
    selection.removeAllRanges();
    selection.addRange(range);
    const data = new DataTransfer();
    document.querySelector(selector).dispatchEvent(
        new ClipboardEvent('copy', {clipboardData: data, bubbles: true, cancelable: true}));
    return data.getData('text/plain');
}"""


COLUMNS = """() => new Set(['.site-nav', 'main', '.toc'].map(one => document.querySelector(one))
    .filter(e => e.checkVisibility({visibilityProperty: true}) && e.getBoundingClientRect().width > 0)
    .map(e => Math.round(e.getBoundingClientRect().x))).size"""


def test_copied_maths_is_tex(visit: Opener) -> None:
    page = visit(COMPONENT).page
    copied = page.evaluate(COPY, ".formula .katex-display").strip()
    assert copied.startswith("$$\\begin{aligned}")
    assert copied.endswith("\\end{aligned}$$")
    assert TEX in copied
    within = page.evaluate(COPY, ".formula .katex-html .mathnormal").strip()
    assert within == copied, "a selection within a formula is that formula"


def test_text_and_maths_are_copied_in_their_order(visit: Opener) -> None:
    copied = visit(COMPONENT).page.evaluate(COPY, ".facts dd").split()
    assert copied[0] == "$w$"
    assert copied[1:3] == ["as", "$x$"]
    assert copied[-1].endswith("]")


def test_text_without_maths_is_left_to_the_browser(visit: Opener) -> None:
    assert visit(COMPONENT).page.evaluate(COPY, "h1") == ""


def test_a_button_shows_the_tex(visit: Opener) -> None:
    page = visit(COMPONENT).page
    button, tex = page.locator(".formula > button", has_text="TeX"), page.locator(".formula .tex")
    expect(button).to_be_visible()
    expect(tex).to_be_hidden()
    button.focus()
    page.keyboard.press("Enter")
    expect(tex).to_be_visible()
    assert TEX in tex.inner_text()
    expect(button).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Enter")
    expect(tex).to_be_hidden()


def test_copied_code_has_its_text_without_the_numbers(visit: Opener) -> None:
    page = visit(COMPONENT).page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    block = page.locator(".code", has=page.locator("ol[start]")).first
    block.locator("button.copy").click()
    block.locator("button.copy", has_text="Copied").wait_for()
    copied = page.evaluate("() => navigator.clipboard.readText()").splitlines()
    assert copied == [
        line.replace("\u00a0", " ") for line in block.locator("li").evaluate_all("all => all.map(e => e.textContent)")
    ]
    assert not re.match(r"\s*\d+\s", copied[0])


@pytest.mark.parametrize("path", ["/", "/gpt-2/", COMPONENT, "/glossary/", "/verification/"])
def test_a_page_prints_without_what_only_a_screen_needs(visit: Opener, path: str) -> None:
    page = visit(path).page
    printed = page.pdf(format="A4", print_background=True)
    assert printed.startswith(b"%PDF-")
    assert printed.count(b"/Type /Page\n") + printed.count(b"/Type /Page ") + printed.count(b"/Type/Page") > 0
    page.emulate_media(media="print", color_scheme="dark")
    for selector in (".top", ".site-nav", ".toc", ".skip"):
        expect(page.locator(selector).first).to_be_hidden()
    expect(page.locator("h1")).to_be_visible()
    page.set_viewport_size({"width": 794, "height": 1123})  # A4 at 96 dots an inch
    page.wait_for_function("() => document.scrollingElement.scrollWidth <= document.documentElement.clientWidth")
    expect(page.locator("body")).to_have_css("color-scheme", "light")


PRINTED = {
    "home": "/",
    "model": "/transformer/",
    "nested model": "/resnet/",
    "component": "/transformer/encoder/self-attention/",
    "layer": "/chainer/layer-normalization/",
    "operator": "/operators/layer-norm/",
    "source": "/sources/tensor2tensor/",
    "file": "/sources/tensor2tensor/tensor2tensor/models/common_layers.py/",
    "glossary": "/glossary/",
    "verification": "/verification/",
    "compare": "/compare/?a=gpt-2&b=mixtral",
    "prose": "/formula-language/",
}
SHEET = 673
"""Dots between the margins of A4."""

FOLDED = """() => [...document.querySelectorAll('main details')].filter(
    e => e.checkVisibility() && [...e.children].some(one => !one.checkVisibility({contentVisibilityAuto: true})))
    .map(e => e.textContent.trim().slice(0, 40))"""

WITHOUT_CODE = """() => [...document.querySelectorAll('.claim')].filter(claim => {
    const id = claim.id.replace(/^.*--|^source-/, '');
    let after = document.getElementById(`excerpt-${id}`)?.nextElementSibling;
    if (after?.matches('.where')) after = after.nextElementSibling; // what the passage is a part of
    const places = [claim.querySelector('.code'), after];
    return !places.some(place => place?.matches('.code') && place.checkVisibility({contentVisibilityAuto: true}));
}).map(claim => claim.id)"""

UNWRITTEN = """() => [...document.querySelectorAll('main a[href^="http"]')].filter(a =>
    a.checkVisibility() && !getComputedStyle(a, '::after').content.includes(a.getAttribute('href'))).map(a => a.href)"""

CUT = """width => [...document.querySelectorAll('main tr, main li, main .formula, main .katex, main figure svg')]
    .filter(e => e.checkVisibility() && !e.closest('.katex-mathml, .visually-hidden'))
    .filter(e => e.getBoundingClientRect().right > width + 1).map(e => e.outerHTML.slice(0, 100))"""

BREAKABLE = """() => [...document.querySelectorAll('main tr, main .formula, main figure, main .code li')].filter(e =>
    e.checkVisibility() && !getComputedStyle(e).breakInside.startsWith('avoid')).map(e => e.outerHTML.slice(0, 100))"""


@pytest.mark.parametrize("path", PRINTED.values(), ids=[name.replace(" ", "-") for name in PRINTED])
def test_paper_shows_everything_and_cuts_nothing(visit: Opener, path: str) -> None:
    page = visit(path, idle=True).page
    assert page.evaluate(FOLDED) or not page.locator("main details").count(), "a screen shows it folded"
    page.emulate_media(media="print")
    page.set_viewport_size({"width": SHEET, "height": 995})
    assert page.evaluate(FOLDED) == []
    assert page.evaluate(WITHOUT_CODE) == []
    assert page.evaluate(UNWRITTEN) == []
    assert page.evaluate(CUT, SHEET) == []
    assert page.evaluate(BREAKABLE) == []
    for selector in ("nav.neighbours", ".edit", ".headerlink", "button"):
        assert page.locator(f"{selector}:visible").count() == 0, selector
    tall = page.locator("svg.diagram").evaluate_all("all => all.map(e => e.getBoundingClientRect().height)")
    assert all(height < 995 for height in tall), "a diagram has to fit on one sheet"


def test_the_chosen_colours_hold_on_the_next_page(visit: Opener, base_url: str) -> None:
    page = visit("/").page
    page.emulate_media(color_scheme="light")
    switch = page.locator("[data-theme-switch]")
    switch.click()
    switch.click()
    expect(switch).to_have_text(re.compile(r"dark\s*$"))
    page.goto(f"{base_url}{COMPONENT}", wait_until="load")
    page.wait_for_function("() => document.documentElement.dataset.theme === 'dark'")
    expect(page.locator("html")).to_have_css("color-scheme", "dark")


def test_the_drawer_of_a_phone_leads_to_a_place_and_closes_behind_the_reader(visit: Opener) -> None:
    page = visit(COMPONENT).page
    page.set_viewport_size({"width": 390, "height": 800})
    drawer = page.locator(".drawer")
    link = drawer.locator(".toc a", has_text="Checked")
    expect(link).to_be_hidden()
    drawer.locator("> summary").click()
    expect(drawer.locator(".structure")).to_be_visible()
    link.click()
    expect(link).to_be_hidden()
    expect(page.locator("#checked")).to_be_in_viewport()


@pytest.mark.parametrize(("width", "columns"), [(1440, 3), (1100, 2), (390, 1)])
def test_there_are_as_many_columns_as_there_is_room_for(visit: Opener, width: int, columns: int) -> None:
    page = visit(COMPONENT, scripts=False).page
    page.set_viewport_size({"width": width, "height": 900})
    seen = {1: ["main"], 2: [".site-nav", "main"], 3: [".site-nav", "main", ".toc"]}[columns]
    for selector in (".site-nav", "main", ".toc"):
        shown = expect(page.locator(selector))
        # With two columns the contents stand below the structure, in the same column.
        shown.to_be_visible() if selector in seen or columns == 2 else shown.to_be_hidden()
    page.wait_for_function(f"columns => ({COLUMNS})() === columns", arg=columns)
