"""Edits of YAML files that leave every other character as it is: comments, order, quotes and line ends stay.

A value is replaced where its mark says that it stands; whoever edits reads the result again and sees that it says what
was meant, as no edit of text can promise that by itself.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from atlas.entries.tree import Document, KeyPath, Mark, parse
from atlas.entries.validate import place, place_of_key, value_at
from atlas.entries.words import quoted
from atlas.exceptions import EditError

LINES = re.compile(r"(\d+)(?:-(\d+))?")
PLAIN = re.compile(r"[^\s,\[\]{}#]+")


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Some characters of a text and what takes their place."""

    start: int
    """The offset of the first character."""
    end: int
    """The offset after the last one; equal to `start` for an insertion."""
    text: str
    """What takes their place."""


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made; the same edit twice is made once.

    Raises:
        EditError: two edits want the same characters.
    """
    parts: list[str] = []
    position = 0
    for edit in sorted(set(edits)):
        if edit.start < position:
            raise EditError("two edits want to change the same characters")
        parts += [text[position : edit.start], edit.text]
        position = edit.end
    return "".join([*parts, text[position:]])


def offset(text: str, mark: Mark) -> int:
    """The offset of the character that a mark points at."""
    found = 0
    for _ in range(mark.line - 1):
        found = text.find("\n", found) + 1
    return found + mark.column - 1


def replaced(document: Document, path: KeyPath, new: str) -> Edit:
    """The edit that gives a one-line text or number of the file another value, in the quotes that it has.

    Raises:
        EditError: the value is written in a way that is not rewritten, such as over several lines.
    """
    mark = place(document, path)
    text = document.texts[mark.path]
    start = offset(text, mark)
    value = value_at(document.value, path)
    if mark.style in ("'", '"') and isinstance(value, str):
        written = text[start + 1 : start + 1 + len(value)]
        if written == value and text.startswith(mark.style, start + 1 + len(value)) and not set(new) & {"'", '"', "\\"}:
            return Edit(start + 1, start + 1 + len(value), new)
    elif not mark.style and isinstance(value, str) and text.startswith(value, start):
        return Edit(start, start + len(value), as_written(new))
    elif not mark.style and isinstance(value, int) and (number := PLAIN.match(text, start)):
        return Edit(start, number.end(), as_written(new))
    raise EditError(f"{mark.path}:{mark.line}: the value of `{path[-1]}` is not written on one line; edit it by hand")


def with_lines(document: Document, ranges: Mapping[KeyPath, tuple[int, int]]) -> str:
    """The file's text with other numbers in its line ranges, each given by the key path of its value.

    A range stays one, and a single line stays one where the new one is one too.

    Raises:
        EditError: a range is not written as one, or an alias gives one place two ranges.
    """
    text = document.texts[document.path]
    edits = []
    for path, (first, last) in ranges.items():
        mark = place(document, path)
        start = offset(text, mark) + (mark.style in ("'", '"'))
        written = LINES.match(text, start)
        if written is None:
            raise EditError(f"{mark.path}:{mark.line}: these lines are not written as a range; edit them by hand")
        is_one = first == last and written[2] is None
        edits.append(Edit(start, written.end(), str(first) if is_one else f"{first}-{last}"))
    changed = edited(text, edits)
    found, issues = parse(changed, document.path)
    if found is None or issues or _apart_from(found, ranges) != _apart_from(document, ranges):
        raise EditError(f"{document.path} is written in a way that this edit does not fit; edit its lines by hand")
    return changed


def _apart_from(document: Document, paths: Collection[KeyPath]) -> dict[KeyPath, object]:
    """Every value that holds no others, by its key path, but for some."""
    values = {path: value_at(document.value, path) for path in document.marks if path not in paths}
    return {path: value for path, value in values.items() if not isinstance(value, dict | tuple)}


def without(document: Document, key: str) -> Edit:
    """The edit that removes a key of the file's own mapping with all the lines of its value."""
    text = document.texts[document.path]
    lines = [mark.line for where, mark in document.marks.items() if where[:1] == (key,)]
    start = _line_start(text, place_of_key(document, (key,)).line)
    return Edit(start, _line_start(text, max(lines) + 1), "")


def line_after(document: Document, key: str, line: str) -> Edit:
    """The edit that puts a line below the value of a key of the file's own mapping."""
    text = document.texts[document.path]
    last = max(mark.line for where, mark in document.marks.items() if where[:1] == (key,))
    return inserted_line(text, last + 1, line)


def inserted_line(text: str, number: int, line: str) -> Edit:
    """The edit that makes `line` the line with this number; it ends as the lines of the file do."""
    ending = "\r\n" if "\r\n" in text else "\n"
    start = _line_start(text, number)
    ended = start == 0 or text[start - 1] == "\n"
    return Edit(start, start, f"{line}{ending}" if ended else f"{ending}{line}")


def as_written(text: str) -> str:
    """A text as a plain value, or in quotes where YAML would read it as something else."""
    document, issues = parse(f"key: {text}\n", "")
    is_plain = document is not None and not issues and document.value == {"key": text} and "\n" not in text
    return text if is_plain and text == text.strip() else quoted(text)


def as_key(text: str) -> str:
    """A text as a plain key, or in quotes."""
    document, issues = parse(f"{text}: 1\n", "")
    return text if document is not None and not issues and list(document.value) == [text] else quoted(text)


def _line_start(text: str, number: int) -> int:
    """The offset of a line, or of the text's end where it has fewer."""
    position = 0
    for _ in range(number - 1):
        found = text.find("\n", position)
        if found < 0:
            return len(text)
        position = found + 1
    return position
