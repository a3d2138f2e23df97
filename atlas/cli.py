"""The command line: with its commands the only printing and the only exit codes.

Exit codes: 0 nothing is wrong; 1 issues, all of them listed; 2 the command could not do its work. What was asked for
goes to standard output, what is said about the work to standard error.
"""

from __future__ import annotations

import errno
import io
import sys
from importlib import import_module
from typing import Any

import click

from atlas.exceptions import AtlasError

INTERRUPTED = 130
"""The exit code that shells give to the end by an interrupt."""


class _Failure(click.ClickException):
    exit_code = 2


COMMANDS = ("check", "doctor", "explain", "fetch", "init", "new", "pin", "repin", "run", "schema", "show", "verify")
"""Each is the function of this name in the module of this name in `atlas.commands`."""


class _Commands(click.Group):
    """Gives every expected error its one line and its exit code.

    A command's module is imported when it is asked for: that takes a moment, and an interrupt then ends it quietly too.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"atlas.commands.{name}"), name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            ctx.exit(INTERRUPTED)
        except AtlasError as error:
            raise _Failure(str(error)) from error
        except OSError as error:
            if error.errno == errno.EPIPE:  # whoever read the output has seen enough: click ends quietly
                raise
            raise _Failure(str(error)) from error


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Your shell completes commands, entries, variants and operators after: "
    'eval "$(_ATLAS_COMPLETE=bash_source atlas)" in ~/.bashrc (zsh_source in ~/.zshrc), or for fish '
    "_ATLAS_COMPLETE=fish_source atlas | source.",
)
@click.version_option(package_name="openmodelatlas", prog_name="atlas")
def main() -> None:
    """Check the claims of an atlas of neural-network architectures, and bring what their proofs need.

    A project is a folder with a mkdocs.yml: entries in its content folder, manifests of pinned upstream sources in its
    sources folder. The site is built with `mkdocs build` and previewed with `mkdocs serve`.

    To begin: `atlas init DIR` makes an atlas that works, `atlas new` writes a file with marked blanks, `atlas check`
    says what is wrong, `atlas explain CODE` what that means, and `atlas doctor` what this machine lacks.

    Exit codes are 0 where nothing is wrong, 1 where there are issues (all of them are listed), and 2 where a command
    could not do its work.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a formula may hold what the terminal's encoding has not
