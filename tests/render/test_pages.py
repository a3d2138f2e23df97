"""Planned pages become HTML: escaped, strict about names, with templates that a project may replace."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

from atlas.exceptions import DisplayError
from atlas.node.process import Formula, Typeset
from atlas.render.deferred import Typesetting
from atlas.render.json_types import FilePlace, Line
from atlas.render.pages import Made, PagePlan, Renderer
from atlas.render.site import Heading, Settings
from atlas.render.structure_view import PlaceItem, StackItem, StructureView


@dataclass(frozen=True)
class View:
    title: str


def rendered(template: str, tmp_path: Path, view: object, typesetting: Typesetting | None = None) -> Made:
    folder = tmp_path / "theme"
    (folder / "entity").mkdir(parents=True)
    (folder / "entity" / "component.html").write_text(template)
    plan = PagePlan("a/b/", "component", "T", "T", "D", None, (), view)
    settings = Settings(tmp_path, tmp_path, tmp_path, tmp_path, "Site", (folder,))
    renderer = Renderer(settings, typesetting or Typesetting())
    return renderer.made(plan)


def test_a_projects_own_template_comes_before_the_themes(tmp_path: Path) -> None:
    assert rendered("mine: {{ view.title }}", tmp_path, View("x")).body == "mine: x"


def test_values_are_escaped(tmp_path: Path) -> None:
    html = rendered("{{ view.title }}", tmp_path, View("<script>alert(1)</script>")).body
    assert html == "&lt;script&gt;alert(1)&lt;/script&gt;"


def test_a_name_that_the_view_does_not_have_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UndefinedError, match="titel"):
        rendered("{{ view.titel }}", tmp_path, View("x"))


def test_headings_are_noted_where_the_template_makes_them(tmp_path: Path) -> None:
    template = '{% import "entity/macros.html" as m %}{{ m.heading(outline, 2, "a", "A & B") }}'
    page = rendered(template, tmp_path, View("x"))
    assert page.headings == (Heading(2, "a", "A & B"),)
    assert '<h2 id="a">A &amp; B' in page.body


def test_links_are_relative_to_the_page_and_other_sites_stay(tmp_path: Path) -> None:
    html = rendered("{{ to('c/#x') }} {{ to('') }} {{ to('https://example.org/y') }}", tmp_path, View("x")).body
    assert html == "../../c/#x ../../ https://example.org/y"


def test_a_page_asks_for_the_fonts_of_its_own_formulas(tmp_path: Path) -> None:
    typesetting = Typesetting()
    bold, plain = typesetting.maths("b"), typesetting.maths("p")
    html = Markup('<span class="katex"><span class="katex-html"><i class="{}">x</i></span></span>')
    classes = {"b": "mathbf x", "p": "mathnormal"}
    typesetting.take([Typeset(one, html.format(classes[one.tex]), "", None) for one in typesetting.waiting])
    assert typesetting.shown(bold.formula), "on a page before"
    assert rendered("{{ view }}", tmp_path, plain, typesetting).fonts == (
        "KaTeX_Main-Regular.woff2",
        "KaTeX_Math-Italic.woff2",
    )


def test_maths_in_a_view_is_asked_for_first_and_printed_later(tmp_path: Path) -> None:
    typesetting = Typesetting()
    text = typesetting.text("where $x$ is & *y*", "a/b.yml")
    formula = typesetting.maths("z", display=True)
    assert set(typesetting.waiting) == {Formula("x"), Formula("z", display=True)}
    results = [Typeset(one, Markup("<i>{}</i>").format(one.tex), "", None) for one in typesetting.waiting]
    typesetting.take(results)
    assert typesetting.waiting == ()
    html = rendered("{{ view[0] }} {{ view[1] }}", tmp_path, (text, formula)).body
    assert html == "where <i>x</i> is &amp; <em>y</em> <i>z</i>"
    assert text.plain == "where x is & y"


@pytest.mark.parametrize(("has_folders", "page"), [(True, "notes/"), (False, "notes.html")])
def test_texts_and_records_lead_to_pages_of_prose_as_the_site_has_them(has_folders: bool, page: str) -> None:
    typesetting = Typesetting(has_folders=has_folders)
    typesetting.begin_page("a/b/")
    markdown = "see [this](../notes.md#x)"
    html = typesetting.text(markdown, "a/b.yml").__html__()
    assert html == f'see <a href="../../{page}#x">this</a>'
    place = FilePlace("api/v1/a.json", has_folders)
    assert Line(markdown, "a/b.yml").written(place) == f"see [this](../../{page}#x)"


def test_a_formula_that_passes_is_let_go_of_and_typeset_again_where_it_is_asked_for_again() -> None:
    typesetting = Typesetting()
    kept = typesetting.maths("kept")
    typesetting.take([Typeset(kept.formula, Markup("<i>kept</i>"), "", None)])
    for time in range(2):
        typesetting.begin()
        passing = typesetting.of(Formula("passing", True, "coloured"))
        assert typesetting.waiting == (passing.formula,)
        typesetting.take([Typeset(passing.formula, Markup("<i>{}</i>").format(time), "", None)])
        assert typesetting.shown(passing.formula) == passing.__html__() == f"<i>{time}</i>"
        typesetting.forget()
    assert kept.__html__() == "<i>kept</i>"


def test_a_link_in_a_text_leads_to_the_same_place_from_every_page(tmp_path: Path) -> None:
    typesetting = Typesetting()
    text = typesetting.text("[x](other.yml?q=1&r#code) and [y](https://example.org/?a&b)", "model/part/own.yml")
    html = rendered("{{ view }}", tmp_path, text, typesetting).body  # on the page a/b/
    assert html == (
        '<a href="../../model/part/other/?q=1&amp;r#code">x</a> and '
        '<a href="https://example.org/?a&amp;b" rel="noopener">y</a>'
    )
    typesetting.page = "model/part/own/"
    assert '<a href="../other/?q=1' in text.__html__()


def test_maths_that_was_never_typeset_or_is_refused_is_an_error() -> None:
    typesetting = Typesetting()
    formula = typesetting.maths("x")
    with pytest.raises(DisplayError, match="never typeset"):
        formula.__html__()
    with pytest.raises(DisplayError, match="cannot be displayed: bad"):
        typesetting.take([Typeset(Formula("x"), None, "bad", 0)])


def test_the_column_is_the_same_whatever_page_was_rendered_before(tmp_path: Path) -> None:
    places = ("m/stack/a/", "m/stack/b/", "m/stack/b/below/", "m/c/", "m/")
    unmarked = tuple(PlaceItem(f"<{url}>", url, "linear", is_current=False, is_here=False) for url in places)
    settings = Settings(tmp_path, tmp_path, tmp_path, tmp_path, "Site", ())

    def plan(page: str) -> PagePlan:
        items = tuple(PlaceItem(f"<{url}>", url, "linear", url == page, url == page) for url in places)
        structure = StructureView("M", "m/", page == "m/", (StackItem("S", "m/#s", "× 2", items),), 0, unmarked)
        return PagePlan(page, "component", "T", "T", "D", None, (), View("x"), structure)

    folder = tmp_path / "entity"
    folder.mkdir()
    (folder / "component.html").write_text("x")
    settings = replace(settings, templates=(tmp_path,))
    one_after_the_other = Renderer(settings, Typesetting())
    columns = {page: one_after_the_other.made(plan(page)).column for page in (*places, *places)}
    assert columns == {page: Renderer(settings, Typesetting()).made(plan(page)).column for page in places}
    assert 'href="../b/below/"' in columns["m/stack/a/"]
    assert 'href="below/"' in columns["m/stack/b/"]
    assert [text.count("aria-current") for text in columns.values()] == [1, 1, 1, 1, 2]
