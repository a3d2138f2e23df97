"""`atlas schema`: what YAML files may hold, for editors and other tools."""

from __future__ import annotations

import json

import click

from atlas.commands.output import print_json
from atlas.entries.schemas import KINDS, entry_schemas


@click.command(short_help="Print the JSON Schema of the files that contributors write.")
@click.argument("kind", type=click.Choice(list(KINDS)), required=False)
def schema(kind: str | None) -> None:
    """Print the JSON Schema of one KIND of file, or of all of them by kind, for editors and other tools."""
    schemas = entry_schemas()
    print_json(json.dumps(schemas if kind is None else schemas[kind], ensure_ascii=False, indent=2))
