"""What is judged of an entry by itself and what is found, for what judges and for what keeps judgements.

A judgement is pickled, for other processes and for later builds, so nothing here loads more than it holds.
"""

from __future__ import annotations

from dataclasses import dataclass

from atlas.entries.atlas import Entry
from atlas.formula.symbols import SymbolTable
from atlas.issues import Issue
from atlas.pickled import pickled_as_made


@dataclass(frozen=True, slots=True)
class Task:
    """One entry to be judged."""

    entry: Entry
    """The entry."""
    readable: bool
    """Whether its formula and symbols can be displayed; else nothing more is said of how they are written."""
    placed: bool
    """Whether all that it refers to exists and its sizes have values; else its shapes mean nothing."""
    symbols: tuple[Issue, ...] = ()
    """What a light reading found wrong with the names of a formula that is not executed."""


@pickled_as_made
@dataclass(frozen=True, slots=True)
class Alone:
    """What was found."""

    issues: tuple[Issue, ...]
    """Everything that is wrong."""
    table: SymbolTable | None = None
    """The symbols, as the formula engine takes them; None where the entry does not hold."""
    shapes: str = ""
    """What was found about its shapes."""
    formula: str = ""
    """What was found about its formula."""

    @property
    def holds(self) -> bool:
        """Whether the entry holds by itself."""
        return self.table is not None
