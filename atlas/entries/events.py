"""libyaml's events as one plain, immutable type, with the stream and document frame taken off.

The rest of the package reads these and knows nothing of PyYAML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Literal, NamedTuple

import yaml
from yaml._yaml import CParser

Kind = Literal["scalar", "alias", "sequence", "mapping", "end", "document"]

_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)*")


Place = tuple[int, int, str]
"""The 1-based line and column of the first character, and how a scalar is written: empty for plain, `'`, `\"`, `|` or
`>`."""


class Event(NamedTuple):
    """One step of reading a document from its start to its end."""

    # A tuple, as every entry has more than a hundred, and a frozen dataclass takes five times as long to make.
    kind: Kind
    """What begins here; `end` closes a sequence or mapping, `document` opens a document."""
    place: Place
    """Where it is and how it is written."""
    start: int
    """Offset of the first character in the text."""
    end: int
    """Offset after the last character in the text."""
    value: str = ""
    """A scalar's text; an alias's name."""
    tag: str = ""
    """The explicit tag, or an empty string."""
    anchor: str = ""
    """The anchor's name, or an empty string."""

    @property
    def line(self) -> int:
        """1-based line of the first character."""
        return self.place[0]

    @property
    def column(self) -> int:
        """1-based column of the first character."""
        return self.place[1]

    @property
    def style(self) -> str:
        """How a scalar is written."""
        return self.place[2]


def events(text: str) -> Iterator[Event]:
    """The events of a YAML text.

    Raises:
        yaml.MarkedYAMLError: the text is not YAML; the error knows its place.
    """
    made = partial(tuple.__new__, Event)  # at once, without the call of a function that a named tuple's own name makes
    for event in iter(CParser(text).get_event, None):
        begin, finish = event.start_mark, event.end_mark
        if begin is None or finish is None:
            raise AssertionError("libyaml gives every event its place")
        line, column, start, end = begin.line + 1, begin.column + 1, begin.index, finish.index
        if isinstance(event, yaml.ScalarEvent):
            tag, anchor = event.tag or "", event.anchor or ""
            if (tag or anchor) and (event.value or event.style):
                line, column, start = _after_properties(line, start, text)
            yield made(("scalar", (line, column, event.style or ""), start, end, event.value, tag, anchor))
        elif isinstance(event, yaml.CollectionEndEvent):
            yield made(("end", (line, column, ""), start, end, "", "", ""))
        elif isinstance(event, yaml.MappingStartEvent):
            yield made(("mapping", (line, column, ""), start, end, "", event.tag or "", event.anchor or ""))
        elif isinstance(event, yaml.SequenceStartEvent):
            yield made(("sequence", (line, column, ""), start, end, "", event.tag or "", event.anchor or ""))
        elif isinstance(event, yaml.AliasEvent):
            yield made(("alias", (line, column, ""), start, end, event.anchor or "", "", ""))
        elif isinstance(event, yaml.DocumentStartEvent):
            yield made(("document", (line, column, ""), start, end, "", "", ""))


def _after_properties(line: int, start: int, text: str) -> tuple[int, int, int]:
    """The place of a value itself, without the tag and the anchor before it: line, column and start."""
    match = _PROPERTIES.match(text, start)
    offset = match.end() if match else start
    return line + text.count("\n", start, offset), offset - text.rfind("\n", 0, offset), offset


class Stream:
    """The events of one document with a position."""

    __slots__ = ("index", "items")

    def __init__(self, items: list[Event], index: int = 0) -> None:
        self.items = items
        self.index = index

    def next(self) -> Event:
        """Take the event that comes next."""
        self.index += 1
        return self.items[self.index - 1]

    def value_just_begun(self) -> list[Event]:
        """The event just taken with everything that belongs to it, without its anchor."""
        depth = 0
        first = self.index - 1
        for position in range(first, len(self.items)):
            kind = self.items[position].kind
            depth += (kind in ("sequence", "mapping")) - (kind == "end")
            if depth == 0:
                break
        return [self.items[first]._replace(anchor=""), *self.items[first + 1 : position + 1]]
