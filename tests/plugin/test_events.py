from __future__ import annotations

import gc
import json
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort, ConfigurationError

from atlas.cycles import WHILE_WRITING
from atlas.plugin import events
from atlas.render.site import Settings, Site, SitePage
from tests.plugin.small_project import MAIN, Project


def test_an_entity_is_a_page_with_body_title_contents_and_a_link_to_edit_its_yaml(project: Project) -> None:
    project.entry(
        "transformer/encoder/layer-norm",
        title="LayerNorm",
        body='<h2 id="parameters">Parameters</h2><p>6,144</p>',
        headings=[[2, "parameters", "Parameters"], [3, "total", "In total"]],
    )
    project.build(strict=True)
    page = project.read("transformer/encoder/layer-norm/index.html")
    assert '<main><h2 id="parameters">Parameters</h2><p>6,144</p></main>' in page
    assert "<title>LayerNorm</title>" in page
    assert '<a href="#parameters">Parameters</a><a href="#total">In total</a>' in page
    edit = "https://example.org/repo/edit/main/content/transformer/encoder/layer-norm.yml"
    assert f'href="{edit}"' in page


def test_the_site_holds_no_yaml_and_no_proofs_but_a_sitemap_assets_and_the_page_for_missing_pages(
    project: Project,
) -> None:
    project.write("content/transformer/transformer.proofs.json", "{}")
    project.write("content/transformer/data.json", "{}")
    project.build(strict=True)
    assert sorted(project.state()) == [
        "404.html",
        "assets/made.css",
        "index.html",
        "index.md",
        "llms.txt",
        "sitemap.xml",
        "sitemap.xml.gz",
        "transformer/data.json",
        "transformer/encoder/layer-norm/index.html",
    ]
    assert "https://example.org/atlas/transformer/encoder/layer-norm/" in project.read("sitemap.xml")
    assert project.leftovers() == []


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("name", ["Returns", "Raises"])
def test_issues_stop_the_build_and_are_reported_once_and_in_order(
    project: Project, refused: Callable[..., str], log: pytest.LogCaptureFixture, strict: bool, name: str
) -> None:
    project.entry("b", issues=[[7, "A101", "second"], [2, "A102", "first of b"]])
    project.entry("a", issues=[[4, "A103", "first"]])
    project.configure(site_name=name)
    refused(strict=strict)
    messages = [record.getMessage() for record in log.records if record.levelno >= logging.WARNING]
    assert [message.splitlines()[0] for message in messages] == [
        "content/a.yml:4:3: A103 first",
        "content/b.yml:2:3: A102 first of b",
        "content/b.yml:7:3: A101 second",
    ]


def test_issues_in_prose_are_collected_over_all_pages_with_their_lines(
    project: Project, refused: Callable[..., str]
) -> None:
    project.write("content/one.md", "---\ntitle: One\n---\n\ntext\nWRONG")
    project.write("content/two.md", "text\n\nWRONG")
    text = refused()
    assert "content/one.md:6: A906" in text
    assert "content/two.md:3: A906" in text


def test_a_body_that_cannot_be_produced_stops_the_build_without_a_traceback(
    project: Project, refused: Callable[..., str], log: pytest.LogCaptureFixture
) -> None:
    project.entry("transformer/encoder/layer-norm", fails=True)
    assert "layer-norm.yml: Node ended before it had rendered the formula" in refused()
    assert all(record.exc_info is None for record in log.records)


def test_a_template_that_fails_leaves_the_site(project: Project, refused: Callable[..., str]) -> None:
    project.write("theme/main.html", "{{ page.content }}{{ 1 / 0 }}")
    refused(ZeroDivisionError)


@pytest.mark.parametrize(
    ("hook", "error"),
    [
        ("def on_post_build(config): raise OSError('disk')", OSError),
        ("def on_page_content(html, **_): raise KeyboardInterrupt", KeyboardInterrupt),
        ("def on_config(config): raise ValueError", ValueError),
        (
            "import mkdocs.plugins\n@mkdocs.plugins.event_priority(-100)\ndef on_post_build(config): raise OSError",
            OSError,
        ),
        ("def on_post_build(config): config.site_dir = '/elsewhere'", Abort),
        ("import logging\ndef on_post_build(config): logging.getLogger('mkdocs.x').warning('w')", Abort),
    ],
)
def test_whatever_fails_in_other_plugins_leaves_the_site(
    project: Project, refused: Callable[..., str], hook: str, error: type[BaseException]
) -> None:
    project.write("hook.py", hook)
    project.configure(hooks=["hook.py"])
    refused(error, strict=True)


