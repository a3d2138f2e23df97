"""`atlas schema`: what YAML files may hold, for editors and other tools."""

from __future__ import annotations

import json
from collections.abc import Mapping

import click

from atlas.commands.output import print_json
from atlas.entries.base import Record
from atlas.entries.collection import Library, Model
from atlas.entries.component import Component
from atlas.entries.manifest import Manifest

KINDS: Mapping[str, type[Record]] = {"component": Component, "model": Model, "library": Library, "source": Manifest}


@click.command(short_help="Print the JSON Schema of the files that contributors write.")
@click.argument("kind", type=click.Choice(list(KINDS)), required=False)
def schema(kind: str | None) -> None:
    """Print the JSON Schema of one KIND of file, or of all of them by kind, for editors and other tools."""
    schemas = {
        name: {"$schema": "https://json-schema.org/draft/2020-12/schema", **model.model_json_schema(by_alias=True)}
        for name, model in KINDS.items()
    }
    print_json(json.dumps(schemas if kind is None else schemas[kind], ensure_ascii=False, indent=2))
