from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

from atlas.upstream.uniform import concatenation, is_uniform, product, uniform

DOUBLE = np.dtype(np.float64)


def filled(value: float, *shape: int) -> Any:
    return uniform(value, shape, DOUBLE)


def test_one_value_is_told_from_arrays_with_memory() -> None:
    assert is_uniform(filled(2.0, 3, 4))
    assert is_uniform(filled(2.0, 1, 4))
    assert not is_uniform(np.full((3, 4), 2.0))
    assert not is_uniform(np.broadcast_to(np.arange(4.0), (3, 4)))
    assert not is_uniform(np.ones(1))
    assert not is_uniform(filled(2.0, 0, 3))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (np.arange(6.0).reshape(2, 3), filled(0.5, 3, 4)),
        (filled(0.5, 2, 3), np.arange(12.0).reshape(3, 4)),
        (filled(0.5, 2, 3), filled(-2.0, 3, 4)),
        (np.arange(12.0).reshape(2, 2, 3), filled(0.5, 2, 3, 4)),
        (filled(0.5, 2, 3, 4), np.arange(8.0).reshape(2, 4, 1)),
        (np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)),
    ],
)
def test_products_are_numpys(a: Any, b: Any) -> None:
    found = product(a, b)
    np.testing.assert_allclose(found, np.array(a) @ np.array(b), rtol=1e-15)
    assert found.shape == (np.array(a) @ np.array(b)).shape


@pytest.mark.parametrize(("a", "b"), [((2, 3), (4, 5)), ((2, 2, 3), (3, 3, 4))])
def test_products_that_do_not_fit_are_refused(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    for left, right in ((np.ones(a), filled(1, *b)), (filled(1, *a), np.ones(b)), (filled(1, *a), filled(1, *b))):
        with pytest.raises(ValueError, match=r"have no product|broadcast"):
            product(left, right)


def test_concatenations_are_numpys_and_stay_uniform_where_they_can() -> None:
    parts = [filled(2.0, 2, 3), filled(2.0, 5, 3)]
    joined = concatenation(parts, 0)
    assert is_uniform(joined)
    np.testing.assert_array_equal(joined, np.full((7, 3), 2.0))
    assert concatenation([filled(2.0, 3, 2), filled(2.0, 3, 5)], -1).shape == (3, 7)
    other = concatenation([filled(2.0, 2, 3), filled(1.0, 1, 3)], 0)
    np.testing.assert_array_equal(other, [[2.0] * 3, [2.0] * 3, [1.0] * 3])
    np.testing.assert_array_equal(concatenation([np.ones((1, 2)), np.zeros((1, 2))], 1), [[1, 1, 0, 0]])


def test_concatenations_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="must match exactly"):
        concatenation([filled(2.0, 2, 3), filled(2.0, 2, 4)], 0)
    with pytest.raises(np.exceptions.AxisError):
        concatenation([filled(2.0, 2, 3), filled(2.0, 2, 3)], 2)


def test_a_large_model_takes_no_memory() -> None:
    tracemalloc.start()
    shards = [filled(0.0, 2107, 1024) for _ in range(16)]
    table = concatenation(shards, 0)
    logits = product(np.ones((2, 1024)), table.T)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (table.shape, logits.shape) == ((33712, 1024), (2, 33712))
    assert peak < 200_000
