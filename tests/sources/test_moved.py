"""A passage is found again by what it says: moved, changed, doubled, renamed, indented, or not at all."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from atlas.sources.moved import Again, Comparison
from atlas.sources.store import PinnedText

Pinned = Callable[..., PinnedText]

OLD = """import math


def area(r):
    # of a disc
    return math.pi * r * r


class Disc:
    def area(self):
        return area(self.r)

    def edge(self):
        two = 2
        return two * math.pi * self.r


LIMIT = 10
scale = 1 / LIMIT
offset = scale + 3
"""


def span_of(text: str, first: str, last: str) -> tuple[int, int]:
    lines = text.split("\n")
    start = next(number for number, line in enumerate(lines, 1) if first in line)
    return start, next(number for number, line in enumerate(lines, 1) if number >= start and last in line)


@pytest.fixture
def find(pinned: Pinned) -> Callable[..., tuple[Again | None, str]]:
    """Look for the lines from one text to another; gives what was found, and its text."""

    def look(new: str, first: str, last: str, symbol: str | None = None, old: str = OLD) -> tuple[Again | None, str]:
        version = pinned(new)
        found = Comparison(pinned(old), version).find(span_of(old, first, last), symbol, lambda _: True)
        return found, "\n".join(version.lines[found.span[0] - 1 : found.span[1]]) if found else ""

    return look


def test_unchanged_lines_stay_where_they_are(find: Callable[..., tuple[Again | None, str]]) -> None:
    assert find(OLD, "def area(r)", "return math", "area")[0] == Again((4, 6), 0, 0)


def test_lines_above_move_a_passage(find: Callable[..., tuple[Again | None, str]]) -> None:
    assert find("# one\n# two\n" + OLD, "scale =", "offset")[0] == Again((21, 22), 0, 0)
    assert find(OLD.replace("import math\n\n\n", ""), "scale =", "offset")[0] == Again((16, 17), 0, 0)


def test_a_definition_is_followed_whole_by_its_name(find: Callable[..., tuple[Again | None, str]]) -> None:
    new = OLD.replace("    return math.pi * r * r\n", "    return math.pi * r * r\n    # never\n    raise ValueError\n")
    found, text = find(new, "def area(r)", "return math", "area")
    assert found == Again((4, 8), 2, 0)
    assert text.endswith("raise ValueError")
    # Also where no symbol is named, as the lines are one definition.
    assert find(new, "def area(r)", "return math")[0] == found
    rewritten = OLD.replace(
        "        two = 2\n        return two * math.pi * self.r\n", "        return math.tau * self.r\n"
    )
    found, text = find(rewritten, "def edge", "return two", "Disc.edge")
    assert (found, text) == (Again((13, 14), 1, 2), "    def edge(self):\n        return math.tau * self.r")


def test_a_decorator_that_is_new_belongs_to_the_definition(find: Callable[..., tuple[Again | None, str]]) -> None:
    found, _ = find(OLD.replace("def area(r)", "@cache\ndef area(r)"), "def area(r)", "return math", "area")
    assert found == Again((4, 7), 1, 0)


def test_of_two_definitions_with_one_name_the_likelier_is_taken(
    find: Callable[..., tuple[Again | None, str]],
) -> None:
    new = "def area(r, s):\n    raise KeyError(r, s)\n\n\n" + OLD
    assert find(new, "def area(r)", "return math", "area")[0] == Again((8, 10), 0, 0)
    assert find(OLD, "def area(self)", "return area", "Disc.area")[0] == Again((10, 11), 0, 0)


def test_a_definition_that_moved_into_a_class_is_found(find: Callable[..., tuple[Again | None, str]]) -> None:
    new = "class Shape:\n    @staticmethod\n    def area(r):\n        # of a disc\n        return math.pi * r * r\n"
    found, text = find(new, "def area(r)", "return math", "area")
    assert found is not None
    assert found.span == (2, 5)
    assert text.lstrip().startswith("@staticmethod")


def test_empty_lines_at_the_end_stay_part_of_a_passage(find: Callable[..., tuple[Again | None, str]]) -> None:
    old = "def a():\n    return 1\n\n\n# end\n"
    assert find("\n" + old, "def a", "# end", "a", old)[0] == Again((2, 6), 0, 0)
    version = "x = 1\n" + old
    assert find(version, "def a", "return", "a", old)[0] == Again((2, 3), 0, 0)


def test_lines_of_a_definition_are_found_by_likeness(find: Callable[..., tuple[Again | None, str]]) -> None:
    new = OLD.replace("LIMIT = 10", "# how far\nLIMIT = 12").replace("import math", "import math\nimport sys")
    found, text = find(new, "LIMIT", "offset")
    assert found == Again((20, 22), 1, 1)
    assert text.startswith("LIMIT = 12")


def test_one_changed_line_is_found(find: Callable[..., tuple[Again | None, str]]) -> None:
    found, text = find(OLD.replace("offset = scale + 3", "offset = scale + 4"), "offset", "offset")
    assert (found, text) == (Again((20, 20), 1, 1), "offset = scale + 4")


def test_lines_that_changed_places_are_found(find: Callable[..., tuple[Again | None, str]]) -> None:
    tail = "LIMIT = 10\nscale = 1 / LIMIT\noffset = scale + 3\n"
    new = tail.replace("10", "11") + OLD.removesuffix(tail)
    found, text = find(new, "LIMIT", "offset")
    assert found is not None
    assert found.span[1] == 3
    assert "scale = 1 / LIMIT" in text


def test_of_two_equal_passages_the_one_that_the_file_expects_is_taken(
    find: Callable[..., tuple[Again | None, str]],
) -> None:
    old = "a = 1\nuse(a)\nb = 2\nuse(b)\nc = 3\nlog()\n\nd = 4\nlog()\n"
    assert find("import x\n" + old, "log()", "log()", None, old)[0] == Again((7, 7), 0, 0)
    assert find("import x\n" + old, "d = 4", "log()", None, old)[0] == Again((9, 10), 0, 0)


@pytest.mark.parametrize(("first", "last"), [("LIMIT", "offset"), ("def edge", "return two"), ("offset", "offset")])
def test_what_is_gone_is_not_found(find: Callable[..., tuple[Again | None, str]], first: str, last: str) -> None:
    assert find("import os\n\n\ndef other(path):\n    return os.stat(path)\n", first, last) == (None, "")


def test_what_a_passage_must_hold_decides_between_likely_ones(pinned: Pinned) -> None:
    old, new = pinned("f(1)\ng = 2\n"), pinned("f(1)\n\n\nf(1)\ng = 2\n")
    comparison = Comparison(old, new)
    assert comparison.find((1, 1), None, lambda _: True) == Again((4, 4), 0, 0)
    assert comparison.find((1, 1), None, lambda span: span[0] < 3) == Again((1, 1), 0, 0)
    assert comparison.find((1, 1), None, lambda _: False) is None
