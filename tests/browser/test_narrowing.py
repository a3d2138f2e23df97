"""Long lists in a browser: the gallery of models and the claims, narrowed down by the reader and by the address."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, expect

Opener = Callable[..., Any]

CARDS = ".gallery > li"
CLAIMS = "tr[data-item]"


def query(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


class TestGallery:
    def test_a_kind_is_chosen_and_the_address_keeps_it(self, visit: Opener) -> None:
        page = visit("/", idle=True).page
        every = page.locator(CARDS).count()
        page.get_by_label("Kind").select_option("decoder")
        expect(page.locator(f"{CARDS}:visible h3")).to_have_text(["Mixtral", "GPT-2"])
        expect(page.locator("[data-shown]")).to_have_text(f"2 of {every} models")
        assert query(page) == {"kind": ["decoder"]}
        page.reload(wait_until="networkidle")
        expect(page.locator(f"{CARDS}:visible h3")).to_have_text(["Mixtral", "GPT-2"])
        expect(page.get_by_label("Kind")).to_have_value("decoder")
        page.get_by_role("button", name="Show all").click()
        expect(page.locator(f"{CARDS}:visible")).to_have_count(every)
        expect(page.locator("[data-shown]")).to_have_text(f"{every} models")
        assert query(page) == {}

    def test_a_model_is_found_by_the_size_of_any_variant(self, visit: Opener) -> None:
        page = visit("/?parameters=10b", idle=True).page
        expect(page.locator(f"{CARDS}:visible h3")).to_have_text(["GPT-2"])

    def test_what_no_model_has_is_said(self, visit: Opener) -> None:
        page = visit("/?family=GPT&year=2024", idle=True).page
        expect(page.locator(f"{CARDS}:visible")).to_have_count(0)
        expect(page.get_by_role("status")).to_have_text("No model is like this")

    def test_an_unknown_choice_in_the_address_is_none(self, visit: Opener) -> None:
        made = visit("/?kind=nonsense&sort=nonsense", idle=True)
        assert made.complaints == []
        expect(made.page.get_by_label("Kind")).to_have_value("")
        expect(made.page.locator(f"{CARDS}:not(:visible)")).to_have_count(0)

    def test_cards_are_sorted(self, visit: Opener) -> None:
        page = visit("/", idle=True).page
        newest = page.locator(f"{CARDS} h3").all_inner_texts()
        for order, first in (("name", "GPT-2"), ("largest", "Mixtral"), ("smallest", "ResNet")):
            page.get_by_label("Sorted by").select_option(label=order)
            expect(page.locator(f"{CARDS} h3").first).to_have_text(first)
        assert query(page) == {"sort": ["fewest"]}
        page.get_by_label("Sorted by").select_option(label="newest")
        expect(page.locator(f"{CARDS} h3")).to_have_text(newest)

    def test_without_scripts_every_model_is_shown_and_no_choice_that_does_nothing(self, visit: Opener) -> None:
        page = visit("/?kind=nothing", scripts=False).page
        expect(page.locator(f"{CARDS}:visible").first).to_be_visible()
        assert page.locator(f"{CARDS}:visible").count() == page.locator(CARDS).count() > 1
        expect(page.locator("form.narrow")).to_be_hidden()


class TestFirstScreen:
    def test_the_field_opens_the_palette_by_click_and_key(self, visit: Opener) -> None:
        page = visit("/", idle=True).page
        field = page.get_by_role("button", name="Search models, components")
        for open_it in (field.click, lambda: field.press("Enter"), lambda: field.press("Space")):
            open_it()
            expect(page.get_by_role("combobox", name="Search the atlas")).to_be_focused()
            page.keyboard.press("Escape")
            expect(page.locator("dialog.search")).to_be_hidden()

    def test_without_scripts_the_field_leads_to_the_list_of_everything(self, visit: Opener) -> None:
        page = visit("/", scripts=False).page
        page.get_by_role("link", name="Search models, components").click()
        page.wait_for_url("**/a-z/")

    def test_it_says_what_this_is_how_much_is_proved_and_shows_the_first_models(self, visit: Opener) -> None:
        page = visit("/").page
        for place in ("h1", ".masthead .summary", ".search-field-open", ".masthead .totals", "#models", f"{CARDS} h3"):
            expect(page.locator(place).first).to_be_in_viewport()

    def test_examples_of_the_palette_search(self, visit: Opener) -> None:
        page = visit("/", idle=True).page
        page.keyboard.press("/")
        page.locator(".search-examples").get_by_role("button", name="GQA").click()
        expect(page.get_by_role("combobox", name="Search the atlas")).to_have_value("GQA")
        expect(page.locator("dialog [role=option]").first).to_be_visible()
        expect(page.locator(".search-examples")).to_be_hidden()


class TestClaims:
    def test_claims_are_folded_until_they_are_narrowed_down(self, visit: Opener) -> None:
        page = visit("/verification/", idle=True).page
        expect(page.locator(f"{CLAIMS}:visible")).to_have_count(0)
        page.get_by_label("State").select_option("missing")
        not_proved = page.locator(f"{CLAIMS}[data-state=missing]").count()
        expect(page.locator(f"{CLAIMS}:visible")).to_have_count(not_proved)
        expect(page.locator("[data-shown]")).to_have_text(re.compile(rf"^{not_proved} of \d+ claims$"))
        page.get_by_label("Model or library").select_option("mixtral")
        expect(page.locator(f"{CLAIMS}:visible:not([data-of=mixtral])")).to_have_count(0)
        expect(page.locator("section[data-group]:visible")).to_have_count(1)
        assert query(page) == {"of": ["mixtral"], "state": ["missing"]}
        page.reload(wait_until="networkidle")
        expect(page.locator("section[data-group]:visible")).to_have_count(1)
        page.get_by_role("button", name="Show all").click()
        expect(page.locator("section[data-group]:not(:visible)")).to_have_count(0)
        expect(page.locator(f"{CLAIMS}:visible")).to_have_count(0)

    def test_every_claim_names_what_proves_it(self, visit: Opener) -> None:
        commands = visit("/verification/").page.locator(f"{CLAIMS} td:last-child code").all_text_contents()
        assert len(commands) > 100
        assert all(re.match(r"atlas (check|verify) \S", one) for one in commands)

    def test_an_address_of_a_component_opens_the_fold_that_it_is_in(self, visit: Opener) -> None:
        page = visit("/verification/#entry-gpt-2--decoder--self-attention", idle=True).page
        expect(page.locator("#entry-gpt-2--decoder--self-attention")).to_be_visible()

    def test_without_scripts_folds_open_and_hold_everything(self, visit: Opener) -> None:
        page = visit("/verification/", scripts=False).page
        expect(page.locator("form.narrow")).to_be_hidden()
        page.locator("details > summary", has_text="of Mixtral").click()
        expect(page.locator(f"{CLAIMS}[data-of=mixtral]").first).to_be_visible()


class TestEntrance:
    def test_facts_and_diagram_are_on_the_first_screen_beside_each_other(self, visit: Opener) -> None:
        page = visit("/mixtral/").page
        facts, diagram = page.locator(".fact-bar").bounding_box(), page.locator("svg.diagram").bounding_box()
        assert facts is not None
        assert diagram is not None
        assert facts["x"] + facts["width"] <= diagram["x"]
        assert max(facts["y"], diagram["y"]) < 600
        for fact in ("46,702,792,704", "12,879,925,248", "131,072 bytes", "any length", "2024", "Apache-2.0"):
            expect(page.locator(".fact-bar")).to_contain_text(fact)

    def test_a_wide_diagram_has_the_whole_width_below_the_facts(self, visit: Opener) -> None:
        page = visit("/transformer/").page
        facts, diagram = page.locator(".fact-bar").bounding_box(), page.locator("svg.diagram").bounding_box()
        assert facts is not None
        assert diagram is not None
        assert facts["y"] + facts["height"] <= diagram["y"]

    def test_facts_lead_to_where_more_is_said(self, visit: Opener) -> None:
        page = visit("/mixtral/").page
        page.locator(".fact-bar").get_by_role("link", name="for more tokens").click()
        expect(page.locator("#calculator")).to_be_in_viewport()
        page.locator(".fact-bar").get_by_role("link", name="each with its proof").click()
        page.wait_for_url("**/verification/#of-mixtral")


def test_text_twice_as_large_never_makes_a_page_scroll_sideways(visit: Opener) -> None:
    for path in (
        "/",
        "/mixtral/",
        "/verification/",
        "/compare/",
        "/operators/layer-norm/",
        "/gpt-2/decoder/self-attention/",
    ):
        page = visit(path, idle=True).page
        page.set_viewport_size({"width": 1280, "height": 900})
        page.evaluate("() => { document.documentElement.style.fontSize = '200%' }")
        expect(page.locator("h1")).to_be_visible()
        page.wait_for_function("() => document.scrollingElement.scrollWidth <= 1280")


def test_the_colours_of_a_component_are_those_of_its_kind(visit: Opener) -> None:
    def colour(page: Page, place: str, what: str) -> str:
        return str(page.locator(place).first.evaluate(f"e => getComputedStyle(e).{what}"))

    page = visit("/gpt-2/").page
    card = colour(page, "svg.diagram .node.kind-attention .card", "stroke")
    segment = colour(page, ".segment.kind-attention rect", "fill")
    component = visit("/gpt-2/decoder/self-attention/").page
    column = colour(component, ".structure [aria-current]", "getPropertyValue('--kind')")
    formula = colour(component, ".formula", "borderLeftColor")
    badge = colour(component, ".masthead .badge", "boxShadow")
    assert card == segment == formula
    assert card in badge
    assert column.strip()
