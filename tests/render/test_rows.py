"""Records that are packed come back as they were, and parts are made when something of them is asked for."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest

from atlas.render.made import MadeFile, Text
from atlas.render.rows import TOGETHER, OnDemand, PackedRecords

FILES = [MadeFile(f"a/{number}.json", Text(number, 1, b"digest"), f"a/{number}/") for number in range(2 * TOGETHER + 1)]


def test_records_come_back_as_they_were() -> None:
    rows = PackedRecords.of(FILES)
    assert [len(chunk.records()) for chunk in rows.chunks] == [chunk.count for chunk in rows.chunks]
    assert [chunk.count for chunk in rows.chunks] == [TOGETHER, TOGETHER, 1]
    assert len(rows) == len(FILES)
    assert list(rows) == FILES
    assert rows[3] == FILES[3]
    again = pickle.loads(pickle.dumps(rows))  # noqa: S301 - made here
    assert again == rows
    assert hash(again) == hash(rows)
    assert rows != PackedRecords.of(FILES[1:])
    assert rows != FILES
    assert not list(PackedRecords.of([]))


def parts(asked: list[int], few: int) -> OnDemand[str]:
    """Three parts, one of them empty, which note that they were made."""

    def part(number: int, texts: list[str]) -> Callable[[], list[str]]:
        def make() -> list[str]:
            asked.append(number)
            return texts

        return make

    return OnDemand([(2, part(0, ["a", "b"])), (0, part(1, [])), (3, part(2, ["c", "d", "e"]))], few)


@pytest.mark.parametrize("few", [4, 5])
def test_every_record_is_found_at_its_place(few: int) -> None:
    made = parts([], few)
    assert len(made) == 5
    assert list(made) == list("abcde")
    assert [made[at] for at in range(5)] == list("abcde")
    assert [made[at] for at in range(-5, 0)] == list("abcde")
    assert made[1:4] == ["b", "c", "d"]
    for at in (5, -6):
        with pytest.raises(IndexError, match="there are 5 records"):
            made[at]


def test_of_few_records_all_stay_and_of_many_the_last_part() -> None:
    asked: list[int] = []
    made = parts(asked, 5)
    assert asked == []
    assert [made[4], made[0], made[4], made[1]] == ["e", "a", "e", "b"]
    assert asked == [2, 0]
    asked.clear()
    made = parts(asked, 4)
    assert [made[4], made[3], made[0], made[1], made[4]] == ["e", "d", "a", "b", "e"]
    assert asked == [2, 0, 2]
