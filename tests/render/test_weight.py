"""Code gives way where a page would become heavy, in an order that leaves as much of it as there is room for."""

from __future__ import annotations

import base64
import hashlib
from itertools import pairwise

from atlas.render.weight import HEAVIEST, ROOMS, is_light


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


def test_a_page_gives_up_what_is_elsewhere_on_it_first_and_the_longest_passages_last() -> None:
    assert (ROOMS[0].operator, ROOMS[0].repeats) == (True, True)
    assert ROOMS[0].lines > 1_000_000
    for before, after in pairwise(ROOMS):
        assert after.lines <= before.lines
        assert after.operator <= before.operator
        assert after.repeats <= before.repeats
        assert after != before
    assert ROOMS[-1].lines == 0
