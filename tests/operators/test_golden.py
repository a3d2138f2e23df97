"""Every operator against the arrays that an independent implementation made of the same inputs.

Layer normalization, which has gradients too, has its own file and tests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from atlas.operators.catalogue import CATALOGUE

FILES = ("activation", "attention", "convolution", "experts", "language", "normalization", "positions")
TOLERANCE = 1e-13
"""Relative to the largest number of a result: some roundings, as the two sides add up in different orders."""

Golden = Callable[[str], dict[str, Any]]


@pytest.mark.parametrize("file", FILES)
def test_where_it_comes_from(golden: Golden, file: str) -> None:
    made = golden(file)
    assert made["torch"].startswith("2.13.0")
    assert made["made by"] == f"make_{file}.py"
    assert made["precision"] == "float64"


@pytest.mark.parametrize("file", FILES)
def test_values(golden: Golden, file: str) -> None:
    for case in golden(file)["cases"]:
        operator, results = CATALOGUE[case["operator"]], case["results"]
        found = operator(**{name: np.array(value) for name, value in case["arrays"].items()}, **case["options"])
        outputs = {"result": found} if list(results) == ["result"] else _by_name(found, list(results))
        for name, expected in results.items():
            wanted, where = np.array(expected), f"{file}.json, {operator.name}, {case['name']}: {name}"
            assert outputs[name].dtype == wanted.dtype, where
            atol = TOLERANCE * float(np.abs(wanted).max(initial=0))
            np.testing.assert_allclose(outputs[name], wanted, rtol=0, atol=atol, err_msg=where)


def test_every_operator_has_several_cases(golden: Golden) -> None:
    counts = Counter(case["operator"] for file in FILES for case in golden(file)["cases"])
    own = {"layer_norm", "layer_norm_outer_epsilon"}
    assert set(counts) == set(CATALOGUE) - own
    assert min(counts.values()) >= 1
    assert {name for name, count in counts.items() if count < 2} <= {
        "feed_forward_swiglu",
        "multi_head_attention_causal",
    }


def _by_name(found: Any, names: list[str]) -> dict[str, Any]:
    return {names[0]: found} if len(names) == 1 else found._asdict()
