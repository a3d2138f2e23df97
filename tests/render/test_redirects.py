"""Redirects: what is kept becomes a page that needs no script; what cannot be kept is an issue where it is stated."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Protocol

import pytest

from atlas.entries.atlas import Atlas
from atlas.issues import Issue
from atlas.links.redirects import Redirect, file_of
from atlas.render.redirects import redirect_files, redirects_of, source_redirects

TAKEN = {
    "index.html": "the home page",
    "gpt-2/index.html": "the page of content/gpt-2/model.yml",
    "gpt-2/decoder/norm/index.html": "the page of content/gpt-2/decoder/norm.yml",
    "css/site.css": "the theme",
    "404.html": "the theme's 404.html",
}
SITE = "https://example.org/atlas/"


def redirect(old: str, target: str, line: int = 1) -> Redirect:
    return Redirect(old, target, "mkdocs.yml", line, 5)


def made(*redirects: Redirect, site_url: str = SITE) -> dict[str, str]:
    assets, issues = redirect_files(redirects, TAKEN, site_url, ())
    assert issues == []
    return {asset.url: asset.content.decode() for asset in assets if isinstance(asset.content, bytes)}


def problems(*redirects: Redirect) -> list[Issue]:
    assets, issues = redirect_files(redirects, TAKEN, SITE, ())
    assert len(assets) + len(issues) == len(redirects)
    return issues


@pytest.mark.parametrize(
    ("old", "target", "file", "link", "canonical"),
    [
        ("gpt2", "gpt-2/", "gpt2/index.html", "../gpt-2/", "gpt-2/"),
        ("gpt2/", "gpt-2", "gpt2/index.html", "../gpt-2/", "gpt-2/"),
        ("a/b/c", "", "a/b/c/index.html", "../../../", ""),
        ("old.html", "gpt-2/decoder/norm/", "old.html", "gpt-2/decoder/norm/", "gpt-2/decoder/norm/"),
        ("gpt-2/norm", "gpt-2/decoder/norm", "gpt-2/norm/index.html", "../decoder/norm/", "gpt-2/decoder/norm/"),
        ("x", "gpt-2/#figures", "x/index.html", "../gpt-2/#figures", "gpt-2/"),
        ("x", "gpt-2#figures", "x/index.html", "../gpt-2/#figures", "gpt-2/"),
    ],
)
def test_an_old_address_is_a_page_that_leads_on(old: str, target: str, file: str, link: str, canonical: str) -> None:
    ((url, page),) = made(redirect(old, target)).items()
    assert url == file == file_of(old)
    assert f'<meta http-equiv="refresh" content="0; url={link}">' in page
    assert f'<a href="{link}">' in page
    assert f'<link rel="canonical" href="{SITE}{canonical}">' in page
    assert '<meta name="robots" content="noindex">' in page
    assert "default-src 'none'" in page.partition("Content-Security-Policy")[2].partition(">")[0].replace("&#39;", "'")
    assert re.search(r"<(script|style)|\son\w+=|\sstyle=", page) is None
    path = link.partition("#")[0]
    assert file_of(posixpath.normpath(posixpath.join(posixpath.dirname(url), path)).strip(".")) in TAKEN


def test_a_site_without_an_address_has_a_relative_canonical_link() -> None:
    assert '<link rel="canonical" href="../gpt-2/">' in made(redirect("x", "gpt-2/"), site_url="")["x/index.html"]


def test_a_redirect_to_a_redirect_leads_to_its_end() -> None:
    pages = made(redirect("a", "b"), redirect("b", "c/"), redirect("c", "gpt-2/"))
    assert {name: re.findall(r'href="([^"]*)">Go', page) for name, page in pages.items()} == {
        f"{name}/index.html": ["../gpt-2/"] for name in "abc"
    }


def test_markup_in_an_address_is_no_markup() -> None:
    taken = {**TAKEN, 'x"><script>/index.html': "a page"}
    (asset,), issues = redirect_files([redirect("old", 'x"><script>/')], taken, SITE, ())
    assert issues == []
    assert isinstance(asset.content, bytes)
    assert b"<script" not in asset.content


@pytest.mark.parametrize(
    ("stated", "code", "words"),
    [
        (redirect("old", "gpt-3/", 7), "A907", "leads to 'gpt-3/', where there is no page"),
        (redirect("old", "https://example.org/", 7), "A907", "no address of the site"),
        (redirect("old", "/gpt-2/", 7), "A907", "no address of the site"),
        (redirect("old", "../gpt-2/", 7), "A907", "no address of the site"),
        (redirect("gpt-2", "", 7), "A908", "taken by the page of content/gpt-2/model.yml"),
        (redirect("GPT-2", "", 7), "A908", "taken by the page of content/gpt-2/model.yml"),
        (redirect("gpt-2/index.html", "", 7), "A908", "taken by the page of content/gpt-2/model.yml"),
        (redirect("404.html", "", 7), "A908", "taken by the theme's 404.html"),
        (redirect("css/site.css", "", 7), "A908", "taken by the theme"),
        (redirect("css/site.css/x", "", 7), "A908", "taken by the theme"),
        (redirect("old", "old", 7), "A909", "in a circle: old → old"),
        (redirect("/old", "", 7), "A910", "'/old' is no address"),
        (redirect("a/../b", "", 7), "A910", "'a/../b' is no address"),
        (redirect("a?b", "", 7), "A910", "'a?b' is no address"),
        (redirect("", "gpt-2/", 7), "A910", "'' is no address"),
        (redirect("https://example.org/", "", 7), "A910", "is no address"),
    ],
)
def test_what_cannot_be_kept_is_refused_at_its_line(stated: Redirect, code: str, words: str) -> None:
    (issue,) = problems(stated)
    assert (issue.path, issue.line, issue.column, issue.code) == ("mkdocs.yml", 7, 5, code)
    assert words in issue.message


def test_the_nearest_page_is_named() -> None:
    (issue,) = problems(redirect("old", "gpt-2/decoder/norn/"))
    assert issue.hint == "did you mean gpt-2/decoder/norm/?"


def test_two_redirects_from_one_address_are_one_too_many() -> None:
    (issue,) = problems(redirect("old", "gpt-2/", 3), redirect("Old/", "", 4))
    assert (issue.line, issue.code) == (4, "A908")
    assert "leads to 'gpt-2/' already (mkdocs.yml:3)" in issue.message


def test_every_redirect_of_a_circle_is_told_and_those_beside_it_are_kept() -> None:
    given = [redirect("a", "b", 1), redirect("b", "c", 2), redirect("c", "b", 3), redirect("d", "gpt-2/", 4)]
    assets, issues = redirect_files(given, TAKEN, SITE, ())
    assert [asset.url for asset in assets] == ["d/index.html"]
    assert [(issue.line, issue.code) for issue in issues] == [(1, "A909"), (2, "A909"), (3, "A909")]
    assert "a → b → c → b" in issues[0].message


def test_a_folder_of_the_site_is_no_file() -> None:
    taken = {**TAKEN, "old.html/index.html": "the page of content/odd.yml"}
    _, (issue,) = redirect_files([redirect("old.html", "")], taken, SITE, ())
    assert issue.code == "A908"


class Project(Protocol):
    root: Path

    def atlas(self) -> Atlas: ...


def test_entries_of_every_kind_state_what_they_were_called(real_project: Project) -> None:
    root = real_project.root
    stated = {
        "content/transformer/model.yml": ("transformer/", "old-transformer"),
        "content/chainer/library.yml": ("chainer/", "old-chainer"),
        "content/transformer/encoder/ffn-layer-norm.yml": ("transformer/encoder/ffn-layer-norm/", "old/norm"),
        "sources/tensor2tensor.yml": ("sources/tensor2tensor/", "old-source"),
    }
    for path, (_, old) in stated.items():
        with (root / path).open("a", encoding="utf-8") as file:
            file.write(f"formerly:\n  - {old}\n")
    atlas = real_project.atlas()
    found = [redirect for one in atlas.collections.values() for redirect in redirects_of(one)]
    found += [redirect for one in atlas.sources.values() for redirect in source_redirects(one)]
    assert {one.path: (one.target, one.old) for one in found} == stated
    for one in found:
        lines = (root / one.path).read_text(encoding="utf-8").splitlines()
        assert lines[one.line - 1] == f"  - {one.old}"
        assert one.column == 5
