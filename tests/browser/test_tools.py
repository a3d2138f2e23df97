"""What scripts add, in a browser: the calculator, the comparison, symbols that answer, and copies as NumPy."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

Opener = Callable[..., Any]

SITE = Path(__file__).parents[2] / "site"
BUDGET = 15 * 1024
"""How many compressed bytes of scripts a component's page may load."""
COMPONENT = "/gpt-2/decoder/self-attention/"


@pytest.fixture
def calculator(visit: Opener) -> Callable[..., Any]:
    """Opens a model's page and says how to read a figure of its calculator."""

    def opened(path: str) -> Any:
        made = visit(path, idle=True)
        assert made.complaints == []
        assert made.foreign == []
        return made.page

    return opened


def figure(page: Any, key: str) -> str:
    return str(page.locator(f'[data-result="{key}"]').first.inner_text())


def error(page: Page, name: str) -> Locator:
    """The error beside a field."""
    field = page.locator(f'[data-size="{name}"]')
    return page.locator(f"#{field.get_attribute('aria-describedby')}")


class TestCalculator:
    def test_before_anything_is_typed_it_shows_the_first_variant_and_loads_nothing(self, visit: Opener) -> None:
        asked: list[str] = []
        made = visit("/")
        made.page.on("request", lambda request: asked.append(request.url))
        made.page.goto(made.page.url.rstrip("/") + "/gpt-2/", wait_until="networkidle")
        assert figure(made.page, "total") == "124,439,808"
        assert figure(made.page, "token") == "18,432"
        assert not [url for url in asked if url.endswith(".json")]

    def test_a_typed_size_is_counted(self, calculator: Callable[..., Any]) -> None:
        page = calculator("/gpt-2/")
        page.locator('[data-size="N"]').fill("24")
        page.wait_for_function("() => document.querySelector('[data-layers=decoder]').textContent === '24'")
        expect(page.locator('[data-result="total"]').first).to_have_text(f"{124_439_808 + 12 * 7_087_872:,}")
        expect(page.locator('[data-stack="decoder"]')).to_have_text(f"{24 * 7_087_872:,}")

    def test_a_variant_fills_the_fields(self, calculator: Callable[..., Any]) -> None:
        page = calculator("/gpt-2/")
        page.locator("[data-variant]").select_option("gpt2-xl")
        page.wait_for_function("() => document.querySelector('[data-size=d]').value === '1600'")
        expect(page.locator('[data-result="total"]').first).to_have_text("1,557,611,200")
        expect(page).to_have_url(re.compile("variant=gpt2-xl"))

    def test_the_address_brings_the_sizes_back(self, calculator: Callable[..., Any]) -> None:
        page = calculator("/mixtral/")
        page.locator('[data-size="n_e"]').fill("16")
        page.locator('[data-size="h_{kv}"]').fill("16")
        expect(page.locator('[data-result="total"]').first).not_to_have_text("46,702,792,704")
        page.wait_for_function("() => location.search.includes('h_')")
        total, token = figure(page, "total"), figure(page, "token")
        assert parse_qs(urlsplit(page.url).query) == {"n_e": ["16"], "h_{kv}": ["16"]}
        page.reload(wait_until="networkidle")
        expect(page.locator('[data-size="n_e"]')).to_have_value("16")
        expect(page.locator('[data-result="total"]').first).to_have_text(total)
        expect(page.locator('[data-result="token"]').first).to_have_text(token)
        assert page.locator("[data-share]").evaluate("e => e.href") == page.url.split("#")[0] + "#calculator"

    def test_lists_are_read_layer_by_layer(self, calculator: Callable[..., Any]) -> None:
        page = calculator("/resnet/")
        page.locator('[data-size="m"]').fill("3, 4, 23, 3")
        page.wait_for_function("() => document.querySelector('[data-result=total]').textContent === '44,549,160'")
        page.locator('[data-size="m"]').fill("3, 4, 23")
        page.wait_for_selector("[data-size=m][aria-invalid]")
        expect(error(page, "m")).to_have_text("m has 3 values, but stages has 4 layers")

    def test_what_does_not_fit_is_said_beside_the_field(self, calculator: Callable[..., Any]) -> None:
        page = calculator("/gpt-2/")
        page.locator('[data-size="h"]').fill("7")
        page.wait_for_selector("[data-size=h][aria-invalid]")
        expect(error(page, "h")).to_have_text("decoder: d_k: 768/7 is no whole number, for d = 768, h = 7")
        expect(error(page, "d")).to_have_text("")
        page.locator('[data-size="h"]').fill("twelve")
        page.wait_for_function("() => document.body.textContent.includes('a whole number belongs here')")
        page.locator('[data-size="h"]').fill("16")
        page.wait_for_selector("[data-size=h]:not([aria-invalid])")
        page.wait_for_function("() => document.querySelector('[data-size=h]').value === '16'")
        expect(error(page, "h")).to_have_text("")
        expect(page.locator('[data-result="total"]').first).to_have_text("124,439,808")  # heads change no count

    def test_the_tokens_of_the_cache(self, calculator: Callable[..., Any]) -> None:
        page = calculator("/gpt-2/?tokens=1,000")
        expect(page.locator('[data-result="tokens"]').first).to_have_text(f"{18_432 * 4 * 1000:,}")
        row = page.locator("tr", has=page.locator('[data-result="tokens"]')).first
        expect(row).to_contain_text("73,728,000 bytes")
        expect(row).to_contain_text("70.3 MiB")

    def test_one_sentence_is_heard_for_all_figures(self, calculator: Callable[..., Any]) -> None:
        page = calculator("/gpt-2/")
        expect(page.locator("[data-said]")).to_be_empty()
        page.locator('[data-size="N"]').fill("24")
        expect(page.locator("[data-said]")).to_have_text(f"{124_439_808 + 12 * 7_087_872:,} parameters at these sizes")
        assert page.locator("form.calculator output:not([aria-live=off])").count() == 0

    def test_the_sizes_of_the_variant_come_back(self, calculator: Callable[..., Any]) -> None:
        page = calculator("/gpt-2/?variant=gpt2-xl&N=3&tokens=7")
        expect(page.locator('[data-size="N"]')).to_have_value("3")
        page.get_by_role("button", name="Back to the variant’s sizes").click()
        expect(page.locator('[data-size="N"]')).to_have_value("48")
        expect(page.locator("[data-tokens]")).to_have_value("1024")
        expect(page.locator('[data-result="total"]')).to_have_text("1,557,611,200")
        assert parse_qs(urlsplit(page.url).query) == {"variant": ["gpt2-xl"]}

    def test_the_address_is_copied(self, calculator: Callable[..., Any]) -> None:
        page = calculator("/gpt-2/?N=3")
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.locator("[data-share]").click()
        expect(page.locator("[data-share]")).to_have_text("Address copied")
        assert page.evaluate("() => navigator.clipboard.readText()").endswith("/gpt-2/?N=3#calculator")

    def test_without_scripts_the_figures_are_there(self, visit: Opener) -> None:
        page = visit("/gpt-2/", scripts=False).page
        assert figure(page, "total") == "124,439,808"
        assert "Without scripts" in page.locator("form.calculator").inner_text()


