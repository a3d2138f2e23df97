"""What is declared beside a formula, as plain data: the engine's input, whatever schema it was written in.

Axes are size expressions as the page shows them; names are LaTeX, in any spelling that is displayed alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from atlas.pickled import pickled_as_made


@pickled_as_made
@dataclass(frozen=True, slots=True)
class Real:
    """An array of real numbers."""


@pickled_as_made
@dataclass(frozen=True, slots=True)
class Positive:
    """An array of numbers above zero (`> 0`)."""


@pickled_as_made
@dataclass(frozen=True, slots=True)
class UnitInterval:
    """An array of numbers strictly between zero and one (`in (0,1)`)."""


@pickled_as_made
@dataclass(frozen=True, slots=True)
class Ids:
    """An array of whole numbers that index an axis: in arrays from 0, in the formula from the declared base."""

    below: str
    """The size of the axis that they index."""


@pickled_as_made
@dataclass(frozen=True, slots=True)
class IntegerRange:
    """One whole number that may stand where sizes stand (`k: 1..n-1`)."""

    lowest: str
    """Size expression of the lowest value."""
    highest: str
    """Size expression of the highest value."""


@dataclass(frozen=True, slots=True)
class FunctionOf:
    """An unknown function (`[d] -> [m]`): the formula must hold for any, so a random one is tried."""

    to: tuple[str, ...]
    """The axes of its value; those of its argument are the symbol's axes."""
    family: str | None = None
    """For a family of functions `E_i`: the size expression of the number of its members."""


@dataclass(frozen=True, slots=True)
class AliasOf:
    r"""Another name of a built-in function (`\sigma` for `\mathrm{sigmoid}`)."""

    function: str
    """The built-in's name in LaTeX."""


SymbolKind = Real | Positive | UnitInterval | Ids | IntegerRange | FunctionOf | AliasOf


@dataclass(frozen=True, slots=True)
class SymbolDeclaration:
    """One symbol of a formula."""

    axes: tuple[str, ...] = ()
    """Size expressions, in the order of the array's axes; empty for a scalar."""
    kind: SymbolKind = field(default_factory=Real)
    """What its values are."""


@dataclass(frozen=True, slots=True)
class Declarations:
    """Everything that is declared beside a formula."""

    symbols: Mapping[str, SymbolDeclaration]
    """LaTeX name → declaration; inputs, outputs and those intermediates whose axes do not follow."""
    batch: tuple[str, ...] | None = None
    """Size symbols whose axes are mapped over; None means `B`, where there is such a size."""
    base: int = 1
    """The first value of every index: 1, or 0."""
    sizes: Mapping[str, str] = field(default_factory=dict)
    """Relations between sizes: size symbol → the expression that it equals."""
    zero_outside: frozenset[str] = frozenset()
    """Symbols that are zero where they are read out of range, as by a padded convolution."""
