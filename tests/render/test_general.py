"""Whatever shapes every page is part of the digest by which pages are kept; what shapes none is not."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from atlas.render import general
from atlas.render.general import general_key
from atlas.render.site import Settings


def edited(branch: str) -> Callable[[str], str]:
    return lambda path: f"https://git.example/{branch}/{path}"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    theme = tmp_path / "theme"
    (theme / "entity").mkdir(parents=True)
    (theme / "entity/structure.html").write_text("<p>one</p>", encoding="utf-8")
    (theme / "picture.svg").write_text("<svg/>", encoding="utf-8")
    return Settings(
        tmp_path, tmp_path / "content", tmp_path / "sources", tmp_path / "work", "Atlas", templates=(theme,)
    )


@pytest.mark.parametrize(
    "change",
    [
        {"site_name": "Another"},
        {"site_url": "https://example.org/"},
        {"data_license": "CC-BY-4.0"},
        {"missing_sources": "link"},
        {"edit_address": edited("main")},
        {"templates": ()},
    ],
    ids=lambda change: next(iter(change)),
)
def test_each_setting_that_shapes_pages_changes_the_key(settings: Settings, change: dict[str, Any]) -> None:
    assert general_key(replace(settings, **change)) != general_key(settings)


def test_addresses_for_editing_that_are_formed_otherwise_change_the_key(settings: Settings) -> None:
    one, other = replace(settings, edit_address=edited("main")), replace(settings, edit_address=edited("next"))
    assert general_key(one) != general_key(other)
    assert general_key(one) == general_key(replace(settings, edit_address=edited("main")))


def test_another_place_of_the_content_below_the_root_changes_the_key(settings: Settings) -> None:
    assert general_key(replace(settings, content=settings.root / "docs/content")) != general_key(settings)


def test_what_shapes_no_page_does_not_change_the_key(settings: Settings) -> None:
    same = replace(settings, workspace=settings.root / "another", sources=settings.root / "pins", say=print)
    assert general_key(same) == general_key(settings)


def test_each_template_changes_the_key_by_its_content_name_and_place(settings: Settings) -> None:
    (theme,) = settings.templates
    seen = [general_key(settings)]
    template = theme / "entity/structure.html"
    template.write_text("<p>two</p>", encoding="utf-8")
    seen.append(general_key(settings))
    template.rename(theme / "entity/other.html")
    seen.append(general_key(settings))
    (theme / "entity/model.md").write_text("# {{ view.title }}", encoding="utf-8")
    seen.append(general_key(settings))
    another = theme.with_name("another")
    shutil.copytree(theme, another)
    (another / "entity/model.md").unlink()
    seen.append(general_key(replace(settings, templates=(theme, another))))
    seen.append(general_key(replace(settings, templates=(another, theme))))
    assert len(set(seen)) == len(seen)
    (theme / "picture.svg").write_text("<svg></svg>", encoding="utf-8")
    assert general_key(settings) == seen[3]


def test_every_template_of_our_own_theme_is_part_of_it(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "own"
    shutil.copytree(str(files("openmodelatlas_theme")), copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(general, "files", lambda _: copy)
    before = general_key(settings)
    templates = [*copy.rglob("*.html"), *copy.rglob("*.md")]
    assert len(templates) > 20
    for template in templates:
        text = template.read_text(encoding="utf-8")
        template.write_text(f"{text} ", encoding="utf-8")
        assert general_key(settings) != before, template
        template.write_text(text, encoding="utf-8")
    assert general_key(settings) == before


def test_another_version_of_a_library_or_of_the_code_changes_the_key(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = general_key(settings)
    for library in ("jinja2", "markupsafe", "mdit-py-plugins"):
        with monkeypatch.context() as patch:
            patch.setattr(general, "version_of", lambda name, wanted=library: version(name) + "1" * (name == wanted))
            assert general_key(settings) != before, library
    monkeypatch.setattr(general, "code_digest", lambda *rooms: f"other code of {rooms}")
    assert general_key(settings) != before
