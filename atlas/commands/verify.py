"""`atlas verify`: pinned upstream code executed and compared with our operators, and whole models with a library's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import click

from atlas.checks.base import listed
from atlas.checks.checked import Checked, CheckedEntry
from atlas.checks.records import keep_records, own_defaults
from atlas.checks.records_model import ModelRecord, compared_with, digests_of_model, keep_model_records
from atlas.checks.upstream import Executed
from atlas.checks.verified import Comparison, Passages, Whole, compare, execute
from atlas.commands.checking import checked_project
from atlas.commands.completion import entry_ids
from atlas.commands.options import Place, on_a_project, perhaps_elsewhere, perhaps_offline, printing_issues, selection
from atlas.commands.output import ISSUES_FOUND, counted, print_issues, say, summary
from atlas.commands.progress import Counting
from atlas.entries.collection import Model, Upstream
from atlas.issues import Format, Issue
from atlas.project import Project
from atlas.selection import Selection
from atlas.spread import Here


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


@click.command(short_help="Execute pinned upstream code and models, and compare them with ours.")
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=entry_ids)
@on_a_project
@printing_issues
@perhaps_offline
@perhaps_elsewhere
@click.option("--record", is_flag=True, help="Keep the proofs beside what they prove, in <name>.proofs.json.")
@click.pass_context
def verify(
    ctx: click.Context,
    names: tuple[str, ...],
    project: Project,
    style: Format,
    offline: bool,
    place: Place,
    record: bool,
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
    with place.executor() as executor:
        outcome = checked_project(project, offline, "fail", executor=executor)
        if outcome.checked is None:
            errors = [issue for issue in outcome.issues if issue.severity == "error"]
            print_issues(project, errors, style)
            say(f"{summary(errors)}; nothing is executed before the checks pass")
            ctx.exit(ISSUES_FOUND)
        entries = [one for one in outcome.checked.entries if chosen is None or one.entry.path in chosen.named]
        models = list(_models(outcome.checked, chosen))
        if not entries and not models:
            what = f"no entry and no model is named by {listed(names)}" if names else "there is none"
            raise click.UsageError(what, ctx)
        with Counting("verifying") as progress:
            tally = _Tally(progress, len(entries) + len(models))
            executed = execute([_passages(entry) for entry in entries], executor or Here())
            issues = list(_entries(entries, executed, tally, record=record, to_stderr=style != "text"))
            compared = compare(models, executor or Here())
            issues += _wholes(models, compared, tally, record=record, to_stderr=style != "text")
    print_issues(project, issues, style)
    done = [f"{counted(tally.executions, 'execution')} of {counted(len(entries), 'entry')}"] if entries else []
    done += [f"{counted(tally.comparisons, 'comparison')} of {counted(len(models), 'model')}"] if models else []
    outcomes = [summary(issues) if issues else "all agree" if tally.executions or tally.comparisons else ""]
    outcomes += [f"{counted(tally.undone, 'model')} not compared"] if tally.undone else []
    say(f"{listed(done)}: {', '.join(filter(None, outcomes)) or 'nothing to execute'}")
    ctx.exit(ISSUES_FOUND if issues or tally.undone else 0)


def _models(checked: Checked, chosen: Selection | None) -> Iterator[Whole]:
    for one in checked.collections.values():
        data = one.collection.data
        if chosen is not None and one.collection.path not in chosen.named:
            continue
        upstream = compared_with(data) if isinstance(data, Model) else None
        if isinstance(data, Model) and upstream is not None and one.graph is not None:
            source = checked.atlas.sources[upstream.source]
            files = {path: text for (name, path), text in checked.files.items() if name == source.id}
            yield Whole(one.collection, one.graph, data, upstream, source, files)


def _passages(entry: CheckedEntry) -> Passages:
    pinned = {claim.claim.id: claim.excerpt.pinned for claim in entry.claims if claim.excerpt is not None}
    return Passages(entry.entry, pinned)


def _record(entry: CheckedEntry, executed: list[Executed], progress: Counting) -> None:
    """Keep what was proved, and say what was not."""
    records = [one.record for one in executed if one.record is not None]
    failed = [one for one in executed if one.record is None]
    if keep_records(entry.entry, records, [(one.execution, one.digest) for one in failed]):
        progress.echo(f"{entry.entry.id}: {counted(len(records), 'proof')} recorded", err=True)
    if failed:
        calls = listed(dict.fromkeys(one.execution.call for one in failed))
        progress.echo(f"{entry.entry.id}: nothing is recorded of {calls}", err=True)


def _entries(
    entries: Sequence[CheckedEntry],
    results: Iterator[tuple[Executed, ...]],
    tally: _Tally,
    *,
    record: bool,
    to_stderr: bool,
) -> Iterator[Issue]:
    """Tell what came of what each entry names, a line for each execution."""
    for entry in entries:
        tally.begin(entry.entry.id)
        executed = list(next(results))
        for one in executed:
            _tell(entry, one, tally.progress, to_stderr=to_stderr)
        tally.executions += len(executed)
        if record:
            _record(entry, executed, tally.progress)
        yield from (one.issue for one in executed if one.issue is not None)


def _tell(entry: CheckedEntry, one: Executed, progress: Counting, *, to_stderr: bool) -> None:
    defaults = own_defaults(one.execution, entry.operator)
    own = f" with its own {listed(defaults)}" if defaults else ""
    what = f"{entry.entry.id}: {one.execution.gives} of {one.execution.call}{own}"
    error = "not executed" if one.worst is None else f"largest relative error {one.worst:.1e}"
    ending = "" if one.issue is None or one.worst is None else ": differs"
    progress.echo(f"{what}: {error}{ending}", err=to_stderr)


def _wholes(
    models: Sequence[Whole], results: Iterator[Comparison], tally: _Tally, *, record: bool, to_stderr: bool
) -> Iterator[Issue]:
    """Tell what came of each model, a line for each claim; without its library nothing recorded is touched."""
    for model in models:
        tally.begin(model.collection.id)
        comparison = next(results)
        if comparison.undone:
            tally.undone += 1
            tally.progress.echo(
                f"{model.collection.id}: not compared with {_called(model)}: {comparison.undone}", err=True
            )
        else:
            yield from _compared(model, comparison, tally, record=record, to_stderr=to_stderr)


def _called(model: Whole) -> str:
    """The upstream model, as a line names it."""
    return model.upstream.model if isinstance(model.upstream, Upstream) else f"the pinned {model.source.id}"


def _compared(model: Whole, comparison: Comparison, tally: _Tally, *, record: bool, to_stderr: bool) -> Iterator[Issue]:
    name = model.collection.id
    records: list[ModelRecord] = []
    for one in comparison.found:
        tally.comparisons += 1
        records += [one.record] if one.record is not None else []
        ending = ": differs" if one.issues else ""
        tally.progress.echo(f"{name}: {one.claim} of {_called(model)}: {one.figure}{ending}", err=to_stderr)
        yield from one.issues
    if isinstance(model.upstream, Upstream) and model.upstream.precision == "float32":
        tally.progress.echo(f"{name}: not compared in float64: {model.upstream.precision_note}", err=True)
    digests = digests_of_model(model.graph, model.model, model.source)
    if record and keep_model_records(model.collection, records, digests):
        tally.progress.echo(f"{name}: {counted(len(records), 'proof')} recorded", err=True)
