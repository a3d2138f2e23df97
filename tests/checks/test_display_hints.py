r"""Refusals of KaTeX, told at the place of the slip and with what to write."""

from __future__ import annotations

import pytest

from atlas.checks.display_hints import Refusal, refusal


@pytest.mark.parametrize(
    ("tex", "error", "position", "told"),
    [
        (r"\frac{1}{d x", "Unexpected end of input in a macro argument, expected '}'", 12, (8, "`{` is never closed")),
        (r"\{ {a \} % {", "Unexpected end of input in a macro argument, expected '}'", 12, (3, "`{` is never closed")),
        (r"\sqrt{\frac{a}{b \\ c^{2}", r"Expected '}', got '\\'", 17, (14, "`{` is never closed")),
        (r"x}", "Expected 'EOF', got '}'", 1, (1, "`}` closes a brace that is not open")),
        (r"\left(\left(x\right) \\ y", r"Expected '\right', got '\\'", 21, (0, r"`\left` without its `\right` in the")),
        (r"\begin{aligned}x", r"Expected & or \\ or \cr or \end", 16, (0, r"`\begin{aligned}` is never closed")),
        (r"x + ε", r"write \varepsilon instead of ε", 4, (4, "ε itself stands in a formula")),
        (r"\fracc", r"Undefined control sequence: \fracc", 0, (0, r"Undefined control sequence: \fracc")),
        (r"$x$", "Can't use function '$' in math mode", 0, (0, "Can't use function '$' in math mode")),
        (r"\href{a}{b}", r"\href is not allowed", 0, (0, r"\href is not allowed")),
    ],
)
def test_a_refusal_is_told_where_the_slip_is(tex: str, error: str, position: int, told: tuple[int, str]) -> None:
    found = refusal(tex, error, position)
    assert found.position == told[0]
    assert found.message.startswith(told[1])
    assert found.hint


def test_what_is_not_known_is_told_as_it_is() -> None:
    assert refusal("x", "it takes longer than 5 seconds to typeset", None) == Refusal(
        "it takes longer than 5 seconds to typeset", "", None
    )
