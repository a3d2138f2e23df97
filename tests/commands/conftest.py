"""The command line in a project with two small models, or in this repository's own content."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner, Result

from atlas.cli import main

Atlas = Callable[..., Result]


@pytest.fixture
def atlas(models: Any, monkeypatch: pytest.MonkeyPatch) -> Atlas:
    """Run a command in the folder of the two small models."""
    monkeypatch.chdir(models.root)
    return lambda *arguments: CliRunner().invoke(main, arguments, prog_name="atlas")


@pytest.fixture
def real(real_project: Any, monkeypatch: pytest.MonkeyPatch) -> Atlas:
    """Run a command in this repository's own content."""
    monkeypatch.chdir(real_project.root)
    return lambda *arguments: CliRunner().invoke(main, arguments, prog_name="atlas")
