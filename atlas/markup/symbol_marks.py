r"""Formulas in whose HTML every declared symbol is marked, so that a page can show what it is and where it stands.

KaTeX is trusted with nothing for this: the names are coloured before typesetting, which moves nothing, and each colour
becomes a mark in the result. What is copied and what is read aloud is taken from the formula as its author wrote it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from atlas.entries.component import Component
from atlas.exceptions import FormulaError
from atlas.formula.lexer import Token, tokenize
from atlas.formula.names import SCRIPTS, Script, Scripted, canonical, read_scripted
from atlas.formula.span import Span
from atlas.node.process import Formula
from atlas.sizes import size

COLOUR = "#a71a"
"""What the colours of marks begin with; the number of the symbol follows as two digits of base 16."""
NONE = 255
"""The number of what shows no symbol; so many symbols can be marked, and others stay as they are."""
FORMULAS = 1_000
"""How many formulas are remembered with their colours: checks ask for them, and after them the pages."""
NAMES = 2_000
"""How many names are remembered with their canonical spelling."""
FRACTIONS = ("\\frac", "\\dfrac", "\\tfrac")
"""Commands of two arguments."""
_ALONE = frozenset(("_", "^", "\\sqrt", *FRACTIONS))
"""Kinds of tokens of which the next one is a script or an argument."""


def marked(component: Component, dimensions: Iterable[str]) -> Formula:
    """The formula of a component with its symbols marked; unmarked where its names cannot be told apart.

    Raises:
        SizeError: a size cannot be read.
    """
    with_colours = coloured(component.formula, names_of(component, dimensions))
    return Formula(component.formula, True, "" if with_colours == component.formula else with_colours)


def names_of(component: Component, dimensions: Iterable[str]) -> tuple[str, ...]:
    """What a component's page marks, by its place: its symbols, and after them the sizes of their axes.

    Raises:
        SizeError: a size cannot be read.
    """
    return (*component.symbols, *sizes_of(component, dimensions))


def sizes_of(component: Component, dimensions: Iterable[str]) -> tuple[str, ...]:
    """Those of the dimensions that the axes of a component's symbols have and that are no symbols of its own.

    Raises:
        SizeError: a size cannot be read.
    """
    axes = [size(axis) for symbol in component.symbols.values() for axis in symbol.axes]
    related = [size(text) for text in component.sizes.values()]
    used = {name for one in (*axes, *related) for name in one.symbols}
    return tuple(name for name in dimensions if name in used and name not in component.symbols)


@lru_cache(maxsize=FORMULAS)
def coloured(tex: str, names: tuple[str, ...]) -> str:
    """The TeX with a colour around each name that is among the symbols; as it is where it cannot be read."""
    if COLOUR in tex:
        return tex
    try:
        numbers = {_canonical(name): number for number, name in enumerate(names[:NONE])}
        stretches = list(_stretches(tokenize(tex), numbers))
    except FormulaError:
        return tex
    # What begins together is opened from the outside in, and what ends together closed from the inside out.
    inserted = [(one.span.start, 1, index, one.opening) for index, one in enumerate(stretches)]
    inserted += [(one.span.end, 0, -index, one.closing) for index, one in enumerate(stretches)]
    pieces, last = [], 0
    for place, _, _, text in sorted(inserted):
        pieces += [tex[last:place], text]
        last = place
    return "".join(pieces) + tex[last:]


@lru_cache(maxsize=NAMES)
def _canonical(name: str) -> str:
    """The canonical spelling of a symbol, which is one of many pages."""
    return canonical(name)


class _Stretch(NamedTuple):
    """Characters of a formula that get one colour; a tuple, as a formula has many."""

    span: Span
    """The characters."""
    number: int
    """The symbol that they show; NONE for scripts that are no part of a name."""
    braced: bool = True
    """Whether they stand where LaTeX takes several commands; else they are a script without braces."""

    @property
    def opening(self) -> str:
        return ("" if self.braced else "{") + rf"\textcolor{{{COLOUR}{self.number:02x}}}{{"

    @property
    def closing(self) -> str:
        return "}" if self.braced else "}}"


def _stretches(tokens: tuple[Token, ...], numbers: Mapping[str, int]) -> Iterator[_Stretch]:
    """What is coloured, each stretch before those within it.

    A name is coloured together with all its scripts, as LaTeX sets them by the letter that they stand at; scripts that
    are no part of the name are uncoloured within.
    """
    end = 0
    for at, token in enumerate(tokens):
        if token.kind != "name" or at < end:
            continue
        if _is_alone(tokens, at):
            if token.text in numbers:
                yield _Stretch(token.span, numbers[token.text], braced=False)
            continue
        if at + 1 == len(tokens) or tokens[at + 1].kind not in SCRIPTS:  # as most have none
            if token.text in numbers:
                yield _Stretch(token.span, numbers[token.text])
            continue
        scripted, after = read_scripted(tokens, at)
        found = next((one for one in _readings(scripted) if one[0] in numbers), None)
        if found is not None:
            end = after
            yield _Stretch(scripted.span, numbers[found[0]])
            for script in found[1]:
                braced = _has_braces(script)
                inside = Span(script.tokens[0].span.start, script.tokens[-1].span.end)
                yield _Stretch(inside, NONE, braced=braced)
                if braced or script.tokens[0].text not in numbers:
                    yield from _stretches(script.tokens, numbers)
                else:
                    yield _Stretch(inside, numbers[script.tokens[0].text])


def _is_alone(tokens: tuple[Token, ...], at: int) -> bool:
    """Whether LaTeX takes this token alone: a script, or the argument of a fraction or root, without braces."""
    before = tokens[at - 1].kind if at else ""
    if before in _ALONE:
        return True
    return at > 1 and tokens[at - 2].kind in FRACTIONS and before not in ("{", "}")


def _has_braces(script: Script) -> bool:
    """Whether a script is written in braces."""
    return script.span.end > script.tokens[-1].span.end


def _readings(scripted: Scripted) -> Iterator[tuple[str, tuple[Script, ...]]]:
    """The names that a base with scripts can be, longest first, each with the scripts that are no part of it."""
    sub, sup = scripted.sub, scripted.sup
    yield scripted.name(), ()
    if sub is None and sup is None:
        return
    if sub is not None and sup is not None:
        yield scripted.name(sup=False), (sup,)
        yield scripted.name(sub=False), (sub,)
    both = tuple(one for one in (sub, sup) if one is not None)
    yield scripted.name(sub=False, sup=False), tuple(sorted(both, key=lambda one: one.span.start))
