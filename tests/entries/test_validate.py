"""pydantic's errors → issues with the right place, in the words of someone who writes YAML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import pytest
from pydantic import AfterValidator, Field

from atlas.entries.base import Axes, Identifier, Latex, Name, Record, SizeText, Text
from atlas.entries.tree import parse
from atlas.entries.validate import place, place_of_key, validate, value_at
from atlas.issues import Issue


class Inner(Record):
    name: Name
    """A name."""
    size: SizeText = 1
    """A size."""
    kind: Literal["one", "two"] = "one"
    """A kind."""


def _even(number: int) -> int:
    if number % 2:
        raise ValueError(f"{number} is odd")
    return number


class Outer(Record):
    title: Text
    """A title."""
    in_: Mapping[Latex, Latex] = Field(default_factory=dict, alias="in")
    """An alias, as `in` is a word of Python's."""
    values: Mapping[Name, float | int | bool | str] = Field(default_factory=dict)
    """A union."""
    axes: Axes = ()
    """A list of unions."""
    maybe: Inner | None = None
    """A record or nothing."""
    several: Annotated[tuple[Inner, ...], Field(max_length=2)] = ()
    """A list of records."""
    named: Mapping[Identifier, Inner] = Field(default_factory=dict)
    """A mapping of records."""
    sizes: Mapping[Name, Annotated[int, Field(ge=1)] | Annotated[tuple[SizeText, ...], Field(min_length=1)]] = Field(
        default_factory=dict
    )
    """A number or a list of unions."""
    parts: tuple[Identifier | Inner, ...] = ()
    """A list of texts and records."""
    count: Annotated[int, Field(ge=1, le=10)] | None = None
    """A bounded number or nothing."""
    even: Annotated[int, AfterValidator(_even)] = 2
    """A number with a rule of its own."""
    flag: bool = False
    """A truth value."""
    ratio: float = 1.0
    """A number."""


def issues_of(text: str) -> list[Issue]:
    document, found = parse(text, "a.yml")
    assert document is not None
    record, issues = validate(document, Outer)
    assert (record is None) == bool(issues or document.doubtful)
    assert all(issue.path == "a.yml" for issue in issues)
    return [*found, *issues]


def test_a_sound_document_becomes_a_record() -> None:
    document, _ = parse("title: ' A '\nin: {w: x}\nvalues: {a: 1, b: 1.5, c: true, d: t}\naxes: [B, 2, 2 d]\n", "a.yml")
    assert document is not None
    record, issues = validate(document, Outer)
    assert issues == []
    assert record is not None
    assert (record.title, record.in_, record.axes) == ("A", {"w": "x"}, ("B", 2, "2 d"))
    assert list(map(type, record.values.values())) == [int, float, bool, str]


