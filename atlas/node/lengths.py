"""Which lengths a formula must not state: those that would reach out of it, over what stands beside it on a page.

KaTeX cuts positive lengths off without a word, so that a page would not show what is written, and leaves negative ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

LONGEST = 20
"""The longest length in em, up and down, left and right; KaTeX's own limit is set to it as well."""

_UNITS = (
    "em 1  ex 0.43  mu 0.0556  pt 0.1  px 0.1  bp 0.1  dd 0.107  nd 0.107  sp 0  pc 1.2  cc 1.28  nc 1.28  "
    "mm 0.285  cm 2.85  in 7.23"
)
EM: Mapping[str, float] = MappingProxyType(
    {unit: float(length) for unit, length in (pair.split() for pair in _UNITS.split("  "))}
)
"""TeX's units in em, about; KaTeX knows the same."""

_LENGTH = rf"[-+\s]*(?:\d+\.?\d*|\.\d+)\s*(?:{'|'.join(EM)})(?![A-Za-z])"
_STATED = re.compile(
    rf"\\(?:m?kern|[hm]skip|above)\s*{_LENGTH}"
    rf"|\\(?:hspace\*?|raisebox|rule)\s*(?:[\[{{]{_LENGTH}\s*[\]}}]\s*)+"
    rf"|\\(?:\\|cr|newline)\*?\s*\[{_LENGTH}\s*\]"
    rf"|\\genfrac\s*\{{[^{{}}]*\}}\s*\{{[^{{}}]*\}}\s*\{{{_LENGTH}\s*\}}"
)
_PARTS = re.compile(rf"(\d+\.?\d*|\.\d+)\s*({'|'.join(EM)})(?![A-Za-z])")


def refuse_long(tex: str) -> Iterator[tuple[int, str]]:
    """Each length that is too long: its 0-based offset, and why it is refused."""
    for stated in _STATED.finditer(tex):
        for number, unit in (part.groups() for part in _PARTS.finditer(stated[0])):
            if float(number) * EM[unit] > LONGEST:
                yield stated.start(), f"the length {number}{unit} is more than {LONGEST} em"
