from __future__ import annotations

from collections.abc import Callable

import pytest

from atlas.exceptions import ExcerptError
from atlas.sources.excerpts import excerpt
from atlas.sources.store import PinnedText


def test_lines_are_counted_from_one_and_both_ends_belong(pinned: Callable[..., PinnedText]) -> None:
    cut = excerpt(pinned("one\ntwo\nthree\n"), 2, 3)
    assert (cut.first, cut.last, cut.lines, cut.text) == (2, 3, ("two", "three"), "two\nthree\n")
    assert excerpt(pinned("one\ntwo\nthree\n"), 1, 1).text == "one\n"


@pytest.mark.parametrize(
    ("first", "last", "stated"),
    [
        (2, 30, "lines 2-30 go past the end of pkg/layers.py, which has 3 lines"),
        (4, 4, "lines 4-4 go past the end of pkg/layers.py, which has 3 lines"),
        (3, 2, "lines 3-2 end before they begin; did you mean 2-3?"),
        (0, 2, "lines are numbered from 1, so there is no line 0"),
    ],
)
def test_lines_that_are_not_there_are_refused(
    pinned: Callable[..., PinnedText], first: int, last: int, stated: str
) -> None:
    with pytest.raises(ExcerptError) as caught:
        excerpt(pinned("one\ntwo\nthree\n"), first, last)
    assert str(caught.value) == stated
    assert caught.value.field == ("lines",)
