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


@dataclass(frozen=True, slots=True)
class NewPiece:
    """A piece that was made."""

    piece: Piece
    """Which."""
    made: MadePiece
    """What it gives."""
    pickled: bytes
    """The same, as it is kept."""
    texts: bytes
    """Its texts, compressed."""


PieceMaker = Callable[[Sequence[Piece], Sequence[MadePiece]], Iterator[NewPiece]]
"""Makes pieces, in any order; what it is given besides are all others, where the index is to be made of them."""


class Pieces(Texts):
    """What pieces give, with their texts."""

    def __init__(self, kept: Kept, store: PageStore, make: PieceMaker) -> None:
        super().__init__(kept, store)
        self._make = make
        self._new: dict[bytes, MadePiece] = {}

    def gather(self, pieces: Sequence[Piece], others: Sequence[MadePiece] = ()) -> list[MadePiece]:
        """What each piece gives, as it was kept, or made now, and then once for all calls.

        Args:
            pieces: The pieces.
            others: What all others give, where the index is among the pieces.
        """
        wanted = [piece for piece in pieces if piece.key not in self._new]
        kept = self._kept.get(piece.key for piece in wanted)
        there = self.there(kept)
        missing = [piece for piece in wanted if piece.key not in there]
        for new in self._make(missing, others) if missing else ():
            self._add(new)
        made = dict(self._new)
        for piece in wanted:
            if piece.key not in made:
                # From the user's own cache, written by this very code, and whole by its digest.
                made[piece.key] = pickle.loads(kept[piece.key])  # noqa: S301
                self.add_kept(name_of(piece), piece.key, self._again(piece, others))
        return [made[piece.key] for piece in pieces]

    def _add(self, new: NewPiece) -> None:
        self._new[new.piece.key] = new.made
        self.add_new(name_of(new.piece), new.texts)
        self._kept.put({new.piece.key: new.pickled, texts_key(new.piece.key): new.texts})

    def _again(self, piece: Piece, others: Sequence[MadePiece]) -> Callable[[], bytes]:
        def again() -> bytes:
            (new,) = self._make([piece], others)
            self._add(new)
            return new.texts

        return again


def name_of(piece: Piece) -> str:
    """The name by which the texts of a piece are known."""
    return f"{piece.kind} {piece.name}"
