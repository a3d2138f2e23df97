"""Where in a formula something stands.

Every token, node and error carries a span, so that a message can point at the very characters.
"""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """A range of characters of the formula."""

    start: int
    """Offset of the first character."""
    end: int
    """Offset after the last character."""

    def to(self, other: Span) -> Span:
        """The range from the start of this one to the end of the other."""
        return tuple.__new__(Span, (self[0], other[1]))  # without the step that names the fields, for there are many
