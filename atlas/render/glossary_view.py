"""The glossary: every size, symbol and operator with its names in formula, configuration and code, and its uses.

Everything but the meaning of our own words comes from the entries, so nothing here can differ from their pages.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from atlas.checks.checked import CheckedCollection, CheckedEntry
from atlas.entries.collection import Model
from atlas.operators.catalogue import FAMILIES
from atlas.operators.family import KINDS
from atlas.render.addresses import collection_page, family_page
from atlas.render.deferred import Maths
from atlas.render.kinds import picture_name
from atlas.render.parts import EVIDENCE_WORDS, STATUS_WORDS, Link, Parts

USES = 5
"""How many places of one symbol are named."""

WORDS = (
    (STATUS_WORDS["proved"], "The check ran while this site was built, and it held."),
    (
        STATUS_WORDS["recorded"],
        "Upstream’s own code or model was executed beside ours, and agreed. The record states versions, date and "
        "figure; it holds as long as nothing that it proved has changed.",
    ),
    (STATUS_WORDS["stale"], "A record exists, but what it proved has changed since."),
    (STATUS_WORDS["missing"], "The claim is stated and nothing here proves it; the line says why."),
    (EVIDENCE_WORDS["direct"], "The pinned lines themselves do what is claimed."),
    (EVIDENCE_WORDS["supporting"], "The pinned lines make the claim plausible, or hold in connection with others."),
    ("per instance", "What one component has, in one layer."),
    ("total parameters", "Every learned number; those that two components share count once."),
    ("active parameters", "The learned numbers that one token meets: of routed experts only those that it is sent to."),
    ("embedding parameters", "Those of look-up tables: token embeddings and learned positions."),
    ("buffer", "Numbers that are kept and not learned, such as running statistics; they are in no total."),
    ("cached numbers per token", "What a model keeps for each token while it generates, over all layers."),
    (
        "multiply–accumulates",
        "Those of matrix products and convolutions in one forward pass: half of the floating-point operations that "
        "profilers report for them.",
    ),
    (
        "pinned revision",
        "The commit of the upstream project whose files are shown, each proved by git’s own object id.",
    ),
    ("release", "A tag of the upstream project whose files could not yet be proved to belong to a commit."),
    ("documented in part", "Some components of the model have no entry yet, so its totals are not the model’s."),
)
"""Words that pages use in a meaning of their own."""


@dataclass(frozen=True, slots=True)
class Named:
    """One name in the glossary with one of its meanings."""

    symbol: Maths
    """The name in formulas."""
    id: str
    """The anchor of its row."""
    meaning: str
    """What it stands for."""
    keys: tuple[str, ...]
    """Its names in configurations, or the names under which upstream stores it."""
    argument: str
    """The operator's argument that it stands for; empty for a size."""
    uses: tuple[Link, ...]
    """Where it is used, the first ones."""
    more: int
    """In how many further places it is used."""


@dataclass(frozen=True, slots=True)
class Term:
    """An operator as a term."""

    link: Link
    """Its page."""
    kind: str
    """Its kind in pictures."""
    kind_title: str
    """Its kind in words."""
    summary: str
    """What it is."""
    uses: int
    """How many entries use it."""


@dataclass(frozen=True, slots=True)
class GlossaryView:
    """The glossary."""

    sizes: tuple[Named, ...]
    """Sizes of models."""
    symbols: tuple[Named, ...]
    """Symbols of formulas."""
    terms: tuple[Term, ...]
    """Operators by name."""
    words: tuple[tuple[str, str], ...]
    """Our own words."""


@dataclass(slots=True)
class Gathered:
    """What is known of one name with one meaning, while entries are gone through."""

    keys: dict[str, None]
    """Its other names, in the order in which they are found."""
    users: dict[str, CheckedCollection | CheckedEntry]
    """The collections or entries that use it, by id."""


Names = dict[tuple[str, str, str], Gathered]
"""What is known of each name, by the name itself, its meaning, and the argument that it stands for or an empty text."""


def gathered(parts: Parts) -> tuple[Names, Names]:
    """The sizes of all collections, and the symbols of all entries, both in alphabetical order."""
    sizes: Names = defaultdict(lambda: Gathered({}, {}))
    symbols: Names = defaultdict(lambda: Gathered({}, {}))
    for collection in parts.checked.collections.values():
        for symbol, meaning, keys in _sizes(collection):
            found = sizes[symbol, meaning, ""]
            found.keys.update(dict.fromkeys(keys))
            found.users[collection.collection.id] = collection
    for entry in parts.entries:
        for symbol, meaning, argument, tensor in _symbols(entry):
            found = symbols[symbol, meaning, argument]
            found.users[entry.entry.id] = entry
            if tensor:
                found.keys[tensor] = None
    return _ordered(sizes), _ordered(symbols)


def glossary_view(parts: Parts) -> GlossaryView:
    """The glossary of all collections."""
    sizes, symbols = gathered(parts)
    return GlossaryView(
        tuple(_named(sizes, "size", parts)), tuple(_named(symbols, "symbol", parts)), tuple(_terms(parts)), WORDS
    )


def _sizes(checked: CheckedCollection) -> Iterator[tuple[str, str, list[str]]]:
    """Each size of a collection with its meaning, and what configurations call it."""
    data = checked.collection.data
    for symbol, meaning in data.dimensions.items():
        keys: list[str] = []
        if isinstance(data, Model):
            if data.upstream is not None:
                keys += [key for key, value in data.upstream.keys.items() if value == symbol]
            variants = data.variants.values()
            keys += [one.settings[symbol].name for one in variants if symbol in one.settings]
        yield symbol, meaning, keys


def _symbols(entry: CheckedEntry) -> Iterator[tuple[str, str, str, str]]:
    """Each symbol of an entry with its meaning, the argument that it binds, and its name upstream."""
    for name, symbol in entry.entry.data.symbols.items():
        argument = symbol.binds or ""
        meaning = symbol.meaning or symbol.parameter or ("the result" if argument == "result" else "")
        if meaning or argument:
            yield name, meaning, argument, symbol.tensor or ""


def _named(found: Names, prefix: str, parts: Parts) -> Iterable[Named]:
    for number, (key, one) in enumerate(found.items(), 1):
        symbol, meaning, argument = key
        uses = tuple(_link(user, parts) for user in one.users.values())
        yield Named(
            parts.typesetting.maths(symbol),
            f"{prefix}-{number}",
            meaning,
            tuple(one.keys),
            argument,
            uses[:USES],
            len(uses[USES:]),
        )


def _link(user: CheckedCollection | CheckedEntry, parts: Parts) -> Link:
    if isinstance(user, CheckedCollection):
        return Link(user.collection.data.title, collection_page(user.collection.id))
    return parts.entry_link(user, full=True)


def _ordered(found: Names) -> Names:
    return dict(sorted(found.items(), key=lambda item: _order(item[0])))


def _order(key: tuple[str, str, str]) -> tuple[str, ...]:
    """By letter, whatever its case and whether it is written as a command; then as it is written."""
    letters = "".join(char for char in key[0].lower() if char.isalnum())
    return letters, *key


def _terms(parts: Parts) -> Iterator[Term]:
    for name, members in sorted(FAMILIES.items(), key=lambda item: item[1][0].belongs_to.title.lower()):
        first = members[0]
        link = Link(first.belongs_to.title, family_page(name))
        kind = picture_name(first.kind)
        yield Term(link, kind, KINDS[first.kind], first.summary, len(parts.relatives(first)))
