"""Both formulations against PyTorch, against exact arithmetic done by hand, and at the edges of floating point."""

from __future__ import annotations

import math
import tracemalloc
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from atlas.exceptions import OptionError, ShapeError
from atlas.operators.contract import Floats
from atlas.operators.layer_norm import layer_norm, layer_norm_outer_epsilon
from atlas.operators.registry import Operator

BOTH = pytest.mark.parametrize("operator", [layer_norm, layer_norm_outer_epsilon], ids=lambda one: one.name)
SEEDED = settings(derandomize=True, deadline=None, max_examples=100)


def normal(*shape: int, seed: int = 0) -> Floats:
    return np.random.default_rng(seed).normal(size=shape)


def oracle(row: list[float], epsilon: float, outside: bool) -> list[float]:
    """One row in correctly rounded sums: math.fsum has no error but its last rounding."""
    mean = math.fsum(row) / len(row)
    rest = math.fsum(value - mean for value in row) / len(row)
    centred = [value - mean - rest for value in row]
    variance = math.fsum(value * value for value in centred) / len(row)
    below = math.sqrt(variance) + epsilon if outside else math.sqrt(variance + epsilon)
    return [value / below for value in centred]


def exactly(x: Floats, operator: Operator, epsilon: float = 1e-6) -> Floats:
    """Both formulations without gamma and beta, computed in Python from the very numbers that x holds."""
    outside = operator is layer_norm_outer_epsilon
    return np.array([oracle([float(value) for value in row], epsilon, outside) for row in x])


class TestGolden:
    def test_where_it_comes_from(self, layer_norm_golden: dict[str, Any]) -> None:
        assert layer_norm_golden["torch"].startswith("2.13.0")
        assert layer_norm_golden["made by"] == "make_layer_norm.py"
        names = {case["name"] for case in layer_norm_golden["cases"]}
        assert {"vectors", "one axis", "three axes", "five axes", "large offset", "small values show epsilon"} <= names

    @BOTH
    def test_values_and_gradients(self, layer_norm_golden: dict[str, Any], operator: Operator) -> None:
        seen = 0
        for case in layer_norm_golden["cases"]:
            if operator.name not in case:
                continue
            seen += 1
            x, gamma, beta, dy = (np.array(case[name]) for name in ("x", "gamma", "beta", "dy"))
            expected = case[operator.name]
            # At an offset of 1e6 PyTorch's own rounding of the mean is 1e6 · 2⁻⁵³ ≈ 1e-10.
            rtol = 1e-9 if case["name"] == "large offset" else 1e-12
            y = operator(x, gamma, beta, epsilon=case["epsilon"])
            np.testing.assert_allclose(y, expected["y"], rtol=rtol, atol=rtol, err_msg=case["name"])
            assert operator.gradient is not None
            gradient = operator.gradient(x, gamma, beta, dy, epsilon=case["epsilon"])
            for name, found in gradient._asdict().items():
                wanted = np.array(expected[f"d{name}"])
                atol = rtol * max(1, np.abs(wanted).max())
                np.testing.assert_allclose(found, wanted, rtol=rtol, atol=atol, err_msg=f"{case['name']}: {name}")
        assert seen >= (8 if operator is layer_norm else 4)


