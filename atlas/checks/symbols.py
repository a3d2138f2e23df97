"""Symbols: each one declared stands in the formula; each name there is declared, defined, bound or a size.

What enters and leaves is checked here too, so that a name that is misspelt once is reported once.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Container, Iterator, Mapping

from atlas.checks.latex import Occurrence, Token, bound_names, canonical, left_sides, nesting, occurrences, tokens
from atlas.entries.atlas import Collection, Entry
from atlas.formula.letters import lookalikes
from atlas.issues import Issue
from atlas.sizes import size

_CONSTANTS = frozenset(("e", r"\pi", *(rf"\mathbb{{{letter}}}" for letter in "RNZCEP1")))

MAX_NESTING = 50
"""How deep a formula's braces may be nested."""
MAX_UNDECLARED = 20
"""How many names of one formula are reported."""
MAX_NAMED = 3
"""How many symbols are named of those that may be meant."""


def check_symbols(entry: Entry, collection: Collection) -> list[Issue]:
    """Compare the symbol table with the names that stand in the formula, and with those that enter and leave."""
    if max(map(nesting, map(tokens, (entry.data.formula, *entry.data.symbols)))) > MAX_NESTING:
        return [entry.issue(("formula",), "A801", f"braces are nested more than {MAX_NESTING} deep")]
    declared: dict[str, str] = {}
    issues: list[Issue] = []
    for name in entry.data.symbols:
        first = declared.setdefault(canonical(name), name)
        if first != name:
            message = f"the symbol {name} is declared already, as {first}"
            issues.append(entry.issue_at_key(("symbols", name), "A135", message, "declare it once"))
    used, undeclared = _read(entry, collection, declared)
    unused = [name for spelling, name in declared.items() if spelling not in used]
    for name, occurrence in undeclared.items():
        hint = _hint(name, list(declared.values()), unused)
        message = f"`{name}` is neither declared, nor defined in the formula, nor a size"
        issues.append(entry.issue_in_text(("formula",), occurrence.span, "A131", message, hint))
    issues += _crossings(entry, declared, undeclared, unused)
    for name in unused:
        message = f"the symbol {name} is declared but does not stand in the formula"
        issues.append(entry.issue_at_key(("symbols", name), "A130", message, "remove it, or write it in the formula"))
    return issues


def check_crossings(entry: Entry, unknown: Container[str] = ()) -> list[Issue]:
    """What enters and leaves is declared; names that the formula's own check did not know are not reported again."""
    data = entry.data
    if all(symbol in data.symbols for _, symbol in (*data.takes, *data.out.items())):
        return []  # spelled as they are declared, as nearly always
    declared = {canonical(name): name for name in data.symbols}
    return list(_crossings(entry, declared, unknown, []))


def _crossings(
    entry: Entry, declared: Mapping[str, str], unknown: Container[str], unused: list[str]
) -> Iterator[Issue]:
    for key, pairs in (("in", entry.data.takes), ("out", tuple(entry.data.out.items()))):
        for value, symbol in pairs:
            if canonical(symbol) not in declared and canonical(symbol) not in unknown:
                hint = _crossing_hint(entry, key, value, symbol, declared, unused)
                yield entry.issue((key, value), "A132", f"`{symbol}` is not among the symbols", hint)


def _crossing_hint(
    entry: Entry, key: str, value: str, symbol: str, declared: Mapping[str, str], unused: list[str]
) -> str:
    """What to write where a value enters or leaves as what is no symbol; what is meant depends on what it is."""
    name = canonical(symbol)
    exchanged = canonical(value) in declared and name.lower() != canonical(value).lower()
    if exchanged and not lookalikes(name, declared):
        return f"the model's value comes first and the symbol after it: `'{symbol}': '{value}'`"
    if near := _near(name, declared, unused):
        return near
    bare = name.partition("_")[0].partition("^")[0]
    if bare in declared:
        return f"did you mean `{declared[bare]}`?"
    found = tokens(entry.data.formula)
    if any(name in one.spellings for one in occurrences(found)) and name not in set(bound_names(found)):
        sizes = {one for each in entry.data.symbols.values() for axis in each.axes for one in size(axis).symbols}
        if name not in map(canonical, sizes):
            return "declare it under `symbols`"
    taken = {one for _, one in entry.data.takes} if key == "out" else set(entry.data.out.values())
    may = [
        one
        for one, data in entry.data.symbols.items()
        if data.axes and not (data.parameter or data.buffer or one in taken)
    ]
    if not may:
        return "declare it under `symbols`, and write it in the formula"
    return f"a symbol of the formula is meant, such as {' or '.join(f'`{one}`' for one in may[:MAX_NAMED])}"


