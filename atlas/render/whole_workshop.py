"""Makes pieces of the whole atlas, and cuts fonts, in a process that was started for it beside that of the build.

It imports all that makes them, so it is imported only where such a process is to be started.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from atlas.checks.pinned import Pinned
from atlas.cycles import look_only_at_new
from atlas.issues import Issue
from atlas.kept import Kept, unsaid
from atlas.node.sharing import Sharing
from atlas.node.typesetter import Typesetter
from atlas.render.fonts import cut
from atlas.render.made import Made, MadePiece
from atlas.render.pieces import Piece
from atlas.render.site import Settings
from atlas.render.uses import Uses
from atlas.render.whole_making import WholeMaker


@dataclass(frozen=True, slots=True)
class MakePieces:
    """A task: to make pieces."""

    pieces: tuple[Piece, ...]
    """The pieces."""


@dataclass(frozen=True, slots=True)
class CutFonts:
    """A task: to cut fonts and to keep what comes of it, for when the characters that are shown prove to be these."""

    fonts: tuple[Path, ...]
    """The files to cut them from."""
    characters: str
    """The characters."""


Task = MakePieces | CutFonts
Answer = list[tuple[Piece, bytes, bytes]]
"""Each piece with what it gives, pickled, and with its texts."""

_shop: ContextVar[tuple[Kept, WholeMaker, Sequence[MadePiece]]] = ContextVar("_shop")
"""What a process works with that does nothing else; set once, as a pool hands nothing to what it calls."""


def begin(
    settings: Settings,
    pinned: Pinned,
    made: Sequence[Made],
    uses: Uses,
    issues: tuple[Issue, ...],
    others: Sequence[MadePiece],
    sharing: Sharing | None,
) -> None:
    """Get ready to work, as long as this process lasts.

    Args:
        settings: What the host knows.
        pinned: The sources.
        made: What the collections give, in the order of their ids.
        uses: The entries of all of them, by what they use.
        issues: What pages must say of all content.
        others: What all pieces but the index give, where that is to be made.
        sharing: The Node of the process that has begun the build.
    """
    kept = Kept(tell=unsaid)  # the process that began the build has the same file before it, and tells of it
    node = Typesetter(kept, sharing=sharing)
    _shop.set((kept, WholeMaker(settings, pinned, kept, node, made, uses, issues), others))
    look_only_at_new(None)  # it ends before it has left many reference cycles


def run(task: Task) -> Answer:
    """Do a task; what a process is given that has begun."""
    kept, maker, others = _shop.get()
    made: Answer = []
    match task:
        case MakePieces(pieces):
            answers = zip(pieces, maker.make(pieces, others), strict=True)
            made = [(piece, pickle.dumps(one, 5), texts) for piece, (one, texts) in answers]
        case CutFonts(fonts, characters):
            cut([font.read_bytes() for font in fonts], characters, kept)
    kept.save()
    return made
