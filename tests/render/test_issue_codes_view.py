"""The page of issue codes: every code once, in order, with all that the catalogue says of it."""

from __future__ import annotations

import re

import pytest

from atlas.explain.catalogue import catalogue
from atlas.issues import TITLES, WARNINGS
from atlas.render.issue_codes_view import CodeView, issue_codes_view, words

CODES = {one.code: one for group in issue_codes_view().groups for one in group.codes}


def text(block: object) -> str:
    return "\n".join(re.sub(r"<[^>]+>", "", line.html) for line in block)  # type: ignore[attr-defined]


def test_every_code_is_there_once_and_in_order() -> None:
    view = issue_codes_view()
    assert [one.code for group in view.groups for one in group.codes] == sorted(TITLES)
    assert view.count == len(TITLES)
    assert [group.title for group in view.groups][:2] == ["A0: YAML", "A1: The schema, and what names name"]
    assert len({group.id for group in view.groups}) == len(view.groups)


@pytest.mark.parametrize("view", CODES.values(), ids=list(CODES))
def test_a_code_is_shown_as_the_catalogue_has_it(view: CodeView) -> None:
    one = catalogue()[view.code]
    assert (view.id, view.title, view.is_warning) == (view.code.lower(), TITLES[view.code], view.code in WARNINGS)
    assert "".join(f"`{piece}`" if is_code else piece for piece, is_code in view.meaning) == " ".join(
        one.meaning.split()
    )
    assert len(view.wrong.code) == len(one.example.wrong.splitlines())
    assert bool(view.right.code) == bool(one.example.right)
    assert [len(given.code) for given in view.given][: len(one.example.given)] == [
        len(edit.new.splitlines()) for edit in one.example.given
    ]


def test_what_markup_would_hide_is_spelled_out() -> None:
    shown = str(CODES["A012"].wrong.code[0].html)
    assert "\u200b" not in shown
    assert "200B" in shown


def test_words_between_backticks_are_code() -> None:
    assert words("a `b` and\n `c`") == (("a ", False), ("b", True), (" and ", False), ("c", True))
