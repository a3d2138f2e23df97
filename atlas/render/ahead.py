"""What there is of a site before there is any collection: KaTeX's files, and pieces that follow from no collection.

It is made while other processes are at work on collections, as that of the build only waits then.
"""

from __future__ import annotations

from functools import cached_property, partial
from pathlib import Path

from atlas.checks.pinned import Pinned
from atlas.kept import Kept
from atlas.node.assets import install_assets, unpacked
from atlas.node.typesetter import Typesetter
from atlas.render.piece_making import PieceMaking
from atlas.render.pieces import Pieces
from atlas.render.site import PageStore, Settings
from atlas.render.size_fonts import with_one_font_of_sizes
from atlas.render.whole import independent

FONT = ".woff2"
"""What a font's name ends in."""


class Ahead:
    """What there is of one site before there is any collection; made when it is asked for."""

    def __init__(
        self, settings: Settings, pinned: Pinned, kept: Kept, node: Typesetter, store: PageStore, general: str
    ) -> None:
        """Make ready.

        Args:
            settings: What the host knows.
            pinned: The sources.
            kept: What is kept.
            node: What typesets formulas.
            store: Where the texts of pieces go.
            general: What every page follows from besides content.
        """
        self.settings = settings
        self.pinned = pinned
        self.kept = kept
        self.node = node
        self.general = general
        self.making = PieceMaking(settings, pinned, kept, node)
        """What makes pieces."""
        self.pieces = Pieces(kept, store, self.making.make)
        """The pieces."""

    @cached_property
    def katex(self) -> tuple[Path, ...]:
        """KaTeX's files in the workspace, the CSS first."""
        installed = install_assets(self.node.environment, self.settings.workspace / "katex")
        return with_one_font_of_sizes(installed, self.kept, partial(unpacked, self.node.environment))

    @cached_property
    def fonts(self) -> dict[Path, Path]:
        """The fonts among them, each with what it is to be cut from."""
        return {file: unpacked(self.node.environment, file) for file in self.katex if file.suffix == FONT}

    def make(self) -> None:
        """Make all of it, and keep it for processes that make what follows from collections."""
        free = list(independent(self.pinned, self.general))
        is_new = len(self.kept.holds(piece.key for piece in free)) < len(free)
        if is_new:
            # At once, so that most of it is there when the first collections are checked and will be made.
            for _ in self.making.prepare_collections():
                self.kept.save()
        _ = self.fonts
        if is_new:
            self.pieces.gather(free)
            self.making.prepare()
        self.kept.save()
        self.node.close()  # with its threads this process could not be copied; who needs it starts it again
