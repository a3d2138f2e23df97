"""What reading a YAML file yields: plain values, and for each of them where it stands.

Most places are never asked for, so they are kept as short as they can be, and made into marks when they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from atlas.entries.events import Place

Key = str | int
KeyPath = tuple[Key, ...]
Value = str | int | float | bool | None | tuple["Value", ...] | dict[str, "Value"]


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a value, or the key of a mapping, stands in its file."""

    path: str
    """The file, as issues name it."""
    line: int
    """1-based line of the first character."""
    column: int
    """1-based column of the first character."""
    style: str = ""
    """How a scalar is written: empty for plain, `'`, `\"`, `|` or `>`."""


@dataclass(frozen=True, slots=True, eq=False)
class Marks(Mapping[KeyPath, Mark]):
    """The marks of one file; each is made when it is asked for."""

    path: str
    """The file, as issues name it."""
    places: Mapping[KeyPath, Place]
    """Where the value at each key path is, or its key."""

    def __getitem__(self, path: KeyPath) -> Mark:
        return Mark(self.path, *self.places[path])

    def __contains__(self, path: object) -> bool:
        return path in self.places

    def __iter__(self) -> Iterator[KeyPath]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


@dataclass(frozen=True, slots=True)
class Document:
    """One YAML file: its values and where each of them stands."""

    path: str
    """The file, as issues name it."""
    texts: Mapping[str, str]
    """The whole text of the file, and of the files that it inherits from, by path."""
    value: dict[str, Value]
    """The top-level mapping; lists are tuples, mappings are dicts."""
    marks: Mapping[KeyPath, Mark]
    """The place of each value by its key path."""
    key_marks: Mapping[KeyPath, Mark]
    """The place of each mapping's key by the key path of its value."""
    doubtful: frozenset[KeyPath] = frozenset()
    """Values that reading already found wrong; what else is wrong with them would follow from that."""
