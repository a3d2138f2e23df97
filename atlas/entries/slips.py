"""The slip of the hand behind one of YAML's own errors: what stands on the line where libyaml gave up, or above it.

libyaml names what it expected next; a contributor wants to hear of the space, colon or indentation that is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

ODD_SPACES = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
"""Spaces that are not the plain one, as ranges of a character class; YAML takes them for letters."""

_ODD_AT_EDGE = re.compile(rf"^[ \t]*(?:-[ \t]+)*(?:[\w-]+:[ \t]*)?([{ODD_SPACES}])")
_CONFLICT = re.compile(r"^(?:(?:<{7}|>{7}|\|{7})(?: .*)?|={7})\r?$", re.MULTILINE)
_START = r"^(\s*(?:- +)*)"
_TIGHT_COLON = re.compile(_START + r"([A-Za-z_]\w*):([^\s:/]\S*)")
_TIGHT_ITEM = re.compile(r"(\w+)([:=])(\S.*)")
_EQUALS = re.compile(_START + r"([A-Za-z_]\w*)\s*=(?!=)")
_TIGHT_DASH = re.compile(r"^(\s*)-([A-Za-z_]\w*:.*)")
_DASHES = re.compile(r"^(?:--|-{4,})\s*$")
_COMMENT = re.compile(r"^(\s*)(//|/\*|;|--\s)")
_NO_COLON = re.compile(_START + r"([A-Za-z_][\w-]*)(?:\s[^:]*)?$")
_BARE_KEY = re.compile(r"\s*(?:- +)*[\w-]+")
_KEY_ALONE = re.compile(_START + r"([\w-]+):\s*$")
_BLOCK = re.compile(_START + r"([^\s:]+):\s+[|>][-+0-9]*\s*(?:#.*)?$")


@dataclass(frozen=True, slots=True)
class Slip:
    """What is wrong, and where the reader should look."""

    line: int
    """1-based line."""
    column: int
    """1-based column."""
    message: str
    """What stands there."""
    hint: str
    """What to write."""
    code: str = "A002"
    """The issue's code."""


def no_mapping(value: object) -> str:
    """What to do about a file that holds this value instead of keys; None where it holds none."""
    if value is None:
        return "it holds none; `atlas new` writes files with every key and a blank for each value"
    dashes = " without dashes" if isinstance(value, list | tuple) else ""
    return f"write `key: value` lines{dashes}, such as `title: …`"


def odd_space_message(char: str) -> str:
    """The message about a space that YAML does not take for one."""
    return f"the space here is U+{ord(char):04X}, which YAML takes for a letter"


ODD_SPACE_HINT = "type a plain space in its place"


def conflict(text: str) -> Slip | None:
    """The first mark that a merge left in a file."""
    match = _CONFLICT.search(text)
    if match is None:
        return None
    message = "a merge left its marks here: the two sides stand one after the other"
    hint = "keep one side and delete the lines that begin with <<<<<<<, ======= and >>>>>>>"
    return Slip(text.count("\n", 0, match.start()) + 1, 1, message, hint)


def no_value(name: str, before: str, *, is_quoted: bool) -> tuple[str, str]:
    """Message and hint about a key in braces without a value; `before` is the character before its comma."""
    tight = None if is_quoted else _TIGHT_ITEM.fullmatch(name)
    if tight is not None:
        what = "no space after the colon of" if tight[2] == ":" else "`=` instead of a colon in"
        return f"there is {what} `{name}`", f"write `{tight[1]}: {tight[3]}`"
    if name.isdecimal() and before.isdecimal():
        return f"a comma stands inside a number, before {name}", "write numbers without commas"
    message = f"in {{ }} the key `{name}` has no value; a comma ends the text before it"
    return message, "quote a text that holds a comma or begins with {"


def slip(lines: Sequence[str], line: int, column: int, problem: str, context: str) -> Slip | None:
    """The slip that explains a syntax error at a place, or None where the error is better told as it is."""
    above = next((at for at in range(line - 1, 0, -1) if lines[at - 1].strip()), 0)
    for at in (line, above):
        if at and (odd := _ODD_AT_EDGE.match(lines[at - 1])):
            return Slip(at, odd.start(1) + 1, odd_space_message(odd[1]), ODD_SPACE_HINT, "A012")
    source = lines[line - 1]
    if "simple key" in context and (found := _not_a_key(lines, line, above)):
        return found
    if column - 1 != _width(source) and not _BARE_KEY.fullmatch(source[: column - 1]):
        return None
    if (found := _too_little(lines, line)) is not None:
        return found
    if "mapping values are not allowed" in problem and above:
        return _of_line(lines[above - 1], above)
    if problem.startswith("did not find expected") and column - 1 == _width(source):
        return _tight_dash(source, line) or _of_line(lines[above - 1], above) or _misaligned(lines, line)
    return None


