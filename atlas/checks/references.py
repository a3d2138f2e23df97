"""References inside and between files: every name that is used names something, and every size has a value."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from atlas.checks.base import listed
from atlas.entries.atlas import Atlas, Collection, Entry, Placed
from atlas.entries.collection import Library, Model
from atlas.entries.component import SourceClaim, Symbol
from atlas.issues import Issue
from atlas.sizes import size


def check_collection(collection: Collection, atlas: Atlas) -> Iterator[Issue]:
    """Everything that a collection's own file refers to."""
    data = collection.data
    if isinstance(data, Library):
        if data.source not in atlas.sources:
            yield unknown(
                collection, ("source",), "A116", f"no manifest is called {data.source}", data.source, atlas.sources
            )
        yield from _sizes_have_meaning(collection, ())
        return
    yield from check_claims(collection, data.sources, ("sources",), atlas)
    for name, variant in data.variants.items():
        where = ("variants", name)
        yield from check_claims(collection, variant.sources, (*where, "sources"), atlas)
        claims = {claim.id for claim in variant.sources}
        for symbol, setting in variant.settings.items():
            if symbol not in variant.sizes and symbol not in data.dimensions:
                message = f"{symbol} is no size of this variant"
                yield unknown(collection, (*where, "settings", symbol), "A119", message, symbol, variant.sizes)
            if setting.source not in claims:
                message = f"the variant has no source claim {setting.source}"
                yield unknown(
                    collection, (*where, "settings", symbol, "source"), "A119", message, setting.source, claims
                )
    yield from _variants_bind(collection, data)
    yield from _sizes_have_meaning(
        collection, [symbol for variant in data.variants.values() for symbol in variant.sizes]
    )
    for name, stack in data.stacks.items():
        for symbol in size(stack.layers).symbols - data.dimensions.keys():
            path = ("stacks", name, "layers")
            yield unknown(collection, path, "A121", f"the size {symbol} has no dimension", symbol, data.dimensions)


def check_entry(entry: Entry, collection: Collection, atlas: Atlas) -> Iterator[Issue]:
    """Everything that an entry refers to, apart from its operator and its formula."""
    data = entry.data
    yield from check_claims(entry, data.sources, ("sources",), atlas)
    yield from _sizes_are_known(entry, collection)
    for index, execution in enumerate(data.executions):
        if entry.claim(execution.excerpt) is None:
            yield _unknown_excerpt(entry, ("executions", index, "excerpt"), execution.excerpt)
    if isinstance(collection.data, Library) and data.api is None:
        message = "a library's layer states its API documentation"
        yield entry.issue((), "A123", message, "add the key `api`")
    if data.api is not None and entry.claim(data.api.excerpt) is None:
        yield _unknown_excerpt(entry, ("api", "excerpt"), data.api.excerpt)
    for key, values in (("in", data.in_), ("out", data.out)):
        for value, symbol in values.items():
            if symbol not in data.symbols:
                message = f"`{symbol}` is not among the symbols"
                yield unknown(entry, (key, value), "A132", message, symbol, data.symbols)


def check_claims(
    owner: Placed, claims: Iterable[SourceClaim], where: tuple[str | int, ...], atlas: Atlas
) -> Iterator[Issue]:
    """Source claims name a manifest and a file that it pins, each under an id of its own."""
    claims = list(claims)
    seen = Counter(claim.id for claim in claims)
    for index, claim in enumerate(claims):
        if seen[claim.id] > 1 and any(claim.id == earlier.id for earlier in claims[:index]):
            yield owner.issue((*where, index, "id"), "A118", f"another source claim is called {claim.id}")
        source = atlas.sources.get(claim.source)
        if source is None:
            message = f"no manifest is called {claim.source}"
            yield unknown(owner, (*where, index, "source"), "A116", message, claim.source, atlas.sources)
        elif claim.path not in source.data.files:
            message = f"{source.path} does not pin {claim.path}"
            yield unknown(owner, (*where, index, "path"), "A117", message, claim.path, source.data.files)


