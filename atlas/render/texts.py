"""Where the texts of what was gathered are: in a file of this build, or kept; they are read when they are written.

Texts that lie together are read together, and those that were read last are still at hand for the next one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from atlas.kept import Kept, key_of
from atlas.render.made import Text, read_links, read_text
from atlas.render.site import Heading, PageStore, StoredBody


class Texts:
    """The texts of collections or pieces, each by its name."""

    def __init__(self, kept: Kept, store: PageStore) -> None:
        self._kept = kept
        self._store = store
        self._read: dict[str, Callable[[], bytes]] = {}
        self._last: tuple[str, bytes] = ("", b"")

    def text(self, name: str, text: Text) -> str:
        """One text."""
        return read_text(self._data(name), text)

    def links(self, name: str, text: Text) -> frozenset[str]:
        """The links in one text."""
        return read_links(self._data(name), text) if text.linking else frozenset()

    def _data(self, name: str) -> bytes:
        if self._last[0] != name:
            self._last = name, self._read[name]()
        return self._last[1]

    def there(self, keys: Iterable[bytes]) -> set[bytes]:
        """Those of the keys by which what has texts is kept whose texts are kept too."""
        by_own = {texts_key(key): key for key in keys}
        return {by_own[own] for own in self._kept.holds(by_own)}

    def add_kept(self, name: str, key: bytes, again: Callable[[], bytes]) -> None:
        """Texts that are kept with what is kept by a key; `again` makes them where they are gone, or damaged."""
        own = texts_key(key)

        def read() -> bytes:
            found = self._kept.get([own])
            return found[own] if own in found else again()

        self._read[name] = read

    def add_new(self, name: str, data: bytes) -> None:
        """Texts that this build has made."""
        self.add_stored(name, self._store.keep_data(data))

    def add_stored(self, name: str, stored: StoredBody) -> None:
        """Texts that lie in a file of this build."""
        self._read[name] = stored.data


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the texts of one collection or piece."""

    texts: Texts
    """All texts."""
    name: str
    """Whose texts are read."""

    def text(self, text: Text) -> str:
        """One of them."""
        return self.texts.text(self.name, text)

    def links(self, text: Text) -> frozenset[str]:
        """The links in one of them."""
        return self.texts.links(self.name, text)

    def words(self, text: Text) -> frozenset[str]:
        """The words of one of them."""
        return frozenset(self.text(text).split(" "))

    def headings(self, text: Text) -> tuple[Heading, ...]:
        """One of them, which is a table of contents."""
        return tuple(Heading(*one) for one in json.loads(self.text(text)))


def texts_key(key: bytes) -> bytes:
    """By what the texts are kept of what is kept by a key."""
    return key_of("texts", key)
