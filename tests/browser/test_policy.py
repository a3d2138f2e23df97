"""The content security policy holds while everything that a page can do is done, and nothing leaves the site's origin.

Requests to any other origin are not only noted but refused, so that a page that needs one breaks here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from atlas.render.policy import POLICY

COMPONENT = "/transformer/encoder/ffn-layer-norm/"

PAGES = {
    "home": "/",
    "model": "/gpt-2/",
    "component": COMPONENT,
    "library": "/chainer/",
    "layer": "/chainer/layer-normalization/",
    "operators": "/operators/",
    "operator": "/operators/layer-norm/",
    "sources": "/sources/",
    "source": "/sources/tensor2tensor/",
    "file": "/sources/tensor2tensor/tensor2tensor/models/common_layers.py/",
    "glossary": "/glossary/",
    "verification": "/verification/",
    "compare": "/compare/",
    "index": "/a-z/",
    "prose": "/formula-language/",
    "search": "/search/",
    "not found": "/404.html",
}
every_page = pytest.mark.parametrize("path", PAGES.values(), ids=[name.replace(" ", "-") for name in PAGES])

WATCH = """
window.refused = [];
document.addEventListener('securitypolicyviolation', e => window.refused.push(
    `${e.effectiveDirective}: ${e.blockedURI} ${e.sourceFile ?? ''}:${e.lineNumber}`));
"""


@dataclass(slots=True)
class Guarded:
    """A page under watch."""

    page: Page
    """The page."""
    foreign: list[str] = field(default_factory=list)
    """Addresses of other origins that it asked for."""
    errors: list[str] = field(default_factory=list)
    """What its console complained of."""

    def sound(self) -> None:
        """Nothing was refused by the policy, asked of another origin, or complained of."""
        assert self.page.evaluate("() => window.refused") == []
        assert self.foreign == []
        assert self.errors == []


@pytest.fixture
def guarded(browser: Browser, base_url: str) -> Iterator[Callable[[str], Guarded]]:
    """Open a page in a context of its own that reaches the site alone."""
    own = urlsplit(base_url)[:2]
    with ExitStack() as contexts:

        def open_page(path: str) -> Guarded:
            context = browser.new_context(
                viewport={"width": 1440, "height": 900}, permissions=["clipboard-read", "clipboard-write"]
            )
            contexts.callback(context.close)
            context.add_init_script(WATCH)
            page = context.new_page()
            made = Guarded(page)

            def refuse_others(route: Route) -> None:
                if urlsplit(route.request.url)[:2] == own:
                    route.continue_()
                else:
                    made.foreign.append(route.request.url)
                    route.abort()

            context.route("**/*", refuse_others)
            page.on("console", lambda said: made.errors.append(said.text) if said.type == "error" else None)
            page.on("pageerror", lambda error: made.errors.append(str(error)))
            page.goto(base_url + path, wait_until="networkidle")
            return made

        yield open_page


@every_page
def test_search_theme_and_unfolding_stay_within_the_policy(guarded: Callable[[str], Guarded], path: str) -> None:
    seen = guarded(path)
    page = seen.page
    stated = page.locator("meta[http-equiv='Content-Security-Policy']")
    expect(stated).to_have_attribute("content", POLICY)
    if not page.locator("[data-search-now]").count():  # there the palette opens by itself
        page.keyboard.press("/")
    field = page.locator("dialog input")
    expect(field).to_be_focused()
    field.fill("layer norm")
    expect(page.locator("dialog a").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(field).not_to_be_visible()
    page.evaluate("() => document.querySelectorAll('details').forEach(e => { e.open = true })")
    switch, name = page.locator("[data-theme-switch]"), page.locator("[data-theme-name]")
    for colours in ("light", "dark", "system"):
        switch.click()
        expect(name).to_have_text(colours)
    seen.sound()


def test_copying_and_symbols_stay_within_the_policy(guarded: Callable[[str], Guarded]) -> None:
    seen = guarded(COMPONENT)
    page = seen.page
    code = page.locator("main .code:visible", has=page.locator("button.copy")).first
    code.hover()
    code.locator("button.copy").first.click()
    expect(code.locator("button.copy").first).to_contain_text("Copied")
    page.locator("[data-numpy]").click()
    page.wait_for_function("() => navigator.clipboard.readText().then(text => text.includes('import numpy'))")
    page.locator(".facts [data-symbol]").first.focus()
    expect(page.locator(".symbol-card")).to_be_visible()
    seen.sound()


def test_the_calculator_stays_within_the_policy(guarded: Callable[[str], Guarded]) -> None:
    seen = guarded("/gpt-2/")
    page = seen.page
    total = page.locator("[data-result]").first
    before = total.inner_text()
    page.locator("#calculator-variant").select_option(index=1)
    expect(total).not_to_have_text(before)
    size = page.locator("[data-size]").first
    size.fill("17")
    size.press("Enter")
    page.wait_for_function("() => new URL(document.querySelector('[data-share]').href).search.includes('=17')")
    seen.sound()


def test_comparing_stays_within_the_policy(guarded: Callable[[str], Guarded]) -> None:
    seen = guarded("/compare/?a=gpt-2&b=mixtral")
    page = seen.page
    expect(page.locator("[data-comparison] table").first).to_be_visible()
    page.locator("[data-swap]").click()
    expect(page.locator("[data-comparison] th").filter(has_text="Mixtral").first).to_be_visible()
    expect(page.locator("[data-comparison] .katex").first).to_be_visible()
    seen.sound()


@pytest.mark.parametrize(
    ("script", "directive"),
    [
        ("document.body.append(Object.assign(document.createElement('script'), {text: '1'}))", "script-src-elem"),
        (
            "document.body.append(Object.assign(document.createElement('style'), {textContent: 'p {}'}))",
            "style-src-elem",
        ),
        ("setTimeout('1')", "script-src"),
        ("document.body.append(Object.assign(new Image(), {src: 'https://example.org/x.png'}))", "img-src"),
        ("document.body.append(Object.assign(document.createElement('object'), {data: 'x.svg'}))", "object-src"),
        ("fetch('https://example.org/').catch(() => null)", "connect-src"),
        ("WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).catch(() => null)", "script-src"),
    ],
)
def test_what_the_policy_forbids_is_refused_and_seen(
    guarded: Callable[[str], Guarded], script: str, directive: str
) -> None:
    page = guarded(COMPONENT).page
    page.evaluate(f"() => {{ {script} }}")
    page.wait_for_function("wanted => window.refused.some(one => one.startsWith(`${wanted}: `))", arg=directive)
