"""Frozen dataclasses that are pickled as the values that they are made of.

Python pickles one with slots field by field and asks for the names of the fields each time, which takes longer than to
write them: what is found of an entry has hundreds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from operator import attrgetter
from typing import Any, TypeVar

Made = TypeVar("Made")


def pickled_as_made(kind: type[Made]) -> type[Made]:
    """The class, whose objects are pickled as a call of it with their values; nothing else may be set in them.

    Raises:
        TypeError: it is no dataclass, or is not made of the values of all its fields in their order.
    """
    found = fields(kind)  # type: ignore[arg-type]  # which refuses what is no dataclass
    if any(field.kw_only or not field.init for field in found):
        raise TypeError(f"{kind.__name__} is not made of the values of all its fields in their order")
    values = _getter(tuple(field.name for field in found))

    def reduced(self: Made) -> tuple[type[Made], tuple[Any, ...]]:
        return type(self), values(self)

    kind.__reduce__ = reduced  # type: ignore[method-assign, assignment]  # what all objects have, for this class
    return kind


def _getter(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """What gives the values of some attributes, however many."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda made: tuple(getattr(made, name) for name in names)
