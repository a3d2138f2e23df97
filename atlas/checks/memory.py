"""What a run of all checks found of each collection, in memory for the next one: watching checks only what changed.

What a collection rests on is compared by content, never by the time of a file, so that a result is taken again only
where checking anew would give the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from atlas.checks.base import Collector
from atlas.checks.checked import CheckedCollection
from atlas.checks.pinned import Pinned
from atlas.checks.record_files import records_path
from atlas.checks.sources import SourceCheck
from atlas.entries.atlas import Collection, texts_of_key
from atlas.issues import Issue


@dataclass(frozen=True, slots=True)
class Grounds:
    """Everything that the checks of one collection read; two that are equal give equal results."""

    texts: Mapping[str, str]
    """The text of each of its YAML files, and of those that its entries inherit from, by path."""
    entries: tuple[str, ...]
    """The ids of its entries that could be read, in order."""
    whole: bool
    """Whether all of them could be."""
    unreadable: frozenset[str]
    """Those of its entries whose formulas cannot be displayed."""
    sources: Mapping[str, object]
    """Of each source that it names: the manifest and what is known of its pins and files."""
    known: frozenset[str]
    """The ids of all sources, of which one may be meant where a name names none."""
    records: Mapping[str, bytes]
    """The files of its recorded proofs."""
    missing: str
    """What is done about pinned files that are not at hand."""


@dataclass(frozen=True, slots=True)
class Found:
    """What was found of a collection."""

    grounds: Grounds
    """What it rested on."""
    checked: CheckedCollection
    """What holds."""
    issues: tuple[Issue, ...]
    """What the checks of entries and of the collection found."""
    doubts: tuple[Issue, ...]
    """What the checks of its source claims found."""


class Memory:
    """Results of collections by id. Operators are code and are not compared: a memory ends with the process."""

    def __init__(self) -> None:
        self._kept: dict[str, Found] = {}
        self.checked: tuple[str, ...] = ()
        """The collections that the last run checked, and did not take from here."""

    def begin(self) -> None:
        """A run begins."""
        self.checked = ()

    def holds(self, name: str, grounds: Grounds) -> bool:
        """Whether this collection was checked before with all that it rests on the same."""
        kept = self._kept.get(name)
        return kept is not None and kept.grounds == grounds

    def recall(
        self,
        collection: Collection,
        grounds: Grounds,
        found: Collector,
        sources: SourceCheck,
        check: Callable[[Collection], CheckedCollection],
    ) -> CheckedCollection:
        """The collection as it was checked before, where all that it rests on is the same; else checked now."""
        if self.holds(collection.id, grounds):
            kept = self._kept[collection.id]
            found.extend(kept.issues)
            sources.found.extend(kept.doubts)
            return kept.checked
        self.checked += (collection.id,)
        before, doubted = len(found.issues), len(sources.found.issues)
        checked = check(collection)
        issues, doubts = tuple(found.issues[before:]), tuple(sources.found.issues[doubted:])
        self._kept[collection.id] = Found(grounds, checked, issues, doubts)
        return checked


def grounds_of(collection: Collection, unreadable: frozenset[str], pinned: Pinned) -> Grounds:
    """Everything that the checks of a collection read."""
    owners = [collection, *collection.entries]
    texts = {path: text for owner in owners for path, text in owner.document.texts.items()}
    named = {name for owner in owners for name in texts_of_key("source", owner.document)}
    records = {str(path): path.read_bytes() for owner in owners if (path := records_path(owner)).is_file()}
    return Grounds(
        texts,
        tuple(entry.id for entry in collection.entries),
        collection.whole,
        frozenset(entry.id for entry in collection.entries if entry.id in unreadable),
        {name: tuple(_known_of(name, pinned)) for name in sorted(named & pinned.sources.keys())},
        frozenset(pinned.sources) | {f"{name} (not sound)" for name in pinned.unread},
        records,
        pinned.missing,
    )


def _known_of(name: str, sources: Pinned) -> Iterator[object]:
    source = sources.sources[name]
    yield source.document.texts
    yield source.licence
    for path in source.data.files:
        pinned = sources.files.get((name, path))
        yield path, sources.pins[name, path], pinned.blob if pinned is not None else None
