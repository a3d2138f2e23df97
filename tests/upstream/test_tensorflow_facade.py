from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from atlas.exceptions import UpstreamError
from atlas.upstream.execute import located
from atlas.upstream.facade import State
from atlas.upstream.tensorflow_facade import TENSORFLOW
from atlas.upstream.tensorflow_tensor import TensorFlowTensor

Load = Callable[..., Mapping[str, object]]

MODULE = """
import tensorflow as tf
import tensorflow.python.framework.function as function


def gain(size, name=None, reuse=None, start=tf.ones_initializer()):
  with tf.variable_scope(name, default_name="gain", values=[], reuse=reuse) as scope:
    return tf.get_variable("weight", [size], initializer=start)


def two(outer_name, reuse=None):
  with tf.variable_scope(outer_name, reuse=reuse):
    return gain(3), gain(4, start=tf.zeros_initializer())


def again(name):
  with tf.variable_scope(name) as scope:
    first = tf.get_variable("weight", [2], initializer=tf.ones_initializer())
    scope.reuse_variables()
    return first, tf.get_variable("weight"), scope.name


def plain(name, shape=None, initializer=None):
  return tf.get_variable(name, shape, initializer=initializer)


def statistics(x):
  return [tf.reduce_mean(x), tf.reduce_mean(x, axis=1), tf.reduce_mean(x, axis=[-1], keep_dims=True),
          tf.square(x), tf.rsqrt(tf.square(x)), tf.square(3.0)]


def constant(value):
  return tf.constant(value)


def as_types(x):
  return tf.cast(x, tf.float32), tf.cast(x, tf.int32)


def claim_shape(x, shape):
  x.set_shape(shape)
  return x.get_shape()


def slope(ys, xs, grad_ys=None):
  return tf.gradients(ys, xs, grad_ys)


def slope_of_square(x, grad_ys=None):
  return tf.gradients(tf.square(x), x, grad_ys=grad_ys)


def slope_of_slope(x):
  return tf.gradients(slope_of_square(x), x)


@function.Defun(compiled=True, func_name="wrong")
def wrong_slope(x, y, g):
  return [g * 100, g * y * 0]


@function.Defun(compiled=True, separate_compiled_gradients=True, grad_func=wrong_slope)
def product(x, y):
  return x * y


def slope_of_product(x, y):
  return tf.gradients(product(x, y), [x, y])


@function.Defun()
def quotient_slopes(x, y):
  return tf.gradients(x / y, [x, y])


@function.Defun(grad_func=lambda x, g: g[:1])
def badly_sloped(x):
  return x * 1


def slope_of_badly_sloped(x):
  return tf.gradients(badly_sloped(x), x)


@function.Defun(grad_func=lambda x, g: g)
def twofold(x):
  return [x, x]
"""

Call = Callable[..., Any]


@pytest.fixture
def state() -> State:
    return State()


@pytest.fixture
def call(load_text: Load, state: State) -> Call:
    def run(name: str, *arguments: object, **named: object) -> Any:
        function: Any = load_text(MODULE, name, facade=TENSORFLOW, state=state)[name]
        with located():
            return function(*arguments, **named)

    return run


@pytest.fixture
def program(load_text: Load, state: State) -> Mapping[str, Any]:
    """Several functions over one graph, as upstream code would call them one after the other."""
    return load_text(MODULE, "gain", "two", "again", "plain", facade=TENSORFLOW, state=state)


def tensor(*values: float) -> TensorFlowTensor:
    return TensorFlowTensor(np.array(values, dtype=np.float64))


def test_default_scope_names_are_made_unique(program: Mapping[str, Any], state: State) -> None:
    for size in (2, 3, 4):
        program["gain"](size)
    shapes = {name: variable.tensor.shape for name, variable in state.variables.items()}
    assert shapes == {"gain/weight": (2,), "gain_1/weight": (3,), "gain_2/weight": (4,)}


def test_named_scopes_nest_and_are_found_again_for_reuse(program: Mapping[str, Any], state: State) -> None:
    first = program["two"]("block")
    assert list(state.variables) == ["block/gain/weight", "block/gain_1/weight"]
    assert first[0].value.tolist() == [1, 1, 1]
    assert first[1].value.tolist() == [0, 0, 0, 0]

    again = program["two"]("block", reuse=True)

    assert again[0] is first[0]
    assert again[1] is first[1]
    program["two"]("other")
    assert len(state.variables) == 4


