"""All checks over one atlas: what holds becomes `Checked`, what does not becomes issues."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from atlas.checks.alone import Counted, judged
from atlas.checks.checked import Checked
from atlas.checks.collections import CollectionChecks
from atlas.checks.display import Typesetter
from atlas.checks.memory import Memory
from atlas.checks.pinned import MissingSources, StoreMaker, bring
from atlas.entries.atlas import Atlas, Collection
from atlas.entries.load import load
from atlas.issues import Issue, ordered
from atlas.kept import Kept
from atlas.spread import Executor


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one run found."""

    checked: Checked | None
    """The atlas with its proofs; None where there is any error."""
    issues: tuple[Issue, ...]
    """Errors and warnings, sorted."""
    entries: int
    """How many entries were checked."""
    atlas: Atlas
    """Everything that was read, as far as it is sound, also where nothing is asked about it."""


def check_project(
    root: Path,
    content: Path,
    sources: Path,
    *,
    make_store: StoreMaker,
    typesetter: Typesetter,
    missing: MissingSources = "fail",
    concerns: Callable[[str], bool] | None = None,
    memory: Memory | None = None,
    kept: Kept | None = None,
    executor: Executor | None = None,
    counting: Counted | None = None,
) -> Outcome:
    """Load and check everything below the two folders; what was proved before and is kept is not proved again.

    With `concerns`, which answers for a file whether it is asked about, only the collections and sources of such files
    are checked. With a `memory` of earlier runs, a collection is checked again only if what it rests on has changed.
    Entries are judged by the executor, where one is given; else by this machine's cores, where these are many;
    `counting` is told how far they are.
    """
    whole, found = load(root, content, sources)
    atlas = whole
    if concerns is not None:
        atlas = replace(atlas, collections=dict(_concerned(atlas, concerns)))
    pinned = bring(atlas, sources, make_store, missing, concerns)
    judge = partial(judged, kept=kept, executor=executor, counting=counting)
    checks = CollectionChecks(atlas, pinned, judge, memory or Memory())
    collections = checks.everything(typesetter)
    issues = ordered([*found, *pinned.issues, *checks.issues])
    sound = all(issue.severity != "error" for issue in issues)
    checked = Checked(atlas, collections, pinned.files, pinned.pins, tuple(issues)) if sound else None
    return Outcome(checked, tuple(issues), len(atlas.entries), whole)


def _concerned(atlas: Atlas, concerns: Callable[[str], bool]) -> Iterator[tuple[str, Collection]]:
    """The collections with a file that is asked about, or whose entries inherit from one."""
    for name, collection in atlas.collections.items():
        owners = [collection, *collection.entries]
        if any(concerns(path) for owner in owners for path in owner.document.texts):
            yield name, collection
