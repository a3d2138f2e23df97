"""Slips behind YAML's errors: each is told where it stands, and right text that looks alike is read."""

from __future__ import annotations

import pytest

from atlas.entries.slips import conflict
from atlas.entries.tree import parse


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("a: 1\nb:2\nc: 3\n", 2, 2, "there is no space after the colon of `b:2`"),
        ("a: 1\nb = 2\nc: 3\n", 2, 2, "`b` is followed by `=`"),
        ("a:\n  - b: 1\n  -c: 2\n", 3, 3, "there is no space after the dash"),
        ("a:\n  - b: 1\n   - c: 2\n", 3, 4, "this line is indented by 3 spaces"),
        ("a: 1\n\u00a0\u00a0b: 2\n  c: 3\n", 2, 1, "the space here is U+00A0"),
        ("a: |\n  one\ntwo \\\\\nb: 2\n", 3, 1, "this line is indented less than the text of `a`"),
        ("a:\nb c\nd: 2\n", 2, 1, "the value of `a` stands on a line of its own"),
        ("// x\na: 1\n", 1, 1, "`//` begins no comment"),
        ("'a: 1\nb: 2\n", 1, 1, "a quote is opened here and not closed"),
        ("a: [1, 2]]\nb: 3\n", 1, 10, "`]` closes a bracket that is not open"),
        ("a: {b: 1,024}\n", 1, 10, "a comma stands inside a number"),
        ("a: one two #3\n", 1, 12, "a `#` after a space begins a comment"),
        ("a: &one two\n", 1, 4, "`&one` names a value for aliases"),
        ("a: 1\n>>>>>>> b\n", 2, 1, "a merge left its marks here"),
    ],
)
def test_a_slip_is_told_where_it_stands(text: str, line: int, column: int, message: str) -> None:
    for ending in ("\n", "\r\n"):
        (issue,) = parse(text.replace("\n", ending), "content/a.yml")[1]
        assert (issue.line, issue.column) == (line, column)
        assert issue.message.startswith(message)
        assert issue.hint


@pytest.mark.parametrize(
    "text",
    [
        "a: b = c\n",
        "a: b:c\n",
        "a: https://example.org/x\n",
        "a: one two  # a comment\n",
        "a: 512 #a number\n",
        "a: 'one #2'\n",
        "a: b\u00a0c\n",
        "a: |\n  <<<<<<< b\n  =======\n",
        "a: &one two\nb: *one\n",
        "a:\n- b\n- c\n",
        "---\na: 1\n",
    ],
)
def test_right_text_that_looks_like_a_slip_is_read(text: str) -> None:
    document, issues = parse(text, "content/a.yml")
    assert issues == []
    assert document is not None


def test_only_whole_marks_of_a_merge_count() -> None:
    assert conflict("a: 1\n======\n") is None
    assert conflict("a: 1\n<<<<<<<b\n") is None
    assert conflict("a: 1\n========\n") is None