class TestCompare:
    def test_two_models_by_address(self, visit: Opener) -> None:
        made = visit("/compare/?a=gpt-2:gpt2&b=mixtral:mixtral-8x7b", idle=True)
        page = made.page
        assert (made.complaints, made.foreign) == ([], [])
        shown = [text.rstrip(" #") for text in page.locator("[data-comparison] h2").all_inner_texts()]
        assert shown[:6] == ["At a glance", "Structure", "Configuration", "Parameters", "Cache", "Formulas"]
        text = page.locator("[data-comparison]").inner_text()
        for expected in (
            "124,439,808",
            "46,702,792,704",
            "12,879,925,248",
            "36,864",
            "131,072",
            "Kind",
            "layer_norm_epsilon",
        ):
            assert expected in text, expected
        assert page.title().startswith("GPT-2 124M and Mixtral 8x7B")
        assert page.locator("[data-comparison] .katex").count() > 20
        assert page.locator('.part[data-kind="attention"]').first.inner_text().startswith("Causal self-attention")

    def test_what_differs_is_said_first_and_alone_where_one_wants_it(self, visit: Opener) -> None:
        page = visit("/compare/?a=gpt-2:gpt2&b=mixtral:mixtral-8x7b", idle=True).page
        glance = page.get_by_role("group", name="At a glance")
        told = {row.locator("th").inner_text(): row for row in glance.locator("tbody tr").all()}
        expect(told["Normalization"]).to_contain_text("LayerNorm")
        expect(told["Normalization"]).to_contain_text("RMSNorm")
        expect(told["Normalization"]).to_have_class("differs")
        expect(told["Kind"]).to_have_class("alike")
        expect(told["Cache per token in bfloat16"]).to_contain_text("131,072 bytes (128 KiB)")
        expect(told["Kind"]).to_be_visible()
        page.get_by_label("Only what differs").check()
        expect(told["Kind"]).to_be_hidden()
        expect(told["Normalization"]).to_be_visible()
        expect(page.locator("[data-comparison] .alike:visible")).to_have_count(0)
        assert urlsplit(page.url).query.endswith("&only=differences")
        page.reload(wait_until="networkidle")
        expect(page.get_by_label("Only what differs")).to_be_checked()
        expect(page.locator("[data-comparison] tr.differs").first).to_be_visible()
        expect(page.locator("[data-comparison] .alike:visible")).to_have_count(0)

    def test_settings_of_one_meaning_share_a_row(self, visit: Opener) -> None:
        page = visit("/compare/?a=gpt-2:gpt2&b=mixtral:mixtral-8x7b", idle=True).page
        rows = page.get_by_role("group", name="Configuration").locator("tbody tr")
        row = rows.filter(has_text="activation_function")
        expect(row.locator("th")).to_have_text("activation_function / hidden_act")
        expect(row.locator("td")).to_have_text(["gelu_new", "silu"])
        expect(rows.filter(has_text="hidden_act")).to_have_count(1)

    def test_variants_of_one_model_differ_in_sizes_and_not_in_structure(self, visit: Opener) -> None:
        page = visit("/compare/?a=gpt-2:gpt2&b=gpt-2:gpt2-xl", idle=True).page
        structure = page.locator("#structure ~ details.unfold").first
        expect(page.locator("#structure + p")).to_contain_text("the same components")
        expect(structure.locator(".sides")).to_be_hidden()
        structure.locator("summary").first.click()
        expect(structure.locator(".sides")).to_be_visible()
        expect(page.locator("#formulas + p")).to_have_text("All formulas are the same.")
        expect(page.locator("#configuration + .table tr.differs", has_text="model width")).to_contain_text("1,600")

    def test_one_on_both_sides_is_said(self, visit: Opener) -> None:
        page = visit("/compare/?a=gpt-2:gpt2&b=gpt-2:gpt2", idle=True).page
        expect(page.locator("[data-comparison] .warning")).to_contain_text("is on both sides")
        expect(page.locator("[data-comparison] tr.differs")).to_have_count(0)

    def test_components_stand_beside_their_like(self, visit: Opener) -> None:
        page = visit("/compare/?a=gpt-2:gpt2&b=mixtral:mixtral-8x7b", idle=True).page
        cells = page.locator("#structure + .sides > *")
        expect(cells.first).to_be_visible()
        texts = [text.replace("\n", " ") for text in cells.all_inner_texts()]
        pairs = list(zip(texts[::2], texts[1::2], strict=True))
        attention = next(pair for pair in pairs if pair[0].startswith("Causal self-attention"))
        assert attention[1].startswith("Causal grouped-query attention")
        assert any(not left and right.startswith("Rotary positions of queries") for left, right in pairs)

    def test_the_address_follows_the_choice(self, visit: Opener) -> None:
        page = visit("/compare/", idle=True).page
        page.locator("#compare-a").select_option("resnet:resnet-50")
        page.locator("#compare-b").select_option("resnet:resnet-101")
        page.wait_for_function("() => document.title.startsWith('ResNet 50 layers and ResNet 101 layers')")
        page.wait_for_function("() => location.search === '?a=resnet:resnet-50&b=resnet:resnet-101'")
        expect(page.locator("[data-comparison] summary", has_text="The same formula").first).to_be_visible()
        page.get_by_role("button", name="Swap sides").click()
        page.wait_for_function("() => document.title.startsWith('ResNet 101 layers and ResNet 50 layers')")
        page.wait_for_function("() => location.search === '?a=resnet:resnet-101&b=resnet:resnet-50'")

    def test_a_model_alone_is_its_first_variant_and_the_unknown_is_named(self, visit: Opener) -> None:
        page = visit("/compare/?a=mixtral&b=nowhere:else", idle=True).page
        expect(page.locator("#compare-a")).to_have_value("mixtral:mixtral-8x7b")
        expect(page.locator("[data-error]")).to_contain_text("The atlas has no nowhere:else")

    def test_without_scripts_models_and_variants_are_side_by_side(self, visit: Opener) -> None:
        text = visit("/compare/", scripts=False).page.locator("main").inner_text()
        for expected in (
            "All models",
            "Variants of GPT-2",
            "1,557,611,200",
            "46,702,792,704",
            "The same in all of them",
        ):
            assert expected in text, expected

    @pytest.mark.parametrize("width", [320, 390, 768, 1440])
    def test_it_fits_every_screen(self, visit: Opener, width: int) -> None:
        for path in ("/compare/?a=gpt-2:gpt2&b=mixtral:mixtral-8x7b", "/resnet/?c_0=32"):
            page = visit(path, idle=True).page
            page.set_viewport_size({"width": width, "height": 800})
            page.wait_for_function("width => document.scrollingElement.scrollWidth <= width", arg=width)


