"""The diagrams of models in a real browser: every card leads to its component, by mouse, by keyboard and by name."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urldefrag, urljoin

import pytest
from playwright.sync_api import Locator, Page, expect

Opener = Callable[..., Any]

MODELS = ("gpt-2", "mixtral", "resnet")
WIDTHS = (320, 390, 768, 1440)
PAPER = {"width": 718, "height": 1000}
"""What is printable of an A4 sheet, in CSS pixels."""

every_model = pytest.mark.parametrize("model", MODELS)

CUT_OFF = """box => {
    // Cards that lie outside of the page's width, or beyond the edge of a box that hides or scrolls what is too wide.
    const shown = getComputedStyle(box).overflowX === 'visible' ? document.documentElement : box;
    const right = shown.getBoundingClientRect().left + shown.clientWidth + 0.5;
    return [...box.querySelectorAll('.node')].filter(e => e.getBoundingClientRect().right > right).length;
}"""


NAMES = """all => all.map(e => e.getAttribute('aria-label')
    ?? [...e.querySelectorAll('.name')].map(line => line.textContent.trim()).join(' '))"""
"""What nodes are called: a card by what it shows, an input or output by its label."""


def cards(page: Page) -> Locator:
    """The cards of components; those of the model's inputs and outputs are no links."""
    return page.locator("svg.diagram a.node")


@every_model
def test_a_card_leads_to_its_component(visit: Opener, model: str) -> None:
    page = visit(f"/{model}/").page
    found = cards(page).evaluate_all(
        "all => all.map(e => [e.getAttribute('href'), e.querySelector('.name').textContent])"
    )
    assert len(found) > 5
    headings: dict[str, str] = {}
    for href, _ in found:
        address, fragment = urldefrag(urljoin(page.url, href))
        assert f"/{model}/" in address
        if address not in headings:
            answer = page.request.get(address)
            assert answer.ok, address
            headings[address] = answer.text()
        assert not fragment or f'id="{fragment}"' in headings[address], f"{address} has no {fragment}"
    # Each card opens one component's own page, and pages that several cards open are of components used several times.
    assert 1 < len(headings) <= len(found)
    for text in headings.values():
        assert len(re.findall("<h1[ >]", text)) == 1


@every_model
def test_a_card_is_opened_by_a_click(visit: Opener, model: str) -> None:
    page = visit(f"/{model}/").page
    card = cards(page).first
    href = urljoin(page.url, card.get_attribute("href") or "")
    title = (card.locator(".name").first.text_content() or "").split()[0]
    card.click()
    page.wait_for_url(href, wait_until="load")
    expect(page.locator("h1")).to_contain_text(title, ignore_case=True)


@every_model
def test_every_card_is_reached_with_the_tab_key_in_the_order_of_the_data_flow(visit: Opener, model: str) -> None:
    page = visit(f"/{model}/").page
    expected = cards(page).evaluate_all("all => all.map(e => e.getAttribute('href'))")
    page.locator(".diagram-box").focus()
    for number, href in enumerate(expected):
        page.keyboard.press("Tab")
        expect(cards(page).nth(number)).to_be_focused()
        expect(page.locator(":focus")).to_have_attribute("href", href)
        expect(page.locator(":focus .card")).to_have_css("stroke-width", "3px")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: f"/{model}/" in url and not url.endswith(f"/{model}/"), wait_until="load")


@every_model
def test_a_card_says_by_name_what_it_shows(visit: Opener, model: str) -> None:
    page = visit(f"/{model}/").page
    for card in [*cards(page).all(), *page.locator("svg.diagram g.node").all()]:
        shown = " ".join(text.strip() for text in card.locator(".name").all_text_contents())
        # Who speaks to a page says what is seen, so the name begins with it; what is too long is cut only to the eye.
        expect(card).to_have_accessible_name(re.compile(f"^{re.escape(shown.removesuffix('…'))}"))
    expect(page.locator("svg.diagram")).to_have_attribute("role", "group")
    expect(page.locator("svg.diagram")).to_have_accessible_name(re.compile(r"\w"))
    expect(page.locator("svg.diagram")).to_have_accessible_description(re.compile(r"\w"))


@every_model
def test_the_text_of_a_diagram_tells_of_every_card(visit: Opener, model: str) -> None:
    page = visit(f"/{model}/", scripts=False).page
    told = page.locator(".diagram-figure .visually-hidden li:not(:has(li))")
    names = page.locator("svg.diagram .node").evaluate_all(NAMES)
    assert names
    expect(told).to_have_count(len(names))
    for text, name in zip(told.all_text_contents(), names, strict=True):
        assert text.startswith(name.removesuffix("…"))
    # It is out of sight, but not out of the accessibility tree.
    assert told.first.evaluate("e => e.checkVisibility({visibilityProperty: true})")


@every_model
def test_what_is_too_wide_scrolls_in_its_own_box(visit: Opener, model: str) -> None:
    page = visit(f"/{model}/").page
    box = page.locator(".diagram-box")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        box.evaluate("e => { e.scrollLeft = 0 }")
        hidden = box.evaluate("e => e.scrollWidth - e.clientWidth")
        box.focus()
        for _ in range(40):
            page.keyboard.press("ArrowRight")
        page.wait_for_function("before => document.querySelector('.diagram-box').scrollLeft >= before", arg=hidden - 1)
        page.wait_for_function(f"() => ({CUT_OFF})(document.querySelector('.diagram-box')) === 0")
        page.wait_for_function("() => document.scrollingElement.scrollLeft === 0")
        scale = page.locator("svg.diagram").evaluate("e => e.getBoundingClientRect().width / e.viewBox.baseVal.width")
        assert scale * 12 > 8, f"at {width} px the smallest text is too small to read"


@every_model
def test_a_diagram_is_printed_whole(visit: Opener, model: str) -> None:
    page = visit(f"/{model}/").page
    page.set_viewport_size(PAPER)
    page.emulate_media(media="print", color_scheme="dark")
    box = page.locator(".diagram-box")
    expect(box).to_have_css("overflow-x", "visible")
    expect(page.locator(".site-nav")).to_be_hidden()
    expect(page.locator("svg.diagram")).to_be_visible()
    expect(page.locator(".diagram-figure .legend li").first).to_be_visible()
    expect(page.locator("html")).to_have_css("color-scheme", "light")
    page.wait_for_function(f"() => ({CUT_OFF})(document.querySelector('.diagram-box')) === 0")
    assert page.pdf(format="A4").startswith(b"%PDF")
