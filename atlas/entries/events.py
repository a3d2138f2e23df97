"""libyaml's events as one plain, immutable type, with the stream and document frame taken off.

The rest of the package reads these and knows nothing of PyYAML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import yaml

Kind = Literal["scalar", "alias", "sequence", "mapping", "end", "document"]

_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)*")


@dataclass(frozen=True, slots=True)
class Event:
    """One step of reading a document from its start to its end."""

    kind: Kind
    """What begins here; `end` closes a sequence or mapping, `document` opens a document."""
    line: int
    """1-based line of the first character."""
    column: int
    """1-based column of the first character."""
    start: int
    """Offset of the first character in the text."""
    end: int
    """Offset after the last character in the text."""
    value: str = ""
    """A scalar's text; an alias's name."""
    style: str = ""
    """How a scalar is written: empty for plain, `'`, `\"`, `|` or `>`."""
    tag: str = ""
    """The explicit tag, or an empty string."""
    anchor: str = ""
    """The anchor's name, or an empty string."""


def events(text: str) -> Iterator[Event]:
    """The events of a YAML text.

    Raises:
        yaml.MarkedYAMLError: the text is not YAML; the error knows its place.
    """
    for event in iter(yaml.CSafeLoader(text).get_event, None):
        if event.start_mark is None or event.end_mark is None:
            raise AssertionError("libyaml gives every event its place")
        start, end = event.start_mark, event.end_mark
        place = start.line + 1, start.column + 1, start.index, end.index
        if isinstance(event, yaml.ScalarEvent):
            tag, anchor = event.tag or "", event.anchor or ""
            if (tag or anchor) and (event.value or event.style):
                place = _after_properties(place, text)
            yield Event("scalar", *place, event.value, event.style or "", tag, anchor)
        elif isinstance(event, yaml.AliasEvent):
            yield Event("alias", *place, event.anchor or "")
        elif isinstance(event, yaml.SequenceStartEvent):
            yield Event("sequence", *place, tag=event.tag or "", anchor=event.anchor or "")
        elif isinstance(event, yaml.MappingStartEvent):
            yield Event("mapping", *place, tag=event.tag or "", anchor=event.anchor or "")
        elif isinstance(event, yaml.CollectionEndEvent):
            yield Event("end", *place)
        elif isinstance(event, yaml.DocumentStartEvent):
            yield Event("document", *place)


def _after_properties(place: tuple[int, int, int, int], text: str) -> tuple[int, int, int, int]:
    """The place of a value itself, without the tag and the anchor before it: line, column, start and end."""
    line, _, start, end = place
    match = _PROPERTIES.match(text, start)
    offset = match.end() if match else start
    return line + text.count("\n", start, offset), offset - text.rfind("\n", 0, offset), offset, end


class Stream:
    """The events of one document with a position."""

    def __init__(self, items: list[Event]) -> None:
        self.items = items
        self.index = 0

    def peek(self) -> Event:
        """The event that comes next."""
        return self.items[self.index]

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
        return [replace(self.items[first], anchor=""), *self.items[first + 1 : position + 1]]
