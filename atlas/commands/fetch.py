"""`atlas fetch`: everything that checks and builds need from the network, once."""

from __future__ import annotations

import click

from atlas.checks.pinned import unbrought
from atlas.commands.checking import node_environment
from atlas.commands.completion import source_ids
from atlas.commands.manifests import manifests
from atlas.commands.options import on_a_project, perhaps_offline
from atlas.commands.output import ISSUES_FOUND, counted, print_issues, say, summary
from atlas.commands.progress import ProgressDisplay
from atlas.exceptions import SourceError
from atlas.kept import VARIABLE
from atlas.project import Project
from atlas.sources.store import SourceStore, fetch_all


@click.command(short_help="Bring pinned files into the cache.")
@click.argument("ids", nargs=-1, metavar="[SOURCE]...", shell_complete=source_ids)
@on_a_project
@perhaps_offline
@click.pass_context
def fetch(ctx: click.Context, ids: tuple[str, ...], project: Project, offline: bool) -> None:
    """Bring pinned files into the cache, so that checks and builds need no network afterwards.

    A SOURCE is the name of a manifest without .yml, such as tensor2tensor; without any, all of them are brought, and
    the Node environment that formulas are typeset with. Every file is verified against its pinned hash.

    The cache is in the user's cache directory, or where the environment variable OPENMODELATLAS_CACHE says.
    """
    sources, issues = manifests(ctx, project, ids)
    with ProgressDisplay() as progress:
        store = SourceStore({name: source.data for name, source in sources.items()}, offline=offline, progress=progress)
        report = fetch_all(store)
    issues += [unbrought(sources[name], error) for name, error in report.failures]
    print_issues(project, issues, "text")
    count = counted(len(report.texts), "file")
    where = "brought" if store.cache.problem else "in the cache"
    say(f"{count} of {counted(len(sources), 'source')} {where}" + (f"; {summary(issues)}" if issues else ""))
    if store.cache.problem:
        raise SourceError(
            f"nothing was kept, as the cache {store.cache.folder} cannot be written ({store.cache.problem}); "
            f"set {VARIABLE} to a folder that can be"
        )
    if not ids:
        node_environment(offline)
    ctx.exit(ISSUES_FOUND if issues else 0)
