"""`atlas check`: what does not hold, by file and line."""

from __future__ import annotations

import click

from atlas.checks.base import listed
from atlas.checks.sources import MissingSources
from atlas.commands.checking import checked_project
from atlas.commands.options import on_a_project, perhaps_offline, printing_issues, selection
from atlas.commands.output import ISSUES_FOUND, counted, print_issues, say, summary
from atlas.issues import Format
from atlas.project import Project


@click.command(short_help="Check every claim, and list what does not hold.")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@on_a_project
@printing_issues
@perhaps_offline
@click.option(
    "--missing-sources",
    type=click.Choice(["fail", "link"]),
    help="Whether a pinned file that cannot be had is an issue, or pages show a link to it.  [default: as mkdocs.yml]",
)
@click.option("--allow-warnings", is_flag=True, help="Exit with 0 where nothing is wrong but recorded proofs.")
@click.pass_context
def check(
    ctx: click.Context,
    paths: tuple[str, ...],
    project: Project,
    style: Format,
    offline: bool,
    missing_sources: MissingSources | None,
    allow_warnings: bool,
) -> None:
    """Check every claim, and list what does not hold.

    Everything is checked whatever PATH says. With PATHs (files, folders, or ids of entries such as
    transformer/encoder/ffn-layer-norm) only issues in these files are listed and counted, and issues in what they rest
    on: inherited entries, their collection, the manifests of their sources.

    Pinned files that are not in the cache are brought. Upstream code is not executed: see `atlas verify`.
    """
    chosen = selection(ctx, project, paths)
    outcome = checked_project(project, offline, missing_sources or project.missing_sources)
    issues = [issue for issue in outcome.issues if chosen is None or chosen.concerns(issue.path)]
    print_issues(project, issues, style)
    if issues:
        say(summary(issues))
    elif chosen is not None:
        say(f"no issues in {listed(chosen.named)}")
    elif outcome.checked is not None:
        say(f"{counted(outcome.entries, 'entry')}, {counted(len(outcome.checked.atlas.sources), 'source')}: no issues")
    counting = [issue for issue in issues if not (allow_warnings and issue.severity == "warning")]
    ctx.exit(ISSUES_FOUND if counting else 0)
