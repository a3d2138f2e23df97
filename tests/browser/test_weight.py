"""What a visit costs: bytes and requests of a component page, the first and the next, and that nothing moves.

Sizes are those on the wire, headers included, as a static host sends them: text as gzip at the level that the host of
these tests states, fonts as they are.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

SITE = Path(__file__).parents[2] / "site"
GZIP_LEVEL = 9
"""As the host of these tests compresses."""
KB = 1024
FIRST, REQUESTS, SCRIPTS, NEXT = 60 * KB, 8, 15 * KB, 10 * KB
MARGIN = 0.95
"""The share of them that the site keeps to, so that another host or a longer header breaks nothing."""
HEADERS = 220
"""What the headers of an answer may take, where a size is computed."""
VISITS = 4

COMPONENTS = (
    "/transformer/encoder/ffn-layer-norm/",
    "/transformer/decoder/self-attention/",
    "/gpt-2/decoder/self-attention/",
    "/gpt-2/decoder/feed-forward/",
    "/mixtral/decoder/experts/",
    "/resnet/input/convolution/",
    "/chainer/layer-normalization/",
)

WATCH = """
window.moved = [];
new PerformanceObserver(list => {
    for (const entry of list.getEntries()) {
        const what = entry.sources.map(one => one.node?.outerHTML?.slice(0, 80) ?? one.node?.textContent).join(' | ');
        window.moved.push([entry.value, what]);
    }
}).observe({type: 'layout-shift', buffered: true});
"""

LOOK = """
() => [...document.querySelectorAll('.top, .top *, .drawer summary, .breadcrumb, .masthead, .masthead *')].map(one => {
    const {x, y, width, height} = one.getBoundingClientRect();
    const look = getComputedStyle(one);
    return [one.tagName, x, y, width, height, look.color, look.backgroundColor, look.boxShadow, look.font];
})
"""
"""Where everything is that is drawn early, and how it looks; a script shows buttons that had their room before."""


@dataclass(slots=True)
class Wire:
    """What came over the wire since it was last emptied."""

    sent: dict[str, int] = field(default_factory=dict)
    """Bytes by address."""
    scripts: set[str] = field(default_factory=set)
    """The addresses that are scripts."""
    _urls: dict[str, str] = field(default_factory=dict)

    def asked(self, event: dict[str, Any]) -> None:
        """Note a request."""
        self._urls[event["requestId"]] = event["request"]["url"]
        if event.get("type") == "Script":
            self.scripts.add(event["request"]["url"])

    def came(self, event: dict[str, Any]) -> None:
        """Note what a request brought; from the browser's cache it is nothing."""
        url = self._urls.get(event["requestId"], "")
        if event["encodedDataLength"]:
            self.sent[url] = self.sent.get(url, 0) + int(event["encodedDataLength"])


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser that was never on the site."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.add_init_script(WATCH)
    yield context
    context.close()


def opened(context: BrowserContext) -> tuple[Page, Wire]:
    page, wire = context.new_page(), Wire()
    session = context.new_cdp_session(page)
    session.on("Network.requestWillBeSent", lambda event: wire.asked(event))
    session.on("Network.loadingFinished", lambda event: wire.came(event))
    session.send("Network.enable")
    return page, wire


def load(page: Page, url: str) -> None:
    page.goto(url, wait_until="networkidle")
    page.evaluate("() => document.fonts.ready.then(() => null)")


class Asked(HTMLParser):
    """What a page asks for by itself, as addresses."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.urls: dict[str, None] = {}
        self.scripts: set[str] = set()
        self.is_component = False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a file."""
        given = dict(attrs)
        self.is_component |= tag == "article" and given.get("class") == "component"
        if tag == "link" and given.get("rel") in ("stylesheet", "icon", "preload"):
            self.urls[given["href"] or ""] = None
        elif tag in ("img", "script") and given.get("src"):
            self.urls[given["src"] or ""] = None
            if tag == "script":
                self.scripts.add(given["src"] or "")


def packed(file: Path) -> int:
    """How many bytes the host sends for a file, headers included."""
    body = file.read_bytes()
    return HEADERS + (len(body) if file.suffix == ".woff2" else len(gzip.compress(body, GZIP_LEVEL)))


def test_every_component_is_small_with_room_to_spare() -> None:
    found = 0
    for file in sorted(SITE.glob("**/index.html")):
        asked = Asked(file.read_text(encoding="utf-8"))
        if not asked.is_component:
            continue
        found += 1
        name = file.parent.relative_to(SITE).as_posix()
        sizes = {url: packed((file.parent / url).resolve()) for url in asked.urls}
        assert any(url.endswith(".woff2") for url in sizes), name
        assert 1 + len(sizes) <= REQUESTS, (name, sizes)
        assert packed(file) + sum(sizes.values()) <= MARGIN * FIRST, (name, sizes)
        assert 0 < sum(sizes[url] for url in asked.scripts) <= MARGIN * SCRIPTS, (name, sizes)
        assert packed(file) <= MARGIN * NEXT, name
    assert found >= len(COMPONENTS)


