"""A build that changes a site takes from it what comes out the same, and nothing else; the present one stays whole."""

from __future__ import annotations

import logging
import os
import runpy
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import yaml
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort
from mkdocs.structure.files import File, Files, InclusionLevel

from atlas.plugin import current, events
from atlas.plugin.present import Present, Written, files_in
from atlas.plugin.reuse import Lost, Reuse, SiteFiles, hold

SETTINGS: dict[str, Any] = {
    "site_name": "Atlas",
    "site_url": "https://example.org/atlas/",
    "docs_dir": "content",
    "theme": {"name": "openmodelatlas"},
    "plugins": ["atlas"],
    "validation": {"anchors": "warn"},
}


ENTRIES: dict[str, dict[str, Any]] = {
    "gpt/norm": {"title": "Norm", "body": '<p id="eps">1e-6</p>', "nav": ["GPT"], "forms": ["../sum/index.md"]},
    "gpt/sum": {"title": "Sum", "body": '<a href="../norm/#eps">eps</a>', "nav": ["GPT"], "forms": ["./"]},
    "gpt/other": {"title": "Other", "body": "<p>nothing</p>", "nav": ["GPT"]},
}


class Project:
    """A project with the real theme and a stand-in for the renderer."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.site = root / "site"
        self.write("sources/note.txt", "")
        self.write("content/index.md", "Home")
        for name, keys in ENTRIES.items():
            self.entry(name, **keys)
        self.configure()

    def configure(self, **options: Any) -> None:
        self.write("mkdocs.yml", yaml.safe_dump(SETTINGS | options))

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def entry(self, name: str, **keys: Any) -> None:
        self.write(f"content/{name}.yml", yaml.safe_dump(ENTRIES.get(name, {}) | keys))

    def build(self, site: Path | None = None, *, strict: bool = False) -> None:
        folder = str(site or self.site)
        config = load_config(config_file=str(self.root / "mkdocs.yml"), strict=strict, site_dir=folder)
        config.plugins.on_startup(command="build", dirty=False)
        try:
            build(config)
        finally:
            config.plugins.on_shutdown()

    def linked(self, edit: Callable[[], object], *, strict: bool = False) -> set[str]:
        """Build, edit and build again; the files that are those of before. The site must be as one built from nothing.

        Files are told by their numbers: those that are still open keep theirs from being given to others.
        """
        self.build(strict=strict)
        before = self.contents()
        opened = [path.open("rb") for path in self.site.rglob("*") if path.is_file()]
        numbers = {path: (self.site / path).stat().st_ino for path in before}
        edit()
        self.build(strict=strict)
        after = self.contents()
        same = {path for path in after if numbers.get(path) == (self.site / path).stat().st_ino}
        for file in opened:
            file.close()
        assert all((self.site / path).stat().st_nlink == 1 for path in after)
        fresh = self.root.parent / "fresh"
        self.build(fresh, strict=strict)
        assert after == {path: (fresh / path).read_bytes() for path, _ in files_in(fresh)}
        shutil.rmtree(fresh)
        return same

    def contents(self) -> dict[str, bytes]:
        return {path: (self.site / path).read_bytes() for path, _ in files_in(self.site)}


def pages(paths: set[str]) -> set[str]:
    return {path.removesuffix("/index.html") for path in paths if path.endswith("/index.html")}


@pytest.fixture(params=[0, 1000], ids=["files", "sites"])
def exchanged(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether files are exchanged or whole sites."""
    monkeypatch.setattr(current, "_FEW", request.param)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("OPENMODELATLAS_CACHE", str(tmp_path / "cache"))
    build_site = runpy.run_path(str(Path(__file__).with_name("plugin_project.py")))["build_site"]
    monkeypatch.setattr(events, "build_site", build_site)
    return Project(tmp_path / "project")


@pytest.fixture
def warned(caplog: pytest.LogCaptureFixture) -> Iterator[Callable[[], list[str]]]:
    """What was warned of since it was asked for the last time."""
    logger = logging.getLogger("mkdocs")
    propagate, logger.propagate = logger.propagate, True
    caplog.set_level(logging.INFO, logger="mkdocs")

    def messages() -> list[str]:
        found = [one.getMessage() for one in caplog.records if one.levelno >= logging.WARNING]
        caplog.clear()
        return found

    yield messages
    logger.propagate = propagate


@pytest.mark.usefixtures("exchanged")
def test_an_edit_writes_its_page_and_takes_the_others_from_the_present_site(project: Project) -> None:
    same = project.linked(lambda: project.entry("gpt/other", body="<p>more</p>"), strict=True)
    assert pages(same) == {"gpt/norm", "gpt/sum"}
    assert {"gpt/norm/index.md", "gpt/sum/index.md", "assets/made.css", "llms.txt"} <= same


