"""Rotary and sinusoidal positions and ALiBi: relative positions, norms, hand-worked values, and far positions."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atlas.exceptions import OptionError, ShapeError
from atlas.operators.alibi import alibi_bias, alibi_scores
from atlas.operators.attention import attention_causal
from atlas.operators.positions import sinusoidal_positions, timing_signal
from atlas.operators.registry import Operator
from atlas.operators.rotary import rope_half, rope_interleaved

Normal = Callable[..., Any]
BOTH = pytest.mark.parametrize("operator", [rope_interleaved, rope_half], ids=lambda one: one.name)


class TestRotary:
    def test_pairs_by_hand(self) -> None:
        # base 1 turns every pair by one radian per position
        c, s = math.cos(1), math.sin(1)
        x = np.array([[1.0, 2, 3, 4], [1, 2, 3, 4]])
        neighbours = [c - 2 * s, s + 2 * c, 3 * c - 4 * s, 3 * s + 4 * c]
        halves = [c - 3 * s, 2 * c - 4 * s, s + 3 * c, 2 * s + 4 * c]
        np.testing.assert_allclose(rope_interleaved(x, base=1), [x[0], neighbours], rtol=1e-15)
        np.testing.assert_allclose(rope_half(x, base=1), [x[0], halves], rtol=1e-15)

    def test_the_pairings_are_a_permutation_apart(self, normal: Normal) -> None:
        x = normal(2, 5, 8)
        apart = np.concatenate([x[..., 0::2], x[..., 1::2]], axis=-1)
        y = rope_interleaved(x)
        np.testing.assert_array_equal(rope_half(apart), np.concatenate([y[..., 0::2], y[..., 1::2]], axis=-1))
        assert np.abs(rope_half(x) - y).max() > 0.1

    @BOTH
    @settings(derandomize=True, deadline=None, max_examples=50)
    @given(p=st.integers(-(10**4), 10**4), q=st.integers(-(10**4), 10**4), shift=st.integers(-(10**4), 10**4))
    def test_products_depend_on_the_distance_alone(self, operator: Operator, p: int, q: int, shift: int) -> None:
        x = np.random.default_rng(1).normal(size=(2, 6))

        def product(*positions: int) -> float:
            first, second = operator(x, np.array(positions))
            return float(first @ second)

        assert abs(product(p, q) - product(p + shift, q + shift)) < 1e-10

    @BOTH
    def test_norms_stay_and_position_zero_is_left_alone(self, normal: Normal, operator: Operator) -> None:
        x = normal(3, 50, 10)
        y = operator(x)
        np.testing.assert_array_equal(y[:, 0], x[:, 0])
        np.testing.assert_allclose(np.linalg.norm(y, axis=-1), np.linalg.norm(x, axis=-1), rtol=1e-14)
        back = operator(y, -np.arange(50))
        np.testing.assert_allclose(back, x, rtol=0, atol=1e-14)

    @BOTH
    def test_positions_may_be_given(self, normal: Normal, operator: Operator) -> None:
        x = normal(2, 6, 4)
        np.testing.assert_array_equal(operator(x, np.arange(6, dtype=np.uint8)), operator(x))
        np.testing.assert_array_equal(operator(x[:, 4:], np.array([4, 5])), operator(x)[:, 4:])
        with pytest.raises(ShapeError, match=r"^positions has 5 on axis S, but x bound S to 6$"):
            operator(x, np.arange(5))
        with pytest.raises(ShapeError, match=r"^positions holds float64, where integers are expected$"):
            operator(x, np.arange(6.0))

    @BOTH
    def test_far_positions_in_single_precision(self, normal: Normal, operator: Operator) -> None:
        # in float32 the angle 10⁶ alone would be off by 0.03
        x, far = normal(1, 64).astype(np.float32), np.array([1_000_003])
        y = operator(x, far)
        assert y.dtype == np.float32
        np.testing.assert_allclose(y, operator(x.astype(np.float64), far), rtol=0, atol=5e-7)

    @BOTH
    def test_what_is_refused(self, operator: Operator) -> None:
        with pytest.raises(
            ShapeError, match=r"^x has 5 on axis \(2 r\), which fits no size: 5 is not a multiple of 2$"
        ):
            operator(np.ones((3, 5)))
        with pytest.raises(OptionError, match=r"^base must be a finite number of at least 1, not 0\.0$"):
            operator(np.ones((3, 4)), base=0.0)
        assert operator(np.ones((0, 4))).shape == (0, 4)

    @BOTH
    def test_inputs_are_left_alone(self, normal: Normal, operator: Operator) -> None:
        x = normal(3, 4)
        before = x.copy()
        operator(x)[...] = 0
        np.testing.assert_array_equal(x, before)


class TestSinusoidal:
    def test_by_hand(self) -> None:
        # 4 channels have the timescales 1 and 100
        s, c = math.sin, math.cos
        expected: list[list[float]] = [[0, 1, 0, 1], [s(1), c(1), s(0.01), c(0.01)], [s(2), c(2), s(0.02), c(0.02)]]
        np.testing.assert_allclose(sinusoidal_positions(positions=3, channels=4), expected, rtol=1e-15)
        # the timing signal has 1 and 10000
        expected = [[0, 0, 1, 1], [s(1), s(1e-4), c(1), c(1e-4)]]
        np.testing.assert_allclose(timing_signal(positions=2, channels=4), expected, rtol=1e-13)

    @pytest.mark.parametrize("channels", [4, 6, 512])
    def test_a_shift_is_a_rotation(self, channels: int) -> None:
        # sin and cos of p + 7 are those of p, turned by the same angle at every p
        table = sinusoidal_positions(positions=30, channels=channels)
        turned = table[..., 1::2] + 1j * table[..., 0::2]
        steps = turned[7:] / turned[:-7]
        np.testing.assert_allclose(steps, np.broadcast_to(steps[0], steps.shape), rtol=0, atol=1e-13)

    def test_the_two_orders_and_timescales_differ(self) -> None:
        paper, code = sinusoidal_positions(positions=20, channels=8), timing_signal(positions=20, channels=8)
        reordered = np.concatenate([paper[:, 0::2], paper[:, 1::2]], axis=1)
        assert np.abs(paper - code).max() > 0.5
        assert np.abs(reordered - code).max() > 0.1  # the timescales too
        np.testing.assert_array_equal(reordered[:, [0, 4]], code[:, [0, 4]])  # the shortest is 1 in both

    def test_an_odd_number_of_channels(self) -> None:
        with pytest.raises(OptionError, match=r"^channels must be even, as each sine has its cosine, not 7$") as caught:
            sinusoidal_positions(positions=3, channels=7)
        assert caught.value.option == "channels"
        code = timing_signal(positions=3, channels=7)
        np.testing.assert_array_equal(code[:, 6], np.zeros(3))
        np.testing.assert_array_equal(code[:, :6], timing_signal(positions=3, channels=6))

    def test_too_few_channels_or_positions(self) -> None:
        with pytest.raises(OptionError, match=r"^channels must be a whole number of at least 4, not 3$"):
            timing_signal(positions=3, channels=3)
        with pytest.raises(OptionError, match=r"^positions must be a whole number of at least 0, not -1$"):
            sinusoidal_positions(positions=-1, channels=4)
        assert sinusoidal_positions(positions=0, channels=4).shape == (0, 4)
        assert sinusoidal_positions(positions=3, channels=0).shape == (3, 0)
        assert timing_signal(positions=0, channels=5).shape == (0, 5)


class TestAlibi:
    def test_slopes_of_eight_heads(self) -> None:
        bias = alibi_bias(heads=8, positions=4)
        for n in range(8):
            slope = Fraction(1, 2 ** (n + 1))
            expected = [[float(-slope * abs(i - j)) for j in range(4)] for i in range(4)]
            np.testing.assert_array_equal(bias[n], expected)

    @pytest.mark.parametrize("heads", [1, 2, 3, 12, 16])
    def test_slopes_are_geometric_and_end_at_two_to_the_minus_eight(self, heads: int) -> None:
        slopes = -alibi_bias(heads=heads, positions=2)[:, 0, 1]
        np.testing.assert_allclose(slopes, slopes[0] ** np.arange(1, heads + 1), rtol=1e-14)
        assert slopes[-1] == 2.0**-8

    def test_scores_are_the_scaled_products_with_the_bias(self, normal: Normal) -> None:
        q, k = normal(2, 3, 5, 4), normal(2, 3, 5, 4, seed=1)
        products = np.array([[[[a @ b for b in ks] for a in qs] for qs, ks in zip(*pair, strict=True)]
                             for pair in zip(q, k, strict=True)])  # fmt: skip
        bias = alibi_bias(heads=3, positions=5)
        np.testing.assert_allclose(alibi_scores(q, k), products / 2 + bias, rtol=1e-13, atol=1e-14)
        np.testing.assert_allclose(alibi_scores(q, k, scale=1), products + bias, rtol=1e-13, atol=1e-14)
        assert alibi_scores(q.astype(np.float16), k.astype(np.float16)).dtype == np.float16

    def test_in_causal_attention_the_keys_own_place_is_enough(self, normal: Normal) -> None:
        # m·j differs from -m·(i - j) by what is the same for all keys of a query
        q, v, bias = normal(4, 6, 3), normal(4, 6, 2), alibi_bias(heads=4, positions=6)
        places = np.broadcast_to(bias[:, :1, 1:2] * -np.arange(6.0), bias.shape)
        expected = attention_causal(q, q, v, bias=bias)
        np.testing.assert_allclose(attention_causal(q, q, v, bias=places.copy()), expected, rtol=1e-13)

    def test_edges(self) -> None:
        assert alibi_bias(heads=2, positions=0).shape == (2, 0, 0)
        with pytest.raises(OptionError, match=r"^heads must be a whole number of at least 1, not 0$"):
            alibi_bias(heads=0, positions=3)
        with pytest.raises(ShapeError, match=r"^K has 2 on axis h, but Q bound h to 3$"):
            alibi_scores(np.ones((3, 4, 2)), np.ones((2, 4, 2)))
