"""The JSON Schema of each kind of file that contributors write, made from the schema classes themselves.

The command line prints them for editors, and a built site publishes them, so both are made here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from atlas.entries.base import Record
from atlas.entries.collection import Library, Model
from atlas.entries.component import Component
from atlas.entries.manifest import Manifest

DIALECT = "https://json-schema.org/draft/2020-12/schema"
"""The dialect of JSON Schema in which pydantic writes."""

KINDS: Mapping[str, type[Record]] = MappingProxyType(
    {"component": Component, "model": Model, "library": Library, "source": Manifest}
)
"""Each kind of file with its schema class."""

GLOBS: Mapping[str, str] = MappingProxyType(
    {
        "component": "content/**/*.yml",
        "model": "content/*/model.yml",
        "library": "content/*/library.yml",
        "source": "sources/*.yml",
    }
)
"""Where the files of each kind are in a project."""


def entry_schemas() -> dict[str, dict[str, Any]]:
    """The JSON Schema of each kind of file."""
    return {name: {"$schema": DIALECT, **model.model_json_schema(by_alias=True)} for name, model in KINDS.items()}
