"""Search as a reader has it: the palette over the built site, by keyboard and by touch, in light and dark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Page, expect

Opener = Callable[..., Any]
Searcher = Callable[..., Page]

START = "/transformer/encoder/ffn-layer-norm/"
GAMMA = ("chainer/layer-normalization/", "operators/layer-norm/#layer-norm", "operators/rms-norm/#rms-norm")

FOUND = {
    "q_proj": ("mixtral/decoder/query-projection/",),
    "RMSNorm": ("mixtral/decoder/attention-norm/", "operators/rms-norm/#rms-norm"),
    "GQA": (
        "mixtral/decoder/attention/",
        "operators/grouped-query-attention/#grouped-query-attention",
    ),
    "512": ("transformer/", "transformer/#variants"),
    r"\gamma": GAMMA,
    "gamma": GAMMA,
    "γ": GAMMA,
    r"\varepsilon": ("operators/layer-norm/#layer-norm", "gpt-2/decoder/attention-layer-norm/"),
    "k_proj": ("mixtral/decoder/query-projection/",),
    "grouped-query attention": ("mixtral/decoder/attention/",),
    "layer norm": ("transformer/encoder/ffn-layer-norm/", "operators/layer-norm/#layer-norm"),
    "MoE": ("mixtral/decoder/experts/", "operators/mixture-of-experts/#mixture-of-swiglu-experts-renormalized"),
    "RoPE": ("mixtral/decoder/query-rotation/", "operators/rotary-positions/#rope-half"),
    "FFN": ("gpt-2/decoder/feed-forward/",),
    "hidden_size": ("mixtral/#variants",),
    "KV cache": ("gpt-2/", "mixtral/"),
    "47B": ("mixtral/",),
    "gpt-2": ("gpt-2/",),
    "common_layers.py": ("sources/tensor2tensor/tensor2tensor/models/common_layers.py/",),
    "pinned sources": ("sources/",),
    "formula language": ("formula-language/",),
    "Chainer": ("chainer/",),
    "A214": ("contribute/issue-codes/#a214",),
    "formula_not_executed": ("contribute/entries/",),
    "attnetion": ("operators/attention/#attention",),
}
"""What readers type, with what must be among the first results of its kind."""


@pytest.fixture
def search(visit: Opener) -> Iterator[Searcher]:
    """Open a page, its palette, and type."""
    visits: list[Any] = []

    def typed(query: str, path: str = START) -> Page:
        seen = visit(path)
        visits.append(seen)
        page: Page = seen.page
        page.keyboard.press("/")
        expect(page.get_by_role("combobox")).to_be_focused()
        page.keyboard.insert_text(query)
        expect(page.get_by_role("status")).not_to_be_empty()
        return page

    yield typed
    for seen in visits:
        assert seen.foreign == []
        assert seen.complaints == []


def shown(page: Page, base_url: str) -> list[str]:
    """The addresses of the results, below the site's root."""
    links = page.locator("dialog a[role=option]")
    expect(links.first).to_be_visible()
    hrefs = links.evaluate_all("links => links.map(link => link.href)")
    return [unquote(href).removeprefix(f"{base_url}/") for href in hrefs]


def test_what_readers_look_for_is_among_the_first_results(search: Searcher, base_url: str) -> None:
    page = search("zzzzqqq")
    field, missed = page.get_by_role("combobox"), {}
    for query, wanted in FOUND.items():
        field.fill("")
        expect(page.locator("dialog a[role=option]")).to_have_count(0)
        field.fill(query)
        if absent := set(wanted) - set(shown(page, base_url)):
            missed[query] = absent
    assert missed == {}


