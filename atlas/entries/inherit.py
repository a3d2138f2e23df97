"""An entry that inherits → its document with the fields of the other; each value keeps its own place.

A field that the entry states itself replaces the inherited one as a whole.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping

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


class Inheritance:
    """The documents of one run, merged on demand; issues are collected once each."""

    def __init__(self, documents: Mapping[str, Document], names: Collection[str], not_entries: Collection[str]) -> None:
        self.documents = documents
        # A mapping to nothing is a set that keeps its order, in which the nearest name is looked for.
        self.names = dict.fromkeys(name for name in names if name.partition("/")[2] not in not_entries)
        self.issues: list[Issue] = []
        self.circles: set[frozenset[str]] = set()

    def merged(self, name: str, heirs: tuple[str, ...] = ()) -> Document | None:
        """The document of an entry with what it inherits; None where its own file cannot be read."""
        document = self.documents.get(name)
        parent = document.value.get("inherits") if document is not None else None
        if document is None or not isinstance(parent, str):
            return document
        target = self._target(name, parent)
        if target is None:
            self._report(document, "A110", f"there is no entry {parent}", self._nearest(name, parent))
            return document
        chain = (*heirs, name)
        if target in chain:
            circle = chain[chain.index(target) :]
            if frozenset(circle) not in self.circles:
                self.circles.add(frozenset(circle))
                message = f"entries inherit in a circle: {' → '.join((*circle, target))}"
                self._report(document, "A111", message, "state the fields in one of them")
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
        return next((candidate for candidate in candidates(name, parent) if candidate in self.names), None)

    def _nearest(self, name: str, parent: str) -> str:
        others = {other: other for other in self.names if other != name}
        tails = {other.rpartition("/")[2]: other for other in others}
        near = difflib.get_close_matches(parent, [*others, *tails], n=1)
        return f"did you mean `{near[0]}`?" if near else ""

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
