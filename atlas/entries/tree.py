r"""YAML text → plain values that remember where they stand, with the traps of YAML caught instead of absorbed.

libyaml parses; the meaning of plain scalars is ours (YAML 1.2's core schema), because the defaults read `1e-5` as text,
`on` as true and `"\frac"` as a form feed, and lose the line of every value.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from pathlib import Path

import yaml

from atlas.entries.blanks import BLANK, blanks_in
from atlas.entries.document import Document, Key, KeyPath, Mark, Marks, Value
from atlas.entries.events import Event, Place, Stream, events
from atlas.entries.scalars import SHORT, Doubt, doubts_in_double_quotes, hidden_in, kind_of, plain
from atlas.entries.slips import ODD_SPACE_HINT, ODD_SPACES, conflict, no_mapping, no_value, odd_space_message
from atlas.entries.words import explain_syntax, quoted
from atlas.exceptions import FileTooLargeError
from atlas.files import read_bytes
from atlas.issues import Issue

__all__ = ["Document", "Key", "KeyPath", "Mark", "Value", "decoded", "parse", "raw_text", "read"]

MAX_BYTES = 1_000_000
"""The largest file that is read."""
MAX_NESTING = 40
"""How deep values may be nested."""
UNREAD = "see that it is there, and that you may read it"
"""What to do about a file that cannot be read."""
FEWER = "split it into several entries, and use aliases less"
"""What to do about a file with too many values."""
MAX_VALUES = 50_000
"""How many values a file may have, aliases counted each time they are used."""
MAX_HIDDEN = 20
"""How many invisible characters of a file are reported."""

_NEEDS_QUOTES = re.compile(r"[\\{}]")
_COLON = re.compile(r"\s*:")
_ODD_SPACE = re.compile(rf"^[{ODD_SPACES}]|[{ODD_SPACES}]$")
_ODD_AFTER_COLON = re.compile(rf"(?<=:)[{ODD_SPACES}]")
_CUT_OFF = re.compile(r"[ \t]+(#[^\s#!]\S*)")


def read(path: Path, shown: str) -> tuple[Document | None, list[Issue]]:
    """Read one YAML file; `shown` is the path that issues name.

    The document is None where the text cannot be read as YAML at all; a document may come with issues.
    """
    raw, issues = raw_text(path, shown)
    return (None, issues) if raw is None else decoded(raw, shown)


def raw_text(path: Path, shown: str) -> tuple[bytes | None, list[Issue]]:
    """The bytes of one YAML file; None and an issue where they cannot be read."""
    try:
        return read_bytes(path, MAX_BYTES), []
    except FileTooLargeError:
        message = f"the file has {path.stat().st_size:,} bytes; at most {MAX_BYTES:,} are read"
        return None, [Issue(shown, 0, 0, "A001", message, "split it into several entries")]
    except OSError as error:
        return None, [Issue(shown, 0, 0, "A001", f"the file cannot be read: {error.strerror or error}", UNREAD)]


def decoded(raw: bytes, shown: str) -> tuple[Document | None, list[Issue]]:
    """Parse the bytes of the YAML file `shown`."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8")
        message = f"the file is not UTF-8: a byte is {raw[error.start]:#04x}"
        return None, [Issue(shown, *_place(before, len(before)), "A001", message, "save it as UTF-8")]
    return parse(text, shown)


def parse(text: str, shown: str) -> tuple[Document | None, list[Issue]]:
    """Parse YAML text that came from the file `shown`."""
    if hidden := list(islice(hidden_in(text), MAX_HIDDEN)):
        return None, [Issue(shown, *_place(text, one.offset), one.code, one.message, one.hint) for one in hidden]
    if (mark := conflict(text)) is not None:
        return None, [Issue(shown, mark.line, mark.column, mark.code, mark.message, mark.hint)]
    builder = _Builder(text, shown)
    try:
        value = builder.document()
    except yaml.MarkedYAMLError as error:
        return None, [explain_syntax(error, text, shown)]
    except _RefusedError as refused:
        return None, [*builder.issues, refused.issue]
    if builder.blanks:  # what else is wrong with the file may follow from what is not filled in yet
        return None, builder.blanks
    if not isinstance(value, dict):
        issue = Issue(shown, 1, 1, "A013", "the file must hold one mapping of `key: value` lines", no_mapping(value))
        return None, [*builder.issues, issue]
    marks, key_marks = Marks(shown, builder.marks), Marks(shown, builder.key_marks)
    return Document(shown, {shown: text}, value, marks, key_marks, frozenset(builder.doubtful)), builder.issues


