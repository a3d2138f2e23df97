"""The Markdown versions of pages: their tables, links and excerpts."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from atlas.checks.checked import Checked
from atlas.markup.markdown import inline_maths
from atlas.markup.prose import parse
from atlas.render.alternates import MARKDOWN
from atlas.render.llms import FILE
from atlas.render.site import Site
from tests.render.beside_pages import joined
from tests.render.real_atlas import ATLAS


@pytest.fixture(scope="module")
def site(whole_site: Site) -> Site:
    return whole_site


@pytest.fixture(scope="module")
def checked(whole_checked: Checked) -> Checked:
    return whole_checked


@cache
def parsed(text: str) -> Any:
    return parse(text)


def test_every_page_has_a_markdown_version(site: Site, texts: dict[str, str]) -> None:
    assert {f"{page.url}index.md" for page in site.pages} == {url for url in texts if url.endswith(".md")}
    for page in site.pages:
        form = next(one for one in page.alternates if one.type == MARKDOWN)
        assert form.url == f"{page.url}index.md"
        assert parsed(texts[form.url]).title


def test_every_link_of_a_markdown_version_leads_to_a_file_or_page(site: Site, texts: dict[str, str]) -> None:
    known = {asset.url for asset in (*site.assets, *site.forms)} | {page.url for page in site.pages} | {FILE}
    by_url = {asset.url: asset for asset in (*site.assets, *site.forms)}
    for url, text in texts.items():
        if not url.endswith(".md"):
            continue
        found = [
            str(child.attrs["href"])
            for token in parsed(text).tokens
            for child in token.children or ()
            if child.type == "link_open"
        ]
        inside = [link for link in found if "://" not in link]
        assert inside, url
        assert {joined(url, link).partition("?")[0] for link in inside} <= known, url
        assert set(inside) <= by_url[url].links.union(by_url[url].more_links()), url


def test_tables_are_tables(texts: dict[str, str]) -> None:
    rows = 0
    for url, text in texts.items():
        if not url.endswith(".md"):
            continue
        tokens = parsed(text).tokens
        code = {
            number
            for token in tokens
            if token.type in ("fence", "code_block", "math_block") and token.map
            for number in range(*token.map)
        }
        written = sum(line.startswith("|") for number, line in enumerate(text.split("\n")) if number not in code)
        tables = sum(token.type == "table_open" for token in tokens)
        read = sum(token.type == "tr_open" for token in tokens)
        assert written == read + tables, url  # a table's second line is no row
        for number, (line, after) in enumerate(pairwise(text.split("\n"))):
            if number not in code and re.fullmatch(r"\|( ?-+ ?\|)+ ?", line):
                head = text.split("\n")[number - 1]
                assert bars(head) == bars(line), (url, head)
                assert bars(after) == bars(line), (url, after)
        rows += read
    assert rows > 500


def bars(line: str) -> int:
    return len(re.findall(r"(?<!\\)\|", line))


@pytest.mark.parametrize("entry", ATLAS.entries, ids=lambda one: one.id)
def test_a_component_says_in_markdown_what_its_entry_says(texts: dict[str, str], entry: Any) -> None:
    text = texts[f"{entry.id}/index.md"]
    found = parsed(text)
    assert found.title == entry.data.title
    displayed = [formula.tex.split() for formula in found.formulas if formula.display]
    assert displayed == [entry.data.formula.split()]
    inline = {formula.tex for formula in found.formulas if not formula.display}
    assert {inline_maths(symbol)[1:-1] for symbol in entry.data.symbols} <= inline
    for claim in entry.data.sources:
        manifest = ATLAS.sources[claim.source].data
        assert f"**{claim.id}**" in text
        assert manifest.link(claim.path, *claim.span) in text
        assert f"[{manifest.license}]" in text
    fences = [token.content for token in found.tokens if token.type == "fence"]
    assert len(fences) == len(entry.data.sources) + 1


def test_excerpts_in_markdown_are_the_pinned_lines(texts: dict[str, str], checked: Checked) -> None:
    for entry in checked.entries:
        fences = [
            token.content for token in parsed(texts[f"{entry.entry.id}/index.md"]).tokens if token.type == "fence"
        ]
        for claim, fence in zip(entry.claims, fences, strict=False):
            assert claim.excerpt is not None
            assert [line.rstrip() for line in fence.rstrip().split("\n")] == [
                line.rstrip() for line in claim.excerpt.text.rstrip().split("\n")
            ], (entry.entry.id, claim.claim.id)


def test_a_passage_says_wherever_it_is_published_of_what_it_is_a_part(
    site: Site, texts: dict[str, str], data: dict[str, Any]
) -> None:
    name = "gpt-2/input/token-embedding"
    wholes = [
        {"name": "GPT2Model", "first_line": 484, "last_line": 627},
        {"name": "GPT2Model.__init__", "first_line": 486, "last_line": 502},
    ]
    claims = data[f"api/v1/components/{name}.json"]["claims"]
    assert next(one for one in claims if (one["first_line"], one["last_line"]) == (485, 492))["part_of"] == wholes
    body = next(page for page in site.pages if page.url == f"{name}/").body()
    sentence = "<code>GPT2Model</code> (lines 484–627) and <code>GPT2Model.__init__</code> (lines 486–502)"
    assert f'<p class="where">A part of {sentence}</p><div class="code"' in body
    assert re.search(
        r"\nA part of `GPT2Model` \(lines 484–627\) and `GPT2Model.__init__` \(lines 486–502\):\n+```",
        texts[f"{name}/index.md"],
    )


def test_a_passage_that_is_whole_is_no_part(data: dict[str, Any], texts: dict[str, str]) -> None:
    claims = data["api/v1/components/resnet/input/convolution.json"]["claims"]
    assert [one["part_of"] for one in claims] == [[]] * len(claims)
    assert "A part of" not in texts["resnet/input/convolution/index.md"]
