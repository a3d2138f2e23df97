from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from atlas.exceptions import UpstreamError
from atlas.sources.blob import blob_id
from atlas.upstream.run import FACADES, UpstreamCall, UpstreamResult, execute_call

TENSORFLOW_TEXT = """
import tensorflow as tf

DEPTH = 3


def rms(x, epsilon=0.25, name=None):
  with tf.variable_scope(name, default_name="rms"):
    gain = tf.get_variable("gain", [x.get_shape()[-1]], initializer=tf.ones_initializer())
  return gain * x * tf.rsqrt(tf.reduce_mean(tf.square(x), axis=-1, keep_dims=True) + epsilon)


def double_rms(x):
  return rms(x), rms(x)


def no_variable(x, y):
  return [x - y, x / y]


def careless(x):
  return 3


def untouched(x, y):
  return x * 2


def failing(x):
  gain = rms(x)
  return gain + "1"


def fill(x):
  x.value[...] = 0
  return x


class Uncallable(object):
  pass


def product(x, y):
  return x * y


def overwrite(x, y):
  x.value[...] = 0
  return y
"""

CHAINER_TEXT = """
from chainer import initializers, link, utils
from chainer.functions import math


class Gain(link.Chain):
    def __init__(self, size, start=2.0, power=1):
        super(Gain, self).__init__()
        self.power = power
        self.add_param('gain', size)
        initializers.init_weight(self.gain.data, start)
        utils.experimental('Gain')

    def __call__(self, rows):
        utils.experimental('calling')
        for _ in range(self.power):
            rows = math.scale.scale(rows, self.gain)
        return rows
"""

RMS = UpstreamCall("tensorflow", "rms", {"x": "features"}, variables={"gain": "gamma"})
GAIN = UpstreamCall("chainer", "Gain", {"rows": "x"}, variables={"gain": "gamma"}, construct={"size": 3})


def run(call: UpstreamCall, arrays: Mapping[str, Any], **options: float) -> UpstreamResult:
    text = CHAINER_TEXT if call.facade == "chainer" else TENSORFLOW_TEXT
    return execute_call(text, blob_id(text.encode()), call, arrays, options, filename="module.py")


@pytest.fixture
def x() -> Any:
    return np.random.default_rng(6).standard_normal((2, 3))


@pytest.fixture
def gamma() -> Any:
    return np.array([1.0, -2.0, 0.5])


def test_facades_are_named_by_themselves() -> None:
    assert sorted(FACADES) == ["chainer", "tensorflow"]
    assert all(facade.name == name for name, facade in FACADES.items())


def test_what_is_not_passed_takes_upstreams_default(x: Any, gamma: Any) -> None:
    found = run(RMS, {"features": x, "gamma": gamma}, epsilon=1.0)
    np.testing.assert_allclose(
        found.outputs[0], gamma * x / np.sqrt((x * x).mean(-1, keepdims=True) + 0.25), rtol=1e-15
    )
    assert dict(found.variables) == {"rms/gain": (3,)}
    assert found.values["rms/gain"].tolist() == gamma.tolist()
    assert found.notices == ()
    assert dict(found.gradients) == {}


def test_an_option_is_passed_as_a_number(x: Any, gamma: Any) -> None:
    call = replace(RMS, passes={"x": "features", "epsilon": "eps"})
    found = run(call, {"features": x, "gamma": gamma}, eps=1.0)
    np.testing.assert_allclose(found.outputs[0], gamma * x / np.sqrt((x * x).mean(-1, keepdims=True) + 1), rtol=1e-15)


def test_upstreams_own_initial_value_may_stay(x: Any) -> None:
    found = run(replace(RMS, variables={"rms/gain": None}), {"features": x})
    assert found.values["rms/gain"].tolist() == [1, 1, 1]


def test_gradients_for_everything_that_was_given(x: Any, gamma: Any) -> None:
    dy = np.random.default_rng(7).standard_normal((2, 3))
    found = run(replace(RMS, cotangent="dy"), {"features": x, "gamma": gamma, "dy": dy}).gradients
    root = np.sqrt((x * x).mean(-1, keepdims=True) + 0.25)
    assert set(found) == {"features", "gamma"}
    np.testing.assert_allclose(found["gamma"], (dy * x / root).sum(0), rtol=1e-14)
    along = (dy * gamma * x).mean(-1, keepdims=True)
    np.testing.assert_allclose(found["features"], dy * gamma / root - x * along / root**3, rtol=1e-13)


def test_an_array_that_is_passed_twice_has_one_gradient(x: Any) -> None:
    call = UpstreamCall("tensorflow", "product", {"x": "a", "y": "a"}, cotangent="dy")
    found = run(call, {"a": x, "dy": np.full((2, 3), 0.5)})
    np.testing.assert_allclose(found.gradients["a"], x, rtol=1e-15)


def test_gradients_that_do_not_exist_are_refused(x: Any) -> None:
    call = UpstreamCall("tensorflow", "untouched", {"x": "a", "y": "b"}, cotangent="a")
    with pytest.raises(UpstreamError, match=r"^the result of untouched does not depend on b$"):
        run(call, {"a": x, "b": x})
    with pytest.raises(UpstreamError, match=r"^no_variable returns no single tensor"):
        run(replace(call, callable="no_variable"), {"a": x, "b": x})


def test_lists_of_results_are_kept_apart(x: Any) -> None:
    found = run(UpstreamCall("tensorflow", "no_variable", {"x": "a", "y": "b"}), {"a": x, "b": x + 4})
    assert len(found.outputs) == 2
    np.testing.assert_array_equal(found.outputs[1], x / (x + 4))


