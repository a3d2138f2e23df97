"""A project to run commands in, its recorded proofs, and a cache without sources."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from atlas.checks.record_files import SUFFIX
from atlas.cli import main
from atlas.commands import checking
from tests.cli.command_line import PROJECT, Atlas


@pytest.fixture
def atlas(real_project: Any, monkeypatch: pytest.MonkeyPatch) -> Atlas:
    """Run a command in the project's folder, or in another."""
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)

    def run(*arguments: str, cwd: str | Path = ".") -> Result:
        monkeypatch.chdir(real_project.root / cwd)
        return CliRunner().invoke(main, arguments, prog_name="atlas")

    return run


@pytest.fixture(scope="session")
def records(tmp_path_factory: pytest.TempPathFactory) -> Mapping[Path, bytes]:
    """The recorded proofs of the project as it is, by their paths in it."""
    root = tmp_path_factory.mktemp("recorded") / "project"
    shutil.copytree(PROJECT, root)
    result = CliRunner().invoke(main, ["verify", "--record", "--project", str(root)])
    assert result.exit_code == 0, result.output
    made = {file.relative_to(root): file.read_bytes() for file in sorted(root.rglob(f"*{SUFFIX}"))}
    assert len(made) == 3
    return made


@pytest.fixture
def recorded(real_project: Any, records: Mapping[Path, bytes]) -> None:
    """Proofs of the project as it is; without them every check tells that they are missing."""
    for path, content in records.items():
        (real_project.root / path).write_bytes(content)


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache without sources, whose Node environment is the real one."""
    environment = checking.node_environment(offline=False)
    folder = tmp_path / "cache"
    folder.mkdir()
    (folder / "node").symlink_to(environment.modules.parents[1], target_is_directory=True)
    monkeypatch.setenv("OPENMODELATLAS_CACHE", str(folder))
    return folder
