"""A whole upstream model as a short program of calls, which content states as plain data: no model is known here.

The calls reach the pinned files' own functions and classes; what is between them (how layers follow each other, what is
shared, what is named how) is upstream's code, not the program's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

Argument: TypeAlias = str | int | float | bool | Sequence["Argument"] | Mapping[str, "Argument"] | None
"""What a step passes: a text is a reference; numbers, true, false and null are themselves; lists and mappings become a
list and a dict of such.

A reference is the name of an input, a size, a constant or an earlier result, and may go on with `.part` for an
attribute, a key or a list's number: `hparams.hidden_size`, `logits.0`."""
Plain: TypeAlias = str | int | float | bool | list["Plain"] | dict[str, "Plain"] | None
"""A value without arrays."""

_NOTHING: Mapping[str, Argument] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Step:
    """One call."""

    call: str
    """The function or class that `file` defines, or the method of `on`."""
    file: str | None = None
    """The path of the file that defines it; None with `on`."""
    on: str | None = None
    """A reference to the object whose method is called; None with `file`."""
    passes: Mapping[str, Argument] = field(default_factory=lambda: _NOTHING)
    """Upstream argument → what it is given."""
    sets: Mapping[str, Argument] = field(default_factory=lambda: _NOTHING)
    """Attribute of the result → the value that it is set to afterwards; it must exist already."""
    gives: str | Sequence[str] = ()
    """The name of the result, or names for the members of a list or tuple."""


@dataclass(frozen=True, slots=True)
class Program:
    """Which calls make a model, and what of them is looked at."""

    facade: str
    """The library whose calls the files make; a key of FACADES."""
    steps: Sequence[Step]
    """The calls, in order."""
    constants: Mapping[str, Plain] = field(default_factory=lambda: MappingProxyType({}))
    """Name → a value to refer to, such as a text, which an argument cannot be."""
    loads: Mapping[str, Sequence[str]] = field(default_factory=lambda: MappingProxyType({}))
    """Path → what it defines that no file imports: upstream finds it because its decorator registered it."""
    watches: Mapping[str, Sequence[str]] = field(default_factory=lambda: MappingProxyType({}))
    """Path → functions, and methods as `Class.method`, whose results are kept as `ProgramRun.values`."""
    outputs: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Name → a reference to a tensor of the end."""
    settings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Name → a reference to a number, a text or the like, such as a hyperparameter that upstream code chose."""
