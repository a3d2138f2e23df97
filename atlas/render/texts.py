"""Where the texts of what was gathered are: in a file of this build, or kept; they are read when they are written.

Texts that lie together are read together, and those that were read last are still at hand for the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from atlas.kept import Kept, key_of
from atlas.render.made import Text, read_text
from atlas.render.site import PageStore


class Texts:
    """The texts of collections or pieces, each by its name."""

    def __init__(self, kept: Kept, store: PageStore) -> None:
        self._kept = kept
        self._store = store
        self._read: dict[str, Callable[[], bytes]] = {}
        self._last: tuple[str, bytes] = ("", b"")

    def text(self, name: str, text: Text) -> str:
        """One text."""
        if self._last[0] != name:
            self._last = name, self._read[name]()
        return read_text(self._last[1], text)

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
        self._read[name] = self._store.keep_data(data).data


def texts_key(key: bytes) -> bytes:
    """By what the texts are kept of what is kept by a key."""
    return key_of("texts", key)
