r"""Characters of a text value → their line and column in the YAML file, whatever style the text is written in.

YAML styles change white space, and in quotes the quotes and escapes, so a value's characters are found again in the
file by walking both side by side.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from itertools import accumulate

from atlas.entries.tree import Document, KeyPath, Mark
from atlas.entries.validate import place, value_at
from atlas.issues import visible

_CONTEXT = 100
"""How many columns of a terminal a source line may take; of a wider one, the part around the place is shown."""

_CONTINUED = re.compile(r"\\\r?\n[ \t]*")
_WRITTEN = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"\\]|\\.)*\"|[^\s,\[\]{}]+(?<!:)|.")
"""A value or key as it is written on one line."""
_ESCAPE = re.compile(r"\\(?:x.{2}|u.{4}|U.{8}|.)")


def locate(document: Document, path: KeyPath, span: tuple[int, int]) -> tuple[Mark, str]:
    """Where characters `span` of the text value at `path` stand, and the source line with carets below them.

    `span` counts from the first character of the value that is not white space, as the schema strips its texts.
    """
    mark = place(document, path)
    value = _value(document, path)
    text = document.texts[mark.path]
    offsets = _offsets(text, mark, value)
    stripped, end = len(value) - len(value.lstrip()), len(value.rstrip())
    first = offsets[min(span[0] + stripped, end)]
    last = offsets[min(max(span[1], span[0] + 1) + stripped - 1, end)]
    line_start = text.rfind("\n", 0, first) + 1
    found = Mark(mark.path, text.count("\n", 0, first) + 1, first - line_start + 1, mark.style)
    return found, _caret(text, line_start, first, last + 1)


def _value(document: Document, path: KeyPath) -> str:
    value = value_at(document.value, path)
    if not isinstance(value, str):
        raise TypeError(f"the value at {path} is not a text")
    return value


def _offsets(text: str, mark: Mark, value: str) -> list[int]:
    """For each character of the value, and for its end, the offset in the file's text."""
    position = _line_offset(text, mark.line) + mark.column - 1
    if mark.style in ("|", ">"):
        position = text.find("\n", position) + 1
    elif mark.style in ("'", '"'):
        position += 1
    offsets = []
    for char in value:
        while mark.style == '"' and (continued := _CONTINUED.match(text, position)):
            position = continued.end()
        if not char.isspace():
            position = _skip_space(text, position)
        offsets.append(position)
        if mark.style == '"' and (escape := _ESCAPE.match(text, position)):
            position = escape.end()
            continue
        if not char.isspace() or text[position : position + 1].isspace():
            doubled = mark.style == "'" and text.startswith("''", position)
            position += 2 if doubled else 1
    return [*offsets, position]


def _skip_space(text: str, position: int) -> int:
    """The offset of the next character that is not white space: indentation and the ends of folded lines are passed."""
    while text[position : position + 1].isspace():
        position += 1
    return position


def _line_offset(text: str, line: int) -> int:
    offset = 0
    for _ in range(line - 1):
        offset = text.find("\n", offset) + 1
    return offset


def excerpt_at(text: str, line: int, column: int) -> str:
    """A line of a file with carets below the value that begins at a column, both from 1; empty where there is none."""
    start = _line_offset(text, line)
    source = text[start : end if (end := text.find("\n", start)) >= 0 else len(text)]
    if line < 1 or column < 1 or not source.strip() or column > len(source) + 1 or text.count("\n") < line - 1:
        return ""
    found = _WRITTEN.match(source, column - 1)
    return _caret(text, start, start + column - 1, start + max(found.end() if found else 0, column))


def excerpt_between(text: str, first: int, end: int) -> str:
    """The line of a text that one offset lies in, with carets from it to the other."""
    return _caret(text, text.rfind("\n", 0, first) + 1, first, end)


def _caret(text: str, line_start: int, first: int, end: int) -> str:
    """The line and the carets; of a line that is wider than a terminal may be, the part around the place."""
    line_end = text.find("\n", first)
    line = text[line_start : line_end if line_end >= 0 else len(text)].rstrip("\r")
    column, width = first - line_start, max(1, min(end, line_start + len(line)) - first)
    begin, stop = len(line) - len(line.lstrip()), len(line)
    if _width(line) > _CONTEXT:
        begin = column - _fitting(reversed(line[:column]), _CONTEXT // 2)
        stop = begin + _fitting(line[begin:], _CONTEXT)
    begin = min(begin, column)
    marked = line[column : min(column + width, stop)]
    return f"{line[begin:stop]}\n{_below(line[begin:column], ' ')}{_below(marked, '^') if marked.strip() else '^'}"


def _fitting(chars: Iterable[str], cells: int) -> int:
    """How many of the characters, from the first on, fit into so many columns."""
    return sum(total <= cells for total in accumulate(map(_cells, chars)))


def _below(text: str, sign: str) -> str:
    """A sign for every column of a terminal that a text takes; a tab stays one, as its width depends on its place."""
    return "".join("\t" if char == "\t" else sign * _cells(char) for char in text)


def _width(text: str) -> int:
    return sum(map(_cells, text))


def _cells(char: str) -> int:
    """How many columns of a terminal a character takes as issues are printed, where some are spelled out."""
    if char != "\t" and not char.isprintable():
        return len(visible(char))
    if unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
