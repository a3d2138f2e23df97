"""The whole atlas in pieces: pages and files that follow from the same, kept for as long as that is what it was.

An edit that is not seen in a page of the whole makes none: neither its view, nor its formulas, nor its template.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from atlas.kept import Kept
from atlas.render.made import MadePiece
from atlas.render.site import PageStore
from atlas.render.texts import Texts, texts_key


@dataclass(frozen=True, slots=True)
class Piece:
    """Pages and files of the whole that follow from the same."""

    kind: str
    """What they are."""
    name: str
    """Of what, where there are several of a kind: a family, a source, a file with its source before a colon."""
    key: bytes
    """A digest of all that they follow from."""


PieceMaker = Callable[[Sequence[Piece]], Iterator[tuple[MadePiece, bytes]]]
"""Makes pieces: what each gives, and its texts."""


class Pieces(Texts):
    """What pieces give, with their texts."""

    def __init__(self, kept: Kept, store: PageStore, make: PieceMaker) -> None:
        super().__init__(kept, store)
        self._make = make

    def gather(self, pieces: Sequence[Piece]) -> list[MadePiece]:
        """What each piece gives, as it was kept, or made now."""
        kept = self._kept.get(piece.key for piece in pieces)
        there = self.there(kept)
        missing = [piece for piece in pieces if piece.key not in there]
        made: dict[bytes, MadePiece] = {}
        if missing:
            for piece, (one, texts) in zip(missing, self._make(missing), strict=True):
                made[piece.key] = one
                self.add_new(name_of(piece), texts)
                self._kept.put({piece.key: pickle.dumps(one, 5), texts_key(piece.key): texts})
        for piece in pieces:
            if piece.key not in made:
                # From the user's own cache, written by this very code, and whole by its digest.
                made[piece.key] = pickle.loads(kept[piece.key])  # noqa: S301
                self.add_kept(name_of(piece), piece.key, self._again(piece))
        return [made[piece.key] for piece in pieces]

    def _again(self, piece: Piece) -> Callable[[], bytes]:
        def again() -> bytes:
            ((_, texts),) = self._make([piece])
            self._kept.put({texts_key(piece.key): texts})
            self.add_new(name_of(piece), texts)
            return texts

        return again


def name_of(piece: Piece) -> str:
    """The name by which the texts of a piece are known."""
    return f"{piece.kind} {piece.name}"