def test_inputs_are_computed_in_float64_and_left_alone(x: Any) -> None:
    single = x.astype(np.float32)
    found = run(UpstreamCall("tensorflow", "no_variable", {"x": "x", "y": "x"}), {"x": single})
    assert found.outputs[0].dtype == np.float64
    before = x.copy()
    assert not run(UpstreamCall("tensorflow", "fill", {"x": "x"}), {"x": x}).outputs[0].any()
    np.testing.assert_array_equal(x, before)
    found = run(UpstreamCall("tensorflow", "overwrite", {"x": "a", "y": "a"}), {"a": x})
    np.testing.assert_array_equal(found.outputs[0], before)


def test_a_class_is_constructed_and_its_instance_called(x: Any, gamma: Any) -> None:
    found = run(replace(GAIN, construct={"size": 3, "power": 2}), {"x": x, "gamma": gamma})
    np.testing.assert_allclose(found.outputs[0], x * gamma**2, rtol=1e-15)
    assert [notice.split(" is ")[0] for notice in found.notices] == ["Gain", "calling"]
    assert dict(found.variables) == {"gain": (3,)}


def test_a_text_in_the_constructor_names_an_operator_argument(x: Any, gamma: Any) -> None:
    call = replace(GAIN, construct={"size": 3, "start": "gamma"}, variables={"gain": None})
    assert run(call, {"x": x, "gamma": gamma}).values["gain"].tolist() == gamma.tolist()
    assert run(replace(call, construct={"size": 3, "start": "s"}), {"x": x}, s=4.0).values["gain"].tolist() == [4, 4, 4]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (replace(RMS, facade="tensrflow"), "there is no facade tensrflow; there are chainer, tensorflow"),
        (replace(RMS, callable="rsm"), r"module\.py defines no rsm \(did you mean rms\?\)"),
        (replace(RMS, callable="DEPTH"), r"module\.py: DEPTH is int, which cannot be called"),
        (replace(RMS, passes={"y": "features"}), "rms has no argument y; it has epsilon, name, x"),
        (
            replace(RMS, passes={"epsilon": "epsilon", "name": "features"}),
            "rms cannot be called so: missing a required argument: 'x'",
        ),
        (replace(RMS, passes={"x": "feature"}, cotangent="features"), "the operator has no argument feature; it has "),
        (replace(RMS, passes={"x": "epsilon"}), "rms is never given the operator's features"),
        (replace(RMS, variables={"gain": "gama"}, cotangent="gamma"), "the operator has no argument gama; it has "),
        (
            replace(RMS, variables={"gain": "gamma", "shift": "gamma"}),
            r"module\.py: rms never creates the variable shift; it creates rms/gain",
        ),
        (
            replace(RMS, variables={}, cotangent="gamma"),
            r"module\.py: rms also creates the variable rms/gain, which is not mapped",
        ),
        (
            replace(RMS, callable="double_rms"),
            r"module\.py: double_rms creates several variables gain: rms/gain, rms_1/gain",
        ),
        (
            replace(RMS, callable="double_rms", variables={"rms/gain": "gamma"}),
            r"module\.py: double_rms also creates the variable rms_1/gain, which is not mapped",
        ),
        (
            replace(RMS, callable="careless"),
            r"module\.py: careless never creates the variable gain; it creates no variable",
        ),
        (
            replace(RMS, callable="careless", variables={}, cotangent=None, passes={"x": "features"}),
            "careless is never given the operator's gamma",
        ),
        (replace(RMS, callable="failing"), r"module\.py:31: TypeError: a tensor and str do not mix"),
        (
            replace(RMS, variables={"gain": "features"}, cotangent="gamma"),
            r"module\.py:9: the variable rms/gain has shape",
        ),
        (replace(RMS, construct={"size": 3}), "rms is no class: it is constructed with nothing"),
        (replace(RMS, callable="Uncallable"), "an instance of Uncallable cannot be called"),
    ],
)
def test_wrong_claims_are_refused(call: UpstreamCall, message: str, x: Any, gamma: Any) -> None:
    with pytest.raises(UpstreamError, match=f"^{message}"):
        run(call, {"features": x, "gamma": gamma}, epsilon=0.5)


@pytest.mark.parametrize(
    ("construct", "message"),
    [
        ({}, "the constructor of Gain cannot be called so: missing a required argument: 'size'"),
        ({"sise": 3}, "the constructor of Gain has no argument sise; it has power, size, start"),
        ({"size": "none"}, "the operator has no argument none; it has gamma, x"),
        (
            {"size": 4},
            r"module\.py:10: the variable gain has shape \[4\] upstream, but the value for gain",
        ),
        ({"size": 3, "start": None}, r"module\.py:11: ValueError: a parameter would begin at random"),
    ],
)
def test_wrong_constructions_are_refused(construct: dict[str, Any], message: str, x: Any, gamma: Any) -> None:
    with pytest.raises(UpstreamError, match=f"^{message}"):
        run(replace(GAIN, construct=construct), {"x": x, "gamma": gamma})


def test_results_that_are_no_tensors_are_refused(x: Any) -> None:
    with pytest.raises(UpstreamError, match=r"^careless returns int where a tensor was expected"):
        run(UpstreamCall("tensorflow", "careless", {"x": "x"}), {"x": x})


def test_a_name_is_an_array_or_an_option_but_not_both(x: Any, gamma: Any) -> None:
    with pytest.raises(UpstreamError, match=r"^gamma is given as an array and as an option"):
        run(RMS, {"features": x, "gamma": gamma}, gamma=1.0)


def test_arrays_of_other_things_than_numbers_are_refused(gamma: Any) -> None:
    with pytest.raises(UpstreamError, match=r"^the operator's features holds <U1"):
        run(RMS, {"features": np.array(["a"]), "gamma": gamma})