@pytest.mark.parametrize(
    ("query", "heading"),
    [("q_proj", "Queries of all heads"), ("RMSNorm", "RMSNorm"), ("GQA", "Causal grouped-query attention")],
)
def test_the_first_result_is_one_key_away(search: Searcher, query: str, heading: str) -> None:
    page = search(query)
    expect(page.get_by_role("option").first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text(heading)


def test_nothing_of_search_is_brought_before_it_is_asked_for(visit: Opener) -> None:
    page = visit("/", idle=True).page
    brought: list[str] = []
    page.on("request", lambda request: brought.append(urlsplit(request.url).path))
    names = page.evaluate("() => performance.getEntriesByType('resource').map(one => one.name)")
    assert [name for name in names if "search" in name] == []
    page.get_by_role("button", name="Search", exact=True).click()
    expect(page.get_by_role("combobox", name="Search the atlas")).to_be_focused()
    assert len(brought) == 3
    assert all("search" in name for name in brought)
    page.keyboard.insert_text("q_proj")
    expect(page.get_by_role("dialog").get_by_role("option").first).to_be_visible()
    assert len(brought) <= 12
    before = len(brought)
    page.get_by_role("combobox", name="Search the atlas").fill("")
    page.get_by_role("combobox", name="Search the atlas").fill("q_proj")
    expect(page.get_by_role("dialog").get_by_role("option").first).to_be_visible()
    assert len(brought) == before


@pytest.mark.parametrize("keys", ["/", "Control+k", "Meta+k"])
def test_the_palette_opens_by_key_and_gives_the_focus_back(visit: Opener, keys: str) -> None:
    page = visit(START).page
    page.locator("main a").first.focus()
    page.keyboard.press(keys)
    expect(page.get_by_role("combobox")).to_be_focused()
    expect(page.get_by_role("combobox")).to_have_value("")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator("main a").first).to_be_focused()


def test_a_slash_can_be_typed(search: Searcher) -> None:
    page = search("a")
    page.keyboard.press("/")
    expect(page.get_by_role("combobox")).to_have_value("a/")


def test_results_are_walked_through_by_keyboard_and_told_to_screen_readers(search: Searcher) -> None:
    page = search("norm")
    field, options = page.get_by_role("combobox"), page.get_by_role("option")
    expect(options.first).to_be_visible()
    expect(field).to_have_attribute("aria-expanded", "true")
    controlled = field.get_attribute("aria-controls")
    expect(page.locator(f"#{controlled}")).to_have_attribute("role", "listbox")

    def is_chosen(number: int) -> None:
        expect(options.nth(number)).to_have_attribute("aria-selected", "true")
        expect(options.and_(page.locator("[aria-selected=true]"))).to_have_count(1)
        expect(field).to_have_attribute("aria-activedescendant", options.nth(number).get_attribute("id") or "none")

    is_chosen(0)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    is_chosen(2)
    page.keyboard.press("ArrowUp")
    is_chosen(1)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    is_chosen(options.count() - 1)
    expect(options.last).to_be_in_viewport()
    expect(field).to_be_focused()


def test_results_are_grouped_by_kind_and_a_group_can_be_unfolded(search: Searcher) -> None:
    page = search("norm")
    groups = page.get_by_role("listbox").get_by_role("group")
    expect(groups.first).to_be_visible()
    names = [groups.nth(number).get_attribute("aria-label") for number in range(groups.count())]
    assert "Components" in names
    assert "Operators" in names
    assert len(set(names)) == len(names)
    unfoldable = page.locator("dialog [role=group]", has=page.locator(".search-more")).first
    group = groups.and_(page.get_by_label(unfoldable.get_attribute("aria-label") or "", exact=True))
    before = group.locator("a").count()
    more = group.locator(".search-more")
    left = int((more.text_content() or "").split()[0])
    page.keyboard.press("ArrowDown")
    for number in range(1, page.get_by_role("option").count()):
        expect(page.get_by_role("option").nth(number)).to_have_attribute("aria-selected", "true")
        if more.get_attribute("aria-selected") == "true":
            break
        page.keyboard.press("ArrowDown")
    expect(more).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(group.locator("a")).to_have_count(before + min(left, 20))
    expect(page.get_by_role("combobox")).to_be_focused()
    expect(group.locator("a").nth(before)).to_have_attribute("aria-selected", "true")


def test_the_focus_stays_in_the_palette(search: Searcher) -> None:
    page = search("norm")
    inside = """() => {
        const at = document.activeElement;
        return at === document.body || document.querySelector('dialog').contains(at);
    }"""
    for key in ("Tab", "Tab", "Tab", "Tab", "Shift+Tab", "Shift+Tab"):
        page.keyboard.press(key)
        page.wait_for_function(inside)


def test_what_is_not_found_is_said(search: Searcher) -> None:
    page = search("zzzzqqq")
    expect(page.get_by_role("status")).to_contain_text("Nothing is found for “zzzzqqq”")
    expect(page.get_by_role("listbox")).to_have_count(0)
    expect(page.get_by_role("combobox")).to_have_attribute("aria-expanded", "false")


