"""Every code of an issue is explained, and every example does what its code says."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from atlas.explain.catalogue import GROUPS, Example, Explanation, catalogue
from atlas.issues import TITLES, WARNINGS

Run = Callable[[Example, bool], list[str]]

CATALOGUE = catalogue()


def test_the_codes_that_are_raised_are_those_that_are_explained(codes_raised: Mapping[str, set[str]]) -> None:
    assert set(codes_raised) == set(CATALOGUE) == set(TITLES)


@pytest.mark.parametrize("one", CATALOGUE.values(), ids=list(CATALOGUE))
def test_an_explanation_says_something(one: Explanation) -> None:
    assert one.title == TITLES[one.code]
    assert one.is_warning == (one.code in WARNINGS)
    assert one.group == GROUPS[one.code[:2]]
    assert len(one.meaning) > 40
    assert one.meaning.rstrip().endswith(".")
    assert one.example.wrong
    assert one.example.wrong != one.example.right or one.example.wrong_symbols != one.example.right_symbols


@pytest.mark.parametrize("one", CATALOGUE.values(), ids=list(CATALOGUE))
def test_the_wrong_example_gives_exactly_its_code_and_the_right_one_none(one: Explanation, run: Run) -> None:
    assert set(run(one.example, True)) == {one.code}
    assert run(one.example, False) == []
