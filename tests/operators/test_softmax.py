"""Softmax by exact ratios, its invariances, and scores that would overflow."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from atlas.exceptions import ShapeError
from atlas.operators.softmax import softmax

SEEDED = settings(derandomize=True, deadline=None, max_examples=100)
ROWS = arrays(np.float64, (2, 4), elements=st.floats(-700, 700))


def test_scores_are_logarithms_of_ratios() -> None:
    x = np.log(np.array([[1.0, 2, 5], [3, 3, 2]]))
    np.testing.assert_allclose(softmax(x), [[1 / 8, 2 / 8, 5 / 8], [3 / 8, 3 / 8, 2 / 8]], rtol=4e-16)


@SEEDED
@given(ROWS)
def test_shares_add_up_to_one_and_keep_the_order(x: Any) -> None:
    y = softmax(x)
    np.testing.assert_allclose(y.sum(axis=-1), [1, 1], rtol=1e-15)
    assert (y >= 0).all()
    assert (np.diff(np.take_along_axis(y, x.argsort(axis=-1), axis=-1)) >= 0).all()


@SEEDED
@given(ROWS, st.integers(-(2**20), 2**20))
def test_a_shift_changes_nothing(x: Any, shift: int) -> None:
    x = np.round(x * 2**10) / 2**10  # so that adding the shift is exact
    np.testing.assert_array_equal(softmax(x + shift), softmax(x))


def test_scores_that_would_overflow() -> None:
    x = np.array([[3e38, 3e38, -3e38], [1e4, 1e4 + 1, 0]], np.float32)
    last = 1 / (1 + math.exp(-1))
    with np.errstate(over="ignore"):  # the difference of the two largest numbers is beyond float32
        y = softmax(x)
    np.testing.assert_allclose(y, [[0.5, 0.5, 0], [1 - last, last, 0]], rtol=2e-7)
    half = softmax(np.array([6e4, 6e4, -6e4], np.float16))
    np.testing.assert_array_equal(half, np.array([0.5, 0.5, 0], np.float16))


def test_what_is_not_finite() -> None:
    x = np.array([[-np.inf, 0, 0], [-np.inf] * 3, [np.inf, 0, 0], [np.nan, 0, 0]])
    np.testing.assert_array_equal(softmax(x), [[0, 0.5, 0.5], [np.nan] * 3, [np.nan] * 3, [np.nan] * 3])


def test_no_scores() -> None:
    assert softmax(np.zeros((0, 3))).shape == (0, 3)
    with pytest.raises(ShapeError, match=r"^x has 0 on axis C, but softmax needs at least 1 there$"):
        softmax(np.zeros((2, 0)))