class TestSymbols:
    def test_hovering_shows_axes_and_meaning_and_marks_other_uses(self, visit: Opener) -> None:
        page = visit(COMPONENT).page
        page.locator(".formula .katex-html [data-symbol]").filter(has_text="Q").first.hover()
        card = page.locator("#symbol-card")
        card.wait_for(state="visible")
        expect(card.locator("div").last).to_have_text("what asks")
        expect(card).to_contain_text("768")
        expect(page.locator(".formula .symbol-lit").first).to_be_visible()
        expect(page.locator(".facts .symbol-lit").first).to_be_visible()
        page.keyboard.press("Escape")
        expect(card).to_be_hidden()
        expect(page.locator(".symbol-lit")).to_have_count(0)

    def test_focusing_does_the_same(self, visit: Opener) -> None:
        page = visit(COMPONENT).page
        page.locator(".facts [data-symbol][tabindex='0']").first.focus()
        card = page.locator("#symbol-card")
        card.wait_for(state="visible")
        expect(page.locator(":focus")).to_have_attribute("aria-describedby", "symbol-card")
        expect(page.locator(".formula .symbol-lit").first).to_be_visible()

    def test_nothing_that_is_hidden_from_screen_readers_takes_the_focus(self, visit: Opener) -> None:
        assert visit(COMPONENT).page.locator("[aria-hidden='true'] [tabindex]").count() == 0

    def test_marks_move_nothing_and_copying_gives_the_authors_tex(self, visit: Opener) -> None:
        page = visit(COMPONENT).page
        tex = str(page.locator(".formula annotation").text_content())
        assert "textcolor" not in tex
        assert r"\operatorname{softmax}\left(\frac{(QW_i^Q+b_i^Q)(KW_i^K+b_i^K)^\top}{\sqrt{d_k}}+M\right)" in tex
        assert "textcolor" not in page.content()
        assert page.locator(".formula mstyle[mathcolor]").count() == 0
        marked = page.locator(".formula .katex-html [data-symbol]").evaluate_all(
            "all => all.map(e => e.dataset.symbol)"
        )
        assert len(set(marked)) > 10


