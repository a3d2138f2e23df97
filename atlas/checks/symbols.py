"""Symbols: each one declared stands in the formula; each name there is declared, defined, bound or a size."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from atlas.checks.latex import Occurrence, Token, bound_names, canonical, left_sides, occurrences, tokens
from atlas.entries.atlas import Collection, Entry
from atlas.issues import Issue

_CONSTANTS = frozenset(("e", r"\pi"))


def check_symbols(entry: Entry, collection: Collection) -> Iterator[Issue]:
    """Compare the symbol table with the names that stand in the formula."""
    declared = {canonical(name): name for name in entry.data.symbols}
    sizes = {canonical(name) for name in collection.data.dimensions}
    found = tokens(entry.data.formula)
    defined, bound = _definitions(found, declared.keys() | sizes)
    known = declared.keys() | sizes | defined | bound | _CONSTANTS
    used: set[str] = set()
    for occurrence in _all(found, known):
        spelling = next((name for name in occurrence.spellings if name in known), None)
        if spelling is not None:
            used.add(spelling)
        elif not (occurrence.upright and (occurrence.applied or occurrence.sub)):
            yield _undeclared(entry, occurrence, sorted(declared))
    for spelling, name in declared.items():
        if spelling not in used:
            message = f"the symbol {name} is declared but does not stand in the formula"
            yield entry.issue_at_key(("symbols", name), "A130", message)


def _undeclared(entry: Entry, occurrence: Occurrence, declared: list[str]) -> Issue:
    index_like = occurrence.sub.isalpha() and not difflib.get_close_matches(occurrence.spellings[0], declared)
    name = occurrence.base if index_like else occurrence.spellings[0]
    near = difflib.get_close_matches(name, declared, n=1)
    hint = f"did you mean `{near[0]}`?" if near else "declare it under `symbols`, or define it in the formula"
    message = f"`{name}` is neither declared, nor defined in the formula, nor a size"
    return entry.issue_in_text(("formula",), occurrence.span, "A131", message, hint)


def _definitions(found: tuple[Token, ...], named: set[str]) -> tuple[set[str], set[str]]:
    """Names that the formula defines, and names that it binds: indices and arguments of its definitions."""
    defined: set[str] = set()
    bound = set(bound_names(found))
    for left in left_sides(found):
        names = list(occurrences(left))
        for position, occurrence in enumerate(names):
            if position:
                bound.add(occurrence.base)
                continue
            by_name = occurrence.sub in named or occurrence.sub.startswith("\\mathrm")
            base = f"{occurrence.base}_{occurrence.sub}" if occurrence.sub and by_name else occurrence.base
            defined.add(base)
            if not by_name:
                bound.update(inner.base for inner in occurrences(occurrence.inner[0]))
    return defined, bound


def _all(found: tuple[Token, ...], known: set[str]) -> Iterator[Occurrence]:
    """Every occurrence, with those in scripts that are not part of a name."""
    for occurrence in occurrences(found):
        yield occurrence
        spelling = next((name for name in occurrence.spellings if name in known), occurrence.base)
        if occurrence.upright and occurrence.sub and not spelling.endswith(occurrence.sub):
            continue
        for script, mark in zip(occurrence.inner, "_^", strict=True):
            if f"{mark}{canonical_of(script)}" not in spelling:
                yield from _all(script, known)


def canonical_of(script: tuple[Token, ...]) -> str:
    """The canonical spelling of tokens that were cut from a formula."""
    return canonical("".join(token.text for token in script))
