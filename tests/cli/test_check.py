"""`atlas check`: what it finds, what it prints for people, scripts and GitHub, and what keeps it from checking."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from atlas.commands import checking
from atlas.exceptions import NodeError
from atlas.issues import Issue
from atlas.kept import Kept
from tests.cli.command_line import ATTENTION, CHAINER_FILE, FFN, FFN_FILE, WRONG, Atlas, error_line, pinned


@pytest.fixture
def nothing_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No result of an earlier run is at hand, so that Node is needed."""
    monkeypatch.setattr(checking, "Kept", partial(Kept, tmp_path / "kept"))


@pytest.mark.usefixtures("recorded")
def test_a_sound_project_passes(atlas: Atlas, real_project: Any) -> None:
    result = atlas("check")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"{len(real_project.atlas().entries)} entries, 2 sources: no issues\n"
    result = atlas("check", "--format", "json")
    assert (result.exit_code, json.loads(result.stdout)) == (0, [])
    result = atlas("check", "--format", "github")
    assert (result.exit_code, result.stdout) == (0, "")
    result = atlas("check", FFN)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", f"no issues in {FFN_FILE}\n")


@pytest.mark.usefixtures("recorded")
def test_issues_are_printed_as_text(atlas: Atlas, real_project: Any) -> None:
    real_project.edit(FFN_FILE, *WRONG)
    result = atlas("check")
    assert result.exit_code == 1
    line = real_project.line(FFN_FILE, "epsilon: outside")
    assert result.stdout.startswith(f"{FFN_FILE}:{line}:")
    lines = result.stdout.splitlines()
    assert re.match(r"\S+:\d+: A139 .*layer_norm", lines[0])
    assert lines[1].endswith("epsilon: outside the root, variance: biased}")
    assert lines[2].index("^") == lines[1].index("outside")
    assert lines[3].startswith("  write `")
    assert result.stderr == "1 issue in 1 file\n"


def test_issues_of_several_files_are_counted(atlas: Atlas, real_project: Any) -> None:
    real_project.edit(FFN_FILE, *WRONG)
    real_project.edit(CHAINER_FILE, "epsilon: outside the root", "epsilon: inside the root")
    real_project.edit("content/transformer/model.yml", "kind: ", "knd: ")
    result = atlas("check")
    assert result.exit_code == 1
    assert result.stderr.endswith(" in 3 files\n") or result.stderr.endswith(" in 2 files\n")
    assert len([line for line in result.stdout.splitlines() if line.startswith("content/")]) == int(
        result.stderr.split()[0]
    )


@pytest.mark.usefixtures("recorded")
def test_json_is_all_that_standard_output_holds(atlas: Atlas, real_project: Any) -> None:
    real_project.edit(FFN_FILE, *WRONG)
    result = atlas("check", "--format", "json")
    assert result.exit_code == 1
    [found] = json.loads(result.stdout)
    fields = set(Issue.__dataclass_fields__) | {"severity"}
    assert set(found) == fields
    assert (found["path"], found["code"], found["severity"]) == (FFN_FILE, "A139", "error")
    assert found["line"] == real_project.line(FFN_FILE, "epsilon: outside")
    assert result.stderr == "1 issue in 1 file\n"


@pytest.mark.parametrize(("style", "shown"), [("json", "γ".encode()), ("text", rb"\u03b3")])
def test_a_terminal_without_greek_is_no_obstacle(real_project: Any, style: str, shown: bytes) -> None:
    real_project.edit(CHAINER_FILE, "y &= \\gamma\\odot", "y &= γ\\odot")
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    command = [sys.executable, "-c", "from atlas.cli import main; main()", "check", "--format", style]
    done = subprocess.run(  # noqa: S603  our own command
        command, cwd=real_project.root, env=environment, capture_output=True, check=False
    )
    assert done.returncode == 1
    assert shown in done.stdout
    assert b"Traceback" not in done.stderr


def test_github_gets_errors_and_warnings(atlas: Atlas, real_project: Any) -> None:
    real_project.edit(CHAINER_FILE, "epsilon: outside the root", "epsilon: inside the root")
    result = atlas("check", "--format", "github")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    line = real_project.line(CHAINER_FILE, "epsilon: inside")
    [error] = [one for one in lines if one.startswith("::error ")]
    assert error.startswith(f"::error file={CHAINER_FILE},line={line},col=")
    assert ",title=A139::" in error
    warnings = [one for one in lines if one.startswith("::warning ")]
    assert len(warnings) == len(lines) - 1 == 2
    assert warnings[-1].startswith(f"::warning file={FFN_FILE},line=")


