"""What the shell proposes, asked as click's own completion asks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.shell_completion import BashComplete

from atlas.cli import main
from atlas.issues import TITLES


@pytest.fixture(autouse=True)
def in_the_models(models: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(models.root)


def proposed(line: str) -> list[str]:
    """What is proposed for the last word of a line."""
    *before, last = line.split(" ")
    found = BashComplete(main, {}, "atlas", "_ATLAS_COMPLETE").get_completions(before, last)
    return [item.value for item in found]


def test_commands_are_proposed() -> None:
    assert {"init", "new", "explain", "doctor", "show"} <= {*proposed("")}
    assert proposed("new s") == ["source"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("run n", ["nested"]),
        ("run nested/", []),
        ("show nested/in", ["nested/input/embedding"]),
        ("show nested --variant w", ["wide"]),
        ("run nested --variant ", ["small", "wide"]),
        ("verify nested/stages/w", ["nested/stages/widen"]),
        ("fetch p", ["project"]),
        ("show rms_norm_", ["rms_norm_from_one"]),
        ("new component nested/alt", ["nested/alternating/"]),
        ("new component nested/stages/a --operator layer_norm_", ["layer_norm_outer_epsilon"]),
        ("new library a --source pr", ["project"]),
        ("check nested/stages/w", ["nested/stages/widen"]),
        ("pin --prove p", ["project"]),
        ("repin p", ["project"]),
        ("explain a40", [code for code in TITLES if code.startswith("A40")]),
    ],
)
def test_what_there_is_is_proposed(line: str, expected: list[str]) -> None:
    assert proposed(line) == expected


def test_outside_of_a_project_nothing_is_proposed_and_nothing_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    assert proposed("run ") == []
    assert proposed("run --project nowhere ") == []
    assert capsys.readouterr() == ("", "")


def test_a_project_elsewhere_is_the_one_that_is_named(
    models: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert proposed(f"run --project {models.root} py") == ["pyramid"]
