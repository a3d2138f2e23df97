from __future__ import annotations

import gc
import json
import logging
import runpy
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort, ConfigurationError

from atlas.plugin import events
from atlas.render.site import Settings, Site, SitePage

RENDERER = Path(__file__).with_name("plugin_project.py")

MAIN = """<!doctype html><title>{{ page.title }}</title>
<nav>{% for item in nav recursive %}<li>{{ item.title }}
{%- if item.children %}<ul>{{ loop(item.children) }}</ul>{% endif %}{% endfor %}</nav>
<aside>{% for item in page.toc recursive %}<a href="{{ item.url }}">{{ item.title }}</a>{{ loop(item.children) }}
{%- endfor %}</aside>
<a class="edit" href="{{ page.edit_url }}">edit</a>
<main>{{ page.content }}</main>
<footer>{% if page.next_page %}next: {{ page.next_page.title }}{% endif %}</footer></body>
"""


class Project:
    """A project in a temporary folder, built the way `mkdocs build` does it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.site = root / "site"
        self.write("theme/main.html", MAIN)
        self.write("theme/404.html", "<main>not found</main>")
        self.write("content/index.md", '<h1 id="home">Welcome</h1>')
        self.entry("transformer/encoder/layer-norm", title="LayerNorm", nav=["Transformer", "Encoder"])
        self.configure()

    def configure(self, **options: Any) -> None:
        settings = {
            "site_name": "Atlas",
            "site_url": "https://example.org/atlas/",
            "repo_url": "https://example.org/repo",
            "edit_uri": "edit/main/content/",
            "docs_dir": "content",
            "theme": {"name": None, "custom_dir": "theme", "static_templates": ["404.html"]},
            "plugins": ["atlas"],
            "validation": {"links": {"anchors": "warn", "absolute_links": "warn", "unrecognized_links": "warn"}},
        }
        self.write("mkdocs.yml", yaml.safe_dump(settings | options))

    def write(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def entry(self, name: str, **keys: Any) -> None:
        self.write(f"content/{name}.yml", yaml.safe_dump(keys))

    def build(self, *, strict: bool = False, dirty: bool = False) -> None:
        config = load_config(config_file=str(self.root / "mkdocs.yml"), strict=strict)
        config.plugins.on_startup(command="build", dirty=dirty)
        try:
            build(config, dirty=dirty)
        finally:
            config.plugins.on_shutdown()
        assert config.site_dir == str(self.site)

    def read(self, path: str) -> str:
        return (self.site / path).read_text(encoding="utf-8")

    def state(self) -> dict[str, tuple[bytes, int]]:
        """Every file of the site with its content and time, so that even an equal rewrite is seen."""
        files = (path for path in sorted(self.site.rglob("*")) if path.is_file())
        return {str(path.relative_to(self.site)): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}

    def leftovers(self) -> list[str]:
        return [path.name for path in self.root.iterdir() if path.name.startswith(".")]


@pytest.fixture
def renderer(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    module = runpy.run_path(str(RENDERER))
    monkeypatch.setattr(events, "build_site", module["build_site"])
    return module


@pytest.fixture
def project(tmp_path: Path, renderer: dict[str, Any]) -> Project:
    return Project(tmp_path)


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """What MkDocs logs, whatever another test's command line did to its logger."""
    logger = logging.getLogger("mkdocs")
    propagate, logger.propagate = logger.propagate, True
    caplog.set_level(logging.INFO, logger="mkdocs")
    yield caplog
    logger.propagate = propagate


@pytest.fixture
def refused(project: Project, log: pytest.LogCaptureFixture) -> Iterator[Callable[..., str]]:
    """Build, expect a failure, and return what was logged; the site of before must be untouched."""
    project.build()
    before = project.state()
    assert before

    def build_and_fail(error: type[BaseException] = Abort, *, strict: bool = False) -> str:
        log.clear()
        with pytest.raises(error):
            project.build(strict=strict)
        return log.text

    yield build_and_fail
    assert project.state() == before
    assert project.leftovers() == []


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


