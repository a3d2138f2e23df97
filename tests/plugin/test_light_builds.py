"""What builds that have little to do leave unimported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from atlas.kept import cache_folder

HEAVY = ("numpy", "pydantic", "fontTools", "markdown_it", "filelock", "nodeenv", "unearth")
"""Libraries that only making pages needs."""


def modules_of_a_build(root: Path) -> set[str]:
    """What a process imports that builds a project."""
    script = (
        "import sys\nfrom mkdocs.__main__ import cli\ncli(['build'], standalone_mode=False)\n"
        "print(*sorted(sys.modules), sep='\\n')"
    )
    done = subprocess.run(  # noqa: S603 - our own script
        [sys.executable, "-W", "ignore", "-c", script],
        cwd=root,
        env=os.environ,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.splitlines())


def test_a_build_after_an_edit_of_words_loads_nothing_that_judges_formulas(
    real_project: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").mkdir()
    for name in ("node", "sources"):  # all but results
        (tmp_path / "cache" / name).symlink_to(cache_folder() / name)
    monkeypatch.setenv("OPENMODELATLAS_CACHE", str(tmp_path / "cache"))
    entry = "content/tiny/encoder/residual.yml"
    modules_of_a_build(real_project.root)
    real_project.edit(entry, "summary: ", "summary: Now, ")
    words = modules_of_a_build(real_project.root)
    real_project.edit(entry, "formula: y=x+r", "formula: y=r+x")
    formula = modules_of_a_build(real_project.root)
    assert "atlas.operators.catalogue" in words & formula
    judging = {"numpy._core", "atlas.formula.tree", "atlas.checks.judging"}
    assert not judging & words
    assert judging <= formula


def test_a_process_that_leaves_a_site_imports_nothing_that_makes_pages(real_project: Any) -> None:
    first, second = modules_of_a_build(real_project.root), modules_of_a_build(real_project.root)
    assert {"numpy", "atlas.plugin.events"} <= first
    assert not {name for name in second if name.partition(".")[0] in HEAVY}
    assert {name for name in second if name.startswith("atlas.")} == {
        "atlas.cycles",
        "atlas.exceptions",
        "atlas.files",
        "atlas.issues",
        "atlas.kept",
        "atlas.plugin",
        "atlas.plugin.dates",
        "atlas.plugin.entry",
        "atlas.plugin.fingerprint",
        "atlas.plugin.options",
        "atlas.plugin.present",
        "atlas.plugin.steps",
        "atlas.plugin.told",
        "atlas.render",
        "atlas.render.staging_names",
    }
