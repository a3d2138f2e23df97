"""A site is left as it is where nothing has changed since it was built, and only there."""

from __future__ import annotations

import logging
import os
import random
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from mkdocs.exceptions import Abort

from atlas.plugin import events, fingerprint, present
from atlas.plugin.fingerprint import OpaqueError, plain
from atlas.plugin.present import FOLDER, Present, Written, keep_present, place_of, read_present
from tests.plugin.unchanged_project import SETTINGS, Project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("OPENMODELATLAS_CACHE", str(tmp_path / "cache"))
    made = Project(tmp_path / "project")
    build_site = runpy.run_path(str(Path(__file__).with_name("plugin_project.py")))["build_site"]

    def noted(settings: Any) -> Any:
        made.built += 1
        made.while_building()
        return build_site(settings)

    monkeypatch.setattr(events, "build_site", noted)
    return made


def test_where_nothing_has_changed_the_site_is_left_as_it_is(project: Project, log: pytest.LogCaptureFixture) -> None:
    assert project.build()
    before = project.state()
    assert len(before) == 10
    for command in ("build", "gh-deploy", "build"):
        log.clear()
        assert not project.build(command)
        assert log.messages.count("Nothing has changed; the site is left as it is") == 1
        assert [message.partition(" ")[0] for message in log.messages] == [
            "Nothing",
            "Documentation",
        ]
        assert project.state() == before
    assert sorted(path.name for path in project.root.iterdir()) == ["content", "mkdocs.yml", "site", "sources", "theme"]


def test_the_log_names_the_folder_of_the_site_and_none_that_builds_work_in(
    project: Project, log: pytest.LogCaptureFixture
) -> None:
    assert project.build()
    assert f"Building documentation to directory: {project.site}" in log.messages
    assert ".site-building" not in log.text
    project.configure(plugins=[])
    project.build()  # of MkDocs alone, which cleans what it names
    assert log.messages.count("Cleaning site directory") == 1


def test_a_navigation_that_names_pages_and_templates_of_the_project_are_no_hindrance(project: Project) -> None:
    project.configure(nav=["index.md", {"L": "layer.yml"}], extra_templates=["feed.xml"])
    project.write("content/feed.xml", "<feed>{{ config.site_name }}</feed>")
    assert project.build(strict=True)
    before = project.state()
    assert not project.build(strict=True)
    assert project.state() == before


def _replaced(path: str, old: str, new: str) -> Callable[[Project], None]:
    def edit(project: Project) -> None:
        text = (project.root / path).read_text(encoding="utf-8")
        assert old in text
        project.write(path, text.replace(old, new))

    return edit


def _same_size_and_time(project: Project) -> None:
    file = project.root / "content/layer.yml"
    status = file.stat()
    _replaced("content/layer.yml", "one", "two")(project)
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


EDITS: dict[str, Callable[[Project], object]] = {
    "entry": _replaced("content/layer.yml", "one", "another"),
    "entry of the same size and time": _same_size_and_time,
    "prose": _replaced("content/index.md", "Home", "House"),
    "a file that is copied": _replaced("content/picture.svg", "<svg/>", "<svg></svg>"),
    "a new page": lambda project: project.write("content/new.md", "New"),
    "a page less": lambda project: (project.root / "content/layer.yml").unlink(),
    "a page of another name": lambda project: (project.root / "content/layer.yml").rename(
        project.root / "content/other.yml"
    ),
    "sources": _replaced("sources/note.txt", "note", "another note"),
    "a template": _replaced("theme/main.html", "<main>", "<main id=m>"),
    "another template": lambda project: project.write("theme/nav.html", "nothing"),
    "a style sheet": _replaced("theme/css/own.css", "body", "html"),
    "the site's name": lambda project: project.configure(site_name="Another"),
    "an order in the settings": lambda project: project.configure(extra={"answers": [0.5, 42, None, {"a": True}]}),
    "what is left out": lambda project: project.configure(exclude_docs="nothing/"),
    "the theme's settings": lambda project: project.configure(theme=SETTINGS["theme"] | {"colour": "red"}),
    "a template that is static": lambda project: project.configure(
        theme=SETTINGS["theme"] | {"static_templates": ["404.html", "main.html"]}
    ),
    "the plugin's options": lambda project: project.configure(plugins=[{"atlas": {"data_license": "MIT"}}]),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS.keys())
def test_an_edit_is_noticed(project: Project, edit: Callable[[Project], object]) -> None:
    assert project.build()
    edit(project)
    assert project.build()
    assert not project.build()


@pytest.mark.parametrize(
    "options",
    [
        {"strict": True},
        {"site_url": "https://example.org/elsewhere/"},
        {"use_directory_urls": False},
        {"theme": "mkdocs"},
    ],
    ids=lambda options: next(iter(options)),
)
def test_the_command_line_is_noticed(project: Project, options: dict[str, Any]) -> None:
    assert project.build()
    assert project.build(**options)
    assert not project.build(**options)
    assert project.build()