class TestNumpy:
    def test_the_copy_runs(self, visit: Opener) -> None:
        page = visit(COMPONENT).page
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.get_by_role("link", name="Copy as NumPy").click()
        page.get_by_role("link", name="Copied").wait_for()
        text = page.evaluate("() => navigator.clipboard.readText()")
        assert text.startswith(
            "# In GPT-2, Causal self-attention: multi_head_attention_causal(Q=Q, K=K, V=V, W_q=W_q, "
        )
        namespace: dict[str, Any] = {}
        exec(text, namespace)  # noqa: S102 - that it runs is the point
        random = np.random.default_rng(1)
        x, weights, out = random.normal(size=(5, 6)), random.normal(size=(2, 6, 3)), random.normal(size=(6, 6))
        made = namespace["multi_head_attention_causal"](x, x, x, weights, weights, weights, out)
        assert made.shape == (5, 6)

    def test_without_scripts_it_is_a_file(self, visit: Opener) -> None:
        page = visit(COMPONENT, scripts=False).page
        target = page.get_by_role("link", name="Copy as NumPy").get_attribute("href")
        assert target is not None
        assert (SITE / COMPONENT.strip("/") / target).resolve().is_file()


@pytest.mark.parametrize("path", [COMPONENT, "/operators/layer-norm/"])
def test_scripts_stay_small_and_nothing_waits_for_them(visit: Opener, path: str) -> None:
    page = visit(path).page
    scripts = page.evaluate(
        "() => [...document.scripts].map(e => [new URL(e.src).pathname, !e.async && !e.defer && e.type !== 'module'])"
    )
    assert scripts
    base = urlsplit(page.url).path.removesuffix(path)
    sizes = {name: len(gzip.compress((SITE / name.removeprefix(base).lstrip("/")).read_bytes())) for name, _ in scripts}
    assert sum(sizes.values()) <= BUDGET, sizes
    assert [name for name, is_waited_for in scripts if is_waited_for] == []


def test_data_of_a_model_is_small() -> None:
    for file in [*SITE.glob("compare/*.json"), *SITE.glob("calculator/*.json")]:
        assert len(gzip.compress(file.read_bytes())) < BUDGET, file
        assert json.loads(file.read_text(encoding="utf-8"))["variants"]
