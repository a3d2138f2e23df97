"""The class behaves as Chainer 1.24 documents it, and says clearly what it does not take."""

from __future__ import annotations

import inspect
import warnings
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from atlas.exceptions import AtlasError, OptionError, ShapeError, UninitializedError
from atlas.operators.contract import Floats
from atlas.operators.layer_norm import layer_norm_outer_epsilon, layer_norm_outer_epsilon_gradient
from atlas.operators.layer_normalization import LayerNormalization


def made(*positional: Any, **named: Any) -> LayerNormalization:
    with pytest.warns(FutureWarning, match=r"^LayerNormalization is experimental: "):
        return LayerNormalization(*positional, **named)


def normal(*shape: int, seed: int = 0) -> Floats:
    return np.random.default_rng(seed).normal(size=shape)


class TestConstruction:
    def test_the_documented_signature(self) -> None:
        parameters = inspect.signature(LayerNormalization).parameters.values()
        assert [(one.name, one.default) for one in parameters] == [
            ("size", None),
            ("eps", 1e-6),
            ("initial_gamma", None),
            ("initial_beta", None),
        ]

    def test_it_warns_once_at_the_line_that_makes_it(self) -> None:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            layer = LayerNormalization(3)
            layer(normal(2, 3))
        assert [(one.category, one.filename) for one in caught] == [(FutureWarning, __file__)]

    def test_a_size_makes_the_parameters_at_once(self) -> None:
        layer = made(3)
        assert not layer.has_uninitialized_params
        np.testing.assert_array_equal(layer.gamma, np.ones(3))
        np.testing.assert_array_equal(layer.beta, np.zeros(3))
        assert layer.eps == 1e-6

    def test_none_leaves_them_to_the_first_call(self) -> None:
        layer = made()
        assert layer.has_uninitialized_params
        assert not hasattr(layer, "gamma")
        for read in (lambda: layer.gamma, lambda: layer.beta, lambda: layer.backward(normal(2, 3), normal(2, 3))):
            with pytest.raises(UninitializedError, match=r"does not exist before the first call"):
                read()
        layer(normal(2, 3))
        assert not layer.has_uninitialized_params
        np.testing.assert_array_equal(layer.gamma, np.ones(3))
        np.testing.assert_array_equal(layer.beta, np.zeros(3))

    @pytest.mark.parametrize("size", [0, -1, True, 3.0, "3", np.float64(3), (3,)])
    def test_sizes_that_are_refused(self, size: Any) -> None:
        with pytest.raises(OptionError, match=r"^size must be a whole number of at least 1, or None, not "):
            LayerNormalization(size)

    def test_a_numpy_integer_is_a_size(self) -> None:
        assert made(np.int32(3)).gamma.shape == (3,)

    @pytest.mark.parametrize("eps", [-1e-6, float("nan"), "1e-6", None, True])
    def test_an_eps_that_is_refused(self, eps: Any) -> None:
        with pytest.raises(OptionError, match=r"^eps must be a finite number of at least 0, not "):
            LayerNormalization(3, eps)


class TestInitialValues:
    @pytest.mark.parametrize("value", [2, 0.1, np.float32(0.5), np.int64(-3), np.array(7.0)])
    def test_a_scalar_fills_the_vector(self, value: Any) -> None:
        layer = made(3, initial_gamma=value, initial_beta=value)
        np.testing.assert_array_equal(layer.gamma, np.full(3, float(value)))
        np.testing.assert_array_equal(layer.beta, np.full(3, float(value)))

    @pytest.mark.parametrize("size", [3, None])
    def test_an_array_is_copied(self, size: int | None) -> None:
        gamma, beta = normal(3, seed=1), normal(3, seed=2)
        layer = made(size, initial_gamma=gamma, initial_beta=beta)
        expected = gamma.copy(), beta.copy()
        gamma[0] = beta[0] = 99
        layer(normal(2, 3))
        np.testing.assert_array_equal(layer.gamma, expected[0])
        np.testing.assert_array_equal(layer.beta, expected[1])

    def test_one_unit_takes_an_array_of_one(self) -> None:
        np.testing.assert_array_equal(made(1, initial_gamma=np.array([2.0])).gamma, [2])

    def test_an_initializer_fills_the_vector_in_place(self) -> None:
        seen = []

        def ramp(vector: Floats) -> None:
            seen.append(vector.shape)
            vector[...] = np.arange(vector.size)

        layer = made(initial_gamma=ramp, initial_beta=ramp)
        assert seen == []
        layer(normal(2, 4))
        layer(normal(2, 4))
        assert seen == [(4,), (4,)]
        np.testing.assert_array_equal(layer.gamma, [0, 1, 2, 3])
        layer.gamma[0] = 9
        np.testing.assert_array_equal(layer.beta, [0, 1, 2, 3])

    def test_an_initializer_that_returns_instead_of_filling(self) -> None:
        with pytest.raises(OptionError, match=r"^initial_beta must fill the vector that it is called with, in place; "):
            LayerNormalization(3, initial_beta=np.ones_like)

    @pytest.mark.parametrize("shape", [(4,), (1,), (0,)])
    def test_an_array_of_another_size(self, shape: tuple[int, ...]) -> None:
        with pytest.raises(ShapeError, match=r"^initial_gamma has shape \(\d,\), but the layer has 3 units$"):
            LayerNormalization(3, initial_gamma=np.ones(shape))
        layer = made(initial_beta=np.ones(shape))
        with pytest.raises(ShapeError, match=r"^initial_beta has shape \(\d,\), but the layer has 3 units$"):
            layer(normal(2, 3))
        assert layer.has_uninitialized_params

    def test_an_array_of_more_axes(self) -> None:
        with pytest.raises(ShapeError, match=r"^initial_gamma has shape \(1, 3\), but is a vector"):
            LayerNormalization(initial_gamma=np.ones((1, 3)))

    @pytest.mark.parametrize(
        "value",
        ["ones", True, 1j, [1.0, 2.0], np.array([True]), np.array(["1"]), np.ma.MaskedArray([1.0], mask=[True])],
    )
    def test_what_is_no_initial_value(self, value: Any) -> None:
        with pytest.raises(
            OptionError, match=r"^initial_gamma must be a number, an array of numbers or an initializer"
        ):
            LayerNormalization(3, initial_gamma=value)