def _hint(name: str, declared: list[str], unused: list[str]) -> str:
    """What to write for a name of the formula that is not known."""
    return _near(name, {canonical(one): one for one in declared}, unused) or "declare it under `symbols`"


def idle_hint(entry: Entry, name: str) -> str:
    """A declared symbol that does not stand in the formula, where a name that is not known may mean it.

    The formula's own reading stops at the first unknown name, before it is known what else the text holds.
    """
    used = {spelling for one in occurrences(tokens(entry.data.formula)) for spelling in one.spellings}
    declared = {canonical(one): one for one in entry.data.symbols}
    unused = [one for spelling, one in declared.items() if spelling not in used]
    if lookalikes(name, declared) or (re.fullmatch("[a-z]", name) and name.upper() not in unused):
        return ""  # a letter such as `j` is an index without a range rather than a symbol
    return _near(name, declared, unused) if unused else ""


def _near(name: str, names: Mapping[str, str], unused: list[str]) -> str:
    """What may be meant, if anything; an unused name is taken off `unused` then, as one mistake explains both."""
    declared = list(names.values())
    if alike := lookalikes(name, names):
        meant = names[alike[0]]
        if meant in unused:
            unused.remove(meant)
            return f"did you mean `{meant}`, which is declared and does not stand in the formula?"
        return f"did you mean `{meant}`?"
    near = difflib.get_close_matches(name, unused, n=1, cutoff=0.5) or (unused[:1] if len(unused) == 1 else [])
    if near:
        unused.remove(near[0])
        return f"did you mean `{near[0]}`, which is declared and does not stand in the formula?"
    near = [other for other in declared if other.lower() == name.lower()] or difflib.get_close_matches(
        name, declared, n=1
    )
    return f"did you mean `{near[0]}`?" if near else ""


def _read(entry: Entry, collection: Collection, declared: dict[str, str]) -> tuple[set[str], dict[str, Occurrence]]:
    """The spellings that the formula uses, and each name that is not known, where it stands first."""
    sizes = {canonical(name) for name in collection.data.dimensions}
    found = tokens(entry.data.formula)
    defined, bound = _definitions(found, declared.keys() | sizes)
    known = declared.keys() | sizes | defined | bound | _CONSTANTS
    used: set[str] = set()
    undeclared: dict[str, Occurrence] = {}
    for occurrence, is_part in _all(found, known):
        spelling = next((name for name in occurrence.spellings if name in known), None)
        if spelling is not None:
            used.add(spelling)
        elif not is_part and not (occurrence.upright and (occurrence.applied or occurrence.sub)):
            undeclared.setdefault(_name(occurrence, list(declared)), occurrence)
        if len(undeclared) == MAX_UNDECLARED:
            break
    return used, undeclared


def _name(occurrence: Occurrence, declared: list[str]) -> str:
    """What to call a name that is not known: with its index only where the index is likely to belong to it."""
    is_index = occurrence.sub[1:].isalpha() and not difflib.get_close_matches(occurrence.spellings[0], declared)
    return occurrence.base if is_index else occurrence.spellings[0]


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
            is_name = occurrence.sub[1:] in named or (
                occurrence.sub.startswith("_\\mathrm{") and "," not in occurrence.sub
            )
            defined.add(occurrence.base + occurrence.sub if is_name else occurrence.base)
            if not is_name:
                bound.update(inner.base for inner in occurrences(occurrence.scripts[0]))
    return defined, bound


def _all(found: tuple[Token, ...], known: set[str], is_part: bool = False) -> Iterator[tuple[Occurrence, bool]]:
    """Every occurrence, with those in scripts that are not part of a name; whether that may be one that is unknown."""
    for occurrence in occurrences(found):
        yield occurrence, is_part
        spelling = next((name for name in occurrence.spellings if name in known), None)
        whole = occurrence.base if spelling is None else spelling
        if occurrence.upright and occurrence.sub and occurrence.sub not in whole:
            continue
        for script, spelled in zip(occurrence.scripts, (occurrence.sub, occurrence.sup), strict=True):
            if script and spelled not in whole:
                yield from _all(script, known, is_part or spelling is None)
