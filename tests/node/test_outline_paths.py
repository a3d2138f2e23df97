"""Straight lines stand for curves that bend less than one sees, and for nothing else."""

from __future__ import annotations

import re

import pytest

from atlas.node.outline_paths import TOLERANCE, straightened


def corners(path: str) -> list[tuple[float, float]]:
    """The corners of a path of one outline that is written as this module writes."""
    start, _, steps = path.removeprefix("M").removesuffix("z").partition("l")
    numbers = [[float(one) for one in re.findall(r"-?\d+", text)] for text in (start, steps)]
    x, y = numbers[0]
    places = [(x, y)]
    for across, down in zip(numbers[1][::2], numbers[1][1::2], strict=True):
        x, y = x + across, y + down
        places.append((x, y))
    return places


def test_a_bend_that_is_seen_stays_and_one_that_is_not_goes() -> None:
    slight = "M0,0c30,3,70,3,100,0c0,30,0,70,0,100h-100z"
    assert corners(straightened(slight)) == [(0, 0), (100, 0), (100, 100), (0, 100)]
    wide = "M0.000,0.000c0.000,300.000,700.000,300.000,700.000,0.000c0.000,30.000,0.000,70.000,0.000,100.000h-700.000z"
    found = corners(straightened(wide))
    assert len(found) > 5
    assert max(y for x, y in found if 300 <= x <= 400) == pytest.approx(225, abs=TOLERANCE)


def test_every_known_command_is_followed() -> None:
    path = "M10,20H110V70h-40v30L40 100l-10-20s-5-10-10-20c0,0 0,0 0,0S20,40,10,20z"
    assert corners(straightened(path)) == [(10, 20), (110, 20), (110, 70), (70, 70), (70, 100), (40, 100), (10, 20)]


def test_several_outlines_stay_apart() -> None:
    assert straightened("M0,0 l 100,0 0,100 z M200 0 h 50 v 50 z") == "M0,0l100,0 0,100zM200,0l50,0 0,50z"


@pytest.mark.parametrize(
    "path",
    [
        "",
        "m0,0h10v10z",
        "M0,0h10v10",
        "M0,0q1,1,2,2z",
        "M0,0h1v1zM0",
        "M0,0a5,5,0,0,1,10,10z",
        "M0,0 #z",
        "h10z",
        "1,2",
    ],
)
def test_what_is_not_known_stays_as_it_is(path: str) -> None:
    assert straightened(path) == path
