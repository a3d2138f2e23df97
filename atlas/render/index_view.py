"""The alphabetical index: everything that search finds, as pages that need no script.

It is made of the names of what search finds, so that what the one finds by a name stands in the other.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from atlas.render.addresses import INDEX
from atlas.render.index_names import Name
from atlas.render.link import Link
from atlas.render.pages import PagePlan

MOST = 1_500
"""How many lines one page shows; of a larger index each letter has its own page."""
OTHER = "other"
"""Where what begins with no Latin letter stands, as the last part of an address."""


@dataclass(frozen=True, slots=True)
class IndexLine:
    """One line of the index: a name and everything that has it."""

    name: str
    """The name."""
    links: tuple[Link, ...]
    """Where it leads, each link with what kind of thing it is."""


@dataclass(frozen=True, slots=True)
class IndexLetter:
    """The lines under one letter."""

    letter: str
    """The letter in capitals, or a word for what begins with none."""
    id: str
    """Its anchor."""
    url: str
    """Its address, below the site's root."""
    count: int
    """How many lines there are."""
    lines: tuple[IndexLine, ...]
    """The lines; empty where they stand on a page of their own."""


@dataclass(frozen=True, slots=True)
class IndexView:
    """A page of the index."""

    title: str
    """Its title."""
    letters: tuple[IndexLetter, ...]
    """Every letter, for the row of letters."""
    shown: tuple[IndexLetter, ...]
    """The letters whose lines are shown here."""
    count: int
    """How many lines the whole index has."""


def index_plans(names: Iterable[Name], most: int = MOST) -> Iterator[PagePlan]:
    """The page of the index, and where it would be too long a page for each letter."""
    letters = _letters(names)
    count = sum(len(lines) for lines in letters.values())
    is_one = count <= most
    rows = {
        letter: IndexLetter(
            letter.upper() if letter != OTHER else "Other signs",
            f"letter-{letter}",
            f"{INDEX}#letter-{letter}" if is_one else f"{INDEX}{letter}/",
            len(lines),
            lines,
        )
        for letter, lines in letters.items()
    }
    every = tuple(rows.values())
    summary = "Everything in the atlas by its name: models, components, operators, sizes and sources."
    view = IndexView("A–Z index", every, every if is_one else (), count)
    yield PagePlan(INDEX, "index", "A–Z index", "A–Z index", summary, None, None, view)
    for letter in () if is_one else every:
        title = f"A–Z index: {letter.letter}"
        view = IndexView(title, every, (letter,), count)
        about = f"Everything in the atlas under {letter.letter}."
        yield PagePlan(letter.url, "index", title, title, about, None, None, view)


def _letters(names: Iterable[Name]) -> Mapping[str, tuple[IndexLine, ...]]:
    """Lines by their first letter, both in order."""
    named: dict[str, dict[str, Link]] = defaultdict(dict)
    for name, url, see, kind in names:
        named[name].setdefault(url, Link(see, url, kind))
    letters: dict[str, list[IndexLine]] = defaultdict(list)
    for name in sorted(named, key=lambda one: (_plain(one), one)):
        first = _plain(name)[:1]
        letters[first if first.isascii() and first.isalpha() else OTHER].append(
            IndexLine(name, tuple(named[name].values()))
        )
    return {letter: tuple(letters[letter]) for letter in sorted(letters, key=lambda one: (one == OTHER, one))}


def _plain(name: str) -> str:
    """A name as the alphabet orders it: without case and accents."""
    return "".join(char for char in unicodedata.normalize("NFKD", name) if not unicodedata.combining(char)).casefold()
