"""A document → one typed record, or issues at the lines that are at fault.

pydantic decides what is valid; this file turns what it finds into messages for someone who writes YAML.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from atlas.entries import repairs
from atlas.entries.base import Form, MisfitError
from atlas.entries.number_formats import number_format
from atlas.entries.tree import Document, Key, KeyPath, Mark, Value
from atlas.issues import Issue

R = TypeVar("R", bound=BaseModel)
Found = Value | Mapping[str, Value]

_WANTED = {
    "string_type": "a text",
    "float_type": "a number",
    "int_type": "a whole number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "mapping_type": "a mapping",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}
_AS_WRITTEN = re.compile(r"[^\s,\]}]+")


def validate(document: Document, schema: type[R], *, inherits: bool = False) -> tuple[R | None, list[Issue]]:
    """Check a document against its schema; what follows from values that are doubtful already is not reported.

    A key that is missing where another entry is inherited is missing there too, and is reported there.
    """
    try:
        return schema.model_validate(document.value), []
    except ValidationError as error:
        return None, _issues(error, document, schema, inherits)


def place(document: Document, path: KeyPath) -> Mark:
    """Where the value with this key path stands, or the nearest enclosing value that stands in the file."""
    while path and path not in document.marks:
        path = path[:-1]
    return document.marks[path]


def place_of_key(document: Document, path: KeyPath) -> Mark:
    """Where the key of this value stands; for an item of a list, the item itself."""
    return document.key_marks.get(path) or place(document, path)


@dataclass(frozen=True, slots=True)
class _Fault:
    """One of pydantic's errors with what it concerns."""

    detail: ErrorDetails
    """The error."""
    path: KeyPath
    """The key path of the value, or of the key that is unknown or missing."""
    about_key: bool
    """Whether the key is at fault, not its value."""
    tried: Mapping[KeyPath, Key]
    """For each union on the way to the value: pydantic's location of it, and the branch that it tried."""
    annotation: object
    """What the schema wants there."""

    @property
    def kind(self) -> str:
        """Pydantic's name of the error."""
        return self.detail["type"]

    @property
    def is_kind_alone(self) -> bool:
        """Whether all that is wrong is that the value is not of this kind, though it may be of another."""
        location = self.detail["loc"]
        return self.kind in _WANTED and bool(location) and location[:-1] in self.tried


def _is_below(path: KeyPath, outer: KeyPath) -> bool:
    return len(path) > len(outer) and path[: len(outer)] == outer


def _issues(error: ValidationError, document: Document, schema: type[BaseModel], inherits: bool) -> list[Issue]:
    faults = [_fault(detail, schema) for detail in error.errors(include_url=False)]
    faults = [fault for fault in faults if not _is_doubtful(fault.path, document)]
    faults = [fault for fault in faults if not (inherits and fault.kind == "missing" and len(fault.path) == 1)]
    deeper = [fault.path for fault in faults if fault.kind != "too_short"]
    faults = [one for one in faults if one.kind != "too_short" or not any(_is_below(path, one.path) for path in deeper)]
    faults = list(_of_the_kind_that_is_meant(faults))
    unknown = [_unknown_key(fault, document, schema) for fault in faults if fault.kind == "extra_forbidden"]
    meant = {path for path, _ in unknown}
    issues = [issue for _, issue in unknown]
    unions: dict[KeyPath, list[_Fault]] = {}
    for fault in faults:
        if fault.kind == "extra_forbidden" or (fault.kind == "missing" and fault.path in meant):
            continue
        if fault.is_kind_alone:
            unions.setdefault(fault.path, []).append(fault)
        elif fault.kind == "missing":
            issues.append(_missing_key(fault.path, document, schema))
        else:
            issues.append(_wrong_value(fault, document, schema))
    for several in unions.values():
        *others, last = dict.fromkeys(_WANTED[fault.kind] for fault in several)
        wanted = f"{', '.join(others)} or {last}" if others else last
        issues.append(_wrong_type(several[0], wanted, document, schema))
    return issues


