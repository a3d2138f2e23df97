"""Every kind of page in both themes under axe, by keyboard alone, and for those who do not see its pictures."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

Opener = Callable[..., Any]

PAGES = {
    "home": "/",
    "model": "/gpt-2/",
    "nested model": "/resnet/",
    "model in part": "/transformer/",
    "component": "/gpt-2/decoder/self-attention/",
    "library": "/chainer/",
    "layer": "/chainer/layer-normalization/",
    "operators": "/operators/",
    "operator": "/operators/layer-norm/",
    "sources": "/sources/",
    "source": "/sources/transformers/",
    "file": "/sources/transformers/src/transformers/models/gpt2/configuration_gpt2.py/",
    "glossary": "/glossary/",
    "data": "/data/",
    "issue codes": "/contribute/issue-codes/",
    "entries": "/contribute/entries/",
    "tutorial": "/contribute/tutorial/",
    "verification": "/verification/",
    "compare": "/compare/",
    "comparison": "/compare/?a=gpt-2&b=mixtral",
    "index": "/a-z/",
    "prose": "/formula-language/",
    "contribute": "/contribute/",
    "guide of proofs": "/contribute/proofs/",
    "guide of deploying": "/contribute/deploying/",
    "search": "/search/",
    "not found": "/404.html",
}
every_page = pytest.mark.parametrize(
    "path", PAGES.values(), ids=[name.replace(" ", "-") for name in PAGES], scope="module"
)

RUN_AXE = """() => axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], resultTypes: ['violations'],
}).then(found => found.violations.map(
    one => `${one.id}: ${one.nodes.length} × ${one.nodes[0].html.slice(0, 160)} – ${one.help}`))"""

UNFOLD = "() => document.querySelectorAll('details').forEach(e => { e.open = true })"

FOCUSED = """() => {
    const e = document.activeElement, style = getComputedStyle(e);
    const card = e.matches('.node') ? e.querySelector('.card') : null;
    const shown = card ? getComputedStyle(card).strokeWidth === '3px' : style.outlineStyle !== 'none';
    const area = e.closest('main') ? 'main' : e.closest('.top, .drawer, .bottom')?.className;
    return e === document.body ? null : {
        name: e.getAttribute('aria-label') || (e.labels?.[0] ?? e).textContent.trim(), shown,
        tag: e.tagName.toLowerCase(),
        seen: e.checkVisibility({visibilityProperty: true}), area,
    };
}"""

WITHOUT_A_TEXT = """() => [...document.querySelectorAll('img, svg, canvas, object')].filter(e =>
    !e.closest('[aria-hidden=true], .katex-html') && !(e.tagName === 'IMG' ? e.hasAttribute('alt')
    : e.getAttribute('aria-label') || e.getAttribute('aria-labelledby'))).map(e => e.outerHTML.slice(0, 120))"""


@every_page
def test_axe_finds_nothing_in_either_theme(kept_visit: Opener, axe: str, path: str) -> None:
    page = kept_visit(path).page
    page.evaluate(axe)
    page.evaluate(UNFOLD)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        expect(page.locator("html")).to_have_css("color-scheme", re.compile(scheme))
        assert page.evaluate(RUN_AXE) == [], scheme


@pytest.mark.parametrize("path", [PAGES["component"], PAGES["home"]])
def test_axe_finds_nothing_on_a_phone_with_the_drawer_open(visit: Opener, axe: str, path: str) -> None:
    page = visit(path).page
    page.set_viewport_size({"width": 390, "height": 800})
    page.locator(".drawer > summary").click()
    expect(page.locator(".drawer > .toc, .drawer > .site-nav").first).to_be_visible()
    page.evaluate(axe)
    assert page.evaluate(RUN_AXE) == []


@every_page
def test_every_picture_has_a_text_or_is_hidden_from_those_who_hear_the_page(kept_visit: Opener, path: str) -> None:
    assert kept_visit(path).page.evaluate(WITHOUT_A_TEXT) == []


@pytest.mark.parametrize("path", [PAGES["home"], PAGES["model"], PAGES["component"], PAGES["operator"]])
def test_the_keyboard_reaches_everything_in_order_and_shows_where_it_is(visit: Opener, path: str) -> None:
    page = visit(path).page
    for link in page.locator(
        "[data-passage]"
    ).element_handles():  # else code comes, and its link goes, in the middle of the walk
        link.evaluate("link => link.scrollIntoView()")
        page.wait_for_function("link => !link.isConnected", arg=link)  # before another scroll takes it out of reach
    page.evaluate("scrollTo(0, 0)")
    walked = []
    for _ in range(400):
        page.keyboard.press("Tab")
        at = page.evaluate(FOCUSED)
        if at is None:
            break
        walked.append(at)
    else:
        pytest.fail(f"the walk does not end; at last it was at {walked[-1]}")
    assert walked[0]["name"] == "Skip to the content"
    assert [one for one in walked if not (one["name"] and one["shown"] and one["seen"])] == []
    areas = list(dict.fromkeys(one["area"] for one in walked[1:]))
    assert areas == ["top", "drawer", "main", "bottom"][: len(areas)]
    assert "main" in areas
    reached = sum(one["tag"] == "a" and one["area"] == "main" for one in walked)
    shown = (
        "() => [...document.querySelectorAll('main a[href]:not([tabindex])')].filter(e => e.checkVisibility()).length"
    )
    assert reached == page.evaluate(shown)


def test_the_skip_link_leads_past_the_columns(visit: Opener) -> None:
    page = visit(PAGES["component"]).page
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("main :focus")).to_have_count(1)


def test_a_node_of_the_diagram_shows_its_facts_to_pointer_and_keyboard_without_a_script(visit: Opener) -> None:
    page = visit(PAGES["model"], scripts=False).page
    node, about = page.locator("svg.diagram a.node"), page.locator(".about > div:visible")
    expect(about).to_have_count(0)
    node.nth(3).hover()
    expect(about).to_have_count(1)
    for text in ("Causal self-attention", "2,362,368 parameters", "takes", "un", "[B,\u2009S,\u2009d]", "gives"):
        expect(about).to_contain_text(text)
    page.mouse.move(0, 0)
    expect(about).to_have_count(0)
    page.locator(".diagram-box").focus()
    page.keyboard.press("Tab")
    expect(about).to_have_count(1)
    expect(about).to_contain_text("Token embedding")
    expect(about).to_be_in_viewport()
    node.nth(3).click()
    page.wait_for_url("**/gpt-2/decoder/self-attention/")


def test_n_and_p_lead_along_the_data_flow(visit: Opener) -> None:
    page = visit(PAGES["component"]).page
    page.keyboard.press("n")
    page.wait_for_url("**/attention-residual/", wait_until="load")
    page.keyboard.press("p")
    page.wait_for_url("**/self-attention/")


def test_the_column_marks_where_the_reader_is(visit: Opener) -> None:
    page = visit(PAGES["component"]).page
    expect(page.locator(".structure [aria-current=page]")).to_have_text(["Causal self-attention"])
    stack = page.locator(".structure .stack", has=page.locator("[aria-current=page]"))
    expect(stack.locator(".times")).to_have_text("× 12")
    nested = visit(PAGES["nested model"]).page.locator(".structure .stack .stack .stack, .structure .stack .stack")
    expect(nested.first).to_contain_text("First block")
