"""What the glossary needs of one collection: its sizes, and the symbols of its entries, each with who uses it.

Names that several entries have are told once, so a share is small, and the glossary goes through each name once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from atlas.checks.checked import CheckedCollection, CheckedEntry
from atlas.entries.collection import Model

Key = tuple[str, str, str]
"""A name: the symbol in LaTeX, what it stands for, and the operator's argument that it is, or an empty text."""


@dataclass(frozen=True, slots=True)
class SharedName:
    """One name with one of its meanings, as one collection uses it."""

    key: Key
    """The name."""
    others: tuple[str, ...]
    """Its other names, in configurations or as upstream stores it, in the order in which they are found."""
    users: tuple[int, ...]
    """The numbers of the entries that use it, from 0; none for a size, which the collection itself names."""


@dataclass(frozen=True, slots=True)
class NamedEntry:
    """An entry that uses names."""

    id: str
    """The entry's id."""
    title: str
    """Its title."""
    stack: str
    """The title of the stack that it stands in, or empty."""


@dataclass(frozen=True, slots=True)
class GlossaryShare:
    """One collection as the glossary needs it."""

    id: str
    """The collection's id."""
    title: str
    """Its name."""
    is_model: bool
    """Whether it is a model, else a library."""
    entries: tuple[NamedEntry, ...]
    """Its entries in the order of the data flow."""
    sizes: tuple[SharedName, ...]
    """The sizes that it names."""
    symbols: tuple[SharedName, ...]
    """The symbols of its entries."""
    families: tuple[tuple[str, int], ...]
    """The families of operators that its entries use, each with how many of them do."""


def glossary_share(checked: CheckedCollection) -> GlossaryShare:
    """What the glossary needs of a collection."""
    collection = checked.collection

    def named(entry: CheckedEntry) -> NamedEntry:
        stack = collection.stack_of(entry.entry)
        return NamedEntry(entry.entry.id, entry.entry.data.title, stack.title if stack else "")

    return GlossaryShare(
        collection.id,
        collection.data.title,
        isinstance(collection.data, Model),
        tuple(map(named, checked.entries)),
        tuple(_sizes(checked)),
        tuple(_symbols(checked)),
        tuple(Counter(entry.operator.family for entry in checked.entries).items()),
    )


def _sizes(checked: CheckedCollection) -> Iterator[SharedName]:
    """Each size of a collection with its meaning, and what configurations call it."""
    data = checked.collection.data
    for symbol, meaning in data.dimensions.items():
        keys: list[str] = []
        if isinstance(data, Model):
            if data.upstream is not None:
                keys += [key for key, value in data.upstream.keys.items() if value == symbol]
            variants = data.variants.values()
            keys += [one.settings[symbol].name for one in variants if symbol in one.settings]
        yield SharedName((symbol, meaning, ""), tuple(dict.fromkeys(keys)), ())


def _symbols(checked: CheckedCollection) -> Iterator[SharedName]:
    """Each symbol of the entries with its meaning, its names upstream, and who uses it."""
    users: dict[Key, list[int]] = defaultdict(list)
    tensors: dict[Key, dict[str, None]] = defaultdict(dict)
    for number, entry in enumerate(checked.entries):
        for name, symbol in entry.entry.data.symbols.items():
            argument = symbol.binds or ""
            meaning = symbol.meaning or symbol.parameter or ("the result" if argument == "result" else "")
            if meaning or argument:
                key = (name, meaning, argument)
                users[key].append(number)
                if symbol.tensor:
                    tensors[key][symbol.tensor] = None
    for key, numbers in users.items():
        yield SharedName(key, tuple(tensors.get(key, ())), tuple(numbers))
