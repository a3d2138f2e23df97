"""How scaffolds write YAML: scalars that mean what they say, and the claim that every file ends with."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from atlas.entries.blanks import blank
from atlas.entries.scalars import plain

_SAFE = re.compile(r"[A-Za-z√0-9][\w √×.\\^-]*")


def scalar(value: object) -> str:
    """A value as YAML writes it, safe inside braces too."""
    if isinstance(value, str):
        return value if _SAFE.fullmatch(value) and plain(value) == (value, None) else quoted_always(value)
    return json.dumps(value)


def quoted(text: str) -> str:
    """A symbol or size: in single quotes where it holds what YAML or a reader of YAML could take for something else."""
    return text if _SAFE.fullmatch(text) and plain(text) == (text, None) and "\\" not in text else quoted_always(text)


def quoted_always(text: str) -> str:
    """A text in single quotes."""
    return "'" + text.replace("'", "''") + "'"


def claim_lines(claim: str, sources: Sequence[str]) -> Iterator[str]:
    """A source claim with blanks, as an item of a list."""
    named = (
        sources[0] if len(sources) == 1 else blank(f"a manifest: {' or '.join(sources)}" if sources else "a manifest")
    )
    yield f"  - id: {claim}"
    yield f"    claim: {blank('what these lines show in one sentence')}"
    yield f"    source: {named}"
    yield f"    path: {blank('the file in the repository')}"
    yield f"    lines: {blank('first and last line such as 59-61')}"
    yield f"    symbol: {blank('the function or class that is defined there')}"