class TestExactArithmetic:
    """Inputs for which every root is rational, so that the results can be written down as fractions."""

    def test_epsilon_inside_the_root(self) -> None:
        # x = 1 2 3 6 has mean 12/4 = 3; centred −2 −1 0 3; variance (4+1+0+9)/4 = 7/2.
        # With ε = 1/2 the root is √4 = 2, and the normal features are −1 −1/2 0 3/2.
        x, epsilon, root = [Fraction(value) for value in (1, 2, 3, 6)], Fraction(1, 2), 2
        mean = sum(x) / 4
        assert sum((value - mean) ** 2 for value in x) / 4 + epsilon == root**2
        gamma, beta = (
            [Fraction(2), Fraction(3), Fraction(5), Fraction(1, 3)],
            [Fraction(1), Fraction(0), Fraction(-1), Fraction(1, 2)],
        )
        # y = γ · normal + β: −2+1, −3/2+0, 0−1, 1/2+1/2
        y = [-1, Fraction(-3, 2), -1, 1]
        assert y == [g * (value - mean) / root + b for g, value, b in zip(gamma, x, beta, strict=True)]
        # dy = 1 2 1 3 gives dn = γ·dy = 2 6 5 1 with mean 7/2, and mean(dn · normal) = (−2−3+0+3/2)/4 = −7/8.
        # dx = (dn − 7/2 + 7/8 normal)/2: −19/16, 33/32, 3/4, −19/32, which add up to 0.
        # dε = −½ Σ dn · centred / root³ = −½ (−4−6+0+3)/8 = 7/16;  dγ = dy · normal;  dβ = dy.
        dx = [Fraction(-19, 16), Fraction(33, 32), Fraction(3, 4), Fraction(-19, 32)]
        dgamma = [-1, -1, 0, Fraction(9, 2)]
        assert sum(dx) == 0
        self.check(layer_norm, x, gamma, beta, epsilon, y, [1, 2, 1, 3], dx, Fraction(7, 16), dgamma)

    def test_epsilon_outside_the_root(self) -> None:
        # x = −4 2 4 10 has mean 3; centred −7 −1 1 7; variance (49+1+1+49)/4 = 25, deviation 5.
        # With ε = 1/4 the divisor is 21/4, and the normal features are −4/3 −4/21 4/21 4/3.
        x, epsilon, deviation = [Fraction(value) for value in (-4, 2, 4, 10)], Fraction(1, 4), 5
        mean = sum(x) / 4
        assert sum((value - mean) ** 2 for value in x) / 4 == deviation**2
        gamma = [Fraction(3), Fraction(21), Fraction(2), Fraction(1, 4)]
        beta = [Fraction(0), Fraction(1), Fraction(-1), Fraction(1, 3)]
        # y = γ · normal + β: −4, −4+1, 8/21−1, 1/3+1/3
        y = [-4, -3, Fraction(-13, 21), Fraction(2, 3)]
        below = deviation + epsilon
        assert y == [g * (value - mean) / below + b for g, value, b in zip(gamma, x, beta, strict=True)]
        # dy = 1 1 3 8 gives dn = 3 21 6 2 with mean 8; with the unit features u = centred/5,
        # mean(dn · u) = (−21−21+6+14)/20 = −11/10, times 5/(21/4) = 20/21 is −22/21.
        # dx = 4/21 · (dn − 8 + 22/21 u): −388/315, 5372/2205, −752/2205, −272/315, which add up to 0.
        # dε = −Σ dn · centred / (21/4)² = 22 · 16/441;  dγ = dy · normal;  dβ = dy.
        dx = [Fraction(-388, 315), Fraction(5372, 2205), Fraction(-752, 2205), Fraction(-272, 315)]
        dgamma = [Fraction(-4, 3), Fraction(-4, 21), Fraction(4, 7), Fraction(32, 3)]
        assert sum(dx) == 0
        self.check(layer_norm_outer_epsilon, x, gamma, beta, epsilon, y, [1, 1, 3, 8], dx, Fraction(352, 441), dgamma)

    @staticmethod
    def check(operator: Operator, *exact: Any) -> None:
        """Compare with what was worked out, on a batch of one row; 1e-15 is a few roundings."""
        x, gamma, beta, epsilon, y, dy, dx, depsilon, dgamma = (np.array(value, np.float64) for value in exact)
        options = {"epsilon": float(epsilon)}
        np.testing.assert_allclose(operator(x[None], gamma, beta, **options)[0], y, rtol=1e-15, atol=0)
        assert operator.gradient is not None
        gradient = operator.gradient(x[None], gamma, beta, dy[None], **options)
        np.testing.assert_allclose(gradient.x[0], dx, rtol=2e-15, atol=0)
        np.testing.assert_allclose(gradient.epsilon, depsilon, rtol=1e-15)
        np.testing.assert_allclose(gradient.gamma, dgamma, rtol=1e-15, atol=0)
        np.testing.assert_array_equal(gradient.beta, dy)


