"""Linear maps and feed-forward networks, by hand in whole numbers and by what must not change them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from atlas.exceptions import ShapeError
from atlas.operators.feed_forward import feed_forward_relu, feed_forward_swiglu
from atlas.operators.linear import linear, linear_transposed

Normal = Callable[..., Any]


class TestLinear:
    def test_by_hand(self) -> None:
        x, weight, b = np.array([[1.0, 2], [0, -1]]), np.array([[1.0, 0, 3], [2, 1, -1]]), np.array([10.0, 20, 30])
        # 1·(1 0 3) + 2·(2 1 -1) = 5 2 1; 0·(…) - 1·(2 1 -1) = -2 -1 1
        np.testing.assert_array_equal(linear(x, weight), [[5, 2, 1], [-2, -1, 1]])
        np.testing.assert_array_equal(linear(x, weight, b), [[15, 22, 31], [8, 19, 31]])

    def test_the_layouts_are_transposes_of_each_other(self, normal: Normal) -> None:
        x, weight, b = normal(2, 3, 4), normal(4, 4), normal(4)
        np.testing.assert_allclose(linear(x, weight, b), linear_transposed(x, weight.T.copy(), b), rtol=1e-14)
        assert np.abs(linear(x, weight, b) - linear_transposed(x, weight, b)).max() > 0.1

    def test_a_layout_that_is_not_square_is_refused_in_the_other(self) -> None:
        x, weight = np.ones((2, 3)), np.ones((3, 4))
        with pytest.raises(ShapeError, match=r"^W has 4 on axis C, but x bound C to 3$"):
            linear_transposed(x, weight)
        with pytest.raises(ShapeError, match=r"^b has 3 on axis O, but W bound O to 4$"):
            linear(x, weight, np.ones(3))

    def test_half_precision_is_computed_in_single(self) -> None:
        # 256 · 256 · 2 = 131072 does not fit into float16, the difference of two such sums does
        x, weight = np.full((1, 4), 256, np.float16), np.array([[256.0], [256], [-256], [-255]], np.float16)
        np.testing.assert_array_equal(linear(x, weight), np.array([[-256 * -1]], np.float16))
        assert linear(x, weight).dtype == np.float16

    @pytest.mark.parametrize("shape", [(0, 4), (2, 0, 4), (4,)])
    def test_batches(self, shape: tuple[int, ...]) -> None:
        assert linear(np.ones(shape), np.ones((4, 5))).shape == (*shape[:-1], 5)
        np.testing.assert_array_equal(linear(np.ones((2, 0)), np.ones((0, 3)), np.ones(3)), np.ones((2, 3)))


class TestFeedForward:
    def test_relu_by_hand(self) -> None:
        x, w_1, b_1 = np.array([[1.0, -1]]), np.array([[1.0, 2, 0], [3, 1, 1]]), np.array([1.0, 0, 0])
        w_2, b_2 = np.array([[5.0], [7], [11]]), np.array([0.5])
        # hidden 1-3+1 = -1, 2-1 = 1, -1 → 0 1 0; out 7 + 0.5
        np.testing.assert_array_equal(feed_forward_relu(x, w_1, b_1, w_2, b_2), [[7.5]])
        # without biases -2, 1, -1 → 0 1 0
        np.testing.assert_array_equal(feed_forward_relu(x, w_1, None, w_2), [[7]])

    def test_swiglu_by_hand(self) -> None:
        three = np.log(3.0)  # the sigmoid of ln 3 is 3/4
        x, gate, up = np.array([1.0, 0]), np.array([[three, 0], [9, 9]]), np.array([[2.0, 5], [9, 9]])
        down = np.array([[4.0, 1], [8, 8]])
        hidden = three * 3 / 4 * 2  # the other unit's gate is 0
        np.testing.assert_allclose(feed_forward_swiglu(x, gate, up, down), [4 * hidden, hidden], rtol=1e-15)

    def test_the_order_of_hidden_units_does_not_matter(self, normal: Normal) -> None:
        x, w_1, w_2, b_1 = normal(3, 4), normal(4, 6), normal(6, 4), normal(6)
        order = np.array([3, 1, 5, 0, 2, 4])
        y = feed_forward_relu(x, w_1, b_1, w_2)
        np.testing.assert_allclose(feed_forward_relu(x, w_1[:, order], b_1[order], w_2[order]), y, rtol=1e-12)
        up = normal(4, 6, seed=1)
        y = feed_forward_swiglu(x, w_1, up, w_2)
        np.testing.assert_allclose(feed_forward_swiglu(x, w_1[:, order], up[:, order], w_2[order]), y, rtol=1e-12)
        assert np.abs(feed_forward_swiglu(x, up, w_1, w_2) - y).max() > 0.1  # gate and up are not the same

    def test_each_position_is_by_itself(self, normal: Normal) -> None:
        x, w_1, up, w_2 = normal(2, 5, 4), normal(4, 6), normal(4, 6, seed=1), normal(6, 4)
        whole = feed_forward_swiglu(x, w_1, up, w_2)
        for index in np.ndindex(2, 5):
            np.testing.assert_allclose(
                whole[index], feed_forward_swiglu(x[index], w_1, up, w_2), rtol=1e-12, atol=1e-14
            )

    def test_a_bias_in_the_place_of_a_weight(self) -> None:
        with pytest.raises(ShapeError) as caught:
            feed_forward_relu(np.ones((2, 3)), np.ones((3, 4)), np.ones((4, 5)), np.ones(5))
        assert [name for name, _ in caught.value.misfits] == ["b_1", "W_2"]