def _of_the_kind_that_is_meant(faults: list[_Fault]) -> Iterator[_Fault]:
    """Where a value may be of several kinds and is of one of them, what is wrong with it as that kind alone."""
    meant: dict[KeyPath, Key] = {}
    for fault in faults:
        for union, branch in fault.tried.items():
            if not (fault.is_kind_alone and _same_value(fault, union)):
                meant.setdefault(union, branch)
    for fault in faults:
        if all(meant.get(union, branch) == branch for union, branch in fault.tried.items()):
            yield fault


def _same_value(fault: _Fault, union: KeyPath) -> bool:
    """Whether the value at fault is the union's own, and not one within it."""
    return all(fault.detail["loc"][:length] in fault.tried for length in range(len(union), len(fault.detail["loc"])))


def _is_doubtful(path: KeyPath, document: Document) -> bool:
    return any(path[:length] in document.doubtful for length in range(len(path) + 1))


def _fault(detail: ErrorDetails, schema: type[BaseModel]) -> _Fault:
    """The error with its key path: pydantic's locations name the branches of unions too, key paths do not."""
    path: KeyPath = ()
    annotation: object = schema
    tried: dict[KeyPath, Key] = {}
    for index, key in enumerate(detail["loc"]):
        branches = _branches(annotation)
        if key == "[key]":
            return _Fault(detail, path, True, tried, _key_annotation(schema, path[:-1]))
        if len(branches) > 1:
            tried[detail["loc"][:index]] = key
            annotation = _branch(branches, str(key))
        else:
            path, annotation = (*path, key), _inner(annotation, key)
    return _Fault(detail, path, False, tried, annotation)


def _branches(annotation: object) -> list[object]:
    """The kinds of value that an annotation admits, each with what is annotated to it."""
    if get_origin(annotation) is Annotated:
        inner = _branches(get_args(annotation)[0])
        return inner if len(inner) > 1 else [annotation]
    if get_origin(annotation) in (Union, UnionType):
        return [part for part in get_args(annotation) if part is not NoneType]
    return [annotation]


def _branch(branches: list[object], name: str) -> object:
    """The branch that pydantic calls by this name."""
    for one in branches:
        record = _record(one)
        if name == record.__name__ if record is not None else name.startswith("tuple[") and _container(one) is not None:
            return one
    return next((one for one in branches if _record(one) is None and _container(one) is None), branches[0])


def _unknown_key(fault: _Fault, document: Document, schema: type[BaseModel]) -> tuple[KeyPath, Issue]:
    """The key path that was meant, as far as it can be told, and the issue."""
    mark = place_of_key(document, fault.path)
    name = str(fault.path[-1])
    known = _fields(schema, fault.path[:-1])
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    hint = f"did you mean `{near[0]}`?" if near else f"known keys: {', '.join(known)}"
    issue = Issue(mark.path, mark.line, mark.column, "A101", f"unknown key `{name}`", hint)
    return (*fault.path[:-1], near[0] if near else name), issue


def _missing_key(path: KeyPath, document: Document, schema: type[BaseModel]) -> Issue:
    mark = place_of_key(document, path[:-1]) if len(path) > 1 else place(document, ())
    where = f" in {_named(path[:-1])}" if len(path) > 1 else ""
    about = repairs.about(_record(_annotation(schema, path[:-1])), str(path[-1]))
    hint = f"add `{path[-1]}: ...`" + (f": {about[:1].lower()}{about[1:]}" if about else "")
    return Issue(mark.path, mark.line, mark.column, "A102", f"the key `{path[-1]}` is missing{where}", hint)


def _wrong_value(fault: _Fault, document: Document, schema: type[BaseModel]) -> Issue:
    path = fault.path
    if fault.kind in _WANTED and not fault.about_key:
        return _wrong_type(fault, _WANTED[fault.kind], document, schema)
    mark = place_of_key(document, path) if fault.about_key else place(document, path)
    subject = f"the key `{path[-1]}`" if fault.about_key else _named(path)
    shown = f"`{path[-1]}`" if fault.about_key else _shown(document, path)
    error = fault.detail.get("ctx", {}).get("error")
    reason, advice = (error.fact, error.advice) if isinstance(error, MisfitError) else (_reason(fault, shown), "")
    hint = _value_hint(fault, path[-1] if fault.about_key else value_at(document.value, path), schema) or advice
    return Issue(mark.path, mark.line, mark.column, "A104", f"{subject}: {reason}", hint)