def test_a_scope_can_be_turned_to_reuse_while_open(program: Mapping[str, Any], state: State) -> None:
    first, second, name = program["again"]("block")
    assert first is second
    assert name == "block"
    assert list(state.variables) == ["block/weight"]
    assert program["plain"]("top", 3, initializer=np.ones) is state.variables["top"].tensor


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda p: (p["gain"](2, "a"), p["gain"](2, "a")), "ValueError: the variable a/weight exists already"),
        (lambda p: p["gain"](2, "a", reuse=True), "ValueError: the variable a/weight does not exist"),
        (
            lambda p: (p["gain"](2, "a"), p["gain"](3, "a", reuse=True)),
            r"ValueError: the variable a/weight has shape \[2\], not \[3\]",
        ),
        (lambda p: p["gain"](2, reuse=True), "ValueError: reuse=True needs a name"),
        (lambda p: p["gain"](2, 7), "TypeError: a variable scope is named by a text, not by int"),
        (lambda p: p["two"](None), "TypeError: a variable scope needs a name or a default name"),
        (lambda p: p["plain"]("w"), "ValueError: the new variable w needs a shape"),
        (lambda p: p["plain"]("w", [2]), "ValueError: the variable w would begin at random"),
    ],
)
def test_misuse_of_variables_is_what_tensorflow_refuses(
    program: Mapping[str, Any], attempt: Callable[[Mapping[str, Any]], object], message: str
) -> None:
    with pytest.raises(UpstreamError, match=rf"^project/module\.py:\d+: {message}"), located():
        attempt(program)


def test_a_failed_scope_is_closed(program: Mapping[str, Any], state: State) -> None:
    program["two"]("a")
    with pytest.raises(ValueError, match="exists already"):
        program["two"]("a")
    program["plain"]("top", [1], initializer=np.ones)
    assert "top" in state.variables


def test_given_values_replace_initial_ones_and_must_fit(load_text: Load) -> None:
    given = np.array([5.0, 6.0])
    state = State({"weight": given})
    program: Any = load_text(MODULE, "gain", facade=TENSORFLOW, state=state)
    found = program["gain"](2)
    assert found.value.tolist() == [5, 6]
    assert found.value is not given
    assert state.variables["gain/weight"].preset == "weight"
    with pytest.raises(
        UpstreamError, match=r"gain_1/weight has shape \[3\] upstream, but the value for weight has shape \[2\]"
    ):
        program["gain"](3)


def test_a_value_without_an_initializer_is_enough(load_text: Load) -> None:
    program: Any = load_text(MODULE, "plain", facade=TENSORFLOW, state=State({"w": np.ones(2)}))
    assert program["plain"]("w", [2]).value.tolist() == [1, 1]


def test_two_values_for_one_variable_are_refused(load_text: Load) -> None:
    state = State({"gain/weight": np.ones(2), "weight": np.ones(2)})
    program: Any = load_text(MODULE, "gain", facade=TENSORFLOW, state=state)
    with pytest.raises(UpstreamError, match="gain/weight has several values: gain/weight, weight"):
        program["gain"](2)


def test_part_of_a_name_is_not_the_name(load_text: Load) -> None:
    state = State({"eight": np.full(2, 7.0)})
    program: Any = load_text(MODULE, "gain", facade=TENSORFLOW, state=state)
    assert program["gain"](2).value.tolist() == [1, 1]


def test_runs_do_not_see_each_other(load_text: Load) -> None:
    for _ in range(2):
        state = State()
        program: Any = load_text(MODULE, "gain", facade=TENSORFLOW, state=state)
        program["gain"](2, "a")
        assert list(state.variables) == ["a/weight"]


def test_elementwise_calls_and_means(call: Call) -> None:
    x = np.array([[1.0, 2.0, 6.0], [4.0, 4.0, 1.0]])
    found = call("statistics", TensorFlowTensor(x))
    expected = [x.mean(), x.mean(1), x.mean(-1, keepdims=True), x * x, 1 / x, np.array(9.0)]
    for one, other in zip(found, expected, strict=True):
        assert one.value.shape == np.shape(other)
        np.testing.assert_allclose(one.value, other, rtol=1e-15)


