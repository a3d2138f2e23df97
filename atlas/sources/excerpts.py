"""Some lines of a pinned file, by the line numbers that a link to the repository's web site shows."""

from __future__ import annotations

from dataclasses import dataclass

from atlas.exceptions import ExcerptError
from atlas.sources.store import PinnedText


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Consecutive lines of a pinned file."""

    pinned: PinnedText
    """The file."""
    first: int
    """The number of the first line, from 1."""
    last: int
    """The number of the last line."""
    lines: tuple[str, ...]
    """The lines, without line feeds."""

    @property
    def text(self) -> str:
        """The lines as one text that ends with a line feed."""
        return "".join(f"{line}\n" for line in self.lines)


def excerpt(pinned: PinnedText, first: int, last: int) -> Excerpt:
    """The lines from `first` to `last`, both included."""
    count = len(pinned.lines)
    if first < 1:
        raise ExcerptError(f"lines are numbered from 1, so there is no line {first}", ("lines",))
    if last < first:
        advice = f"did you mean {last}-{first}?"
        raise ExcerptError(f"lines {first}-{last} end before they begin", ("lines",), advice)
    if last > count:
        raise ExcerptError(
            f"lines {first}-{last} go past the end of {pinned.path}, which has {count:,} lines", ("lines",)
        )
    return Excerpt(pinned, first, last, pinned.lines[first - 1 : last])
