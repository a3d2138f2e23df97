"""Projections to heads and back: by hand, against packed weights, and with attention between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from atlas.exceptions import ShapeError
from atlas.operators.attention import attention
from atlas.operators.heads import join_heads, project_to_heads
from atlas.operators.linear import linear
from atlas.operators.multi_head_attention import multi_head_attention

Normal = Callable[..., Any]


class TestProjection:
    def test_by_hand(self) -> None:
        x, weight = np.array([[1.0, 2], [0, 3]]), np.array([[[1.0], [0]], [[0], [10]]])  # head 1 takes, head 2 scales
        found = project_to_heads(x, weight, np.array([[0.0], [5]]))
        np.testing.assert_array_equal(found, [[[1], [0]], [[25], [35]]])

    def test_it_is_one_linear_map_cut_into_heads(self, normal: Normal) -> None:
        x, weight, b = normal(2, 3, 4), normal(5, 4, 6), normal(5, 6)
        packed = np.concatenate(list(weight), axis=1)  # [d (h k)]
        cut = linear(x, packed, b.ravel()).reshape(2, 3, 5, 6)
        np.testing.assert_allclose(project_to_heads(x, weight, b), np.moveaxis(cut, 2, 1), rtol=1e-13)

    def test_edges(self, normal: Normal) -> None:
        assert project_to_heads(normal(2, 0, 4), normal(5, 4, 6)).shape == (2, 5, 0, 6)
        half = project_to_heads(np.full((1, 4096), 1, np.float16), np.full((1, 4096, 1), 1, np.float16))
        assert half.dtype == np.float16
        np.testing.assert_array_equal(half, [[[4096]]])  # float16 would stop counting at 2048
        with pytest.raises(ShapeError, match=r"^W has 5 on axis d, but x bound d to 4$"):
            project_to_heads(normal(3, 4), normal(2, 5, 6))
        with pytest.raises(ShapeError, match=r"^b has 6 on axis h, but W bound h to 2"):
            project_to_heads(normal(3, 4), normal(2, 4, 6), normal(6, 2))


class TestJoining:
    def test_by_hand(self) -> None:
        x = np.array([[[1.0, 2]], [[3, 4]]])  # two heads of two features, one position
        np.testing.assert_array_equal(join_heads(x, np.eye(4)), [[1, 2, 3, 4]])
        np.testing.assert_array_equal(join_heads(x, np.eye(4)[:, 2:], np.array([10.0, 20])), [[13, 24]])

    def test_it_is_the_sum_over_heads_of_their_own_maps(self, normal: Normal) -> None:
        x, weight = normal(2, 3, 4, 5), normal(15, 6)
        expected = sum(x[:, head] @ weight[5 * head : 5 * head + 5] for head in range(3))
        np.testing.assert_allclose(join_heads(x, weight), expected, rtol=1e-12, atol=1e-14)

    def test_edges(self, normal: Normal) -> None:
        assert join_heads(normal(2, 3, 0, 5), normal(15, 6)).shape == (2, 0, 6)
        with pytest.raises(
            ShapeError, match=r"^W_o has 16 on axis \(h v\), but that is 15, as x bound h to 3 and x bo"
        ):
            join_heads(normal(3, 4, 5), normal(16, 6))


def test_with_attention_between_they_are_multi_head_attention(normal: Normal) -> None:
    x, weights, out = normal(2, 4, 6), [normal(3, 6, 5, seed=seed) for seed in range(3)], normal(15, 6)
    heads = attention(*(project_to_heads(x, weight) for weight in weights))
    np.testing.assert_array_equal(join_heads(heads, out), multi_head_attention(x, x, x, *weights, out))