@pytest.mark.parametrize(
    ("text", "code", "line", "column", "message", "hint"),
    [
        ("ttle: A\n", "A101", 1, 1, "unknown key `ttle`", "did you mean `title`?"),
        ("title: A\nxyz: 1\n", "A101", 2, 1, "unknown key `xyz`",
         "known keys: title, in, values, axes, maybe, several, named, sizes, parts, count, even, flag, ratio"),
        ("title: A\nin_: {}\n", "A101", 2, 1, "unknown key `in_`", "did you mean `in`?"),
        ("title: A\nmaybe: {nme: x}\n", "A101", 2, 9, "unknown key `nme`", "did you mean `name`?"),
        ("title: A\nmaybe: {name: x, kin: one}\n", "A101", 2, 18, "unknown key `kin`", "did you mean `kind`?"),
        ("title: A\nseveral:\n  - name: x\n    zzz: 1\n", "A101", 4, 5, "unknown key `zzz`", "known keys: name, size"),
        ("title: A\nnamed:\n  a: {name: x, sizes: 1}\n", "A101", 3, 16, "unknown key `sizes`", "did you mean `size`?"),
        ("flag: true\n", "A102", 1, 1, "the key `title` is missing", "add `title: ...`: a title"),
        ("title: A\nmaybe: {}\n", "A102", 2, 1, "the key `name` is missing in `maybe`", "add `name: ...`: a name"),
        ("title: A\nseveral:\n  - name: x\n  - kind: one\n", "A102", 4, 5,
         "the key `name` is missing in `several.2`", "add `name: ...`: a name"),
        ("title: A\nnamed: {a: {}}\n", "A102", 2, 9, "the key `name` is missing in `named.a`",
         "add `name: ...`: a name"),
        ("title: 5\n", "A103", 1, 8, "`title` must be a text, but is the number 5", "quote it"),
        ("title: 1e5\n", "A103", 1, 8, "`title` must be a text, but is the number 1e5", "quote it"),
        ("title: true\n", "A103", 1, 8, "`title` must be a text, but is `true`", "quote it"),
        ("title:\n", "A103", 1, 7, "`title` must be a text, but is empty", "what belongs there: a title"),
        ("title: #1\n", "A103", 1, 7, "`title` must be a text, but is empty", "begins with # must be quoted"),
        ("title: [a]\n", "A103", 1, 8, "`title` must be a text, but is a list", "begins with a bracket"),
        ("title: {a: b}\n", "A103", 1, 8, "`title` must be a text, but is a mapping", "begins with a bracket"),
        ("title:\n  a: b\n", "A103", 2, 3, "`title` must be a text, but is a mapping", "write one text"),
        ("title: A\nin: x\n", "A103", 2, 5, "`in` must be a mapping, but is the text 'x'", "or {key: value}"),
        ("title: A\nin: {w: 1}\n", "A103", 2, 9, "`in.w` must be a text, but is the number 1", "quote it"),
        ("title: A\naxes: B\n", "A103", 2, 7, "`axes` must be a list, but is the text 'B'", "in brackets: [B]"),
        ("title: A\naxes: [B, 1.5]\n", "A103", 2, 11,
         "`axes.2` must be a text or a whole number, but is the number 1.5",
         "quote it"),
        ("title: A\naxes: [B, [C]]\n", "A103", 2, 11, "`axes.2` must be a text or a whole number, but is a list",
         "write one text, in quotes"),
        ("title: A\naxes: [{B: C}]\n", "A103", 2, 8, "`axes.1` must be a text or a whole number, but is a mapping",
         "write one text"),
        ("title: A\nvalues: {a: [1]}\n", "A103", 2, 13,
         "`values.a` must be a number, a whole number, true or false or a text, but is a list",
         "write a number in digits, such as 0.5"),
        ("title: A\nsizes: {d: 1.5}\n", "A103", 2, 12,
         "`sizes.d` must be a whole number or a list, but is the number 1.5", "write a whole number in digits"),
        ("title: A\nsizes: {d: 0}\n", "A104", 2, 12, "`sizes.d`: input should be greater than or equal to 1", ""),
        ("title: A\nsizes: {d: []}\n", "A104", 2, 12, "`sizes.d`: it is empty", ""),
        ("title: A\nsizes: {d: [B, 1.5]}\n", "A103", 2, 16,
         "`sizes.d.2` must be a text or a whole number, but is the number 1.5", "quote it"),
        ("title: A\nsizes: {d: [B, 0]}\n", "A104", 2, 16, "`sizes.d.2`: a size is at least 1, but `0` is 0",
         "write how long the axis really is"),
        ("title: A\nparts: [1]\n", "A103", 2, 9, "`parts.1` must be a text or a mapping, but is the number 1",
         "quote it"),
        ("title: A\nparts: [a, B C]\n", "A104", 2, 12, "`parts.2`: the text 'B C' is not made of lower-case",
         "write `b-c`"),
        ("title: A\nparts: [{nme: x}]\n", "A101", 2, 10, "unknown key `nme`", "did you mean `name`?"),
        ("title: A\nparts: [{kind: one}]\n", "A102", 2, 9, "the key `name` is missing in `parts.1`",
         "add `name: ...`: a name"),
        ("title: A\nparts: [{name: x, size: [1]}]\n", "A103", 2, 25,
         "`parts.1.size` must be a text or a whole number, but is a list", "write one text"),
        ("title: A\nvalues: {a: {float: 1}}\n", "A103", 2, 13, "`values.a` must be a number", "such as 0.5"),
        ("title: A\nvalues: {a: }\n", "A103", 2, 13, "`values.a` must be a number", "such as 0.5"),
        ("title: A\nmaybe: x\n", "A103", 2, 8, "`maybe` must be a mapping, but is the text 'x'", "write {name: x}"),
        ("title: A\nseveral: {name: x}\n", "A103", 2, 10, "`several` must be a list, but is a mapping",
         "begin each item with `- `"),
        ("title: A\nflag: 'true'\n", "A103", 2, 7, "`flag` must be true or false, but is the text 'true'",
         "remove the quotes: true"),
        ("title: A\nflag: 1\n", "A103", 2, 7, "`flag` must be true or false, but is the number 1",
         "write true or false"),
        ("title: A\ncount: '5'\n", "A103", 2, 8, "`count` must be a whole number, but is the text '5'",
         "remove the quotes: 5"),
        ("title: A\ncount: 5.0\n", "A103", 2, 8, "`count` must be a whole number, but is the number 5.0", "write 5"),
        ("title: A\nratio: '1e-6'\n", "A103", 2, 8, "`ratio` must be a number, but is the text '1e-6'",
         "remove the quotes: 1e-6"),
        ("title: A\nratio: true\n", "A103", 2, 8, "`ratio` must be a number, but is `true`", "such as 0.5"),
        ("title: A\ncount: six\n", "A103", 2, 8, "`count` must be a whole number, but is the text 'six'",
         "write a whole number in digits, such as 6"),
        ("title: " + "x" * 80 + "\nratio: " + "y" * 80, "A103", 2, 8, "but is the text '" + "y" * 57 + "…'",
         "such as 0.5"),
        ("title: ' '\n", "A104", 1, 8, "`title`: it is empty", "what belongs there: a title"),
        ("title: A\ncount: 0\n", "A104", 2, 8,
         "`count`: input should be greater than or equal to 1 (found the number 0)",
         ""),
        ("title: A\neven: 3\n", "A104", 2, 7, "`even`: 3 is odd", ""),
        ("title: A\naxes: [B, d!]\n", "A104", 2, 11, "`axes.2`: the size `d!` has `!` at 2",
         "write sizes and whole numbers, such as `2 d` or `d/h + 1`"),
        ("title: A\naxes: [B, 1/2]\n", "A104", 2, 11, "`axes.2`: 1/2 is 1/2, not a whole number",
         "write sizes and whole numbers, such as `2 d` or `d/h + 1`"),
        ("title: A\naxes: [B, 3-4]\n", "A104", 2, 11, "`axes.2`: a size is at least 1, but `3-4` is -1",
         "write how long the axis really is"),
        ("title: A\nmaybe: {name: a b}\n", "A104", 2, 15, "`maybe.name`: the text 'a b' is not a name as Python",
         "write `a_b`"),
        ("title: A\nmaybe: {name: x, kind: three}\n", "A104", 2, 24,
         "`maybe.kind`: the text 'three' is not one of 'one' or 'two'", "write one of these"),
        ("title: A\nnamed:\n  A B: {name: x}\n", "A104", 3, 3,
         "the key `A B`: `A B` is not made of lower-case letters", "write `a-b`"),
        ("title: A\nvalues:\n  a-b: 1\n", "A104", 3, 3, "the key `a-b`: `a-b` is not a name as Python writes it",
         "write `a_b`"),
        ("title: A\nin: {'': x}\n", "A104", 2, 6, "the key ``: it is empty", ""),
        ("title: A\nseveral: [{name: a}, {name: b}, {name: c}]\n", "A104", 2, 10, "at most 2 items", ""),
        ("title: " + "x" * 5000, "A104", 1, 8, "at most 4000 characters", ""),
    ],
)  # fmt: skip
def test_each_mistake_is_one_issue_at_its_place(
    text: str, code: str, line: int, column: int, message: str, hint: str
) -> None:
    found = issues_of(text)
    assert len(found) == 1, found
    assert (found[0].code, found[0].line, found[0].column) == (code, line, column), found[0]
    assert message in found[0].message
    assert hint in found[0].hint
    assert bool(hint) == bool(found[0].hint)