def test_a_constant_keeps_every_digit(call: Call) -> None:
    assert float(call("constant", 1e-6).value) == 1e-6
    assert call("constant", [[1, 2]]).get_shape() == (1, 2)


def test_types_are_the_runs_own(load_text: Load) -> None:
    for dtype in (np.float32, np.float64):
        found: Any = load_text(MODULE, "as_types", facade=TENSORFLOW, state=State(dtype=np.dtype(dtype)))
        fractions, integers = found["as_types"](np.array([1, 2]))
        assert (fractions.value.dtype, integers.value.dtype) == (np.dtype(dtype), np.dtype(np.int32))


def test_calls_are_found_where_tensorflow_has_them(load_text: Load) -> None:
    module = "import tensorflow as tf\n\ndef f(x):\n  return tf.nn.softmax(x)\n\ndef g(x):\n  return tf.softmax(x)\n"
    found: Any = load_text(module, "f", "g", facade=TENSORFLOW)
    assert found["f"](tensor(0, 0)).value.tolist() == [0.5, 0.5]
    with pytest.raises(UpstreamError, match=r"AttributeError: the facade has no tensorflow\.softmax$"), located():
        found["g"](tensor(0, 0))


@pytest.mark.parametrize(
    ("value", "message"), [(tensor(1), "is a tensor already"), ("text", "is str, not a number"), (None, "is NoneType")]
)
def test_a_constant_is_a_number_or_numbers(call: Call, value: object, message: str) -> None:
    with pytest.raises(UpstreamError, match=message):
        call("constant", value)


def test_set_shape_checks(call: Call) -> None:
    x = TensorFlowTensor(np.ones((2, 3)))
    assert call("claim_shape", x, x.get_shape()) == (2, 3)
    assert call("claim_shape", x, [None, 3]) == (2, 3)
    for wrong in ([2, 4], [2], [2, 3, 1], [None, None, None]):
        with pytest.raises(UpstreamError, match=r"ValueError: shapes \[2, 3\] and \["):
            call("claim_shape", x, wrong)


def test_gradients_take_single_tensors_and_lists(call: Call) -> None:
    x = tensor(1, 2)
    (found,) = call("slope_of_square", x)
    assert found.value.tolist() == [2, 4]
    (found,) = call("slope_of_square", x, grad_ys=[tensor(10, 100)])
    assert found.value.tolist() == [20, 400]
    assert call("slope", [x], [x, tensor(1, 2)], [None])[1] is None
    with pytest.raises(UpstreamError, match="ValueError: 1 ys, but 2 grad_ys"):
        call("slope", [x], [x], [None, None])


def test_gradients_of_gradients_are_refused(call: Call) -> None:
    with pytest.raises(UpstreamError, match=r"^project/module\.py:\d+: the facade computes no gradients of gradients$"):
        call("slope_of_slope", tensor(1, 2))


def test_a_defun_has_the_gradient_that_it_brings(call: Call) -> None:
    of_x, of_y = call("slope_of_product", tensor(2, 3), tensor(5, 7))
    assert of_x.value.tolist() == [100, 100]  # as wrong_slope says, not 5 and 7
    assert of_y.value.tolist() == [0, 0]


def test_a_defun_sees_its_arguments_as_tensors_of_its_own(call: Call) -> None:
    of_x, of_y = call("quotient_slopes", 8.0, 2.0)
    assert float(of_x.value) == 0.5
    assert float(of_y.value) == -2
    same = tensor(4)
    of_x, of_y = call("quotient_slopes", same, same)
    assert of_x.value.tolist() == [0.25]
    assert of_y.value.tolist() == [-0.25]


def test_a_defun_with_a_gradient_that_does_not_fit_is_refused(call: Call) -> None:
    with pytest.raises(UpstreamError, match="ValueError: badly_sloped has gradients of other shapes"):
        call("slope_of_badly_sloped", tensor(1, 2))
    with pytest.raises(TypeError, match="a function that brings its gradient returns one tensor here"):
        call("twofold", tensor(1, 2))
