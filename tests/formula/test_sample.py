"""Samples: what they follow from, that they are shared where they are the same, and that nobody can change them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from atlas.exceptions import FormulaError
from atlas.formula.sample import KEPT_ELEMENTS, draw_inputs
from atlas.formula.symbols import symbol_table


def drawn(declare: Any, symbols: dict[str, str], number: int = 0, **rest: Any) -> dict[str, Any]:
    return dict(draw_inputs(symbol_table(declare(symbols, **rest)), (), 5, number).inputs)


def test_other_names_of_the_same_axes_get_the_same_arrays(declare: Any) -> None:
    one = drawn(declare, {"x": "[B,d]", "y": "[d] > 0"})
    other = drawn(declare, {r"\gamma_3": "[B,d]", "z": "[d] > 0"})
    assert list(other) == [r"\gamma_3", "z"]
    assert other[r"\gamma_3"] is one["x"]
    assert other["z"] is one["y"]


@pytest.mark.parametrize(
    ("symbols", "rest"),
    [
        ({"x": "[B,d] > 0", "y": "[d]"}, {}),
        ({"x": "[B,d]", "y": "[B]"}, {}),
        ({"x": "[B,d]", "y": "ids d [d]"}, {}),
        ({"x": "[B,d]", "y": "[d]"}, {"sizes": {"d": "2 r"}}),
        ({"y": "[d]", "x": "[B,d]"}, {}),
    ],
    ids=["positive", "axes", "ids", "relation", "order"],
)
def test_what_is_declared_otherwise_is_drawn_otherwise(
    symbols: dict[str, str], rest: dict[str, Any], declare: Any
) -> None:
    one, other = drawn(declare, {"x": "[B,d]", "y": "[d]"}), drawn(declare, symbols, **rest)
    assert any(one[name].shape != other[name].shape or (one[name] != other[name]).any() for name in one)


def test_each_number_is_another_sample(declare: Any) -> None:
    one, other = (drawn(declare, {"x": "[]"}, number) for number in (0, 1))
    assert one["x"] != other["x"]


def test_what_is_shared_cannot_be_written_to(declare: Any) -> None:
    array = drawn(declare, {"x": "[B,d]"})["x"]
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1


def test_large_samples_are_drawn_anew(declare: Any) -> None:
    many = ",".join("abcdefgh")
    one, other = (drawn(declare, {name: f"[{many}]"}) for name in ("x", "y"))
    assert one["x"].size > KEPT_ELEMENTS
    assert one["x"] is not other["y"]
    assert np.array_equal(one["x"], other["y"])


def test_a_random_function_is_shared_too(declare: Any) -> None:
    one = drawn(declare, {"f": "[d] -> [m]", "x": "[d]"})
    other = drawn(declare, {"g": "[d] -> [m]", "z": "[d]"})
    assert np.array_equal(one["f"](one["x"]), other["g"](other["z"]))


def test_a_mistake_is_told_of_the_symbol_at_hand(declare: Any) -> None:
    axes = ",".join(["d"] * 33)
    for name in ("x", "z"):
        with pytest.raises(FormulaError, match=f"`{name}` has 33 axes"):
            drawn(declare, {name: f"[{axes}]"})
