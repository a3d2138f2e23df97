"""Options are read from a function's annotations and refused by name, type and range."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from atlas.exceptions import ContractError, OptionError
from atlas.operators.options import Count, NonNegative, Option, Positive, options_of, resolve


def reference(
    x: Any,
    *,
    epsilon: NonNegative = 1e-6,
    heads: Positive,
    causal: bool = False,
    kind: str = "exact",
    window: int | None = None,
    scale: float | None = None,
    padding: Count = 0,
) -> Any:
    return x, epsilon, heads, causal, kind, window, scale, padding


OPTIONS = options_of(reference)


def test_they_are_read_from_the_function() -> None:
    assert list(OPTIONS.values()) == [
        Option("epsilon", float, 1e-6, least=0),
        Option("heads", int, None, required=True, least=1),
        Option("causal", bool, False),
        Option("kind", str, "exact"),
        Option("window", int, None, nullable=True),
        Option("scale", float, None, nullable=True),
        Option("padding", int, 0, least=0),
    ]


def test_defaults_fill_what_is_not_given() -> None:
    assert resolve(OPTIONS, {"heads": 2, "causal": True}, "reference") == {
        "epsilon": 1e-6,
        "heads": 2,
        "causal": True,
        "kind": "exact",
        "window": None,
        "scale": None,
        "padding": 0,
    }


@pytest.mark.parametrize(
    ("name", "value", "taken"),
    [
        ("epsilon", 1, 1.0),
        ("epsilon", 0, 0.0),
        ("epsilon", np.float32(0.5), 0.5),
        ("epsilon", np.int64(2), 2.0),
        ("heads", np.int64(3), 3),
        ("causal", np.True_, True),
        ("window", None, None),
        ("window", 4, 4),
        ("kind", "tanh", "tanh"),
    ],
)
def test_values_that_are_taken(name: str, value: object, taken: object) -> None:
    found = OPTIONS[name].check(value)
    assert (found, type(found)) == (taken, type(taken))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("epsilon", "1e-6", "epsilon must be a finite number of at least 0, not the text '1e-6'"),
        ("epsilon", float("nan"), "epsilon must be a finite number of at least 0, not nan"),
        ("epsilon", float("inf"), "epsilon must be a finite number of at least 0, not inf"),
        ("epsilon", 10**400, f"epsilon must be a finite number of at least 0, not 1{'0' * 79}…"),
        ("epsilon", -1e-300, "epsilon must be a finite number of at least 0, not -1e-300"),
        ("epsilon", True, "epsilon must be a finite number of at least 0, not True"),
        ("epsilon", None, "epsilon must be a finite number of at least 0, not None"),
        ("heads", 0, "heads must be a whole number of at least 1, not 0"),
        ("heads", 2.0, "heads must be a whole number of at least 1, not 2.0"),
        ("heads", True, "heads must be a whole number of at least 1, not True"),
        ("causal", 1, "causal must be true or false, not 1"),
        ("kind", 1, "kind must be a text, not 1"),
        ("window", 1.5, "window must be a whole number or none, not 1.5"),
        ("padding", -1, "padding must be a whole number of at least 0, not -1"),
        ("scale", "none", "scale must be a finite number or none, not the text 'none'"),
    ],
)
def test_values_that_are_refused(name: str, value: object, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        OPTIONS[name].check(value)
    assert (str(caught.value), caught.value.option) == (message, name)


def test_names_that_do_not_exist() -> None:
    with pytest.raises(OptionError) as caught:
        resolve(OPTIONS, {"epsilom": 1e-6}, "reference")
    assert caught.value.option == "epsilom"
    assert str(caught.value) == (
        "reference has no option epsilom; it takes epsilon, heads, causal, kind, window, scale, padding; "
        "did you mean epsilon?"
    )
    with pytest.raises(OptionError, match=r"^relu has no option epsilon; it takes no options$"):
        resolve({}, {"epsilon": 1e-6}, "relu")


def test_an_option_that_is_required() -> None:
    with pytest.raises(OptionError, match=r"^reference needs the option heads, a whole number of at least 1$"):
        resolve(OPTIONS, {}, "reference")


def without_annotation(x: Any, *, epsilon=1e-6):  # type: ignore[no-untyped-def]  # the point
    return x, epsilon


def of_another_type(x: Any, *, sizes: list[int]) -> Any:
    return x, sizes


def with_a_wrong_default(x: Any, *, epsilon: NonNegative = -1.0) -> Any:
    return x, epsilon


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (without_annotation, "option epsilon must be annotated as float, int, bool or str, not None"),
        (of_another_type, r"option sizes must be annotated as float, int, bool or str, not list\[int\]"),
        (with_a_wrong_default, "the default of an option must fit it: epsilon must be a finite number of at least 0"),
    ],
)
def test_declarations_that_are_refused(function: Callable[..., Any], message: str) -> None:
    with pytest.raises(ContractError, match=f"^{message}"):
        options_of(function)
