"""Files beside the pages whose texts are produced: only where the present site does not have the same already."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

from atlas.exceptions import ChangedError
from atlas.plugin import events
from atlas.render.site import Produced, Settings, Site, SiteAsset

FILE, MARKDOWN = "data/one.json", "data/one.md"
Build = Callable[..., list[str]]


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Build:
    """Build a site with two produced files; answers which of them were asked for their texts."""
    (tmp_path / "content").mkdir()
    (tmp_path / "sources").mkdir()
    (tmp_path / "content/index.md").write_text("# Home\n", encoding="utf-8")
    module = runpy.run_path(str(Path(__file__).with_name("plugin_project.py")))
    monkeypatch.setenv("OPENMODELATLAS_CACHE", str(tmp_path / "cache"))

    def make(
        text: str = "text", digest: bytes = b"one", error: Exception | None = None, **options: object
    ) -> list[str]:
        settings = {"site_name": "Atlas", "docs_dir": "content", "theme": "openmodelatlas", "plugins": ["atlas"]}
        (tmp_path / "mkdocs.yml").write_text(yaml.safe_dump(settings | options), encoding="utf-8")
        asked: list[str] = []

        def produced(url: str) -> Produced:
            def body() -> str:
                asked.append(url)
                if error is not None:
                    raise error
                return f"{text} of {url}"

            return Produced(body, digest)

        def build_site(given: Settings) -> Site:
            site: Site = module["build_site"](given)
            return replace(site, assets=(*site.assets, *(SiteAsset(url, produced(url)) for url in (FILE, MARKDOWN))))

        monkeypatch.setattr(events, "build_site", build_site)
        # Another remark, so that there is something to build.
        (tmp_path / "content/index.md").write_text(f"# Home\n\n{text} {digest!r}\n", encoding="utf-8")
        config = load_config(str(tmp_path / "mkdocs.yml"))
        config.plugins.on_startup(command="build", dirty=False)
        try:
            build(config)
        finally:
            config.plugins.on_shutdown()
        return asked

    return make


def texts(folder: Path) -> list[str]:
    return [(folder / "site" / url).read_text(encoding="utf-8") for url in (FILE, MARKDOWN)]


def test_a_text_is_produced_only_where_the_site_has_another(built: Build, tmp_path: Path) -> None:
    assert built() == [FILE, MARKDOWN]
    assert texts(tmp_path) == [f"text of {FILE}", f"text of {MARKDOWN}"]
    assert built("not asked for") == []
    assert texts(tmp_path) == [f"text of {FILE}", f"text of {MARKDOWN}"]
    assert built("new", b"two") == [FILE, MARKDOWN]
    assert texts(tmp_path) == [f"new of {FILE}", f"new of {MARKDOWN}"]


def test_a_file_that_was_edited_in_the_site_is_produced_again(built: Build, tmp_path: Path) -> None:
    built()
    (tmp_path / "site" / FILE).write_text("edited", encoding="utf-8")
    assert built("again") == [FILE]
    assert texts(tmp_path) == [f"again of {FILE}", f"text of {MARKDOWN}"]


def test_where_other_plugins_take_part_every_text_is_produced(built: Build, tmp_path: Path) -> None:
    for text in ("one", "other"):
        assert sorted(built(text, plugins=["search", "atlas"])) == [FILE, MARKDOWN]
        assert texts(tmp_path) == [f"{text} of {FILE}", f"{text} of {MARKDOWN}"]


@pytest.mark.parametrize("plugins", [["atlas"], ["search", "atlas"]])
def test_a_text_that_cannot_be_produced_ends_the_build_and_leaves_the_site(
    built: Build, tmp_path: Path, plugins: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    built()
    with pytest.raises(Abort):
        built("new", b"two", ChangedError("the pages of m have to be made again"), plugins=plugins)
    assert texts(tmp_path) == [f"text of {FILE}", f"text of {MARKDOWN}"]
    errors = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert errors == [f"/{FILE}: the pages of m have to be made again"]
