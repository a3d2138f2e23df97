"""Sizes in memory as people say them: the exact bytes elsewhere, and beside them the nearest power of 1,024.

The calculator and the comparison say the same in the browser, by the rule that stands here.
"""

from __future__ import annotations

UNITS = ("KiB", "MiB", "GiB", "TiB", "PiB")
"""Powers of 1,024 bytes, from the first on."""
STEP = 1024
"""How much larger each is than the one before."""


def binary(count: int) -> str:
    """A number of bytes in the largest unit of which there is at least one: `36 KiB`, `4.5 MiB`; empty below 1 KiB.

    At most one digit stands after the point, and none where it would be 0. Half of a tenth is rounded up, which a
    browser with whole numbers can do alike.

    Raises:
        ValueError: the number is negative.
    """
    if count < 0:
        raise ValueError(f"{count} is no number of bytes")
    power = max((power for power in range(1, len(UNITS) + 1) if count >= STEP**power), default=0)
    if not power:
        return ""
    tenths = (20 * count + STEP**power) // (2 * STEP**power)
    whole, tenth = divmod(tenths, 10)
    return f"{whole:,}{f'.{tenth}' if tenth else ''} {UNITS[power - 1]}"