@pytest.mark.usefixtures("exchanged")
@pytest.mark.parametrize(
    "edit",
    [
        lambda project: project.entry("gpt/other", title="Another"),
        lambda project: project.entry("gpt/other", nav=["GPT", "Inner"]),
        lambda project: project.entry("gpt/more", title="More", nav=["GPT"]),
        lambda project: (project.root / "content/gpt/other.yml").unlink(),
        lambda project: project.configure(site_name="Another"),
        lambda project: project.configure(nav=[{"All": ["gpt/sum.yml", "gpt/norm.yml", "gpt/other.yml"]}]),
        lambda project: project.write("content/prose.md", '<h1 id="a">A page</h1>'),
    ],
    ids=["title", "section", "page more", "page less", "site's name", "navigation", "prose"],
)
def test_what_all_pages_show_is_written_on_all(project: Project, edit: Callable[[Project], object]) -> None:
    assert not pages(project.linked(lambda: edit(project)))


def test_a_page_of_another_section_shows_nothing_of_an_edited_title(project: Project) -> None:
    for name in ("bert/index", "bert/norm", "gpt/index"):
        project.entry(
            name, title=name, nav=[name.partition("/")[0]], url=f"{name.removesuffix('index')}".rstrip("/") + "/"
        )
    same = project.linked(lambda: project.entry("bert/norm", title="Renamed", nav=["bert"]))
    assert pages(same) == {"gpt", "gpt/norm", "gpt/sum", "gpt/other"}


def test_templates_of_the_projects_own_are_given_what_we_cannot_know(project: Project) -> None:
    project.configure(theme={"name": "openmodelatlas", "custom_dir": "theme"})
    project.write("theme/nav.html", "{{ pages|length }} {{ page.next_page.title if page }}")
    same = project.linked(lambda: project.entry("gpt/other", body="<p>more</p>"))
    assert not pages(same)
    assert "gpt/norm/index.md" in same


@pytest.mark.parametrize("options", [{"plugins": ["search", "atlas"]}, {"hooks": ["hook.py"]}], ids=["plugin", "hook"])
def test_with_other_plugins_everything_is_written(project: Project, options: dict[str, Any]) -> None:
    project.write("hook.py", "def on_post_page(output, **_):\n    return output.replace('Norm', 'NORM')\n")
    project.configure(**options)
    assert not project.linked(lambda: project.entry("gpt/other", body="<p>more</p>"))


def test_a_file_of_the_site_that_was_touched_is_written_again(project: Project) -> None:
    def touch_and_edit() -> None:
        (project.site / "gpt/norm/index.html").write_text("touched", encoding="utf-8")
        (project.site / "gpt/sum/index.md").unlink()
        project.entry("gpt/other", body="<p>more</p>")

    same = project.linked(touch_and_edit)
    assert pages(same) == {"gpt/sum"}
    assert "gpt/sum/index.md" not in same


