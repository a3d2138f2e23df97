"""An entry that inherits → its document with the fields of the other; each value keeps its own place.

A field that the entry states itself replaces the inherited one as a whole.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from typing import Protocol

from atlas.entries.tree import Document
from atlas.entries.validate import place
from atlas.issues import Issue

MAX_CHAIN = 20
"""Over how many entries a field may be inherited."""


OWN = ("formerly",)
"""Fields that say something of one entry only, and are not inherited."""


def candidates(name: str, parent: str) -> tuple[str, ...]:
    """The entries that `parent` may mean in the entry `name`: in its folder, in its collection, or by whole path."""
    return f"{name.rpartition('/')[0]}/{parent}", f"{name.partition('/')[0]}/{parent}", parent


class Names(Protocol):
    """The entries that there are."""

    def is_entry(self, name: str) -> bool:
        """Whether there is an entry of that name."""

    def entries(self) -> Iterator[str]:
        """The names of all entries."""


class Inheritance:
    """The documents of some entries, merged on demand; issues are collected once each.

    What is found of an entry follows from its chain alone, so that it is the same whichever other entries are merged.
    """

    def __init__(self, document: Callable[[str], Document | None], names: Names) -> None:
        self.document = document
        self.names = names
        self.asked: set[str] = set()
        """The names of which it was asked whether they are entries."""
        self.issues: list[Issue] = []

    def merged(self, name: str, heirs: tuple[str, ...] = ()) -> Document | None:
        """The document of an entry with what it inherits; None where its own file cannot be read."""
        document = self.document(name)
        parent = document.value.get("inherits") if document is not None else None
        if document is None or not isinstance(parent, str):
            return document
        target = self._target(name, parent)
        if target is None:
            self._report(document, "A110", f"there is no entry {parent}", self._nearest(name, parent))
            return document
        chain = (*heirs, name)
        if target in chain:
            self._report_circle(chain[chain.index(target) :])
            return document
        if len(chain) > MAX_CHAIN:
            self._report(
                document, "A111", f"more than {MAX_CHAIN} entries inherit one from another", "inherit from the first"
            )
            return document
        inherited = self.merged(target, chain)
        return document if inherited is None else _merge(inherited, document)

    def _target(self, name: str, parent: str) -> str | None:
        """The entry meant."""
        for candidate in candidates(name, parent):
            self.asked.add(candidate)
            if self.names.is_entry(candidate):
                return candidate
        return None

    def _nearest(self, name: str, parent: str) -> str:
        others = {other: other for other in self.names.entries() if other != name}
        tails = {other.rpartition("/")[2]: other for other in others}
        near = difflib.get_close_matches(parent, [*others, *tails], n=1)
        return f"did you mean `{near[0]}`?" if near else ""

    def _report_circle(self, circle: tuple[str, ...]) -> None:
        """Report a circle at the entry that closes it, wherever it was entered."""
        first = circle.index(min(circle, key=lambda name: name.split("/")))
        turned = (*circle[first:], *circle[:first])
        document = self.document(turned[-1])
        if document is not None:
            message = f"entries inherit in a circle: {' → '.join((*turned, turned[0]))}"
            self._report(document, "A111", message, "state the fields in one of them")

    def _report(self, document: Document, code: str, message: str, hint: str) -> None:
        mark = place(document, ("inherits",))
        issue = Issue(mark.path, mark.line, mark.column, code, message, hint)
        if issue not in self.issues:
            self.issues.append(issue)


def _merge(inherited: Document, own: Document) -> Document:
    kept = [key for key in inherited.value if key not in own.value and key not in OWN]
    value = {**{key: inherited.value[key] for key in kept}, **own.value}
    marks = {path: mark for path, mark in inherited.marks.items() if path and path[0] in kept}
    key_marks = {path: mark for path, mark in inherited.key_marks.items() if path[0] in kept}
    doubtful = {path for path in inherited.doubtful if not path or path[0] in kept}
    return Document(
        own.path,
        {**inherited.texts, **own.texts},
        value,
        {**marks, **own.marks},
        {**key_marks, **own.key_marks},
        own.doubtful | doubtful,
    )
