"""What a parsed line consists of, whether the parser of Markdown made it or it was plain enough to need none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from atlas.node.process import Formula

MATHS = frozenset({"math_inline", "math_inline_double", "math_block"})
"""The types of formulas."""


class Piece(Protocol):
    """What is read of a token of markdown-it-py."""

    @property
    def type(self) -> str:
        """What it is."""

    @property
    def content(self) -> str:
        """The text, or the TeX."""

    @property
    def attrs(self) -> Mapping[str, str | int | float]:
        """The attributes of an element."""

    @property
    def children(self) -> Sequence[Piece] | None:
        """What is in it."""


@dataclass(frozen=True, slots=True)
class Plain:
    """A text or a formula within a line, as the parser would find it."""

    type: str
    """`text` or `math_inline`."""
    content: str
    """The text, or the TeX."""
    attrs: Mapping[str, str | int | float] = field(default_factory=dict)
    """None."""
    children: Sequence[Piece] | None = None
    """None."""


def formula_of(piece: Piece) -> Formula:
    """The formula that a piece of one of the types above is."""
    return Formula(piece.content.strip(), display=piece.type != "math_inline")


def plain(pieces: Iterable[Piece]) -> str:
    """Pieces of a line as plain text; a formula is its TeX."""
    parts = []
    for piece in pieces:
        if piece.children:
            parts.append(plain(piece.children))
        else:
            parts.append(" " if piece.type in ("softbreak", "hardbreak") else piece.content)
    return "".join(parts)