class TestPrecision:
    @BOTH
    def test_half_precision_is_computed_in_single(self, operator: Operator) -> None:
        # 300² does not fit into float16, so statistics in half precision would be infinite.
        x = (normal(16, 64) * 300).astype(np.float16)
        ones, zeros = np.ones(64, np.float16), np.zeros(64, np.float16)
        y = operator(x, ones, zeros)
        assert y.dtype == np.float16
        # the result is the exact one, rounded once to half precision, but for ties that float32 decides otherwise
        np.testing.assert_allclose(y.astype(np.float64), exactly(x, operator), rtol=2**-11 + 1e-6, atol=1e-6)

    @BOTH
    @pytest.mark.parametrize("offset", [0.0, 1e3, 1e6, -1e7])
    def test_a_large_offset_keeps_the_accuracy_of_single_precision(self, operator: Operator, offset: float) -> None:
        # Reachable: the features of x are exact as they are, and the result is right to about 5 units of 2⁻²³,
        # whatever the offset; without centring twice the rounding of the mean costs 3e-2 at 1e6.
        x = (normal(8, 512) + offset).astype(np.float32)
        y = operator(x, np.ones(512, np.float32), np.zeros(512, np.float32))
        assert y.dtype == np.float32
        np.testing.assert_allclose(y, exactly(x, operator), rtol=0, atol=1.5e-6)

    @BOTH
    @pytest.mark.parametrize("offset", [1e6, 1e12])
    def test_a_large_offset_in_double_precision(self, operator: Operator, offset: float) -> None:
        x = normal(8, 64) + offset
        y = operator(x, np.ones(64), np.zeros(64))
        np.testing.assert_allclose(y, exactly(x, operator), rtol=0, atol=4e-15)

    @BOTH
    def test_a_wider_parameter_is_not_rounded_first(self, operator: Operator) -> None:
        x, gamma, beta = normal(2, 3).astype(np.float32), normal(3, seed=1), normal(3, seed=2)
        wide = operator(x.astype(np.float64), gamma, beta)
        y = operator(x, gamma, beta)
        assert y.dtype == np.float32
        np.testing.assert_array_equal(y, wide.astype(np.float32))

    @BOTH
    def test_gradients_have_the_types_of_what_they_belong_to(self, operator: Operator) -> None:
        x = normal(2, 3).astype(np.float16)
        assert operator.gradient is not None
        gradient = operator.gradient(x, np.ones(3, np.float32), np.ones(3), x, epsilon=1e-6)
        assert [one.dtype.name for one in gradient] == ["float16", "float64", "float32", "float64"]

    def test_memory(self) -> None:
        x = normal(8, 256, 256).astype(np.float32)
        gamma, beta = np.ones(256, np.float32), np.zeros(256, np.float32)
        tracemalloc.start()
        try:
            layer_norm(x, gamma, beta)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 3.5 * x.nbytes  # the result and two temporaries


