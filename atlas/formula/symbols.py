"""The symbol table: declarations in canonical spelling, which the parser asks what each name is."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from atlas.exceptions import FormulaError
from atlas.formula.axes import AxisTable, read_size
from atlas.formula.declarations import (
    AliasOf,
    Declarations,
    FunctionOf,
    Ids,
    IntegerRange,
    SymbolDeclaration,
    SymbolKind,
)
from atlas.formula.functions import BUILTINS, CONSTANTS
from atlas.formula.letters import GREEK, lookalikes
from atlas.formula.names import canonical
from atlas.pickled import pickled_as_made
from atlas.sizes import Size

Kind = Literal["size", "value", "function", "constant", "index"]
"""What a name is to the parser."""


@pickled_as_made
@dataclass(frozen=True, slots=True)
class Symbol:
    """One declared symbol."""

    name: str
    """Canonical spelling."""
    spelled: str
    """As it was declared, the key of its array."""
    axes: tuple[str, ...]
    """Labels of its axes, in the order of the array's axes."""
    batch: tuple[str, ...]
    """Those that are batch axes."""
    core: tuple[str, ...]
    """Those that are not, in order."""
    kind: SymbolKind
    """What its values are."""
    to: tuple[str, ...] = ()
    """For a function: labels of the axes of its value."""
    family: str | None = None
    """For a family of functions: the label of the axis of its members."""
    bounds: tuple[Size, Size] | None = None
    """For ids: zero and the size that they are below; for an integer in a range: its lowest and highest value."""

    @property
    def shown(self) -> str:
        """The axes as a message shows them."""
        return f"[{','.join(self.axes)}]"


@pickled_as_made
@dataclass(frozen=True, slots=True)
class SymbolTable:
    """All declared names of one formula."""

    symbols: Mapping[str, Symbol]
    """Canonical name → values, functions and integers in a range."""
    aliases: Mapping[str, str]
    """Canonical name → the built-in function that it stands for."""
    sizes: Mapping[str, Size | None]
    """Canonical name of each size → the expression that it must equal, or None where it is free."""
    axes: AxisTable
    """The labels of all axes."""
    batch: tuple[str, ...]
    """Labels of the axes that are mapped over, in order."""
    base: int
    """The first value of every index."""
    zero_outside: frozenset[str]
    """Symbols that are zero where they are read out of range."""

    def kind(self, name: str) -> Kind | None:
        """What a name is; declared names come before built-in ones."""
        if name in self.sizes:
            return "size"
        symbol = self.symbols.get(name)
        if symbol is not None:
            kind = symbol.kind
            return "size" if isinstance(kind, IntegerRange) else "function" if isinstance(kind, FunctionOf) else "value"
        if name in self.aliases or name in BUILTINS:
            return "function"
        return "constant" if name in CONSTANTS else None

    def declares(self, name: str) -> bool:
        """Whether the name is declared as a symbol or used as a size."""
        return name in self.symbols or name in self.sizes or name in self.aliases

    def nearest(self, name: str, others: Iterable[str] = ()) -> tuple[str, ...]:
        """At most two known names that are spelled much alike; those whose letters only look another way come alone."""
        if alike := lookalikes(name, dict.fromkeys([*others, *self.aliases, *self.sizes, *self.symbols])):
            return tuple(alike[:2])
        # A letter is never meant to be a function such as `\tan`, which only a name of several letters is like.
        functions = () if name.split("_")[0].removeprefix("\\") in GREEK else sorted(BUILTINS)
        known = {_bare(found): found for found in [*functions, *others, *self.aliases, *self.sizes, *self.symbols]}
        return tuple(known[near] for near in difflib.get_close_matches(_bare(name), known, n=2, cutoff=0.55))


def _bare(name: str) -> str:
    """The letters of upright words without their command, which would make all of them look alike."""
    return name.replace(r"\mathrm{", "").replace("}", "") if name.startswith(r"\mathrm") else name


