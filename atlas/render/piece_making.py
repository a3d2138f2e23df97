"""Where pieces of the whole atlas are made: in this process, or in several beside it where there are many entries.

What makes them is imported where one is to be made, as a build after an edit may make none.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from atlas.checks.pinned import Pinned
from atlas.issues import Issue
from atlas.kept import Kept
from atlas.node.typesetter import Typesetter
from atlas.render.made import Made, MadePiece
from atlas.render.pieces import NewPiece, Piece
from atlas.render.site import Settings
from atlas.render.uses import Uses
from atlas.spread import cores, forks, processes, spread

if TYPE_CHECKING:
    from atlas.render.whole_making import WholeMaker
    from atlas.render.whole_workshop import Task

WORTHWHILE = 200
"""From how many entries on other processes are started for many pieces."""
MANY = 8
"""How many these are at least."""
LARGE = 3000
"""From how many entries on they are started for any piece, as to make one would take much of this process's memory."""
ALONE = ("glossary", "verification", "home", "comparison", "lists", "operators", "conflicts")
"""The kinds of pieces that grow with all of the atlas, the longest work first."""
TOGETHER = 8
"""How many pieces of other kinds are made in one go, with one look at what is kept."""
FONTS_TOGETHER = 5
"""How many fonts are."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known once all collections are made."""

    made: Sequence[Made] = ()
    """What they give, in the order of their ids."""
    uses: Uses = Uses(())  # noqa: RUF009 - it holds nothing, and nothing changes it
    """Their entries, by what they use."""
    issues: tuple[Issue, ...] = ()
    """What pages must say of all content."""
    fonts: Sequence[Path] = ()
    """The files from which the site's fonts will be cut."""
    characters: str = ""
    """What these must be able to show, but for what pieces and prose show."""


class PieceMaking:
    """Makes the pieces of one atlas."""

    def __init__(self, settings: Settings, pinned: Pinned, kept: Kept, typesetter: Typesetter) -> None:
        self._settings = settings
        self._pinned = pinned
        self._kept = kept
        self._typesetter = typesetter
        self._known = Known()
        self._maker: WholeMaker | None = None

    def know(self, known: Known) -> None:
        """Take note of the collections; until then only pieces can be made that follow from none of them."""
        self._known = known
        self._maker = None

    def prepare(self) -> None:
        """Make and keep what makers of pieces need that follows from no collection: templates, operators' code."""
        self._here().prepare()

    def prepare_collections(self) -> Iterator[None]:
        """Make, step by step, what makers of collections need that follows from none: templates, pinned code."""
        return self._here().prepare_collections()

    def make(self, pieces: Sequence[Piece], others: Sequence[MadePiece]) -> Iterator[NewPiece]:
        """Make pieces, in any order; `others` are all but the index, which names what is in them."""
        entries = sum(len(one.entries) for one in self._known.uses.shares)
        pays = entries >= LARGE or (entries >= WORTHWHILE and len(pieces) >= MANY)
        if pays and processes() > 1 and forks():
            yield from self._spread(pieces, others)
            return
        for piece, (one, texts) in zip(pieces, self._here().make(pieces, others), strict=True):
            yield NewPiece(piece, one, pickle.dumps(one, 5), texts)

    def _here(self) -> WholeMaker:
        """What makes pieces in this process."""
        from atlas.render.whole_making import WholeMaker

        if self._maker is None:
            known = self._known
            self._maker = WholeMaker(
                self._settings, self._pinned, self._kept, self._typesetter, known.made, known.uses, known.issues
            )
        return self._maker

    def _spread(self, pieces: Sequence[Piece], others: Sequence[MadePiece]) -> Iterator[NewPiece]:
        from atlas.render.whole_workshop import begin, run

        tasks, known = list(self._tasks(pieces)), self._known
        sharing = self._typesetter.sharing
        ready = partial(begin, self._settings, self._pinned, known.made, known.uses, known.issues, others, sharing)
        # Never one, which would be this process itself.
        with cores(max(2, min(processes(), len(tasks))), ready) as pool:
            for made in spread(run, tasks, pool):
                for piece, one, texts in made:
                    yield NewPiece(piece, pickle.loads(one), one, texts)  # noqa: S301 - this build has made it

    def _tasks(self, pieces: Sequence[Piece]) -> Iterator[Task]:
        """The work, what takes long first, so that none is at work alone in the end."""
        from atlas.render.whole_workshop import CutFonts, MakePieces

        alone = sorted((one for one in pieces if one.kind in ALONE), key=lambda one: ALONE.index(one.kind))
        others = [one for one in pieces if one.kind not in ALONE]
        yield from (MakePieces((one,)) for one in alone[:2])
        fonts = self._known.fonts if len(pieces) >= MANY else ()
        for first in range(0, len(fonts), FONTS_TOGETHER):
            yield CutFonts(tuple(fonts[first : first + FONTS_TOGETHER]), self._known.characters)
        yield from (MakePieces(tuple(others[first : first + TOGETHER])) for first in range(0, len(others), TOGETHER))
        if alone[2:]:
            yield MakePieces(tuple(alone[2:]))
