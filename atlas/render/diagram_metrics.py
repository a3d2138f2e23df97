"""How wide text in a picture is at most, so that cards and labels are made wide enough before any browser sees them.

The reader's font is not known, so the tables follow a wide one; in most others there is a little more room.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from atlas.render.diagram_text import Run

_SANS = (
    (29, "'ijlIJ"),
    (36, " ,.·/:;\\|f-"),
    (42, "()[]t⌊⌋!r"),
    (54, '"*_`–sz?c'),
    (60, "LFkvxyP"),
    (64, "TYaoeESbdghnpqu$0123456789{}√"),
    (70, "KAVBRXZC"),
    (80, "UHNDG&OQ"),
    (86, "#+<=>^~×→≤≥−wM"),
    (101, "%mW@—…"),
)
_MATHS = (
    (29, "',.:;|![]lij·′"),
    (40, "()-rt⌊⌋ft/ℓsι"),
    (52, "$*+<=>?`_0123456789abcdeghknopquvxyzI\\βγδεζηθκμνξορςστυ"),
    (64, "ESJTVYLPF{}αλπφχψω"),
    (80, "ABCDGHKNOQRUXZmw×−→≤≥≈∈ΓΔΘΛΞΠΣΥΦΨΩ&#~^"),
    (105, "MW%@—…"),
)
OTHER = 85
"""The width of a letter or symbol that no table has, in hundredths of the font's size …"""
WIDE = 115
"""… and of one that East Asian typography sets wide, which emoji are too."""
SPACES: Mapping[str, int] = MappingProxyType({"\u2009": 20, "\u2005": 25, "\u2002": 50, "\u2003": 100})


def _table(rows: Iterable[tuple[int, str]]) -> Mapping[str, int]:
    return MappingProxyType({character: width for width, characters in rows for character in characters})


SANS = _table(_SANS)
"""Hundredths of the font's size for the characters of titles."""
MATHS = _table(_MATHS)
"""The same for the characters of formulas, which the site's own fonts show."""


BOLD_SERIF = 1.12
"""How much wider the titles of groups are than the same in the table of titles."""


def text_width(text: str, size: float, table: Mapping[str, int] = SANS) -> float:
    """How wide a text is at most, in the unit of the font's size."""
    try:
        hundredths = sum(map(table.__getitem__, text))
    except KeyError:
        hundredths = sum(_hundredths(character, table) for character in text)
    return hundredths * size / 100


def caption_width(title: str, size: float) -> float:
    """How wide the title of a group is at most, in the unit of the font's size."""
    return text_width(title, size) * BOLD_SERIF


def runs_width(runs: Iterable[Run], size: float) -> float:
    """How wide a formula is at most, in the unit of the font's size."""
    return sum(text_width(run.text, run.size * size, MATHS) for run in runs)


def wrapped(text: str, size: float, width: float, most: int = 2) -> tuple[str, ...]:
    """The text in at most so many lines of this width, broken at spaces, else in a word; a cut one ends in `…`."""
    lines: list[str] = []
    left = " ".join(text.split())
    while left and len(lines) < most - 1:
        line, left = _first_line(left, size, width)
        lines.append(line)
    if left and text_width(left, size) > width:
        while left and text_width(f"{left}…", size) > width:
            left = left[:-1]
        left = f"{left.rstrip()}…"
    return (*lines, left) if left else tuple(lines)


def _first_line(text: str, size: float, width: float) -> tuple[str, str]:
    """What fits into one line, and the rest."""
    if text_width(text, size) <= width:
        return text, ""
    fits = 1  # a line holds one character even where that is too wide, so that every line gets on
    while text_width(text[: fits + 1], size) <= width:
        fits += 1
    # A word may be broken after a hyphen or dash; the break itself is left out only where it is a space.
    for end in range(fits, 0, -1):
        if text[end] == " ":
            return text[:end], text[end + 1 :]
        if text[end - 1] in "-–/" and text[end].isalnum() and end > 1:
            return text[:end], text[end:]
    return text[:fits], text[fits:]


def _hundredths(character: str, table: Mapping[str, int]) -> int:
    if character in table:
        return table[character]
    if character in SPACES:
        return SPACES[character]
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return WIDE if unicodedata.east_asian_width(character) in "WF" else OTHER