class TestEdges:
    @BOTH
    @pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
    @pytest.mark.parametrize("value", [0.0, 0.1, -7.3, 4321.5, 1e6 + 0.1])
    def test_equal_features_give_beta(self, operator: Operator, value: float, dtype: type[np.floating[Any]]) -> None:
        value = min(value, float(np.finfo(dtype).max))
        x = np.full((2, 7), value, dtype)
        beta = normal(7).astype(dtype)
        np.testing.assert_allclose(operator(x, np.ones(7, dtype), beta), [beta, beta], rtol=0, atol=1e-9)

    @BOTH
    def test_one_feature_gives_beta(self, operator: Operator) -> None:
        np.testing.assert_array_equal(operator(normal(3, 1), np.ones(1), np.full(1, 0.25)), np.full((3, 1), 0.25))

    @BOTH
    @pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
    def test_what_is_not_finite_stays_in_its_row_without_warnings(self, operator: Operator, bad: float) -> None:
        x, gamma, beta = normal(3, 4), normal(4, seed=1), normal(4, seed=2)
        spoilt = x.copy()
        spoilt[1, 2] = bad
        y = operator(spoilt, gamma, beta)
        assert np.isnan(y[1]).all()
        np.testing.assert_array_equal(y[[0, 2]], operator(x, gamma, beta)[[0, 2]])
        assert operator.gradient is not None
        gradient = operator.gradient(spoilt, gamma, beta, x, epsilon=1e-6)
        assert np.isnan(gradient.x[1]).all()
        assert np.isfinite(gradient.x[[0, 2]]).all()
        assert np.isfinite(gradient.beta).all()

    @BOTH
    def test_a_finite_input_that_overflows_warns(self, operator: Operator) -> None:
        x = np.array([[-1e20, 0, 1e20]], np.float32)
        with pytest.warns(RuntimeWarning, match="overflow encountered in square"):
            operator(x, np.ones(3, np.float32), np.zeros(3, np.float32))

    @BOTH
    def test_without_epsilon(self, operator: Operator) -> None:
        x = np.array([[1.0, 3.0], [2.0, 2.0]])
        y = operator(x, np.ones(2), np.zeros(2), epsilon=0)
        np.testing.assert_array_equal(y, [[-1, 1], [np.nan, np.nan]])
        assert operator.gradient is not None
        assert np.isnan(operator.gradient(x, np.ones(2), np.zeros(2), x, epsilon=0).x[1]).all()

    @BOTH
    def test_an_empty_batch(self, operator: Operator) -> None:
        assert operator(np.zeros((0, 4)), np.ones(4), np.zeros(4)).shape == (0, 4)
        assert operator.gradient is not None
        gradient = operator.gradient(np.zeros((0, 4)), np.ones(4), np.zeros(4), np.zeros((0, 4)), epsilon=1e-6)
        assert gradient.x.shape == (0, 4)
        np.testing.assert_array_equal(gradient.gamma, np.zeros(4))
        assert gradient.epsilon == 0

    @BOTH
    def test_no_features(self, operator: Operator) -> None:
        with pytest.raises(ShapeError, match=f"^x has 0 on axis C, but {operator.name} needs at least 1 there$"):
            operator(np.zeros((3, 0)), np.ones(0), np.zeros(0))

    @BOTH
    def test_inputs_are_left_alone_and_outputs_are_new(self, operator: Operator) -> None:
        given = [normal(2, 3), normal(3), normal(3)]
        before = [one.copy() for one in given]
        y = operator(*given)
        y[...] = 0
        for one, other in zip(given, before, strict=True):
            np.testing.assert_array_equal(one, other)

    @BOTH
    def test_arrays_of_another_layout(self, operator: Operator) -> None:
        x = normal(6, 8)
        strided = np.asfortranarray(x)[::2, ::-1]
        swapped = strided.astype(x.dtype.newbyteorder())
        y = operator(np.ascontiguousarray(strided), np.ones(8), np.zeros(8))
        np.testing.assert_allclose(operator(strided, np.ones(8), np.zeros(8)), y, rtol=1e-14, atol=1e-15)
        np.testing.assert_allclose(operator(swapped, np.ones(8), np.zeros(8)), y, rtol=1e-14, atol=1e-15)

    @BOTH
    @pytest.mark.parametrize("dtype", [np.int64, np.bool_, np.complex128])
    def test_other_numbers_are_refused(self, operator: Operator, dtype: type[np.generic]) -> None:
        with pytest.raises(ShapeError, match=r"^x holds .*, where floating-point numbers are expected$"):
            operator(np.ones((2, 3), dtype), np.ones(3), np.zeros(3))

    @BOTH
    @pytest.mark.parametrize("epsilon", [-1e-6, float("nan"), float("inf"), "1e-6", True, None, 1e-6j, [1e-6]])
    def test_epsilon_is_a_finite_number_that_is_not_negative(self, operator: Operator, epsilon: object) -> None:
        with pytest.raises(OptionError, match=r"^epsilon must be a finite number of at least 0, not "):
            operator(normal(2, 3), np.ones(3), np.zeros(3), epsilon=epsilon)

    def test_the_outer_formulation_takes_two_axes(self) -> None:
        for shape in [(3,), (2, 2, 3)]:
            with pytest.raises(ShapeError, match=r"^x has shape .*, but \[N C\] is 2 axes$"):
                layer_norm_outer_epsilon(np.zeros(shape), np.ones(3), np.zeros(3))


