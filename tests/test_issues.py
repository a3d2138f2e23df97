from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from atlas.issues import TITLES, WARNINGS, Issue, ordered, show

PACKAGE = Path(__file__).resolve().parents[1] / "atlas"

ISSUE = Issue("content/a.yml", 3, 7, "A131", "`\\kappa` is unknown", "declare it", "x + \\kappa\n    ^^^^^^")


def test_text_shows_place_code_message_excerpt_and_hint() -> None:
    assert show([ISSUE]) == (
        "content/a.yml:3:7: A131 `\\kappa` is unknown\n    x + \\kappa\n        ^^^^^^\n  declare it"
    )


def test_the_blanks_of_a_file_are_one_text_and_each_has_its_place_for_programs() -> None:
    words = {(4, 8): ": its name", (12, 3): ": what it does: in words", (20, 9): ""}
    blanks = [Issue("a.yml", *at, "A016", f"a blank is not filled in{what}", "write it") for at, what in words.items()]
    alone = Issue("b.yml", 1, 2, "A016", "a blank is not filled in: its name", "write it")
    other = Issue("a.yml", 9, 1, "A101", "unknown")
    assert show([alone, *blanks, other]).splitlines() == [
        "a.yml:4:8: A016 3 blanks are not filled in",
        "    4:8   its name",
        "    12:3  what it does: in words",
        "    20:9",
        "  write it",
        "a.yml:9:1: A101 unknown",
        "b.yml:1:2: A016 a blank is not filled in: its name",
        "  write it",
    ]
    assert len(json.loads(show(blanks, "json"))) == 3
    assert show(blanks, "github").count("::error file=a.yml,line=") == 3


@pytest.mark.parametrize(("line", "column", "place"), [(0, 0, "a.yml"), (4, 0, "a.yml:4"), (4, 2, "a.yml:4:2")])
def test_text_leaves_out_the_numbers_that_an_issue_lacks(line: int, column: int, place: str) -> None:
    assert show([Issue("a.yml", line, column, "A001", "gone")]) == f"{place}: A001 gone"


def test_json_holds_every_field_and_the_severity() -> None:
    assert json.loads(show([ISSUE], "json")) == [
        {
            "path": "content/a.yml",
            "line": 3,
            "column": 7,
            "code": "A131",
            "message": "`\\kappa` is unknown",
            "hint": "declare it",
            "excerpt": "x + \\kappa\n    ^^^^^^",
            "severity": "error",
        }
    ]
    assert show([], "json") == "[]"


def test_json_keeps_letters_and_escapes_what_a_terminal_does_not_print() -> None:
    message = "ε 😀 \x1b[2J \u202e \U000e0041 \udc80 end"
    text = show([Issue("a.yml", 1, 1, "A012", message)], "json")
    assert json.loads(text)[0]["message"] == message
    assert "ε 😀" in text
    assert text.replace("\n", "").isprintable()
    text.encode("utf-8")


def test_github_writes_a_command_with_its_properties() -> None:
    assert show([ISSUE], "github") == (
        "::error file=content/a.yml,line=3,col=7,title=A131::`\\kappa` is unknown (declare it)"
    )
    assert show([Issue("a.yml", 0, 0, "A001", "gone")], "github") == "::error file=a.yml,title=A001::gone"


def test_github_escapes_properties_and_data_differently() -> None:
    issue = Issue("a,b:c%d\r\ne.yml", 1, 1, "A001", "50%: a, b\r\nc", "::error::")
    assert show([issue], "github") == (
        "::error file=a%2Cb%3Ac%25d%0D%0Ae.yml,line=1,col=1,title=A001::50%25: a, b%0D%0Ac (::error::)"
    )
    assert len(show([issue], "github").splitlines()) == 1


@pytest.mark.parametrize("style", ["text", "github"])
def test_control_characters_and_changes_of_direction_are_spelled_out(style: str) -> None:
    issue = Issue("a\x1b.yml", 1, 1, "A012", "x\u202ey\x00\u00a0\U000e0041", "h\x07", "e\x1b\n^")
    text = show([issue], "text" if style == "text" else "github")
    for spelled in ("a\\u001b.yml", "x\\u202ey\\u0000\\u00a0\\U000e0041", "h\\u0007"):
        assert spelled in text
    assert all(line.isprintable() for line in text.split("\n"))


def test_a_line_feed_in_a_message_does_not_begin_a_line_of_the_text() -> None:
    assert show([Issue("a.yml", 1, 1, "A001", "one\ntwo")]) == "a.yml:1:1: A001 one\\u000atwo"


def test_issues_are_sorted_by_file_then_place_then_code_and_shown_once() -> None:
    places = [("b.yml", 1, 1), ("a.yml", 10, 1), ("a.yml", 9, 5), ("a.yml", 9, 4), ("a.yml", 0, 0)]
    issues = [Issue(*place, "A001", "x") for place in places]
    found = ordered([*issues, *reversed(issues), Issue("a.yml", 9, 4, "A002", "x")])
    assert [(one.path, one.line, one.column, one.code) for one in found] == [
        ("a.yml", 0, 0, "A001"),
        ("a.yml", 9, 4, "A001"),
        ("a.yml", 9, 4, "A002"),
        ("a.yml", 9, 5, "A001"),
        ("a.yml", 10, 1, "A001"),
        ("b.yml", 1, 1, "A001"),
    ]
    assert show(issues) == show(reversed(issues))


@pytest.mark.parametrize("code", sorted(TITLES))
def test_only_what_pages_can_say_themselves_is_a_warning(code: str) -> None:
    issue = Issue("a.yml", 1, 1, code, "x")
    assert issue.severity == ("warning" if code in ("A701", "A702", "A703", "A911", "A912") else "error")
    assert show([issue], "github").startswith(f"::{issue.severity} ")


def test_an_unknown_code_is_refused() -> None:
    with pytest.raises(ValueError, match="A999 has no title"):
        Issue("a.yml", 1, 1, "A999", "x")


def test_the_titles_are_exactly_the_codes_that_the_package_uses() -> None:
    used: set[str] = set()
    for file in PACKAGE.rglob("*.py"):
        if file != PACKAGE / "issues.py":
            used.update(re.findall(r"\"([A-Z]\d{3})\"", file.read_text(encoding="utf-8")))
    assert used == TITLES.keys()
    assert TITLES.keys() >= WARNINGS
    assert list(TITLES) == sorted(TITLES)


@pytest.mark.parametrize(("code", "title"), TITLES.items())
def test_titles_are_short_distinct_lines(code: str, title: str) -> None:
    assert re.fullmatch(r"A\d{3}", code)
    assert re.fullmatch(r"[a-zA-Z][^\n]{5,70}[^.\n]", title)
    assert list(TITLES.values()).count(title) == 1