def test_github_resolves_paths_from_the_checkout(
    atlas: Atlas, real_project: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = real_project.root
    result = atlas("check", "--format", "github", "--project", "project", cwd="..")
    assert f"::warning file=project/{FFN_FILE},line=" in result.stdout
    monkeypatch.setenv("GITHUB_WORKSPACE", str(root.parent))
    assert f"::warning file=project/{FFN_FILE},line=" in atlas("check", "--format", "github").stdout
    assert f"\n{FFN_FILE}:" in atlas("check", "--project", "project", cwd="..").stdout


def test_warnings_count_unless_they_are_allowed(atlas: Atlas, real_project: Any) -> None:
    result = atlas("check")
    assert result.exit_code == 1
    assert {word for word in result.stdout.split() if word.startswith("A7")} == {"A702"}
    allowed = atlas("check", "--allow-warnings")
    assert (allowed.exit_code, allowed.stdout, allowed.stderr) == (0, result.stdout, result.stderr)
    real_project.edit(FFN_FILE, *WRONG)
    assert atlas("check", "--allow-warnings").exit_code == 1


@pytest.mark.usefixtures("recorded")
def test_paths_choose_what_is_listed_and_counted(atlas: Atlas, real_project: Any) -> None:
    real_project.edit(FFN_FILE, *WRONG)
    assert atlas("check", "content/chainer").exit_code == 0
    assert atlas("check", "chainer/layer-normalization", "sources").exit_code == 0
    for name in (FFN_FILE, FFN, "transformer", "content", "."):
        result = atlas("check", name)
        assert (result.exit_code, result.stderr) == (1, "1 issue in 1 file\n"), name
    # What it inherits is its own claim too.
    assert atlas("check", ATTENTION).exit_code == 1


@pytest.mark.usefixtures("recorded")
def test_an_entry_is_not_sound_while_its_source_is_not(atlas: Atlas, real_project: Any) -> None:
    real_project.edit("sources/tensor2tensor.yml", "0c66117d", "0c66117e")
    result = atlas("check", FFN)
    assert result.exit_code == 1
    assert "sources/tensor2tensor.yml:3:11: A502 " in result.stdout
    assert atlas("check", "chainer").exit_code == 0


def test_folders_that_are_not_there_are_issues(atlas: Atlas, real_project: Any) -> None:
    real_project.edit("mkdocs.yml", "sources: sources", "sources: pins")
    result = atlas("check")
    assert (result.exit_code, result.stdout.splitlines()) == (
        1,
        [
            "mkdocs.yml:15:16: A001 `sources` names the folder pins, which is not there",
            "    sources: pins",
            "             ^^^^",
            "  make it, or name another",
        ],
    )
    for command in ("fetch", "pin"):
        assert error_line(atlas(command)) == "Error: there is no folder pins of source manifests"
    real_project.edit("mkdocs.yml", "docs_dir: content", "docs_dir: contents")
    result = atlas("check")
    assert result.exit_code == 1
    assert result.stdout.startswith("mkdocs.yml:7:11: A001 `docs_dir` names the folder contents, which is not there\n")
    assert result.stdout.endswith("  did you mean `content`?\n")


def test_a_misspelt_option_of_the_plugin_is_an_issue(atlas: Atlas, real_project: Any) -> None:
    real_project.edit("mkdocs.yml", "sources: sources", "source: sources")
    result = atlas("check")
    assert result.exit_code == 1
    assert "mkdocs.yml:15:7: A101 `source` is no option of the plugin atlas\n" in result.stdout
    assert result.stdout.endswith("  did you mean `sources`?\n")


@pytest.mark.usefixtures("nothing_kept")
def test_without_node_nothing_can_be_checked(atlas: Atlas, monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(**_: object) -> None:
        raise NodeError("no Node.js 20.19 or newer")

    monkeypatch.setattr(checking, "prepare", nowhere)
    for command in ("check", "verify"):
        assert error_line(atlas(command)) == "Error: no Node.js 20.19 or newer"


@pytest.mark.usefixtures("nothing_kept")
def test_what_the_system_refuses_is_told(atlas: Atlas, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(**_: object) -> None:
        raise PermissionError(13, "Permission denied", "/somewhere")

    monkeypatch.setattr(checking, "prepare", refused)
    assert error_line(atlas("check")) == "Error: [Errno 13] Permission denied: '/somewhere'"


@pytest.mark.usefixtures("nothing_kept")
def test_an_interrupt_ends_with_the_code_of_one(atlas: Atlas, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(**_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(checking, "prepare", interrupted)
    assert atlas("check").exit_code == 130


def test_offline_with_an_empty_cache_each_source_is_missing(atlas: Atlas, empty_cache: Path, real_project: Any) -> None:
    result = atlas("check", "--offline")
    assert result.exit_code == 1
    lines = [line for line in result.stdout.splitlines() if ": A503 " in line]
    files = len(pinned(real_project, "tensor2tensor"))
    assert [line.split(":")[0] for line in lines] == ["sources/chainer.yml", *["sources/tensor2tensor.yml"] * files]
    assert f"is not in the cache ({empty_cache / 'sources'})" in lines[0]
    assert "\n  run `atlas fetch chainer` where there is a network; checks and builds" in result.stdout
    assert lines[0].startswith(f"sources/chainer.yml:{real_project.line('sources/chainer.yml', 'blob:')}:")

    assert ": A503 " in atlas("check", "--offline", FFN).stdout
    linked = atlas("check", "--offline", "--missing-sources", "link", "--allow-warnings")
    assert linked.exit_code == 0
    assert {line.split(": ")[1][:4] for line in linked.stdout.splitlines() if ": A" in line} == {"A702"}
    real_project.edit("mkdocs.yml", "sources: sources", "sources: sources\n      missing_sources: link")
    assert atlas("check", "--offline", "--allow-warnings").exit_code == 0
    assert atlas("check", "--offline", "--missing-sources", "fail").exit_code == 1

    refused = atlas("verify", "--offline")
    assert refused.exit_code == 1
    assert ": A503 " in refused.stdout
    assert refused.stderr == f"{1 + files} issues in 2 files; nothing is executed before the checks pass\n"


def test_offline_without_a_node_environment_nothing_is_brought(
    atlas: Atlas, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENMODELATLAS_CACHE", str(tmp_path / "empty"))
    line = error_line(atlas("check", "--offline"))
    assert "is not in the cache, and --offline forbids to bring it; run `atlas fetch` where there is a network" in line
    assert not list((tmp_path / "empty" / "node").glob("packages-*/"))


@pytest.mark.parametrize("plugins", ["", "plugins: [search]\n"])
def test_a_project_that_mkdocs_builds_without_the_atlas_is_warned_of(
    atlas: Atlas, real_project: Any, plugins: str
) -> None:
    assert "plugin" not in atlas("pin").stderr
    (real_project.root / "mkdocs.yml").write_text(f"docs_dir: content\n{plugins}", encoding="utf-8")
    result = atlas("pin")
    assert result.exit_code == 0
    assert result.stderr == (
        f"{real_project.root / 'mkdocs.yml'} does not list the plugin atlas, so MkDocs makes no pages; "
        "add `plugins: [atlas]`\n"
    )


@pytest.mark.usefixtures("recorded")
def test_dead_links_and_clashes_are_issues_of_their_files(atlas: Atlas, real_project: Any) -> None:
    real_project.edit(FFN_FILE, "Post-norm: the sum", "As [ever](../modle.yml), post-norm: the sum")
    guide = real_project.root / "content/guide.md"
    guide.write_text("# Guide\n\nSee [a](#nowhere).\n", encoding="utf-8")
    (real_project.root / "content/transformer.md").write_text("# Mine\n", encoding="utf-8")
    result = atlas("check", "--format", "json")
    assert result.exit_code == 1
    line = real_project.line(FFN_FILE, "As [ever]")
    assert [(one["path"], one["line"], one["column"], one["code"]) for one in json.loads(result.stdout)] == [
        ("content/guide.md", 3, 9, "A905"),
        ("content/transformer.md", 0, 0, "A902"),
        (FFN_FILE, line, 13, "A904"),
    ]
    result = atlas("check")
    assert "As [ever](../modle.yml), post-norm" in result.stdout
    assert "\n  did you mean `../model.yml`?\n" in result.stdout
    assert result.stderr == "3 issues in 3 files\n"
    result = atlas("check", FFN)
    assert (result.exit_code, result.stderr) == (1, "1 issue in 1 file\n")
    result = atlas("check", "chainer/layer-normalization")
    assert (result.exit_code, result.stdout) == (0, "")


def test_formulas_and_markup_of_prose_are_checked(atlas: Atlas, real_project: Any) -> None:
    (real_project.root / "content" / "notes.md").write_text(
        "---\ntitle: Notes\n---\n# Notes\n\nA fraction $\\frc{x}$, and $\\frac{1}{2}$.\n\n<!-- later -->\n",
        encoding="utf-8",
    )
    result = atlas("check")
    assert result.exit_code == 1
    assert result.stdout[result.stdout.index("content/notes.md") :].split("\n")[:8] == [
        r"content/notes.md:6:13: A906 `\frc{x}` cannot be displayed: Undefined control sequence: \frc",
        r"    A fraction $\frc{x}$, and $\frac{1}{2}$.",
        "                ^",
        r"  did you mean \frac?",
        "content/notes.md:8:1: A912 `<!-- later -->` is a comment of HTML, which is shown as it is written",
        "    <!-- later -->",
        "    ^^^^^^^^^^^^^^",
        "  delete it; what only authors read goes into the front matter, after a #",
    ]