def unknown(
    owner: Placed, path: tuple[str | int, ...], code: str, message: str, name: str, known: Iterable[str]
) -> Issue:
    """An issue about a name that names nothing, with the nearest that does."""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean `{near[0]}`?" if near else f"there is {listed(names)}" if 0 < len(names) <= 12 else ""
    return owner.issue(path, code, message, hint)


def _unknown_excerpt(entry: Entry, path: tuple[str | int, ...], name: str) -> Issue:
    claims = [claim.id for claim in entry.data.sources]
    return unknown(entry, path, "A119", f"the entry has no source claim {name}", name, claims)


def _sizes_are_known(entry: Entry, collection: Collection) -> Iterator[Issue]:
    dimensions = collection.data.dimensions
    for name, symbol in entry.data.symbols.items():
        for index, axis in enumerate(symbol.axes):
            for missing in sorted(size(axis).symbols - dimensions.keys()):
                path = ("symbols", name, "axes", index)
                message = f"the size {missing} is not among the dimensions of {collection.path}"
                yield unknown(entry, path, "A121", message, missing, dimensions)
    for index, axis in enumerate(entry.data.batch):
        if axis not in dimensions:
            message = f"the size {axis} is not among the dimensions of {collection.path}"
            yield unknown(entry, ("batch", index), "A121", message, axis, dimensions)


def _sizes_have_meaning(collection: Collection, named: Iterable[str]) -> Iterator[Issue]:
    """Every dimension is the size of something, and every size that a variant binds is a dimension."""
    data = collection.data
    used = {symbol for entry in collection.entries for symbol in _symbols(entry)}
    if isinstance(data, Model):
        used |= {symbol for stack in data.stacks.values() for symbol in size(stack.layers).symbols}
        for name, variant in data.variants.items():
            for symbol in variant.sizes.keys() - data.dimensions.keys():
                path = ("variants", name, "sizes", symbol)
                yield unknown(collection, path, "A121", f"the size {symbol} has no dimension", symbol, data.dimensions)
    for symbol in data.dimensions.keys() - used:
        message = f"nothing has the size {symbol}"
        yield collection.issue_at_key(
            ("dimensions", symbol), "A122", message, "remove it, or use it in an entry's axes"
        )


def _symbols(entry: Entry) -> Iterator[str]:
    for symbol in entry.data.symbols.values():
        yield from size_symbols(symbol)


def size_symbols(symbol: Symbol) -> Iterator[str]:
    """The size symbols in the axes of a symbol."""
    for axis in symbol.axes:
        yield from sorted(size(axis).symbols)


def _needs(collection: Collection, model: Model) -> Iterator[tuple[str, str]]:
    """The sizes that need a value, each with what needs it; the first reason is the one to report."""
    for name, stack in model.stacks.items():
        for symbol in size(stack.layers).symbols:
            yield symbol, f"the number of layers of {name}"
    for entry in collection.entries:
        for name, declared in entry.data.symbols.items():
            if declared.parameter is not None:
                yield from ((symbol, f"the parameter {name} of {entry.id}") for symbol in size_symbols(declared))
    for name, variant in model.variants.items():
        yield from ((symbol, f"the variant {name}, which binds it") for symbol in variant.sizes)


def _variants_bind(collection: Collection, model: Model) -> Iterator[Issue]:
    """Every variant binds each size that a count needs, and each size that another variant binds."""
    needed = dict(reversed(list(_needs(collection, model))))
    for name, variant in model.variants.items():
        for symbol, why in _missing(needed, variant.sizes):
            path = ("variants", name, "sizes")
            message = f"the variant {name} gives the size {symbol} no value; it is needed by {why}"
            yield collection.issue_at_key(path, "A120", message, f"add `{symbol}: …` to its sizes")


def _missing(needed: Mapping[str, str], sizes: Mapping[str, int]) -> list[tuple[str, str]]:
    return sorted((symbol, why) for symbol, why in needed.items() if symbol not in sizes)
