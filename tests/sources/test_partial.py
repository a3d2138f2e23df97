"""Passages that show a part of a definition are told from those that show it whole."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from atlas.sources.partial import partial_definitions
from atlas.sources.store import PinnedText

Pin = Callable[..., PinnedText]

TEXT = """\
import layers

@layers.register
class Net:
    width = 4

    def __init__(self):
        self.first = 1
        self.second = 2

    def run(self, x):
        def inner(y):
            return y
        return inner(x)

def last():
    pass
"""
OLDER = TEXT + "\nprint 'not today''s Python'\n"


@pytest.mark.parametrize("text", [TEXT, OLDER], ids=["today's Python", "older Python"])
@pytest.mark.parametrize(
    ("span", "parts"),
    [
        ((3, 14), []),
        ((1, 17), []),
        ((16, 17), []),
        ((11, 14), []),  # a whole method; nobody takes it for its class
        ((7, 14), []),
        ((12, 13), []),
        ((3, 5), ["Net"]),
        ((4, 14), ["Net"]),  # the decorator is not there
        ((3, 8), ["Net", "Net.__init__"]),
        ((7, 8), ["Net.__init__"]),
        ((8, 9), ["Net.__init__"]),
        ((9, 14), ["Net.__init__"]),
        ((9, 12), ["Net.__init__", "Net.run", "Net.run.inner"]),
        ((5, 5), ["Net"]),
        ((14, 14), ["Net.run"]),
        ((16, 16), ["last"]),
        ((1, 1), []),
    ],
)
def test_a_definition_that_is_not_whole_in_the_lines_is_named(
    pinned: Pin, text: str, span: tuple[int, int], parts: list[str]
) -> None:
    assert [one.name for one in partial_definitions(pinned(text), *span)] == parts


def test_each_part_knows_the_lines_of_the_whole(pinned: Pin) -> None:
    net, init = partial_definitions(pinned(TEXT), 3, 8)
    assert (net.first, net.last) == (3, 14)
    assert (init.first, init.last) == (7, 9)


def test_texts_in_other_languages_are_not_read(pinned: Pin) -> None:
    assert partial_definitions(pinned(TEXT, "pkg/notes.md"), 3, 5) == ()
