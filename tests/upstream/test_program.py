"""Programs of calls over a small project written here; tests/upstream/test_transformer.py runs a real one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from atlas.exceptions import UpstreamError
from atlas.sources.blob import blob_id
from atlas.upstream.program import Program, Step
from atlas.upstream.run_program import ProgramRun, run_program

TEXT = """
import tensorflow as tf

MODELS = {}


def register(model):
  MODELS[model.__name__] = model
  return model


def settings():
  return tf.contrib.training.HParams(width=4, kind="plain", rate=0.5, sizes=[1, 2])


@register
class Net(object):
  def __init__(self, hparams):
    self.hparams = hparams

  def run(self, features, repeat=1):
    x = features["x"]
    with tf.variable_scope("net"):
      for i in range(repeat):
        with tf.variable_scope("layer_%d" % i):
          x = tf.layers.conv2d(x, self.hparams.width, (1, 1), name="map")
    return x, {"last": [x, x.get_shape()[-1]]}


def build(name, hparams):
  return MODELS[name](hparams)


def wrong(x):
  return x + "1"


LIMIT = 3
"""


@dataclass(frozen=True, slots=True)
class File:
    text: str
    blob: str


FILES = {"net.py": File(TEXT, blob_id(TEXT.encode()))}
PROGRAM = Program(
    facade="tensorflow",
    constants={"plain": "Net"},
    loads={"net.py": ["Net"]},
    steps=[
        Step("settings", file="net.py", sets={"width": "d"}, gives="hparams"),
        Step("build", file="net.py", passes={"name": "plain", "hparams": "hparams"}, gives="net"),
        Step("run", on="net", passes={"features": {"x": "x"}, "repeat": 2}, gives=["y", "more"]),
    ],
    watches={"net.py": ["Net.run"]},
    outputs={"y": "y", "last": "more.last.0"},
    settings={
        "width": "net.hparams.width",
        "kind": "hparams.kind",
        "size": "hparams.sizes.1",
        "sizes": "hparams.sizes",
        "depth": "more.last.1",
    },
)
X = np.random.default_rng(3).standard_normal((2, 3, 1, 5))
Run = Callable[..., ProgramRun]


def run(program: Program = PROGRAM, **named: Any) -> ProgramRun:
    arguments: dict[str, Any] = {"inputs": {"x": X}, "sizes": {"d": 7}} | named
    return run_program(program, FILES, **arguments)


def without(program: Program, number: int, **changes: Any) -> Program:
    """The program with one step changed."""
    steps = list(program.steps)
    steps[number] = replace(steps[number], **changes)
    return replace(program, steps=steps)


def test_a_program_gives_variables_values_outputs_and_settings() -> None:
    found = run()
    names = [f"net/layer_{n}/map/{part}" for n in (0, 1) for part in ("kernel", "bias")]
    assert {name: value.shape for name, value in found.variables.items()} == dict(
        zip(names, [(1, 1, 5, 7), (7,), (1, 1, 7, 7), (7,)], strict=True)
    )
    kernels, biases = ([found.variables[name] for name in names[i::2]] for i in (0, 1))
    expected = (X @ kernels[0][0, 0] + biases[0]) @ kernels[1][0, 0] + biases[1]
    np.testing.assert_allclose(found.outputs["y"], expected, rtol=1e-12)
    np.testing.assert_array_equal(found.outputs["last"], found.outputs["y"])
    assert list(found.values) == ["run:0"]
    np.testing.assert_array_equal(found.values["run:0"], found.outputs["y"])
    assert found.settings == {"width": 7, "kind": "plain", "size": 2, "sizes": [1, 2], "depth": 7}
    assert found.notices == ()
    assert all(value.all() for value in found.variables.values())


def test_values_may_be_given_by_name() -> None:
    given = {"net/layer_0/map/bias": np.arange(7.0), "layer_1/map/kernel": np.ones((1, 1, 7, 7))}
    found = run(values=given)
    assert found.variables["net/layer_0/map/bias"].tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert found.variables["net/layer_1/map/kernel"].tolist() == np.ones((1, 1, 7, 7)).tolist()
    assert found.variables["net/layer_1/map/bias"].all()


def test_the_seed_decides_the_variables() -> None:
    first, again, other = (run(seed=seed).outputs["y"] for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.allclose(first, other)


def test_the_element_type_is_that_of_the_run() -> None:
    found = run(dtype=np.float32)
    assert {value.dtype for value in (*found.variables.values(), *found.outputs.values())} == {np.dtype(np.float32)}
    np.testing.assert_allclose(found.outputs["y"], run().outputs["y"], rtol=1e-4, atol=1e-5)


def test_only_shapes_costs_nothing() -> None:
    found = run(sizes={"d": 300_000}, only_shapes=True, inputs={"x": X[:1, :1]})
    assert found.variables["net/layer_1/map/kernel"].shape == (1, 1, 300_000, 300_000)
    assert not found.outputs["y"].any()


def test_inputs_are_left_alone() -> None:
    before = X.copy()
    run()
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (replace(PROGRAM, facade="tensrflow"), "there is no facade tensrflow; there are chainer, tensorflow"),
        (without(PROGRAM, 0, call="setings"), r"net\.py defines no setings \(did you mean settings\?\)"),
        (without(PROGRAM, 0, call="LIMIT"), "LIMIT is int, which cannot be called"),
        (without(PROGRAM, 0, file=None), "the call of settings needs either the file"),
        (without(PROGRAM, 2, file="net.py"), "the call of run needs either the file"),
        (without(PROGRAM, 0, file="nit.py"), r"nit\.py is not among the files: net\.py"),
        (without(PROGRAM, 0, sets={"witdh": "d"}), "the result of settings has no attribute witdh to be set"),
        (without(PROGRAM, 0, sets={"_hparam_types": "d"}), "the result of settings has no attribute _hparam_types"),
        (without(PROGRAM, 0, sets={"width": "e"}), "e refers to nothing: the names are d, plain, x"),
        (without(PROGRAM, 0, sets={}), "no step refers to d"),
        (without(PROGRAM, 0, gives="x"), "the name x is given twice"),
        (without(PROGRAM, 0, gives="a.b"), r"'a\.b' cannot be a name"),
        (without(PROGRAM, 0, gives=["a", "b"]), "settings gives one result, not 2: a, b"),
        (without(PROGRAM, 1, passes={"name": "plain"}), "build cannot be called so: missing a required argument: 'h"),
        (without(PROGRAM, 1, passes={"nam": "plain"}), "build has no argument nam; it has hparams, name"),
        (without(PROGRAM, 1, passes={"name": "hparams.kind", "hparams": "hparams"}), r"net\.py:31: KeyError: 'plain'"),
        (replace(PROGRAM, loads={}), r"net\.py:31: KeyError: 'Net'"),
        (replace(PROGRAM, loads={"net.py": ["Nit"]}), r"net\.py defines no Nit \(did you mean Net\?\)"),
        (without(PROGRAM, 2, on="hparams"), r"hparams\.run: HParams has no attribute run"),
        (without(PROGRAM, 2, on="x", call="value"), r"x\.value is ndarray, which cannot be called"),
        (without(PROGRAM, 2, gives=["a", "b", "c"]), r"net\.run gives 2 results, not 3: a, b, c"),
        (replace(PROGRAM, outputs={"y": "more"}), "more is dict where a tensor was expected"),
        (replace(PROGRAM, outputs={"y": "more.first"}), r"more\.first: there is no key first; there are last"),
        (replace(PROGRAM, outputs={"y": "more.last.2"}), r"more\.last\.2: there is no number 2 of 2"),
        (replace(PROGRAM, outputs={"y": "net._hidden"}), r"net\._hidden: Net has no attribute _hidden"),
        (replace(PROGRAM, outputs={"y": "z"}), "z refers to nothing: the names are d, hparams, more, net, plain, x, y"),
        (replace(PROGRAM, settings={"y": "y"}), "y is TensorFlowTensor, which is no setting"),
        (replace(PROGRAM, constants={"plain": "Net", "x": 1}), "the name x is given twice"),
        (replace(PROGRAM, constants={"plain": "Net", "other": 1}), "no step refers to other"),
        (replace(PROGRAM, watches={"net.py": ["Net.run", "wrong"]}), r"net\.py: wrong is watched but never called"),
        (replace(PROGRAM, watches={"nit.py": ["f"]}), r"nit\.py is not among the files"),
        (
            replace(PROGRAM, steps=[*PROGRAM.steps, Step("wrong", file="net.py", passes={"x": "x"})]),
            r"net\.py:35: TypeError: a tensor and str do not mix",
        ),
    ],
)
def test_wrong_programs_are_refused(program: Program, message: str) -> None:
    with pytest.raises(UpstreamError, match=f"^{message}"):
        run(program)


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"inputs": {"x": X, "z": X}}, "no step refers to z"),
        ({"inputs": {"x": np.array(["a"])}}, "the input x holds <U1"),
        ({"values": {"bais": np.ones(7)}}, "no variable bais is ever created; there are net/layer_0/map/bias, "),
        (
            {"values": {"layer_0/map/bias": np.ones(6)}},
            r"net\.py:\d+: the variable net/layer_0/map/bias has shape \[7\]",
        ),
    ],
)
def test_what_is_given_for_nothing_is_refused(named: dict[str, Any], message: str) -> None:
    with pytest.raises(UpstreamError, match=f"^{message}"):
        run(**named)
