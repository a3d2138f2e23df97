"""What stands between layers and at the ends of a model: sums, shifts, added positions, tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from atlas.exceptions import ShapeError
from atlas.operators.activation import gelu_tanh
from atlas.operators.embedding import embedding_scaled, embedding_scaled_zero_padding
from atlas.operators.feed_forward import feed_forward_gelu_tanh, feed_forward_relu
from atlas.operators.linear import linear, linear_transposed, unembedding
from atlas.operators.padding import padding_bias
from atlas.operators.positions import add_timing_signal, learned_positions, timing_signal
from atlas.operators.residual import add, add_to_each
from atlas.operators.shift import shift_right

Normal = Callable[..., Any]


class TestAdd:
    def test_by_hand(self) -> None:
        np.testing.assert_array_equal(add(np.array([1.0, 2]), np.array([10.0, -2])), [11, 0])
        assert add(np.float64(1), np.float64(2)) == 3

    def test_nothing_is_broadcast(self, normal: Normal) -> None:
        with pytest.raises(ShapeError, match=r"^r has batch axes \(3,\), but x bound \.\.\. to \(2, 3\)$"):
            add(normal(2, 3), normal(3))

    def test_the_type_is_that_of_x(self, normal: Normal) -> None:
        found = add(np.float16(2048) * np.ones(2, np.float16), np.ones(2, np.float32))
        assert found.dtype == np.float16


class TestSumWithOneVector:
    def test_by_hand(self) -> None:
        x = np.array([[[1.0, 2], [3, 4]]])
        np.testing.assert_array_equal(add_to_each(x, np.array([10.0, -2])), [[[11, 0], [13, 2]]])

    def test_a_vector_for_each_position_is_refused(self, normal: Normal) -> None:
        with pytest.raises(ShapeError, match=r"^v has shape \(2, 3\), but \[d\] is 1 axis$"):
            add_to_each(normal(2, 3), normal(2, 3))
        with pytest.raises(ShapeError, match=r"^v has 2 on axis d, but x bound d to 3$"):
            add_to_each(normal(2, 3), normal(2))


class TestPadding:
    def test_by_hand(self) -> None:
        np.testing.assert_array_equal(padding_bias(np.array([[4, 0], [0, 1]])), [[0, -1e9], [-1e9, 0]])
        np.testing.assert_array_equal(padding_bias(np.array([0, 7], np.uint8), value=-5.0), [-5, 0])

    def test_numbers_that_are_no_ids(self, normal: Normal) -> None:
        with pytest.raises(ShapeError, match=r"^t holds float64, where integers are expected$"):
            padding_bias(normal(2))


class TestShift:
    def test_by_hand(self) -> None:
        x = np.array([[1.0, 2], [3, 4], [5, 6]])
        np.testing.assert_array_equal(shift_right(x), [[0, 0], [1, 2], [3, 4]])
        assert x[0, 0] == 1

    def test_the_last_position_is_never_seen(self, normal: Normal) -> None:
        x = normal(2, 3, 4)
        before = shift_right(x)
        x[:, -1] = np.nan
        np.testing.assert_array_equal(shift_right(x), before)

    def test_edges(self) -> None:
        assert shift_right(np.zeros((2, 0, 3))).shape == (2, 0, 3)
        np.testing.assert_array_equal(shift_right(np.ones((1, 3))), np.zeros((1, 3)))
        with pytest.raises(ShapeError, match=r"^x has shape \(3,\), but \[\.\.\. S d\] is at least 2 axes$"):
            shift_right(np.ones(3))


class TestAddedPositions:
    def test_the_signal_is_added(self, normal: Normal) -> None:
        x = normal(2, 3, 5, 7)
        signal = timing_signal(positions=5, channels=7)
        np.testing.assert_array_equal(add_timing_signal(x), x + signal)
        np.testing.assert_array_equal(add_timing_signal(np.zeros((5, 7))), signal)

    def test_single_precision_gets_the_exact_signal(self) -> None:
        y = add_timing_signal(np.zeros((5000, 4), np.float32))
        assert y.dtype == np.float32
        np.testing.assert_array_equal(y, timing_signal(positions=5000, channels=4).astype(np.float32))

    def test_too_few_features(self) -> None:
        with pytest.raises(ShapeError) as caught:
            add_timing_signal(np.ones((5, 3)))
        assert str(caught.value) == "x has 3 on axis d, but add_timing_signal needs at least 4 there"
        assert caught.value.misfits == (("x", str(caught.value)),)
        assert add_timing_signal(np.ones((0, 4))).shape == (0, 4)

    def test_rows_are_added_from_the_first(self) -> None:
        table = np.arange(8.0).reshape(4, 2)
        found = learned_positions(np.array([[[10.0, 10], [20, 20]]]), table)
        np.testing.assert_array_equal(found, [[[10, 11], [22, 23]]])
        table[2:] = np.nan
        np.testing.assert_array_equal(learned_positions(np.zeros((2, 2)), table), [[0, 1], [2, 3]])

    def test_more_positions_than_rows(self, normal: Normal) -> None:
        assert learned_positions(normal(4, 3), normal(4, 3)).shape == (4, 3)
        with pytest.raises(ShapeError) as caught:
            learned_positions(normal(2, 5, 3), normal(4, 3))
        assert str(caught.value) == "x has 5 on axis S, but P has rows for 4 positions only"
        assert caught.value.misfits == (("x", str(caught.value)),)
        with pytest.raises(ShapeError, match=r"^P has 2 on axis d, but x bound d to 3$"):
            learned_positions(normal(4, 3), normal(4, 2))


class TestTables:
    def test_padding_gives_zeros(self, normal: Normal) -> None:
        t, table = np.array([[2, 0], [0, 1]]), normal(3, 4)
        y = embedding_scaled_zero_padding(t, table)
        np.testing.assert_array_equal(y[t == 0], np.zeros((2, 4)))
        np.testing.assert_array_equal(y[t > 0], embedding_scaled(t, table)[t > 0])
        assert embedding_scaled_zero_padding(np.array(0), table).shape == (4,)
        assert embedding_scaled_zero_padding(np.array([1], np.uint8), table.astype(np.float16)).dtype == np.float16

    def test_the_row_of_padding_is_multiplied_and_not_skipped(self) -> None:
        assert np.isnan(embedding_scaled_zero_padding(np.array([0]), np.full((2, 3), np.inf))).all()

    def test_an_id_out_of_range(self, normal: Normal) -> None:
        with pytest.raises(ShapeError, match=r"^t holds -1, but goes from 0 to below V, which is 3$"):
            embedding_scaled_zero_padding(np.array([1, -1]), normal(3, 4))

    def test_unembedding_finds_the_row(self, normal: Normal) -> None:
        table = np.eye(5)[:, [3, 1, 0, 4, 2]]
        assert unembedding(table, table).argmax(axis=-1).tolist() == [0, 1, 2, 3, 4]
        x, table = normal(2, 3, 4), normal(6, 4)
        np.testing.assert_array_equal(unembedding(x, table), linear_transposed(x, table))
        with pytest.raises(ShapeError, match=r"^E has 5 on axis d, but x bound d to 4$"):
            unembedding(x, normal(6, 5))


class TestFeedForwardWithGelu:
    def test_it_is_two_linear_maps(self, normal: Normal) -> None:
        x, first, second, b_1, b_2 = normal(2, 3, 4), normal(4, 6), normal(6, 5), normal(6), normal(5)
        expected = linear(gelu_tanh(linear(x, first, b_1)), second, b_2)
        np.testing.assert_array_equal(feed_forward_gelu_tanh(x, first, b_1, second, b_2), expected)
        np.testing.assert_array_equal(
            feed_forward_gelu_tanh(x, first, None, second, None),
            feed_forward_gelu_tanh(x, first, 0 * b_1, second, 0 * b_2),
        )

    def test_far_from_0_it_is_that_with_relu(self, normal: Normal) -> None:
        x, first, second, b = 1e4 * normal(2, 3), normal(3, 4), normal(4, 2), np.zeros(4)
        y = feed_forward_relu(x, first, b, second, b[:2])
        np.testing.assert_allclose(feed_forward_gelu_tanh(x, first, b, second, b[:2]), y, rtol=1e-12)

    def test_a_bias_of_the_other_layer(self, normal: Normal) -> None:
        with pytest.raises(ShapeError, match=r"^b_1 has 4 on axis f, but W_1 bound f to 6"):
            feed_forward_gelu_tanh(normal(2, 4), normal(4, 6), normal(4), normal(6, 4), normal(4))