def symbol_table(declarations: Declarations) -> SymbolTable:
    """Read all declarations.

    Raises:
        FormulaError: one cannot be read, or two contradict each other.
    """
    relations = {canonical(name): read_size(text) for name, text in declarations.sizes.items()}
    integers = {canonical(name) for name, found in declarations.symbols.items() if isinstance(found.kind, IntegerRange)}
    names = [*relations, *sorted(sizes_used(declarations))]
    sizes = {name: relations.get(name) for name in dict.fromkeys(names) if name not in integers}
    axes = AxisTable(relations)
    for name in sizes:
        axes.label(read_size(name), name)
    if declarations.base not in (0, 1):
        raise FormulaError("A244", f"indices begin at {declarations.base}; `base` is 0 or 1")
    batch = _batch(declarations, sizes, axes)
    symbols: dict[str, Symbol] = {}
    aliases: dict[str, str] = {}
    for spelled, declaration in declarations.symbols.items():
        name = canonical(spelled)
        if name in symbols or name in aliases:
            raise FormulaError("A213", f"`{spelled}` is declared twice: `{name}` is displayed alike", symbol=spelled)
        if name in sizes:
            hint = "give one of the two another letter"
            raise FormulaError("A213", f"`{spelled}` is both a size and a symbol", hint=hint, symbol=spelled)
        if isinstance(declaration.kind, AliasOf):
            aliases[name] = _builtin(declaration.kind, spelled)
        else:
            symbols[name] = _symbol(name, spelled, declaration, axes, batch)
    zero = frozenset(canonical(name) for name in declarations.zero_outside)
    for name in sorted(zero - symbols.keys()):
        raise FormulaError("A244", f"`{name}` is declared zero outside its range, but not as a symbol", symbol=name)
    return SymbolTable(symbols, aliases, sizes, axes, batch, declarations.base, zero)


def sizes_used(declarations: Declarations) -> frozenset[str]:
    """The sizes that stand in axes and relations, by their canonical names.

    Raises:
        FormulaError: an expression cannot be read.
    """
    expressions = _expressions(declarations) + [read_size(text) for text in declarations.sizes.values()]
    used = {name for expression in expressions for name in expression.symbols}
    return frozenset(used | {canonical(name) for name in declarations.sizes})


def _expressions(declarations: Declarations) -> list[Size]:
    texts: list[str] = []
    for found in declarations.symbols.values():
        texts += found.axes
        if isinstance(found.kind, Ids):
            texts.append(found.kind.below)
        elif isinstance(found.kind, IntegerRange):
            texts += (found.kind.lowest, found.kind.highest)
        elif isinstance(found.kind, FunctionOf):
            texts += found.kind.to
            texts += [found.kind.family] if found.kind.family is not None else []
    return [read_size(text) for text in dict.fromkeys(texts)]


def _batch(declarations: Declarations, sizes: Mapping[str, Size | None], axes: AxisTable) -> tuple[str, ...]:
    named = declarations.batch if declarations.batch is not None else ("B",) if "B" in sizes else ()
    for name in named:
        if canonical(name) not in sizes:
            raise FormulaError("A244", f"the batch axis `{name}` is not the size of any axis", symbol=name)
    return tuple(dict.fromkeys(axes.label(read_size(name)) for name in named))


def _builtin(kind: AliasOf, spelled: str) -> str:
    function = canonical(kind.function)
    if function not in BUILTINS:
        near = difflib.get_close_matches(function, BUILTINS, n=1)
        hint = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(sorted(BUILTINS))}"
        raise FormulaError(
            "A244", f"`{spelled}` stands for `{kind.function}`, which is not built in", hint=hint, symbol=spelled
        )
    return function


def _symbol(name: str, spelled: str, declaration: SymbolDeclaration, axes: AxisTable, batch: tuple[str, ...]) -> Symbol:
    labels = tuple(axes.label(read_size(text), text.strip()) for text in declaration.axes)
    mapped = tuple(label for label in labels if label in batch)
    if len(set(mapped)) != len(mapped):
        raise FormulaError("A222", f"`{spelled}` has one batch axis twice: {', '.join(mapped)}", symbol=spelled)
    core = tuple(label for label in labels if label not in batch)
    kind = declaration.kind
    to: tuple[str, ...] = ()
    family: str | None = None
    bounds: tuple[Size, Size] | None = None
    if isinstance(kind, FunctionOf):
        to = tuple(axes.label(read_size(text), text.strip()) for text in kind.to)
        family = axes.label(read_size(kind.family), kind.family.strip()) if kind.family is not None else None
        if mapped or set(to) & set(batch):
            raise FormulaError(
                "A244",
                f"`{spelled}` is a function over a batch axis",
                hint="functions act on the others",
                symbol=spelled,
            )
    elif isinstance(kind, Ids):
        bounds = (read_size("0"), read_size(kind.below))
    elif isinstance(kind, IntegerRange):
        bounds = (read_size(kind.lowest), read_size(kind.highest))
        if labels:
            raise FormulaError("A244", f"`{spelled}` is one whole number, but is declared with axes", symbol=spelled)
    return Symbol(name, spelled, labels, mapped, core, kind, to, family, bounds)
