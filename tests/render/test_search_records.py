"""What search knows of the pages of a small atlas, and of prose."""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from atlas.render.build import build_site
from atlas.render.pages import PagePlan
from atlas.render.parts import Link
from atlas.render.reference_views import SourceView
from atlas.render.search_found import NAME, NUMBER, SUMMARY, TEXT, grouped, place_of, postings, shown, weight_of
from atlas.render.search_index import search_files
from atlas.render.search_prose import prose_record
from atlas.render.search_records import readable, short
from atlas.render.search_share import FoundShare, found_groups
from atlas.render.search_whole import page_records
from atlas.render.site import FoundKind, Heading, Prose, SearchRecord, Settings, Site

PROJECT = Path(__file__).resolve().parents[1] / "project"
FFN = "transformer/encoder/ffn-layer-norm/"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    workspace = tmp_path_factory.mktemp("workspace")
    built = build_site(Settings(PROJECT, PROJECT / "content", PROJECT / "sources", workspace, site_name="Small"))
    yield built
    built.close()


@dataclass(frozen=True)
class Record:
    """What search knows of one thing."""

    kind: str
    url: str
    title: str
    where: str
    summary: str
    words: dict[str, int]


@pytest.fixture(scope="module")
def records(site: Site) -> list[Record]:
    every = []
    for group in site.found:
        words: list[dict[str, int]] = [{} for _ in range(group.count)]
        for word, numbers in postings(group):
            for one in numbers:
                words[place_of(one)][word] = weight_of(one)
        every += [Record(group.kind, *one, found) for one, found in zip(shown(group), words, strict=True)]
    return every


def found(records: list[Record], url: str, kind: str | None = None) -> Record:
    return next(one for one in records if one.url == url and kind in (None, one.kind))


def test_every_page_but_home_and_the_index_is_found(site: Site, records: list[Record]) -> None:
    pages = {page.url for page in site.pages if page.url and not page.url.startswith("a-z/")}
    pages -= {page.url for page in site.pages if page.kind == "family"}  # its formulations are found instead
    assert pages <= {record.url for record in records}


def test_every_record_leads_to_a_place_that_is_there(site: Site, records: list[Record]) -> None:
    bodies = {page.url: page.body() for page in site.pages}
    for record in records:
        page, _, anchor = record.url.partition("#")
        assert page in bodies
        if anchor:
            assert re.search(rf'\bid="{re.escape(anchor)}"', bodies[page]), record.url


def test_a_component_is_found_by_what_its_page_says(records: list[Record]) -> None:
    record = found(records, FFN)
    assert (record.kind, record.title, record.where) == ("component", "LayerNorm", "Transformer · Encoder · 6 layers")
    words = record.words
    for word in ("layernorm", "norm", "layer_norm", "gamma", "gamma_2", "beta", "epsilon", "512", "1024", "6144"):
        assert word in words, word
    for word in ("layer_norm_scale", "biased", "common_layers.py", "1e6", "gain"):
        assert word in words, word
    assert words["layernorm"] > words["layer_norm"] > words["512"] > words["biased"]


@pytest.mark.parametrize(
    ("word", "url"),
    [("flops", "transformer/"), ("memory", "transformer/"), ("trust", "verification/"), ("cite", "data/")],
)
def test_what_readers_ask_for_leads_to_the_page_that_answers(records: list[Record], word: str, url: str) -> None:
    assert word in found(records, url).words


def test_a_code_of_an_issue_is_found_at_its_place(site: Site, records: list[Record]) -> None:
    record = found(records, "contribute/issue-codes/#a214")
    assert record.title.startswith("A214: ")
    assert record.words["a214"] == max(record.words.values())
    index = next(page for page in site.pages if page.url == "a-z/").body()
    assert "issue-codes/#" not in index


def test_the_reference_of_entries_is_found_by_every_key(records: list[Record]) -> None:
    words = found(records, "contribute/entries/").words
    assert {"formula_not_executed", "shares_weights", "license_text"} <= {*words}


def test_no_record_holds_markup_or_maths_that_was_rendered(records: list[Record]) -> None:
    for record in records:
        for text in (record.title, record.where, record.summary):
            assert "<span" not in text
        assert record.words.keys().isdisjoint(("katexhtml", "mathml", "mrow", "vlist", "linenos", "semantics"))


def test_a_layer_of_a_library_is_found_by_its_public_name_and_its_arguments(records: list[Record]) -> None:
    words = found(records, "chainer/layer-normalization/").words
    for word in ("chainer.links.layernormalization", "layernormalization", "eps", "initial_gamma", "size"):
        assert word in words, word


def test_an_operator_is_found_by_what_else_it_is_called(records: list[Record]) -> None:
    record = found(records, "operators/grouped-query-attention/#grouped-query-attention-causal")
    assert record.kind == "operator"
    assert {"gqa", "mqa", "grouped_query_attention_causal"} <= record.words.keys()


def test_a_model_is_found_by_its_paper_its_variants_and_its_figures(records: list[Record]) -> None:
    record = found(records, "transformer/", "model")
    words = record.words
    assert {"attention", "vaswani", "1706.03762", "512", "base"} <= words.keys()
    assert words["512"] == NUMBER


def test_a_size_is_found_by_its_symbol_its_meaning_and_its_values(records: list[Record]) -> None:
    record = next(
        one for one in records if one.kind == "symbol" and one.title == "d" and one.url.startswith("transformer")
    )
    assert record.url == "transformer/#variants"
    assert {"d", "width", "512"} <= record.words.keys()
    assert "512 in base" in record.summary


def test_a_pinned_file_is_found_by_its_path_and_by_what_documents_it(records: list[Record]) -> None:
    record = found(records, "sources/tensor2tensor/tensor2tensor/models/common_layers.py/")
    assert (record.kind, record.title) == ("source", "common_layers.py")
    assert {"common_layers.py", "tensor2tensor", "layernorm"} <= record.words.keys()


def test_pages_of_models_come_before_those_of_libraries_and_sizes_come_last() -> None:
    def of(kind: FoundKind, title: str) -> SearchRecord:
        return SearchRecord(kind, f"{title}/", title, "", "")

    def share(kind: FoundKind, name: str) -> FoundShare:
        pages = [of(kind, name), of("component", f"{name}/norm")]
        return FoundShare(kind == "model", tuple(grouped(pages)), tuple(grouped([of("symbol", f"d of {name}")])))

    view = SourceView("S", Link("s", ""), "r", "", None, "MIT", "", "", ())
    plan = PagePlan("sources/s/", "source", "S", "S", "", None, None, view)
    shares = [share("library", "a"), share("model", "b")]
    restored = pickle.loads(pickle.dumps(shares))  # noqa: S301 - made here
    assert restored == shares
    others = list(grouped(page_records([plan])))
    groups = list(found_groups(restored, others))
    assert list(search_files(groups)) == list(search_files(found_groups(shares, others)))
    assert [title for group in groups for _, title, _, _ in shown(group)] == [
        *("b", "b/norm", "a", "a/norm"),
        *("S", "d of a", "d of b"),
    ]


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
