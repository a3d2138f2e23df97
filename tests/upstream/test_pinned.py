"""The real pinned files, executed: they are brought from their packages (or the cache), never stored here."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from atlas.entries.manifest import Manifest
from atlas.entries.tree import read
from atlas.entries.validate import validate
from atlas.exceptions import UpstreamError
from atlas.operators.layer_norm import (
    layer_norm,
    layer_norm_gradient,
    layer_norm_outer_epsilon,
    layer_norm_outer_epsilon_gradient,
)
from atlas.operators.layer_normalization import LayerNormalization
from atlas.sources.store import PinnedText, SourceStore
from atlas.upstream.chainer_facade import CHAINER, ChainerVariable
from atlas.upstream.compare import SCALES, Sample, largest_relative_error, samples
from atlas.upstream.execute import load
from atlas.upstream.facade import State
from atlas.upstream.run import UpstreamCall, UpstreamResult, execute_call
from atlas.upstream.tensor import Array

SOURCES = Path(__file__).resolve().parents[2] / "sources"
RTOL = 1e-9
EPSILON = {"epsilon": 1e-6}

VECTORS = {"x": ("B", "S", "d"), "gamma": ("d",), "beta": ("d",)}
ROWS = {"x": ("N", "C"), "gamma": ("C",), "beta": ("C",)}

PYTHON = UpstreamCall(
    "tensorflow", "layer_norm_compute_python", {"x": "x", "epsilon": "epsilon", "scale": "gamma", "bias": "beta"}
)
LAYER = UpstreamCall(
    "tensorflow", "layer_norm", {"x": "x"}, variables={"layer_norm_scale": "gamma", "layer_norm_bias": "beta"}
)
GRADIENT = UpstreamCall(
    "tensorflow",
    "layer_norm_compute_grad",
    {"x": "x", "epsilon": "epsilon", "scale": "gamma", "bias": "beta", "dy": "dy"},
)
CHAIN = UpstreamCall("chainer", "LayerNormalization", {"x": "x"}, variables={"gamma": "gamma", "beta": "beta"})


@pytest.fixture(scope="module")
def store() -> SourceStore:
    manifests = {}
    for name in ("tensor2tensor", "chainer"):
        document, _ = read(SOURCES / f"{name}.yml", f"{name}.yml")
        assert document is not None
        manifest, issues = validate(document, Manifest)
        assert manifest is not None, issues
        manifests[name] = manifest
    return SourceStore(manifests)


@pytest.fixture(scope="module")
def common_layers(store: SourceStore) -> PinnedText:
    return store.file("tensor2tensor", "tensor2tensor/models/common_layers.py")


@pytest.fixture(scope="module")
def layer_normalization(store: SourceStore) -> PinnedText:
    return store.file("chainer", "chainer/links/normalization/layer_normalization.py")


def run(pinned: PinnedText, call: UpstreamCall, arrays: Any, options: Any = EPSILON) -> UpstreamResult:
    return execute_call(pinned.text, pinned.blob, call, arrays, options, filename=pinned.path)


def only(result: UpstreamResult) -> Array:
    (output,) = result.outputs
    return output


def sample(axes: dict[str, tuple[str, ...]], scale: str, **more: tuple[str, ...]) -> Sample:
    return next(one for one in samples(axes | more, seed=20) if one.scale == scale)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("call", [PYTHON, LAYER], ids=["compute", "layer"])
def test_tensor2tensors_layer_norm_is_our_operator(common_layers: PinnedText, call: UpstreamCall, scale: str) -> None:
    arrays = sample(VECTORS, scale).arrays
    found = run(common_layers, call, arrays)
    assert largest_relative_error(only(found), layer_norm(**arrays, **EPSILON)) <= RTOL
    made = {"layer_norm/layer_norm_scale": (7,), "layer_norm/layer_norm_bias": (7,)} if call is LAYER else {}
    assert dict(found.variables) == made
    assert found.notices == ()


@pytest.mark.parametrize("scale", SCALES)
def test_tensor2tensors_gradient_is_our_gradient(common_layers: PinnedText, scale: str) -> None:
    arrays = sample(VECTORS, scale, dy=("B", "S", "d")).arrays
    expected = layer_norm_gradient(**arrays, **EPSILON)

    for one, other in zip(run(common_layers, GRADIENT, arrays).outputs, expected, strict=True):
        assert largest_relative_error(one, np.asarray(other)) <= RTOL

    # Through the whole layer, whose Defun brings that gradient function.
    found = run(common_layers, replace(LAYER, cotangent="dy"), arrays).gradients
    assert set(found) == {"x", "gamma", "beta"}
    for name, gradient in found.items():
        assert largest_relative_error(gradient, getattr(expected, name)) <= RTOL


def test_tensor2tensors_gain_begins_as_ones_and_bias_as_zeros(common_layers: PinnedText) -> None:
    call = replace(LAYER, variables={"layer_norm_scale": None, "layer_norm_bias": None})
    arrays = {"x": sample(VECTORS, "N(0, 1)").arrays["x"]}
    found = run(common_layers, call, arrays)
    assert {name: value.tolist() for name, value in found.values.items()} == {
        "layer_norm/layer_norm_scale": [1.0] * 7,
        "layer_norm/layer_norm_bias": [0.0] * 7,
    }
    assert largest_relative_error(only(found), layer_norm(arrays["x"], np.ones(7), np.zeros(7), **EPSILON)) <= RTOL


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("construct", [{}, {"size": 5}, {"eps": "epsilon"}], ids=["deferred", "sized", "with eps"])
def test_chainers_layer_normalization_is_our_operator(
    layer_normalization: PinnedText, construct: dict[str, str | int], scale: str
) -> None:
    arrays = sample(ROWS, scale, dy=("N", "C")).arrays
    found = run(layer_normalization, replace(CHAIN, construct=construct, cotangent="dy"), arrays)
    forward = layer_norm_outer_epsilon(arrays["x"], arrays["gamma"], arrays["beta"], **EPSILON)
    backward = layer_norm_outer_epsilon_gradient(**arrays, **EPSILON)

    assert largest_relative_error(only(found), forward) <= RTOL
    assert dict(found.variables) == {"gamma": (5,), "beta": (5,)}
    for name in ("x", "gamma", "beta"):
        assert largest_relative_error(found.gradients[name], getattr(backward, name)) <= RTOL
    (notice,) = found.notices
    assert notice.startswith("chainer.links.normalization.layer_normalization.py is experimental.")


@pytest.mark.parametrize("construct", [{}, {"size": 5}], ids=["deferred", "sized"])
def test_chainers_initial_values(layer_normalization: PinnedText, construct: dict[str, str | int]) -> None:
    arrays = sample(ROWS, "2 N(0, 1) + 0.5").arrays
    as_made = replace(CHAIN, variables={"gamma": None, "beta": None})

    plain = run(layer_normalization, replace(as_made, construct=construct), {"x": arrays["x"]})
    assert [value.tolist() for value in plain.values.values()] == [[1.0] * 5, [0.0] * 5]

    numbers = replace(as_made, construct={**construct, "initial_gamma": 2, "initial_beta": -0.25})
    found = only(run(layer_normalization, numbers, {"x": arrays["x"]}))
    expected = layer_norm_outer_epsilon(arrays["x"], np.full(5, 2.0), np.full(5, -0.25), **EPSILON)
    assert largest_relative_error(found, expected) <= RTOL

    given = replace(as_made, construct={**construct, "initial_gamma": "gamma", "initial_beta": "beta"})
    found = only(run(layer_normalization, given, arrays))
    assert largest_relative_error(found, layer_norm_outer_epsilon(**arrays, **EPSILON)) <= RTOL


@pytest.mark.parametrize("size", [None, 5])
@pytest.mark.parametrize(
    "initial",
    [None, 3, -0.5, np.arange(5.0), lambda array: array.__setitem__(slice(None), [5, 4, 3, 2, 1])],
    ids=["default", "integer", "number", "array", "callable"],
)
def test_chainers_class_and_ours_behave_alike(layer_normalization: PinnedText, size: int | None, initial: Any) -> None:
    loaded: Any = load(
        layer_normalization.text,
        layer_normalization.blob,
        names=["LayerNormalization"],
        facade=CHAINER,
        state=State(),
        filename=layer_normalization.path,
    )
    x = sample(ROWS, "2 N(0, 1) + 0.5").arrays["x"]
    with pytest.warns(FutureWarning, match="is experimental"):
        theirs = loaded["LayerNormalization"](size, initial_gamma=initial, initial_beta=initial)
    with pytest.warns(FutureWarning, match="is experimental"):
        ours = LayerNormalization(size, initial_gamma=initial, initial_beta=initial)
    assert theirs.eps == ours.eps
    assert theirs.has_uninitialized_params == ours.has_uninitialized_params == (size is None)
    assert hasattr(theirs, "gamma") == hasattr(ours, "gamma")

    expected = theirs(ChainerVariable(x)).data

    assert largest_relative_error(ours(x), expected) <= RTOL
    np.testing.assert_array_equal(ours.gamma, theirs.gamma.data)
    np.testing.assert_array_equal(ours.beta, theirs.beta.data)


def test_chainer_takes_no_third_axis(layer_normalization: PinnedText) -> None:
    call = replace(CHAIN, variables={"gamma": None, "beta": None})
    with pytest.raises(UpstreamError, match=rf"^{layer_normalization.path}:100: ValueError: "):
        run(layer_normalization, call, {"x": np.ones((2, 3, 4))})


def unbiased(x: Array, gamma: Array, beta: Array, inside: float, outside: float) -> Array:
    centred = x - x.mean(-1, keepdims=True)
    return np.asarray(gamma * centred / (np.sqrt(x.var(-1, ddof=1, keepdims=True) + inside) + outside) + beta)


@pytest.mark.parametrize("scale", SCALES)
def test_wrong_variants_are_seen(common_layers: PinnedText, layer_normalization: PinnedText, scale: str) -> None:
    arrays = sample(ROWS, scale).arrays
    inner, outer = only(run(common_layers, LAYER, arrays)), only(run(layer_normalization, CHAIN, arrays))
    assert largest_relative_error(inner, layer_norm(**arrays, **EPSILON)) <= RTOL
    for wrong in (
        layer_norm(**arrays, epsilon=1e-5),
        layer_norm_outer_epsilon(**arrays, **EPSILON),
        unbiased(**arrays, inside=1e-6, outside=0),
        layer_norm(arrays["x"], arrays["beta"], arrays["gamma"], **EPSILON),
    ):
        assert largest_relative_error(inner, wrong) > RTOL
    for wrong in (
        layer_norm_outer_epsilon(**arrays, epsilon=1e-5),
        layer_norm(**arrays, **EPSILON),
        unbiased(**arrays, inside=0, outside=1e-6),
    ):
        assert largest_relative_error(outer, wrong) > RTOL


def test_an_epsilon_that_is_one_percent_off_is_seen_on_small_inputs(
    common_layers: PinnedText, layer_normalization: PinnedText
) -> None:
    arrays = sample(ROWS, "0.001 N(0, 1)").arrays
    inner, outer = only(run(common_layers, LAYER, arrays)), only(run(layer_normalization, CHAIN, arrays))
    assert largest_relative_error(inner, layer_norm(**arrays, epsilon=1.01e-6)) > 1e-4
    assert largest_relative_error(outer, layer_norm_outer_epsilon(**arrays, epsilon=1.01e-6)) > 1e-6


def test_wrong_claims_about_the_pinned_code_are_named(
    common_layers: PinnedText, layer_normalization: PinnedText
) -> None:
    arrays = sample(VECTORS, "N(0, 1)").arrays
    wrong = replace(LAYER, variables=MappingProxyType({"layer_norm_gain": "gamma", "layer_norm_bias": "beta"}))
    with pytest.raises(UpstreamError, match="never creates the variable layer_norm_gain; it creates layer_norm/layer_"):
        run(common_layers, wrong, arrays)
    with pytest.raises(UpstreamError, match=r"layer_norm has no argument eps; it has epsilon, filters, name"):
        run(common_layers, replace(LAYER, passes={"x": "x", "eps": "epsilon"}), arrays)
    with pytest.raises(UpstreamError, match=r"is pinned as blob 12d63939\w+ but is [0-9a-f]{40}: it is not executed$"):
        run(replace(layer_normalization, text=layer_normalization.text + "\n"), CHAIN, arrays)
