"""Each operator's text that runs alone: executed in an empty namespace it gives what the operator gives."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from itertools import takewhile
from typing import Any

import numpy as np
import pytest

from atlas.exceptions import ContractError
from atlas.operators.activation import relu
from atlas.operators.catalogue import CATALOGUE
from atlas.operators.contract import Floats
from atlas.operators.family import Family
from atlas.operators.registry import operator
from atlas.operators.standalone import standalone

FILES = ("activation", "attention", "convolution", "experts", "language", "normalization", "positions")
FAMILY = Family("test", "Test", "activation")
POWER = 3


def alone(name: str) -> Callable[..., Any]:
    namespace: dict[str, Any] = {}
    exec(compile(standalone(CATALOGUE[name]), f"{name}.py", "exec"), namespace)  # noqa: S102 - that it runs is the point
    made: Callable[..., Any] = namespace[name]
    return made


@pytest.fixture(scope="module")
def cases(golden: Callable[[str], dict[str, Any]]) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    found = [
        (case["operator"], {name: np.array(value) for name, value in case["arrays"].items()}, case["options"])
        for file in FILES
        for case in golden(file)["cases"]
    ]
    for name in ("layer_norm", "layer_norm_outer_epsilon"):
        random = np.random.default_rng(5)
        x, gamma, beta = random.normal(size=(4, 6)), random.normal(size=6), random.normal(size=6)
        found.append((name, {"x": x, "gamma": gamma, "beta": beta}, {"epsilon": 1e-3}))
    return found


def test_all_operators_are_compared(cases: list[tuple[str, Any, Any]]) -> None:
    assert {name for name, _, _ in cases} == set(CATALOGUE)


def test_alone_it_gives_the_same_bits(cases: list[tuple[str, dict[str, Any], dict[str, Any]]]) -> None:
    functions = {name: alone(name) for name in CATALOGUE}
    for name, arrays, options in cases:
        one = CATALOGUE[name]
        whole = {argument.name: arrays.get(argument.name) for argument in one.contract.inputs}
        with np.errstate(all="ignore"):
            found, expected = functions[name](**whole, **options), one(**arrays, **options)
        pairs = zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]
        for here, there in pairs:
            np.testing.assert_array_equal(here, there, err_msg=name, strict=True)


@pytest.mark.parametrize("name", CATALOGUE)
def test_what_may_be_left_out_may_be_left_out(name: str) -> None:
    contract = CATALOGUE[name].contract
    function = alone(name)
    defaults = dict(zip(reversed(_names(function)), reversed(function.__defaults__ or ()), strict=False))
    # One that a required argument follows cannot have a default.
    last = [*takewhile(lambda argument: argument.optional, reversed(contract.inputs))]
    assert defaults == {argument.name: None for argument in last}


def _names(function: Callable[..., Any]) -> list[str]:
    assert isinstance(function, types.FunctionType)
    return list(function.__code__.co_varnames[: function.__code__.co_argcount])


@pytest.mark.parametrize("name", CATALOGUE)
def test_it_needs_numpy_and_the_standard_library_alone(name: str) -> None:
    text = standalone(CATALOGUE[name])
    tree = ast.parse(text)
    modules = {
        module.partition(".")[0]
        for node in ast.walk(tree)
        for module in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [one.name for one in node.names]
            if isinstance(node, ast.Import)
            else []
        )
    }
    assert modules <= {"math", "numpy", "typing"}
    assert text.startswith(f"# {name}: {CATALOGUE[name].summary}\n")
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.arg) and node.annotation]
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.decorator_list]


def test_the_text_itself() -> None:
    text = standalone(CATALOGUE["layer_norm"])
    assert "def layer_norm(x, gamma, beta, *, epsilon=1e-6):\n" in text
    assert "    centred = x - x.mean(axis=-1, keepdims=True)  # [... C]\n" in text
    assert "_moments" not in text  # what it does not need is not there


@operator("x[...] -> [...]", title="Test", family=FAMILY, source="test", macs="0")
def through_a_constant(x: Floats) -> Any:
    """Raise what is positive to a power."""
    return relu(x) ** POWER


@operator("x[...] -> [...]", title="Test", family=FAMILY, source="test", macs="0")
def through_nothing(x: Floats) -> Any:
    """Use what is nowhere."""
    return x + nowhere  # type: ignore[name-defined]  # noqa: F821 - that is the mistake


def test_constants_come_along() -> None:
    text = standalone(through_a_constant)
    assert "POWER = 3" in text
    namespace: dict[str, Any] = {}
    exec(text, namespace)  # noqa: S102 - that it runs is the point
    np.testing.assert_array_equal(namespace["through_a_constant"](np.array([-1.0, 2.0])), [0.0, 8.0])


def test_what_is_nowhere_is_named() -> None:
    with pytest.raises(ContractError, match="uses nowhere, which it neither defines nor imports"):
        standalone(through_nothing)
