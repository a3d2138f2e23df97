"""The theme's colours as its stylesheets pair them: every text on every surface that it stands on, in both themes."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

CSS = Path(__file__).parents[2] / "templates" / "css"
TOKEN = re.compile(r"--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);")
LEAST = 4.5
"""WCAG 2.2 AA, of a text of any size."""
LEAST_OF_LINES = 3.0
"""WCAG 2.2 AA, of what must be seen to use a control."""

TEXTS = [
    *product(("ink", "ink-soft", "accent"), ("paper", "raised", "sunken", "code-paper", "accent-soft", "warm-soft")),
    *product(("warm", "stop"), ("paper", "raised", "sunken")),
    ("warm", "warm-soft"),
    ("stop", "stop-soft"),
    ("ink", "stop-soft"),
    ("ink-soft", "stop-soft"),
]
LINES = [*product(("focus", "ink-soft", "warm", "accent"), ("paper", "raised"))]


@pytest.fixture(scope="module")
def tokens() -> dict[str, tuple[str, str]]:
    text = "".join(file.read_text(encoding="utf-8") for file in sorted(CSS.glob("*.css")))
    return {name: (light, dark) for name, light, dark in TOKEN.findall(text)}


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, as WCAG 2 defines it."""

    def luminance(colour: str) -> float:
        channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
        linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize(("text", "ground"), TEXTS, ids=lambda name: str(name))
@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_a_text_can_be_read_on_its_ground(
    tokens: dict[str, tuple[str, str]], theme: int, text: str, ground: str
) -> None:
    assert contrast(tokens[text][theme], tokens[ground][theme]) >= LEAST


@pytest.mark.parametrize(("line", "ground"), LINES, ids=lambda name: str(name))
@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_a_line_that_means_something_is_seen(
    tokens: dict[str, tuple[str, str]], theme: int, line: str, ground: str
) -> None:
    assert contrast(tokens[line][theme], tokens[ground][theme]) >= LEAST_OF_LINES


def test_no_colour_is_named_but_by_its_token() -> None:
    for file in sorted(CSS.glob("*.css")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if not line.lstrip().startswith("--"):
                assert not re.search(r"#[0-9a-fA-F]{3,8}\b(?![^{]*\{)|\b(rgb|hsl|oklch)a?\(", line), (
                    f"{file.name}:{number}"
                )
