r"""Characters of a text value → their line and column in the YAML file, whatever style the text is written in.

YAML styles change white space, and in quotes the quotes and escapes, so a value's characters are found again in the
file by walking both side by side.
"""

from __future__ import annotations

import re
import unicodedata

from atlas.entries.tree import Document, KeyPath, Mark
from atlas.entries.validate import place, value_at

_CONTEXT = 100
"""The longest source line that is shown whole; of a longer one, the part around the place."""

_CONTINUED = re.compile(r"\\\r?\n[ \t]*")
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


def _caret(text: str, line_start: int, first: int, end: int) -> str:
    line_end = text.find("\n", first)
    line = text[line_start : line_end if line_end >= 0 else len(text)].rstrip("\r")
    column, width = first - line_start, max(1, min(end, line_start + len(line)) - first)
    begin = max(0, column - _CONTEXT // 2) if len(line) > _CONTEXT else len(line) - len(line.lstrip())
    shown = line[begin : begin + _CONTEXT]
    marked = shown[column - begin : column - begin + width]
    return f"{shown}\n{_blank(shown[: column - begin])}{'^' * max(1, sum(map(_cells, marked)))}"


def _blank(text: str) -> str:
    """White space as wide as a text is on a terminal."""
    return "".join("\t" if char == "\t" else " " * _cells(char) for char in text)


def _cells(char: str) -> int:
    """How many columns of a terminal a character takes."""
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
