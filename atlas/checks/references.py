"""References inside and between files: every name that is used names something."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from atlas.checks.base import unknown, unpinned
from atlas.entries.atlas import Atlas, Collection, Entry, Placed
from atlas.entries.collection import Library, Model, Variant
from atlas.entries.component import SourceClaim
from atlas.entries.tree import KeyPath
from atlas.issues import Issue


def check_collection(collection: Collection, atlas: Atlas) -> Iterator[Issue]:
    """Everything that a collection's own file refers to, apart from its sizes."""
    data = collection.data
    if isinstance(data, Library):
        if data.source not in atlas.sources and data.source not in atlas.unread:
            message = f"no manifest is called {data.source}"
            yield unknown(collection, ("source",), "A116", message, data.source, atlas.sources)
    else:
        yield from check_claims(collection, data.sources, ("sources",), atlas)
        for name, variant in data.variants.items():
            yield from _variant(collection, data, name, variant, atlas)


def check_entry(entry: Entry, collection: Collection, atlas: Atlas) -> Iterator[Issue]:
    """Everything that an entry refers to, apart from its operator, its formula and its sizes."""
    data = entry.data
    yield from check_claims(entry, data.sources, ("sources",), atlas)
    for index, execution in enumerate(data.executions):
        if entry.claim(execution.excerpt) is None:
            yield _unknown_excerpt(entry, ("executions", index, "excerpt"), execution.excerpt)
    if isinstance(collection.data, Library) and data.api is None:
        message = "a library's layer states its API documentation"
        yield entry.issue((), "A123", message, "add the key `api`")
    if data.api is not None and entry.claim(data.api.excerpt) is None:
        yield _unknown_excerpt(entry, ("api", "excerpt"), data.api.excerpt)


def check_claims(owner: Placed, claims: Iterable[SourceClaim], where: KeyPath, atlas: Atlas) -> Iterator[Issue]:
    """Source claims name a manifest and a file that it pins, each under an id of its own."""
    seen: set[str] = set()
    for index, claim in enumerate(claims):
        if claim.id in seen:
            message = f"another source claim is called {claim.id}"
            yield owner.issue((*where, index, "id"), "A118", message, "give each an id of its own")
        seen.add(claim.id)
        source = atlas.sources.get(claim.source)
        if source is None:
            if claim.source not in atlas.unread:
                message = f"no manifest is called {claim.source}"
                yield unknown(owner, (*where, index, "source"), "A116", message, claim.source, atlas.sources)
        elif claim.path not in source.data.files:
            yield unpinned(owner, (*where, index, "path"), claim.path, source)


def _unknown_excerpt(entry: Entry, path: KeyPath, name: str) -> Issue:
    claims = [claim.id for claim in entry.data.sources]
    return unknown(entry, path, "A119", f"the entry has no source claim {name}", name, claims)


def _variant(collection: Collection, model: Model, name: str, variant: Variant, atlas: Atlas) -> Iterator[Issue]:
    where = ("variants", name)
    yield from check_claims(collection, variant.sources, (*where, "sources"), atlas)
    claims = {claim.id for claim in variant.sources}
    for symbol, setting in variant.settings.items():
        path = (*where, "settings", symbol)
        if symbol not in variant.sizes and symbol not in model.dimensions:
            message = f"{symbol} is no size of this variant"
            yield unknown(collection, path, "A119", message, symbol, variant.sizes, at_key=True)
        if setting.source not in claims:
            message = f"the variant has no source claim {setting.source}"
            yield unknown(collection, (*path, "source"), "A119", message, setting.source, claims)