def test_a_second_build_replaces_the_whole_site_but_keeps_hidden_files(project: Project) -> None:
    project.build()
    project.write("site/.git/HEAD", "ref")
    project.write("site/.nojekyll", "")
    project.write("site/stale.html", "old")
    project.entry("transformer/encoder/layer-norm", title="New")
    project.build()
    assert project.read(".git/HEAD") == "ref"
    assert (project.site / ".nojekyll").exists()
    assert not (project.site / "stale.html").exists()
    assert "<title>New</title>" in project.read("transformer/encoder/layer-norm/index.html")


def test_a_site_that_is_a_link_to_a_folder_stays_one(project: Project) -> None:
    target = project.root / "www"
    target.mkdir()
    project.site.symlink_to(target)
    project.build()
    assert project.site.is_symlink()
    assert (target / "index.html").exists()


def test_a_dirty_build_is_complete(project: Project) -> None:
    project.build()
    project.entry("other", title="Other")
    project.build(dirty=True)
    assert (project.site / "index.html").exists()
    assert (project.site / "other/index.html").exists()
    assert (project.site / "transformer/encoder/layer-norm/index.html").exists()


def test_a_build_by_another_program_needs_no_startup_and_may_use_the_configuration_twice(project: Project) -> None:
    config = load_config(config_file=str(project.root / "mkdocs.yml"))
    build(config)
    first = project.state()
    build(config)
    assert {name: content for name, (content, _) in project.state().items() if not name.endswith(".gz")} == {
        name: content for name, (content, _) in first.items() if not name.endswith(".gz")
    }
    assert (config.site_dir, config.nav) == (str(project.site), None)
    assert project.leftovers() == []


