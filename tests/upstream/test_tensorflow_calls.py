"""TensorFlow's calls one by one: values against NumPy's own or written out, and gradients by finite differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from atlas.upstream.facade import State
from atlas.upstream.tensor import gradients
from atlas.upstream.tensorflow_arrays import Arrays
from atlas.upstream.tensorflow_layers import Layers
from atlas.upstream.tensorflow_math import Mathematics
from atlas.upstream.tensorflow_scopes import Scopes
from atlas.upstream.tensorflow_tensor import Conversion, TensorFlowTensor
from atlas.upstream.tensorflow_training import HParams

STEP = 1e-6
CONVERT = Conversion(np.dtype(np.float64))
ARRAYS, MATHS = Arrays(CONVERT), Mathematics(CONVERT)

IDS = np.array([[2, 0], [2, 1]])
LABELS = np.random.default_rng(8).dirichlet(np.ones(4), (2, 3))

UNARY: dict[str, Callable[[Any], Any]] = {
    "absolute": MATHS.abs,
    "exponential": MATHS.exp,
    "sine": MATHS.sin,
    "cosine": MATHS.cos,
    "relu": MATHS.relu,
    "softmax": MATHS.softmax,
    "logarithm": lambda x: MATHS.log(MATHS.square(x) + 0.5),
    "power": lambda x: MATHS.pow(MATHS.abs(x) + 0.5, 0.2),
    "maximum of a number": lambda x: MATHS.maximum(0.2, x),
    "maximum of two": lambda x: MATHS.maximum(x, MATHS.sin(x) * 2),
    "sum": lambda x: MATHS.reduce_sum(x, axis=[0, -1]),
    "largest": lambda x: MATHS.reduce_max(x, 2),
    "largest, kept": lambda x: MATHS.reduce_max(x, [0, 1], keep_dims=True),
    "sum of three": lambda x: MATHS.add_n([x, x * x, x]),
    "cross-entropy": lambda x: MATHS.softmax_cross_entropy_with_logits(logits=x, labels=LABELS),
    "transposed": lambda x: ARRAYS.transpose(x, [2, 0, 1]) * np.arange(6.0).reshape(2, 3),
    "joined": lambda x: ARRAYS.concat([x, x * 2, x[:, :1]], 1),
    "split": lambda x: MATHS.add_n([part * (i + 1) for i, part in enumerate(ARRAYS.split(x, 2, -1))]),
    "split unevenly": lambda x: ARRAYS.split(x, [1, 3], axis=2)[1],
    "padded": lambda x: ARRAYS.pad(x, [[0, 0], [1, 2], [0, 1]]),
    "tiled": lambda x: ARRAYS.tile(x, [2, 1, 3]),
    "gathered": lambda x: ARRAYS.gather(ARRAYS.reshape(x, [-1, 4]), IDS),
    "banded": lambda x: ARRAYS.matrix_band_part(x, -1, 1),
    "expanded": lambda x: ARRAYS.expand_dims(x, -1),
    "squeezed": lambda x: ARRAYS.squeeze(ARRAYS.expand_dims(ARRAYS.expand_dims(x, 1), 0), [0, 2]),
    "identity": ARRAYS.identity,
    "product": lambda x: MATHS.matmul(x, ARRAYS.transpose(x, [0, 2, 1]) * 2),
    "product, second transposed": lambda x: MATHS.matmul(x, MATHS.exp(x), transpose_b=True),
    "product, first transposed": lambda x: MATHS.matmul(MATHS.exp(x), x, transpose_a=True),
}


@pytest.mark.parametrize("name", UNARY)
def test_gradients(name: str) -> None:
    function = UNARY[name]
    random = np.random.default_rng(7)
    x = random.standard_normal((2, 3, 4))
    leaf = TensorFlowTensor(x)
    y = function(leaf)
    cotangent = random.standard_normal(y.shape)
    (found,) = gradients([y], [leaf], [cotangent])
    expected = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[place] = STEP
        above, below = (float((function(TensorFlowTensor(x + s)).value * cotangent).sum()) for s in (step, -step))
        expected[place] = (above - below) / (2 * STEP)
    assert found is not None
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


@pytest.fixture
def x() -> Any:
    return np.random.default_rng(9).standard_normal((2, 3, 4))


def test_values_are_numpys(x: Any) -> None:
    positive = np.abs(x) + 0.5
    for found, expected in [
        (MATHS.abs(x), np.abs(x)),
        (MATHS.exp(x), np.exp(x)),
        (MATHS.log(positive), np.log(positive)),
        (MATHS.log(0.5), np.log(0.5)),
        (MATHS.exp(1), np.exp(1)),
        (MATHS.sin(x), np.sin(x)),
        (MATHS.cos(x), np.cos(x)),
        (MATHS.relu(x), np.where(x > 0, x, 0)),
        (MATHS.pow(positive, 0.2), positive**0.2),
        (MATHS.maximum(x, 0.5), np.where(x > 0.5, x, 0.5)),
        (MATHS.maximum(1.0, CONVERT.tensor(x)), np.where(x > 1, x, 1)),
        (MATHS.softmax(x), np.exp(x) / np.exp(x).sum(-1, keepdims=True)),
        (MATHS.reduce_sum(x, 1, keep_dims=True), x.sum(1, keepdims=True)),
        (MATHS.reduce_max(x), x.max()),
        (MATHS.matmul(x, x, transpose_b=True), x @ x.swapaxes(1, 2)),
        (MATHS.matmul(x, x, transpose_a=True), x.swapaxes(1, 2) @ x),
        (ARRAYS.transpose(x, [0, 2, 1]), x.swapaxes(1, 2)),
        (ARRAYS.concat([x, x[:1]], 0), np.concatenate([x, x[:1]])),
        (ARRAYS.split(x, [1, 3], -1)[1], x[..., 1:]),
        (ARRAYS.pad(x, [[1, 0], [0, 0], [0, 2]]), np.pad(x, [(1, 0), (0, 0), (0, 2)])),
        (ARRAYS.tile(x, [1, 2, 1]), np.concatenate([x, x], 1)),
        (ARRAYS.reshape(x, [-1, CONVERT.constant(4)]), x.reshape(6, 4)),
        (ARRAYS.expand_dims(x, 1), x[:, None]),
        (ARRAYS.expand_dims(x, -1), x[..., None]),
        (ARRAYS.squeeze(x[:1, None]), x[0]),
        (ARRAYS.squeeze(x[:1, None], axis=1), x[:1]),
    ]:
        assert found.shape == np.shape(expected)
        np.testing.assert_allclose(found.value, expected, rtol=1e-14)


def test_large_logits_do_not_overflow() -> None:
    assert MATHS.softmax([1000.0, 0.0]).value.tolist() == [1, 0]
    found = MATHS.softmax_cross_entropy_with_logits(labels=[[0.0, 1.0]], logits=[[1000.0, 0.0]])
    assert found.value.tolist() == [1000]


def test_integers_and_truth_values() -> None:
    ids = CONVERT.tensor([3, 0, 5])
    assert ids.value.dtype == np.int32
    assert (ids // 2).value.tolist() == [1, 0, 2]
    assert MATHS.mod(ids, 2).value.tolist() == [1, 0, 1]
    assert MATHS.equal(ids, 0).value.tolist() == [False, True, False]
    assert MATHS.not_equal(ids, 0).value.tolist() == [True, False, True]
    assert MATHS.maximum(ids, 2).value.tolist() == [3, 2, 5]
    assert (ids > 2).value.tolist() == [True, False, True]
    assert ARRAYS.to_float(ids > 2).value.tolist() == [1.0, 0.0, 1.0]
    assert ARRAYS.range(CONVERT.constant(3)).value.tolist() == [0, 1, 2]
    assert ARRAYS.shape(np.ones((2, 3))).value.tolist() == [2, 3]
    assert int(ARRAYS.rank(np.ones((2, 3))).value) == 2
    assert ARRAYS.to_int32(2.7).value.dtype == np.int32
    assert ARRAYS.zeros([2, 1], dtype=np.dtype(np.int32)).value.tolist() == [[0], [0]]
    assert ARRAYS.ones([CONVERT.constant(2)]).value.tolist() == [1.0, 1.0]
    assert ARRAYS.convert_to_tensor([[0, CONVERT.constant(4)]]).value.tolist() == [[0, 4]]


def test_one_hot_and_bands() -> None:
    assert ARRAYS.one_hot(
        [2, 0], CONVERT.constant(3), on_value=0.9, off_value=CONVERT.constant(0.05)
    ).value.tolist() == [
        [0.05, 0.05, 0.9],
        [0.9, 0.05, 0.05],
    ]
    square = np.arange(1.0, 10).reshape(3, 3)
    assert ARRAYS.matrix_band_part(square, -1, 0).value.tolist() == np.tril(square).tolist()
    assert ARRAYS.matrix_band_part(square, 0, 1).value.tolist() == [[1, 2, 0], [0, 5, 6], [0, 0, 9]]


def test_the_runs_element_type_is_float32() -> None:
    convert = Conversion(np.dtype(np.float32))
    arrays, maths = Arrays(convert), Mathematics(convert)
    x = arrays.ones([2])
    for found in (
        x,
        convert.constant(0.1),
        maths.log(0.5),
        maths.exp(1),
        arrays.to_float([1]),
        maths.square(np.ones(2)),
        x + 0.5,
    ):
        assert found.value.dtype == np.float32
    assert arrays.cast(x, np.dtype(np.float64)).value.dtype == np.float64
    (slope,) = gradients([arrays.cast(x, np.dtype(np.float64))], [x], [np.ones(2)])
    assert slope is not None
    assert slope.dtype == np.float32


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda: MATHS.matmul(np.ones((2, 3)), np.ones((2, 3))), "have no product"),
        (lambda: MATHS.matmul(np.ones(3), np.ones((3, 2))), "matmul takes matrices"),
        (lambda: MATHS.matmul(np.ones((2, 2, 3)), np.ones((3, 2))), "axes before the matrices have shapes"),
        (lambda: MATHS.matmul(np.ones((2, 2)), np.ones((2, 2), np.int32)), "float64 and int32 do not mix"),
        (lambda: MATHS.add_n([np.ones(2), np.ones(1)]), "tensors to add have shapes"),
        (
            lambda: MATHS.softmax_cross_entropy_with_logits(labels=np.ones(2), logits=np.ones(3)),
            r"logits and labels have shapes \[3\] and \[2\]",
        ),
        (lambda: ARRAYS.concat([np.ones(2), [1]], 0), "float64 and int32 do not join"),
        (lambda: ARRAYS.concat([], 0), "nothing do not join"),
        (lambda: ARRAYS.split(np.ones(5), 2), "an axis of size 5 has no 2 equal parts"),
        (lambda: ARRAYS.split(np.ones(5), [2, 2]), r"an axis of size 5 has no parts of sizes \[2, 2\]"),
        (lambda: ARRAYS.split(np.ones(5), [6, -1]), r"an axis of size 5 has no parts of sizes \[6, -1\]"),
        (lambda: ARRAYS.pad(np.ones(5), [[0, 0], [1, 1]]), r"paddings of shape \[2, 2\] for a tensor of 1 axes"),
        (lambda: ARRAYS.tile(np.ones(5), [1, 1]), "2 multiples for a tensor of 1 axes"),
        (lambda: ARRAYS.gather(np.ones((3, 2)), [0, 3]), "the indices 0 to 3 are not all rows of 3"),
        (lambda: ARRAYS.gather(np.ones((3, 2)), [-1]), "the indices -1 to -1 are not all rows of 3"),
        (lambda: ARRAYS.gather(np.ones((3, 2)), [0.5]), "rows are named by integers, not by float64"),
        (lambda: ARRAYS.range(1.5), "one integer is wanted, not float64"),
        (lambda: ARRAYS.zeros([[1]]), r"integers are wanted, not int32 of shape \[1, 1\]"),
        (lambda: ARRAYS.zeros([1.5]), "integers are wanted, not float64"),
        (lambda: CONVERT.tensor([MATHS.log(2.0)]), "packed here where they hold integers only"),
    ],
)
def test_misuse_is_refused(attempt: Callable[[], object], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        attempt()


def layers(state: State) -> tuple[Scopes, Layers]:
    scopes = Scopes(state, CONVERT)
    return scopes, Layers(CONVERT, scopes, ARRAYS, MATHS)


def test_a_convolution_of_one_place_maps_each_position(x: Any) -> None:
    kernel, bias = np.random.default_rng(4).standard_normal((1, 1, 4, 5)), np.arange(5.0)
    state = State({"first/kernel": kernel, "first/bias": bias, "conv2d/kernel": -kernel})
    _, made = layers(state)
    images = x[:, :, None]
    found = made.conv2d(images, 5, (1, 1), activation=MATHS.relu, name="first")
    np.testing.assert_allclose(found.value, np.maximum(images @ kernel[0, 0] + bias, 0), rtol=1e-13)
    found = made.conv2d(images, 5, 1, use_bias=False)
    np.testing.assert_allclose(found.value, -images @ kernel[0, 0], rtol=1e-13)
    assert list(state.variables) == ["first/kernel", "first/bias", "conv2d/kernel"]


def test_layers_that_are_not_served_are_refused(x: Any) -> None:
    _, made = layers(State())
    with pytest.raises(ValueError, match="conv2d has kernels of 1 × 1 only, not 3 × 1"):
        made.conv2d(x[:, :, None], 5, (3, 1))
    with pytest.raises(ValueError, match=r"conv2d takes 4 axes, not a tensor of shape \[2, 3, 4\]"):
        made.conv2d(x, 5, (1, 1))
    with pytest.raises(ValueError, match=r"dropout would keep 0\.9"):
        made.dropout(x, 0.9)
    np.testing.assert_array_equal(made.dropout(x, 1.0).value, x)


def test_an_open_scope_can_be_entered_again() -> None:
    state = State({"weight": np.ones(1)})
    scopes, _ = layers(state)
    with scopes.variable_scope("a") as scope:
        with scopes.variable_scope(scopes.get_variable_scope()), scopes.variable_scope(None, "part"):
            first = scopes.get_variable("weight", [1])
        # What was opened inside does not count, as in TensorFlow.
        with scopes.variable_scope(scope, reuse=True), scopes.variable_scope(None, "part"):
            assert scopes.get_variable("weight") is first
            with scopes.variable_scope("below", reuse=False):
                assert scopes.get_variable_scope().reuse is True
        with scopes.variable_scope(scope, reuse=False), scopes.variable_scope(None, "other"):
            scopes.get_variable("weight", [1])
        scope.reuse_variables()
        with scopes.variable_scope(scope, reuse=False), scopes.variable_scope("last"):
            scopes.get_variable("weight", [1])
        assert state.scope == "a"
    assert state.scope == ""
    assert list(state.variables) == ["a/part/weight", "a/other/weight", "a/last/weight"]


def test_getters_stand_in_front_of_variables_the_inner_one_first() -> None:
    scopes, _ = layers(State({"weight": np.ones(1)}))
    calls: list[str] = []

    def named(which: str) -> Callable[..., TensorFlowTensor]:
        def getter(inner: Callable[..., TensorFlowTensor], name: str, **named: object) -> TensorFlowTensor:
            calls.append(f"{which} {name}")
            return inner(name, **named) * 2

        return getter

    with (
        scopes.variable_scope("a", custom_getter=named("outer")),
        scopes.variable_scope("b", custom_getter=named("inner")),
        scopes.variable_scope("c"),
    ):
        assert scopes.get_variable("weight", [1]).value.tolist() == [4]
    assert calls == ["inner a/b/c/weight", "outer a/b/c/weight"]
    with pytest.raises(ValueError, match="no device"), scopes.variable_scope("a", caching_device="gpu"):  # type: ignore[arg-type]  # what is refused
        pass


def test_hyperparameters_are_tensorflows() -> None:
    made = HParams(width=4, name="a", sizes=[1, 2])
    made.add_hparam("rate", 0.5)
    made.width = 8  # type: ignore[attr-defined]  # made at run time
    made.other = 1  # type: ignore[attr-defined]  # the same
    assert made.values() == {"width": 8, "name": "a", "sizes": [1, 2], "rate": 0.5}
    assert made._hparam_types == {
        "width": (int, False),
        "name": (str, False),
        "sizes": (int, True),
        "rate": (float, False),
    }  # which upstream code reads
    with pytest.raises(ValueError, match="the hyperparameter rate exists already"):
        made.add_hparam("rate", 1)
    with pytest.raises(ValueError, match="the hyperparameter none has no values"):
        made.add_hparam("none", [])
