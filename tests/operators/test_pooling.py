"""Pooling against loops over every place, with padding, NaN and windows that do not fit."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atlas.exceptions import OptionError, ShapeError
from atlas.operators.pooling import global_average_pool_2d, max_pool_2d

Normal = Callable[..., Any]


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    kernel=st.integers(1, 4),
    stride=st.integers(1, 3),
    padding=st.integers(0, 2),
    more=st.tuples(*[st.integers(0, 4)] * 2),
)
def test_a_loop_over_every_place(kernel: int, stride: int, padding: int, more: tuple[int, int]) -> None:
    padding = min(padding, kernel // 2)
    height, width = kernel + more[0], kernel + more[1]
    x = np.random.default_rng(stride).normal(size=(2, 3, height, width)) - 3
    y = max_pool_2d(x, kernel=kernel, stride=stride, padding=padding)
    for place in np.ndindex(*y.shape):
        n, c, i, j = place
        top, left = i * stride - padding, j * stride - padding
        seen = [
            x[n, c, row, column]
            for row in range(max(top, 0), min(top + kernel, height))
            for column in range(max(left, 0), min(left + kernel, width))
        ]
        assert y[place] == max(seen)


class TestMaxPool:
    def test_by_hand(self) -> None:
        x = np.array([[[1.0, 5, 2], [4, 3, 0], [-1, -2, -9]]])
        np.testing.assert_array_equal(max_pool_2d(x, kernel=2), [[[5, 5], [4, 3]]])
        np.testing.assert_array_equal(max_pool_2d(x, kernel=2, stride=2), [[[5]]])
        np.testing.assert_array_equal(max_pool_2d(-x, kernel=3, stride=2, padding=1), [[[-1, 0], [2, 9]]])

    def test_padding_never_wins(self) -> None:
        x = np.full((1, 2, 2), -7.0)
        np.testing.assert_array_equal(max_pool_2d(x, kernel=2, padding=1), np.full((1, 3, 3), -7))

    def test_batch_axes_precision_and_what_is_not_finite(self, normal: Normal) -> None:
        x = normal(2, 2, 3, 4, 4).astype(np.float16)
        x[0, 0, 0, 0, 0], x[0, 0, 0, 3, 3] = np.nan, -np.inf
        y = max_pool_2d(x, kernel=2, stride=2)
        assert (y.shape, y.dtype) == ((2, 2, 3, 2, 2), np.float16)
        assert np.isnan(y[0, 0, 0, 0, 0])
        assert np.isnan(y).sum() == 1
        assert max_pool_2d(np.zeros((0, 3, 4, 4)), kernel=2).shape == (0, 3, 3, 3)
        before = x.copy()
        y[...] = 0
        np.testing.assert_array_equal(x, before)

    def test_what_is_refused(self) -> None:
        with pytest.raises(OptionError, match=r"^padding must be at most half of kernel, which is 3, not 2$") as caught:
            max_pool_2d(np.ones((1, 4, 4)), kernel=3, padding=2)
        assert caught.value.option == "padding"
        with pytest.raises(ShapeError) as misfit:
            max_pool_2d(np.ones((1, 2, 9)), kernel=5, padding=1)
        assert str(misfit.value) == "x has (4, 11) rows and columns with its padding, fewer than kernel, which is 5"
        assert misfit.value.misfits == (("x", str(misfit.value)),)
        with pytest.raises(OptionError, match=r"^max_pool_2d needs the option kernel, a whole number of at least 1$"):
            max_pool_2d(np.ones((1, 4, 4)))
        with pytest.raises(ShapeError, match=r"^x has shape \(4, 4\), but \[\.\.\. C H W\] is at least 3 axes$"):
            max_pool_2d(np.ones((4, 4)), kernel=2)


class TestGlobalAveragePool:
    def test_it_is_the_exact_mean(self, normal: Normal) -> None:
        x = normal(2, 3, 5, 4)
        y = global_average_pool_2d(x)
        for n, c in np.ndindex(2, 3):
            np.testing.assert_allclose(y[n, c], math.fsum(x[n, c].ravel()) / 20, rtol=1e-14)

    def test_half_precision_is_summed_in_single(self) -> None:
        y = global_average_pool_2d(np.full((1, 300, 300), 3, np.float16))  # the sum, 270000, is infinity in float16
        assert y.dtype == np.float16
        np.testing.assert_array_equal(y, [3])

    def test_edges(self) -> None:
        assert global_average_pool_2d(np.zeros((0, 3, 2, 2))).shape == (0, 3)
        with pytest.raises(ShapeError, match=r"^x has 0 on axis W, but global_average_pool_2d needs at least 1 there$"):
            global_average_pool_2d(np.ones((1, 2, 0)))
