"""Size expressions solved for their one unknown symbol, and those that have no whole answer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atlas.exceptions import SizeError
from atlas.graph.solving import solve, unknown_symbol
from atlas.sizes import size


@pytest.mark.parametrize(
    ("expression", "value", "known", "answer"),
    [
        ("d", 7, {}, 7),
        ("4 d", 3072, {}, 768),
        ("d/h", 64, {"d": 768}, 12),
        ("d/h", 64, {"h": 12}, 768),
        ("2 h d_k", 48, {"h": 3}, 8),
        ("d+3", 10, {}, 7),
        ("L/2", 3, {}, 6),
        ("d-h", 5, {"h": 2}, 7),
    ],
)
def test_one_unknown_is_found(expression: str, value: int, known: dict[str, int], answer: int) -> None:
    name = unknown_symbol(size(expression), known)
    assert name is not None
    assert solve(size(expression), name, value, known) == answer


@pytest.mark.parametrize(
    ("expression", "value", "message"),
    [
        ("4 d", 10, "d would be 5/2, so that 4 d is 10"),
        ("d+9", 3, "d would be -6"),
        ("d d", 9, "d d is not solved for d"),
        (r"\lfloor d/2\rfloor", 3, "is not solved for d"),
        ("6/d+2", 2, "no d makes"),
        ("3", 3, "3 does not depend on d"),
    ],
)
def test_what_has_no_one_answer_is_refused(expression: str, value: int, message: str) -> None:
    with pytest.raises(SizeError, match=message):
        solve(size(expression), "d", value, {})


def test_two_unknowns_or_none_are_no_one() -> None:
    assert unknown_symbol(size("h d"), {}) is None
    assert unknown_symbol(size("h d"), {"h": 1, "d": 2}) is None


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.integers(1, 10**6), st.integers(1, 500), st.integers(0, 500))
def test_what_is_solved_gives_the_value_again(d: int, factor: int, more: int) -> None:
    expression = size(f"{factor} h d + {more}" if more else f"{factor} h d")
    assert solve(expression, "d", expression.value({"d": d, "h": 3}), {"h": 3}) == d
