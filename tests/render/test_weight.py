"""Code gives way where a page would become heavy, and as much of it stays as there is room for."""

from __future__ import annotations

import base64
import hashlib

import pytest

from atlas.render.weight import HEAVIEST, ROOMS, Room, is_light, roomiest


def noise(length: int) -> str:
    """Text that cannot be compressed to much less than three quarters."""
    return base64.b64encode(hashlib.shake_256(b"noise").digest(length)).decode()[:length]


def test_what_counts_is_the_size_after_compression_of_all_parts() -> None:
    assert is_light("<p>the same</p>" * 10_000)
    assert is_light(noise(HEAVIEST))
    assert not is_light(noise(2 * HEAVIEST))
    half = noise(HEAVIEST * 3 // 4)
    assert is_light(half)
    assert not is_light(half, half[::-1])


def test_what_is_there_twice_goes_first_then_what_is_folded_then_the_ends_of_passages() -> None:
    asked: list[Room] = []

    def never(room: Room) -> bool:
        asked.append(room)
        return False

    found = roomiest(100, never)
    assert tuple(asked[:3]) == ROOMS
    assert [(one.operator, one.repeats) for one in ROOMS] == [(True, True), (True, False), (False, False)]
    assert all(one.lines > 1_000_000 for one in ROOMS)
    assert found == Room(0, operator=False, repeats=False)
    assert len(asked) < 12, "it halves what is left"


@pytest.mark.parametrize("most", [1, 7, 73, 74])
def test_as_many_lines_stay_as_fit(most: int) -> None:
    assert roomiest(75, lambda room: room.lines <= most) == Room(most, operator=False, repeats=False)


@pytest.mark.parametrize("room", ROOMS)
def test_nothing_goes_that_fits(room: Room) -> None:
    assert roomiest(75, lambda one: one == room or one.lines < 75) == room


def test_a_page_without_passages_has_none_to_cut() -> None:
    assert roomiest(0, lambda room: False).lines == 0