def test_where_no_file_can_be_linked_it_is_copied(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr(current, "_FEW", 1000)
    assert not pages(project.linked(lambda: project.entry("gpt/other", body="<p>more</p>"), strict=True))


def test_a_dead_link_of_a_page_that_is_the_same_is_found(project: Project, warned: Callable[[], list[str]]) -> None:
    project.build()
    before = project.contents()
    assert warned() == []
    project.entry("gpt/norm", body='<p id="epsilon">1e-6</p>')
    with pytest.raises(Abort):
        project.build(strict=True)
    assert project.contents() == before
    message = "the link '../norm/#eps' leads to a page without an element with the id 'eps'"
    assert sum(message in one for one in warned()) == 1
    project.build()
    told = [one for one in warned() if message in one]
    assert told[0].startswith("content/gpt/sum.yml:")
    project.entry("gpt/other", body="<p>more</p>")  # it stays dead, and is told by each build
    project.build()
    assert [one for one in warned() if message in one] == told
    project.build(project.root / "fresh")
    assert [one for one in warned() if message in one] == told
    project.entry("gpt/norm")
    project.build(strict=True)


def test_a_link_to_what_is_gone_is_found_in_pages_and_in_their_other_forms(
    project: Project, warned: Callable[[], list[str]]
) -> None:
    for number in range(5):
        project.entry(f"bert/{number}", title=f"B {number}", nav=["BERT"])
    project.write("content/files/data.json", "{}")
    project.entry("bert/0", nav=["BERT"], title="B 0", body='<a href="../../files/data.json">data</a>')
    project.entry("bert/1", nav=["BERT"], title="B 1", forms=["../../files/data.json"])
    project.build(strict=True)
    (project.root / "content/files/data.json").unlink()
    project.build()
    told = warned()
    assert [one.partition(" ")[0] for one in told] == ["/bert/1/index.md:"]
    assert "(and 1 more pages)" in told[0]
    project.build(project.root / "fresh")
    assert warned() == told


def test_prose_that_links_to_a_part_of_a_page_is_judged(project: Project, warned: Callable[[], list[str]]) -> None:
    project.write("content/index.md", '<a href="gpt/norm.yml#eps">eps</a> <a href="gpt/other.yml#no">no</a>')
    project.build()
    told = warned()
    assert len(told) == 1
    place, _, what = told[0].partition("\n")[0].partition(": A905 ")
    assert place == "content/index.md:1:45"
    assert what == "the link 'gpt/other.yml#no' leads to a page without an element with the id 'no'"
    project.write("content/index.md", '<a href="gpt/norm.yml#eps">eps</a> <a href="gpt/other.yml#no">again</a>')
    project.build()
    assert [one.partition("\n")[0] for one in warned()] == [told[0].partition("\n")[0]]


def test_a_build_that_fails_after_all_is_written_leaves_the_present_site(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.build()
    before = {path: (content, (project.site / path).stat().st_mtime_ns) for path, content in project.contents().items()}
    link = Reuse.link

    def link_and_fail(self: Reuse, new: Path) -> None:
        link(self, new)
        assert (new / "gpt/norm/index.html").stat().st_nlink == 2
        raise OSError("the disk is full")

    monkeypatch.setattr(Reuse, "link", link_and_fail)
    monkeypatch.setattr(current, "_FEW", 1000)
    project.entry("gpt/other", body="<p>more</p>")
    with pytest.raises(Abort):
        project.build()
    after = {path: (content, (project.site / path).stat().st_mtime_ns) for path, content in project.contents().items()}
    assert after == before
    assert (project.site / "gpt/norm/index.html").stat().st_nlink == 1


def test_what_is_written_already_is_not_linked_over(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "new").mkdir()
    (tmp_path / "site/a").write_text("present", encoding="utf-8")
    written = dict(files_in(tmp_path / "site"))
    known = Present(files={"a": written["a"]._replace(key=b"key")})
    source = Reuse(b"", known, tmp_path / "site")
    assert not source.is_same("a", b"other")
    assert not source.is_same("b", b"key")
    assert source.is_same("a", b"key")
    assert source.is_linked("a")
    (tmp_path / "new/a").write_text("new", encoding="utf-8")
    source.leave(["a"])
    assert not source.is_linked("a")
    source.link(tmp_path / "new")
    assert (tmp_path / "new/a").read_text(encoding="utf-8") == "new"
    assert (tmp_path / "site/a").read_text(encoding="utf-8") == "present"


def test_files_of_which_nothing_is_known_are_never_the_same(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("present", encoding="utf-8")
    source = Reuse(b"", Present(files=dict(files_in(tmp_path))), tmp_path)
    assert not source.is_same("a", b"")


def test_mkdocs_is_told_of_all_pages_and_asked_to_write_those_that_are_not_finished(tmp_path: Path) -> None:
    config = cast("MkDocsConfig", SimpleNamespace(site_dir=str(tmp_path), use_directory_urls=True))
    listed = [File(name, str(tmp_path), str(tmp_path), config.use_directory_urls) for name in ("a.md", "b.md", "c.css")]
    for file in listed:
        file.inclusion = InclusionLevel.INCLUDED
    files = SiteFiles(listed)
    names = [file.src_uri for file in Files(listed).documentation_pages()]
    assert [file.src_uri for file in files.documentation_pages(inclusion=InclusionLevel.is_included)] == names
    files.finished = frozenset(("a.md",))
    assert [file.src_uri for file in files.documentation_pages()] == names
    assert [file.src_uri for file in files.documentation_pages(inclusion=InclusionLevel.is_included)] == ["b.md"]


def test_links_may_be_dead_where_what_is_lost_is_named() -> None:
    assert Lost(frozenset(), frozenset()).is_nothing()
    some = Lost(frozenset(), frozenset(("eps",)))
    assert not some.is_nothing()
    assert some.may_be_in('<a href="../norm/#eps">')
    assert not some.may_be_in('<a href="../norm/#mu"><p id="eps">')
    gone = Lost(frozenset(("a/index.html",)), frozenset())
    assert gone.is_led_to(None)
    assert gone.is_led_to(("b/", "c/\na/"))
    assert not gone.is_led_to(("b/", "c/\na/b/"))
    assert not some.is_led_to(None)
    assert Lost(frozenset(), frozenset(("ε", "eps"))).may_be_in("")


def test_of_files_that_are_gone_those_are_named_that_links_may_lead_to(tmp_path: Path) -> None:
    paths = ("a/index.html", "search/index.json", "search/w0123456789ab.json", "search/r0123456789ab.json", "b.svg")
    present = Present(links_hold=True, files=dict.fromkeys(paths, Written(1, 1)))
    lost = Reuse(b"", present, tmp_path).lost(["search/index.json", "search/wba9876543210.json"], tmp_path / "new", 1)
    assert lost == Lost(frozenset(("a/index.html", "b.svg")), frozenset())


def test_one_build_at_a_time_takes_files_from_a_site(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.build()
    held = hold(project.site)
    assert held is not None
    assert hold(project.site) is None
    monkeypatch.setattr(current, "_WAIT", 0.0)
    numbers = {path: (project.site / path).stat().st_ino for path in project.contents()}
    project.entry("gpt/other", body="<p>more</p>")
    project.build()  # as another is at work, it writes all
    assert not {path for path, number in numbers.items() if (project.site / path).stat().st_ino == number}
    held.release()
    after = hold(project.site)
    assert after is not None
    after.release()
