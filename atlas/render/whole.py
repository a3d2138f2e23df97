"""Of which pieces the pages and files of the whole atlas consist, and what each of them follows from.

Nothing is made here, and nothing is imported that makes anything: most builds make none of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from atlas.checks.pinned import Pinned
from atlas.kept import Kept, key_of
from atlas.render.made import Made, MadePiece, ShareKind
from atlas.render.pieces import Piece
from atlas.render.site import Settings
from atlas.render.uses import Uses

HOME_FILES = ("index.md", "README.md")
"""A project that writes one of these has a home page of its own."""
FIRST_LINES = ("lists", "verification", "glossary", "conflicts")
"""The kinds of pieces whose records come first in the file of all records, in this order."""
LAST_LINES = ("family", "source")
"""The kinds whose records come last."""


def independent(pinned: Pinned, general: str) -> Iterator[Piece]:
    """The pieces that follow from no collection, each the only one of its kind.

    Args:
        pinned: The sources.
        general: What every page follows from besides content.
    """
    states = [pinned.state(name) for name in pinned.sources]
    names = repr(list(pinned.sources))
    yield _piece(general, "sources", "", names, *states)
    yield _piece(general, "data", "", names, *states)
    yield from (_piece(general, kind, "") for kind in ("entries", "issue-codes", "fixed"))


class Whole:
    """What the pieces of one build follow from."""

    def __init__(self, settings: Settings, pinned: Pinned, kept: Kept, made: Sequence[Made], general: str) -> None:
        """Look at what is known.

        Args:
            settings: What the host knows.
            pinned: The sources.
            kept: What is kept.
            made: What the collections give, in the order of their ids.
            general: What every page follows from besides content.
        """
        self._settings = settings
        self._pinned = pinned
        self._kept = kept
        self._made = made
        self._general = general
        self.uses = Uses(one.uses for one in made)
        """All entries, by what they use."""

    def pieces(self) -> Iterator[Piece]:
        """All pieces but the index, in the order of their pages; those without pages come last."""
        states = [self._pinned.state(name) for name in self._pinned.sources]
        names = repr(list(self._pinned.sources))
        free = {piece.kind: piece for piece in independent(self._pinned, self._general)}
        if not any((self._settings.content / name).is_file() for name in HOME_FILES):
            yield self._of_shares("home")
        yield self._of_shares("comparison")
        yield from self._families()
        yield free["sources"]
        for source, state in zip(self._pinned.sources.values(), states, strict=True):
            # Its data file names the passages that are documented.
            passages = [self._passages(source.id, path) for path in source.data.files]
            yield self._piece("source", source.id, state, *passages)
            for path, found in zip(source.data.files, passages, strict=True):
                yield self._piece("file", f"{source.id}:{path}", state, found)
        yield self._of_shares("names", "glossary")
        yield self._of_shares("claims", "verification")
        yield from (free["data"], free["entries"], free["issue-codes"])
        yield self._of_shares("conflicts")
        yield self._piece("lists", "", names, *states, *(one.items for one in self._made))
        yield free["fixed"]

    def index(self, others: Sequence[MadePiece]) -> Piece:
        """The piece of the alphabetical index, which follows from what all others give."""
        return self._piece("index", "", *self._digests("index"), b"", *(one.names.digest for one in others))

    def _families(self) -> Iterator[Piece]:
        families = self._family_names()
        used = {name: self.uses.relatives(name) for name in families}
        yield self._piece("operators", "", repr([(name, len(found)) for name, found in used.items()]))
        for name, found in used.items():
            users = [(one.id, one.title, one.within, one.operator) for one in found]
            formulas = [(one, self.uses.formula(one)) for one in dict.fromkeys(one.operator for one in found)]
            yield self._piece("family", name, repr((users, formulas)))

    def _passages(self, source: str, path: str) -> str:
        """All that is documented of a file, with the entries that document it."""
        found = self.uses.passages(source, path)
        # Tuples, as these are many, and what is made of plain tuples is written down in a moment.
        return repr(
            [(one.id, one.title, one.within, passage.first, passage.last, passage.claim) for one, passage in found]
        )

    def _family_names(self) -> list[str]:
        """The families of operators, which are kept, as to import all operators for their names takes long."""
        key = key_of("families", self._general)
        if key in (found := self._kept.get([key])):
            return [str(name) for name in json.loads(found[key])]
        from atlas.operators.catalogue import FAMILIES

        self._kept.put({key: json.dumps(list(FAMILIES)).encode()})
        return list(FAMILIES)

    def _of_shares(self, share: ShareKind, kind: str = "") -> Piece:
        """A piece that is made of one share of each collection."""
        return self._piece(kind or share, "", *self._digests(share))

    def _digests(self, kind: ShareKind) -> Iterator[bytes]:
        for one in self._made:
            yield one.shares[kind].digest if kind in one.shares else b""

    def _piece(self, kind: str, name: str, *grounds: bytes | str) -> Piece:
        return _piece(self._general, kind, name, *grounds)


def _piece(general: str, kind: str, name: str, *grounds: bytes | str) -> Piece:
    return Piece(kind, name, key_of("piece", general, kind, name, *grounds))
