"""What a schema class says of its fields: the docstring below each, for JSON Schemas, reference pages and hints.

The classes are imported by every build and few builds ask for a word of it, so the text is read where one does: to read
it as the classes are made takes longer than to make them.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler
from pydantic_core import CoreSchema


class Described(BaseModel):
    """A schema class whose JSON Schema describes each field by the docstring below it."""

    # What validates is made when a class is first used: every build imports all classes, and most use a few.
    model_config = ConfigDict(defer_build=True)

    @classmethod
    def model_json_schema(cls, *args: Any, **keywords: Any) -> dict[str, Any]:
        """The JSON Schema of such an object; the arguments are pydantic's."""
        schema = super().model_json_schema(*args, **keywords)
        kinds = schema.get("$defs", {})
        for one in (schema, *kinds.values()):
            for field in one.get("properties", {}).values():
                kind = kinds.get(field.get("$ref", "").removeprefix("#/$defs/"), {})
                # What a key refers to may say the same of itself.
                if "description" in kind and kind["description"] == field.get("description"):
                    del field["description"]
        return schema

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler, /) -> dict[str, Any]:
        found = handler(schema)
        properties = handler.resolve_ref_schema(found)["properties"]
        for name, text in descriptions(cls).items():
            key = cls.model_fields[name].alias or name
            properties[key] = dict(sorted({**properties[key], "description": text}.items()))
        return found


@cache
def descriptions(record: type[BaseModel]) -> Mapping[str, str]:
    """What is said of the fields of a schema class, its own and inherited ones, by their names in Python."""
    found: dict[str, str] = {}
    for one in reversed(record.__mro__):
        if issubclass(one, BaseModel) and one is not BaseModel:
            found.update(_docstrings(one.__module__).get(one.__qualname__, {}))
    return MappingProxyType({name: found[name] for name in record.model_fields if name in found})


@cache
def _docstrings(module: str) -> Mapping[str, Mapping[str, str]]:
    """The docstrings below the fields of each class of a module, by the class's name and the field's."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {one.name: _fields(one) for one in tree.body if isinstance(one, ast.ClassDef)}


def _fields(of: ast.ClassDef) -> dict[str, str]:
    found: dict[str, str] = {}
    for field, below in zip(of.body, of.body[1:], strict=False):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                found[name] = inspect.cleandoc(text)
    return found
