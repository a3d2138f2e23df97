"""Edits of YAML files: the meant characters change, every other one stays, and what does not fit is refused."""

from __future__ import annotations

import pytest

from atlas.entries.rewrite import Edit, as_key, as_written, edited, line_after, replaced, with_lines, without
from atlas.entries.tree import Document, KeyPath, parse
from atlas.exceptions import EditError


def sound(text: str) -> Document:
    document, issues = parse(text, "a.yml")
    assert issues == []
    assert document is not None
    return document


@pytest.mark.parametrize(
    ("text", "new", "changed"),
    [
        ("a: v1  # why\n", "v2", "a: v2  # why\n"),
        ("a: 'v1'\n", "v2.1", "a: 'v2.1'\n"),
        ('{b: 1, a: "v1"}\n', "v2", '{b: 1, a: "v2"}\n'),
        ("b: é\r\na:   v1\r\n", "v2", "b: é\r\na:   v2\r\n"),
        ("a: v1\n", "12", "a: '12'\n"),
        ("a: 12\n", "13a", "a: 13a\n"),
        ("a: v1\n", "1e5", "a: '1e5'\n"),
    ],
)
def test_a_value_is_replaced_in_the_quotes_that_it_has(text: str, new: str, changed: str) -> None:
    result = edited(text, [replaced(sound(text), ("a",), new)])
    assert result == changed
    assert sound(result).value["a"] == new


@pytest.mark.parametrize(
    "text", ["a: one\n  two\n", "a: |\n  one\n", "a: 'it''s'\n", 'a: "\\u00e9"\n', "a: [1]\n", "a: >-\n  one\n"]
)
def test_a_value_over_lines_or_with_escapes_is_refused(text: str) -> None:
    with pytest.raises(EditError, match=r"a\.yml:\d: the value of `a` is not written on one line; edit it by hand"):
        replaced(sound(text), ("a",), "new")


def test_a_key_goes_with_all_its_lines_and_a_line_comes_after_one() -> None:
    text = "a: 1\nb:  # two\n  c: 2\n  d:\n    - 3\n# end\ne: 4\n"
    assert edited(text, [without(sound(text), "b")]) == "a: 1\n# end\ne: 4\n"
    assert edited(text, [line_after(sound(text), "b", "n: 0")]) == text.replace("# end", "n: 0\n# end")
    for short, longer in (("a: 1", "a: 1\nn: 0"), ("b: 1\r\na: 1\r\n", "b: 1\r\na: 1\r\nn: 0\r\n")):
        assert edited(short, [line_after(sound(short), "a", "n: 0")]) == longer


def test_edits_are_made_in_order_each_once_and_never_over_each_other() -> None:
    assert edited("abcdef", [Edit(4, 5, "E"), Edit(0, 2, "_"), Edit(4, 5, "E"), Edit(3, 3, "+")]) == "_c+dEf"
    with pytest.raises(EditError, match="the same characters"):
        edited("abcdef", [Edit(0, 3, "x"), Edit(2, 4, "y")])


@pytest.mark.parametrize(
    "text", ["MIT", "2018 A, B", "1: 2", "- a", "1.0", "yes", "'a'", "# a", "{a", "a #b", " a", "1e5", "é"]
)
def test_a_text_is_written_so_that_it_is_read_as_it_is(text: str) -> None:
    assert sound(f"k: {as_written(text)}\n").value == {"k": text}
    assert sound(f"{as_key(text)}: 1\n").value == {text: 1}


def test_texts_are_quoted_only_where_they_must_be() -> None:
    assert as_written("2018 A, B") == "2018 A, B"
    assert as_written("12") == "'12'"
    assert as_key("a/b c.py") == "a/b c.py"
    assert as_key("12") == "'12'"


LINES = """sources:  # three
  - {lines: '59-61', id: a}   # one
  - lines:   7     # two
    id: 59-61
  - id: b
    lines: 100-200
"""


def test_line_ranges_change_and_nothing_else_does() -> None:
    ranges: dict[KeyPath, tuple[int, int]] = {
        ("sources", 0, "lines"): (5, 6),
        ("sources", 1, "lines"): (1000, 1000),
        ("sources", 2, "lines"): (8, 8),
    }
    assert with_lines(sound(LINES), ranges) == LINES.replace("'59-61'", "'5-6'").replace("  7 ", "  1000 ").replace(
        "100-200", "8-8"
    )
    assert "lines:   7-9     # two" in with_lines(sound(LINES), {("sources", 1, "lines"): (7, 9)})
    assert with_lines(sound(LINES), {("sources", 1, "lines"): (7, 7)}) == LINES


def test_a_range_that_is_an_alias_is_changed_where_it_is_written_or_not_at_all() -> None:
    text = "one: {lines: &same 5-6}\ntwo: {lines: *same}\n"
    both: dict[KeyPath, tuple[int, int]] = {("one", "lines"): (7, 8), ("two", "lines"): (7, 8)}
    assert with_lines(sound(text), both) == text.replace("5-6", "7-8")
    with pytest.raises(EditError, match="the same characters"):
        with_lines(sound(text), both | {("two", "lines"): (9, 10)})
    with pytest.raises(EditError, match="does not fit"):
        with_lines(sound(text), {("one", "lines"): (7, 8)})


def test_what_is_no_range_is_not_rewritten() -> None:
    with pytest.raises(EditError, match="not written as a range"):
        with_lines(
            sound("a: {lines: |\n  5-6\n}\n".replace("{lines: |\n  5-6\n}", "\n  lines: |\n    5-6")),
            {("a", "lines"): (1, 2)},
        )
