"""The catalogue of issue codes as a page: what each code means, with a wrong and a right form.

All of it comes from `atlas/explain`, so that the page, `atlas explain` and the tests that carry the examples out agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from types import MappingProxyType

from atlas.explain.catalogue import GROUPS, Example, Explanation, catalogue
from atlas.markup.code import CodeLine, excerpt, highlight

LANGUAGES: Mapping[str, str] = MappingProxyType(
    {"formula": "latex", "python": "python", "configuration": "json", "offline": "console"}
)
"""The language of examples that are not YAML, by how they are carried out."""

Words = tuple[tuple[str, bool], ...]
"""Running text in pieces, each with whether it is code."""


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of code with what stands above it."""

    above: Words
    """What it is."""
    code: tuple[CodeLine, ...]
    """Its lines; none where there is nothing to write."""


@dataclass(frozen=True, slots=True)
class CodeView:
    """One code."""

    code: str
    """The code."""
    id: str
    """Its anchor."""
    title: str
    """What it is about."""
    is_warning: bool
    """Whether pages can be built all the same."""
    meaning: Words
    """What it means, and what to do."""
    where: Words
    """What the example is about; empty for a text of its own."""
    symbols: tuple[tuple[str, str], ...]
    """For a formula: symbols with their axes."""
    given: tuple[Block, ...]
    """What is there before the example."""
    wrong: Block
    """The wrong form."""
    right: Block
    """The right form."""


@dataclass(frozen=True, slots=True)
class GroupView:
    """Codes that begin alike."""

    id: str
    """The anchor of the group."""
    title: str
    """What they are about."""
    codes: tuple[CodeView, ...]
    """The codes in order."""


@dataclass(frozen=True, slots=True)
class IssueCodesView:
    """The page."""

    groups: tuple[GroupView, ...]
    """All codes by what they are about."""
    count: int
    """How many codes there are."""


def issue_codes_view() -> IssueCodesView:
    """The page of all codes."""
    known = list(catalogue().values())
    groups = tuple(
        GroupView(f"codes-{prefix.lower()}", f"{prefix}: {GROUPS[prefix]}", tuple(map(_code, members)))
        for prefix, members in groupby(known, key=lambda one: one.code[:2])
    )
    return IssueCodesView(groups, len(known))


def _code(one: Explanation) -> CodeView:
    example = one.example
    given = [Block(words(f"Given, in `{edit.file}`"), _lines(edit.new, example)) for edit in example.given]
    if example.setting:
        given.append(Block(words("Given"), _lines(example.setting, example)))
    right = f"Right{_own(example.right_symbols)}" if example.right else "Right: to leave it out"
    return CodeView(
        one.code,
        one.code.lower(),
        one.title,
        one.is_warning,
        words(one.meaning),
        words(f"In `{example.where}`" if " " not in example.where else f"In {example.where}") if example.where else (),
        tuple(example.symbols.items()),
        tuple(given),
        Block(words(f"Wrong{_own(example.wrong_symbols)}"), _lines(example.wrong, example)),
        Block(words(right), _lines(example.right, example) if example.right else ()),
    )


def words(text: str) -> Words:
    """Running text in pieces; what stands between backticks is code."""
    pieces = " ".join(text.split()).split("`")
    return tuple((piece, bool(index % 2)) for index, piece in enumerate(pieces) if piece)


def _own(symbols: Mapping[str, str]) -> str:
    return f", with {', '.join(f'`{name} {axes}`' for name, axes in symbols.items())}" if symbols else ""


def _lines(text: str, example: Example) -> tuple[CodeLine, ...]:
    language = LANGUAGES.get(example.how, "markdown" if example.where.endswith(".md") else "yaml")
    lines = highlight(text, language)
    return excerpt(lines, 1, len(lines))
