"""What stands side by side has the room that it needs: no column is lost on a phone, and no button covers code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

Opener = Callable[..., Any]

FITS = "selector => [...document.querySelectorAll(selector)].every(e => e.scrollWidth <= e.clientWidth)"
WHOSE = """() => [...document.querySelectorAll('.formulas .part')]
    .map(one => [...one.children].filter(e => e.checkVisibility())[0].textContent)"""
CLEAR = """() => {
    const codes = [...document.querySelectorAll('.code[data-copy]')].filter(e => e.checkVisibility());
    return codes.length > 0 && codes.every(code => {
        const button = code.querySelector('.copy')?.getBoundingClientRect();
        return button && code.querySelector('li, [data-line], code').getBoundingClientRect().top >= button.bottom - 1;
    });
}"""
PHONE = {"width": 390, "height": 844}


def test_a_comparison_on_a_phone_needs_no_scrolling_and_says_whose_each_formula_is(visit: Opener) -> None:
    page = visit("/compare/?a=gpt-2:gpt2&b=mixtral:mixtral-8x7b", idle=True).page
    expect(page.locator("#configuration + .table tbody tr").first).to_be_visible()
    page.wait_for_function(FITS, arg=".table:has(.differing)")
    page.set_viewport_size(PHONE)
    page.wait_for_function(FITS, arg=".table:has(.differing)")
    expect(page.locator("#formulas + .formulas > .side").first).to_be_hidden()
    expect(page.locator(".formulas .of-side").first).to_be_visible()
    told = page.evaluate(WHOSE)
    assert set(told) == {"GPT-2 124M", "Mixtral 8x7B"}
    assert len(told) > 8
    values = "() => [...document.querySelectorAll('.differing tbody td:not(:empty)')].map(e => e.clientWidth)"
    assert min(page.evaluate(values)) > 100, "every value is seen"


def test_models_side_by_side_on_a_phone_have_no_blank_row(visit: Opener) -> None:
    page = visit("/").page
    expect(page.locator(".beside thead")).to_be_visible()
    page.set_viewport_size(PHONE)
    expect(page.locator(".beside thead")).to_be_hidden()
    page.wait_for_function(FITS, arg=".table:has(.beside)")
    rows = page.locator(".beside tbody tr")
    assert rows.count() > 5
    for row in rows.all():
        expect(row.locator("td a").filter(visible=True).first).to_be_visible()
        expect(row.locator("td:has(.none)").filter(visible=True)).to_have_count(0)
    label = "e => getComputedStyle(e, '::before').content"
    assert page.locator(".beside td:has(a)").first.evaluate(label) == '"Mixtral"'


@pytest.mark.parametrize("table", ["figures", "variants"])
def test_a_models_figures_and_variants_fit_a_laptop(visit: Opener, table: str) -> None:
    page = visit("/gpt-2/").page
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(page.locator(f".{table} thead th").filter(has_text="1.5B")).to_be_visible()
    page.wait_for_function(FITS, arg=f".table:has(> .{table})")


def test_a_table_that_is_wider_than_its_box_shows_a_shade_where_it_goes_on(visit: Opener) -> None:
    page = visit("/gpt-2/").page
    page.set_viewport_size(PHONE)
    box = page.locator(".table:has(> .figures)")
    page.wait_for_function(
        "() => (e => e.scrollWidth > e.clientWidth)(document.querySelector('.table:has(> .figures)'))"
    )
    shades = box.evaluate("e => [getComputedStyle(e).backgroundAttachment, getComputedStyle(e).backgroundImage]")
    assert shades[0] == "local, local, scroll, scroll"
    assert shades[1].count("linear-gradient(") == 4

    def end() -> bytes:
        corner = box.bounding_box()
        assert corner is not None
        clip = {"x": corner["x"] + corner["width"] - 3, "y": corner["y"] + 2, "width": 2, "height": 6}
        return bytes(page.screenshot(full_page=True, clip=clip))

    more = end()
    box.evaluate("e => e.scrollTo({left: e.scrollWidth, behavior: 'instant'})")
    page.wait_for_function("() => document.querySelector('.table:has(> .figures)').scrollLeft > 0")
    assert end() != more, "at its end nothing is shaded"


@pytest.mark.parametrize("width", [390, 1280])
def test_the_button_that_copies_covers_no_code(visit: Opener, width: int) -> None:
    for path in ("/gpt-2/decoder/self-attention/", "/gpt-2/"):
        page = visit(path).page
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_function(CLEAR)


def test_the_address_of_search_is_a_page_that_searches(visit: Opener) -> None:
    made = visit("/search/", idle=True)
    assert (made.status, made.complaints) == (200, [])
    field = made.page.locator("dialog input")
    expect(field).to_be_focused()
    made.page.keyboard.type("RMSNorm")
    expect(made.page.locator("dialog [role=option]").first).to_contain_text("RMSNorm")


def test_a_search_can_be_linked_to(visit: Opener) -> None:
    page = visit("/search/?q=rope+half%26").page
    expect(page.get_by_role("combobox")).to_have_value("rope half&")
    expect(page.get_by_role("option").first).to_contain_text("Rotary positions")


def test_without_scripts_the_address_of_search_leads_to_what_it_finds(visit: Opener, base_url: str) -> None:
    page = visit("/search/", scripts=False).page
    page.locator("main a.search-field-open").click()
    expect(page).to_have_url(f"{base_url}/a-z/")


def test_an_unknown_address_offers_the_search(visit: Opener) -> None:
    page = visit("/no-such-page/").page
    page.locator("main [data-search]").click()
    expect(page.locator("dialog input")).to_be_focused()


def test_contents_of_a_page_of_prose_leave_its_title_out(visit: Opener) -> None:
    page = visit("/formula-language/").page
    title = page.locator("h1").text_content() or ""
    expect(page.locator(".toc a").first).to_have_text((page.locator("h2").first.text_content() or "").rstrip("#"))
    assert title not in page.locator(".toc a").all_text_contents()