def test_prose_links_to_an_entity_by_its_yaml_or_its_page(project: Project) -> None:
    project.entry("transformer/encoder/layer-norm", body='<p id="parameters">', url="transformer/encoder/layer-norm/")
    project.entry("transformer/model", url="transformer/", body='<i id="budget"></i>')
    project.write(
        "content/guide/reading.md",
        '<a href="../transformer/encoder/layer-norm.yml#parameters">a</a>'
        '<a href="../transformer/encoder/layer-norm.md#parameters">b</a>'
        '<a href="../transformer/encoder/layer-norm/index.md">c</a>'
        '<a href="../transformer/model.yml#budget">d</a><a href="../transformer.md">e</a>'
        '<a href="../index.md#home">f</a>'
        '<a href="https://example.org/x?a=1&amp;b=2">g</a>',
    )
    project.build(strict=True)
    page = project.read("guide/reading/index.html")
    for name, target in {
        "a": "../../transformer/encoder/layer-norm/#parameters",
        "b": "../../transformer/encoder/layer-norm/#parameters",
        "c": "../../transformer/encoder/layer-norm/",
        "d": "../../transformer/#budget",
        "e": "../../transformer/",
        "f": "../../#home",
        "g": "https://example.org/x?a=1&amp;b=2",
    }.items():
        assert f'<a href="{target}">{name}</a>' in page


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ("transformer/encoder/layer-norm.yml#parametres", "does not contain an anchor '#parametres'"),
        ("transformer/encoder/layer-norm.md#parametres", "does not contain an anchor '#parametres'"),
        ("transformer/encoder/layer-nrm.yml", "'transformer/encoder/layer-nrm.yml', but the target is not found"),
        ("#nowhere", "there is no such anchor on this page"),
    ],
)
def test_a_broken_link_in_prose_fails_a_strict_build(
    project: Project, refused: Callable[..., str], link: str, message: str
) -> None:
    project.write("content/index.md", f'<a href="{link}">x</a>')
    assert message in refused(strict=True)


@pytest.mark.parametrize(
    ("link", "code"),
    [
        ("../../guide/", "A904"),
        ("/atlas/guide/", "A904"),
        ("/guide/", "A903"),
        ("../../../../guide/", "A903"),
        ("../../../#home-page", "A905"),
        ("#parameters", "A905"),
        ("../../../assets/made.js", "A904"),
    ],
)
def test_a_broken_link_in_an_entity_fails_a_strict_build(
    project: Project, refused: Callable[..., str], log: pytest.LogCaptureFixture, link: str, code: str
) -> None:
    project.entry("transformer/encoder/layer-norm", body=f'<p><a class="x" href="{link}">y</a></p>')
    assert f"content/transformer/encoder/layer-norm.yml: {code} the link '{link}'" in refused(strict=True)


def test_links_of_an_entity_that_hold_are_accepted(project: Project) -> None:
    links = [
        "../../../#home",
        "../../../",
        "/atlas/",
        "/atlas/#home",
        "#own",
        "../layer-norm/#own",
        "../../../404.html",
    ]
    links += ["../../../assets/made.css", "https://example.org/elsewhere", "mailto:a@example.org", "?q=1", "#top"]
    project.entry(
        "transformer/encoder/layer-norm", body='<p id="own">' + "".join(f'<a href="{link}">y</a>' for link in links)
    )
    project.build(strict=True)
    assert 'href="../layer-norm/#own"' in project.read("transformer/encoder/layer-norm/index.html")