def _place(text: str, offset: int) -> tuple[int, int]:
    """Line and column of a character, from 1."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


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
        self.blanks: list[Issue] = []
        self.has_blanks = BLANK.search(text) is not None
        self.marks: dict[KeyPath, Place] = {}
        self.key_marks: dict[KeyPath, Place] = {}
        self.doubtful: set[KeyPath] = set()
        self.anchors: dict[str, list[Event]] = {}
        self.unused: dict[str, Event] = {}
        self.unfinished: list[list[Event]] = []
        self.aliases: list[Event] = []
        self.count = 0

    def document(self) -> Value:
        found = list(islice(events(self.text), 4 * MAX_VALUES))
        starts = [event for event in found if event.kind == "document"]
        if len(starts) > 1:
            hint = "put what follows into a file of its own, or remove the line"
            raise self.refuse(starts[1], "A013", "a second document begins here; a file holds one", hint)
        if len(found) == 4 * MAX_VALUES:
            raise self.too_many(found[-1])
        # The first event opens the document.
        value = self.value(Stream(found, 1), (), 0) if starts else None
        for name, event in self.unused.items() if not self.issues else ():
            place = _place(self.text, max(self.text.rfind(f"&{name}", 0, event.start + 1), 0))
            message = f"`&{name}` names a value for aliases, and no `*{name}` uses it"
            self.issues.append(
                Issue(self.shown, *place, "A007", message, "remove it; a text that begins with & is quoted")
            )
        return value

    def value(self, stream: Stream, path: KeyPath, depth: int) -> Value:
        event = stream.items[stream.index]
        stream.index += 1
        self.count += 1
        if self.count > MAX_VALUES:
            raise self.too_many(self.aliases[0] if self.aliases else event)
        if depth > MAX_NESTING:
            raise self.refuse(event, "A011", f"values are nested more than {MAX_NESTING} deep", "write them less deep")
        if event.kind == "alias":
            return self.alias(event, path, depth)
        if event.tag:
            self.tag(event)
            self.doubtful.add(path)
        self.marks[path] = event.place
        if event.anchor:
            subtree = stream.value_just_begun()
            self.anchors[event.anchor] = subtree
            self.unused[event.anchor] = event
            self.unfinished.append(subtree)
        value: Value
        if event.kind == "scalar":
            value = self.scalar(event, path)
        elif event.kind == "sequence":
            value = self.sequence(stream, path, depth)
        else:
            value = self.mapping(event, stream, path, depth)
        if event.anchor:
            self.unfinished.pop()
        return value

    def alias(self, event: Event, path: KeyPath, depth: int) -> Value:
        self.marks[path] = event.place
        self.unused.pop(event.value, None)
        subtree = self.anchors.get(event.value)
        if subtree is None:
            message = f"`*{event.value}` is read as an alias, and nothing above is named &{event.value}"
            self.issue(event, "A007", message, f"a text that begins with * must be quoted: '*{event.value}'", path)
            return f"*{event.value}"
        if any(subtree is one for one in self.unfinished):
            self.issue(event, "A007", f"`*{event.value}` stands inside the value that it names", "write it out", path)
            return None
        self.aliases.append(event)
        self.unfinished.append(subtree)
        value = self.value(Stream(subtree), path, depth + 1)
        self.unfinished.pop()
        self.aliases.pop()
        if isinstance(value, (tuple, dict)):
            # A text keeps the place where it is written, as characters inside it are pointed at.
            self.marks[path] = event.place
        return value

    def sequence(self, stream: Stream, path: KeyPath, depth: int) -> Value:
        items: list[Value] = []
        while stream.items[stream.index].kind != "end":
            items.append(self.value(stream, (*path, len(items)), depth + 1))
        stream.next()
        return tuple(items)

    def mapping(self, start: Event, stream: Stream, path: KeyPath, depth: int) -> Value:
        items: dict[str, Value] = {}
        in_braces = self.text.startswith("{", start.start)
        repeats = False
        while (event := stream.items[stream.index]).kind != "end":
            if in_braces and path not in self.doubtful and self.lacks_value(event):
                self.without_value(event, path)
                stream.next()
                self.value(stream, (*path, f"{event.value} ({self.count})"), depth + 1)
                continue
            name = self.key(event, stream, path)
            inner = (*path, name or "")
            if name is not None and name in items:
                # Keys that repeat one after the other are one slip: an item that lacks its dash, or a copied block.
                if not repeats:
                    self.issue(event, "A003", *self.repeated(name, inner, is_item=isinstance((path or ("",))[-1], int)))
                repeats = True
            if name is None or name in items:
                self.value(stream, (*path, f"{name} ({self.count})"), depth + 1)
                continue
            repeats = False
            self.key_marks[inner] = event.place
            items[name] = self.value(stream, inner, depth + 1)
        stream.next()
        return items

    def repeated(self, name: str, path: KeyPath, *, is_item: bool) -> tuple[str, str]:
        """Message and hint about a key that stands twice."""
        message = f"the key `{name}` stands twice; it is first on line {self.key_marks[path][0]}"
        return message, f"put `- ` before `{name}` if a new item begins here" if is_item else "delete one of them"

    def lacks_value(self, event: Event) -> bool:
        """Whether a key in braces is followed by no colon."""
        return event.kind == "scalar" and not _COLON.match(self.text, event.end)

    def without_value(self, event: Event, path: KeyPath) -> None:
        """Say why a key in braces has no value."""
        name = event.value
        if not event.style and (odd := _ODD_AFTER_COLON.search(name)):
            self.odd_space(event, odd.start(), path)
            return
        before = self.text[event.start - 2 : event.start - 1]
        message, hint = no_value(name, before, is_quoted=bool(event.style))
        self.issue(event, "A009", message, hint, path)

    def odd_space(self, event: Event, offset: int, path: KeyPath) -> None:
        """Say that a space at the edge of a text is not the plain one."""
        line, column = self.inside(event, offset)
        message = odd_space_message(self.text[event.start + offset])
        self.issues.append(Issue(self.shown, line, column, "A012", message, ODD_SPACE_HINT))
        self.doubtful.add(path)

    def key(self, event: Event, stream: Stream, path: KeyPath) -> str | None:
        """The text of a key, or None where it is none and its value is to be left out."""
        if event.kind != "scalar":
            hint = "quote a key that begins with {, [ or *"
            raise self.refuse(event, "A009", "a key must be a text, not a list, a mapping or an alias", hint)
        stream.index += 1
        if self.has_blanks:
            self.look_for_blanks(event)
        text = event.value
        if event.tag:
            self.tag(event)
        if event.anchor:
            self.anchors[event.anchor] = [event]
            self.unused[event.anchor] = event
        if style := event.place[2]:
            if style == '"':
                self.check_quotes(event, (*path, text))
            return text
        return text if len(text) <= SHORT and _is_sound_key(text) else self.bare_key(event, path)

    def bare_key(self, event: Event, path: KeyPath) -> str | None:
        """The text of a key without quotes, or None where it is none."""
        text = event.value
        if text == "<<":
            hint = "use `inherits` to take another entry's fields"
            self.issue(event, "A007", "merge keys (`<<`) are not read", hint, path)
            return None
        if not text:
            self.issue(event, "A009", "a key is missing before the colon", "", path)
            return None
        if _NEEDS_QUOTES.search(text):
            hint = "names of symbols hold braces and backslashes"
            self.issue(event, "A008", f"quote this name: {quoted(text)}", hint)
            return text
        return self.plain_key(event, path)

    def plain_key(self, event: Event, path: KeyPath) -> str:
        """The text of a key without quotes."""
        text = event.value
        if odd := _ODD_SPACE.search(text):
            text = text.strip()
            self.odd_space(event, odd.start(), (*path, text))
            return text
        value, doubt = plain(text)
        if doubt is None and not isinstance(value, str):
            message = f"the key `{text}` is read as a {kind_of(value)}, not as text"
            doubt = Doubt("A009", message, f"quote it: {quoted(text)}")
        if doubt is not None:
            self.issue(event, doubt.code, doubt.message, doubt.hint, (*path, text))
        return text

    def look_for_blanks(self, event: Event) -> None:
        for offset, message, hint in blanks_in(self.text[event.start : event.end]):
            self.blanks.append(Issue(self.shown, *self.inside(event, offset), "A016", message, hint))

    def scalar(self, event: Event, path: KeyPath) -> Value:
        if self.has_blanks:
            self.look_for_blanks(event)
        if style := event.place[2]:
            if style == '"':
                self.check_quotes(event, path)
            return event.value
        written = self.text[event.start : event.end]
        if not written.isascii() and (odd := _ODD_SPACE.search(written)):
            self.odd_space(event, odd.start(), path)
            return event.value
        value, doubt = plain(event.value)
        if isinstance(value, str) and " " in value and (cut := _CUT_OFF.match(self.text, event.end)):
            self.cut_off(event, cut, path)
        elif doubt is not None:
            self.issue(event, doubt.code, doubt.message, doubt.hint, path)
        return value

    def cut_off(self, event: Event, cut: re.Match[str], path: KeyPath) -> None:
        """Say that a text ends where a comment seems to begin."""
        message = f"a `#` after a space begins a comment, so the text ends before `{cut[1][:20]}`"
        hint = "quote the text, or put a space after the # of a comment"
        place = _place(self.text, cut.start(1))
        self.issues.append(Issue(self.shown, *place, "A015", message, hint))
        self.doubtful.add(path)

    def check_quotes(self, event: Event, path: KeyPath) -> None:
        for doubt in doubts_in_double_quotes(self.text[event.start : event.end], event.value):
            place = self.inside(event, doubt.offset)
            self.issues.append(Issue(self.shown, *place, doubt.code, doubt.message, doubt.hint))
            self.doubtful.add(path)

    def inside(self, event: Event, offset: int) -> tuple[int, int]:
        """Line and column of a character of a value; the text before the value is not searched again."""
        lines = self.text.count("\n", event.start, event.start + offset)
        if not lines:
            return event.line, event.column + offset
        return event.line + lines, offset - (self.text.rfind("\n", event.start, event.start + offset) - event.start)

    def tag(self, event: Event) -> None:
        written = event.tag.replace("tag:yaml.org,2002:", "!!")
        offset = self.text.rfind("!", 0, event.start + 1)
        while offset and self.text[offset - 1] not in " \t\n[{,":
            offset -= 1
        place = _place(self.text, offset)
        self.issues.append(Issue(self.shown, *place, "A010", f"the tag `{written}` has no meaning here", "remove it"))

    def issue(self, event: Event, code: str, message: str, hint: str = "", doubtful: KeyPath | None = None) -> None:
        self.issues.append(Issue(self.shown, event.line, event.column, code, message, hint))
        if doubtful is not None:
            self.doubtful.add(doubtful)

    def refuse(self, event: Event, code: str, message: str, hint: str = "") -> _RefusedError:
        return _RefusedError(Issue(self.shown, event.line, event.column, code, message, hint))

    def too_many(self, event: Event) -> _RefusedError:
        return self.refuse(event, "A011", f"the file holds more than {MAX_VALUES:,} values, aliases included", FEWER)


# Cached, as entries have the same keys.
@lru_cache(maxsize=4096)
def _is_sound_key(text: str) -> bool:
    """Whether nothing is to be said of a key without quotes."""
    odd = not text or text == "<<" or _NEEDS_QUOTES.search(text) or _ODD_SPACE.search(text)
    return not odd and plain(text) == (text, None)