def _value_hint(fault: _Fault, value: Found, schema: type[BaseModel]) -> str:
    """What to write for a value that its key does not admit."""
    if fault.kind in ("string_too_short", "too_short"):
        return _what_belongs(fault.path, schema)
    if fault.kind == "literal_error" and isinstance(value, str):
        known = re.findall(r"'([^']*)'", str(fault.detail.get("ctx", {}).get("expected")))
        meant = number_format(value)
        near = [meant] if meant in known else difflib.get_close_matches(value.lower(), known, n=1)
        return f"did you mean `{near[0]}`?" if near else "write one of these"
    if fault.annotation is None:
        return ""
    if isinstance(fault.path[-1], int) and (items := repairs.several(fault.annotation, value)):
        return f"put commas between the items: {items}"
    text = repairs.repair(fault.annotation, value)
    return f"write `{text}`" if text else ""


def _what_belongs(path: KeyPath, schema: type[BaseModel]) -> str:
    """What the schema says about a key whose value is missing."""
    about = repairs.about(_record(_annotation(schema, path[:-1])), str(path[-1])) if path else ""
    return f"what belongs there: {about[:1].lower()}{about[1:]}" if about else ""


def _wrong_type(fault: _Fault, wanted: str, document: Document, schema: type[BaseModel]) -> Issue:
    path = fault.path
    mark = place(document, path)
    message = f"{_named(path)} must be {wanted}, but is {_shown(document, path)}"
    return Issue(mark.path, mark.line, mark.column, "A103", message, _type_hint(wanted, document, path, schema))


def _reason(fault: _Fault, shown: str) -> str:
    context, message = fault.detail.get("ctx", {}), fault.detail["msg"]
    if fault.kind == "value_error":
        return str(context.get("error", message))
    if fault.kind == "string_pattern_mismatch":
        words = _form(fault.annotation)
        return f"{shown} is not {words}" if words else f"{shown} does not have the form {context.get('pattern')}"
    if fault.kind == "literal_error":
        return f"{shown} is not one of {context.get('expected')}"
    if fault.kind in ("string_too_short", "too_short"):
        return "it is empty"
    return f"{message[:1].lower()}{message[1:]} (found {shown})"


def _type_hint(wanted: str, document: Document, path: KeyPath, schema: type[BaseModel]) -> str:
    value = value_at(document.value, path)
    if value is None and _begins_with(document, path, "#"):
        return "a text that begins with # must be quoted"
    if value is None:
        return _what_belongs(path, schema) or repairs.form(wanted)
    if "a text" in wanted and isinstance(value, (int, float)):
        return "quote it"
    if wanted == "a text" and (_begins_with(document, path, "{") or _begins_with(document, path, "[")):
        return "quote a text that begins with a bracket"
    if path[-1:] == ("lines",) and isinstance(value, tuple) and len(value) == 2:
        return f"write `{value[0]}-{value[1]}`"
    if isinstance(value, str) and is_number(value) and wanted in ("a number", "a whole number"):
        return f"remove the quotes: {value}"
    if "a whole number" in wanted and (number := repairs.number(value)):
        return f"write {number}"
    return _kind_hint(wanted, value, repairs.only_key(_record(_annotation(schema, path))))


def _kind_hint(wanted: str, value: Found, key: str) -> str:
    """How a value of the wanted kind is written; `key` is the one that a mapping needs, where there is one alone."""
    if wanted == "true or false":
        return f"remove the quotes: {truth}" if (truth := repairs.truth(value)) else repairs.form(wanted)
    if "a list" in wanted and "number" not in wanted and isinstance(value, str):
        return f"write it in brackets: [{value.strip('()')}]"
    if "a list" in wanted and isinstance(value, Mapping):
        return "begin each item with `- `, or write the items in [ ]"
    if "a mapping" in wanted and isinstance(value, tuple):
        return "write `key: value` lines without dashes, or {key: value}"
    return f"write {{{key}: {value}}}" if "a mapping" in wanted and key else repairs.form(wanted)