class TestFormulations:
    def test_they_differ_where_features_hardly_vary(self) -> None:
        # at a deviation of 1e-6 the one divides by √(1e-12 + 1e-6) ≈ 1e-3, the other by 2e-6
        x = np.array([[-1e-6, 1e-6]])
        np.testing.assert_allclose(layer_norm(x, np.ones(2), np.zeros(2)), [[-1e-3, 1e-3]], rtol=1e-6)
        np.testing.assert_allclose(layer_norm_outer_epsilon(x, np.ones(2), np.zeros(2)), [[-0.5, 0.5]], rtol=1e-6)

    def test_every_batch_axis_is_mapped_over(self) -> None:
        x, gamma, beta = normal(2, 3, 4), normal(4, seed=1), normal(4, seed=2)
        y = layer_norm(x, gamma, beta)
        for index in np.ndindex(2, 3):
            np.testing.assert_allclose(y[index], layer_norm(x[index], gamma, beta), rtol=1e-14, atol=1e-15)


ROWS = arrays(np.float64, (3, 5), elements=st.floats(-10, 10, allow_subnormal=False))


@BOTH
@SEEDED
@given(ROWS, st.floats(-100, 100))
def test_a_shift_of_all_features_changes_nothing(operator: Operator, x: Floats, shift: float) -> None:
    # the shift rounds x to about 1e-14, which the division by as little as epsilon magnifies
    ones, zeros = np.ones(5), np.zeros(5)
    shifted = operator(x + shift, ones, zeros, epsilon=0.01)
    np.testing.assert_allclose(shifted, operator(x, ones, zeros, epsilon=0.01), rtol=0, atol=1e-11)


@BOTH
@SEEDED
@given(ROWS)
def test_the_mean_of_the_output_is_that_of_beta(operator: Operator, x: Floats) -> None:
    beta = normal(5)
    y = operator(x, np.ones(5), beta)
    np.testing.assert_allclose(y.mean(axis=-1), np.full(3, beta.mean()), rtol=0, atol=1e-12)


@SEEDED
@given(ROWS, st.floats(1e-6, 1))
def test_the_square_of_the_output_is_the_share_that_epsilon_leaves(x: Floats, epsilon: float) -> None:
    variance = x.var(axis=-1)
    inside = np.square(layer_norm(x, np.ones(5), np.zeros(5), epsilon=epsilon)).mean(axis=-1)
    np.testing.assert_allclose(inside, variance / (variance + epsilon), rtol=1e-7, atol=1e-12)
    outside = np.square(layer_norm_outer_epsilon(x, np.ones(5), np.zeros(5), epsilon=epsilon)).mean(axis=-1)
    np.testing.assert_allclose(outside, variance / np.square(np.sqrt(variance) + epsilon), rtol=1e-7, atol=1e-12)


@SEEDED
@given(ROWS, st.floats(0.125, 8))
def test_epsilon_is_in_units_of_x_squared_or_of_x(x: Floats, scale: float) -> None:
    ones, zeros = np.ones(5), np.zeros(5)
    for operator, unit in [(layer_norm, scale**2), (layer_norm_outer_epsilon, scale)]:
        scaled = operator(x * scale, ones, zeros, epsilon=0.01 * unit)
        np.testing.assert_allclose(scaled, operator(x, ones, zeros, epsilon=0.01), rtol=0, atol=1e-12)
