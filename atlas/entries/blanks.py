"""Blanks: places of a file that `atlas new` left to its author, marked so that nobody takes them for content.

A blank is `TODO(what belongs here)` in any value or key: plain YAML in every place, and nothing that an entry says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

BLANK = re.compile(r"TODO\((?P<what>[^()\n]{0,300})\)")
_SIGNS = re.compile(r"[,:#\[\]{}()]")


def blank(what: str) -> str:
    """The mark of a blank; signs that mean something to YAML, or end the blank, are left out of its words."""
    return f"TODO({_SIGNS.sub('', ' '.join(what.split()))[:300]})"


def blanks_in(source: str) -> Iterator[tuple[int, str, str]]:
    """Each blank of a value as it is written: its offset, and what an issue says and advises."""
    for match in BLANK.finditer(source):
        what = match["what"].strip()
        yield match.start(), f"a blank is not filled in{f': {what}' if what else ''}", "write it in place of TODO(…)"