def test_all_mistakes_of_a_document_are_found() -> None:
    found = issues_of("titel: A\nin: [x]\nmaybe: {name: 5, size: 0}\nseveral: [{}, {name: x, kind: y}]\nflag: 1\n")
    assert [(issue.code, issue.line) for issue in sorted(found)] == [
        ("A101", 1), ("A103", 2), ("A103", 3), ("A104", 3), ("A102", 4), ("A104", 4), ("A103", 5),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "title: A\nflag: yes\n",
        "title: A\ncount: 010\n",
        "title: 'A'\nratio: !!float x\n",
        "title: *a\nratio: *a\n",
        "flag: true\n<<: {title: A}\n",
        "title: A\nmaybe: {name, kind: one}\n",
        'title: A\nmaybe: {name: "\\b"}\n',
        "title: A\nnamed: {1: {}}\n",
    ],
)
def test_what_follows_from_a_doubtful_value_is_not_reported(text: str) -> None:
    codes = {issue.code for issue in issues_of(text)}
    assert codes
    assert all(code < "A017" for code in codes)


def test_a_doubtful_value_does_not_hide_other_mistakes() -> None:
    assert [issue.code for issue in issues_of("title: A\nflag: yes\ncount: 99\n")] == ["A005", "A104"]


def test_a_missing_key_of_an_heir_is_reported_where_it_is_inherited_from() -> None:
    document, _ = parse("maybe: {kind: one}\n", "a.yml")
    assert document is not None
    record, issues = validate(document, Outer, inherits=True)
    assert record is None
    assert [issue.message for issue in issues] == ["the key `name` is missing in `maybe`"]


def test_places_of_values_that_are_not_there_are_those_around_them() -> None:
    document, _ = parse("a:\n  b: [1, 2]\n", "a.yml")
    assert document is not None
    assert (place(document, ("a", "b", 1)).line, place(document, ("a", "b", 1)).column) == (2, 10)
    assert place(document, ("a", "b", 7)) == place(document, ("a", "b"))
    assert place(document, ("x", "y")) == place(document, ())
    assert place_of_key(document, ("a", "b")).column == 3
    assert place_of_key(document, ("a", "b", 0)).column == 7
    assert place_of_key(document, ("a", "c")) == place(document, ("a",))
    assert value_at(document.value, ("a", "b", 1)) == 2
    assert value_at(document.value, ("a", "b", 2)) is None
    assert value_at(document.value, ("a", "b", "x")) is None
