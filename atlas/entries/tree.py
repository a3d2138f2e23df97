r"""YAML text → plain values that remember where they stand, with the traps of YAML caught instead of absorbed.

libyaml parses; the meaning of plain scalars is ours (YAML 1.2's core schema), because the defaults read `1e-5` as text,
`on` as true and `"\frac"` as a form feed, and lose the line of every value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from atlas.entries.events import Event, Stream, events
from atlas.entries.words import AMBIGUOUS_WORDS, explain_syntax, quoted
from atlas.issues import Issue

Key = str | int
KeyPath = tuple[Key, ...]
Value = str | int | float | bool | None | tuple["Value", ...] | dict[str, "Value"]

MAX_BYTES = 1_000_000
"""The largest file that is read."""
MAX_NESTING = 40
"""How deep values may be nested."""
MAX_VALUES = 50_000
"""How many values a file may have, aliases counted each time they are used."""

_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9]+")
_ESCAPE = re.compile(r"\\(?![\"\\/]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})(.)", re.DOTALL)
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]"
)
_NEEDS_QUOTES = re.compile(r"[\\{}]")


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a value, or the key of a mapping, stands in its file."""

    path: str
    """The file, as issues name it."""
    line: int
    """1-based line of the first character."""
    column: int
    """1-based column of the first character."""
    style: str = ""
    """How a scalar is written: empty for plain, `'`, `\"`, `|` or `>`."""


@dataclass(frozen=True, slots=True)
class Document:
    """One YAML file: its values and where each of them stands."""

    path: str
    """The file, as issues name it."""
    texts: Mapping[str, str]
    """The whole text of the file, and of the files that it inherits from, by path."""
    value: dict[str, Value]
    """The top-level mapping; lists are tuples, mappings are dicts."""
    marks: Mapping[KeyPath, Mark]
    """The place of each value by its key path."""
    key_marks: Mapping[KeyPath, Mark]
    """The place of each mapping's key by the key path of its value."""


