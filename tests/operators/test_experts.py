"""Routing and mixtures of experts: ties, weights, and experts that are not chosen."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atlas.exceptions import OptionError, ShapeError
from atlas.operators.feed_forward import feed_forward_swiglu
from atlas.operators.mixture_of_experts import (
    mixture_of_experts,
    mixture_of_experts_renormalized,
    mixture_of_swiglu_experts,
    mixture_of_swiglu_experts_renormalized,
)
from atlas.operators.registry import Operator
from atlas.operators.routing import top_k_routing, top_k_routing_renormalized
from atlas.operators.softmax import softmax

Normal = Callable[..., Any]
ROUTERS = pytest.mark.parametrize("operator", [top_k_routing, top_k_routing_renormalized], ids=lambda one: one.name)
PAIRS = [
    (top_k_routing, mixture_of_experts, mixture_of_swiglu_experts),
    (top_k_routing_renormalized, mixture_of_experts_renormalized, mixture_of_swiglu_experts_renormalized),
]


def rows_that_a_token_meets(operator: Operator, name: str, normal: Normal) -> int:
    """How many experts' parts of a parameter change what comes of one token, where two of five are chosen."""
    sizes = {"d": 3, "n": 5, "f": 2, "m": 4}
    shapes = [[sizes[str(axis)] for axis in argument.axes] for argument in operator.contract.inputs]
    x, *arrays = (normal(*shape, seed=seed) for seed, shape in enumerate(shapes))
    given = dict(zip(operator.parameters, arrays, strict=True))
    axis = [str(one) for one in next(one for one in operator.contract.inputs if one.name == name).axes].index("n")
    expected, found = operator(x, **given, k=2), 0
    for expert in range(sizes["n"]):
        changed = given[name].copy()
        np.moveaxis(changed, axis, 0)[expert] += 1e-6  # too little to change which experts are chosen
        found += bool((operator(x, **{**given, name: changed}, k=2) != expected).any())
    return found


@pytest.mark.parametrize(
    "operator", [mixture_of_swiglu_experts, mixture_of_swiglu_experts_renormalized], ids=lambda one: one.name
)
def test_a_token_uses_as_much_of_a_parameter_as_the_operator_says(operator: Operator, normal: Normal) -> None:
    assert operator.active == {"W_g": {"n": "k"}, "W_u": {"n": "k"}, "W_d": {"n": "k"}}
    for name in operator.active:
        assert rows_that_a_token_meets(operator, name, normal) == 2


def test_a_token_meets_the_whole_router(normal: Normal) -> None:
    assert rows_that_a_token_meets(mixture_of_swiglu_experts, "W_r", normal) == 5


class TestRouting:
    def test_by_hand(self) -> None:
        logits = np.log(np.array([[2.0, 5, 1, 8], [4, 4, 6, 2]]))  # shares of 16
        plain = top_k_routing(logits, k=2)
        np.testing.assert_array_equal(plain.experts, [[3, 1], [2, 0]])
        np.testing.assert_allclose(plain.weights, [[8 / 16, 5 / 16], [6 / 16, 4 / 16]], rtol=1e-15)
        whole = top_k_routing_renormalized(logits, k=2)
        np.testing.assert_array_equal(whole.experts, plain.experts)
        np.testing.assert_allclose(whole.weights, [[8 / 13, 5 / 13], [6 / 10, 4 / 10]], rtol=1e-15)

    @ROUTERS
    def test_of_equal_logits_the_lower_number_comes_first(self, operator: Operator) -> None:
        logits = np.array([[0.0, 1, 0, 1, 1], [2, 2, 2, 2, 2], [-np.inf, 0, -np.inf, -np.inf, -np.inf]])
        np.testing.assert_array_equal(operator(logits, k=3).experts, [[1, 3, 4], [0, 1, 2], [1, 0, 2]])

    @ROUTERS
    def test_shares_that_round_to_equal_ones_keep_their_order(self, operator: Operator) -> None:
        logits = np.array([-2000.0, -1000, 0])  # the shares of the first two are both 0
        np.testing.assert_array_equal(operator(logits, k=3).experts, [2, 1, 0])

    @settings(derandomize=True, deadline=None, max_examples=50)
    @given(st.integers(1, 6), st.integers(0, 10**6))
    def test_renormalized_weights_are_the_softmax_over_the_chosen(self, k: int, seed: int) -> None:
        logits = 3 * np.random.default_rng(seed).normal(size=(4, 6))
        weights, experts = top_k_routing_renormalized(logits, k=k)
        np.testing.assert_allclose(weights, softmax(np.take_along_axis(logits, experts, axis=-1)), rtol=1e-13)
        assert (np.diff(weights) <= 0).all()
        plain = top_k_routing(logits, k=k).weights
        assert (plain <= weights * (1 + 1e-15)).all()
        np.testing.assert_array_equal(plain, -np.sort(-softmax(logits))[:, :k])

    @ROUTERS
    def test_large_logits_in_half_precision(self, operator: Operator) -> None:
        found = operator(np.array([6e4, 5.9e4, -6e4], np.float16), k=2)
        assert (found.weights.dtype, found.experts.dtype) == (np.float16, np.int64)
        np.testing.assert_array_equal(found.weights, [1, 0])

    @ROUTERS
    def test_what_is_refused(self, operator: Operator) -> None:
        with pytest.raises(OptionError, match=r"^k is 4, but there are 3 experts$") as caught:
            operator(np.ones((2, 3)), k=4)
        assert caught.value.option == "k"
        with pytest.raises(OptionError, match=r"^k must be a whole number of at least 1, not 0$"):
            operator(np.ones((2, 3)), k=0)
        with pytest.raises(OptionError, match=rf"^{operator.name} needs the option k, "):
            operator(np.ones((2, 3)))
        with pytest.raises(ShapeError, match=r"^logits has 0 on axis n, but"):
            operator(np.ones((2, 0)), k=1)
        assert operator(np.ones((0, 3)), k=2).experts.shape == (0, 2)

    @ROUTERS
    def test_what_is_not_finite(self, operator: Operator) -> None:
        found = operator(np.array([[0.0, np.nan, 1], [0, 1, 2]]), k=2)
        assert np.isnan(found.weights[0]).all()
        assert np.isfinite(found.weights[1]).all()


