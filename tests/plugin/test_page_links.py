"""Links of prose and of entities: how they are written, and what becomes of broken ones."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest

from tests.plugin.small_project import Project


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
    ("link", "told"),
    [
        (
            "transformer/encoder/layer-norm.yml#parametres",
            ("A905", "a page without an element with the id 'parametres'", "…layer-norm.yml#parameters`?"),
        ),
        (
            "transformer/encoder/layer-norm.md#parametres",
            ("A905", "a page without an element with the id 'parametres'", "…layer-norm.md#parameters`?"),
        ),
        ("transformer/encoder/layer-nrm.yml", ("A904", "no page or file of the site", "…encoder/layer-norm.yml`?")),
        ("guide/", ("A904", "no page or file of the site", "")),
        ("transformer/encoder/layer-norm/", ("A904", "no page or file of the site", "…encoder/layer-norm.yml`?")),
        ("/guide/", ("A903", "is absolute, so it leads astray wherever the site lies", "write it relative…")),
        ("#nowhere", ("A905", "a page without an element with the id 'nowhere'", "it has #home")),
        ("#hom", ("A905", "a page without an element with the id 'hom'", "did you mean `#home`?")),
    ],
)
def test_a_broken_link_in_prose_is_told_once_where_it_is_written(
    project: Project, refused: Callable[..., str], log: pytest.LogCaptureFixture, link: str, told: tuple[str, str, str]
) -> None:
    project.entry("transformer/encoder/layer-norm", body='<p id="parameters">')
    project.write("content/index.md", f'---\ntitle: T\n---\n\n<h1 id="home">x</h1>\nSee <a href="{link}">x</a>')
    refused(strict=True)
    code, fact, hint = told
    [one] = _of_the_atlas(log)
    first, *_, last = one.split("\n")
    assert first.startswith(f"content/index.md:6:14: {code} the link '{link}' ")
    assert first.endswith(fact)
    assert hint.strip("…") in last


def test_each_place_of_a_broken_link_in_prose_is_told(project: Project, log: pytest.LogCaptureFixture) -> None:
    project.write("content/other.md", '---\ntitle: T\n---\n<a href="no.md">x</a><a href="#no">y</a>\n\n[x](no.md)')
    project.write(
        "content/index.md", '<a href="no.md">html that the stand-in shows</a>\n\n[a](no.md) and [b](no.md) `[c](no.md)`'
    )
    project.build()
    assert [one.partition(" ")[0] for one in _of_the_atlas(log)] == [
        "content/index.md:3:5:",
        "content/index.md:3:20:",
        "content/other.md:4:31:",
        "content/other.md:6:5:",
    ]


@pytest.mark.parametrize(
    ("validation", "levels"),
    [
        ({}, [logging.WARNING, logging.WARNING, logging.INFO]),
        ({"not_found": "ignore", "anchors": "ignore", "unrecognized_links": "warn"}, [logging.WARNING]),
        ({"not_found": "info", "anchors": "warn", "unrecognized_links": "ignore"}, [logging.WARNING, logging.INFO]),
    ],
)
def test_links_of_prose_are_judged_as_the_settings_say(
    project: Project, log: pytest.LogCaptureFixture, validation: dict[str, str], levels: list[int]
) -> None:
    project.configure(validation={"links": validation})
    project.write("content/index.md", '<a href="no.md">x</a><a href="#no">y</a><a href="no/">z</a>')
    project.build()
    assert [one.levelno for one in log.records if " A90" in one.getMessage()] == levels


def test_a_link_to_a_draft_is_told(project: Project, log: pytest.LogCaptureFixture) -> None:
    project.configure(draft_docs="draft.md")
    project.write("content/draft.md", "<p>x</p>")
    project.write("content/index.md", '<a href="draft.md">x</a>')
    project.build()
    assert _of_the_atlas(log) == [
        "content/index.md:1:10: A904 the link 'draft.md' leads to what is excluded from the built site\n"
        '    <a href="draft.md">x</a>\n             ^^^^^^^^^^^^^^^'
    ]


def test_a_dead_link_in_a_text_is_told_once_where_its_author_wrote_it(
    project: Project, refused: Callable[..., str], log: pytest.LogCaptureFixture
) -> None:
    project.entry("transformer/encoder/layer-norm", body='<p id="own">', summary="text")
    project.write(
        "content/transformer/encoder/other.yml",
        'body: \'<p id=own><a href="../layer-nrm/">m</a><a href="../layer-norm/#owm">n</a>\'\n'
        "forms: ['../layer-nrm/index.md']\n"
        "note: See [m](layer-nrm.yml), [n](layer-norm.yml#owm) and `[o](x.yml)`.\n",
    )
    project.write(
        "content/transformer/encoder/more.yml",
        "body: '<a href=\"../layer-nrm/\">m</a>'\nsummary: '[m](../layer-nrm/)'\n",
    )
    refused(strict=True)
    assert _of_the_atlas(log) == [
        "content/transformer/encoder/more.yml:2:15: A904 the link '../layer-nrm/' leads to no page or file of the "
        "site\n"
        "    summary: '[m](../layer-nrm/)'\n"
        "                  ^^^^^^^^^^^^^\n"
        "  did you mean `layer-norm.yml`?",
        "content/transformer/encoder/other.yml:3:15: A904 the link 'layer-nrm.yml' leads to no page or file of the "
        "site\n"
        "    note: See [m](layer-nrm.yml), [n](layer-norm.yml#owm) and `[o](x.yml)`.\n"
        "                  ^^^^^^^^^^^^^\n"
        "  did you mean `layer-norm.yml`?",
        "content/transformer/encoder/other.yml:3:35: A905 the link 'layer-norm.yml#owm' leads to a page without an "
        "element with the id 'owm'\n"
        "    note: See [m](layer-nrm.yml), [n](layer-norm.yml#owm) and `[o](x.yml)`.\n"
        "                                      ^^^^^^^^^^^^^^^^^^\n"
        "  did you mean `layer-norm.yml#own`?",
    ]


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


@pytest.mark.parametrize("site_url", ["", None])
def test_an_absolute_link_of_an_entity_fails_where_the_site_may_lie_anywhere(
    project: Project, refused: Callable[..., str], log: pytest.LogCaptureFixture, site_url: str | None
) -> None:
    project.configure(site_url=site_url)
    project.entry("transformer/encoder/layer-norm", body='<p><a href="/transformer/">y</a></p>')
    project.write(
        "content/transformer/encoder/other.yml", "body: '<a href=\"/guide/\">m</a>'\nsummary: 'A [m](/guide/)'\n"
    )
    text = refused(strict=True)
    absolute = "is absolute, so it leads astray wherever the site lies"
    assert f"content/transformer/encoder/layer-norm.yml: A903 the link '/transformer/' {absolute}" in text
    assert f"content/transformer/encoder/other.yml:2:17: A903 the link '/guide/' {absolute}" in text
    assert "write it relative to this file" in text


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


def _of_the_atlas(log: pytest.LogCaptureFixture) -> list[str]:
    """What is told of links, also by MkDocs itself."""
    messages = [one.getMessage() for one in log.records]
    return [one for one in messages if " A90" in one or one.startswith("Doc file")]
