"""The gradients against finite differences, for everything that both formulations take, and where features are equal.

The loss is the sum of y · dy with a random dy. A central difference with step h is off by h² · f‴/6 for its curvature
and by 2⁻⁵³/h for rounding; Richardson's (4·D(h/2) − D(h))/3 leaves h⁴, so that h = 3e-4 (times the size of the values)
gives errors of about 1e-11 of the largest entry. The tolerance is 1e-9, so one part in ten million fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atlas.operators.contract import Floats
from atlas.operators.layer_norm import (
    LayerNormGradient,
    layer_norm,
    layer_norm_gradient,
    layer_norm_outer_epsilon,
    layer_norm_outer_epsilon_gradient,
)
from atlas.operators.registry import Operator

BOTH = pytest.mark.parametrize("operator", [layer_norm, layer_norm_outer_epsilon], ids=lambda one: one.name)
TOLERANCE = 1e-9


def differences(loss: Callable[[Floats], float], at: Floats, step: float) -> Floats:
    """The gradient of a loss by central differences with one step of Richardson's extrapolation."""

    def central(index: tuple[int, ...], h: float) -> float:
        shifted = at.copy()
        shifted[index] = at[index] + h
        above, high = loss(shifted), shifted[index]
        shifted[index] = at[index] - h
        return float((above - loss(shifted)) / (high - shifted[index]))

    found = np.empty_like(at)
    for index in np.ndindex(at.shape):
        found[index] = (4 * central(index, step / 2) - central(index, step)) / 3
    return found


def differences_of(
    operator: Operator, given: Mapping[str, Floats], dy: Floats, step: float
) -> Iterator[tuple[str, Floats]]:
    """The gradient for each input, epsilon among them, by differences."""
    for name, at in given.items():

        def loss(value: Floats, name: str = name) -> float:
            changed = {**given, name: value}
            epsilon = float(changed.pop("epsilon"))
            return float(np.sum(operator(**changed, epsilon=epsilon) * dy))

        yield name, differences(loss, at, step * float(np.abs(at).max()))


def analytic(operator: Operator, given: Mapping[str, Floats], dy: Floats) -> LayerNormGradient:
    assert operator.gradient is not None
    found = operator.gradient(given["x"], given["gamma"], given["beta"], dy, epsilon=float(given["epsilon"]))
    assert isinstance(found, LayerNormGradient)
    return found


def agree(operator: Operator, given: Mapping[str, Floats], dy: Floats, step: float = 3e-4) -> None:
    gradient = analytic(operator, given, dy)._asdict()
    for name, expected in differences_of(operator, given, dy, step):
        atol = TOLERANCE * max(np.abs(expected).max(), np.abs(dy).max())
        np.testing.assert_allclose(gradient[name], expected, rtol=TOLERANCE, atol=atol, err_msg=name)


def sample(shape: tuple[int, ...], epsilon: float, scale: float, seed: int) -> tuple[dict[str, Floats], Floats]:
    random = np.random.default_rng(seed)
    given = {
        "x": scale * random.normal(size=shape),
        "gamma": random.normal(size=shape[-1]),
        "beta": random.normal(size=shape[-1]),
        "epsilon": np.array(epsilon),
    }
    return given, random.normal(size=shape)


@BOTH
@pytest.mark.parametrize(
    ("epsilon", "scale"), [(0.3, 1.0), (2.0, 1.0), (0.05, 0.3), (1e-6, 1e-3)], ids=["0.3", "2", "0.05", "1e-6"]
)
@pytest.mark.parametrize("shape", [(1, 3), (2, 5), (4, 4)], ids=str)
def test_all_inputs(operator: Operator, shape: tuple[int, int], epsilon: float, scale: float) -> None:
    if (operator, epsilon) == (layer_norm_outer_epsilon, 1e-6):
        epsilon = 1e-3  # in units of x here, so that it counts as much as 1e-6 does inside the root
    agree(operator, *sample(shape, epsilon, scale, seed=sum(shape)))


@pytest.mark.parametrize("shape", [(5,), (2, 3, 4), (2, 1, 2, 3)], ids=str)
def test_other_batch_axes(shape: tuple[int, ...]) -> None:
    agree(layer_norm, *sample(shape, 0.3, 1.0, seed=len(shape)))


@BOTH
def test_finite_differences_tell_a_wrong_gradient(operator: Operator) -> None:
    given, dy = sample((2, 5), 0.3, 1.0, seed=1)
    gradient = analytic(operator, given, dy)._asdict()
    for name, expected in differences_of(operator, given, dy, 3e-4):
        wrong = gradient[name] * (1 + 1e-7)
        assert not np.allclose(wrong, expected, rtol=TOLERANCE, atol=TOLERANCE * 0.01), name


@BOTH
def test_dx_is_orthogonal_to_a_shift(operator: Operator) -> None:
    given, dy = sample((4, 6), 0.01, 1.0, seed=2)
    dx = analytic(operator, given, dy).x
    np.testing.assert_allclose(dx.sum(axis=-1), np.zeros(4), rtol=0, atol=1e-12)


