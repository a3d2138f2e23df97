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