def read(path: Path, shown: str) -> tuple[Document | None, list[Issue]]:
    """Read one YAML file; `shown` is the path that issues name.

    The document is None where the text cannot be read as YAML at all; a document may come with issues.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        return None, [Issue(shown, 0, 0, "A001", f"the file cannot be read: {error.strerror}")]
    if len(raw) > MAX_BYTES:
        return None, [Issue(shown, 0, 0, "A001", f"the file has {len(raw):,} bytes; at most {MAX_BYTES:,} are read")]
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        return None, [
            Issue(shown, line, 0, "A001", f"the file is not UTF-8: byte {error.start} is {raw[error.start]:#04x}")
        ]
    return parse(text, shown)


def parse(text: str, shown: str) -> tuple[Document | None, list[Issue]]:
    """Parse YAML text that came from the file `shown`."""
    hidden = [_hidden_issue(text, match.start(), shown) for match in _HIDDEN.finditer(text.replace("\r\n", "\n"))]
    if hidden:
        return None, hidden[:20]
    builder = _Builder(text, shown)
    try:
        value = builder.document()
    except yaml.MarkedYAMLError as error:
        return None, [*builder.issues, explain_syntax(error, text, shown)]
    except _RefusedError as refused:
        return None, [*builder.issues, refused.issue]
    if not isinstance(value, dict):
        issue = Issue(shown, 1, 1, "A013", "the file must hold one mapping of `key: value` lines")
        return None, [*builder.issues, issue]
    return Document(shown, {shown: text}, value, builder.marks, builder.key_marks), builder.issues


def _hidden_issue(text: str, offset: int, shown: str) -> Issue:
    line_start = text.rfind("\n", 0, offset) + 1
    code = f"U+{ord(text[offset]):04X}"
    message = f"the file holds the invisible character {code}, which can make text show as something else"
    return Issue(shown, text.count("\n", 0, offset) + 1, offset - line_start + 1, "A012", message, "delete it")


class _RefusedError(Exception):
    """The text is YAML, but more or other YAML than is read."""

    def __init__(self, issue: Issue) -> None:
        super().__init__(issue.message)
        self.issue = issue


class _Builder:
    """Builds values from libyaml's events; bounded in depth and count, so that no file can exhaust memory."""

    def __init__(self, text: str, shown: str) -> None:
        self.text = text
        self.shown = shown
        self.issues: list[Issue] = []
        self.marks: dict[KeyPath, Mark] = {}
        self.key_marks: dict[KeyPath, Mark] = {}
        self.anchors: dict[str, list[Event]] = {}
        self.count = 0

    def document(self) -> Value:
        found = list(events(self.text))
        starts = [event for event in found if event.kind == "document"]
        if len(starts) > 1:
            raise self.refuse(starts[1], "A013", "a second document begins here; a file holds one")
        inner = [event for event in found if event.kind != "document"]
        return self.value(Stream(inner), (), 0) if inner else None

    def value(self, stream: Stream, path: KeyPath, depth: int) -> Value:
        event = stream.next()
        self.count += 1
        if self.count > MAX_VALUES:
            raise self.refuse(event, "A011", f"the file holds more than {MAX_VALUES:,} values, aliases included")
        if depth > MAX_NESTING:
            raise self.refuse(event, "A011", f"values are nested more than {MAX_NESTING} deep")
        if event.kind == "alias":
            return self.alias(event, path, depth)
        if event.tag:
            self.issue(event, "A010", f"the tag `{event.tag}` has no meaning here", "remove it")
        if event.anchor:
            self.anchors[event.anchor] = stream.value_just_begun()
        self.marks[path] = self.mark(event)
        if event.kind == "scalar":
            return self.scalar(event)
        if event.kind == "sequence":
            return self.sequence(stream, path, depth)
        return self.mapping(stream, path, depth)

    def alias(self, event: Event, path: KeyPath, depth: int) -> Value:
        subtree = self.anchors.get(event.value)
        if subtree is None:
            message = f"`*{event.value}` is read as an alias, and nothing above is named &{event.value}"
            self.issue(event, "A007", message, f"a text that begins with * must be quoted: '*{event.value}'")
            self.marks[path] = self.mark(event)
            return f"*{event.value}"
        value = self.value(Stream(subtree), path, depth + 1)
        self.marks[path] = self.mark(event)
        return value

    def sequence(self, stream: Stream, path: KeyPath, depth: int) -> Value:
        items: list[Value] = []
        while stream.peek().kind != "end":
            items.append(self.value(stream, (*path, len(items)), depth + 1))
        stream.next()
        return tuple(items)

    def mapping(self, stream: Stream, path: KeyPath, depth: int) -> Value:
        items: dict[str, Value] = {}
        while stream.peek().kind != "end":
            event = stream.peek()
            name = self.key(stream)
            inner = (*path, name)
            if name in items:
                first = self.key_marks[inner].line
                self.issue(event, "A003", f"the key `{name}` stands twice; it is first on line {first}")
                self.value(stream, (*path, f"{name} (again, {self.count})"), depth + 1)
                continue
            self.key_marks[inner] = self.mark(event)
            items[name] = self.value(stream, inner, depth + 1)
        stream.next()
        return items

    def key(self, stream: Stream) -> str:
        event = stream.peek()
        if event.kind != "scalar":
            hint = "quote a key that begins with {, [ or *"
            raise self.refuse(event, "A009", "a key must be a text, not a list, a mapping or an alias", hint)
        stream.next()
        text = event.value
        plain = not event.style
        if plain and text == "<<":
            self.issue(event, "A007", "merge keys (`<<`) are not read", "use `inherits` to take another entry's fields")
        elif plain and not text:
            self.issue(event, "A009", "a key is missing before the colon")
        elif plain and _NEEDS_QUOTES.search(text):
            self.issue(
                event, "A008", f"quote this name: {quoted(text)}", "names of symbols hold braces and backslashes"
            )
        elif plain and not isinstance(self.plain(event, text), str):
            self.issue(event, "A009", f"the key `{text}` is read as a {_kind(self.plain(event, text))}, not as text",
                       f"quote it: {quoted(text)}")  # fmt: skip
        elif event.style == '"':
            self.check_escapes(event)
        return text

    def scalar(self, event: Event) -> Value:
        text = event.value
        if event.style == '"':
            self.check_escapes(event)
        return text if event.style in ("'", '"', "|", ">") else self.plain(event, text)

    def plain(self, event: Event, text: str) -> Value:
        """What a plain scalar means in YAML 1.2's core schema; what older versions read otherwise is refused."""
        if text in ("", "~", "null", "Null", "NULL"):
            return None
        if text in ("true", "True", "TRUE", "false", "False", "FALSE"):
            return text.lower() == "true"
        if text.lower() in AMBIGUOUS_WORDS:
            meant = AMBIGUOUS_WORDS[text.lower()]
            message = f"`{text}` is text in YAML 1.2 and {meant} in YAML 1.1"
            self.issue(event, "A005", message, f"write {meant}, or quote the text: {quoted(text)}")
            return text
        if _LEADING_ZERO.fullmatch(text):
            message = f"`{text}` is a number with leading zeros: octal in YAML 1.1, decimal in YAML 1.2"
            self.issue(event, "A006", message, f"quote it if it is an identifier: {quoted(text)}")
            return text
        if _INTEGER.fullmatch(text):
            return _integer(text)
        return float(text.replace(".inf", "inf").replace(".nan", "nan")) if _FLOAT.fullmatch(text) else text

    def check_escapes(self, event: Event) -> None:
        source = self.text[event.start : event.end]
        for match in _ESCAPE.finditer(source.replace("\\\\", "  ")):
            if match[1] == "\n":
                continue
            offset = event.start + match.start()
            line_start = self.text.rfind("\n", 0, offset) + 1
            word = re.match(r"\\[A-Za-z]*", source[match.start() :])
            message = f"in double quotes the backslash of `{word[0] if word else match[0]}` begins an escape"
            line = self.text.count("\n", 0, offset) + 1
            hint = "use single quotes, in which a backslash is a backslash"
            self.issues.append(Issue(self.shown, line, offset - line_start + 1, "A004", message, hint))
            return

    def mark(self, event: Event) -> Mark:
        return Mark(self.shown, event.line, event.column, event.style)

    def issue(self, event: Event, code: str, message: str, hint: str = "") -> None:
        self.issues.append(Issue(self.shown, event.line, event.column, code, message, hint))

    def refuse(self, event: Event, code: str, message: str, hint: str = "") -> _RefusedError:
        return _RefusedError(Issue(self.shown, event.line, event.column, code, message, hint))


def _integer(text: str) -> int:
    return int(text, 8) if text.startswith("0o") else int(text, 16) if text.startswith("0x") else int(text)


def _kind(value: Value) -> str:
    names = {bool: "truth value", int: "number", float: "number", type(None): "null"}
    return names.get(type(value), "text")
