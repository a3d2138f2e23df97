from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from atlas.exceptions import UpstreamError
from atlas.upstream.chainer_facade import CHAINER, ChainerVariable
from atlas.upstream.execute import located
from atlas.upstream.facade import State
from atlas.upstream.tensor import gradients

Load = Callable[..., Mapping[str, object]]

MODULE = """
from chainer import cuda, initializers, link, utils
from chainer.functions import array, math as functions


class Affine(link.Chain):

    def __init__(self, size=None, gain=initializers.One(), shift=initializers.Zero(), notice=False):
        super().__init__()
        for name in ('gain', 'shift'):
            self.add_uninitialized_param(name)
        self.starts = gain, shift
        if size:
            self.begin(size)
        if notice:
            utils.experimental('project.Affine')

    def begin(self, size):
        self.add_param('gain', size)
        self.add_param('shift', (size,))
        initializers.init_weight(self.gain.data, self.starts[0])
        initializers.init_weight(self.shift.data, self.starts[1], scale=2.0)

    def __call__(self, batch):
        device = cuda.get_device_from_id(self._device_id)
        if not hasattr(self, 'gain') and self.has_uninitialized_params:
            with device:
                self.begin(batch.size // len(batch.data))
        return functions.bias.bias(functions.scale.scale(batch, self.gain), self.shift)


def length(x):
    return functions.sqrt.sqrt(functions.sum.sum(functions.square.square(x), axis=1))


def stretched(x, shape):
    return array.broadcast.broadcast_to(x[:, None], shape)


def sums(x):
    return functions.sum.sum(x), functions.sum.sum(x, axis=(0, 1), keepdims=True)


def scaled(x, y, axis):
    return functions.scale.scale(x, y, axis=axis)


def added(x, y):
    return x + y


def on_device(number):
    with cuda.get_device_from_id(number):
        return number
"""


def program(load_text: Load, state: State | None = None) -> Any:
    names = ("Affine", "length", "stretched", "sums", "scaled", "added", "on_device")
    return load_text(MODULE, *names, facade=CHAINER, state=state)


def variable(*shape: int) -> ChainerVariable:
    return ChainerVariable(np.random.default_rng(2).standard_normal(shape))


def test_parameters_may_be_made_at_once_or_at_the_first_call(load_text: Load) -> None:
    for size in (3, None):
        state = State()
        affine = program(load_text, state)["Affine"](size)
        assert affine.has_uninitialized_params == (size is None)
        assert list(state.variables) == ([] if size is None else ["gain", "shift"])
        assert hasattr(affine, "gain") == (size is not None)

        x = variable(2, 3)
        np.testing.assert_array_equal(affine(x).data, x.data)

        assert not affine.has_uninitialized_params
        assert {name: one.tensor.shape for name, one in state.variables.items()} == {"gain": (3,), "shift": (3,)}


@pytest.mark.parametrize(
    ("gain", "expected"),
    [
        (2, [2, 2, 2]),
        (np.float32(0.5), [0.5, 0.5, 0.5]),
        (np.array([1.0, 2.0, 3.0]), [1, 2, 3]),
        (lambda array: array.__setitem__(slice(None), [7, 8, 9]), [7, 8, 9]),
    ],
    ids=["number", "NumPy number", "array", "callable"],
)
def test_initializers(load_text: Load, gain: object, expected: list[float]) -> None:
    affine = program(load_text)["Affine"](3, gain=gain, shift=5)
    assert affine.gain.data.tolist() == expected
    assert affine.shift.data.tolist() == [10, 10, 10]


def test_an_initial_array_is_copied(load_text: Load) -> None:
    start = np.ones(3)
    affine = program(load_text)["Affine"](3, gain=start)
    affine.gain.data[...] = 4
    assert start.tolist() == [1, 1, 1]


def test_a_given_value_outlives_the_initializer_which_must_fit_all_the_same(load_text: Load) -> None:
    state = State({"gain": np.array([5.0, 6.0, 7.0])})
    affine = program(load_text, state)["Affine"](3, gain=2)
    assert affine.gain.data.tolist() == [5, 6, 7]
    assert affine.shift.data.tolist() == [0, 0, 0]
    with pytest.raises(UpstreamError, match=r"^project/module\.py:\d+: ValueError: could not broadcast"), located():
        program(load_text, State({"gain": np.ones(3)}))["Affine"](3, gain=np.ones(4))


