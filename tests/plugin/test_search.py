"""The search index of a build: which pages are in it, and for which themes it is made."""

from __future__ import annotations

import json
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

from atlas.plugin import events

Write = Callable[[str, str], None]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    module = runpy.run_path(str(Path(__file__).with_name("plugin_project.py")))
    monkeypatch.setattr(events, "build_site", module["build_site"])
    return tmp_path


@pytest.fixture
def write(root: Path) -> Write:
    def file(path: str, text: str) -> None:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")

    file("theme/main.html", "<main>{{ page.content }}</main>")
    file("theme/js/search.js", "// the palette")
    file("content/index.md", '<h1 id="home">Welcome</h1>')
    file("content/gpt/norm.yml", yaml.safe_dump({"title": "LayerNorm"}))
    return file


@pytest.fixture
def built(root: Path, write: Write) -> Callable[..., list[list[str]]]:
    """Build and return what the index shows of each record."""

    def shown(**options: Any) -> list[list[str]]:
        settings = {
            "site_name": "Atlas",
            "docs_dir": "content",
            "theme": {"name": None, "custom_dir": "theme"},
            "plugins": ["atlas"],
        }
        write("mkdocs.yml", yaml.safe_dump(settings | options))
        config = load_config(config_file=str(root / "mkdocs.yml"))
        config.plugins.on_startup(command="build", dirty=False)
        try:
            build(config)
        finally:
            config.plugins.on_shutdown()
        found = json.loads((root / "site/search/index.json").read_text(encoding="utf-8"))
        files = [root / f"site/search/{name}.json" for name in found["shown"]]
        return [one for file in files for one in json.loads(file.read_text(encoding="utf-8"))]

    return shown


def test_entities_and_prose_are_found(built: Callable[..., list[list[str]]], write: Write) -> None:
    write("content/notes.md", '<h1 id="notes">Notes &amp; more</h1><p>Read <math>x</math> first.</p>')
    assert built() == [
        ["gpt/norm/", "LayerNorm", "", "A page."],
        ["./", "Welcome", "", ""],
        ["notes/", "Notes & more", "", "Read formula first."],
    ]


def test_a_page_that_is_not_written_is_not_found(built: Callable[..., list[list[str]]], write: Write) -> None:
    write("content/notes.md", '<h1 id="notes">Notes</h1>')
    write("content/draft.md", '<h1 id="draft">Draft</h1>')
    write("content/gpt/hidden.yml", yaml.safe_dump({"title": "Hidden"}))
    urls = [url for url, *_ in built(exclude_docs="notes.md\ngpt/hidden.yml", draft_docs="draft.md")]
    assert urls == ["gpt/norm/", "./"]


def test_a_theme_without_the_palette_gets_no_index(
    root: Path, built: Callable[..., list[list[str]]], write: Write
) -> None:
    built()
    (root / "theme/js/search.js").unlink()
    with pytest.raises(FileNotFoundError):
        built()
    assert (root / "site/index.html").is_file()
    assert not (root / "site/search").exists()


def test_a_file_of_the_author_in_the_place_of_the_index_stops_the_build(
    built: Callable[..., list[list[str]]], write: Write, caplog: pytest.LogCaptureFixture
) -> None:
    write("content/search/index.json", "{}")
    with pytest.raises(Abort):
        built()
    assert "content/search/index.json" in caplog.text
    assert "A901" in caplog.text