def _not_a_key(lines: Sequence[str], line: int, above: int) -> Slip | None:
    """What a line is that was to be a key and has no colon."""
    source = lines[line - 1]
    if found := _open_quote(source, line) or ("\\" in source and _too_little(lines, line)):
        return found
    alone = _KEY_ALONE.match(lines[above - 1]) if above else None
    if alone and _width(source) <= len(alone[1]) and not source.lstrip().startswith("-"):
        message = f"the value of `{alone[2]}` stands on a line of its own and is not indented"
        return Slip(line, _width(source) + 1, message, f"put it on the line of `{alone[2]}:`, or indent it")
    return _of_line(source, line)


def _of_line(source: str, line: int) -> Slip | None:
    """What is wrong with a line by itself, where it was to be a key with its value."""
    if match := _TIGHT_COLON.match(source):
        message = f"there is no space after the colon of `{match[2]}:{match[3][:20]}`"
        return Slip(line, match.end(2) + 1, message, f"write `{match[2]}: {match[3][:20]}`")
    if match := _EQUALS.match(source):
        return Slip(line, match.end(2) + 1, f"`{match[2]}` is followed by `=`", f"write `{match[2]}: ...`")
    if _DASHES.match(source):
        return Slip(line, 1, "a line of dashes is no part of YAML, except for `---`", "delete it")
    if match := _COMMENT.match(source):
        return Slip(line, match.start(2) + 1, f"`{match[2].strip()}` begins no comment", "a comment begins with `# `")
    if (found := _tight_dash(source, line)) is not None:
        return found
    if match := _NO_COLON.match(source):
        hint = f"write `{match[2]}: ...`, or indent the line deeper than the key whose text it goes on with"
        return Slip(line, match.start(2) + 1, "a key without its colon", hint)
    return None


def _tight_dash(source: str, line: int) -> Slip | None:
    match = _TIGHT_DASH.match(source)
    if match is None:
        return None
    return Slip(line, match.start(2), "there is no space after the dash", f"write `- {match[2][:20].strip()}`")


def _open_quote(source: str, line: int) -> Slip | None:
    """A key that begins with a quote and does not end with one."""
    text = source.lstrip().removeprefix("- ")
    if text[:1] not in ("'", '"') or text.count(text[0]) % 2 == 0:
        return None
    hint = f"write {text[0]} at its end" + (", and '' for a quote inside" if text[0] == "'" else "")
    return Slip(line, len(source) - len(text) + 1, "a quote is opened here and not closed", hint)


def _too_little(lines: Sequence[str], line: int) -> Slip | None:
    """A line of a block of text that is indented less than the block."""
    width = _width(lines[line - 1])
    for at in range(line - 1, 0, -1):
        source = lines[at - 1]
        match = _BLOCK.match(source)
        if match and width <= len(match[1]) + 1 and not re.match(r"\s*(?:- )?[\w'-]+:(?:\s|$)", lines[line - 1]):
            message = f"this line is indented less than the text of `{match[2]}`, which begins below line {at}"
            hint = f"indent every line of the text by {len(match[1]) + 2} spaces or more, all by the same"
            return Slip(line, width + 1, message, hint)
        if source.strip() and _width(source) <= width:
            return None
    return None


def _misaligned(lines: Sequence[str], line: int) -> Slip:
    """A line that stands between two levels of indentation."""
    width = _width(lines[line - 1])
    levels = dict(_levels(lines, line))
    if lines[line - 1].startswith("- ", width):
        levels = {level: at for level, at in levels.items() if lines[at - 1].startswith("- ", level)} or levels
    nearest = min(levels, key=lambda level: (abs(level - width), -level), default=0)
    spaces = "one space" if width == 1 else f"{width} spaces"
    message = f"this line is indented by {spaces}, like none of the lines that it could belong to"
    hint = f"line {levels[nearest]} is indented by {nearest}" if levels else "check the lines above"
    return Slip(line, width + 1, message, hint)


def _levels(lines: Sequence[str], line: int) -> Iterator[tuple[int, int]]:
    """Each indentation at which something is open above a line, with the line; the outermost first."""
    found: list[tuple[int, int]] = []
    least = len(lines[line - 1]) + 1
    for at in range(line - 1, 0, -1):
        source = lines[at - 1]
        if not source.strip() or source.lstrip().startswith("#"):
            continue
        width = _width(source)
        inner = len(source) - len(source.lstrip(" -")) if source.startswith("- ", width) else width
        found += [(level, at) for level in {width, inner} if level < least or not found]
        least = min(least, width)
        if least == 0:
            break
    return reversed(found)


def _width(source: str) -> int:
    """How far a line is indented."""
    return len(source) - len(source.lstrip(" "))
