"""The names by which people look for operators: each belongs to an operator that exists, and tells something new."""

from __future__ import annotations

from atlas.operators.catalogue import CATALOGUE
from atlas.operators.names import ALSO_CALLED


def test_only_operators_that_exist_are_called_something_else() -> None:
    assert ALSO_CALLED.keys() - CATALOGUE.keys() == set()


def test_another_name_is_not_the_title_nor_that_of_the_family() -> None:
    told = [
        (name, other)
        for name, others in ALSO_CALLED.items()
        for other in others
        if other.casefold() in (CATALOGUE[name].title.casefold(), CATALOGUE[name].belongs_to.title.casefold(), name)
    ]
    assert told == []


def test_no_operator_has_a_name_twice() -> None:
    for others in ALSO_CALLED.values():
        assert len({other.casefold() for other in others}) == len(others) > 0
