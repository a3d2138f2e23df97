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
WRONG = [(model, name) for model, name in EDITS if "equal" not in TABLES[model][name]]
EQUAL = [(model, name) for model, name in EDITS if "equal" in TABLES[model][name]]

FIRST_OF_VERIFY = "A704"
"""Codes from here on are issues of `atlas verify`, which runs only where all checks hold."""

Edited = Callable[[str], Any]


def issues_of(edited: Edited, model: str, name: str) -> list[Issue]:
    edits = TABLES[model][name]["edits"]
    found: list[Issue] = edited(model).found([(one["file"], one["replace"], one["with"]) for one in edits])
    return found


def named(issue: Issue) -> str:
    """What an issue says of where it is: its file and its words, not the lines of the file that are shown with it."""
    return f"{issue.path}: {issue.message}; {issue.hint}"


@pytest.mark.parametrize("model", TABLES)
def test_a_model_that_nobody_edited_holds(edited: Edited, model: str) -> None:
    assert show(edited(model).found([])) == ""


@pytest.mark.parametrize(("model", "name"), WRONG, ids=[f"{model}: {name}" for model, name in WRONG])
def test_an_edit_is_found_and_names_the_component(edited: Edited, model: str, name: str) -> None:
    case, issues = TABLES[model][name], issues_of(edited, model, name)
    assert any(issue.code == case["code"] and case["names"] in named(issue) for issue in issues), show(issues)


@pytest.mark.parametrize(("model", "name"), EQUAL, ids=[f"{model}: {name}" for model, name in EQUAL])
def test_an_edit_that_says_the_same_otherwise_holds(edited: Edited, model: str, name: str) -> None:
    """Where this fails, the checks have come to tell the two apart: then the edit belongs among the wrong ones."""
    assert show(issues_of(edited, model, name)) == ""


@pytest.mark.parametrize("model", TABLES)
def test_the_table_of_a_model_has_edits_that_only_the_comparison_with_upstream_finds(model: str) -> None:
    codes = [case["code"] for case in TABLES[model].values() if "code" in case]
    assert sum(code >= FIRST_OF_VERIFY for code in codes) > 3
    assert sum(code < FIRST_OF_VERIFY for code in codes) > 3
