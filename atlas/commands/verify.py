"""`atlas verify`: the pinned upstream code itself, executed and compared with our operators."""

from __future__ import annotations

import click

from atlas.checks.base import listed
from atlas.checks.checked import Checked, CheckedEntry
from atlas.checks.records import keep_records, own_defaults
from atlas.checks.upstream import Executed, verify_entry
from atlas.commands.checking import checked_project
from atlas.commands.options import on_a_project, perhaps_offline, printing_issues, selection
from atlas.commands.output import ISSUES_FOUND, counted, print_issues, say, summary
from atlas.issues import Format, Issue
from atlas.project import Project
from atlas.selection import Selection


@click.command(short_help="Execute pinned upstream code and compare it with our operators.")
@click.argument("names", nargs=-1, metavar="[ENTRY]...")
@on_a_project
@printing_issues
@perhaps_offline
@click.option("--record", is_flag=True, help="Keep the proofs beside the entries, in <entry>.proofs.json.")
@click.pass_context
def verify(
    ctx: click.Context, names: tuple[str, ...], project: Project, style: Format, offline: bool, record: bool
) -> None:
    """Execute the pinned upstream code that entries name, and compare it with our operators on the same arrays.

    An ENTRY is an id such as transformer/encoder/ffn-layer-norm, or a file or folder; without any, all entries are
    verified. The checks run first, and nothing is executed while any of them fails. Only code whose git blob id is the
    pinned one is executed, over a small NumPy stand-in for its library.

    With --record, `atlas check` and pages say what was proved for as long as nothing that it depends on changes: the
    pinned code, the entry's claim, our operator, and the stand-in. A proof that still holds keeps its date.
    """
    chosen = selection(ctx, project, names)
    outcome = checked_project(project, offline, "fail")
    if outcome.checked is None:
        errors = [issue for issue in outcome.issues if issue.severity == "error"]
        print_issues(project, errors, style)
        say(f"{summary(errors)}; nothing is executed before the checks pass")
        ctx.exit(ISSUES_FOUND)
    entries = _entries(outcome.checked, chosen)
    if not entries:
        raise click.UsageError(f"no entry is named by {listed(names)}" if names else "there are no entries", ctx)
    issues: list[Issue] = []
    count = 0
    for entry in entries:
        executed = _verified(entry, to_stderr=style != "text")
        issues += [one.issue for one in executed if one.issue is not None]
        count += len(executed)
        records = tuple(one.record for one in executed if one.record is not None)
        if record and keep_records(entry.entry, records):
            say(f"{entry.entry.id}: {counted(len(records), 'proof')} recorded")
    print_issues(project, issues, style)
    done = f"{counted(count, 'execution')} of {counted(len(entries), 'entry')}"
    say(f"{done}: {summary(issues) if issues else 'all agree'}")
    ctx.exit(ISSUES_FOUND if issues else 0)


def _entries(checked: Checked, chosen: Selection | None) -> list[CheckedEntry]:
    return [one for one in checked.entries if chosen is None or one.entry.path in chosen.named]


def _verified(entry: CheckedEntry, *, to_stderr: bool) -> list[Executed]:
    """Execute what an entry names, a line each."""
    pinned = {claim.claim.id: claim.excerpt.pinned for claim in entry.claims if claim.excerpt is not None}
    found: list[Executed] = []
    for one in verify_entry(entry.entry, entry.operator, pinned):
        found.append(one)
        defaults = own_defaults(one.execution, entry.operator)
        own = f" with its own {listed(defaults)}" if defaults else ""
        what = f"{entry.entry.id}: {one.execution.gives} of {one.execution.call}{own}"
        error = "not executed" if one.worst is None else f"largest relative error {one.worst:.1e}"
        click.echo(f"{what}: {error}" + ("" if one.issue is None or one.worst is None else ": differs"), err=to_stderr)
    return found
