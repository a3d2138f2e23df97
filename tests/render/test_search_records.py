"""What search knows of the pages of a small atlas, and of prose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from atlas.render.build import build_site
from atlas.render.search_index import NAME, NUMBER, SUMMARY, TEXT, weighted
from atlas.render.search_records import prose_record, readable, short
from atlas.render.site import Heading, Prose, SearchRecord, Settings, Site

PROJECT = Path(__file__).resolve().parents[1] / "project"
FFN = "transformer/encoder/ffn-layer-norm/"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    workspace = tmp_path_factory.mktemp("workspace")
    built = build_site(Settings(PROJECT, PROJECT / "content", PROJECT / "sources", workspace, site_name="Small"))
    yield built
    built.close()


def found(site: Site, url: str, kind: str | None = None) -> SearchRecord:
    return next(one for one in site.records if one.url == url and kind in (None, one.kind))


def test_every_page_but_home_and_the_index_is_found(site: Site) -> None:
    pages = {page.url for page in site.pages if page.url and not page.url.startswith("a-z/")}
    pages -= {page.url for page in site.pages if page.kind == "family"}  # its formulations are found instead
    assert pages <= {record.url for record in site.records}


def test_every_record_leads_to_a_place_that_is_there(site: Site) -> None:
    bodies = {page.url: page.body() for page in site.pages}
    for record in site.records:
        page, _, anchor = record.url.partition("#")
        assert page in bodies
        if anchor:
            assert re.search(rf'\bid="{re.escape(anchor)}"', bodies[page]), record.url


def test_a_component_is_found_by_what_its_page_says(site: Site) -> None:
    record = found(site, FFN)
    assert (record.kind, record.title, record.where) == ("component", "LayerNorm", "Transformer · Encoder · 6 layers")
    words = weighted(record)
    for word in ("layernorm", "norm", "layer_norm", "gamma", "gamma_2", "beta", "epsilon", "512", "1024", "6144"):
        assert word in words, word
    for word in ("layer_norm_scale", "biased", "common_layers.py", "1e6", "gain"):
        assert word in words, word
    assert words["layernorm"] > words["layer_norm"] > words["512"] > words["biased"]


def test_a_code_of_an_issue_is_found_at_its_place(site: Site) -> None:
    record = found(site, "contribute/issue-codes/#a214")
    assert record.title.startswith("A214: ")
    assert weighted(record)["a214"] == max(weighted(record).values())
    index = next(page for page in site.pages if page.url == "a-z/").body()
    assert "issue-codes/#" not in index


def test_the_reference_of_entries_is_found_by_every_key(site: Site) -> None:
    words = weighted(found(site, "contribute/entries/"))
    assert {"formula_not_executed", "shares_weights", "license_text"} <= {*words}


def test_no_record_holds_markup_or_maths_that_was_rendered(site: Site) -> None:
    for record in site.records:
        for text in (record.title, record.where, record.summary, *(text for _, text in record.texts)):
            assert "<span" not in text
            assert "katex" not in text


def test_a_layer_of_a_library_is_found_by_its_public_name_and_its_arguments(site: Site) -> None:
    words = weighted(found(site, "chainer/layer-normalization/"))
    for word in ("chainer.links.layernormalization", "layernormalization", "eps", "initial_gamma", "size"):
        assert word in words, word


def test_an_operator_is_found_by_what_else_it_is_called(site: Site) -> None:
    record = found(site, "operators/grouped-query-attention/#grouped-query-attention-causal")
    assert record.kind == "operator"
    assert {"gqa", "mqa", "grouped_query_attention_causal"} <= weighted(record).keys()


def test_a_model_is_found_by_its_paper_its_variants_and_its_figures(site: Site) -> None:
    record = found(site, "transformer/", "model")
    words = weighted(record)
    assert {"attention", "vaswani", "1706.03762", "512", "base"} <= words.keys()
    assert any(weight == NUMBER for weight, _ in record.texts)


def test_a_size_is_found_by_its_symbol_its_meaning_and_its_values(site: Site) -> None:
    record = next(
        one for one in site.records if one.kind == "symbol" and one.title == "d" and one.url.startswith("transformer")
    )
    assert record.url == "transformer/#variants"
    assert {"d", "width", "512"} <= weighted(record).keys()
    assert "512 in base" in record.summary


def test_a_pinned_file_is_found_by_its_path_and_by_what_documents_it(site: Site) -> None:
    record = found(site, "sources/tensor2tensor/tensor2tensor/models/common_layers.py/")
    assert (record.kind, record.title) == ("source", "common_layers.py")
    assert {"common_layers.py", "tensor2tensor", "layernorm"} <= weighted(record).keys()


def test_prose_is_found_by_its_text_and_shown_by_its_beginning() -> None:
    html = (
        "<h1>Notes</h1><p>Why <em>norm</em>s are <code>here</code>.</p><h2>Gains &amp; biases</h2>" + "<p>word</p>" * 80
    )
    headings = (Heading(1, "notes", "Notes"), Heading(2, "gains", "Gains & biases"))
    record = prose_record("notes/", "Notes", Prose("", "Notes", headings, html))
    assert record.texts[0] == (SUMMARY, "Gains & biases")
    assert record.texts[-1] == (TEXT, "Notes Why norms are here. Gains & biases" + " word" * 80)
    assert record.summary.startswith("Why norms are here. Gains & biases word")
    assert record.summary.endswith("word …")
    assert len(record.summary) <= 202
    assert (NAME, "Notes") not in record.texts


@pytest.mark.parametrize(
    ("tex", "plain"),
    [
        ("d", "d"),
        ("h_{kv}", "h_kv"),
        (r"\gamma_2", "γ_2"),
        (r"\Gamma", "Γ"),
        (r"\varepsilon", "ε"),
        (r"\ell", "ℓ"),
        (r"d_{\text{model}}", "d_model"),
        (r"\hat q", "hat q"),
        (r"\sigma \omega", "σω"),
    ],
)
def test_a_symbol_can_be_shown_without_typesetting(tex: str, plain: str) -> None:
    assert readable(tex) == plain


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        ("46,702,792,704", ["46.7B", "47B"]),
        ("124,439,808", ["124.4M", "124M"]),
        ("1,500,000,000,000", ["1.5T", "2T"]),
        ("7,000,000", ["7.0M", "7M"]),
        ("999,999", []),
        ("1/2", []),
        ("", []),
    ],
)
def test_a_large_count_is_found_as_people_write_it(count: str, shown: list[str]) -> None:
    assert list(short(count)) == shown
