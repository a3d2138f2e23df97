"""`atlas verify`: pinned upstream code executed and compared with our operators, and whole models with a library's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import click

from atlas.checks.base import listed
from atlas.checks.checked import Checked, CheckedCollection, CheckedEntry
from atlas.checks.compared import Compared
from atlas.checks.records import keep_records, own_defaults
from atlas.checks.records_model import ModelRecord, compared_with, digests_of_model, keep_model_records
from atlas.checks.upstream import Executed, verify_entry
from atlas.checks.upstream_model import verify_model
from atlas.checks.upstream_program import verify_program
from atlas.commands.checking import checked_project
from atlas.commands.completion import entry_ids
from atlas.commands.options import on_a_project, perhaps_offline, printing_issues, selection
from atlas.commands.output import ISSUES_FOUND, counted, print_issues, say, summary
from atlas.commands.progress import Counting
from atlas.entries.atlas import Source
from atlas.entries.collection import Model, Upstream
from atlas.entries.program import Program
from atlas.exceptions import LibraryError
from atlas.graph.structure import Graph
from atlas.issues import Format, Issue
from atlas.project import Project
from atlas.selection import Selection
from atlas.sources.store import PinnedText
from atlas.upstream.library import open_library


@dataclass(slots=True)
class _Tally:
    """What a run of the command came to."""

    progress: Counting
    """Shows how far it is; lines are printed through it."""
    total: int
    """How many entries and models there are."""
    begun: int = 0
    """How many of them were begun."""
    executions: int = 0
    """How many passages were executed."""
    comparisons: int = 0
    """How many claims about whole models were compared."""
    undone: int = 0
    """How many models could not be compared, for want of their library."""

    def begin(self, what: str) -> None:
        """Take note of what is verified next."""
        self.progress(what, self.begun, self.total)
        self.begun += 1


@dataclass(frozen=True, slots=True)
class _Whole:
    """A model that names an upstream one."""

    checked: CheckedCollection
    """The model."""
    graph: Graph
    """Its graph."""
    model: Model
    """What its file says."""
    upstream: Upstream | Program
    """What its file says of the upstream model."""
    source: Source
    """What pins the library or the files."""
    files: Mapping[str, PinnedText]
    """The pinned files that are at hand, by path."""


@click.command(short_help="Execute pinned upstream code and models, and compare them with ours.")
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=entry_ids)
@on_a_project
@printing_issues
@perhaps_offline
@click.option("--record", is_flag=True, help="Keep the proofs beside what they prove, in <name>.proofs.json.")
@click.pass_context
def verify(
    ctx: click.Context, names: tuple[str, ...], project: Project, style: Format, offline: bool, record: bool
) -> None:
    """Execute pinned upstream code and compare it with our operators; compare whole models with the library's own.

    Both sides get the same arrays. A NAME is the id of an entry or a model, such as transformer/encoder/ffn-layer-norm
    or gpt-2, or a file or folder; without any, everything is verified. The checks run first, and nothing is executed
    while any of them fails. Only code whose git blob id is the pinned one is executed: a passage over a small NumPy
    stand-in for its library, a model in the library itself, which `pip install 'openmodelatlas[verify]'` brings.

    With --record, `atlas check` and pages say what was proved for as long as nothing that it depends on changes: the
    pinned code, what entries and models state, our code, and versions. A proof that still holds keeps its date.
    """
    chosen = selection(ctx, project, names)
    outcome = checked_project(project, offline, "fail")
    if outcome.checked is None:
        errors = [issue for issue in outcome.issues if issue.severity == "error"]
        print_issues(project, errors, style)
        say(f"{summary(errors)}; nothing is executed before the checks pass")
        ctx.exit(ISSUES_FOUND)
    entries = [one for one in outcome.checked.entries if chosen is None or one.entry.path in chosen.named]
    models = list(_models(outcome.checked, chosen))
    if not entries and not models:
        raise click.UsageError(f"no entry and no model is named by {listed(names)}" if names else "there is none", ctx)
    with Counting("verifying") as progress:
        tally = _Tally(progress, len(entries) + len(models))
        issues = [
            *(issue for entry in entries for issue in _entry(entry, tally, record=record, to_stderr=style != "text")),
            *(issue for model in models for issue in _model(model, tally, record=record, to_stderr=style != "text")),
        ]
    print_issues(project, issues, style)
    done = [f"{counted(tally.executions, 'execution')} of {counted(len(entries), 'entry')}"] if entries else []
    done += [f"{counted(tally.comparisons, 'comparison')} of {counted(len(models), 'model')}"] if models else []
    outcomes = [summary(issues) if issues else "all agree" if tally.executions or tally.comparisons else ""]
    outcomes += [f"{counted(tally.undone, 'model')} not compared"] if tally.undone else []
    say(f"{listed(done)}: {', '.join(filter(None, outcomes)) or 'nothing to execute'}")
    ctx.exit(ISSUES_FOUND if issues or tally.undone else 0)


def _models(checked: Checked, chosen: Selection | None) -> Iterator[_Whole]:
    for one in checked.collections.values():
        data = one.collection.data
        if chosen is not None and one.collection.path not in chosen.named:
            continue
        upstream = compared_with(data) if isinstance(data, Model) else None
        if isinstance(data, Model) and upstream is not None and one.graph is not None:
            source = checked.atlas.sources[upstream.source]
            files = {path: text for (name, path), text in checked.files.items() if name == source.id}
            yield _Whole(one, one.graph, data, upstream, source, files)


def _record(entry: CheckedEntry, executed: list[Executed], progress: Counting) -> None:
    """Keep what was proved, and say what was not."""
    records = [one.record for one in executed if one.record is not None]
    failed = [one for one in executed if one.record is None]
    if keep_records(entry.entry, records, [(one.execution, one.digest) for one in failed]):
        progress.echo(f"{entry.entry.id}: {counted(len(records), 'proof')} recorded", err=True)
    if failed:
        calls = listed(dict.fromkeys(one.execution.call for one in failed))
        progress.echo(f"{entry.entry.id}: nothing is recorded of {calls}", err=True)


def _entry(entry: CheckedEntry, tally: _Tally, *, record: bool, to_stderr: bool) -> list[Issue]:
    """Execute what an entry names, a line each."""
    tally.begin(entry.entry.id)
    executed = _executed(entry, tally.progress, to_stderr=to_stderr)
    tally.executions += len(executed)
    if record:
        _record(entry, executed, tally.progress)
    return [one.issue for one in executed if one.issue is not None]


def _executed(entry: CheckedEntry, progress: Counting, *, to_stderr: bool) -> list[Executed]:
    pinned = {claim.claim.id: claim.excerpt.pinned for claim in entry.claims if claim.excerpt is not None}
    found: list[Executed] = []
    for one in verify_entry(entry.entry, entry.operator, pinned):
        found.append(one)
        defaults = own_defaults(one.execution, entry.operator)
        own = f" with its own {listed(defaults)}" if defaults else ""
        what = f"{entry.entry.id}: {one.execution.gives} of {one.execution.call}{own}"
        error = "not executed" if one.worst is None else f"largest relative error {one.worst:.1e}"
        ending = "" if one.issue is None or one.worst is None else ": differs"
        progress.echo(f"{what}: {error}{ending}", err=to_stderr)
    return found


def _model(model: _Whole, tally: _Tally, *, record: bool, to_stderr: bool) -> list[Issue]:
    """Compare a model with upstream's, a line for each claim; without its library nothing recorded is touched."""
    collection = model.checked.collection
    tally.begin(collection.id)
    called = model.upstream.model if isinstance(model.upstream, Upstream) else f"the pinned {model.source.id}"
    try:
        found = _compared(model)
    except LibraryError as error:
        tally.undone += 1
        tally.progress.echo(f"{collection.id}: not compared with {called}: {error}", err=True)
        return []
    issues: list[Issue] = []
    records: list[ModelRecord] = []
    for one in found:
        tally.comparisons += 1
        issues += one.issues
        records += [one.record] if one.record is not None else []
        ending = ": differs" if one.issues else ""
        tally.progress.echo(f"{collection.id}: {one.claim} of {called}: {one.figure}{ending}", err=to_stderr)
    if isinstance(model.upstream, Upstream) and model.upstream.precision == "float32":
        tally.progress.echo(f"{collection.id}: not compared in float64: {model.upstream.precision_note}", err=True)
    if record and keep_model_records(collection, records, digests_of_model(model.graph, model.model, model.source)):
        tally.progress.echo(f"{collection.id}: {counted(len(records), 'proof')} recorded", err=True)
    return issues


def _compared(model: _Whole) -> Iterator[Compared]:
    """The comparisons of a model, one for each claim, as they are made.

    Raises:
        LibraryError: the library that the model is compared with is not at hand.
    """
    collection = model.checked.collection
    if isinstance(model.upstream, Upstream):
        return verify_model(collection, model.graph, model.source, open_library(model.source))
    return verify_program(collection, model.graph, model.source, model.files)
