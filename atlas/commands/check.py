"""`atlas check`: what does not hold, by file and line; once, or again at every change."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path

import click

from atlas.checks.base import listed
from atlas.checks.pinned import MissingSources
from atlas.commands.checking import Checker, checker
from atlas.commands.completion import entry_ids
from atlas.commands.options import Place, on_a_project, perhaps_elsewhere, perhaps_offline, printing_issues, selection
from atlas.commands.output import ISSUES_FOUND, counted, print_issues, say, summary
from atlas.commands.watching import CODE, Snapshot, Watch, changed_files, snapshot
from atlas.entries.folders import shown_path
from atlas.exceptions import AtlasError, NodeError
from atlas.issues import Format, Issue, ordered
from atlas.project import Project, misspelt_options, read_project
from atlas.selection import Selection

SHOWN = 3
"""How many changed files are named."""


@click.command(short_help="Check every claim, and list what does not hold.")
@click.argument("paths", nargs=-1, metavar="[PATH]...", shell_complete=entry_ids)
@on_a_project
@printing_issues
@perhaps_offline
@perhaps_elsewhere
@click.option(
    "--missing-sources",
    type=click.Choice(["fail", "link"]),
    help="Whether a pinned file that cannot be had is an issue, or pages show a link to it.  [default: as mkdocs.yml]",
)
@click.option("--allow-warnings", is_flag=True, help="Exit with 0 where there are warnings alone, as of proofs.")
@click.option("--watch", "watching", is_flag=True, help="Check again at every change, until Ctrl-C ends it with 0.")
@click.pass_context
def check(
    ctx: click.Context,
    paths: tuple[str, ...],
    project: Project,
    style: Format,
    offline: bool,
    place: Place,
    missing_sources: MissingSources | None,
    allow_warnings: bool,
    watching: bool,
) -> None:
    """Check every claim, and list what does not hold.

    With PATHs (files, folders, or ids of entries such as transformer/encoder/ffn-layer-norm) only their collections are
    checked, and only issues in these files are listed and counted, and issues in what they rest on: inherited entries,
    their collection, the manifests of their sources.

    Links that lead to no page, file or part of prose are issues too, and so are two files with one address, formulas in
    prose that cannot be displayed, and markup in it that is not understood. Links to parts of pages that are made from
    entries are judged by the build.

    Pinned files that are not in the cache are brought. Upstream code is not executed: see `atlas verify`.

    With --watch everything is checked once and then, at every change, what the change concerns: the collections of the
    files that changed or that rest on them. A change of mkdocs.yml or of operators concerns everything.
    """
    if watching:
        with place.executor() as executor:
            _watch(ctx, project, paths, style, partial(checker, offline, executor), missing_sources)
        # The operators that changed are imported already, so only another process has the new ones.
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 - this very command
    chosen = selection(ctx, project, paths)
    with place.executor() as executor, checker(offline, executor) as once:
        issues = _checked(once, project, chosen, style, missing_sources)
    counting = [issue for issue in issues if not (allow_warnings and issue.severity == "warning")]
    ctx.exit(ISSUES_FOUND if counting else 0)


def _checked(
    once: Checker, project: Project, chosen: Selection | None, style: Format, missing: MissingSources | None
) -> list[Issue]:
    """Check, and print what was found of what is asked about."""
    concerns = chosen.concerns if chosen is not None else None
    outcome = once.check(project, missing or project.missing_sources, concerns)
    every = ordered([*outcome.issues, *once.links(project, outcome.atlas), *misspelt_options(project)])
    issues = [issue for issue in every if concerns is None or concerns(issue.path)]
    print_issues(project, issues, style)
    if issues:
        say(summary(issues))
    elif chosen is not None:
        say(f"no issues in {listed(chosen.named)}")
    elif outcome.checked is not None:
        say(f"{counted(outcome.entries, 'entry')}, {counted(len(outcome.checked.atlas.sources), 'source')}: no issues")
    return issues


def _watch(
    ctx: click.Context,
    project: Project,
    paths: Sequence[str],
    style: Format,
    make: Callable[[], AbstractContextManager[Checker]],
    missing: MissingSources | None,
) -> None:
    """Check at every change until an interrupt, or until the atlas's own code changed, which is then started anew."""
    try:
        with Watch(project) as watch, ExitStack() as running:
            once: Checker | None = None
            is_sound, before = True, snapshot(project)
            while True:
                try:
                    if is_sound:
                        once = once or running.enter_context(make())
                        _checked(once, watch.project, selection(ctx, watch.project, paths), style, missing)
                        again = listed(once.memory.checked) or "nothing had to be"
                        say(f"{again} checked; watching for changes, Ctrl-C ends")
                except NodeError as error:
                    say(f"Error: {error}")
                    running.close()
                    once = None
                except (AtlasError, click.UsageError, OSError) as error:
                    say(f"Error: {error.format_message() if isinstance(error, click.UsageError) else error}")
                now = watch.after(before)
                changed, before = changed_files(before, now), now
                say(f"\nchanged: {_named(project, changed)}")
                if _code_changed(changed):
                    break
                if any(file.parent == project.root for file in changed):
                    earlier = watch.project
                    is_sound = _take_settings(watch)
                    before = _seen(now, earlier, watch.project)
    except KeyboardInterrupt:
        ctx.exit(0)


def _seen(now: Snapshot, earlier: Project, project: Project) -> Snapshot:
    """What has been seen once settings are read: what changed meanwhile is seen as a change next.

    Where the settings name other folders, what is in these is taken as it is.
    """
    if (earlier.content, earlier.sources) == (project.content, project.sources):
        return now
    return {file: now.get(file, stamp) for file, stamp in snapshot(project).items()}


def _named(project: Project, changed: Sequence[Path]) -> str:
    shown = [shown_path(file, project.root) for file in changed]
    return ", ".join(shown[:SHOWN]) + (f" and {len(shown) - SHOWN} more" if len(shown) > SHOWN else "")


def _code_changed(changed: Sequence[Path]) -> bool:
    """Whether the atlas's own code is other code now, and can be read as such."""
    files = [file for file in changed if file.is_relative_to(CODE)]
    for file in files:
        try:
            ast.parse(file.read_bytes() if file.exists() else b"")
        except (SyntaxError, ValueError) as error:
            say(f"Error: {file} is not Python: {error}; it is used once it is")
            return False
    return bool(files)


def _take_settings(watch: Watch) -> bool:
    """Take over the settings of mkdocs.yml as it is now, and tell whether it could be read."""
    try:
        watch.project = read_project(watch.project.config)
    except AtlasError as error:
        say(f"Error: {error}")
        return False
    return True
