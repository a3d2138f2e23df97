"""`atlas pin`: whether the pinned blobs belong to the pinned revisions, as recorded or asked anew."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from atlas.commands.manifests import manifests
from atlas.commands.options import on_a_project
from atlas.commands.output import ISSUES_FOUND, counted, print_issues, say, summary
from atlas.entries.atlas import Source
from atlas.exceptions import HashMismatchError, MissingFileError, SourceError
from atlas.issues import Issue
from atlas.project import Project
from atlas.sources.pins import LOCK_NAME, PinLock, PinState, load_lock, pin_status, prove, save_lock


@click.command(short_help="Tell or prove that pinned blobs belong to their revisions.")
@click.argument("ids", nargs=-1, metavar="[SOURCE]...")
@on_a_project
@click.option("--prove", "proving", is_flag=True, help=f"Ask git, and write the answers into sources/{LOCK_NAME}.")
@click.option(
    "--git-dir",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Ask this clone of the one SOURCE's repository instead of the remote.",
)
@click.pass_context
def pin(ctx: click.Context, ids: tuple[str, ...], project: Project, proving: bool, git_dir: Path | None) -> None:
    """Tell what is known of each pin: that its blob belongs to its revision was proved, was not, or was edited since.

    With --prove git is asked: the repository at its https address, or a clone named by --git-dir. A SOURCE is the name
    of a manifest without .yml; without any, all of them are meant.

    A pin that was edited after its proof, or a commit that was never proved, is an issue. A release tag is none: pages
    say that it is not proved.
    """
    if git_dir is not None and (not proving or len(ids) != 1):
        raise click.UsageError("--git-dir goes with --prove and exactly one SOURCE", ctx)
    sources, issues = manifests(ctx, project, ids)
    issues += _proved(project, sources, not ids, git_dir) if proving else _pin_states(project, sources)
    print_issues(project, issues, "text")
    if issues:
        say(summary(issues))
    ctx.exit(ISSUES_FOUND if issues else 0)


def _pin_states(project: Project, sources: Mapping[str, Source]) -> list[Issue]:
    """Print what the lock says of each pin that holds; the others are issues."""
    lock = load_lock(project.sources / LOCK_NAME)
    issues: list[Issue] = []
    for name, source in sources.items():
        for path in source.data.files:
            status = pin_status(name, source.data, path, lock)
            if status.state in (PinState.EDITED, PinState.NEVER_PROVED):
                message, _, hint = status.message.partition("; ")
                issues.append(source.issue(status.field, "A502", message, hint))
            else:
                click.echo(f"{name}: {path}: {status.message}")
    return issues


def _proved(project: Project, sources: Mapping[str, Source], is_all: bool, git_dir: Path | None) -> list[Issue]:
    """Ask git about each source, keep the proofs, and tell what git does not confirm."""
    path = project.sources / LOCK_NAME
    try:
        lock = load_lock(path)
    except SourceError:
        if not is_all:  # the records of the other sources would be lost
            raise
        lock = PinLock()
    if is_all:
        present = {file.stem for file in project.sources.glob("*.yml")}
        lock = PinLock(tuple(record for record in lock.records if record.source in present))
    issues: list[Issue] = []
    for name, source in sources.items():
        say(f"{name}: asking git about {git_dir or source.data.repository}")
        try:
            records = prove(name, source.data, git_dir)
        except SourceError as error:
            issues.append(source.issue(error.field, "A502", str(error)))
            if isinstance(error, HashMismatchError | MissingFileError):  # disproved, unlike where git cannot be asked
                lock = lock.with_source(name, ())
            continue
        lock = lock.with_source(name, records)
        click.echo(f"{name}: {counted(len(records), 'file')} proved to belong to {source.data.revision}")
    save_lock(lock, path)
    return issues