def _begins_with(document: Document, path: KeyPath, char: str) -> bool:
    """Whether what stands at the value's place, after white space, begins with a character."""
    mark = place(document, path)
    lines = document.texts[mark.path].split("\n")
    return mark.line <= len(lines) and lines[mark.line - 1][mark.column - 1 :].lstrip().startswith(char)


def is_number(text: str) -> bool:
    """Whether a text could be a number without its quotes."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _fields(schema: type[BaseModel], path: KeyPath) -> list[str]:
    """The keys that the record at this path may have, in the order in which the schema lists them."""
    record = _record(_annotation(schema, path))
    return [] if record is None else [field.alias or name for name, field in record.model_fields.items()]


def _annotation(schema: type[BaseModel], path: KeyPath) -> object:
    annotation: object = schema
    for key in path:
        annotation = _inner(annotation, key)
    return annotation


def _inner(annotation: object, key: Key) -> object:
    """The annotation of what stands under a key: a record's field, or the values of a mapping or list."""
    record = _record(annotation)
    if record is not None:
        for name, field in record.model_fields.items():
            if key == (field.alias or name):
                # pydantic takes the outermost Annotated apart; what it says is needed again.
                return Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation
        return None
    values = [part for part in get_args(_container(annotation)) if part is not Ellipsis]
    return values[-1] if values else None


def _key_annotation(schema: type[BaseModel], path: KeyPath) -> object:
    """The annotation of the keys of the mapping at this path."""
    return next(iter(get_args(_container(_annotation(schema, path)))), None)


def _parts(annotation: object) -> list[object]:
    """The annotation without what is annotated to it, and those of a union's branches."""
    if get_origin(annotation) is Annotated:
        return _parts(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return [part for branch in get_args(annotation) for part in _parts(branch)]
    return [annotation]


def _container(annotation: object) -> object:
    """The mapping or list that an annotation admits."""
    return next((part for part in _parts(annotation) if get_origin(part) in (Mapping, tuple)), None)


def _record(annotation: object) -> type[BaseModel] | None:
    """The record class that an annotation such as `Api` or `Api | None` admits."""
    return next((part for part in _parts(annotation) if isinstance(part, type) and issubclass(part, BaseModel)), None)


def _form(annotation: object) -> str:
    """What a text must look like, in words, where the schema says it."""
    arguments = get_args(annotation)
    found = next((part.words for part in arguments if isinstance(part, Form)), "")
    return found or next((words for part in arguments if (words := _form(part))), "")


def value_at(value: Found, path: KeyPath) -> Found:
    """The value with this key path, or None where there is none."""
    current = value
    for key in path:
        if isinstance(current, Mapping):
            current = current.get(str(key))
        elif isinstance(current, tuple) and isinstance(key, int) and key < len(current):
            current = current[key]
        else:
            return None
    return current


def _named(path: KeyPath) -> str:
    return "`" + ".".join(_part(key) for key in path) + "`" if path else "the file"


def _part(key: Key) -> str:
    return str(key + 1) if isinstance(key, int) else key


def _shown(document: Document, path: KeyPath) -> str:
    value = value_at(document.value, path)
    if value is None:
        return "empty"
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, tuple):
        return "a list"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, str):
        return f"the text '{value if len(value) <= 60 else value[:57] + '…'}'"
    return f"the number {_number_as_written(document, path) or value}"


def _number_as_written(document: Document, path: KeyPath) -> str:
    mark = place(document, path)
    line = document.texts[mark.path].split("\n")[mark.line - 1]
    match = _AS_WRITTEN.match(line, mark.column - 1)
    return match[0] if match and not match[0].startswith("*") else ""
