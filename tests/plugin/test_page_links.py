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