@BOTH
@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.floats(0.01, 2), st.integers(0, 10**6))
def test_scaling_x_and_epsilon_together_changes_nothing(operator: Operator, epsilon: float, seed: int) -> None:
    # y(a·x, aᵏ·ε) is the same for all a, so by Euler Σ x·dx + k·ε·dε = 0, where k is 2 inside the root and 1 outside
    given, dy = sample((3, 4), epsilon, 1.0, seed)
    gradient = analytic(operator, given, dy)
    power = 2 if operator is layer_norm else 1
    total = np.sum(given["x"] * gradient.x) + power * epsilon * gradient.epsilon
    assert abs(total) <= 1e-12 * np.sum(np.abs(given["x"] * gradient.x) + 1)


@BOTH
def test_a_large_offset_keeps_the_accuracy(operator: Operator) -> None:
    # multiples of 2⁻¹⁰ stay exact beside 2³⁸, so only the statistics could round
    given, dy = sample((3, 7), 0.01, 1.0, seed=3)
    given["x"] = np.round(given["x"] * 2**10) / 2**10
    shifted = given | {"x": given["x"] + 2.0**38}
    expected = analytic(operator, given, dy)._asdict()
    for name, found in analytic(operator, shifted, dy)._asdict().items():
        np.testing.assert_allclose(found, expected[name], rtol=1e-11, atol=1e-12, err_msg=name)


@BOTH
def test_sums_over_a_batch_of_single_precision_are_taken_in_double(operator: Operator) -> None:
    given, dy = sample((4000, 3), 0.01, 1.0, seed=4)
    single = {name: one.astype(np.float32) for name, one in given.items()} | {"epsilon": given["epsilon"]}
    double = {name: one.astype(np.float64) for name, one in single.items()}
    found = analytic(operator, single, dy.astype(np.float32))
    expected = analytic(operator, double, dy.astype(np.float32).astype(np.float64))
    assert found.gamma.dtype == np.float32
    np.testing.assert_array_equal(found.gamma, expected.gamma.astype(np.float32))
    assert found.epsilon == expected.epsilon


class TestEqualFeatures:
    """At zero variance the outer formulation differentiates step by step to 0/0; its derivative exists all the same."""

    def test_the_outer_formulation_by_its_definition(self) -> None:
        # y(x + h·e) − y(x) over h for a step from equal features: centred and deviation are proportional to h,
        # so the quotient is γ · c / (h·s + ε) with c = e − 1/3 and s = √2/3, and its limit is γ·c/ε
        gamma, dy, epsilon = np.array([2.0, 3.0, -1.0]), np.array([1.0, 2.0, 4.0]), 0.25
        dn = [Fraction(2), Fraction(6), Fraction(-4)]
        mean = sum(dn, Fraction(0)) / 3
        expected = [float((one - mean) / Fraction(1, 4)) for one in dn]
        for value in (0.0, 0.1, 7.3, 1e6):
            x = np.full((1, 3), value)
            gradient = layer_norm_outer_epsilon_gradient(x, gamma, np.zeros(3), dy[None], epsilon=epsilon)
            np.testing.assert_allclose(gradient.x[0], expected, rtol=1e-9)
            np.testing.assert_allclose(gradient.epsilon, 0, atol=1e-9)
            np.testing.assert_allclose(gradient.gamma, np.zeros(3), atol=1e-9)
            np.testing.assert_array_equal(gradient.beta, dy)

    def test_the_outer_formulation_by_one_sided_steps(self) -> None:
        gamma, dy, x = np.array([2.0, 3.0, -1.0]), np.array([[1.0, 2.0, 4.0]]), np.full((1, 3), 0.5)
        gradient = layer_norm_outer_epsilon_gradient(x, gamma, np.zeros(3), dy, epsilon=0.25)
        for unit in range(3):
            for h in (1e-6, -1e-6):  # the function bends in proportion to |h| here
                moved = x.copy()
                moved[0, unit] += h
                slope = np.sum(layer_norm_outer_epsilon(moved, gamma, np.zeros(3), epsilon=0.25) * dy) / h
                np.testing.assert_allclose(slope, gradient.x[0, unit], rtol=1e-5)

    def test_the_gradient_is_continuous_there(self) -> None:
        gamma, dy = np.array([2.0, 3.0, -1.0]), np.array([[1.0, 2.0, 4.0]])
        at = layer_norm_outer_epsilon_gradient(np.zeros((1, 3)), gamma, np.zeros(3), dy, epsilon=0.25)
        near = layer_norm_outer_epsilon_gradient(np.array([[0.0, 1e-9, -2e-9]]), gamma, np.zeros(3), dy, epsilon=0.25)
        np.testing.assert_allclose(near.x, at.x, rtol=1e-7)

    def test_the_inner_formulation(self) -> None:
        # normal is 0, so dx = (dn − mean dn)/√ε
        dy = np.array([1.0, 2.0, 6.0])
        gradient = layer_norm_gradient(np.full(3, 0.1), np.ones(3), np.zeros(3), dy, epsilon=0.25)
        np.testing.assert_allclose(gradient.x, [-4, -2, 6], rtol=1e-12)
        np.testing.assert_allclose(gradient.epsilon, 0, atol=1e-12)