def test_an_index_that_cannot_be_loaded_is_said_and_tried_again(visit: Opener) -> None:
    page = visit(START).page
    page.route("**/search/index.json", lambda route: route.abort())
    page.keyboard.press("/")
    page.get_by_role("combobox").fill("norm")
    expect(page.get_by_role("status")).to_contain_text("could not be loaded")
    page.unroute("**/search/index.json")
    page.get_by_role("combobox").fill("norms")
    expect(page.get_by_role("option").first).to_be_visible()


def test_a_palette_that_cannot_be_loaded_leads_to_the_index(visit: Opener, base_url: str) -> None:
    page = visit(START).page
    page.route("**/js/search.js", lambda route: route.abort())
    page.get_by_role("button", name="Search").click()
    page.wait_for_url(f"{base_url}/a-z/")
    expect(page.locator("h1")).to_have_text("A–Z index")


def test_typed_text_is_never_markup(search: Searcher) -> None:
    page = search("<img src=x onerror=alert(1)>zzzz")
    expect(page.get_by_role("combobox")).to_have_value("<img src=x onerror=alert(1)>zzzz")
    expect(page.get_by_role("status")).to_contain_text("results")
    expect(page.locator("dialog img")).to_have_count(0)


@pytest.mark.parametrize("width", [390, 1280])
def test_a_group_is_as_tall_as_what_it_lists(search: Searcher, width: int) -> None:
    page = search("layer norm")
    page.set_viewport_size({"width": width, "height": 1000})
    expect(page.locator("dialog [role=group]").nth(1)).to_be_visible()
    page.wait_for_function(NO_BLANKS)


NO_BLANKS = """() => [...document.querySelectorAll('dialog [role=group]')].every(group =>
    group.getBoundingClientRect().bottom - group.lastElementChild.getBoundingClientRect().bottom < 30)"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 390, 1440])
def test_the_palette_fits_the_screen_and_can_be_read(search: Searcher, width: int, scheme: Any) -> None:
    page = search("layer norm")
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 640})
    expect(page.get_by_role("option").first).to_be_visible()
    page.wait_for_function(WITHIN_THE_SCREEN)
    page.wait_for_function("() => document.scrollingElement.scrollWidth <= document.documentElement.clientWidth")
    overflowing = "all => all.filter(one => one.scrollWidth > one.clientWidth + 1).length"
    assert page.locator("dialog, dialog [role=listbox], dialog [role=option]").evaluate_all(overflowing) == 0
    low = page.locator("dialog .search-title, dialog .search-where, dialog .search-summary, dialog .search-kind")
    assert low.evaluate_all(CONTRASTS_BELOW) == []


WITHIN_THE_SCREEN = """() => {
    const box = document.querySelector('dialog').getBoundingClientRect();
    return box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight;
}"""

CONTRASTS_BELOW = """all => {
    const pixel = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
    const light = colours => {
        for (const colour of colours) { pixel.fillStyle = colour; pixel.fillRect(0, 0, 1, 1); }
        const [r, g, b] = [...pixel.getImageData(0, 0, 1, 1).data].slice(0, 3).map(v => v / 255)
            .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    return all.map(one => {
        const layers = [];
        for (let e = one; e; e = e.parentElement) layers.unshift(getComputedStyle(e).backgroundColor);
        const below = ['Canvas', ...layers];
        const [dark, bright] = [light(below), light([...below, getComputedStyle(one).color])].sort((a, b) => a - b);
        return [(bright + 0.05) / (dark + 0.05), one.className];
    }).filter(([contrast]) => contrast < 4.5);
}"""


def test_without_scripts_the_index_is_there_and_the_button_is_not(visit: Opener, base_url: str) -> None:
    page = visit(START, scripts=False).page
    expect(page.get_by_role("button", name="Search")).to_have_count(0)
    page.get_by_role("link", name="A–Z", exact=True).click()
    page.wait_for_url(f"{base_url}/a-z/")
    page.locator("nav.letters").get_by_role("link", name="G", exact=True).click()
    expect(page.locator("#letter-g")).to_be_in_viewport()
    page.locator("dt", has_text="GQA").locator("xpath=following-sibling::dd[1]").get_by_role("link").click()
    expect(page.locator("h1")).to_have_text("Grouped-query attention")


def test_what_search_finds_stands_in_the_index(visit: Opener, base_url: str) -> None:
    page = visit("/a-z/").page
    hrefs = page.locator("dl.index a").evaluate_all("links => links.map(link => link.href)")
    listed = {unquote(href).removeprefix(f"{base_url}/") for href in hrefs}
    wanted = {url for urls in FOUND.values() for url in urls} - {"formula-language/", "contribute/issue-codes/#a214"}
    assert wanted <= listed
