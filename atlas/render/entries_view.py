"""The reference of entries as a page: every key of every kind of file, with what it means and what its value may be.

All of it comes from the schema classes that check the files, and the examples are files that `atlas init` writes.
"""

from __future__ import annotations

import re
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic.fields import FieldInfo

from atlas.entries.base import Form, Record
from atlas.entries.descriptions import descriptions
from atlas.entries.schemas import GLOBS, KINDS
from atlas.markup.code import CodeLine, excerpt, highlight
from atlas.render.issue_codes_view import Words, words
from atlas.scaffold.starter import starter_entries

EXAMPLES: Mapping[str, str] = types.MappingProxyType(
    {
        "component": "content/miniature/layers/layer-norm.yml",
        "model": "content/miniature/model.yml",
        "library": "content/chainer/library.yml",
        "source": "sources/chainer.yml",
    }
)
"""A file of each kind in the atlas that `atlas init` writes; tests check it all the time."""

_VOWELS = ("a", "A", "e", "i", "o", "ups")
"""How a noun begins that "an" stands before, among those that the schemas have."""
_LARGE = 9_999
"""Above it the digits of a number are grouped; years are not."""
_PLAIN: Mapping[object, str] = types.MappingProxyType(
    {str: "a text", int: "a whole number", float: "a number", bool: "true or false", Any: "any value"}
)


@dataclass(frozen=True, slots=True)
class TypePart:
    """A piece of what a value may be."""

    text: str
    """The words."""
    anchor: str = ""
    """The record that they name, as an anchor of the page; empty where they name none."""
    is_code: bool = False
    """Whether it is written just so."""


@dataclass(frozen=True, slots=True)
class EntryKey:
    """One key of a record."""

    name: str
    """The key."""
    anchor: str
    """Its anchor."""
    type: tuple[TypePart, ...]
    """What its value may be."""
    is_needed: bool
    """Whether it may not be left out."""
    default: str
    """What holds where it is left out, as YAML writes it; empty where that is nothing."""
    meaning: Words
    """What it means."""


@dataclass(frozen=True, slots=True)
class EntryRecord:
    """A kind of file, or of a mapping within files."""

    title: str
    """Its name."""
    anchor: str
    """Its anchor."""
    meaning: Words
    """What it is."""
    keys: tuple[EntryKey, ...]
    """Its keys in the order of the schema."""
    used: tuple[tuple[str, str], ...]
    """For a mapping within files: the keys that hold it, as `record.key`, each with its anchor."""
    files: str
    """For a kind of file: where its files are, as a pattern; else empty."""
    example_path: str
    """For a kind of file: which file of a new atlas is the example; else empty."""
    example: tuple[CodeLine, ...]
    """The lines of that file; none for a mapping within files."""


@dataclass(frozen=True, slots=True)
class EntriesView:
    """The page."""

    kinds: tuple[EntryRecord, ...]
    """The kinds of files."""
    parts: tuple[EntryRecord, ...]
    """The mappings within them, in the order in which they are first met."""


def entries_view() -> EntriesView:
    """The page of all keys."""
    anchors: dict[type[Record], str] = {schema: kind for kind, schema in KINDS.items()}
    used: dict[type[Record], list[tuple[str, str]]] = {}
    waiting = list(KINDS.values())
    for schema in waiting:  # grows while it is gone through
        for name, _, hint, _ in _fields(schema):
            for inner in _records(hint):
                if inner not in anchors:
                    anchors[inner] = _title(inner).replace(" ", "-").lower()
                    waiting.append(inner)
                of = (f"{_shown(schema, anchors)}.{name}", f"{anchors[schema]}-{name}")
                if of not in used.setdefault(inner, []):
                    used[inner].append(of)
    make = partial(_record, anchors=anchors, used=used)
    starter = starter_entries()
    kinds = tuple(make(schema, kind=kind, text=starter[EXAMPLES[kind]]) for kind, schema in KINDS.items())
    return EntriesView(kinds, tuple(make(schema) for schema in waiting[len(KINDS) :]))


