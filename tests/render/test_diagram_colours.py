"""The theme's colours of pictures: every kind has its own, and what is written on them can be read in both themes."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

from atlas.render.kinds import KINDS

CSS = Path(__file__).parents[2] / "templates" / "css"


@pytest.fixture(scope="module")
def tokens() -> dict[str, tuple[str, str]]:
    """Each token with its colour in the light and in the dark theme."""
    text = (CSS / "atlas.css").read_text(encoding="utf-8")
    found = re.findall(r"--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", text)
    return {name: (light, dark) for name, light, dark in found}


def luminance(colour: str) -> float:
    """The relative luminance of a colour, as WCAG 2 defines it."""
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


def test_every_kind_has_its_colours_and_its_class() -> None:
    css = (CSS / "atlas.css").read_text(encoding="utf-8")
    for kind in KINDS:
        assert f".kind-{kind} {{ --kind: var(--kind-{kind}); --kind-soft: var(--kind-{kind}-soft); }}" in css


@pytest.mark.parametrize(("kind", "theme"), list(product(KINDS, (0, 1))))
def test_what_is_written_on_a_kinds_colour_can_be_read(
    tokens: dict[str, tuple[str, str]], kind: str, theme: int
) -> None:
    def colour(name: str) -> str:
        return tokens[name][theme]

    for text in ("ink", "ink-soft"):
        assert contrast(colour(text), colour(f"kind-{kind}-soft")) >= 4.5
        assert contrast(colour(text), colour("paper")) >= 4.5
    assert contrast(colour("paper"), colour(f"kind-{kind}")) >= 4.5  # the percentage on a bar
    assert contrast(colour(f"kind-{kind}"), colour(f"kind-{kind}-soft")) >= 3  # a card's border


@pytest.mark.parametrize(("ground", "theme"), list(product(("paper", "raised", "sunken"), (0, 1))))
def test_lines_and_labels_can_be_seen_in_every_group(
    tokens: dict[str, tuple[str, str]], ground: str, theme: int
) -> None:
    for line in ("wire", "bypass", "focus"):
        assert contrast(tokens[line][theme], tokens[ground][theme]) >= 3
    assert contrast(tokens["ink-soft"][theme], tokens[ground][theme]) >= 4.5
