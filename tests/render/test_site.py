from __future__ import annotations

import posixpath
import random
from pathlib import Path
from urllib.parse import quote

import pytest

from atlas.render.site import PageStore, SiteAsset, SitePage, relative_url


def page(url: str) -> SitePage:
    return SitePage(url, "Title", "component", "", (), None, (), body=str)


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


@pytest.mark.parametrize(
    ("target", "source", "link"),
    [
        ("a/b/", "a/c/", "../b/"),
        ("a/b/", "", "a/b/"),
        ("", "a/b/", "../../"),
        ("", "", "./"),
        ("a/b/", "a/b/", "./"),
        ("a/b/#x", "a/b/", "#x"),
        ("a/b/#x", "a/", "b/#x"),
        ("#x", "a/", "../#x"),
        ("#x", "", "#x"),
        ("assets/a.css", "a/b/", "../../assets/a.css"),
        ("a/", "a/b/", "../"),
        ("a/../b/", "c/", "../b/"),
        ("javascript:alert(1)/", "", "javascript%3Aalert%281%29/"),
        ("a b/%41/", "c/", "../a%20b/%2541/"),
        ("a/?x=b:c&y=d", "e/", "../a/?x=b:c&y=d"),
        ("a/?x=b#c", "a/", "./?x=b#c"),
        ("?x=b#c", "", "./?x=b#c"),
    ],
)
def test_links_between_addresses_are_relative(target: str, source: str, link: str) -> None:
    assert relative_url(target, source) == link


def test_a_store_gives_every_body_back_any_number_of_times(tmp_path: Path) -> None:
    store = PageStore(tmp_path / "bodies")
    texts = ["", "γ and ε", "x" * 100_000, "line\r\nline\n"]
    bodies = [store.keep(text) for text in texts]
    assert [body() for body in reversed(bodies)] == texts[::-1]
    assert [body() for body in bodies] == texts


def test_a_store_is_one_file_that_is_smaller_than_its_bodies_and_begins_anew(tmp_path: Path) -> None:
    store = PageStore(tmp_path / "bodies")
    for _ in range(10):
        store.keep("<span class='katex'>" * 1000)
    assert [path.name for path in tmp_path.iterdir()] == ["bodies"]
    assert (tmp_path / "bodies").stat().st_size < 10_000
    again = PageStore(tmp_path / "bodies").keep("new")
    assert again() == "new"


def test_relative_links_are_those_of_the_standard_library() -> None:
    chance = random.Random(5)  # noqa: S311 - reproducible examples, not secrets
    names = ["a", "b", "model-1", "x y", "ä", "a:b", "v1.2"]
    for _ in range(2000):
        page = "".join(f"{chance.choice(names)}/" for _ in range(chance.randrange(4)))
        target = "".join(f"{chance.choice([*names, '.'])}/" for _ in range(chance.randrange(4)))
        target += chance.choice(["", "file.json"])
        expected = quote(posixpath.relpath(f"/site/{target}", f"/site/{page}"))
        expected += "/" if target.endswith("/") or not target else ""
        assert relative_url(target, page) == expected
