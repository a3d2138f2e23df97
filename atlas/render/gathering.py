"""From a survey of the content to what each collection gives: as it was kept, or made now, on as many cores as pay.

Nothing of a collection that is as it was is loaded; what is made is kept at once, so that a build that is cut off is
not lost.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from atlas.checks.grounds import grounds_keys
from atlas.checks.pinned import Pinned
from atlas.entries.survey import Survey
from atlas.exceptions import ChangedError
from atlas.issues import Issue
from atlas.kept import Kept, key_of
from atlas.node.typesetter import Typesetter
from atlas.render.made import Made, Text
from atlas.render.site import PageStore, Settings
from atlas.render.texts import Texts, texts_key
from atlas.spread import cores, forks, processes, spread

if TYPE_CHECKING:
    from atlas.render.workshop import Result, Workshop

WORTHWHILE = 60
"""From how many files on other processes are started for their collections."""


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
        self._keys: dict[str, bytes] = {}
        self._texts = Texts(kept, store)
        self.made: dict[str, Made] = {}
        """What each collection gives, by its id; those with errors are not among them."""
        self.issues: list[Issue] = []
        """What the checks found."""

    def gather(self) -> None:
        """Take what is kept and make the rest."""
        found = self._kept_ones()
        missing = [name for name in self._survey.collections if name not in found]
        results = {result.collection: result for result in self._make(missing)}
        for name in self._survey.collections:
            if name in found:
                self.made[name] = found[name]
                self.issues += found[name].warnings
                continue
            result = results[name]
            self.issues += result.issues
            if result.made:
                self.made[name] = pickle.loads(result.made)  # noqa: S301 - this build has made it

    def text(self, collection: str, text: Text) -> str:
        """A text of a collection."""
        return self._texts.text(collection, text)

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
        self._kept.put({texts_key(result.key): result.texts})
        self._texts.add_new(collection, result.texts)
        return result.texts

    @cached_property
    def _workshop(self) -> Workshop:
        """What makes collections in this process; it is imported where one is to be made."""
        from atlas.render.workshop import Workshop

        return Workshop(self._settings, self._survey, self._pinned, self._kept, self._typesetter, self._general)

    def _make(self, missing: Sequence[str]) -> Iterator[Result]:
        for result in self._made(missing):
            if result.made:
                self._texts.add_new(result.collection, result.texts)
                if result.key:
                    self._kept.put({result.key: result.made, texts_key(result.key): result.texts})
            yield replace(result, texts=b"")

    def _made(self, missing: Sequence[str]) -> Iterator[Result]:
        if not missing:
            return  # and import nothing
        files = sum(len(self._survey.folders[name]) for name in missing)
        if files < WORTHWHILE or processes() == 1 or len(missing) == 1:
            yield from map(self._workshop.make, missing)
            return
        _ = self._typesetter.environment  # made here where it is missing, which takes long and is told of
        from atlas.render.workshop import begin, make_one

        settings = self._settings if forks() else portable(self._settings, self._survey)
        # The largest come first, so that none is at work alone in the end.
        largest = sorted(missing, key=lambda name: -len(self._survey.folders[name]))
        ready = partial(begin, settings, self._survey, self._pinned, self._general)
        with cores(min(processes(), len(missing)), ready) as pool:
            yield from spread(make_one, largest, pool)


def portable(settings: Settings, survey: Survey) -> Settings:
    """The settings as another process can be sent them: addresses for editing as they are, and nothing said."""
    names = [path.relative_to(survey.content).as_posix() for path in map(survey.path, survey.files)]
    return replace(settings, edit_address={name: settings.edit_address(name) for name in names}.get, say=_unsaid)


def _unsaid(_: str) -> None:
    """Says nothing."""
