"""A position in the tokens of a formula, or of a part of it such as a subscript, and what the names in it are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from atlas.exceptions import FormulaError
from atlas.formula.lexer import END, Token
from atlas.formula.names import group_end
from atlas.formula.span import Span
from atlas.formula.symbols import Kind, SymbolTable

MAX_DEPTH = 24
"""How deep operands may be nested: in brackets, fractions, scripts, sums or arguments."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What each name is where it stands: index variables and parameters first, then declarations and definitions."""

    table: SymbolTable
    """The declared names."""
    defined: Mapping[str, Kind] = field(default_factory=dict)
    """The left sides of all equations."""
    local: Mapping[str, Kind] = field(default_factory=dict)
    """Index variables and parameters."""

    def kind(self, name: str) -> Kind | None:
        """What a name is, or None."""
        known = self.local.get(name)
        if known is not None:
            return known
        if name in self.table.sizes:
            return "size"
        return self.defined.get(name) or self.table.kind(name)

    def with_local(self, names: Mapping[str, Kind]) -> Scope:
        """The scope inside a sum or a definition."""
        return Scope(self.table, self.defined, {**self.local, **names})

    @property
    def names(self) -> tuple[str, ...]:
        """All names that are declared, defined or bound here."""
        table = self.table
        return (*self.defined, *self.local, *table.aliases, *table.sizes, *table.symbols)

    def nearest(self, name: str) -> tuple[str, ...]:
        """Known names that are spelled much alike."""
        return self.table.nearest(name, (*self.defined, *self.local))


class Reader:
    """Tokens with a position; the end is a token of its own, so that a look ahead never fails."""

    def __init__(self, tokens: Sequence[Token], after: int) -> None:
        """Read these tokens; `after` is the offset where an error at their end points to."""
        end = max(after, tokens[-1].span.end) if tokens else after
        self.tokens = [*tokens, Token(END, "", Span(end, end + 1))]
        self.index = 0

    def peek(self, ahead: int = 0) -> Token:
        """The token at the position, or one after it."""
        return self.tokens[min(self.index + ahead, len(self.tokens) - 1)]

    @property
    def kind(self) -> str:
        """The kind of the token at the position."""
        return self.tokens[self.index].kind

    @property
    def done(self) -> bool:
        """Whether all tokens are read."""
        return self.index == len(self.tokens) - 1

    @property
    def last(self) -> Span:
        """The span of the token before the position."""
        return self.tokens[self.index - 1].span

    def take(self) -> Token:
        """The token at the position, which is not the end; it is stepped over."""
        token = self.tokens[self.index]
        self.index += 1
        return token

    def expect(self, kind: str, where: str) -> Token:
        """Step over a token that must come here."""
        if self.kind != kind:
            found = f"`{self.peek().text}` stands there" if not self.done else "the text ends"
            raise FormulaError("A216", f"`{kind}` is expected {where}, but {found}", self.peek().span)
        return self.take()

    def group(self) -> tuple[tuple[Token, ...], Span]:
        """The tokens in the braces that open at the position, with the span of both braces."""
        start = self.index
        self.index = group_end(self.tokens, start)
        span = self.tokens[start].span.to(self.last)
        if self.index == start + 2:
            raise FormulaError("A216", "an empty group `{}`", span)
        return tuple(self.tokens[start + 1 : self.index - 1]), span
