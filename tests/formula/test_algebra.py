"""Operations on arrays with named axes, beside plain NumPy on the same arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from atlas.formula.algebra import Algebra
from atlas.formula.budget import MAX_ELEMENTS, STEP, Budget
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


ROW = Tensor(RNG.normal(size=4), (), ("d",), True)
OPERANDS = (
    X,
    Tensor(RNG.normal(size=(2, 3, 4)), ("B", "S"), ("d",)),
    Tensor(RNG.normal(size=(3, 2)), ("S", "B")),
    Tensor(RNG.normal(size=4), (), ("d",)),
    Tensor(np.asarray(3.0)),
    Tensor(np.array([True, False, True, True]), (), ("d",)),
    Tensor(np.asarray(True)),
    Tensor(RNG.normal(size=5), (), ("m",)),
    ROW,
)


@pytest.mark.parametrize("left", OPERANDS)
@pytest.mark.parametrize("right", OPERANDS)
def test_two_operands_give_what_any_number_would(left: Tensor, right: Tensor) -> None:
    whole, short = Algebra(Budget()), Algebra(Budget())
    expected = outcome(whole.elementwise, left, right)
    assert outcome(short.pair, left, right) == expected
    assert short.budget.work == whole.budget.work
    assert bool(whole.budget.work) == isinstance(expected[0], bytes), "what is refused costs nothing"


def outcome(operation: Callable[..., Tensor], left: Tensor, right: Tensor) -> tuple[Any, ...]:
    """The difference to the last bit with its axes, or why there is none."""
    try:
        found = operation(np.subtract, left, right, verb="subtract")
    except Misfit as misfit:
        return misfit.code, misfit.message, misfit.hint
    return found.data.tobytes(), found.data.shape, found[1:]


@pytest.mark.parametrize("one", [*OPERANDS[:5], ROW])
def test_one_operand_keeps_its_axes(one: Tensor) -> None:
    algebra = Algebra(Budget())
    found = algebra.each(np.square, one, verb="square", cost=3)
    assert found[1:] == one[1:]
    assert np.array_equal(found.data, one.data**2)
    assert algebra.budget.work == STEP + 3 * one.data.size


def test_one_operand_that_is_a_set_is_refused() -> None:
    with pytest.raises(Misfit, match="cannot square a set"):
        Algebra(Budget()).each(np.square, OPERANDS[5], verb="square")


@pytest.mark.parametrize(("first", "count"), [(0, 4), (0, 3), (1, 3), (2, 1)])
def test_a_read_of_a_run_is_a_read_of_each_of_its_places(first: int, count: int) -> None:
    one, other = Algebra(Budget()), Algebra(Budget())
    found = one.read_run(X, "j@1", first, count)
    index = Tensor(np.arange(first, first + count, dtype=float), ("j@1",))
    expected, _ = other.read(X, {0: index}, np.nan)
    assert found is not None
    assert found[1:] == expected[1:]
    assert np.array_equal(found.data, expected.data)
    assert found.data.flags.c_contiguous
    assert one.budget.work == other.budget.work


@pytest.mark.parametrize(("key", "first", "count"), [("j@1", -1, 2), ("j@1", 2, 3), ("j@1", 0, 0), ("B", 0, 2)])
def test_a_run_that_is_no_plain_part_of_its_axis_is_left_to_others(key: str, first: int, count: int) -> None:
    algebra = Algebra(Budget())
    assert algebra.read_run(X, key, first, count) is None
    assert not algebra.budget.work


def test_an_operation_on_a_large_array_is_refused_before_it_is_computed() -> None:
    large = Tensor(np.broadcast_to(np.float64(1), (MAX_ELEMENTS + 1,)), (), ("d",))
    algebra = Algebra(Budget())
    with pytest.raises(Misfit, match="an intermediate of 1,000,001 numbers"):
        algebra.pair(_never, large, large)
    with pytest.raises(Misfit, match="an intermediate of 1,000,001 numbers"):
        algebra.each(_never, large, verb="square")


def _never(*_: object) -> Any:
    pytest.fail("it was computed")
