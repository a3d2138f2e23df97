"""Code as pages show it, made once in a process: pinned files with colours, passages of them, operators' sources.

Entries of one collection, and collections one after the other, show the same passages and operators again and again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import lru_cache

from markupsafe import Markup

from atlas.kept import Kept, code_digest, key_of
from atlas.markup.code import PYTHON, CodeLines, excerpt, highlight, plain_lines
from atlas.operators.registry import Operator
from atlas.render.function_text import function_text
from atlas.sources.store import PinnedText

FILES = 8
"""How many pinned files are remembered whole, of which the next passages may be cut."""
PASSAGES = 200
"""How many of their passages are remembered."""


@dataclass(frozen=True, slots=True)
class _File:
    """A pinned file, told from others by what its colours follow from."""

    blob: str
    """Git's object id of its content."""
    name: str
    """Its name without folders, from which its language follows."""
    text: str = field(compare=False, repr=False)
    """Its content."""

    @classmethod
    def of(cls, pinned: PinnedText) -> _File:
        return cls(pinned.blob, pinned.path.rpartition("/")[2], pinned.text)


class ShownCode:
    """What of code is shown; colours are also taken from what is kept, as lexing is what a page of code costs."""

    def __init__(self, kept: Kept | None = None) -> None:
        self._kept = kept
        self._file = lru_cache(maxsize=FILES)(self._coloured)
        self._plain = lru_cache(maxsize=FILES)(_plain)
        self._passage = lru_cache(maxsize=PASSAGES)(self._cut)
        self._operators: dict[Operator, CodeLines] = {}

    def file(self, pinned: PinnedText) -> tuple[Markup, ...]:
        """The lines of a pinned file."""
        return self._file(_File.of(pinned))

    def passage(self, pinned: PinnedText, first: int, last: int) -> CodeLines:
        """A passage of a pinned file: the lines from `first` to `last`, both included."""
        return self._passage(_File.of(pinned), first, last)

    def operator(self, operator: Operator) -> CodeLines:
        """The source of an operator."""
        if operator not in self._operators:
            text = function_text(operator.function)
            lines = self._lines(f"{operator.name}{PYTHON}", text)
            self._operators[operator] = excerpt(lines, 1, len(lines), plain_lines(text))
        return self._operators[operator]

    def _coloured(self, file: _File) -> tuple[Markup, ...]:
        return self._lines(file.name, file.text)

    def _lines(self, name: str, text: str) -> tuple[Markup, ...]:
        key = key_of("highlighted", code_digest("markup"), name, text)
        if self._kept is not None and (found := self._kept.get([key])):
            return tuple(Markup(line) for line in json.loads(found[key]))  # noqa: S704 - `highlight` made them
        lines = highlight(text, path=name)
        if self._kept is not None:
            self._kept.put({key: json.dumps(lines).encode()})
        return lines

    def _cut(self, file: _File, first: int, last: int) -> CodeLines:
        return excerpt(self._file(file), first, last, self._plain(file))


def _plain(file: _File) -> list[str]:
    return plain_lines(file.text)
