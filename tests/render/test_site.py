from __future__ import annotations

import multiprocessing
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from atlas.kept import compressed
from atlas.render.site import PageStore, SiteAsset, SitePage, StoredBody


def page(url: str) -> SitePage:
    return SitePage(url, "Title", "component", "", tuple, None, (), body=str)


@pytest.mark.parametrize("url", ["", "a/", "transformer/encoder/ffn-layer-norm/", "sources/x/common_layers.py/"])
def test_a_page_has_an_address_that_ends_in_a_slash(url: str) -> None:
    assert page(url).url == url


@pytest.mark.parametrize("url", ["/", "/a/", "a", "a//", "a//b/", "../a/", "a/./b/", "a\\b/", "a/?b/", "a/#b/"])
def test_other_addresses_of_pages_are_refused(url: str) -> None:
    with pytest.raises(ValueError, match="the address"):
        page(url)


@pytest.mark.parametrize("url", ["", "a/", "/a.css", "../a.css", "a//b.css", "a.css?v=1"])
def test_addresses_of_assets_that_name_no_file_of_the_site_are_refused(url: str) -> None:
    with pytest.raises(ValueError, match="the address"):
        SiteAsset(url, b"")


def test_an_asset_may_lie_in_folders() -> None:
    assert SiteAsset("assets/katex/katex.min.css", b"").url == "assets/katex/katex.min.css"


def kept(store: PageStore, text: str) -> StoredBody:
    return store.keep_data(compressed(text.encode()))


def test_a_store_gives_every_body_back_any_number_of_times(tmp_path: Path) -> None:
    store = PageStore(tmp_path / "bodies")
    texts = ["", "γ and ε", "x" * 100_000, "line\r\nline\n"]
    bodies = [kept(store, text) for text in texts]
    assert [body() for body in reversed(bodies)] == texts[::-1]
    assert [body() for body in bodies] == texts


def test_a_store_is_one_file_that_is_smaller_than_its_bodies_and_begins_anew(tmp_path: Path) -> None:
    store = PageStore(tmp_path / "bodies")
    for _ in range(10):
        kept(store, "<span class='katex'>" * 1000)
    assert [path.name for path in tmp_path.iterdir()] == ["bodies"]
    assert (tmp_path / "bodies").stat().st_size < 10_000
    again = kept(PageStore(tmp_path / "bodies"), "new")
    assert again() == "new"


def _keep_in_copy(store: PageStore, texts: list[str], answers: Connection) -> None:
    bodies = [kept(store, text) for text in texts]
    answers.send([body() for body in bodies])


def test_copies_of_a_process_store_bodies_that_none_of_the_others_stores_over(tmp_path: Path) -> None:
    store = PageStore(tmp_path / "bodies")
    before = kept(store, "before")
    copying = multiprocessing.get_context("fork")
    for texts in (["of a copy", "and long"], ["short", "b"]):
        answers, theirs = copying.Pipe(duplex=False)
        copy = copying.Process(target=_keep_in_copy, args=(store, texts, theirs))
        copy.start()
        theirs.close()
        assert answers.recv() == texts
        copy.join()
    after = kept(store, "after")
    assert (before(), after()) == ("before", "after")
