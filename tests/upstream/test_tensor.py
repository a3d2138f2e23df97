from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from atlas.exceptions import UpstreamError
from atlas.upstream.tensor import Array, Tensor, gradients, no_second_derivative

Unary = Callable[[Any], Any]
STEP = 1e-6

UNARY: dict[str, Unary] = {
    "negative": lambda x: -x,
    "squared": lambda x: x.squared(),
    "square root": lambda x: x.square_root(),
    "reciprocal root": lambda x: x.reciprocal_root(),
    "number plus": lambda x: 2 + x,
    "number minus": lambda x: 2 - x,
    "number times": lambda x: 2.5 * x,
    "number over": lambda x: 2 / x,
    "over a number": lambda x: x / 3,
    "array minus": lambda x: np.arange(5.0) - x,
    "sum of all": lambda x: x.summed(None, keep=False),
    "sum, all kept": lambda x: x.summed(None, keep=True),
    "sum over the last": lambda x: x.summed(-1, keep=False),
    "sum over two": lambda x: x.summed((2, 0), keep=False),
    "mean over a list, kept": lambda x: x.averaged([1], keep=True),
    "mean of all": lambda x: x.averaged(None, keep=False),
    "broadcast": lambda x: x.summed(1, keep=True).broadcast((2, 3, 4, 5)),
    "reshaped": lambda x: x.reshaped((12, 5)),
    "new axis": lambda x: x[:, None, 1:, ..., ::2],
    "one row": lambda x: x[1],
    "passed on": lambda x: x.passed_on(),
    "used twice": lambda x: x * x - x.averaged(-1, keep=True) / (x + x[:, :1]),
}

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda a, b: a + b,
    "difference": lambda a, b: a - b,
    "product": lambda a, b: a * b,
    "quotient": lambda a, b: a / b,
}


def numeric_gradient(function: Callable[[Array], float], x: Array) -> Array:
    gradient = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[place] = STEP
        gradient[place] = (function(x + step) - function(x - step)) / (2 * STEP)
    return gradient


@pytest.mark.parametrize("name", UNARY)
def test_gradient_of_one_input(name: str) -> None:
    random = np.random.default_rng(3)
    x = random.uniform(0.5, 2, (3, 4, 5))
    y = UNARY[name](Tensor(x))
    cotangent = random.standard_normal(y.shape)

    leaf = Tensor(x)
    (found,) = gradients([UNARY[name](leaf)], [leaf], [cotangent])

    expected = numeric_gradient(lambda x: float((UNARY[name](Tensor(x)).value * cotangent).sum()), x)
    assert found is not None
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize(
    "shapes", [((3, 4), (3, 4)), ((3, 4), (4,)), ((1, 4), (3, 1)), ((), (2, 3)), ((2, 1, 3), (5, 1))]
)
def test_gradients_of_two_inputs_with_broadcasting(name: str, shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    random = np.random.default_rng(4)
    a, b = (np.asarray(random.uniform(0.5, 2, shape)) for shape in shapes)
    operation = BINARY[name]
    left, right = Tensor(a), Tensor(b)
    y = operation(left, right)
    cotangent = np.asarray(random.standard_normal(y.shape))

    found = gradients([y], [left, right], [cotangent])

    def loss(a: Array, b: Array) -> float:
        return float((operation(Tensor(a), Tensor(b)).value * cotangent).sum())

    np.testing.assert_allclose(np.asarray(found[0]), numeric_gradient(lambda a: loss(a, b), a), rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(np.asarray(found[1]), numeric_gradient(lambda b: loss(a, b), b), rtol=1e-7, atol=1e-8)


def test_values_are_numpys() -> None:
    x = np.random.default_rng(5).uniform(0.5, 2, (3, 4))
    tensor = Tensor(x)
    np.testing.assert_array_equal((1 - tensor / 2).value, 1 - x / 2)
    np.testing.assert_allclose(tensor.averaged([-1], keep=True).value, x.mean(-1, keepdims=True), rtol=1e-15)
    np.testing.assert_allclose(tensor.reciprocal_root().value, x**-0.5, rtol=1e-15)
    np.testing.assert_array_equal(tensor[:, None].value, x[:, None])


def test_gradients_of_several_results_add_up() -> None:
    x = Tensor(np.array([1.0, 2.0]))
    y = x * 3
    (of_x, of_y) = gradients(
        [y, y, y * 2], [x, y], [np.array([1.0, 1.0]), np.array([10.0, 0.0]), np.array([0.0, 100.0])]
    )
    assert of_x is not None
    assert of_y is not None
    assert of_x.tolist() == [33.0, 603.0]
    assert of_y.tolist() == [11.0, 201.0]


def test_an_input_that_plays_no_part_has_no_gradient() -> None:
    x, other = Tensor(np.ones(2)), Tensor(np.ones(2))
    assert gradients([x * 2], [other], [np.ones(2)]) == [None]


def test_a_cotangent_of_another_shape_is_refused() -> None:
    x = Tensor(np.ones(2))
    with pytest.raises(ValueError, match=r"gradient of shape \[3\] for a result of shape \[2\]"):
        gradients([x * 2], [x], [np.ones(3)])


def test_a_long_tape_needs_no_recursion() -> None:
    x = Tensor(np.ones(()))
    y = x
    for _ in range(5000):
        y = y + 1
    (found,) = gradients([y], [x], [np.ones(())])
    assert found == 1


def test_second_derivatives_are_refused_instead_of_missing() -> None:
    x = Tensor(np.ones(2))
    first = Tensor(np.ones(2), (x,), no_second_derivative)
    with pytest.raises(UpstreamError, match="gradients of gradients"):
        gradients([first], [x], [np.ones(2)])


@pytest.mark.parametrize(
    "wrong",
    [
        lambda x: x + Tensor(np.ones(4, dtype=np.float32)),
        lambda x: x + "1",
        lambda x: Tensor(np.arange(4)) + 0.5,
        lambda x: x[[0, 1]],
        list,
        bool,
    ],
    ids=["mixed types", "text", "rounded number", "list of indices", "iteration", "truth"],
)
def test_what_would_go_wrong_silently_is_refused(wrong: Unary) -> None:
    with pytest.raises(TypeError):
        wrong(Tensor(np.ones(4)))
