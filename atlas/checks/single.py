"""The checks of one collection by itself, in any process, and by what is known before whether they have to be run.

A build so checks no collection whose files, and everything else that its checks read, are as they were.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from atlas.checks.alone import judged
from atlas.checks.checked import CheckedCollection
from atlas.checks.collections import CollectionChecks
from atlas.checks.display import Typesetter
from atlas.checks.grounds import grounds_key, grounds_keys, keep_grounds, sources_of
from atlas.checks.pinned import Pinned
from atlas.entries.atlas import Atlas, texts_of_key
from atlas.entries.load import Loader
from atlas.entries.survey import Survey
from atlas.issues import Issue, ordered
from atlas.kept import Kept
from atlas.spread import Here

__all__ = ["Single", "check_one", "grounds_key", "grounds_keys", "keep_grounds", "sources_of"]


@dataclass(frozen=True, slots=True)
class Single:
    """What the checks of one collection found."""

    id: str
    """The collection."""
    checked: CheckedCollection | None
    """The collection with its proofs; None where there is any error."""
    issues: tuple[Issue, ...]
    """Errors and warnings, sorted."""
    files: Mapping[str, bytes]
    """The digest of each YAML file that was read, its own and those that it inherits from, by name."""
    asked: tuple[str, ...]
    """The names outside its folder of which it was asked whether they are entries, as `inherits` may mean them."""
    named: tuple[str, ...]
    """The sources that its files name, whether they are there or not."""


def check_one(found: Survey, pinned: Pinned, collection: str, typesetter: Typesetter, kept: Kept | None) -> Single:
    """Load and check one collection of the survey, and what it inherits from; no other file of content is read.

    Survey and sources can be pickled, so that this may run in another process.
    """
    loader = Loader(found)
    loaded = loader.collection(collection)
    collections = {} if loaded is None else {collection: loaded}
    atlas = Atlas(found.root, found.content, collections, pinned.sources, pinned.unread)
    checks = CollectionChecks(atlas, pinned, partial(judged, kept=kept, executor=Here()), recorded=found.records)
    checked = checks.everything(typesetter).get(collection)
    issues = ordered([*loader.all_issues(), *checks.issues])
    sound = all(issue.severity != "error" for issue in issues)
    inside = f"{collection}/"
    owners = [] if loaded is None else [loaded, *loaded.entries]
    return Single(
        collection,
        checked if sound else None,
        tuple(issues),
        loader.digests,
        tuple(sorted(name for name in loader.inheritance.asked if not name.startswith(inside))),
        tuple(sorted({name for owner in owners for name in texts_of_key("source", owner.document)})),
    )