class TestCalls:
    def test_epsilon_stands_outside_the_root(self) -> None:
        # the row −1 1 has deviation 1, so with eps 1 it becomes ∓1/2; inside the root it would be ∓1/√2
        layer = made(2, eps=1)
        np.testing.assert_array_equal(layer(np.array([[-1.0, 1.0]])), [[-0.5, 0.5]])
        layer.eps = 3.0
        np.testing.assert_array_equal(layer(np.array([[-1.0, 1.0]])), [[-0.25, 0.25]])

    @pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
    def test_it_is_the_operator(self, dtype: type[np.floating[Any]]) -> None:
        gamma, beta, x = normal(5, seed=1), normal(5, seed=2), normal(4, 5).astype(dtype)
        layer = made(eps=1e-3, initial_gamma=gamma, initial_beta=beta)
        y = layer(x)
        assert y.dtype == dtype
        np.testing.assert_array_equal(y, layer_norm_outer_epsilon(x, gamma, beta, epsilon=1e-3))

    def test_its_gradient(self) -> None:
        gamma, beta, x, dy = normal(5, seed=1), normal(5, seed=2), normal(4, 5), normal(4, 5, seed=3)
        layer = made(5, 1e-3, gamma, beta)
        expected = layer_norm_outer_epsilon_gradient(x, gamma, beta, dy, epsilon=1e-3)
        for found, wanted in zip(layer.backward(x, dy), expected, strict=True):
            np.testing.assert_array_equal(found, wanted)

    def test_a_step_along_the_gradient_lowers_the_loss(self) -> None:
        x, target = normal(8, 5), normal(8, 5, seed=1)
        layer = made(5)
        losses = []
        for _ in range(50):
            error = layer(x) - target
            losses.append(float(np.square(error).sum() / 2))
            gradient = layer.backward(x, error)
            layer.gamma[...] -= 0.05 * gradient.gamma
            layer.beta[...] -= 0.05 * gradient.beta
        assert all(after < before for before, after in pairwise(losses))
        # for gamma and beta the loss is a least-squares problem for each unit, so the gradient vanishes at its end
        assert np.abs(gradient.beta).max() < 1e-2 * np.abs(normal(8, 5).sum(axis=0) - target.sum(axis=0)).max()

    @pytest.mark.parametrize("shape", [(3,), (2, 3, 1), (2, 3, 4, 4), ()])
    def test_other_numbers_of_axes(self, shape: tuple[int, ...]) -> None:
        layer = made()
        with pytest.raises(
            ShapeError, match=r"^x has shape \(.*\), but the layer takes two axes: the batch and its uni"
        ):
            layer(np.ones(shape))
        assert layer.has_uninitialized_params

    def test_another_number_of_units(self) -> None:
        layer = made()
        layer(normal(2, 3))
        for use in (lambda: layer(normal(2, 4)), lambda: layer.backward(normal(2, 4), normal(2, 4))):
            with pytest.raises(ShapeError, match=r"^x has 4 units on its second axis, but the layer was made for 3$"):
                use()
        assert layer(normal(5, 3)).shape == (5, 3)

    def test_a_gradient_of_another_shape(self) -> None:
        layer = made(3)
        with pytest.raises(ShapeError, match=r"^dy has 1 on axis N, but x bound N to 2$"):
            layer.backward(normal(2, 3), normal(1, 3))

    @pytest.mark.parametrize("x", [[[1.0, 2.0]], np.ones((2, 3), np.int64), np.ones((2, 0)), None])
    def test_a_call_that_fails_makes_no_parameters(self, x: Any) -> None:
        layer = made()
        with pytest.raises(AtlasError):
            layer(x)
        assert layer.has_uninitialized_params

    def test_an_empty_batch_tells_the_size_too(self) -> None:
        layer = made()
        assert layer(np.ones((0, 3))).shape == (0, 3)
        assert layer.gamma.shape == (3,)

    def test_parameters_are_written_in_place_and_not_replaced(self) -> None:
        layer = made(2)
        layer.gamma[...] = 4
        np.testing.assert_allclose(layer(np.array([[-1.0, 1.0]])), [[-4, 4]], rtol=1e-5)
        with pytest.raises(AttributeError):
            layer.gamma = np.ones(3)  # type: ignore[misc]  # the point
