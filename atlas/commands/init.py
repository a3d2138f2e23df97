"""`atlas init`: a small atlas that works, to be replaced piece by piece by one's own."""

from __future__ import annotations

from pathlib import Path

import click

from atlas.commands.output import counted, say
from atlas.exceptions import ProjectError
from atlas.scaffold.starter import starter_files, write_starter


@click.command(short_help="Make a small atlas that works, to begin with.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--title", default="My atlas", show_default=True, help="The title of the site.")
@click.option(
    "--repository",
    metavar="URL",
    help="The https address of the repository that it will live in: pages then lead to it, to be edited.",
)
@click.pass_context
def init(ctx: click.Context, folder: Path, title: str, repository: str | None) -> None:
    """Make a small atlas in DIR: a model and a library's layer that pass every check, and all that surrounds them.

    DIR is a folder that is empty (but for .git) or does not exist yet. Written are content, manifests of pinned
    sources with their licences and proofs, mkdocs.yml, requirements.txt, README.md, .gitignore, and a workflow for
    GitHub that checks, builds and publishes. Nothing is fetched; `atlas check` and `mkdocs build` bring what they need.

    \b
    Example:
      atlas init my-atlas --title "Our models" --repository https://github.com/me/my-atlas
      cd my-atlas && mkdocs serve
    """  # noqa: D301 - \b is click's mark of a paragraph whose lines stay
    try:
        texts = starter_files(title, repository)
        write_starter(folder, texts)
    except ProjectError as error:
        raise click.UsageError(str(error), ctx) from error
    click.echo(f"{counted(len(texts), 'file')} written into {folder}")
    go = "" if folder.resolve() == Path.cwd() else f"cd {folder}, then "
    say(
        f"next: {go}`atlas check`, `mkdocs serve`, and "
        "`atlas new component miniature/layers/rms-norm --operator rms_norm`"
    )
