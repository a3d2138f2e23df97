"""Operations on arrays with named axes, beside plain NumPy on the same arrays."""

from __future__ import annotations

import numpy as np
import pytest

from atlas.formula.algebra import Algebra
from atlas.formula.budget import STEP, Budget
from atlas.formula.tensor import Misfit, Tensor

RNG = np.random.default_rng(11)
X = Tensor(RNG.normal(size=(2, 3, 4)), ("B", "S"), ("d",))


@pytest.mark.parametrize("index", [[0, 1, 2, 3], [3, 1], [2, 2, 2, 2, 0]])
def test_a_read_along_an_axis_of_its_own(index: list[int]) -> None:
    algebra = Algebra(Budget())
    found, outside = algebra.read(X, {0: Tensor(np.array(index, dtype=float), ("j@1",))}, np.nan)
    assert not outside
    assert (found.free, found.core) == (("B", "S", "j@1"), ())
    assert np.array_equal(found.data, X.data[:, :, index])
    assert algebra.budget.work == STEP + 6 * len(index)


@pytest.mark.parametrize("index", [[-1, 0], [0, 4], [np.nan, 1]])
def test_a_read_out_of_range_is_told(index: list[float]) -> None:
    found, outside = Algebra(Budget()).read(X, {0: Tensor(np.array(index), ("j@1",))}, 7.0)
    assert outside
    assert [(found.data[:, :, at] == 7).all() for at in (0, 1)] == [not 0 <= one < 4 for one in index]


def test_a_read_by_an_index_with_the_axis_of_the_base() -> None:
    base = Tensor(RNG.normal(size=(2, 4)), ("B",), ("d",))
    found, _ = Algebra(Budget()).read(base, {0: Tensor(np.array([3.0, 1.0]), ("B",))}, np.nan)
    assert found.data.tolist() == [base.data[0, 3], base.data[1, 1]]


def test_operands_are_put_where_the_larger_has_its_axes() -> None:
    small = Tensor(RNG.normal(size=(3, 2)), ("S", "B"))
    found = Algebra(Budget()).elementwise(np.subtract, X, small)
    assert (found.free, found.core) == (("B", "S"), ("d",))
    assert np.array_equal(found.data, X.data - small.data.T[:, :, None])


def test_a_set_is_no_number_wherever_it_stands() -> None:
    members = Tensor(np.array([True, False, True, True]), (), ("d",))
    for operands in ((X, members), (members, X)):
        with pytest.raises(Misfit, match="cannot add a set"):
            Algebra(Budget()).elementwise(np.add, *operands, verb="add")
