"""Names of values → the values they mean: looked up in a block, then in the blocks around it, as in a program.

Kept apart from what builds the graph, so that one place says what a name with dots means.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import islice

MAX_HINTS = 20
"""For how many names that lead nowhere others are searched; a file that is wrong throughout has thousands."""

MAX_COMPARED = 1000
"""With how many others such a name is compared."""

_BLOCKS = re.compile(r"((?:[a-z0-9_-]+\.)+)(?=.)")
"""The blocks that a value's name begins with; a dot within braces is part of the value's own name."""


@dataclass(slots=True)
class Scope:
    """What can be read by name within one block so far."""

    block: str
    """The block's path; empty for the model."""
    outer: Scope | None
    """The scope of the block around."""
    values: dict[str, str] = field(default_factory=dict)
    """The ids of the block's own values, by name."""
    blocks: dict[str, Scope] = field(default_factory=dict)
    """The scopes of the blocks within it that are complete, by name."""

    def find(self, name: str) -> str | None:
        """The id of a value, looked up from here outwards; the name is in the spelling of `values`."""
        path, last = parted(name)
        scope: Scope | None = self
        while scope is not None:
            if (found := scope._at([*path], last)) is not None:
                return found
            scope = scope.outer
        return None

    def _at(self, path: list[str], last: str) -> str | None:
        """The id of a value in this block or in one within it; a name with dots may be a value's own."""
        found = self.values.get(".".join([*path, last]))
        inner = self.blocks.get(path[0]) if path else None
        return inner._at(path[1:], last) if found is None and inner is not None else found

    def names(self) -> Iterator[str]:
        """Everything that can be read from here, each name with the blocks before it that it needs."""
        scope: Scope | None = self
        while scope is not None:
            yield from scope._inside("")
            scope = scope.outer

    def _inside(self, prefix: str) -> Iterator[str]:
        yield from (prefix + name for name in self.values)
        for name, scope in self.blocks.items():
            yield from scope._inside(f"{prefix}{name}.")


def around(block: str) -> list[str]:
    """The paths of a block and of those around it, the outermost first."""
    parts = block.split("/")
    return ["/".join(parts[: count + 1]) for count in range(len(parts))]


def parted(name: str) -> tuple[tuple[str, ...], str]:
    """The blocks that a name begins with, and the value's own name."""
    match = _BLOCKS.match(name)
    blocks = match[1] if match is not None else ""
    return tuple(blocks.split(".")[:-1]), name[len(blocks) :]


def nearest(name: str, known: Iterator[str]) -> str | None:
    """The name that may be meant instead: the same value of another block, else one that is written much alike."""
    last = parted(name)[1]
    names = dict.fromkeys(known)
    elsewhere = next((one for one in names if one != name and parted(one)[1] == last), None)
    return elsewhere or next(iter(get_close_matches(name, islice(names, MAX_COMPARED), n=1, cutoff=0.4)), None)
