"""Dataclasses of which a build reads thousands from what is kept: pickled as the values of their fields alone.

Python else writes down the state of each and puts it back field by field, which takes twice as long.
"""

from __future__ import annotations


class Packed:
    """What a frozen dataclass with slots, none of them inherited, is made of when it is read: its own arguments."""

    __slots__: tuple[str, ...] = ()

    def fields(self) -> tuple[object, ...]:
        """The values of its fields, in their order."""
        return tuple(getattr(self, name) for name in self.__slots__)

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), self.fields()