def test_each_folder_has_a_site_of_its_own(project: Project, tmp_path: Path) -> None:
    assert project.build()
    assert project.build(site_dir=str(tmp_path / "other"))
    assert not project.build(site_dir=str(tmp_path / "other"))
    assert not project.build()


def test_the_environment_is_noticed(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert project.build()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    assert project.build()
    assert not project.build()
    libraries = tmp_path / "libraries"
    libraries.mkdir()
    monkeypatch.syspath_prepend(str(libraries))
    assert not project.build()
    (libraries / "numpy-99.0.dist-info").mkdir()
    assert project.build()
    monkeypatch.setattr(sys, "version", "4.0")
    assert project.build()
    assert not project.build()


def test_our_own_code_and_theme_are_noticed(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("atlas/plugin/fingerprint.py", "theme/base.html"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("", encoding="utf-8")
    monkeypatch.setattr(fingerprint, "__file__", str(tmp_path / "atlas/plugin/fingerprint.py"))
    monkeypatch.setattr(fingerprint, "theme_folder", lambda: str(tmp_path / "theme"))
    seen = [project.grounds()]
    for name in ("atlas/new.py", "atlas/plugin/fingerprint.py", "theme/base.html"):
        (tmp_path / name).write_text("changed = 1", encoding="utf-8")
        seen.append(project.grounds())
    (tmp_path / "atlas/__pycache__").mkdir()
    (tmp_path / "atlas/__pycache__/new.pyc").write_bytes(b"kept")
    assert len(set(seen)) == 4
    assert project.grounds() == seen[-1]


def test_random_edits_of_files_are_noticed_and_taken_back(project: Project) -> None:
    chance = random.Random(7)  # noqa: S311 - reproducible edits, not secrets
    whole = project.grounds()
    for _ in range(60):
        folder = project.root / chance.choice(("content", "sources", "theme"))
        file = chance.choice(sorted(path for path in folder.rglob("*") if path.is_file()))
        content, status = file.read_bytes(), file.stat()
        at = chance.randrange(len(content))
        match chance.randrange(4):
            case 0:
                file.write_bytes(content[:at] + bytes((content[at] ^ 1 + chance.randrange(255),)) + content[at + 1 :])
                os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
            case 1:
                file.write_bytes(content[:at])
            case 2:
                file.unlink()
            case 3:
                file.rename(file.with_name("renamed"))
        assert project.grounds() != whole
        file.with_name("renamed").unlink(missing_ok=True)
        file.write_bytes(content)
        assert project.grounds() == whole


def test_where_a_link_leads_and_what_is_there_is_noticed(project: Project, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.css").write_text("a {}", encoding="utf-8")
    link = project.root / "theme/linked"
    link.symlink_to(tmp_path / "one")
    (tmp_path / "one/again").symlink_to(tmp_path / "one")  # in a circle
    seen = [project.grounds()]
    (tmp_path / "one/a.css").write_text("b {}", encoding="utf-8")
    seen.append(project.grounds())
    (project.root / "content/linked.md").symlink_to(project.root / "content/index.md")
    seen.append(project.grounds())
    (project.root / "content/index.md").write_text("Another", encoding="utf-8")
    seen.append(project.grounds())
    (project.root / "content/.#index.md").symlink_to("nobody@nowhere:1")
    seen.append(project.grounds())
    assert len(set(seen)) == len(seen)


TOUCHED: dict[str, Callable[[Path], object]] = {
    "edited": lambda site: (site / "layer/index.html").write_text("edited", encoding="utf-8"),
    "edited to the same size": lambda site: (site / "css/own.css").write_bytes(b"html {}"),
    "deleted": lambda site: (site / "404.html").unlink(),
    "added": lambda site: (site / "layer/more.html").write_text("more", encoding="utf-8"),
    "a folder more": lambda site: _put(site / "old/page/index.html"),
    "moved": lambda site: (site / "layer").rename(site / "moved"),
    "a link to the same": lambda site: _linked(site / "404.html"),
}


def _put(file: Path) -> None:
    file.parent.mkdir(parents=True)
    file.write_text("put", encoding="utf-8")


def _linked(file: Path) -> None:
    file.rename(file.parent.parent / "elsewhere.html")
    file.symlink_to(file.parent.parent / "elsewhere.html")


@pytest.mark.parametrize("touch", TOUCHED.values(), ids=TOUCHED.keys())
def test_a_site_that_was_touched_is_built_again(project: Project, touch: Callable[[Path], object]) -> None:
    project.build()
    before = {path: content for path, (content, *_) in project.state().items()}
    touch(project.site)
    assert project.build()
    assert {path: content for path, (content, *_) in project.state().items()} == before
    assert not project.build()


def test_what_is_hidden_in_a_site_is_not_of_the_build_unless_it_made_it(project: Project) -> None:
    project.configure(exclude_docs="!.well-known/")
    project.write("content/.well-known/security.txt", "Contact: us")
    project.build()
    (project.site / ".git").mkdir()
    (project.site / ".git/HEAD").write_text("ref", encoding="utf-8")
    assert not project.build()
    (project.site / ".well-known/security.txt").write_text("Contact: me", encoding="utf-8")
    assert project.build()
    assert (project.site / ".well-known/security.txt").read_text(encoding="utf-8") == "Contact: us"


def test_a_site_that_is_gone_is_built_again(project: Project, tmp_path: Path) -> None:
    project.build()
    project.site.rename(tmp_path / "away")
    assert project.build()
    assert not project.build()


def test_warnings_are_told_again(project: Project, log: pytest.LogCaptureFixture) -> None:
    project.write("content/index.md", '<a href="nowhere.md">nowhere</a>')
    project.write("content/layer.yml", yaml.safe_dump({"title": "Layer", "body": '<a href="../nothing/">no</a>'}))
    told = []
    assert project.build()
    for _ in range(3):
        told.append([(one.name, one.levelno, one.getMessage()) for one in log.records if one.levelno > logging.INFO])
        log.clear()
        assert not project.build()
    assert len(told[0]) == 2
    assert told == told[:1] * 3
    with pytest.raises(Abort):
        project.build(strict=True)


def test_a_dirty_build_is_a_build(project: Project) -> None:
    assert project.build(dirty=True)
    assert project.build()
    assert project.build(dirty=True)
    assert project.build()  # as nothing is known of what the dirty one wrote


def test_a_build_that_would_not_have_shown_warnings_says_nothing_for_one_that_would(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("content/index.md", '<a href="nowhere.md">nowhere</a>')
    logger = logging.getLogger("mkdocs")
    with monkeypatch.context() as quiet:
        quiet.setattr(logger, "level", logging.ERROR)
        logger.manager._clear_cache()  # type: ignore[attr-defined]
        assert project.build()
        assert not project.build()
    logger.manager._clear_cache()  # type: ignore[attr-defined]
    assert project.build()
    assert not project.build()


def test_with_other_plugins_hooks_and_what_the_network_has_builds_are_as_ever(project: Project) -> None:
    for options in (
        {"plugins": ["search", "atlas"]},
        {"hooks": ["hook.py"]},
        {"plugins": [{"atlas": {"missing_sources": "link"}}]},
    ):
        project.write("hook.py", "def on_post_page(output, **_):\n    return output\n")
        project.configure(**options)
        assert project.build()
        assert project.build()


def test_what_changes_while_a_site_is_built_is_not_taken_for_built(project: Project) -> None:
    text = (project.root / "content/layer.yml").read_text(encoding="utf-8")

    def edited() -> None:
        project.write("content/layer.yml", text.replace("one", "two"))

    project.while_building = edited
    project.build()
    project.while_building = int
    project.write("content/layer.yml", text)
    assert project.build()
    assert "<p>one</p>" in (project.site / "layer/index.html").read_text(encoding="utf-8")


def test_what_a_killed_build_left_is_removed(project: Project) -> None:
    project.build()
    left = project.root / ".site-building-killed"
    (left / "new").mkdir(parents=True)
    (left / "lock").touch()
    assert project.build()
    assert not left.exists()


def test_a_record_that_is_damaged_or_of_another_site_is_none(project: Project, tmp_path: Path) -> None:
    project.build()
    record = place_of(project.site)
    content = record.read_bytes()
    record.write_bytes(content[:-20] + b"X" + content[-19:])
    assert read_present(project.site) == Present()
    assert project.build()
    keep_present(tmp_path / "a", Present(b"whole", True, (), True, {"a": Written(1, 2)}))
    assert read_present(tmp_path / "a").files == {"a": Written(1, 2)}
    record.write_bytes(place_of(tmp_path / "a").read_bytes())
    assert read_present(project.site) == Present()


def test_a_record_of_another_form_is_not_read(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.build()
    assert read_present(project.site).files

    class Longer(NamedTuple):
        size: int
        time: int
        key: bytes = b""
        more: str = ""

    monkeypatch.setattr(present, "Written", Longer)
    assert read_present(project.site) == Present()
    assert project.build()


def test_records_of_sites_that_are_not_built_any_more_are_dropped(project: Project, tmp_path: Path) -> None:
    keep_present(tmp_path / "a", Present())
    (record,) = (tmp_path / "cache" / FOLDER).iterdir()
    os.utime(record, (0, 0))
    keep_present(tmp_path / "b", Present())
    assert not record.exists()
    assert len(list((tmp_path / "cache" / FOLDER).iterdir())) == 1


def test_a_setting_that_is_no_data_is_opaque(project: Project) -> None:
    with pytest.raises(OpaqueError, match="builtin_function_or_method is no data"):
        plain({"a": [len]})
    project.write("mkdocs.yml", yaml.safe_dump(SETTINGS).replace("site_name: Atlas", "site_name: Atlas\ncopyright: x"))
    project.write("mkdocs.yml", (project.root / "mkdocs.yml").read_text(encoding="utf-8") + "watch: []\n")
    assert project.build()
    assert not project.build()
