"""Builds by the commands of MkDocs, in processes of their own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.plugin.small_project import RENDERER, Project


def test_a_process_of_a_build_ends_without_looking_through_what_is_left() -> None:
    script = (
        "import atexit, gc\n"
        "atexit.register(lambda: print(gc.get_freeze_count() > 0))\n"  # runs after what is registered later
        "from atlas.plugin import AtlasPlugin\n"
        "AtlasPlugin().on_startup(command='build', dirty=False)\n"
        "print(gc.get_freeze_count() > 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603 - ours
    assert done.stdout.split() == ["False", "True"]


def run(project: Project, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "ignore", str(RENDERER), *arguments]
    return subprocess.run(command, cwd=project.root, capture_output=True, text=True, check=False, timeout=60)  # noqa: S603 - our own script


def test_the_command_line_ends_with_one_line_and_exit_code_1(project: Project) -> None:
    project.entry("a", issues=[[4, "A103", "first"]])
    result = run(project, "build", "--strict")
    assert result.returncode == 1
    assert result.stderr.count("content/a.yml:4:3: A103 first") == 1
    assert "Traceback" not in result.stderr
    assert result.stdout.strip() == "Aborted: 1 issue in content; the previous site is left as it was"
    assert not project.site.exists()
    assert project.leftovers() == []


def test_an_option_that_there_is_not_is_told_with_its_line_and_what_was_meant(project: Project) -> None:
    project.entry("a")
    settings = (project.root / "mkdocs.yml").read_text(encoding="utf-8")
    assert settings.count("\n- atlas\n") == 1
    line = settings.partition("- atlas")[0].count("\n") + 2
    project.write("mkdocs.yml", settings.replace("- atlas\n", "- atlas:\n    source: sources\n    colour: red\n"))
    result = run(project, "build", "--quiet", "--strict")
    assert result.returncode == 1
    assert f"option 'source': mkdocs.yml:{line}: there is no such option; did you mean `sources`?" in result.stderr
    assert f"option 'colour': mkdocs.yml:{line + 1}: there is no such option; there is `sources`, " in result.stderr


@pytest.mark.parametrize("before", [(), ("build",), ("build", "--quiet")], ids=["nothing", "built", "quietly"])
def test_strict_ends_with_the_issues_also_where_it_is_quiet(project: Project, before: tuple[str, ...]) -> None:
    project.write("content/index.md", '<h1 id="home">x</h1>\n<a href="gone.md">y</a>')
    project.write("content/transformer/encoder/layer-norm.yml", "body: '<a href=\"#gone\">y</a>'\nnote: '[y](#gone)'\n")
    if before:
        assert run(project, *before).returncode == 0
    result = run(project, "build", "--quiet", "--strict")
    assert result.returncode == 1
    told = [line.rpartition(" - ")[2].strip() for line in result.stderr.splitlines() if " A90" in line]
    assert [one.partition(" the link")[0] for one in told] == [
        "content/index.md:2:10: A904",
        "content/transformer/encoder/layer-norm.yml:2:12: A905",
    ]
    assert result.stdout.strip() == "Aborted with 2 errors in strict mode!"
    # A build that may only warn, and one that says nothing, are as they were.
    loud, quiet = run(project, "build"), run(project, "build", "--quiet")
    assert [loud.returncode, quiet.returncode, quiet.stderr] == [0, 0, ""]
    assert loud.stderr.count(" A90") == 2


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: S603 - git on our folder


def test_gh_deploy_deploys_the_new_build(project: Project, tmp_path_factory: pytest.TempPathFactory) -> None:
    remote = tmp_path_factory.mktemp("remote")
    git(remote, "init", "--bare", "--quiet")
    git(project.root, "init", "--quiet")
    git(project.root, "config", "user.name", "A")
    git(project.root, "config", "user.email", "a@example.org")
    git(project.root, "remote", "add", "origin", str(remote))
    git(project.root, "add", "mkdocs.yml")
    git(project.root, "commit", "--quiet", "--message", "content")
    project.build()
    project.entry("transformer/encoder/layer-norm", title="Deployed")
    result = run(project, "gh-deploy", "--strict")
    assert result.returncode == 0, result.stderr
    assert "<title>Deployed</title>" in git(remote, "show", "gh-pages:transformer/encoder/layer-norm/index.html")
