"""RMS and batch normalization by exact arithmetic, by their invariances, and at the edges of floating point."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from atlas.exceptions import OptionError, ShapeError
from atlas.operators.batch_norm import batch_norm, batch_norm_running
from atlas.operators.layer_norm import layer_norm
from atlas.operators.registry import Operator
from atlas.operators.rms_norm import rms_norm, rms_norm_from_one

Normal = Callable[..., Any]
RMS = pytest.mark.parametrize("operator", [rms_norm, rms_norm_from_one], ids=lambda one: one.name)


class TestRmsNorm:
    def test_exact_arithmetic(self) -> None:
        # x = 1 5 3 1 has the mean square 36/4 = 9; with ε = 7 the root is 4
        x, gamma = np.array([1.0, 5, 3, 1]), np.array([4.0, 8, -4, 0])
        np.testing.assert_array_equal(rms_norm(x, gamma, epsilon=7), [1, 10, -3, 0])
        np.testing.assert_array_equal(rms_norm(x, gamma, epsilon=0), [4 / 3, 40 / 3, -4, 0])
        np.testing.assert_array_equal(rms_norm_from_one(x, gamma, epsilon=7), [1.25, 11.25, -2.25, 0.25])

    def test_the_scale_may_be_stored_as_the_difference_from_one(self, normal: Normal) -> None:
        x, gamma = normal(3, 5), normal(5)
        np.testing.assert_array_equal(rms_norm_from_one(x, gamma), rms_norm(x, 1 + gamma))

    def test_of_centred_features_it_is_layer_norm(self, normal: Normal) -> None:
        x = normal(4, 6)
        x -= x.mean(axis=-1, keepdims=True)
        np.testing.assert_allclose(rms_norm(x, np.ones(6)), layer_norm(x, np.ones(6), np.zeros(6)), rtol=1e-12)

    @RMS
    def test_scaling_x_and_the_root_of_epsilon_together_changes_nothing(
        self, normal: Normal, operator: Operator
    ) -> None:
        x, gamma = normal(4, 6), normal(6)
        scaled = operator(8 * x, gamma, epsilon=64e-3)
        np.testing.assert_allclose(scaled, operator(x, gamma, epsilon=1e-3), rtol=1e-14)

    @RMS
    def test_half_precision_is_computed_in_single(self, normal: Normal, operator: Operator) -> None:
        x, gamma = (300 * normal(8, 64)).astype(np.float16), normal(64).astype(np.float16)
        y = operator(x, gamma)
        assert y.dtype == np.float16
        expected = operator(x.astype(np.float64), gamma.astype(np.float64))
        np.testing.assert_allclose(y, expected, rtol=2**-11 + 1e-6, atol=2**-24)

    @RMS
    def test_edges(self, operator: Operator) -> None:
        np.testing.assert_array_equal(operator(np.zeros((2, 3)), np.ones(3)), np.zeros((2, 3)))
        assert np.isnan(operator(np.zeros(3), np.ones(3), epsilon=0)).all()
        assert operator(np.zeros((0, 3)), np.ones(3)).shape == (0, 3)
        with pytest.raises(ShapeError, match=rf"^x has 0 on axis C, but {operator.name} needs at least 1 there$"):
            operator(np.zeros((2, 0)), np.zeros(0))
        with pytest.raises(OptionError, match=r"^epsilon must be a finite number of at least 0, not -1\.0$"):
            operator(np.ones(3), np.ones(3), epsilon=-1.0)
        with pytest.raises(ShapeError, match=r"^gamma has 1 on axis C, but x bound C to 3$"):
            operator(np.ones((2, 3)), np.ones(1))


class TestBatchNorm:
    def test_exact_arithmetic(self) -> None:
        # channel 0 holds 1 3 5 7: mean 4, variance 20/4 = 5, with ε = 4 the root is 3; channel 1 is constant
        x = np.array([[[1.0, 3], [9, 9]], [[5, 7], [9, 9]]])
        gamma, beta = np.array([3.0, 5]), np.array([10.0, -1])
        y = batch_norm(x, gamma, beta, epsilon=4)
        np.testing.assert_array_equal(y, [[[7, 9], [-1, -1]], [[11, 13], [-1, -1]]])
        # with a mean of 1 and a variance of 12 channel 0 is divided by 4
        given = batch_norm_running(x, gamma, beta, np.array([1.0, 9]), np.array([12.0, 0]), epsilon=4)
        np.testing.assert_array_equal(given[:, 0], [[10, 11.5], [13, 14.5]])
        np.testing.assert_array_equal(given[:, 1], [[-1, -1], [-1, -1]])

    @pytest.mark.parametrize("shape", [(6, 3), (4, 3, 5), (2, 3, 4, 5), (2, 3, 1, 2, 3)])
    def test_the_statistics_of_the_batch_may_be_given(self, normal: Normal, shape: tuple[int, ...]) -> None:
        x, gamma, beta = normal(*shape), normal(3), normal(3, seed=1)
        channels = np.moveaxis(x, 1, 0).reshape(3, -1)
        y = batch_norm(x, gamma, beta)
        given = batch_norm_running(x, gamma, beta, channels.mean(axis=1), channels.var(axis=1))
        np.testing.assert_allclose(y, given, rtol=1e-12, atol=1e-14)
        flat = batch_norm(channels.T.copy(), gamma, beta)  # every place is one more element of the batch
        np.testing.assert_allclose(np.moveaxis(y, 1, 0).reshape(3, -1), flat.T, rtol=1e-13)

    def test_the_variance_is_biased(self) -> None:
        np.testing.assert_allclose(batch_norm(np.array([[1.0], [3]]), np.ones(1), np.zeros(1), epsilon=0), [[-1], [1]])

    def test_given_statistics_treat_each_element_by_itself(self, normal: Normal) -> None:
        x, gamma, beta, mean, variance = (
            normal(4, 3, 2),
            normal(3),
            normal(3, seed=1),
            normal(3, seed=2),
            normal(3) ** 2,
        )
        whole = batch_norm_running(x, gamma, beta, mean, variance)
        for index in range(4):
            alone = batch_norm_running(x[index : index + 1], gamma, beta, mean, variance)
            np.testing.assert_array_equal(whole[index], alone[0])
        assert np.abs(batch_norm(x, gamma, beta)[:2] - batch_norm(x[:2], gamma, beta)).max() > 0.01

    @pytest.mark.parametrize("offset", [0.0, 1e3, 1e6])
    def test_large_batches_and_offsets_in_single_precision(self, normal: Normal, offset: float) -> None:
        x = (normal(64, 2, 32, 32) + offset).astype(np.float32)
        y = batch_norm(x, np.ones(2, np.float32), np.zeros(2, np.float32))
        assert y.dtype == np.float32
        for channel in range(2):
            values = x[:, channel].astype(np.float64).ravel().tolist()
            mean = math.fsum(values) / len(values)
            deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values) + 1e-5)
            expected = (x[:, channel].astype(np.float64) - mean) / deviation
            np.testing.assert_allclose(y[:, channel], expected, rtol=2e-7, atol=1e-9)

    def test_half_precision(self, normal: Normal) -> None:
        x = (300 * normal(16, 4, 8)).astype(np.float16)
        y = batch_norm(x, np.ones(4, np.float16), np.zeros(4, np.float16))
        assert y.dtype == np.float16
        expected = batch_norm(x.astype(np.float64), np.ones(4), np.zeros(4))
        np.testing.assert_allclose(y, expected, rtol=2**-11 + 1e-9, atol=2**-24)

    @pytest.mark.parametrize("shape", [(0, 3), (2, 3, 0), (2, 3, 4, 0)])
    def test_nothing_to_average_over(self, shape: tuple[int, ...]) -> None:
        with pytest.raises(ShapeError, match=r"^x has .*, but batch_norm needs at least 1 "):
            batch_norm(np.zeros(shape), np.ones(3), np.zeros(3))
        assert batch_norm_running(np.zeros(shape), *[np.ones(3)] * 4).shape == shape

    def test_no_channels_and_one_value(self) -> None:
        assert batch_norm(np.zeros((2, 0, 3)), np.zeros(0), np.zeros(0)).shape == (2, 0, 3)
        np.testing.assert_array_equal(batch_norm(np.array([[5.0]]), np.ones(1), np.array([0.5])), [[0.5]])

    def test_channels_that_do_not_fit(self) -> None:
        with pytest.raises(ShapeError) as caught:
            batch_norm_running(np.ones((2, 3, 4)), np.ones(3), np.ones(4), np.ones((3, 1)), np.ones(3))
        assert str(caught.value).splitlines() == [
            "beta has 4 on axis C, but x bound C to 3",
            "mean has shape (3, 1), but [C] is 1 axis",
        ]
        with pytest.raises(ShapeError, match=r"^x has shape \(3,\), but \[N C \.\.\.\] is at least 2 axes$"):
            batch_norm(np.ones(3), np.ones(3), np.ones(3))
