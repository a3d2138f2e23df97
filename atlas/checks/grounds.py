"""What the checks of one collection follow from, told without loading it: whether they have to be run again.

A build in which nothing changed reads no entry, and imports none of the checks.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from atlas.checks.pinned import MissingSources, Pinned, StoreMaker, bring
from atlas.entries.atlas import Atlas
from atlas.entries.manifests import load_sources
from atlas.entries.survey import Survey, digest_of_file, digest_of_parts
from atlas.issues import Issue, ordered
from atlas.kept import Kept, code_digest, key_of

if TYPE_CHECKING:
    from atlas.checks.single import Single

CODE = (
    *("files", "issues", "size_text", "sizes", "entries", "formula", "operators", "sources", "graph", "upstream"),
    *("node", "markup", "checks"),
)
"""The rooms whose code the checks depend on."""


def sources_of(
    found: Survey, make_store: StoreMaker, missing: MissingSources = "fail"
) -> tuple[Pinned, tuple[Issue, ...]]:
    """The sources, all pinned files brought and verified, and every issue that concerns no collection.

    These issues and those of each `check_one` are together what `check_project` finds.
    """
    manifests, unread, issues = load_sources(found)
    pinned = bring(Atlas(found.root, found.content, {}, manifests, unread), found.sources, make_store, missing)
    return pinned, tuple(ordered([*found.issues, *issues, *_stray_issues(found), *pinned.issues]))


def _stray_issues(found: Survey) -> list[Issue]:
    """What is wrong with the text of files that belong to no collection; there rarely are any."""
    if not (strays := found.strays()):
        return []
    from atlas.entries.load import Loader  # it imports what reads entries

    loader = Loader(found)
    loader.read(strays)
    return loader.issues


def grounds_keys(found: Survey, pinned: Pinned, collections: Iterable[str], kept: Kept) -> dict[str, bytes | None]:
    """For each collection a digest of everything that `check_one` would follow from, without reading any entry.

    It is None where that is not known yet: `keep_grounds` tells it after `check_one`.
    """
    own = {name: _own_key(found, pinned, name) for name in collections}
    known = kept.get(key for key in own.values() if key is not None)
    return {
        name: _full_key(found, pinned, key, known[key]) if key is not None and key in known else None
        for name, key in own.items()
    }


def grounds_key(found: Survey, pinned: Pinned, collection: str, kept: Kept) -> bytes | None:
    """The same for one collection."""
    return grounds_keys(found, pinned, [collection], kept)[collection]


def keep_grounds(found: Survey, pinned: Pinned, single: Single, kept: Kept) -> bytes | None:
    """Keep what a collection's checks read, so that `grounds_key` knows it, and answer what it will say.

    It is None, and nothing is kept, where there are errors, or where a file is not any more what the survey saw.
    """
    own = _own_key(found, pinned, single.id)
    if own is None or single.checked is None or not _unchanged(found, single):
        return None
    read = json.dumps([single.asked, single.named]).encode()
    kept.put({own: read})
    return _full_key(found, pinned, own, read)


def _own_key(found: Survey, pinned: Pinned, collection: str) -> bytes | None:
    """A digest of what a collection's own folder holds and of what all checks depend on; None if a file is unreadable.

    What `inherits` and `source` name follows from the files of the folder and those that they inherit from.
    """
    state = list(found.folder_state(collection))
    if b"" in state:
        return None
    places = (str(found.root).encode(), str(found.content).encode())
    shared = (code_digest(*CODE).encode(), pinned.missing.encode(), *places, *pinned.names())
    return key_of("grounds", collection, digest_of_parts(shared), digest_of_parts(state))


def _full_key(found: Survey, pinned: Pinned, own: bytes, read: bytes) -> bytes:
    """A digest of the same and of what the collection reads elsewhere; `read` names it."""
    asked, named = json.loads(read)
    parts = [part for name in asked for part in (name.encode(), found.state(name))]
    parts += [part for name in named for part in (name.encode(), pinned.state(name))]
    return key_of("single", own, digest_of_parts(parts))


def _unchanged(found: Survey, single: Single) -> bool:
    """Whether every file that was read is still, or was when it was read, what the survey saw."""
    records = ((found.records_path(name), found.records.get(name)) for name in found.folders[single.id])
    return all(found.files[name] == digest for name, digest in single.files.items()) and all(
        _is_as(path, digest) for path, digest in records
    )


def _is_as(path: Path, digest: bytes | None) -> bool:
    return not path.exists() if digest is None else digest_of_file(path) == digest