def test_a_broken_link_in_an_entity_is_a_warning_without_strict(
    project: Project, log: pytest.LogCaptureFixture
) -> None:
    project.entry("transformer/encoder/layer-norm", body='<a href="../nothing/">y</a>')
    project.build()
    warnings = [record for record in log.records if record.levelno == logging.WARNING]
    assert [(record.name, record.getMessage().split(" ", 2)[1]) for record in warnings] == [
        ("mkdocs.plugins.atlas", "A904")
    ]
    assert (project.site / "transformer/encoder/layer-norm/index.html").exists()


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("name", ["Returns", "Raises"])
def test_issues_stop_the_build_and_are_reported_once_and_in_order(
    project: Project, refused: Callable[..., str], log: pytest.LogCaptureFixture, strict: bool, name: str
) -> None:
    project.entry("b", issues=[[7, "A101", "second"], [2, "A102", "first of b"]])
    project.entry("a", issues=[[4, "A103", "first"]])
    project.configure(site_name=name)
    refused(strict=strict)
    assert [record.getMessage() for record in log.records if record.levelno >= logging.WARNING] == [
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
    assert {one == events._SELDOM for one in seen} == {seldom}
    assert before not in seen


def test_a_process_of_a_build_ends_without_looking_through_what_is_left() -> None:
    script = (
        "import atexit, gc\n"
        "atexit.register(lambda: print(gc.get_freeze_count() > 0))\n"  # runs after what is registered later
        "from atlas.plugin import AtlasPlugin\n"
        "AtlasPlugin().on_startup(command='build', dirty=False)\n"
        "print(gc.get_freeze_count() > 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603 - ours
    assert done.stdout.split() == ["False", "True"]


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


def navigation_of(page: str) -> str:
    return page.partition("<nav>")[2].partition("</nav>")[0].replace("\n", "")


def test_the_navigation_follows_section_titles_and_the_order_of_the_pages(project: Project) -> None:
    project.entry("transformer/a-model", url="transformer/", title="Transformer model", nav=["Transformer"])
    project.entry("transformer/encoder/zz", title="Attention", nav=["Transformer", "Encoder"])
    project.entry("files/source", title="Source", hidden=True)
    project.write("content/transformer/history.md", '<h1 id="h">History</h1>')
    project.write("content/how-to/start.md", '<h1 id="s">Start</h1>')
    project.write("content/about.md", '<h1 id="a">About</h1>')
    project.build(strict=True)
    page = project.read("index.html")
    assert navigation_of(page) == (
        "<li>Welcome<li>Transformer<ul><li>Transformer model<li>Encoder<ul><li>LayerNorm<li>Attention</ul>"
        "<li>History</ul><li>About<li>How to<ul><li>Start</ul>"
    )
    assert "next: Attention" in project.read("transformer/encoder/layer-norm/index.html")
    assert (project.site / "files/source/index.html").exists()


def test_two_sections_with_one_title_stay_two(project: Project) -> None:
    project.entry("a", title="A", nav=[["Model", "one/"]])
    project.entry("b", title="B", nav=[["Model", "two/"]])
    project.build(strict=True)
    navigation = navigation_of(project.read("index.html"))
    assert "<li>Model<ul><li>A</ul><li>Model<ul><li>B</ul>" in navigation


def test_titles_of_sections_are_escaped_once_in_themes_that_escape_and_in_those_that_do_not(project: Project) -> None:
    project.entry("a", title="A & B", nav=["Layers & more"])
    project.write("content/how-&-why/start.md", '<h1 id="s">Start & end</h1>')
    for theme in ("openmodelatlas", "readthedocs"):
        project.configure(theme=theme)
        project.build(strict=True)
        page = project.read("index.html")
        assert "&amp;amp;" not in page
        for title in ("Layers &amp; more", "How &amp; why", "A &amp; B", "Start &amp; end"):
            assert title in page


def test_the_menu_of_a_long_section_shows_the_pages_around_and_leads_to_all(project: Project) -> None:
    project.configure(theme="openmodelatlas")
    project.entry("model/a-model", url="model/", title="The model", nav=["Model"])
    for number in range(100):
        project.entry(f"model/part-{number:02}", title=f"Part {number:02}", nav=["Model"])
    project.build(strict=True)
    page = project.read("model/part-50/index.html")
    menu = page.partition('<nav class="site-nav"')[2].partition("</nav>")[0]
    assert [number for number in range(100) if f">Part {number:02}</a>" in menu] == list(range(30, 70))
    assert '<a href="./" aria-current="page">Part 50</a>' in menu
    assert '<a href="../" class="here">Model</a>' in menu
    assert '<a class="all" href="../">All 100</a>' in menu
    missing = project.read("404.html").partition('<nav class="site-nav"')[2].partition("</nav>")[0]
    assert ">Model</a>" in missing
    assert "Part" not in missing


def test_the_navigation_of_mkdocs_yml_may_name_yaml_files_and_give_titles(project: Project) -> None:
    project.entry("other", title="Other")
    project.configure(nav=["index.md", {"Layers": [{"Norm": "transformer/encoder/layer-norm.yml"}, "other.yml"]}])
    project.build(strict=True)
    assert navigation_of(project.read("index.html")) == "<li>Welcome<li>Layers<ul><li>Norm<li>Other</ul>"


def test_titles_of_mkdocs_yml_are_text_in_every_theme(project: Project) -> None:
    hostile = "</title><script>alert(1)</script> & more"
    project.write("content/prose.md", "<p>no heading</p>")
    project.write("content/other.md", '<h1 id="x">Own</h1>')
    inner = [{hostile: "prose.md"}, {hostile: "https://example.org/"}, "other.md"]
    nav = [{hostile: "transformer/encoder/layer-norm.yml"}, {hostile: inner}]
    project.configure(nav=nav)
    project.build(strict=True)
    for path in ("transformer/encoder/layer-norm/index.html", "prose/index.html", "other/index.html"):
        page = project.read(path)
        assert "<script>" not in page
        assert page.count("&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp; more") >= 4
        assert "&amp;lt;" not in page
    assert "<title>Own</title>" in project.read("other/index.html")


def test_entities_that_not_in_nav_names_by_their_page_are_left_out(project: Project) -> None:
    project.entry("other", title="Other")
    project.configure(not_in_nav="/other.md\n")
    project.build(strict=True)
    page = project.read("index.html")
    assert navigation_of(page) == "<li>Welcome<li>Transformer<ul><li>Encoder<ul><li>LayerNorm</ul></ul>"
    assert (project.site / "other/index.html").exists()


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


def run(project: Project, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "ignore", str(RENDERER), *arguments]
    return subprocess.run(command, cwd=project.root, capture_output=True, text=True, check=False, timeout=60)  # noqa: S603 - our own script


def test_the_command_line_ends_with_one_line_and_exit_code_1(project: Project) -> None:
    project.entry("a", issues=[[4, "A103", "first"]])
    result = run(project, "build", "--strict")
    assert result.returncode == 1
    assert result.stderr.count("content/a.yml:4:3: A103 first") == 1
    assert "Traceback" not in result.stderr
    assert result.stdout.strip() == "Aborted: 1 issue in content; the previous site is left as it was"
    assert not project.site.exists()
    assert project.leftovers() == []


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: S603 - git on our folder


def test_gh_deploy_deploys_the_new_build(project: Project, tmp_path_factory: pytest.TempPathFactory) -> None:
    remote = tmp_path_factory.mktemp("remote")
    git(remote, "init", "--bare", "--quiet")
    git(project.root, "init", "--quiet")
    git(project.root, "config", "user.name", "A")
    git(project.root, "config", "user.email", "a@example.org")
    git(project.root, "remote", "add", "origin", str(remote))
    git(project.root, "add", "mkdocs.yml")
    git(project.root, "commit", "--quiet", "--message", "content")
    project.build()
    project.entry("transformer/encoder/layer-norm", title="Deployed")
    result = run(project, "gh-deploy", "--strict")
    assert result.returncode == 0, result.stderr
    assert "<title>Deployed</title>" in git(remote, "show", "gh-pages:transformer/encoder/layer-norm/index.html")


def test_real_prose_is_rendered_with_the_real_katex(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    project.configure(plugins=["search", "atlas"])
    for entry in (project.root / "content").rglob("*.yml"):
        entry.unlink()  # what the stand-in renderer reads is no entry
    links = "[down](#the-size), [about](about.md), ![A picture](p.svg)"
    project.write("content/index.md", f"# The gain $\\gamma$\n\n{links}\n\n## The size\n")
    project.write("content/p.svg", "<svg/>")
    project.write("content/about.md", "# About\n\n[home](index.md#the-size) <script>alert(1)</script>\n")
    project.build(strict=True)
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
