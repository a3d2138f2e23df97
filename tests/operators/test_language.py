"""Embedding lookup, cross entropy and the linear recurrence: exact values, ids out of range, large logits, the past."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from atlas.exceptions import ShapeError
from atlas.operators.cross_entropy import cross_entropy
from atlas.operators.embedding import embedding, embedding_scaled
from atlas.operators.linear_recurrence import linear_recurrence
from atlas.operators.registry import Operator
from atlas.operators.softmax import softmax

Normal = Callable[..., Any]
EMBEDDINGS = pytest.mark.parametrize("operator", [embedding, embedding_scaled], ids=lambda one: one.name)


class TestEmbedding:
    def test_by_hand(self) -> None:
        t, table = np.array([[2, 0], [2, 1]]), np.arange(12.0).reshape(3, 4)
        rows = [[[8, 9, 10, 11], [0, 1, 2, 3]], [[8, 9, 10, 11], [4, 5, 6, 7]]]
        np.testing.assert_array_equal(embedding(t, table), rows)
        np.testing.assert_array_equal(embedding_scaled(t, table), 2 * np.array(rows))  # √4

    def test_it_is_a_product_with_one_hot_vectors(self, normal: Normal) -> None:
        t, table = np.array([3, 0, 3, 4]), normal(5, 7)
        np.testing.assert_allclose(embedding(t, table), np.eye(5)[t] @ table, rtol=1e-15)

    @EMBEDDINGS
    @pytest.mark.parametrize("wrong", [-1, 5, 300])
    def test_an_id_out_of_range(self, operator: Operator, wrong: int) -> None:
        with pytest.raises(ShapeError, match=rf"^t holds {wrong}, but goes from 0 to below V, which is 5$"):
            operator(np.array([[0, wrong], [-7, 9]]), np.ones((5, 3)))

    @EMBEDDINGS
    def test_kinds_of_ids(self, operator: Operator, normal: Normal) -> None:
        table = normal(5, 3)
        expected = operator(np.array([4, 2]), table)
        for dtype in (np.uint8, np.int16, np.uint64):
            np.testing.assert_array_equal(operator(np.array([4, 2], dtype), table), expected)
        np.testing.assert_array_equal(operator(np.array(4), table), expected[0])
        for refused in (np.array([4.0]), np.array([True])):
            with pytest.raises(ShapeError, match=r"^t holds .*, where integers are expected$"):
                operator(refused, table)

    @EMBEDDINGS
    def test_precision_and_edges(self, operator: Operator) -> None:
        table = np.full((2, 5), 1.1, np.float16)
        y = operator(np.array([1]), table)
        assert y.dtype == np.float16
        factor = math.sqrt(5) if operator is embedding_scaled else 1
        np.testing.assert_allclose(y.astype(np.float64), table[:1].astype(np.float64) * factor, rtol=2**-11 + 1e-6)
        assert operator(np.zeros((2, 0), np.int64), table).shape == (2, 0, 5)
        assert operator(np.zeros(0, np.int64), np.zeros((0, 5))).shape == (0, 5)
        y[...] = 0
        assert table.min() > 1  # the rows are copies


class TestCrossEntropy:
    def test_by_hand(self) -> None:
        z = np.log(np.array([[1.0, 2, 5], [3, 3, 2]]))  # shares of 8
        expected = -(math.log(5 / 8) + math.log(3 / 8)) / 2
        np.testing.assert_allclose(cross_entropy(z, np.array([2, 0])), expected, rtol=1e-15)
        np.testing.assert_allclose(cross_entropy(np.zeros((4, 7)), np.array([0, 6, 3, 3])), math.log(7), rtol=1e-15)

    def test_it_is_the_mean_over_everything(self, normal: Normal) -> None:
        z, t = normal(2, 3, 4), np.array([[0, 1, 2], [3, 3, 0]])
        losses = [-math.log(softmax(z)[i, j, t[i, j]]) for i, j in np.ndindex(2, 3)]
        np.testing.assert_allclose(cross_entropy(z, t), math.fsum(losses) / 6, rtol=1e-14)
        assert cross_entropy(z, t).shape == ()

    @settings(derandomize=True, deadline=None, max_examples=100)
    @given(arrays(np.float64, (2, 4), elements=st.floats(-1e4, 1e4)), st.integers(-(2**20), 2**20))
    def test_a_shift_changes_nothing_and_the_loss_is_not_negative(self, z: Any, shift: int) -> None:
        z, t = np.round(z * 2**10) / 2**10, np.array([1, 3])
        loss = cross_entropy(z, t)
        assert loss >= 0
        assert cross_entropy(z + shift, t) == loss

    @pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
    def test_large_logits(self, dtype: type[np.floating[Any]]) -> None:
        z = np.array([[6e4, -6e4], [-6e4, 6e4]], dtype)
        assert cross_entropy(z, np.array([0, 1])) == 0
        right = cross_entropy(z.astype(np.float64), np.array([1, 1]))
        assert right == float(z[0, 0]) - float(z[0, 1]) - (float(z[0, 0]) - float(z[0, 1])) / 2
        assert cross_entropy(z, np.array([0, 1])).dtype == dtype

    def test_a_large_batch_of_single_precision(self, normal: Normal) -> None:
        z, t = normal(5000, 10).astype(np.float32), np.arange(5000) % 10
        exact = math.fsum(
            math.log(math.fsum(math.exp(value) for value in row)) - row[target]
            for row, target in zip(z.astype(np.float64).tolist(), t.tolist(), strict=True)
        )
        assert cross_entropy(z, t) == np.float32(exact / 5000)

    def test_a_sure_prediction_still_costs_something(self) -> None:
        z = np.array([[20, 0, -np.inf]], np.float32)
        np.testing.assert_allclose(cross_entropy(z, np.array([0])), math.log1p(math.exp(-20)), rtol=1e-7)

    def test_classes_that_are_ruled_out(self) -> None:
        z = np.array([[0, -np.inf, 0], [-np.inf, 0, -np.inf]])
        np.testing.assert_allclose(cross_entropy(z, np.array([0, 1])), math.log(2) / 2, rtol=1e-15)
        assert cross_entropy(z, np.array([1, 1])) == np.inf
        for spoilt in (np.full((1, 3), -np.inf), np.array([[0, np.inf, 0]]), np.array([[0, np.nan, 0]])):
            assert np.isnan(cross_entropy(spoilt, np.array([0])))

    def test_what_is_refused(self) -> None:
        with pytest.raises(ShapeError, match=r"^t holds -100, but goes from 0 to below C, which is 3$"):
            cross_entropy(np.ones((2, 3)), np.array([0, -100]))
        with pytest.raises(ShapeError, match=r"^t has batch axes \(3,\), but z bound \.\.\. to \(2,\)$"):
            cross_entropy(np.ones((2, 3)), np.array([0, 1, 2]))
        with pytest.raises(ShapeError, match=r"^z has batch axes \(0,\), but cross_entropy needs at least 1 on each$"):
            cross_entropy(np.ones((0, 3)), np.zeros(0, np.int64))
        assert cross_entropy(np.ones((1, 3)), np.array([2], np.uint8)) == pytest.approx(math.log(3), rel=1e-15)


class TestLinearRecurrence:
    def whole(self) -> dict[str, Any]:
        random = np.random.default_rng(3)
        shapes = {"x": (2, 6, 2), "A": (3, 3), "B": (3, 2), "C": (4, 3)}
        return {name: random.integers(-3, 4, shape).astype(np.float64) for name, shape in shapes.items()}

    def test_by_hand(self) -> None:
        # a counter: the state doubles and takes the input
        found = linear_recurrence(np.array([[1.0], [0], [3]]), np.array([[2.0]]), np.array([[1.0]]), np.array([[10.0]]))
        np.testing.assert_array_equal(found.h, [[1], [2], [7]])
        np.testing.assert_array_equal(found.y, [[10], [20], [70]])

    def test_the_answer_to_an_impulse_is_exact_in_whole_numbers(self) -> None:
        given = self.whole()
        given["x"] = np.zeros((6, 2))
        given["x"][1, 0] = 1
        power, expected = np.eye(3), [np.zeros(4)]
        for _ in range(5):
            expected.append(given["C"] @ power @ given["B"][:, 0])
            power = given["A"] @ power
        np.testing.assert_array_equal(linear_recurrence(**given).y, expected)

    def test_it_is_a_convolution_with_that_answer(self) -> None:
        given = self.whole()
        y = np.zeros((2, 6, 4))
        for t in range(6):
            for s in range(t + 1):
                kernel = given["C"] @ np.linalg.matrix_power(given["A"], t - s) @ given["B"]
                y[:, t] += given["x"][:, s] @ kernel.T
        np.testing.assert_array_equal(linear_recurrence(**given).y, y)

    def test_a_sequence_may_be_continued(self) -> None:
        given = self.whole()
        whole = linear_recurrence(**given)
        first = linear_recurrence(**(given | {"x": given["x"][:, :2]}))
        rest = linear_recurrence(**(given | {"x": given["x"][:, 2:]}), h_0=first.h[:, -1])
        np.testing.assert_array_equal(np.concatenate([first.y, rest.y], axis=1), whole.y)
        np.testing.assert_array_equal(np.concatenate([first.h, rest.h], axis=1), whole.h)

    def test_later_inputs_never_change_earlier_outputs(self) -> None:
        given = self.whole()
        before = linear_recurrence(**given)
        given["x"][:, 3:] = 1e6
        after = linear_recurrence(**given)
        np.testing.assert_array_equal(after.y[:, :3], before.y[:, :3])
        assert (after.h[:, 3:] != before.h[:, 3:]).any()

    def test_half_precision_is_computed_in_single(self) -> None:
        # 2048 + 1 is 2048 in float16, so a state kept in it would never count further
        one = np.ones((1, 1), np.float16)
        found = linear_recurrence(np.ones((4, 1), np.float16), one, one, one, h_0=np.array([2048], np.float16))
        assert (found.y.dtype, found.h.dtype) == (np.float16, np.float16)
        np.testing.assert_array_equal(found.h[[1, 3]], [[2050], [2052]])

    def test_edges(self) -> None:
        given = self.whole()
        empty = linear_recurrence(**(given | {"x": np.zeros((2, 0, 2))}))
        assert (empty.y.shape, empty.h.shape) == ((2, 0, 4), (2, 0, 3))
        start = np.zeros((2, 3))
        linear_recurrence(**given, h_0=start)
        np.testing.assert_array_equal(start, np.zeros((2, 3)))
        with pytest.raises(ShapeError, match=r"^h_0 has 4 on axis n, but A bound n to 3$"):
            linear_recurrence(**given, h_0=np.zeros((2, 4)))
        with pytest.raises(ShapeError, match=r"^A has 4 on axis n, but A bound n to 3"):
            linear_recurrence(**(given | {"A": np.zeros((3, 4))}))
