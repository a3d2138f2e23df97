"""What a check finds of links and addresses without a build: every dead link where it is written, and clashes."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
import yaml

from atlas.issues import Issue
from atlas.links.check import check_links
from atlas.node.assets import CSS_NAME, LICENCE_NAME
from atlas.project import read_project
from atlas.render.stylesheet import FIRST_URL, URL

FFN = "content/transformer/encoder/ffn-layer-norm.yml"


@pytest.fixture
def found(real_project: Any) -> Any:
    """Write files, change a text of an entry, and check."""

    def check(files: dict[str, str] | None = None, *, note: str = "", **settings: Any) -> list[Issue]:
        for path, text in (files or {}).items():
            file = real_project.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        if note:
            text = (real_project.root / FFN).read_text(encoding="utf-8")
            before, _, rest = text.partition("\nnote: ")
            after = re.sub(r"\A.*?\n(?=\S)", "", rest, flags=re.DOTALL)
            (real_project.root / FFN).write_text(f"{before}\nnote: >-\n  {note}\n{after}", encoding="utf-8")
        config = real_project.root / "mkdocs.yml"
        stated = yaml.safe_load(config.read_text(encoding="utf-8")) | settings
        config.write_text(yaml.safe_dump(stated), encoding="utf-8")
        return check_links(read_project(config), real_project.atlas())

    return check


def _short(issues: list[Issue]) -> list[tuple[str, str, str]]:
    return [(f"{one.path}:{one.line}:{one.column}", one.code, one.hint) for one in issues]


def test_links_that_hold_are_no_issue(found: Any) -> None:
    links = """
        ../model.yml ../../chainer/layer-normalization.yml ../../guide/how.md ../../guide/how.md#two-steps ../../
        #code #top ../../../operators/layer-norm/ ../../../sources/ ../../../sources/chainer/ ../../../pic.svg
        ../../../glossary ../../index.md ../../../api/v1/models.json attention-layer-norm.md
        attention-layer-norm/index.md ../attention-layer-norm/cite.bib
        ../../../search/ ../../../search ../../../search/index.html https://example.org/ mailto:a@example.org
    """
    note = " ".join(f"[x]({link})" for link in links.split())
    prose = (
        "---\ntitle: x\n---\n# How\n\n## Two steps\n\n[a](#two-steps) [b](../transformer/model.yml#code)"
        " [c](../index.md) [d](../transformer/encoder/ffn-layer-norm.md) [e](../pic.svg) `[f](no.md)`"
        " [g](../api/v1/models.json)\n\n[h](../glossary.md) [i](how.md#how)\n"
    )
    files = {"content/guide/how.md": prose, "content/pic.svg": "<svg/>", "content/index.md": "[a](guide/how.md)\n"}
    assert found(files, note=note) == []


@pytest.mark.parametrize(
    ("link", "code", "hint"),
    [
        ("../modle.yml", "A904", "did you mean `../model.yml`?"),
        ("../../chainer/layer-normalisation.yml#code", "A904", "…`../../chainer/layer-normalization.yml#code`?"),
        ("../../guide/how.md", "A904", ""),
        ("../../../operators/layer-nrm/", "A904", "did you mean `../../../operators/layer-norm/`?"),
        ("../attention-layer-nrm/", "A904", "did you mean `attention-layer-norm.yml`?"),
        ("attention-layer-norm/", "A904", "did you mean `attention-layer-norm.yml`?"),
        ("../../modle/", "A904", ""),
        ("../../../pic.svg", "A904", ""),
        ("../../nothing/index.md", "A904", ""),
        ("../../prose.md#second", "A905", "did you mean `../../prose.md#secnd`?"),
        ("../../prose.md#other", "A905", "it has #first and #secnd"),
        ("../../../../../x/", "A903", "an address of another site…"),
        ("/elsewhere/", "A903", "an address of another site…"),
    ],
)
def test_a_dead_link_of_an_entry_is_found_where_it_is_written(found: Any, link: str, code: str, hint: str) -> None:
    files = {"content/prose.md": "# First\n\n## Secnd\n"}
    [one] = found(files, note=f"Before it,\n  as [it]({link}) says.", site_url="https://example.org/atlas/")
    assert (one.path, one.code) == (FFN, code)
    assert one.message.startswith(f"the link {link!r} leads ")
    assert one.excerpt.split("\n")[0].endswith(f"as [it]({link}) says.")
    assert one.column == 3 + len("as [it](")
    assert hint.strip("…") in one.hint
    assert bool(hint) == bool(one.hint)


def test_dead_links_of_prose_are_found_where_they_are_written(found: Any) -> None:
    text = "---\ntitle: x\n---\n\n# One\n\nSee [a](othre.md), [b](#two),\n[c](other.md#no).\n\n[d]: gone.md\n\n[d]\n"
    files = {"content/guide/one.md": text, "content/guide/other.md": "# Other\n"}
    assert _short(found(files)) == [
        ("content/guide/one.md:7:9", "A904", "did you mean `other.md`?"),
        ("content/guide/one.md:7:24", "A905", "it has #one"),
        ("content/guide/one.md:8:5", "A905", "it has #other"),
        ("content/guide/one.md:10:6", "A904", ""),
    ]


def test_dead_links_of_prose_are_found_however_they_are_written(found: Any) -> None:
    text = "[a](<no a.md>) [b](no\\_b.md) [c](no(c).md)\n[d](\nno.md) [e]\n\n[e]:\n  <no e.md>\n"
    files = {"content/one.md": text, "content/two words.md": "# T\n[a](<two words.md>) [b](two%20words.md)\n"}
    assert [(one.line, one.column) for one in found(files)] == [(1, 6), (1, 20), (1, 34), (3, 1), (6, 4)]


def test_prose_cannot_link_to_files_that_are_made_last(found: Any) -> None:
    text = "[a](transformer/index.html) [b](llms.txt) [c](search/index.json) [d](sitemap.xml) [e](old.html)\n"
    files = {"content/one.md": text + "[f](demo/index.html)\n", "content/demo/index.html": "<p>"}
    plugins = [{"atlas": {"redirects": {"old.html": "transformer/"}}}]
    assert [one.column for one in found(files, plugins=plugins)] == [5, 33, 47, 70, 87]


@pytest.mark.parametrize(
    ("validation", "columns"),
    [
        ({}, [5, 16]),
        ({"links": {"not_found": "info", "unrecognized_links": "warn"}}, [16, 25]),
        ({"anchors": "ignore", "not_found": "ignore", "absolute_links": "warn"}, [34]),
    ],
)
def test_links_of_prose_are_judged_as_the_settings_say(found: Any, validation: Any, columns: list[int]) -> None:
    files = {"content/one.md": "[a](no.md) [b](#no) [c](no/) [d](/no/)\n"}
    assert [one.column for one in found(files, validation=validation)] == columns


def test_absolute_links_of_prose_may_be_meant_from_the_folder_of_content(found: Any) -> None:
    files = {"content/a/one.md": "[a](/a/one.md) [b](/one.md) [c](/a/) [d](/transformer/model.yml) [e](/a/one.md#no)\n"}
    issues = found(files, validation={"absolute_links": "relative_to_docs"})
    assert [(one.column, one.code) for one in issues] == [(20, "A904"), (33, "A904"), (70, "A905")]


def test_links_of_prose_to_what_is_excluded_are_dead(found: Any) -> None:
    files = {"content/one.md": "[a](draft.md) [b](x/no.md)\n", "content/draft.md": "", "content/x/no.md": ""}
    issues = found(files, draft_docs="draft.md", exclude_docs="/x/")
    assert [(one.column, one.message.partition(" leads ")[2]) for one in issues] == [
        (5, "to what is excluded from the built site"),
        (19, "to what is excluded from the built site"),
    ]


def test_what_no_page_shows_as_a_link_is_none(found: Any, real_project: Any) -> None:
    model = (real_project.root / "content/transformer/model.yml").read_text(encoding="utf-8")
    assert "\n  d: model width\n" in model
    files = {"content/transformer/model.yml": model.replace("d: model width", "d: model width [x](no.yml)")}
    assert found(files) == []


def test_an_inherited_text_is_told_once_where_it_is_stated(found: Any, real_project: Any) -> None:
    heir = real_project.root / "content/transformer/encoder/attention-layer-norm.yml"
    assert "inherits: ffn-layer-norm" in heir.read_text(encoding="utf-8")
    assert [(one.path, one.code) for one in found(note="[x](no.yml)")] == [(FFN, "A904")]


def test_where_other_plugins_may_add_pages_no_link_is_dead(found: Any) -> None:
    files = {"content/one.md": "[a](no.md)\n"}
    assert [one.code for one in found(files, note="[x](no.yml)")] == ["A904", "A904"]
    assert found(plugins=["atlas", {"gen-files": {"scripts": ["a.py"]}}]) == []


@pytest.mark.parametrize("theme", ["openmodelatlas", {"name": "openmodelatlas"}, "mkdocs", {"name": "mkdocs"}])
def test_only_the_atlas_own_theme_has_a_page_of_search(found: Any, theme: Any) -> None:
    is_there = "openmodelatlas" in str(theme)
    assert [one.code for one in found(note="[x](../../../search/)", theme=theme)] == ([] if is_there else ["A904"])
    clash = found({"content/search.md": "# Search\n"}, note="[x](../../search.md)", theme=theme)
    assert [one.code for one in clash] == (["A901"] if is_there else [])


def test_former_addresses_lead_on(found: Any) -> None:
    note = "[x](../../../old/place/) [y](../../../older/place/)"
    [one] = found(note=f"{note}\nformerly:\n  - old/place")
    assert one.message.startswith("the link '../../../older/place/'")


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"transformer/index.md": "x"}, ("transformer/index.md", "A902", "the page of content/transformer/model.yml")),
        ({"transformer.md": "x"}, ("transformer.md", "A902", "the page of content/transformer/model.yml")),
        ({"glossary.md": "x"}, ("glossary.md", "A902", "the page of the atlas itself")),
        ({"a.md": "x", "a/index.md": "y"}, ("a.md", "A902", "the page of content/a/index.md")),
        ({"a.md": "x", "a/index.html": "y"}, ("a/index.html", "A902", "the page of content/a.md")),
        ({"llms.txt": "x"}, ("llms.txt", "A901", "the atlas writes one itself")),
        ({"404.html": "x"}, ("404.html", "A901", "the theme has a page of its own")),
        ({"search.md": "x"}, ("search.md", "A901", "'search/index.html', where the theme has a page of its own")),
        ({"search/index.html": "x"}, ("search/index.html", "A901", "the theme has a page of its own")),
        ({"transformer/cite.bib": "x"}, ("transformer/cite.bib", "A901", "the atlas writes one itself")),
    ],
)
def test_two_files_with_one_address_are_found(found: Any, files: dict[str, str], told: tuple[str, str, str]) -> None:
    path, code, other = told
    [one] = found({f"content/{name}": text for name, text in files.items()})
    assert (one.path, one.code) == (f"content/{path}", code)
    assert other in one.message


@pytest.mark.parametrize(
    "link",
    ["img/none.png", "css/none.css", "js/none.js", "katex/none.css", "katex/fonts/None.woff2", "img/../img/none.png"],
)
def test_what_the_theme_does_not_have_is_found_missing(found: Any, link: str) -> None:
    [one] = found({"content/one.md": f"![p]({link})\n"})
    assert (one.path, one.line, one.column, one.code) == ("content/one.md", 1, 6, "A904")
    [one] = found({"content/one.md": ""}, note=f"[p](../../../{link})")
    assert (one.path, one.code) == (FFN, "A904")
    # Which files another theme has is not known.
    assert found(theme="other") == []


def test_what_the_theme_and_the_author_have_is_there(found: Any) -> None:
    theme = Path(str(resources.files("openmodelatlas_theme")))
    of_theme = [
        file.relative_to(theme).as_posix() for name in ("css", "js", "img") for file in (theme / name).rglob("*.*")
    ]
    assert {"css/atlas.css", "js/search.js", "img/favicon.svg"} <= {*of_theme}
    made = [FIRST_URL, URL, "css/code.css", f"katex/{CSS_NAME}", f"katex/{LICENCE_NAME}"]
    made += ["katex/fonts/KaTeX_Main-Regular.woff2", "img/own.png"]
    links = " ".join(f"![p]({one})" for one in (*of_theme, *made))
    assert found({"content/one.md": links, "content/img/own.png": "x"}) == []


@pytest.mark.parametrize("site_url", [None, "", "https://example.org/atlas/", "https://example.org"])
def test_an_absolute_link_of_an_entry_needs_a_known_place(found: Any, site_url: str | None) -> None:
    root = {"https://example.org/atlas/": "/atlas/"}.get(site_url or "", "/")
    issues = found(note=f"[x]({root}transformer/)", site_url=site_url)
    if site_url:
        assert issues == []
        return
    [one] = issues
    assert (one.path, one.code, one.hint) == (FFN, "A903", "write it relative to this file")
    assert one.message == "the link '/transformer/' is absolute, so it leads astray wherever the site lies"


@pytest.mark.parametrize(
    "settings",
    [{"exclude_docs": "transformer.md"}, {"draft_docs": "/transformer.md"}, {"use_directory_urls": False}],
)
def test_files_that_are_not_published_there_clash_with_none(found: Any, settings: dict[str, Any]) -> None:
    files = ("transformer.md", "a/README.md", "a/index.md")
    assert found({f"content/{one}": "x" for one in files}, **settings) == []


def test_without_folders_a_text_of_an_entry_leads_to_the_file_of_prose(found: Any) -> None:
    """Pages of entries are folders all the same."""
    files = {"content/guide.md": "# One\n\n## Two\n", "content/a/index.md": "# A\n"}
    right = "[a](../../guide.md#two) [b](../../a/index.md) [c](../model.yml) [d](../../../guide.html#two)"
    assert found(files, note=right, use_directory_urls=False) == []
    wrong = "[a](../../guide.md#thre) [b](../../gide.md)"
    assert [(one.code, one.hint) for one in found(note=wrong, use_directory_urls=False)] == [
        ("A905", "it has #one and #two"),
        ("A904", "did you mean `../../guide.md`?"),
    ]


NORM = "transformer/encoder/ffn-layer-norm"


@pytest.mark.parametrize(
    ("redirects", "code", "words", "hint"),
    [
        ({"old/": "nothing/"}, "A907", "the redirect leads to 'nothing/', where there is no page", "write the address"),
        ({"old/": f"{NORM}s/"}, "A907", "where there is no page", f"did you mean {NORM}/?"),
        ({"old/": "/x/"}, "A907", "which is no address of the site", "write it below the site's root"),
        ({f"{NORM}/": "gpt-2/"}, "A908", f"is taken by content/{NORM}.yml", "take the redirect away"),
        ({"glossary/": "gpt-2/"}, "A908", "is taken by a page of the atlas", "take the redirect away"),
        ({"/old": "gpt-2/"}, "A910", "'/old' is no address that a page may have had", "write it below"),
    ],
)
def test_a_redirect_that_cannot_be_kept_is_found_where_it_is_stated(
    found: Any, redirects: dict[str, str], code: str, words: str, hint: str
) -> None:
    """A build finds these too, once all pages are made."""
    [one] = found(plugins=[{"atlas": {"sources": "sources", "redirects": redirects}}])
    assert (one.path, one.code) == ("mkdocs.yml", code)
    assert one.line > 0
    assert words in one.message
    assert one.hint.startswith(hint)


def test_redirects_in_a_circle_are_found(found: Any) -> None:
    issues = found(plugins=[{"atlas": {"sources": "sources", "redirects": {"a/": "b/", "b/": "a/"}}}])
    assert [one.code for one in issues] == ["A909", "A909"]


def test_redirects_that_hold_are_no_issue(found: Any) -> None:
    good = {"old/": f"{NORM}/#code", "older/": "old/", "oldest": "glossary/"}
    assert found(plugins=[{"atlas": {"sources": "sources", "redirects": good}}]) == []


def test_what_an_entry_was_called_is_no_address_of_another(found: Any, real_project: Any) -> None:
    file = real_project.root / f"content/{NORM}.yml"
    text = file.read_text(encoding="utf-8")
    file.write_text(f"{text.rstrip()}\nformerly: [transformer/old, glossary]\n", encoding="utf-8")
    [one] = found()
    assert (one.path, one.line, one.code) == (f"content/{NORM}.yml", text.rstrip().count("\n") + 2, "A908")
    assert "'glossary' is taken" in one.message
