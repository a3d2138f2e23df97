"""The days on which something changed for readers: real ones, written as they are sorted."""

from __future__ import annotations

from typing import Any

import pytest

from atlas.entries.collection import Change
from atlas.entries.tree import parse
from atlas.entries.validate import validate
from atlas.issues import Issue


def issues(text: str) -> tuple[Any, list[Issue]]:
    document, found = parse(text, "change.yml")
    assert document is not None, found
    return validate(document, Change)


def test_a_day_and_what_changed() -> None:
    change, found = issues("date: 2026-11-30\nwhat: Documented whole.\n")
    assert found == []
    assert (change.date, change.what) == ("2026-11-30", "Documented whole.")


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("2026-02-30", "2026-02-30"),
        ("2026-13-01", "2026-13-01"),
        ("30.11.2026", "is not a day, such as 2026-11-30"),
        ("2026-1-3", "is not a day, such as 2026-11-30"),
    ],
)
def test_what_is_no_day_is_refused(written: str, said: str) -> None:
    change, found = issues(f"date: {written}\nwhat: Something.\n")
    assert change is None
    assert [said in issue.message for issue in found] == [True]
