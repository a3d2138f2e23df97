"""Citations: of every entity with its address, and of the publications."""

from __future__ import annotations

import pickle
import re
from importlib.metadata import version

import pytest

from atlas.checks.checked import Checked
from atlas.entries.collection import Model
from atlas.render.alternates import CITED
from atlas.render.citation import PACKAGE, Citations, citation_share
from atlas.render.pages import PagePlan
from atlas.render.site import Site
from tests.render.beside_pages import text_of
from tests.render.real_atlas import ATLAS


@pytest.fixture(scope="module")
def site(whole_site: Site) -> Site:
    return whole_site


@pytest.fixture(scope="module")
def checked(whole_checked: Checked) -> Checked:
    return whole_checked


SITE_URL = "https://example.org/atlas/"


def test_every_entity_is_cited_with_its_address(site: Site, texts: dict[str, str]) -> None:
    cited = {page.url: texts[f"{page.url}cite.bib"] for page in site.pages if page.kind in CITED}
    keys = [re.findall(r"@misc\{([^,]+),", text) for text in cited.values()]
    for url, text in cited.items():
        assert f"url = {{{SITE_URL}{url}}}" in text
        assert "author = {{The contributors of " in text
        assert f"note = {{OpenModelAtlas {version('openmodelatlas')}}}" in text
        assert text.count("{") == text.count("}")
    assert len({one[0] for one in keys}) == len(keys)
    assert {f"{page.url}cite.bib" for page in site.pages if page.kind not in CITED}.isdisjoint(texts)


def test_the_whole_atlas_is_cited_with_every_publication(texts: dict[str, str]) -> None:
    text = texts["api/v1/atlas.bib"]
    models = [name for name, one in ATLAS.collections.items() if isinstance(one.data, Model)]
    assert re.findall(r"@misc\{([^,]+),", text) == ["atlas", *models]
    assert "year" not in text.partition("\n\n")[0]  # nothing depends on the day of the build


def test_a_model_is_cited_with_its_publication(checked: Checked, texts: dict[str, str]) -> None:
    shares = [citation_share(one) for one in checked.collections.values()]
    assert pickle.loads(pickle.dumps(shares)) == shares  # noqa: S301 - made here
    view = object()
    plans = [PagePlan(f"{name}/", "model", name, f"The {name}", "", None, None, view) for name in ("gpt-2", "chainer")]
    citations = Citations(shares, "Atlas", "")
    files = {one.url: one for one in (*map(citations.of_page, plans), citations.of_atlas())}
    written = {url: text_of(one) for url, one in files.items()}
    assert list(written) == ["gpt-2/cite.bib", "chainer/cite.bib", "api/v1/atlas.bib"]
    own = re.findall(r"@misc\{([^,]+),\n  title = \{([^}]+)\}", written["gpt-2/cite.bib"])
    paper = ATLAS.collections["gpt-2"].data
    assert isinstance(paper, Model)
    assert own == [("atlas:gpt-2", "The gpt-2"), ("gpt-2", paper.paper.title)]
    assert written["chainer/cite.bib"] == (
        "@misc{atlas:chainer,\n  title = {The chainer},\n  author = {{The contributors of Atlas}},\n"
        f"  howpublished = {{Atlas}},\n  note = {{OpenModelAtlas {version(PACKAGE)}}}\n}}\n"
    )
    assert [one.page for one in files.values()] == ["gpt-2/", "chainer/", None]
    assert written["api/v1/atlas.bib"] == texts["api/v1/atlas.bib"].replace(f",\n  url = {{{SITE_URL}}}", "")
