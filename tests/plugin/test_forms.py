"""The other forms of pages in a build of MkDocs: Markdown, llms.txt, redirects, and what the sitemap says of them."""

from __future__ import annotations

import logging
import os
import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

from atlas.plugin import events

THEME = """<!doctype html><title>{{ page.title }}</title>
{% for one in alternates %}<link rel="alternate" type="{{ one.type }}" href="{{ one.url|url }}">{% endfor %}
<main>{{ page.content }}</main>
"""
SITE = "https://example.org/atlas/"


class Project:
    """A project in a temporary folder with one entity and two pages of prose."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.site = root / "site"
        self.write("theme/main.html", THEME)
        self.write("theme/404.html", "<main>not found</main>")
        self.write("theme/css/site.css", "body {}")
        self.write("sources/note.txt", "")
        self.write("content/index.md", "---\ndescription: The beginning.\n---\nSee [how](guide/how.md).")
        self.write(
            "content/guide/how.md", '<h1 id="how">How</h1>\n\nTo [a norm](../gpt/norm.yml), [home](../index.md).'
        )
        self.entry("gpt/norm", title="LayerNorm", forms=["./", "../../guide/how/index.md"])

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def entry(self, name: str, **keys: Any) -> None:
        self.write(f"content/{name}.yml", yaml.safe_dump(keys))

    def build(self, redirects: dict[str, str] | None = None, **options: Any) -> None:
        settings = {
            "site_name": "Atlas",
            "site_url": SITE,
            "site_description": "What it is.",
            "docs_dir": "content",
            "theme": {"name": None, "custom_dir": "theme", "static_templates": ["404.html", "sitemap.xml"]},
            "plugins": [{"atlas": {"redirects": redirects or {}}}],
        }
        self.write("mkdocs.yml", yaml.safe_dump(settings | options))
        config = load_config(config_file=str(self.root / "mkdocs.yml"), strict=True)
        config.plugins.on_startup(command="build", dirty=False)
        try:
            build(config)
        finally:
            config.plugins.on_shutdown()

    def read(self, path: str) -> str:
        return (self.site / path).read_text(encoding="utf-8")

    def files(self) -> set[str]:
        return {file.relative_to(self.site).as_posix() for file in self.site.rglob("*") if file.is_file()}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    module = runpy.run_path(str(Path(__file__).with_name("plugin_project.py")))
    monkeypatch.setattr(events, "build_site", module["build_site"])
    return Project(tmp_path)


@pytest.fixture
def refused(project: Project, caplog: pytest.LogCaptureFixture) -> Callable[..., str]:
    """Build a project that is wrong; the messages, each on a line."""

    def build_it(**options: Any) -> str:
        logger = logging.getLogger("mkdocs")
        logger.addHandler(caplog.handler)
        try:
            with pytest.raises(Abort):
                project.build(**options)
        finally:
            logger.removeHandler(caplog.handler)
        assert not project.site.exists()
        told = {id(record): record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING}
        return "\n".join(told.values())

    return build_it


def test_prose_is_published_as_its_author_wrote_it_with_links_that_lead_on(project: Project) -> None:
    project.build()
    assert project.read("guide/how/index.md") == (
        '<h1 id="how">How</h1>\n\nTo [a norm](../../gpt/norm/index.md), [home](../../index.md).\n'
    )
    assert project.read("index.md") == "# Home\n\nSee [how](guide/how/index.md).\n"


def test_links_to_files_to_parts_and_to_other_sites_keep_their_meaning(project: Project) -> None:
    project.write("content/guide/picture.png", "")
    text = '<h1 id="t">T</h1>\n\n[a](how.md#how) ![b](picture.png) [c](https://example.org/) [d](#t) `[e](how.md)`'
    project.write("content/guide/other.md", text)
    project.build(validation={"links": {"anchors": "ignore"}})
    assert project.read("guide/other/index.md") == (
        '<h1 id="t">T</h1>\n\n[a](../how/#how) ![b](../picture.png) [c](https://example.org/) [d](#t) `[e](how.md)`\n'
    )


def test_a_page_that_is_a_file_has_its_markdown_beside_it(project: Project) -> None:
    project.entry("gpt/norm", title="LayerNorm", forms=["./"])
    project.build(use_directory_urls=False)
    assert "[a norm](../gpt/norm/index.md)" in project.read("guide/how.md")
    assert 'type="text/markdown" href="how.md"' in project.read("guide/how.html")


def test_each_page_names_its_other_forms(project: Project) -> None:
    project.build()
    for page in ("index.html", "guide/how/index.html", "gpt/norm/index.html"):
        assert '<link rel="alternate" type="text/markdown" href="index.md">' in project.read(page), page
        assert (project.site / page).with_name("index.md").is_file()


def test_llms_txt_says_what_a_page_is_about_as_text(project: Project) -> None:
    project.write("content/own.md", "---\ndescription: The entry's &amp;\n---\nText.")
    project.write("content/first.md", "<p>What an entry's <em>table</em> &amp; more is.</p>")
    project.build()
    text = project.read("llms.txt")
    assert "(first/index.md): What an entry's table & more is." in text.replace("\\", "")
    assert "The entry's \\&amp;" in text
    assert "&#39;" not in text


def test_llms_txt_lists_every_markdown_version_and_nothing_else(project: Project) -> None:
    project.build()
    text = project.read("llms.txt")
    assert text.startswith("# Atlas\n\n> What it is.\n\n## Pages\n\n")
    assert "- [Home](index.md): The beginning.\n" in text
    assert "## Components\n\n- [LayerNorm](gpt/norm/index.md): A page.\n" in text
    listed = re.findall(r"\]\(([^)]*)\)", text)
    assert sorted(listed) == sorted(name for name in project.files() if name.endswith(".md"))
    assert len(listed) == len(set(listed)) == 3


def test_a_page_that_is_not_written_has_no_other_form(project: Project) -> None:
    project.write("content/guide/how.md", "# How")
    project.build(exclude_docs="gpt/norm.yml")
    assert not {name for name in project.files() if name.startswith("gpt/")}
    assert "gpt/norm" not in project.read("llms.txt")


def test_a_dead_link_in_a_markdown_version_is_found(project: Project, refused: Callable[..., str]) -> None:
    project.entry("gpt/norm", title="LayerNorm", forms=["../nowhere/index.md", "../../guide/how/#no"])
    text = refused()
    assert "/gpt/norm/index.md: A904 the link '../nowhere/index.md' leads to no page" in text
    assert "/gpt/norm/index.md: A905 the link '../../guide/how/#no'" in text


def test_a_file_of_the_author_in_the_place_of_a_list_is_an_issue(project: Project, refused: Callable[..., str]) -> None:
    project.write("content/llms.txt", "mine")
    assert "content/llms.txt: A901" in refused()


def test_redirects_of_entries_and_of_the_configuration_lead_on(project: Project) -> None:
    project.entry("gpt/norm", title="LayerNorm", forms=["./"], formerly=["gpt/layer-norm", "norm.html"])
    project.build({"how": "guide/how/", "start": ""})
    for path, link, canonical in (
        ("gpt/layer-norm/index.html", "../norm/", "gpt/norm/"),
        ("norm.html", "gpt/norm/", "gpt/norm/"),
        ("how/index.html", "../guide/how/", "guide/how/"),
        ("start/index.html", "../", ""),
    ):
        page = project.read(path)
        assert f'content="0; url={link}"' in page
        assert f'<link rel="canonical" href="{SITE}{canonical}">' in page
        assert (project.site / path).parent.joinpath(link, "index.html").resolve().is_file()


@pytest.mark.parametrize(
    ("redirects", "code", "key"),
    [
        ({"ok": "guide/how/", "old": "guide/who/"}, "A907", "old"),
        ({"ok": "guide/how/", "gpt/norm": ""}, "A908", "gpt/norm"),
        ({"ok": "guide/how/", "404.html": ""}, "A908", "404.html"),
        ({"ok": "guide/how/", "css/site.css": ""}, "A908", "css/site.css"),
        ({"ok": "guide/how/", "round": "round"}, "A909", "round"),
        ({"ok": "guide/how/", "/old": ""}, "A910", "/old"),
        ({"ok": "guide/how/", "gpt/was": ""}, "A908", "gpt/was"),
    ],
)
def test_a_redirect_that_cannot_be_kept_is_refused_at_its_line_of_the_configuration(
    project: Project, refused: Callable[..., str], redirects: dict[str, str], code: str, key: str
) -> None:
    project.entry("gpt/norm", title="LayerNorm", formerly=["gpt/was"])
    text = refused(redirects=redirects)
    lines = (project.root / "mkdocs.yml").read_text(encoding="utf-8").splitlines()
    (number,) = (number for number, line in enumerate(lines, 1) if line.strip().startswith(f"{key}:"))
    assert re.search(rf"^mkdocs\.yml:{number}:\d+: {code} ", text, re.MULTILINE), text
    assert len(re.findall(r"\bA9\d\d\b", text)) == 1


def test_a_redirect_that_cannot_be_kept_is_refused_at_its_line_of_the_entry(
    project: Project, refused: Callable[..., str]
) -> None:
    project.entry("gpt/norm", title="LayerNorm", formerly=["fine", "guide/how"])
    text = refused()
    lines = (project.root / "content/gpt/norm.yml").read_text(encoding="utf-8").splitlines()
    number = lines.index("- guide/how") + 1
    assert (
        f"content/gpt/norm.yml:{number}:3: A908 the address 'guide/how' is taken by the page of content/guide" in text
    )


def test_a_dead_part_that_a_redirect_leads_to_is_found(project: Project, refused: Callable[..., str]) -> None:
    assert "/old/index.html: A905" in refused(redirects={"old": "guide/how/#no"})


def test_the_sitemap_has_every_page_and_nothing_that_is_no_page(project: Project) -> None:
    project.entry("gpt/norm", title="LayerNorm", forms=["./"], formerly=["gpt/was"])
    project.entry("gpt/hidden", title="Hidden", hidden=True)
    project.entry("gpt/draft", title="Draft")
    project.build({"old": "guide/how/"}, draft_docs="gpt/draft.yml")
    tree = ElementTree.fromstring(project.read("sitemap.xml"))  # noqa: S314 - it was made by the build above
    found = [str(one.text) for one in tree.iter() if one.tag.endswith("}loc")]
    assert sorted(found) == [SITE, f"{SITE}gpt/hidden/", f"{SITE}gpt/norm/", f"{SITE}guide/how/"]
    pages = {name for name in project.files() if name.endswith("index.html")}
    moved = {"gpt/was/index.html", "old/index.html"}
    assert {f"{SITE}{name.removesuffix('index.html')}" for name in pages - moved} == set(found)
    assert moved < pages
    assert "404.html" in project.files()


def test_what_did_not_change_keeps_its_time(project: Project) -> None:
    project.build({"old": "guide/how/"})
    names = ("gpt/norm/index.md", "guide/how/index.md", "llms.txt", "old/index.html")
    for name in names:
        os.utime(project.site / name, ns=(1_000_000_000, 1_000_000_000))
    project.write("content/guide/how.md", '<h1 id="how">How</h1> changed')
    project.build({"old": "guide/how/"})
    times = {name: (project.site / name).stat().st_mtime_ns for name in names}
    assert {name for name, time in times.items() if time == 1_000_000_000} == {
        "gpt/norm/index.md",
        "old/index.html",
        "llms.txt",
    }
