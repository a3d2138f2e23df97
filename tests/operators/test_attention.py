"""Attention by hand, by a loop over queries, by what must not change it, and where keys are hidden."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from atlas.exceptions import ShapeError
from atlas.operators.attention import (
    attention,
    attention_causal,
    grouped_query_attention,
    grouped_query_attention_causal,
)
from atlas.operators.multi_head_attention import multi_head_attention, multi_head_attention_causal

Normal = Callable[..., Any]


def naively(q: Any, k: Any, v: Any, causal: bool = False) -> Any:
    """One query after the other, with sums that round once."""
    rows = []
    for i, query in enumerate(q):
        seen = range(i + 1 if causal else len(k))
        powers = [math.exp(math.fsum(query * k[j]) / math.sqrt(len(query))) for j in seen]
        rows.append([math.fsum(p * v[j, c] for p, j in zip(powers, seen, strict=True)) / math.fsum(powers)
                     for c in range(v.shape[1])])  # fmt: skip
    return np.array(rows)


class TestByHand:
    def test_rational_weights(self) -> None:
        # with k = 4 the scores are halved: 2·ln 3 / 2 = ln 3 against 0, so the weights are 3/4 and 1/4
        q = np.array([[2 * math.log(3), 0, 0, 0]])
        k = np.array([[1.0, 0, 0, 0], [0, 1, 0, 0]])
        v = np.array([[8.0, 0], [0, 4]])
        np.testing.assert_allclose(attention(q, k, v), [[6, 1]], rtol=1e-15)
        np.testing.assert_allclose(attention(q, k, v, scale=1.0), [[8 * 0.9, 4 * 0.1]], rtol=1e-15)
        mask = np.array([[0, math.log(3)]])  # evens the scores out
        np.testing.assert_allclose(attention(q, k, v, mask), [[4, 2]], rtol=1e-15)
        np.testing.assert_allclose(attention(q, k, v, mask, mask), [[2, 3]], rtol=1e-15)

    def test_equal_keys_give_the_mean(self, normal: Normal) -> None:
        v = normal(5, 3)
        y = attention(normal(2, 4), np.ones((5, 4)), v)
        np.testing.assert_allclose(y, [v.mean(axis=0)] * 2, rtol=1e-13)
        y = attention_causal(normal(5, 4), np.ones((5, 4)), v)
        np.testing.assert_allclose(y, np.cumsum(v, axis=0) / np.arange(1, 6)[:, None], rtol=1e-13)

    def test_a_loop_over_queries(self, normal: Normal) -> None:
        q, k, v = normal(4, 3), normal(6, 3), normal(6, 2)
        np.testing.assert_allclose(attention(q, k, v), naively(q, k, v), rtol=1e-13)
        q, k, v = normal(5, 3), normal(5, 3, seed=1), normal(5, 2)
        np.testing.assert_allclose(attention_causal(q, k, v), naively(q, k, v, causal=True), rtol=1e-13)


class TestInvariances:
    def test_the_order_of_keys_does_not_matter(self, normal: Normal) -> None:
        q, k, v, bias = normal(2, 4, 3), normal(2, 6, 3), normal(2, 6, 2), normal(2, 4, 6)
        order = np.array([4, 0, 5, 2, 1, 3])
        y = attention(q, k[:, order], v[:, order], bias=bias[..., order])
        np.testing.assert_allclose(y, attention(q, k, v, bias=bias), rtol=1e-12)

    @pytest.mark.parametrize("later", [1e30, -1e30, 0.0])
    def test_later_positions_never_change_earlier_outputs(self, normal: Normal, later: float) -> None:
        q, k, v = normal(2, 6, 3), normal(2, 6, 3, seed=1), normal(2, 6, 2)
        before = attention_causal(q, k, v)
        for t in range(1, 6):
            changed = [one.copy() for one in (q, k, v)]
            for one in changed:
                one[:, t:] = later * np.sign(one[:, t:])
            np.testing.assert_array_equal(attention_causal(*changed)[:, :t], before[:, :t])
        shared = [np.concatenate([one, one]) for one in (q, k, v)]
        grouped = grouped_query_attention_causal(shared[0], k, v)
        k[:, 3:] = later
        np.testing.assert_array_equal(grouped_query_attention_causal(shared[0], k, v)[:, :3], grouped[:, :3])

    def test_the_first_position_sees_itself_alone(self, normal: Normal) -> None:
        v = normal(3, 2)
        np.testing.assert_array_equal(attention_causal(normal(3, 4), normal(3, 4), v)[0], v[0])

    def test_causal_is_a_mask(self, normal: Normal) -> None:
        q, v = normal(2, 5, 3), normal(2, 5, 4)
        mask = np.triu(np.full((5, 5), -np.inf), 1)
        np.testing.assert_array_equal(attention_causal(q, q, v), attention(q, q, v, mask))
        half = normal(5, 5)
        np.testing.assert_array_equal(attention_causal(q, q, v, half), attention(q, q, v, mask + half))


class TestHiddenKeys:
    def test_a_query_that_sees_no_key_gets_zero(self, normal: Normal) -> None:
        q, k, v, mask = normal(2, 3, 4), normal(2, 5, 4), normal(2, 5, 2), np.zeros((3, 5))
        mask[1] = -np.inf
        y = attention(q, k, v, mask)
        np.testing.assert_array_equal(y[:, 1], np.zeros((2, 2)))
        np.testing.assert_array_equal(y[:, [0, 2]], attention(q, k, v)[:, [0, 2]])

    def test_hidden_keys_do_not_count(self, normal: Normal) -> None:
        q, k, v, mask = normal(3, 4), normal(5, 4), normal(5, 2), np.zeros((3, 5))
        mask[:, 2:] = -np.inf
        np.testing.assert_allclose(attention(q, k, v, mask), attention(q, k[:2], v[:2]), rtol=1e-14)
        k[2:], v[2:] = 1e30, -1e30
        np.testing.assert_allclose(attention(q, k, v, mask), attention(q, k[:2], v[:2]), rtol=1e-14)

    def test_a_bias_hides_keys_of_one_batch_element(self, normal: Normal) -> None:
        q, k, v, bias = normal(2, 3, 4), normal(2, 5, 4), normal(2, 5, 2), np.zeros((2, 3, 5))
        bias[1, :, 3:] = -np.inf
        y = attention(q, k, v, bias=bias)
        np.testing.assert_allclose(y[0], attention(q[0], k[0], v[0]), rtol=1e-14)
        np.testing.assert_allclose(y[1], attention(q[1], k[1, :3], v[1, :3]), rtol=1e-14)

    def test_what_is_not_finite(self, normal: Normal) -> None:
        q, k, v = normal(3, 4), normal(5, 4), normal(5, 2)
        q[1, 0] = np.nan
        y = attention(q, k, v)
        assert np.isnan(y[1]).all()
        assert np.isfinite(y[[0, 2]]).all()
        v[4, 0] = np.inf  # also where the weight is 0, as 0 times infinity is NaN
        assert np.isnan(
            attention(normal(3, 4), k, v, np.where(np.arange(5) == 4, -np.inf, np.zeros((3, 5))))[:, 0]
        ).all()


class TestFloatingPoint:
    def test_large_scores_in_single_precision(self, normal: Normal) -> None:
        # scores of some thousands, whose powers overflow, and whose rounding to float32 is 2⁻²⁴ of that
        q, k, v = (scale * normal(4, 8, 16) for scale in (300, 3, 1))
        single = [one.astype(np.float32) for one in (q, k, v)]
        expected = attention(*[one.astype(np.float64) for one in single])
        y = attention(*single)
        assert y.dtype == np.float32
        np.testing.assert_allclose(y, expected, rtol=0, atol=5e-3)

    def test_half_precision_is_computed_in_single(self, normal: Normal) -> None:
        q, k, v = ((50 * normal(2, 6, 64, seed=seed)).astype(np.float16) for seed in range(3))  # q·k is about 160,000
        y = attention_causal(q, k, v)
        assert y.dtype == np.float16
        expected = attention_causal(*(one.astype(np.float64) for one in (q, k, v)))
        np.testing.assert_allclose(y, expected, rtol=2e-3, atol=1e-2)

    def test_inputs_are_left_alone(self, normal: Normal) -> None:
        given = [normal(2, 4, 3), normal(2, 4, 3, seed=1), normal(2, 4, 3, seed=2), normal(4, 4), normal(2, 4, 4)]
        before = [one.copy() for one in given]
        attention_causal(*given)[...] = 0
        for one, other in zip(given, before, strict=True):
            np.testing.assert_array_equal(one, other)


class TestGrouped:
    @pytest.mark.parametrize(("operator", "plain"), [
        (grouped_query_attention, attention), (grouped_query_attention_causal, attention_causal),
    ])  # fmt: skip
    def test_repeated_heads(self, normal: Normal, operator: Any, plain: Any) -> None:
        q, k, v, mask, bias = (
            normal(2, 6, 5, 4),
            normal(2, 3, 5, 4),
            normal(2, 3, 5, 3),
            normal(5, 5),
            normal(2, 6, 5, 5),
        )
        repeated = [np.repeat(one, 2, axis=1) for one in (k, v)]  # heads 0 0 1 1 2 2
        np.testing.assert_allclose(operator(q, k, v, mask, bias), plain(q, *repeated, mask, bias), rtol=1e-13)
        tiled = [np.tile(one, (1, 2, 1, 1)) for one in (k, v)]  # heads 0 1 2 0 1 2, the other convention
        assert np.abs(operator(q, k, v, mask, bias) - plain(q, *tiled, mask, bias)).max() > 0.1
        np.testing.assert_array_equal(operator(q, *repeated, mask, bias), plain(q, *repeated, mask, bias))  # g is 1
        one = [each[:, :1] for each in (k, v)]
        every = [np.repeat(each, 6, axis=1) for each in one]
        np.testing.assert_allclose(operator(q, *one, scale=0.7), plain(q, *every, scale=0.7), rtol=1e-13)

    def test_a_query_that_sees_no_key(self, normal: Normal) -> None:
        bias = np.zeros((4, 3, 5))
        bias[2, 1] = -np.inf
        y = grouped_query_attention(normal(4, 3, 2), normal(2, 5, 2), normal(2, 5, 2), bias=bias)
        assert (np.abs(y).sum(axis=-1) == 0).sum() == 1
        np.testing.assert_array_equal(y[2, 1], [0, 0])

    def test_heads_that_do_not_divide(self) -> None:
        with pytest.raises(
            ShapeError, match=r"^Q has 5 on axis \(g m\), which fits no size: 5 is not a multiple of 2, as"
        ):
            grouped_query_attention(np.ones((5, 3, 2)), np.ones((2, 3, 2)), np.ones((2, 3, 2)))
        assert grouped_query_attention(np.ones((0, 3, 2)), np.ones((2, 3, 2)), np.ones((2, 3, 4))).shape == (0, 3, 4)


class TestContract:
    def test_every_misfit_is_named(self) -> None:
        with pytest.raises(ShapeError) as caught:
            attention(np.ones((2, 3, 4)), np.ones((2, 5, 3)), np.ones((1, 6, 2)), np.ones((5, 3)))
        assert str(caught.value).splitlines() == [
            "K has 3 on axis k, but Q bound k to 4",
            "V has batch axes (1,), but Q bound ... to (2,)",
            "V has 6 on axis T, but K bound T to 5",
            "mask has 5 on axis S, but Q bound S to 3",
            "mask has 3 on axis T, but K bound T to 5",
        ]

    def test_a_mask_holds_what_is_added(self) -> None:
        with pytest.raises(ShapeError, match=r"^mask holds bool, where floating-point numbers are expected$"):
            attention(np.ones((3, 4)), np.ones((5, 4)), np.ones((5, 2)), np.ones((3, 5), np.bool_))

    def test_causal_attention_needs_the_same_positions(self) -> None:
        with pytest.raises(ShapeError, match=r"^K has 5 on axis S, but Q bound S to 3\nV has 5 on axis S, but"):
            attention_causal(np.ones((3, 4)), np.ones((5, 4)), np.ones((5, 2)))

    def test_no_keys_and_no_queries(self) -> None:
        with pytest.raises(ShapeError, match=r"^K has 0 on axis T, but attention needs at least 1 there$"):
            attention(np.ones((3, 4)), np.ones((0, 4)), np.ones((0, 2)))
        assert attention(np.ones((0, 4)), np.ones((3, 4)), np.ones((3, 2))).shape == (0, 2)
        assert attention(np.ones((0, 3, 4)), np.ones((0, 5, 4)), np.ones((0, 5, 2))).shape == (0, 3, 2)


class TestMultiHead:
    def arrays(self, normal: Normal) -> dict[str, Any]:
        found = {"Q": normal(2, 4, 6), "K": normal(2, 5, 7), "V": normal(2, 5, 8)}
        found |= {"W_q": normal(3, 6, 2), "W_k": normal(3, 7, 2), "W_v": normal(3, 8, 4), "W_o": normal(12, 6)}
        return found | {"b_q": normal(3, 2), "b_k": normal(3, 2, seed=1), "b_v": normal(3, 4), "b_o": normal(6)}

    def test_a_loop_over_heads(self, normal: Normal) -> None:
        given = self.arrays(normal)
        y = np.zeros((2, 4, 6)) + given["b_o"]
        for head in range(3):
            q, k, v = (
                given[x] @ given[f"W_{w}"][head] + given[f"b_{w}"][head] for x, w in zip("QKV", "qkv", strict=True)
            )
            for element in range(2):
                y[element] += naively(q[element], k[element], v[element]) @ given["W_o"][4 * head : 4 * head + 4]
        np.testing.assert_allclose(multi_head_attention(**given), y, rtol=1e-12)

    def test_the_order_of_heads_does_not_matter(self, normal: Normal) -> None:
        given, order = self.arrays(normal), np.array([2, 0, 1])
        moved = given | {name: given[name][order] for name in ("W_q", "W_k", "W_v", "b_q", "b_k", "b_v")}
        moved["W_o"] = given["W_o"].reshape(3, 4, 6)[order].reshape(12, 6)
        np.testing.assert_allclose(multi_head_attention(**moved), multi_head_attention(**given), rtol=1e-12)

    @pytest.mark.parametrize("left_out", ["b_q", "b_k", "b_v", "b_o"])
    def test_a_bias_that_is_left_out_is_zero(self, normal: Normal, left_out: str) -> None:
        given = self.arrays(normal)
        zero = given | {left_out: np.zeros_like(given[left_out])}
        without = {name: one for name, one in given.items() if name != left_out}
        np.testing.assert_array_equal(multi_head_attention(**without), multi_head_attention(**zero))

    def test_a_bias_of_the_keys_adds_the_same_to_all_scores(self, normal: Normal) -> None:
        given = self.arrays(normal)
        other = given | {"b_k": given["b_k"] + normal(3, 2, seed=2)}
        np.testing.assert_allclose(multi_head_attention(**other), multi_head_attention(**given), rtol=1e-11)

    def test_later_positions_never_change_earlier_outputs(self, normal: Normal) -> None:
        given = self.arrays(normal) | {"K": normal(2, 4, 7), "V": normal(2, 4, 8)}
        y = multi_head_attention_causal(**given)
        later = {name: np.where(np.arange(4)[:, None] < 2, given[name], 1e6 * given[name]) for name in "QKV"}
        np.testing.assert_array_equal(multi_head_attention_causal(**(given | later))[:, :2], y[:, :2])
        mask = np.triu(np.full((4, 4), -np.inf), 1)
        np.testing.assert_array_equal(y, multi_head_attention(**given, mask=mask))

    def test_masks(self, normal: Normal) -> None:
        given, bias = self.arrays(normal), np.zeros((2, 3, 4, 5))
        bias[0, :, 1], bias[1, :, :, 3:] = -np.inf, -np.inf
        y = multi_head_attention(**given, bias=bias)
        np.testing.assert_array_equal(y[0, 1], given["b_o"])  # no head sees a key
        shorter = given | {"K": given["K"][:, :3], "V": given["V"][:, :3]}
        np.testing.assert_allclose(y[1], multi_head_attention(**shorter)[1], rtol=1e-12)

    def test_a_bias_of_each_key_is_that_of_all_heads_and_queries(self, normal: Normal) -> None:
        given, key_bias, bias = self.arrays(normal), normal(2, 5, seed=3), normal(2, 3, 4, 5, seed=4)
        whole = np.broadcast_to(key_bias[:, None, None], (2, 3, 4, 5))
        for other in ({}, {"bias": bias}):
            y = multi_head_attention(**given, **other, key_bias=key_bias)
            expected = multi_head_attention(**given, bias=whole + other.get("bias", 0))
            np.testing.assert_allclose(y, expected, rtol=1e-12)
        own = given | {"K": normal(2, 4, 7), "V": normal(2, 4, 8)}
        y = multi_head_attention_causal(**own, key_bias=key_bias[:, :4])
        np.testing.assert_allclose(y, multi_head_attention_causal(**own, bias=whole[..., :4]), rtol=1e-12)

    def test_a_bias_of_keys_that_are_not_there(self, normal: Normal) -> None:
        with pytest.raises(ShapeError, match=r"^key_bias has 4 on axis T, but K bound T to 5$"):
            multi_head_attention(**self.arrays(normal), key_bias=normal(2, 4))

    def test_weights_that_do_not_fit(self, normal: Normal) -> None:
        given = self.arrays(normal) | {"W_o": normal(11, 6), "b_k": normal(2, 2)}
        with pytest.raises(ShapeError) as caught:
            multi_head_attention(**given)
        assert str(caught.value).splitlines() == [
            "W_o has 11 on axis (h v), but that is 12, as W_q bound h to 3 and W_v bound v to 4",
            "b_k has 2 on axis h, but W_q bound h to 3",
        ]
