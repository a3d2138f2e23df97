"""`atlas schema`: what editors and other tools need to know of entries and manifests."""

from __future__ import annotations

import json
from pathlib import Path

import click

from atlas.commands.output import counted, print_json, say
from atlas.entries.folders import shown_path
from atlas.entries.schemas import GLOBS, KINDS, entry_schemas
from atlas.files import write_whole


@click.command(short_help="Print or write the JSON Schemas of the files that contributors write.")
@click.argument("kind", type=click.Choice(list(KINDS)), required=False)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write each schema into a file of this folder, KIND.schema.json.",
)
def schema(kind: str | None, out: Path | None) -> None:
    """Print the JSON Schema of one KIND of file, or of all of them by kind, for editors and other tools.

    Every key is described. With --out the schemas are written into files. An editor with the YAML language server then
    completes and explains the keys of a file whose first line names its schema, relative to the file:

    \b
      # yaml-language-server: $schema=../../../schemas/component.schema.json
    """  # noqa: D301 - \b is click's mark of a paragraph whose lines stay
    schemas = {name: one for name, one in entry_schemas().items() if kind in (None, name)}
    if out is None:
        print_json(_json(schemas if kind is None else schemas[kind]))
        return
    for name, one in schemas.items():
        write_whole(out / f"{name}.schema.json", _json(one) + "\n")
    shown = shown_path(out, Path.cwd())
    click.echo(f"{counted(len(schemas), 'schema')} written into {shown}")
    say("a file names its schema in its first line, relative to itself:")
    for name in schemas:
        above = "/".join([".."] * (GLOBS[name].replace("**", "x/x").count("/")))
        say(f"  {GLOBS[name]}:  # yaml-language-server: $schema={above}/{shown}/{name}.schema.json")


def _json(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2)
