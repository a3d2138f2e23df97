"""From a survey of the content to what each collection gives: as it was kept, or made now, on as many cores as pay.

Nothing of a collection that is as it was is loaded; what is made is kept at once, so that a build that is cut off is
not lost.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from importlib import import_module
from typing import TYPE_CHECKING

from atlas.checks.grounds import grounds_keys
from atlas.checks.pinned import Pinned
from atlas.entries.survey import Survey
from atlas.exceptions import ChangedError
from atlas.issues import Issue
from atlas.kept import Kept, key_of, unsaid
from atlas.later import load_now
from atlas.node.typesetter import Typesetter
from atlas.render.made import Made
from atlas.render.site import PageStore, Settings
from atlas.render.texts import Reader, Texts
from atlas.spread import aside, cores, forks, processes, spread

if TYPE_CHECKING:
    from atlas.render.workshop import Result, Workshop

WHOLE = "atlas.render.whole_workshop"
"""The module that makes pieces of the whole atlas."""
WORTHWHILE = 60
"""From how many files on other processes are started for their collections."""


def _nothing() -> None:
    """What is done meanwhile where there is nothing to be done."""


class Gathered:
    """What all collections give, with their texts."""

    def __init__(
        self,
        settings: Settings,
        survey: Survey,
        pinned: Pinned,
        kept: Kept,
        typesetter: Typesetter,
        store: PageStore,
        general: str,
    ) -> None:
        self._settings = settings
        self._survey = survey
        self._pinned = pinned
        self._kept = kept
        self._typesetter = typesetter
        self._general = general
        self._store = store
        self._keys: dict[str, bytes] = {}
        self._texts = Texts(kept, store)
        self.made: dict[str, Made] = {}
        """What each collection gives, by its id; those with errors are not among them."""
        self.issues: list[Issue] = []
        """What the checks found."""

    def gather(self, meanwhile: Callable[[], None] = _nothing) -> None:
        """Take what is kept and make the rest.

        Args:
            meanwhile: What is done, in a process of its own where that costs nothing, while others are at work on
                collections, if any are.
        """
        found = self._kept_ones()
        missing = [name for name in self._survey.collections if name not in found]
        issues = {name: one.warnings for name, one in found.items()}
        self.made.update(found)
        for result in self._make(missing, meanwhile):
            issues[result.collection] = result.issues
            if result.made:  # it is read at once, while others are still at work
                self.made[result.collection] = pickle.loads(result.made)  # noqa: S301 - this build has made it
        for name in self._survey.collections:
            self.issues += issues[name]

    def reader(self, collection: str) -> Reader:
        """What reads the texts of a collection."""
        return Reader(self._texts, collection)

    def _kept_ones(self) -> dict[str, Made]:
        grounds = grounds_keys(self._survey, self._pinned, self._survey.collections, self._kept)
        self._keys = {name: key_of("made", self._general, key) for name, key in grounds.items() if key is not None}
        found = self._kept.get(self._keys.values())
        there = self._texts.there(found)
        # From the user's own cache, written by this very code, and whole by its digest.
        made = {name: pickle.loads(found[key]) for name, key in self._keys.items() if key in there}  # noqa: S301
        for name in made:
            self._texts.add_kept(name, self._keys[name], partial(self._made_again, name))
        return made

    def _made_again(self, collection: str) -> bytes:
        """Texts that are not kept any more, or are damaged; they are kept anew.

        Raises:
            ChangedError: the collection is not any more what they were made from.
        """
        result = self._workshop.make(collection)
        if result.key != self._keys[collection]:
            raise ChangedError(
                f"the pages of {collection} have to be made again, as those that were kept are damaged, and its files "
                "have changed since the build began; build again"
            )
        if result.texts is None:
            raise RuntimeError("what is kept by this key was made of a collection without errors")
        self._texts.add_stored(collection, result.texts)
        return result.texts.data()

    @cached_property
    def _workshop(self) -> Workshop:
        """What makes collections in this process; it is imported where one is to be made."""
        from atlas.render.workshop import Workshop

        return Workshop(
            self._settings,
            self._survey,
            self._pinned,
            self._kept,
            self._typesetter,
            self._general,
            self._store,
        )

    def _make(self, missing: Sequence[str], meanwhile: Callable[[], None]) -> Iterator[Result]:
        for result in self._made(missing, meanwhile):
            if result.texts is not None:
                self._texts.add_stored(result.collection, result.texts)
            yield result

    def _made(self, missing: Sequence[str], meanwhile: Callable[[], None]) -> Iterator[Result]:
        if not missing:
            return  # and import nothing
        files = sum(len(self._survey.folders[name]) for name in missing)
        if files < WORTHWHILE or processes() == 1 or len(missing) == 1:
            yield from map(self._workshop.make, missing)
            return
        number = min(processes(), len(missing))
        # Node starts while this process goes on; what it needs is made here where it is missing, and is told of.
        sharing = self._typesetter.share(number)
        from atlas.render.workshop import begin, make_one

        load_now("numpy")  # once, and not in each of the processes

        settings = self._settings if forks() else portable(self._settings, self._survey)
        # The largest come first, so that none is at work alone in the end.
        largest = sorted(missing, key=lambda name: -len(self._survey.folders[name]))
        ready = partial(begin, settings, self._survey, self._pinned, self._general, sharing)
        with aside(meanwhile) as left, cores(number, ready) as pool:
            results = spread(make_one, largest, pool)
            left()
            import_module(WHOLE)  # which is needed next, and takes its time
            yield from results


def portable(settings: Settings, survey: Survey) -> Settings:
    """The settings as another process can be sent them: addresses for editing as they are, and nothing said."""
    names = [path.relative_to(survey.content).as_posix() for path in map(survey.path, survey.files)]
    return replace(settings, edit_address={name: settings.edit_address(name) for name in names}.get, say=unsaid)