def _record(
    schema: type[Record],
    *,
    anchors: Mapping[type[Record], str],
    used: Mapping[type[Record], list[tuple[str, str]]],
    kind: str = "",
    text: str = "",
) -> EntryRecord:
    anchor, shown = anchors[schema], _shown(schema, anchors)
    keys = tuple(
        EntryKey(
            name,
            f"{anchor}-{name}",
            tuple(_type(hint, anchors)),
            field.is_required(),
            _default(field),
            words(text),
        )
        for name, field, hint, text in _fields(schema)
    )
    lines = highlight(text, "yaml")
    return EntryRecord(
        shown[0].upper() + shown[1:],
        anchor,
        words((schema.__doc__ or "").partition("\n\n")[0]),
        keys,
        tuple(used.get(schema, ())),
        GLOBS.get(kind, ""),
        EXAMPLES.get(kind, ""),
        excerpt(lines, 1, len(lines)) if text else (),
    )


def _fields(schema: type[Record]) -> Iterator[tuple[str, FieldInfo, object, str]]:
    """Each key as files write it, its field, its type with all that is annotated, and what is said of it."""
    hints, said = get_type_hints(schema, include_extras=True), descriptions(schema)
    for name, field in schema.model_fields.items():
        yield field.alias or name, field, hints[name], said.get(name, "")


def _records(hint: object) -> Iterator[type[Record]]:
    """The schema classes that a type holds."""
    if isinstance(hint, type) and issubclass(hint, Record):
        yield hint
    for part in get_args(hint) if get_origin(hint) is not Literal else ():
        yield from _records(part)


def _type(hint: Any, anchors: Mapping[type[Record], str], some: str = "") -> Iterator[TypePart]:
    """What a value may be, in words; `some` says how many items a list or mapping has."""
    arguments, origin = get_args(hint), get_origin(hint)
    if origin is None:
        yield from _plain(hint, anchors)
    elif origin is Annotated:
        yield from _annotated(arguments[0], arguments[1:], anchors)
    elif origin is Literal:
        yield from _joined([iter([TypePart(str(one), is_code=True)]) for one in arguments])
    elif origin in (Union, types.UnionType):
        # A whole number is a number; what may be null may be left out, which is said elsewhere.
        several = [one for one in arguments if one is not type(None) and not (one is int and float in arguments)]
        yield from _joined([_type(one, anchors) for one in several])
    elif origin is tuple:
        yield TypePart(f"a list{some}, each item " if arguments[-1] is Ellipsis else "a list of two, each item ")
        yield from _type(arguments[0], anchors)
    else:
        yield TypePart(f"a mapping{some}, each key ")
        yield from _type(arguments[0], anchors)
        yield TypePart(", each value ")
        yield from _type(arguments[1], anchors)


def _plain(hint: Any, anchors: Mapping[type[Record], str]) -> Iterator[TypePart]:
    if hint not in anchors:
        yield TypePart(_PLAIN[hint])
        return
    shown = _shown(hint, anchors)
    yield TypePart("an " if shown.startswith(_VOWELS) else "a ")
    yield TypePart(shown, anchors[hint])


def _joined(several: list[Iterator[TypePart]]) -> Iterator[TypePart]:
    for number, parts in enumerate(several):
        if number:
            yield TypePart(" or ")
        yield from parts


def _annotated(base: Any, metadata: tuple[object, ...], anchors: Mapping[type[Record], str]) -> Iterator[TypePart]:
    """A type within limits; a form in words says more than the type of its text."""
    limits = [one for each in metadata if isinstance(each, FieldInfo) for one in each.metadata]
    form = next((one.words for one in metadata if isinstance(one, Form)), "")
    if form:
        noun = "a name " if form.startswith("made of") else ""
        yield from (TypePart(text, is_code=is_code) for text, is_code in words(f"{noun}{form}"))
    else:
        yield from _type(base, anchors, " of at least one" if _limit(limits, "min_length") else "")
    least, most = _limit(limits, "ge"), _limit(limits, "le")
    if least is not None and most is not None:
        yield TypePart(f" from {least} to {most:,}" if most > _LARGE else f" from {least} to {most}")


def _limit(limits: list[Any], name: str) -> int | None:
    return next((value for one in limits if (value := getattr(one, name, None)) is not None), None)


def _default(field: FieldInfo) -> str:
    """What holds where a key is left out, if that is something."""
    if field.is_required() or field.default_factory is not None or field.default in (None, ()):
        return ""
    return str(field.default).lower() if isinstance(field.default, bool) else str(field.default)


def _shown(schema: type[Record], anchors: Mapping[type[Record], str]) -> str:
    """What a record is called: a kind of file by its kind, any other by its class."""
    return anchors[schema] if anchors[schema] in KINDS else _title(schema)


def _title(schema: type[Record]) -> str:
    """The words in the name of a class."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", schema.__name__).lower().replace("api", "API")
