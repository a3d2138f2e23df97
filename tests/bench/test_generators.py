from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from atlas.kept import VARIABLE, cache_folder
from bench.contenders import CONTENDERS, ROOT, Tool, Work
from bench.generators import Field, checked_site, main
from bench.measure import RunError
from bench.phases import Watch
from bench.workload import pages

PROJECT = Path(__file__).parents[1] / "project"
CODE = [f"line_{number} = {number}" for number in range(1, 121)]
BY_KEY = {one.key: one for one in CONTENDERS}
LIKE_HUGO = replace(BY_KEY["hugo"], page='class="katex"')


@pytest.fixture
def work(tmp_path: Path) -> Work:
    katex = tmp_path / "katex"
    katex.mkdir()
    (katex / "katex.min.js").write_text("")
    return Work(pages(4, len(CODE)), CODE, katex)


def written(key: str, tmp_path: Path, work: Work) -> Field:
    field = Field(BY_KEY[key], tmp_path / "project", argparse.Namespace(patience=10, longest=10, tools=tmp_path))
    field.tool = Tool(ROOT, {})
    field.contender.write(field.project, field.tool, work)
    return field


@pytest.mark.parametrize("key", sorted(BY_KEY.keys() - {"mkdocs"}))
def test_an_edit_changes_one_page_and_each_edit_is_another(key: str, tmp_path: Path, work: Work) -> None:
    field = written(key, tmp_path, work)
    files = {page.name: field.contender.source(field.project, page) for page in work.pages}
    before = {name: file.read_text(encoding="utf-8") for name, file in files.items()}
    seen = []
    for _ in range(2):
        text = field.edit(work.pages[1])
        after = {name: file.read_text(encoding="utf-8") for name, file in files.items()}
        assert [name for name in files if before[name] != after[name]] == ["c00001"]
        assert after["c00001"].count(text) == 1
        assert len(after["c00001"].splitlines()) == len(before["c00001"].splitlines())
        seen.append(after["c00001"])
    assert seen[0] != seen[1]


def test_themes_that_typeset_in_the_browser_get_katex(tmp_path: Path, work: Work) -> None:
    field = written("material", tmp_path, work)
    assert (field.project / "docs" / "katex" / "start.js").is_file()
    assert (field.project / "docs" / "katex" / "katex.min.js").is_file()


def site(project: Path, names: list[str], content: str) -> None:
    for name in names:
        folder = project / "site" / "m0000" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "index.html").write_text(content, encoding="utf-8")


def test_the_sizes_of_a_complete_site(tmp_path: Path, work: Work) -> None:
    content = '<span class="katex">x</span> edited 3 times.'
    site(tmp_path, [page.name for page in work.pages], content)
    sizes = checked_site(LIKE_HUGO, tmp_path, work.pages, "c00002", "edited 3 times.")
    assert sizes["page_bytes"] == len(content)
    assert sizes["site_bytes"] == 4 * len(content)
    assert 0 < sizes["page_gzip_bytes"] < 2 * len(content)


@pytest.mark.parametrize(
    ("names", "content", "message"),
    [
        (["c00000", "c00001", "c00002"], 'class="katex" new', "1 of 4 pages were not built, such as c00003"),
        (["c00000", "c00001", "c00002", "c00003"], "$x$ new", "c00002 holds nothing like"),
        (["c00000", "c00001", "c00002", "c00003"], 'class="katex" old', "c00002 does not show the edit: new"),
    ],
)
def test_a_site_without_the_work_is_refused(
    names: list[str], content: str, message: str, tmp_path: Path, work: Work
) -> None:
    site(tmp_path, names, content)
    with pytest.raises(RunError, match=message):
        checked_site(LIKE_HUGO, tmp_path, work.pages, "c00002", "new")


def test_a_peer_that_takes_long_is_run_once_but_never_ours_nor_the_reference(tmp_path: Path) -> None:
    for key, expected in (("sphinx", False), ("openmodelatlas", True), ("eleventy", True)):
        field = Field(BY_KEY[key], tmp_path, argparse.Namespace(patience=10))
        assert field.may_run()
        field.costs["cold"].append({"wall": 10.5})
        assert field.may_run() is expected
    field = Field(BY_KEY["eleventy"], tmp_path, argparse.Namespace(patience=10))
    field.problem = "gone"
    assert not field.may_run()


def test_a_number_of_pages_below_one_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["0"])
    assert "0 is not at least 1" in capsys.readouterr().err


def test_a_watch_adds_time_of_calls_that_fail_too() -> None:
    watch = Watch()

    @watch.watched
    def fails() -> None:
        sum(range(10_000))
        raise KeyError("x")

    for _ in range(2):
        with pytest.raises(KeyError):
            fails()
    assert watch.wall > 0


def test_the_time_of_checks_is_told_of_builds_that_make_something(tmp_path: Path) -> None:
    project, cache = tmp_path / "project", tmp_path / "cache"
    shutil.copytree(PROJECT, project)
    cache.mkdir()
    for name in ("node", "sources"):
        if (cache_folder() / name).is_dir():
            (cache / name).symlink_to(cache_folder() / name)
    environment = {**os.environ, VARIABLE: str(cache), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "bench.phases", "phases.json", "build", "--quiet"]
    told = []
    for _ in range(2):
        subprocess.run(command, cwd=project, env=environment, check=True)  # noqa: S603 - our own module
        told.append(json.loads((project / "phases.json").read_text(encoding="utf-8"))["checks"])
    assert told[0]["wall"] > 0
    assert told[0]["cpu"] > 0
    assert told[1] == {"wall": 0, "cpu": 0}
    assert not list(project.glob("*.notes"))