@pytest.mark.parametrize(("router", "mixture", "swiglu"), PAIRS, ids=["plain", "renormalized"])
class TestMixtures:
    def test_a_loop_over_tokens(self, normal: Normal, router: Operator, mixture: Operator, swiglu: Operator) -> None:
        x, w_r, gate, up, down = (
            normal(2, 7, 4),
            normal(4, 5),
            normal(5, 4, 6),
            normal(5, 4, 6, seed=1),
            normal(5, 6, 3),
        )
        y = swiglu(x, w_r, gate, up, down, k=2)
        outputs = np.stack([feed_forward_swiglu(x, *one) for one in zip(gate, up, down, strict=True)], axis=-2)
        np.testing.assert_allclose(mixture(x, w_r, outputs, k=2), y, rtol=1e-11, atol=1e-13)
        for index in np.ndindex(2, 7):
            weights, experts = router(x[index] @ w_r, k=2)
            expected = [
                math.fsum(w * outputs[index][e, m] for w, e in zip(weights, experts, strict=True)) for m in range(3)
            ]
            np.testing.assert_allclose(y[index], expected, rtol=1e-11, atol=1e-13)

    def test_the_order_of_experts_does_not_matter(
        self, normal: Normal, router: Operator, mixture: Operator, swiglu: Operator
    ) -> None:
        x, w_r, gate, up, down = normal(6, 4), normal(4, 5), normal(5, 4, 6), normal(5, 4, 6, seed=1), normal(5, 6, 3)
        order = np.array([4, 2, 0, 3, 1])
        moved = swiglu(x, w_r[:, order], gate[order], up[order], down[order], k=3)
        np.testing.assert_allclose(moved, swiglu(x, w_r, gate, up, down, k=3), rtol=1e-11)
        assert router(x @ w_r, k=3).experts.shape == (6, 3)
        outputs = normal(6, 5, 2)
        np.testing.assert_allclose(
            mixture(x, w_r[:, order], outputs[:, order], k=3), mixture(x, w_r, outputs, k=3), rtol=1e-12
        )

    def test_experts_that_are_not_chosen_do_not_count(
        self, normal: Normal, router: Operator, mixture: Operator, swiglu: Operator
    ) -> None:
        x, w_r, outputs = normal(6, 4), normal(4, 5), normal(6, 5, 2)
        y = mixture(x, w_r, outputs, k=2)
        chosen = router(x @ w_r, k=2).experts
        spoilt = np.full_like(outputs, np.nan)
        np.put_along_axis(spoilt, chosen[..., None], np.take_along_axis(outputs, chosen[..., None], 1), axis=1)
        np.testing.assert_array_equal(mixture(x, w_r, spoilt, k=2), y)
        weights = [np.full((5, 4, 3), np.nan), np.full((5, 4, 3), np.nan), np.full((5, 3, 2), np.nan)]
        one = np.zeros((4, 5))
        one[0, 3] = 1  # every x with a positive first feature chooses expert 3 alone
        for weight in weights:
            weight[3] = normal(*weight.shape[1:])
        x[:, 0] = 1
        assert np.isfinite(swiglu(x, one, *weights, k=1)).all()

    def test_edges(self, normal: Normal, router: Operator, mixture: Operator, swiglu: Operator) -> None:
        w_r, gate, down = normal(4, 5), normal(5, 4, 6), normal(5, 6, 3)
        assert swiglu(np.zeros((2, 0, 4)), w_r, gate, gate, down, k=2).shape == (2, 0, 3)
        assert mixture(np.zeros((0, 4)), w_r, np.zeros((0, 5, 3)), k=5).shape == (0, 3)
        assert swiglu(normal(4), w_r, gate, gate, down, k=2).shape == (3,)
        with pytest.raises(OptionError, match=r"^k is 6, but there are 5 experts$"):
            swiglu(normal(2, 4), w_r, gate, gate, down, k=6)
        with pytest.raises(ShapeError, match=r"^outputs has 4 on axis n, but W_r bound n to 5$"):
            mixture(normal(2, 4), w_r, normal(2, 4, 3), k=2)
        half = [one.astype(np.float16) for one in (normal(2, 4), w_r, gate, gate, down)]
        y = swiglu(*half, k=2)
        assert y.dtype == np.float16
        wide = swiglu(*(one.astype(np.float64) for one in half), k=2)
        np.testing.assert_allclose(y, wide, rtol=1e-3, atol=1e-3)
        assert router.conventions["weights"] == mixture.conventions["weights"] == swiglu.conventions["weights"]


def test_with_all_experts_both_weighings_are_the_same(normal: Normal) -> None:
    x, w_r, outputs = normal(3, 4), normal(4, 5), normal(3, 5, 2)
    whole = mixture_of_experts(x, w_r, outputs, k=5)
    np.testing.assert_allclose(mixture_of_experts_renormalized(x, w_r, outputs, k=5), whole, rtol=1e-13)
    fewer = mixture_of_experts(x, w_r, outputs, k=2)
    assert np.abs(mixture_of_experts_renormalized(x, w_r, outputs, k=2) - fewer).max() > 0.01