def test_a_parameter_that_nothing_fills_is_nan(load_text: Load) -> None:
    affine = program(load_text)["Affine"](3, gain=lambda array: None)
    assert np.isnan(affine.gain.data).all()


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda p: p["Affine"](3, gain=None), "ValueError: a parameter would begin at random"),
        (lambda p: p["Affine"](3).begin(3), "AttributeError: the attribute gain exists already"),
        (lambda p: p["Affine"]()(variable(2, 3, 4)), r"ValueError: .*broadcast"),
        (lambda p: p["Affine"](4)(variable(2, 3)), r"ValueError: .*broadcast"),
        (
            lambda p: p["added"](variable(2, 3), variable(3)),
            r"ValueError: variables of shapes \[2, 3\] and \[3\] do not",
        ),
        (
            lambda p: p["added"](variable(2), np.ones((2, 2))),
            r"ValueError: variables of shapes \[2\] and \[2, 2\] do not",
        ),
        (
            lambda p: p["scaled"](variable(2, 3), variable(3), 2),
            r"ValueError: shape \[3\] does not fit into \[2, 3\] from",
        ),
        (lambda p: p["stretched"](variable(2), (3, 4)), r"ValueError: .*broadcast"),
        (lambda p: p["on_device"](0), "ValueError: there is no device 0 here"),
    ],
)
def test_misuse_is_refused(load_text: Load, attempt: Any, message: str) -> None:
    with pytest.raises(UpstreamError, match=rf"^project/module\.py:\d+: {message}"), located():
        attempt(program(load_text))


def test_announcing_a_parameter_twice_is_refused(load_text: Load) -> None:
    affine = program(load_text)["Affine"]()
    with pytest.raises(AttributeError, match="the parameter gain exists already"):
        affine.add_uninitialized_param("gain")


def test_a_second_link_cannot_take_the_same_parameter_names(load_text: Load) -> None:
    found = program(load_text)
    found["Affine"](3)
    with pytest.raises(UpstreamError, match="the variable gain exists already"):
        found["Affine"](3)


def test_a_parameter_may_bring_its_initializer(load_text: Load) -> None:
    state = State()
    affine = program(load_text, state)["Affine"]()
    affine.add_param("extra", (2, 2), initializer=lambda array: array.fill(3))
    assert state.variables["extra"].tensor.value.tolist() == [[3, 3], [3, 3]]


def test_the_notice_is_a_future_warning(load_text: Load) -> None:
    with pytest.warns(
        FutureWarning, match=r"^project\.Affine is experimental\. The interface can change in the future\.$"
    ):
        program(load_text)["Affine"](3, notice=True)


def test_functions_are_numpys(load_text: Load) -> None:
    found = program(load_text)
    x = variable(2, 3)
    np.testing.assert_allclose(found["length"](x).data, np.linalg.norm(x.data, axis=1), rtol=1e-15)
    np.testing.assert_array_equal(
        found["stretched"](variable(2), (2, 4)).data, np.repeat(variable(2).data[:, None], 4, 1)
    )
    whole, kept = found["sums"](x)
    assert whole.shape == ()
    assert kept.shape == (1, 1)
    assert (x.ndim, x.size) == (2, 6)
    y = variable(3)
    np.testing.assert_array_equal(
        found["scaled"](variable(2, 3, 4), y, 1).data, variable(2, 3, 4).data * y.data[:, None]
    )
    np.testing.assert_array_equal(found["length"](x.data).data, found["length"](x).data)
    assert found["on_device"](None) is None


def test_gradients_flow_to_the_parameters(load_text: Load) -> None:
    affine = program(load_text)["Affine"](3, gain=2)
    x = variable(2, 3)
    of_x, of_gain, of_shift = gradients([affine(x)], [x, affine.gain, affine.shift], [np.ones((2, 3))])
    np.testing.assert_array_equal(np.asarray(of_x), np.full((2, 3), 2.0))
    np.testing.assert_array_equal(np.asarray(of_gain), x.data.sum(0))
    np.testing.assert_array_equal(np.asarray(of_shift), [2, 2, 2])
