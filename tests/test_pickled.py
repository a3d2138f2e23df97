"""Classes whose objects are pickled as they are made: what comes back is equal; what is made otherwise is refused."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass, field
from typing import Any

import pytest

from atlas.formula.declarations import Ids, Real
from atlas.pickled import pickled_as_made


@pickled_as_made
@dataclass(frozen=True, slots=True)
class Pair:
    one: str
    other: tuple[int, ...] = ()


@pytest.mark.parametrize("made", [Pair("a", (1, 2)), Pair("b"), Ids("d"), Real()])
def test_what_was_pickled_is_equal_and_made_by_its_class(made: Any) -> None:
    assert pickle.loads(pickle.dumps(made, 5)) == made  # noqa: S301 - pickled here
    assert copy.copy(made) == made
    function, arguments = made.__reduce_ex__(5)
    assert function(*arguments) == made


def test_a_class_that_is_made_otherwise_is_refused() -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Named:
        one: str

    @dataclass(frozen=True, slots=True)
    class Derived:
        one: str
        length: int = field(init=False, default=0)

    for kind in (Named, Derived):
        with pytest.raises(TypeError, match="is not made of the values"):
            pickled_as_made(kind)
    with pytest.raises(TypeError, match="dataclass"):
        pickled_as_made(int)
