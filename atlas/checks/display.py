"""Display: everything that a page shows as maths is accepted by KaTeX, and is written in commands, not raw letters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from atlas.checks.display_hints import refusal
from atlas.entries.atlas import Atlas, Placed
from atlas.entries.collection import Model
from atlas.entries.component import Component
from atlas.entries.tree import KeyPath
from atlas.exceptions import SizeError
from atlas.issues import Issue
from atlas.markup.inline import parse_inline
from atlas.markup.symbol_marks import marked
from atlas.node.process import Formula, Typeset

Typesetter = Callable[[Iterable[Formula]], list[Typeset]]
"""Typesets formulas in one go; the same formula twice costs once."""

SIGN = "$"
"""What begins and ends each formula of a text."""
AT_ONCE = 1000
"""How many formulas are in memory as HTML."""
TEXT_KEYS = frozenset(("summary", "note", "parameters_note", "training", "claim", "text", "meaning", "type"))
"""The keys whose values are texts of one line that may hold maths."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One formula and where it stands."""

    owner: Placed
    """The file's object."""
    path: KeyPath
    """The key path of the value that holds it."""
    in_key: bool
    """Whether the formula is the key itself."""
    formula: Formula
    """What KaTeX gets."""


def check_display(atlas: Atlas, typesetter: Typesetter) -> tuple[list[Issue], frozenset[str]]:
    """Typeset every formula of the atlas: what KaTeX refuses, and the entries whose formula or symbols it refuses."""
    shown = list(_all(atlas))
    formulas = list(dict.fromkeys(one.formula for one in shown))
    wrong: dict[Formula, Typeset] = {}
    for first in range(0, len(formulas), AT_ONCE):
        results = typesetter(formulas[first : first + AT_ONCE])
        wrong |= {typeset.formula: typeset for typeset in results if typeset.html is None}
    refused = [(one, wrong[one.formula]) for one in shown if one.formula in wrong]
    unreadable = frozenset(one.owner.id for one, _ in refused if one.path[0] in ("formula", "symbols"))
    return [_issue(one, typeset) for one, typeset in refused], unreadable


def _issue(one: Shown, typeset: Typeset) -> Issue:
    found = refusal(one.formula.tex, typeset.error, typeset.position)
    if one.path == ("formula",) and found.position is not None:
        return one.owner.issue_in_text(
            one.path, (found.position, found.position + 1), "A801", found.message, found.hint
        )
    message = f"`{one.formula.tex}` cannot be displayed: {found.message}"
    at = one.owner.issue_at_key if one.in_key else one.owner.issue
    return at(one.path, "A801", message, found.hint)


def _all(atlas: Atlas) -> Iterator[Shown]:
    for collection in atlas.collections.values():
        for symbol in collection.data.dimensions:
            yield Shown(collection, ("dimensions", symbol), True, Formula(symbol))
        if isinstance(collection.data, Model):
            for path, stack in collection.data.paths.items():
                where = tuple(part for name in path.split("/") for part in ("stacks", name))
                for value in stack.carries:
                    yield Shown(collection, (*where, "carries", value), True, Formula(value))
            for value in collection.data.inputs:
                yield Shown(collection, ("inputs", value), True, Formula(value))
        yield from _texts(collection)
        for entry in collection.entries:
            yield Shown(entry, ("formula",), False, _formula(entry.data, collection.data.dimensions))
            for key, names in (("symbols", entry.data.symbols), ("in", entry.data.in_), ("out", entry.data.out)):
                for name in names:
                    yield Shown(entry, (key, name), True, Formula(name))
            yield from _texts(entry)


def _formula(component: Component, dimensions: Iterable[str]) -> Formula:
    """The formula of a component as its page shows it, which is then typeset once for both."""
    try:
        return marked(component, dimensions)
    except SizeError:  # another check tells of it, and there will be no page
        return Formula(component.formula, display=True)


def holds_text(path: KeyPath) -> bool:
    """Whether the value with a key path is a text of one line that may hold markup."""
    # Whether the last key is one of a text is asked first, as most are not, and a file has a hundred values.
    return bool(path) and (path[-1] in TEXT_KEYS or path[-2:-1] == ("warnings",) or path[0] == "dimensions")


def _texts(owner: Placed) -> Iterator[Shown]:
    for path in owner.document.marks:
        if holds_text(path):
            value = owner.value(*path)
            if isinstance(value, str) and SIGN in value:
                for formula in _formulas(value):
                    yield Shown(owner, path, False, formula)


# Cached, as the entries of a model say the same of the same symbols.
@lru_cache(maxsize=4096)
def _formulas(text: str) -> tuple[Formula, ...]:
    return parse_inline(text).formulas
