"""The navigation that a build gives themes: sections, menus, and what mkdocs.yml says of them."""

from __future__ import annotations

from tests.plugin.small_project import Project


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
