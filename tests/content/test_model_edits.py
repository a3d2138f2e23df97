"""Single wrong edits of whole models: `atlas check` or `atlas verify` fails, and says which component is wrong.

Many edits change formula and operator alike, so that the component holds by itself: only the comparison with the
upstream model can find these. The tables in `edits/` say what each edit must lead to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from atlas.issues import Issue, show

HERE = Path(__file__).resolve().parent
TABLES: Mapping[str, dict[str, dict[str, Any]]] = {
    file.stem: yaml.safe_load(file.read_text(encoding="utf-8")) for file in sorted((HERE / "edits").glob("*.yml"))
}
EDITS = [(model, name) for model, table in TABLES.items() for name in table]
FIRST_OF_VERIFY = "A704"
"""Codes from here on are issues of `atlas verify`, which runs only where all checks hold."""


def named(issue: Issue) -> str:
    """What an issue says of where it is: its file and its words, not the lines of the file that are shown with it."""
    return f"{issue.path}: {issue.message}; {issue.hint}"


@pytest.mark.parametrize("model", TABLES)
def test_a_model_that_nobody_edited_holds(edited: Callable[[str], Any], model: str) -> None:
    assert show(edited(model).found([])) == ""


@pytest.mark.parametrize(("model", "name"), EDITS, ids=[f"{model}: {name}" for model, name in EDITS])
def test_an_edit_is_found_and_names_the_component(edited: Callable[[str], Any], model: str, name: str) -> None:
    case = TABLES[model][name]
    issues = edited(model).found([(one["file"], one["replace"], one["with"]) for one in case["edits"]])
    assert any(issue.code == case["code"] and case["names"] in named(issue) for issue in issues), show(issues)
