"""A document → one typed record, or issues at the lines that are at fault.

pydantic decides what is valid; this file turns what it finds into messages for someone who writes YAML.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from types import UnionType
from typing import TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

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


def validate(document: Document, schema: type[R]) -> tuple[R | None, list[Issue]]:
    """Check a document against its schema."""
    return validate_value(document.value, document, schema)


def validate_value(value: Mapping[str, Value], document: Document, schema: type[R]) -> tuple[R | None, list[Issue]]:
    """Check a value whose places are those of a document (a document merged from several has the places of each)."""
    try:
        return schema.model_validate(value), []
    except ValidationError as error:
        return None, _issues(error, document, schema)


def place(document: Document, path: KeyPath) -> Mark:
    """Where the value with this key path stands, or the nearest enclosing value that stands in the file."""
    while path and path not in document.marks:
        path = path[:-1]
    return document.marks[path]


def place_of_key(document: Document, path: KeyPath) -> Mark:
    """Where the key of this value stands; for an item of a list, the item itself."""
    return document.key_marks.get(path) or place(document, path)


def _issues(error: ValidationError, document: Document, schema: type[BaseModel]) -> list[Issue]:
    unions: dict[KeyPath, list[str]] = {}
    issues: list[Issue] = []
    for detail in error.errors(include_url=False):
        path, branch = _path(detail["loc"], document)
        if branch and detail["type"] in _WANTED:
            unions.setdefault(path, []).append(_WANTED[detail["type"]])
            continue
        issues.append(_issue(detail, path, document, schema))
    reported = {(issue.line, issue.column) for issue in issues}
    for path, wanted in unions.items():
        mark = place(document, path)
        if (mark.line, mark.column) not in reported:
            choices = " or ".join(dict.fromkeys(wanted))
            message = f"{_named(path)} must be {choices}, but is {_shown(value_at(document.value, path))}"
            issues.append(Issue(mark.path, mark.line, mark.column, "A103", message))
    return issues


def _path(location: tuple[int | str, ...], document: Document) -> tuple[KeyPath, bool]:
    """The key path of an error's location, and whether the location goes on into a branch of a union."""
    path: KeyPath = ()
    for key in location:
        if (*path, key) not in document.marks:
            known_parent = isinstance(value_at(document.value, path), (Mapping, tuple))
            return ((*path, key), False) if known_parent and key not in ("[key]",) else (path, key != "[key]")
        path = (*path, key)
    return path, False


def _issue(detail: ErrorDetails, path: KeyPath, document: Document, schema: type[BaseModel]) -> Issue:
    kind, context = detail["type"], detail.get("ctx", {})
    value = value_at(document.value, path)
    if kind == "extra_forbidden":
        mark = place_of_key(document, path)
        known = _fields(schema, path[:-1])
        near = difflib.get_close_matches(str(path[-1]), known, n=1, cutoff=0.6)
        hint = f"did you mean `{near[0]}`?" if near else f"known keys: {', '.join(known)}"
        return Issue(mark.path, mark.line, mark.column, "A101", f"unknown key `{path[-1]}`", hint)
    if kind == "missing":
        mark = place_of_key(document, path[:-1]) if len(path) > 1 else place(document, ())
        where = f" in {_named(path[:-1])}" if len(path) > 1 else ""
        return Issue(mark.path, mark.line, mark.column, "A102", f"the key `{path[-1]}` is missing{where}")
    in_key = "[key]" in detail["loc"]
    mark = place_of_key(document, path) if in_key else place(document, path)
    subject = f"the key `{path[-1]}`" if in_key else _named(path)
    if kind in _WANTED:
        message = f"{subject} must be {_WANTED[kind]}, but is {_shown(value)}"
        return Issue(mark.path, mark.line, mark.column, "A103", message, _type_hint(_WANTED[kind], value))
    return Issue(
        mark.path, mark.line, mark.column, "A104", f"{subject}: {_reason(kind, context, value, detail['msg'])}"
    )


def _reason(kind: str, context: Mapping[str, object], value: Found, message: str) -> str:
    shown = _shown(value)
    if kind == "value_error":
        return str(context.get("error", message))
    if kind == "string_pattern_mismatch":
        return f"{shown} does not have the form {context.get('pattern')}"
    if kind == "literal_error":
        return f"{shown} is not one of {context.get('expected')}"
    if kind in ("string_too_short", "too_short"):
        return "it is empty"
    return f"{message[:1].lower()}{message[1:]} (found {shown})"


def _type_hint(wanted: str, value: Found) -> str:
    if wanted == "a text" and isinstance(value, (int, float)):
        return "quote it"
    if isinstance(value, str) and _is_number(value) and wanted in ("a number", "a whole number"):
        return f"remove the quotes: {value}"
    return ""


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _fields(schema: type[BaseModel], path: KeyPath) -> list[str]:
    """The keys that the record at this path may have, in the order in which the schema lists them."""
    annotation: object = schema
    for key in path:
        annotation = _inner(annotation, key)
    record = _record(annotation)
    return [] if record is None else [field.alias or name for name, field in record.model_fields.items()]


def _inner(annotation: object, key: Key) -> object:
    """The annotation of what stands under a key: a record's field, or the values of a mapping or list."""
    record = _record(annotation)
    if record is not None:
        fields = {field.alias or name: field.annotation for name, field in record.model_fields.items()}
        return fields.get(str(key))
    container = next(
        (part for part in (annotation, *get_args(annotation)) if get_origin(part) in (Mapping, tuple)), None
    )
    values = [part for part in get_args(container) if part is not Ellipsis]
    return values[-1] if values else None


def _record(annotation: object) -> type[BaseModel] | None:
    """The record class of an annotation such as `Api` or `Api | None`."""
    choices = (annotation, *get_args(annotation)) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    return next((part for part in choices if isinstance(part, type) and issubclass(part, BaseModel)), None)


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


def _shown(value: Found) -> str:
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
    return f"the number {value}"
