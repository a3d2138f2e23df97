r"""What single values of YAML mean, and the traps in them: words, numbers and escapes that are read differently.

YAML 1.2's core schema decides; what YAML 1.1 reads otherwise, or what only looks like a text, is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from atlas.entries.words import AMBIGUOUS_WORDS, ESCAPE_HINT, escape_message, quoted

Scalar = str | int | float | bool | None

MAX_DIGITS = 100
"""The longest number that is read, in characters."""
SHORT = 40
"""How many characters a text has at most that is likely to occur again, and is remembered."""

_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9]+")
# \" \\ \/ and the hexadecimal forms mean what they look like; so does a line that goes on.
_ESCAPE = re.compile(
    r"\\(?:(?P<harmless>[\"\\/]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|\r?\n)|(?P<word>[A-Za-z]+)|.)",
    re.DOTALL,
)
HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u2800\u3164\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3"
    "\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    # Joiners and variation selectors belong to scripts and pictures, and to nothing else.
    "|(?<![^\x00-\x7f])[\u200c\u200d\ufe00-\ufe0f]|\r(?!\n)"
)
"""Characters that are not seen: controls, other line ends than line feeds, zero widths, changes of direction, tags,
fillers, and joiners after a letter that nothing joins."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a value is not taken as it stands."""

    code: str
    """The issue's code."""
    message: str
    """What was found."""
    hint: str
    """What to write instead."""
    offset: int = 0
    """Where in the value's source text."""


def plain(text: str) -> tuple[Scalar, Doubt | None]:
    """What an unquoted value means; a doubtful one is its text."""
    return _read_before(text) if len(text) <= SHORT else _read(text)


def _read(text: str) -> tuple[Scalar, Doubt | None]:
    if text in ("", "~", "null", "Null", "NULL"):
        return None, None
    if text in ("true", "True", "TRUE", "false", "False", "FALSE"):
        return text.lower() == "true", None
    if text.lower() in AMBIGUOUS_WORDS:
        meant = AMBIGUOUS_WORDS[text.lower()]
        message = f"`{text}` is text in YAML 1.2 and {meant} in YAML 1.1"
        return text, Doubt("A005", message, f"write {meant}, or quote the text: {quoted(text)}")
    if _LEADING_ZERO.fullmatch(text):
        message = f"`{text[:MAX_DIGITS]}` is a number with leading zeros: octal in YAML 1.1, decimal in YAML 1.2"
        return text, Doubt("A006", message, "quote it if it is an identifier")
    is_integer = _INTEGER.fullmatch(text) is not None
    if not is_integer and not _FLOAT.fullmatch(text):
        return text, None
    if len(text) > MAX_DIGITS:
        message = f"a number of {len(text):,} characters; at most {MAX_DIGITS} are read"
        return text, Doubt("A014", message, "quote it if it is an identifier")
    if is_integer:
        return int(text, 8) if text.startswith("0o") else int(text, 16) if text.startswith("0x") else int(text), None
    return float(text.lower().replace(".inf", "inf").replace(".nan", "nan")), None


# Entries say the same short words over and over.
_read_before = lru_cache(maxsize=4096)(_read)


def doubts_in_double_quotes(source: str, value: str) -> Iterator[Doubt]:
    """What is wrong with a text in double quotes, given as it is written and as it is read; at most one thing."""
    for match in _ESCAPE.finditer(source):
        if match["harmless"] is None:
            yield Doubt("A004", escape_message(match[0]), ESCAPE_HINT, match.start())
            return
    if hidden := HIDDEN.search(value):
        yield Doubt("A012", hidden_message(hidden[0]), "leave it out")


def hidden_in(text: str) -> Iterator[Doubt]:
    """Every invisible character of a file."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return  # as is told much faster than every character is looked at
    for match in HIDDEN.finditer(text):
        if match[0] == "\ufeff" and match.start() == 0:
            yield Doubt("A012", "the file begins with a byte order mark", "save it as UTF-8 without one")
        else:
            yield Doubt("A012", hidden_message(match[0]), "delete it", match.start())


def kind_of(value: object) -> str:
    """What messages call a plain value."""
    return {bool: "truth value", int: "number", float: "number", type(None): "null"}.get(type(value), "text")


def hidden_message(char: str) -> str:
    """The message about one invisible character."""
    return f"the file holds the invisible character U+{ord(char):04X}, which can make text show as something else"
