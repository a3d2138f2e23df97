"""Where collections are checked and made: in the process of the build, or in one of several beside it.

It imports all that checks and makes, so it is imported only where a collection is not as it was.
"""

from __future__ import annotations

import os
import pickle
from contextvars import ContextVar
from dataclasses import dataclass

from atlas.checks.checked import Checked
from atlas.checks.pinned import Pinned
from atlas.checks.single import check_one, keep_grounds
from atlas.cycles import IN_MAKERS, look_only_at_new
from atlas.entries.atlas import Atlas
from atlas.entries.survey import Survey
from atlas.issues import Issue
from atlas.kept import Kept, key_of, unsaid
from atlas.node.sharing import Sharing
from atlas.node.typesetter import Typesetter
from atlas.render.making import Maker
from atlas.render.site import PageStore, Settings, StoredBody
from atlas.render.texts import texts_key


@dataclass(frozen=True, slots=True)
class Result:
    """What came of it."""

    collection: str
    """Its id."""
    made: bytes
    """What it gives, pickled; empty where there are errors."""
    texts: StoredBody | None
    """Where the texts of its pages and files lie; None where there are errors."""
    key: bytes
    """What both are kept by; empty where they cannot be kept."""
    issues: tuple[Issue, ...]
    """Errors and warnings."""


class Workshop:
    """What checks and makes collections in one process; `general` is the digest of what all of them follow from."""

    def __init__(
        self,
        settings: Settings,
        survey: Survey,
        pinned: Pinned,
        kept: Kept,
        typesetter: Typesetter,
        general: str,
        store: PageStore,
    ) -> None:
        self._survey = survey
        self._pinned = pinned
        self._kept = kept
        self.typesetter = typesetter
        self._settings = settings
        self._general = general
        self._store = store
        self._maker: Maker | None = None

    def make(self, collection: str) -> Result:
        """Check one collection, and make what it gives if there is no error; it is kept at once."""
        single = check_one(self._survey, self._pinned, collection, self.typesetter.typeset, self._kept)
        if single.checked is None:
            return Result(collection, b"", None, b"", single.issues)
        if self._maker is None:
            self._maker = Maker(self._settings, self._kept, self.typesetter)
        pinned, found = self._pinned, self._survey
        one = single.checked
        atlas = Atlas(found.root, found.content, {collection: one.collection}, pinned.sources, pinned.unread)
        checked = Checked(atlas, {collection: one}, pinned.files, pinned.pins, single.issues)
        made, texts = self._maker.make(checked, one, single.issues)
        grounds = keep_grounds(found, pinned, single, self._kept)
        key = key_of("made", self._general, grounds) if grounds is not None else b""
        packed = pickle.dumps(made, 5)
        if key:
            self._kept.put({key: packed, texts_key(key): texts})
        return Result(collection, packed, self._store.keep_data(texts), key, single.issues)


_shop: ContextVar[tuple[Kept, Workshop]] = ContextVar("_shop")
"""What a process makes collections with that does nothing else; set once, as a pool hands nothing to what it calls."""


def begin(settings: Settings, survey: Survey, pinned: Pinned, general: str, sharing: Sharing) -> None:
    """Get ready to make collections, as long as this process lasts."""
    kept = Kept(tell=unsaid)  # the process that began the build has the same file before it, and tells of it
    store = PageStore(settings.workspace / f"bodies-{os.getpid()}")
    node = Typesetter(kept, sharing=sharing)
    _shop.set((kept, Workshop(settings, survey, pinned, kept, node, general, store)))
    look_only_at_new(IN_MAKERS)


def at_hand() -> tuple[Kept, Workshop]:
    """What this process has begun with.

    Raises:
        LookupError: it has not begun.
    """
    return _shop.get()


def make_one(collection: str) -> Result:
    """Check and make one collection; what a process is given that has begun."""
    kept, workshop = at_hand()
    result = workshop.make(collection)
    kept.save()
    return result
