r"""Formulas in whose HTML every declared symbol is marked, so that a page can show what it is and where it stands.

KaTeX is trusted with nothing for this: the names are coloured before typesetting, which moves nothing, and each colour
becomes a mark in the result. What is copied and what is read aloud is taken from the formula as its author wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from atlas.exceptions import FormulaError
from atlas.formula.lexer import Token, tokenize
from atlas.formula.names import Script, Scripted, canonical, read_scripted
from atlas.formula.span import Span
from atlas.render.deferred import Maths, Typesetting
from atlas.render.thin_spans import TAGS

COLOUR = "#a71a"
"""What the colours of marks begin with; the number of the symbol follows as two digits of base 16."""
NONE = 255
"""The number of what shows no symbol; so many symbols can be marked, and others stay as they are."""
NAMES = 2_000
"""How many names are remembered with their canonical spelling."""
FRACTIONS = ("\\frac", "\\dfrac", "\\tfrac")
"""Commands of two arguments."""
_VISIBLE = '<span class="katex-html"'
_STYLE = re.compile(rf' style="([^"]*?)(?<![-\w])color:{COLOUR}([0-9a-f]{{2}});([^"]*)"')
_TEXT = re.compile(">([^<]+)")
_TAG = re.compile("(<[^>]*>)")
_END = "</span>"
_MARK = re.compile(r' data-symbol="\d+"')


@dataclass(frozen=True, slots=True)
class MarkedMaths:
    """A formula in a view with its symbols marked; a template that prints it gets its HTML."""

    plain: Maths
    """The formula as its author wrote it."""
    coloured: Maths
    """The same with a colour for each symbol."""

    @property
    def tex(self) -> str:
        """The TeX, for copying."""
        return self.plain.tex

    def whole(self) -> str:
        """Its HTML with all that KaTeX makes, and with the marks."""
        html = self.plain.typesetting.html
        return marked_html(str(html(self.plain.formula)), str(html(self.coloured.formula)))

    def __html__(self) -> str:
        return self.plain.typesetting.shown_with(self.coloured.formula, self.plain.formula, self.whole)


def marked(tex: str, symbols: Mapping[str, int], typesetting: Typesetting) -> Maths | MarkedMaths:
    """A display formula with its symbols marked by their numbers; unmarked where its names cannot be told apart."""
    plain = typesetting.maths(tex, display=True)
    with_colours = coloured(tex, symbols)
    return plain if with_colours == tex else MarkedMaths(plain, typesetting.attempt(with_colours, display=True))


def coloured(tex: str, symbols: Mapping[str, int]) -> str:
    """The TeX with a colour around each name that is among the symbols; as it is where it cannot be read."""
    if COLOUR in tex:
        return tex
    try:
        numbers = {_canonical(name): number for name, number in symbols.items() if number < NONE}
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


def marked_html(plain: str, coloured_html: str) -> str:
    """The HTML of a formula with marks for colours; the plain one where the two do not show the same."""
    before, visible, shown = plain.partition(_VISIBLE)
    _, _, with_colours = coloured_html.partition(_VISIBLE)
    if not visible or "".join(_TEXT.findall(with_colours)) != "".join(_TEXT.findall(shown)):
        return plain
    with_marks = _with_marks(with_colours)
    return plain if COLOUR in with_marks else before + visible + with_marks


def _with_marks(html: str) -> str:
    """With marks for colours, none within one of the same symbol: KaTeX repeats a colour at every level."""
    pieces = _TAG.split(html)
    open_marks = [""]
    for at in range(1, len(pieces), 2):
        tag = pieces[at]
        if tag == _END:
            if len(open_marks) > 1:  # what the formula's own frame opened is closed after the last of them
                open_marks.pop()
            continue
        with_mark, without, mark = _marked(tag)
        pieces[at] = without if mark and mark == open_marks[-1] else with_mark
        if tag.startswith("<span"):
            open_marks.append(mark or open_marks[-1])
    return "".join(pieces)


@lru_cache(maxsize=TAGS)
def _marked(tag: str) -> tuple[str, str, str]:
    """A tag with a mark for its colour, the same without, and the mark itself; empty where it has none."""
    with_mark = _STYLE.sub(_mark, tag)
    found = _MARK.search(with_mark) if tag.startswith("<span") else None
    return (with_mark, with_mark.replace(found[0], "", 1), found[0]) if found else (with_mark, with_mark, "")


def _mark(found: re.Match[str]) -> str:
    rest, number = found[1] + found[3], int(found[2], 16)
    return (f' style="{rest}"' if rest else "") + (f' data-symbol="{number}"' if number < NONE else "")


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Characters of a formula that get one colour."""

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
    at = 0
    while at < len(tokens):
        if tokens[at].kind != "name":
            at += 1
            continue
        if _is_alone(tokens, at):
            if tokens[at].text in numbers:
                yield _Stretch(tokens[at].span, numbers[tokens[at].text], braced=False)
            at += 1
            continue
        scripted, end = read_scripted(tokens, at)
        found = next((one for one in _readings(scripted) if one[0] in numbers), None)
        if found is not None:
            yield _Stretch(scripted.span, numbers[found[0]])
            for script in found[1]:
                braced = _has_braces(script)
                inside = Span(script.tokens[0].span.start, script.tokens[-1].span.end)
                yield _Stretch(inside, NONE, braced=braced)
                if braced or script.tokens[0].text not in numbers:
                    yield from _stretches(script.tokens, numbers)
                else:
                    yield _Stretch(inside, numbers[script.tokens[0].text])
            at = end
        else:
            at += 1


def _is_alone(tokens: tuple[Token, ...], at: int) -> bool:
    """Whether LaTeX takes this token alone: a script, or the argument of a fraction or root, without braces."""
    before = [token.kind for token in tokens[max(at - 2, 0) : at]]
    second = len(before) == 2 and before[0] in FRACTIONS and before[1] not in ("{", "}")
    return second or before[-1:] in (["_"], ["^"], ["\\sqrt"]) or before[-1:] in [[one] for one in FRACTIONS]


def _has_braces(script: Script) -> bool:
    """Whether a script is written in braces."""
    return script.span.end > script.tokens[-1].span.end


def _readings(scripted: Scripted) -> Iterator[tuple[str, tuple[Script, ...]]]:
    """The names that a base with scripts can be, longest first, each with the scripts that are no part of it."""
    sub, sup = scripted.sub, scripted.sup
    yield scripted.name(), ()
    if sub is not None and sup is not None:
        yield scripted.name(sup=False), (sup,)
        yield scripted.name(sub=False), (sub,)
    both = tuple(one for one in (sub, sup) if one is not None)
    yield scripted.name(sub=False, sup=False), tuple(sorted(both, key=lambda one: one.span.start))
