"""A small project that is built with a stand-in for the renderer, what MkDocs logs, and builds that are refused."""

from __future__ import annotations

import logging
import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mkdocs.exceptions import Abort

from atlas.plugin import events
from tests.plugin.small_project import RENDERER, Project


@pytest.fixture
def renderer(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    module = runpy.run_path(str(RENDERER))
    monkeypatch.setattr(events, "build_site", module["build_site"])
    return module


@pytest.fixture
def project(tmp_path: Path, renderer: dict[str, Any]) -> Project:
    return Project(tmp_path)


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """What MkDocs logs, whatever another test's command line did to its logger."""
    logger = logging.getLogger("mkdocs")
    propagate, logger.propagate = logger.propagate, True
    caplog.set_level(logging.INFO, logger="mkdocs")
    yield caplog
    logger.propagate = propagate


@pytest.fixture
def refused(project: Project, log: pytest.LogCaptureFixture) -> Iterator[Callable[..., str]]:
    """Build, expect a failure, and return what was logged; the site of before must be untouched."""
    project.build()
    before = project.state()
    assert before

    def build_and_fail(error: type[BaseException] = Abort, *, strict: bool = False) -> str:
        log.clear()
        with pytest.raises(error):
            project.build(strict=strict)
        return log.text

    yield build_and_fail
    assert project.state() == before
    assert project.leftovers() == []