def test_bodies_are_produced_once_each_and_not_kept(
    project: Project, renderer: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write(
        "hook.py",
        "def on_nav(nav, config, files): config.extra['pages'] = [file.page for file in files.documentation_pages()]\n"
        "def on_post_page(output, page, config):\n"
        "    held = sum('BODY' in page.content for page in config.extra['pages'])\n"
        "    config.extra.setdefault('held', []).append(held)\n",
    )
    project.configure(hooks=["hook.py"])
    for number in range(3):
        project.entry(f"page-{number}", body="BODY")
    called: list[str] = []

    def counting(page: SitePage) -> SitePage:
        def body() -> str:
            called.append(page.url)
            return page.body()

        return replace(page, body=body)

    def counted(settings: Settings) -> Site:
        site: Site = renderer["build_site"](settings)
        return replace(site, pages=tuple(map(counting, site.pages)))

    monkeypatch.setattr(events, "build_site", counted)
    config = load_config(config_file=str(project.root / "mkdocs.yml"))
    build(config)
    assert config.extra["held"] == [0] * 5
    assert sorted(called) == ["page-0/", "page-1/", "page-2/", "transformer/encoder/layer-norm/"]
    assert "<main>BODY</main>" in project.read("page-1/index.html")


def test_the_site_is_closed_when_the_build_ends(
    project: Project, renderer: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[bool] = []

    def closing(settings: Settings) -> Site:
        site: Site = renderer["build_site"](settings)
        return replace(site, close=lambda: closed.append(settings.workspace.is_dir()))

    monkeypatch.setattr(events, "build_site", closing)
    project.build()
    project.entry("a", issues=[[1, "A101", "wrong"]])
    with pytest.raises(Abort):
        project.build()
    assert closed == [True, True]


@pytest.mark.parametrize(("few", "seldom"), [(0, True), (1000, False)])
def test_reference_cycles_are_looked_for_while_many_pages_are_written(
    project: Project, monkeypatch: pytest.MonkeyPatch, few: int, *, seldom: bool
) -> None:
    seen: list[tuple[int, int, int]] = []
    shown = events.RealBuild.show_template

    def noted(self: events.RealBuild, *given: Any) -> None:
        seen.append(gc.get_threshold())
        shown(self, *given)

    monkeypatch.setattr(events, "_FEW_PAGES", few)
    monkeypatch.setattr(events.RealBuild, "show_template", noted)
    before = gc.get_threshold()
    project.build()
    assert gc.get_threshold() == before
    assert {one == WHILE_WRITING for one in seen} == {seldom}
    assert before not in seen


def test_search_plugins_never_see_bodies_or_rendered_maths(project: Project) -> None:
    project.configure(plugins=["search", "atlas"])
    project.entry("a", title="Gain", description="Scales each feature.", body='<h2 id="b">B</h2><p>MATHS</p>')
    project.write("content/index.md", '<h1 id="home">Home</h1><p>words <math>MATHS</math></p>')
    project.build()
    records = {record["location"]: record for record in json.loads(project.read("search/search_index.json"))["docs"]}
    assert records["a/"]["text"] == "Scales each feature."
    assert records["a/"]["title"] == "Gain"
    assert records["#home"]["text"] == "words formula"
    assert "MATHS" not in project.read("search/search_index.json")
    assert "<p>MATHS</p>" in project.read("a/index.html")
    assert "<math>MATHS</math>" in project.read("index.html")


def test_text_from_yaml_is_escaped_where_a_theme_prints_it_raw(project: Project) -> None:
    hostile = "<script>alert(1)</script>"
    project.entry("x", title=hostile, description=hostile, nav=[hostile], headings=[[2, "y", hostile]], body="fine")
    project.write("content/index.md", f"---\ntitle: {hostile}\n---\n\ntext")
    project.write("theme/main.html", MAIN + "{{ page.meta.description }}")
    project.build(strict=True)
    for path in ("x/index.html", "index.html"):
        assert "<script>" not in project.read(path)
        assert "&lt;script&gt;alert(1)" in project.read(path)


def test_prose_keeps_what_other_plugins_and_front_matter_say(project: Project) -> None:
    project.write("hook.py", "def on_page_markdown(markdown, **_): return markdown.replace('NAME', 'value')")
    project.configure(hooks=["hook.py"])
    project.write("content/a.md", "---\ntitle: From front matter\n---\n\n<p>*NAME*</p><h1 id='x'>ignored</h1>")
    project.write("content/some-page.md", "<p>no heading</p>")
    project.build(strict=True)
    page = project.read("a/index.html")
    assert "<title>From front matter</title>" in page
    assert "<p>*value*</p>" in page
    assert "<title>Some page</title>" in project.read("some-page/index.html")


def test_a_template_is_given_what_a_page_needs_besides_its_body(project: Project) -> None:
    project.entry("a", badge="learned", body="A")
    project.write("theme/main.html", MAIN + "{% if atlas %}badge {{ atlas.context.badge }}{% endif %}")
    project.build(strict=True)
    assert "badge learned" in project.read("a/index.html")
    assert "badge" not in project.read("index.html")


@pytest.mark.parametrize("theme", ["mkdocs", "readthedocs"])
def test_other_themes_show_entities_and_prose(project: Project, theme: str) -> None:
    project.configure(theme=theme, plugins=["search", "atlas"])
    headings = [[1, "a", "Gain"], [2, "b", "B"]]
    project.entry("a", title="Gain & bias", nav=["Layers"], body='<h2 id="b">B</h2>', headings=headings)
    project.build(strict=True)
    page = project.read("a/index.html")
    assert '<h2 id="b">B</h2>' in page
    assert "Gain &amp; bias" in page
    assert "Gain & bias" not in page
    assert 'href="#b"' in page
    assert '<h1 id="home">Welcome</h1>' in project.read("index.html")


def test_two_pages_at_one_address_are_an_issue(project: Project, refused: Callable[..., str]) -> None:
    project.write("content/transformer/index.md", "prose")
    project.entry("transformer/model", url="transformer/")
    project.entry("z", url="transformer/encoder/layer-norm/")
    project.write("content/assets/made.css", "mine")
    text = refused()
    assert "content/transformer/index.md: A902" in text
    assert "which the page of content/transformer/model.yml has too" in text
    assert "content/transformer/encoder/layer-norm.yml: A902" in text
    assert "content/assets/made.css: A901" in text


@pytest.mark.parametrize(
    ("names", "issue"),
    [
        (
            ("a.md", "a/index.md"),
            "content/a.md: A902 the page has the address '/a/', which the page of content/a/index.md",
        ),
        (("a.md", "a/index.html"), "content/a/index.html: A902 the page has the address '/a/', which the page of"),
    ],
)
def test_two_files_of_the_author_at_one_address_are_an_issue(
    project: Project, refused: Callable[..., str], names: tuple[str, ...], issue: str
) -> None:
    for name in names:
        project.write(f"content/{name}", name)
    text = refused()
    assert issue in text
    assert text.count("A902") == 1


@pytest.mark.parametrize("name", ["404.html", "sitemap.xml", "sitemap.xml.gz"])
def test_a_file_that_a_page_of_the_theme_would_replace_is_an_issue(
    project: Project, refused: Callable[..., str], name: str
) -> None:
    project.build()
    assert (project.site / name).exists()
    project.write(f"content/{name}", "mine")
    assert f"content/{name}: A901 the file lies at the address {name!r}" in refused()


def test_an_asset_takes_the_place_of_the_themes_file(project: Project) -> None:
    project.write("theme/assets/made.css", "theme {}")
    project.build()
    assert project.read("assets/made.css") == "made {}"


def test_excluded_entries_are_not_built_and_links_to_them_are_broken(
    project: Project, refused: Callable[..., str]
) -> None:
    project.configure(exclude_docs="drafts/*.yml")
    project.entry("drafts/a", title="Draft")
    project.entry("b", body='<a href="../drafts/a/">x</a>')
    assert "content/b.yml: A904" in refused(strict=True)


def test_addresses_of_entities_do_not_depend_on_directory_urls(project: Project) -> None:
    project.configure(use_directory_urls=False)
    project.write("content/index.md", '<a href="transformer/encoder/layer-norm.yml">x</a>')
    project.entry("other", body='<a href="../transformer/encoder/layer-norm/">x</a>')
    project.build(strict=True)
    assert 'href="transformer/encoder/layer-norm/index.html"' in project.read("index.html")
    assert (project.site / "transformer/encoder/layer-norm/index.html").exists()


def test_issues_have_the_lines_that_they_are_about(project: Project, refused: Callable[..., str]) -> None:
    project.entry("a", issues=[[1, "A103", "first"]])
    line = project.root.joinpath("content/a.yml").read_text(encoding="utf-8").splitlines()[0]
    text = refused()
    assert f"content/a.yml:1:3: A103 first\n    {line}\n      ^" in text


def test_real_prose_is_rendered_with_the_real_katex(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    project.configure(plugins=["search", "atlas"])
    for entry in (project.root / "content").rglob("*.yml"):
        entry.unlink()  # what the stand-in renderer reads is no entry
    links = "[down](#the-size), [about](about.md), ![A picture](p.svg)"
    project.write("content/index.md", f"# The gain $\\gamma$\n\n{links}\n\n## The size\n")
    project.write("content/p.svg", "<svg/>")
    project.write("content/about.md", "# About\n\n[home](index.md#the-size) <script>alert(1)</script>\n")
    project.build()
    page = project.read("index.html")
    assert 'class="katex"' in page.partition("<aside>")[2].partition("</aside>")[0]
    assert 'class="katex"' in page.partition("<main>")[2]
    assert '<a href="about/">about</a>' in page
    assert '<img src="p.svg" alt="A picture">' in page
    about = project.read("about/index.html")
    assert '<a href="../#the-size">home</a>' in about
    assert "<script>" not in about
    assert "katex" not in project.read("search/search_index.json")

    before = project.state()
    project.write("content/index.md", "# Home\n\n$\\gama$ and [gone](about.md#gone)\n")
    with pytest.raises(Abort, match="1 issue in content"):
        project.build(strict=True)
    assert project.state() == before


@pytest.mark.parametrize("site_dir", ["sources", "sources/site", "."])
def test_a_site_dir_that_would_destroy_the_sources_is_refused(project: Project, site_dir: str) -> None:
    project.write("sources/kept.yml", "precious")
    project.configure(site_dir=site_dir, docs_dir="content")
    with pytest.raises((ConfigurationError, Abort)):
        project.build()
    assert (project.root / "sources/kept.yml").read_text() == "precious"


def test_a_file_in_the_place_of_the_site_is_refused(project: Project, log: pytest.LogCaptureFixture) -> None:
    project.write("notes", "precious")
    project.configure(site_dir="notes")
    with pytest.raises(Abort):
        project.build()
    assert "which a build would destroy; name a folder" in log.text
    assert (project.root / "notes").read_text() == "precious"
