"""`atlas init`: what is written passes every check and is built, and what cannot be written is told."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result
from mkdocs.commands.build import build
from mkdocs.config import load_config

from atlas.cli import main
from atlas.node import environment
from atlas.node.environment import Environment
from atlas.render import build as render_build
from atlas.scaffold.starter import requirement


def init(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["init", *arguments], prog_name="atlas")


def refused(result: Result) -> str:
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    return result.stderr.splitlines()[-1]


def test_a_new_atlas_passes_every_check_and_is_built_strictly(tmp_path: Path) -> None:
    root = tmp_path / "new" / "atlas"
    result = init(str(root), "--title", 'Peter’s "models": 100 %')
    assert result.exit_code == 0
    written = sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    assert result.stdout == f"{len(written)} files written into {root}\n"
    assert {".gitignore", ".github/workflows/site.yml", "README.md", "mkdocs.yml", "requirements.txt"} <= {*written}
    assert (root / "README.md").read_text(encoding="utf-8").startswith('# Peter’s "models": 100 %\n')
    checked = CliRunner().invoke(main, ["check", "--project", str(root)])
    assert (checked.exit_code, checked.stdout) == (0, "")
    config = load_config(config_file=str(root / "mkdocs.yml"), strict=True)
    assert config.site_name == 'Peter’s "models": 100 %'
    config.plugins.on_startup(command="build", dirty=False)
    try:
        build(config)
    finally:
        config.plugins.on_shutdown()
    page = (root / "site/miniature/layers/layer-norm/index.html").read_text(encoding="utf-8")
    assert 'class="katex' in page
    assert (root / "site/contribute/issue-codes/index.html").is_file()


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        (None, ["openmodelatlas==9.1"]),
        (
            '{"url": "https://example.org/a.git", "vcs_info": {"vcs": "git", "commit_id": "0a1b"}}',
            ["openmodelatlas @ git+https://example.org/a.git@0a1b"],
        ),
        ('{"url": "file:///home/me/atlas", "dir_info": {"editable": true}}', ["openmodelatlas==9.1"]),
        ('{"url": "file:///home/me/a.whl", "archive_info": {}}', ["openmodelatlas==9.1"]),
    ],
)
def test_an_atlas_is_installed_with_what_it_was_made_with(origin: str | None, expected: list[str]) -> None:
    written = requirement("9.1", origin)
    comments = [line for line in written.splitlines() if line.startswith("#")]
    assert [line for line in written.splitlines() if line not in comments] == expected
    is_elsewhere = origin is not None and "file:" in origin
    assert bool(comments) == is_elsewhere
    assert not is_elsewhere or comments[-1].startswith("# openmodelatlas @ git+https://")
    assert "/home/me" not in written


@pytest.mark.parametrize(
    ("repository", "expected"),
    [
        (
            "https://github.com/Me/my-atlas.git",
            {
                "site_url": "https://me.github.io/my-atlas/",
                "repo_url": "https://github.com/Me/my-atlas",
                "edit_uri": "edit/main/content/",
            },
        ),
        ("https://github.com/me/me.github.io", {"site_url": "https://me.github.io/"}),
        ("https://gitlab.com/me/atlas", {"edit_uri": "-/edit/main/content/"}),
        ("https://example.org/me/atlas", {"repo_url": "https://example.org/me/atlas"}),
    ],
)
def test_the_repository_says_where_pages_are_edited(tmp_path: Path, repository: str, expected: dict[str, str]) -> None:
    assert init(str(tmp_path / "a"), "--repository", repository).exit_code == 0
    settings = yaml.safe_load((tmp_path / "a/mkdocs.yml").read_text(encoding="utf-8"))
    assert {key: settings[key] for key in expected} == expected


def test_a_first_build_says_what_takes_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    root = tmp_path / "atlas"
    assert init(str(root)).exit_code == 0

    def prepare(progress: Callable[[str], None]) -> Environment:
        progress("Installing KaTeX and ELK")
        return environment.prepare()

    monkeypatch.setattr(render_build, "prepare", prepare)
    monkeypatch.setattr(logging.getLogger("mkdocs"), "propagate", True)
    caplog.set_level(logging.INFO, logger="mkdocs")
    config = load_config(config_file=str(root / "mkdocs.yml"), strict=True)
    config.plugins.on_startup(command="build", dirty=False)
    try:
        build(config)
    finally:
        config.plugins.on_shutdown()
    told = [one.getMessage() for one in caplog.records if one.name == "mkdocs.plugins.atlas"]
    assert told == ["Installing KaTeX and ELK"]


def test_what_is_brought_during_a_build_is_said_once() -> None:
    told: list[str] = []
    lines = render_build.Lines(told.append)
    for what, done in (("a.whl", 1), ("a.whl", 2), ("b.whl", 1)):
        lines(what, done, None)
    assert told == ["Bringing a.whl", "Bringing b.whl"]


def test_a_folder_that_holds_something_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    line = refused(init(str(tmp_path)))
    assert line.endswith("is not empty: it holds notes.txt; name a folder that is empty or does not exist yet")
    assert [one.name for one in tmp_path.iterdir()] == ["notes.txt"]
    assert "is a file; name a folder" in refused(init(str(tmp_path / "notes.txt")))


def test_a_fresh_clone_counts_as_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    result = init(".")
    assert result.exit_code == 0
    assert result.stderr.startswith("next: `atlas check`")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--title", ""], "a title is one line of 1 to 200 printable characters"),
        (["--title", "a\nb"], "a title is one line"),
        (["--title", "a" * 201], "a title is one line"),
        (["--repository", "github.com/me/atlas"], "is not the https address of a repository, such as https://"),
        (["--repository", "https://github.com/me"], "is not the https address of a repository"),
        (["--repository", "https://github.com/me/a b: c"], "is not the https address of a repository"),
    ],
)
def test_what_cannot_be_used_is_told_and_nothing_is_written(tmp_path: Path, arguments: list[str], message: str) -> None:
    assert message in refused(init(str(tmp_path / "a"), *arguments))
    assert not (tmp_path / "a").exists()