@pytest.mark.parametrize("path", COMPONENTS)
def test_a_first_visit_is_small(context: BrowserContext, base_url: str, path: str) -> None:
    page, wire = opened(context)
    load(page, base_url + path)
    assert len(wire.sent) <= REQUESTS, wire.sent
    assert sum(wire.sent.values()) <= FIRST, wire.sent
    assert any(url.endswith(".woff2") for url in wire.sent), "the fonts of its formulas are counted"
    scripts = {url: size for url, size in wire.sent.items() if url in wire.scripts}
    assert scripts
    assert sum(scripts.values()) <= SCRIPTS
    waited_for = "() => [...document.scripts].filter(s => s.src && !s.async && !s.defer && s.type !== 'module').length"
    assert page.evaluate(waited_for) == 0


@pytest.mark.parametrize("path", COMPONENTS)
def test_the_next_page_is_smaller_still(context: BrowserContext, base_url: str, path: str) -> None:
    page, wire = opened(context)
    load(page, f"{base_url}/mixtral/decoder/attention/")
    wire.sent.clear()
    load(page, base_url + path)
    assert base_url + path in wire.sent
    # A font that only this page needs is a few hundred bytes more, once.
    text = {url: size for url, size in wire.sent.items() if not url.endswith(".woff2")}
    assert sum(text.values()) <= NEXT, wire.sent


def least_moved(visit: Callable[[], Page]) -> list[list[Any]]:
    """What moved in the calmest of a few visits.

    The browser holds its first picture back for fonts that it was told of, but not for long: a machine that is busy
    otherwise may miss that. What a page itself makes move moves in every visit.
    """
    seen: list[list[list[Any]]] = []
    while len(seen) < VISITS and [] not in seen:
        page = visit()
        page.wait_for_timeout(200)
        seen.append(page.evaluate("() => window.moved"))
    return min(seen, key=lambda moved: sum(value for value, _ in moved))


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("path", [*COMPONENTS, "/", "/gpt-2/", "/operators/layer-norm/", "/glossary/"])
def test_nothing_moves_while_a_page_loads(browser: Browser, base_url: str, path: str, width: int) -> None:
    with ExitStack() as contexts:

        def visit() -> Page:
            context = browser.new_context(viewport={"width": width, "height": 900})
            contexts.callback(context.close)
            context.add_init_script(WATCH)
            page = context.new_page()
            load(page, base_url + path)
            return page

        assert least_moved(visit) == []


@pytest.mark.parametrize("path", COMPONENTS)
def test_nothing_moves_on_the_next_page(context: BrowserContext, base_url: str, path: str) -> None:
    page, _ = opened(context)

    def visit() -> Page:
        load(page, f"{base_url}/mixtral/decoder/attention/")
        load(page, base_url + path)
        return page

    assert least_moved(visit) == []


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("path", COMPONENTS)
def test_the_beginning_is_drawn_for_good_before_the_large_sheet_is_there(
    browser: Browser, base_url: str, path: str, width: int
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900})
    page, held = context.new_page(), list[Route]()
    page.route("**/css/site.css", lambda route: held.append(route))
    page.goto(base_url + path, wait_until="commit")
    page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length > 0")
    expect(page.locator(".masthead .summary")).to_be_visible()
    expect(page.locator(".formula")).to_have_count(0)
    early = page.evaluate(LOOK)
    assert len(held) == 1
    held[0].continue_()
    expect(page.locator(".formula").first).to_be_visible()
    page.wait_for_load_state("load")
    assert page.evaluate(LOOK) == early
    context.close()


def test_only_the_beginning_of_a_page_is_drawn_early(browser: Browser, base_url: str) -> None:
    """Where the page is drawn as a whole, its sheet stands in the head, where browsers wait for it."""
    for path in ("/", "/gpt-2/", "/formula-language/", "/404.html"):
        page = browser.new_page()
        page.goto(base_url + path)
        expect(page.locator("head link[href$='css/site.css']")).to_have_count(1)
        expect(page.locator("body link[href$='css/site.css']")).to_have_count(0)
        page.close()


def test_what_moves_is_seen(context: BrowserContext, base_url: str) -> None:
    page, _ = opened(context)
    load(page, f"{base_url}/gpt-2/")
    page.evaluate(
        "() => document.querySelector('h1').before(Object.assign(document.createElement('p'), {style: 'height:200px'}))"
    )
    page.wait_for_function("() => window.moved.length > 0")
