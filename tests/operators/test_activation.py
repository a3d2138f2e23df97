"""The activations against Python's own error function, at the edges of floating point, and by their symmetries."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atlas.exceptions import ShapeError
from atlas.operators.activation import gelu, gelu_tanh, relu, silu
from atlas.operators.error_function import complementary_error, normal_distribution
from atlas.operators.registry import Operator

ALL = pytest.mark.parametrize("operator", [relu, gelu, gelu_tanh, silu], ids=lambda one: one.name)
SMOOTH = pytest.mark.parametrize("operator", [gelu, gelu_tanh, silu], ids=lambda one: one.name)
SEEDED = settings(derandomize=True, deadline=None, max_examples=100)


class TestErrorFunction:
    def test_against_the_standard_library(self) -> None:
        x = np.concatenate([np.linspace(-6, 26.5, 20001), np.logspace(-300, 1, 500), -np.logspace(-300, 1, 500)])
        expected = np.array([math.erfc(value) for value in x])
        # the power of e rounds x², which is x²·2⁻⁵³ of the result
        allowed = (np.maximum(np.square(x), 1) + 6) * 2.0**-53
        assert (np.abs(complementary_error(x) - expected) / expected <= allowed).all()

    def test_edges(self) -> None:
        x = np.array([0, -0.0, 30, 1e308, np.inf, -1e308, -np.inf, np.nan])
        np.testing.assert_array_equal(complementary_error(x), [1, 1, 0, 0, 0, 2, 2, np.nan])
        np.testing.assert_array_equal(normal_distribution(np.array([0, np.inf, -np.inf])), [0.5, 1, 0])


class TestValues:
    def test_relu(self) -> None:
        np.testing.assert_array_equal(relu(np.array([-2.0, -0.0, 0.0, 3.0, np.inf, -np.inf])), [0, 0, 0, 3, np.inf, 0])

    @pytest.mark.parametrize("x", [-30.0, -8.0, -1.0, -1e-9, 0.0, 1e-300, 0.5, 2.0, 40.0])
    def test_gelu_keeps_the_relative_accuracy_of_its_tail(self, x: float) -> None:
        expected = x * math.erfc(-x / math.sqrt(2)) / 2
        np.testing.assert_allclose(gelu(np.array(x)), expected, rtol=1e-13 if x < -6 else 4e-15)

    def test_how_far_the_approximation_is_off(self) -> None:
        x = np.linspace(-8, 8, 160001)
        assert 4.7e-4 < np.abs(gelu(x) - gelu_tanh(x)).max() < 4.8e-4

    def test_silu_where_the_power_is_rational(self) -> None:
        x = math.log(3)  # the sigmoid of ln 3 is 3/4, that of -ln 3 is 1/4
        np.testing.assert_allclose(silu(np.array([x, -x, 0.0])), [0.75 * x, -0.25 * x, 0], rtol=2e-16)

    @SMOOTH
    @SEEDED
    @given(st.floats(-50, 50))
    def test_the_shares_of_x_and_minus_x_add_up_to_one(self, operator: Operator, x: float) -> None:
        # f(x) = x·s(x) with s(x) + s(-x) = 1, so f(x) - f(-x) = x
        both = operator(np.array([x, -x]))
        assert abs(both[0] - both[1] - x) <= 4e-16 * max(abs(x), 1e-300)


class TestFloatingPoint:
    @ALL
    def test_half_precision_is_computed_in_single(self, operator: Operator, normal: Callable[..., Any]) -> None:
        x = (4 * normal(500)).astype(np.float16)
        y = operator(x)
        assert y.dtype == np.float16
        expected = operator(x.astype(np.float64))
        # one rounding to half precision, or to a subnormal number of it; 1 + tanh cancels far below 0
        np.testing.assert_allclose(
            y.astype(np.float64), expected, rtol=2**-11 + 1e-6, atol=5e-7 if operator is gelu_tanh else 2**-24
        )

    @ALL
    def test_single_precision(self, operator: Operator, normal: Callable[..., Any]) -> None:
        x = (3 * normal(500)).astype(np.float32)
        expected = operator(x.astype(np.float64))
        # 1 + tanh cancels below 0 in the approximation, so only its distance counts
        np.testing.assert_allclose(operator(x), expected, rtol=5e-7, atol=5e-7 if operator is gelu_tanh else 0)

    @ALL
    @pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
    def test_large_numbers_neither_overflow_nor_warn(self, operator: Operator, dtype: type[np.floating[Any]]) -> None:
        y = operator(np.array([-6e4, -1e3, 1e3, 6e4], dtype))
        np.testing.assert_array_equal(y, np.array([0, 0, 1e3, 6e4], dtype))

    @ALL
    def test_what_is_not_finite(self, operator: Operator) -> None:
        y = operator(np.array([np.nan, np.inf, -np.inf]))
        np.testing.assert_array_equal(y[:2], [np.nan, np.inf])
        assert y[2] == 0 if operator is relu else np.isnan(y[2])

    @ALL
    @pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (2, 1, 3)])
    def test_any_shape(self, operator: Operator, shape: tuple[int, ...]) -> None:
        x = np.full(shape, 0.25)
        y = operator(x)
        assert y.shape == shape
        np.testing.assert_array_equal(y, np.full(shape, operator(np.array(0.25))))

    @ALL
    def test_other_numbers_are_refused(self, operator: Operator) -> None:
        with pytest.raises(ShapeError, match=r"^x holds int64, where floating-point numbers are expected$"):
            operator(np.ones(3, np.int64))
