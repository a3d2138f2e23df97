"""The command line in a project with a few small models, or in one with GPT-2 and a library of this repository."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from atlas.cli import main

Atlas = Callable[..., Result]

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def atlas(models: Any, monkeypatch: pytest.MonkeyPatch) -> Atlas:
    """Run a command in the folder of the small models."""
    monkeypatch.chdir(models.root)
    return lambda *arguments: CliRunner().invoke(main, arguments, prog_name="atlas")


@pytest.fixture
def published(models: Any, tmp_path: Path) -> Any:
    """This repository's GPT-2 and its library, to be edited as the small models are."""
    root = tmp_path / "published"
    for name in ("gpt-2", "chainer"):
        shutil.copytree(REPOSITORY / "content" / name, root / "content" / name)
    shutil.copytree(REPOSITORY / "sources", root / "sources")
    shutil.copyfile(REPOSITORY / "mkdocs.yml", root / "mkdocs.yml")
    return type(models)(root)


@pytest.fixture
def real(published: Any, monkeypatch: pytest.MonkeyPatch) -> Atlas:
    """Run a command in the folder of GPT-2."""
    monkeypatch.chdir(published.root)
    return lambda *arguments: CliRunner().invoke(main, arguments, prog_name="atlas")
