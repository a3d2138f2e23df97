"""`atlas doctor`: whether everything is there that checks and builds need, and what to do where it is not."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import click

from atlas.commands import findings
from atlas.commands.findings import Finding
from atlas.commands.output import ISSUES_FOUND, counted, print_json, say
from atlas.issues import visible

COLOURS = {"ok": "green", "note": "cyan", "warn": "yellow", "bad": "red"}


@click.command(short_help="Report Python, Node, caches, network and project, and what to do.")
@click.option(
    "--project",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="The project's folder.  [default: the current folder, or the nearest above it]",
)
@click.option("--offline", is_flag=True, help="Ask nothing in the network.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON list.")
@click.pass_context
def doctor(ctx: click.Context, project: Path | None, offline: bool, as_json: bool) -> None:
    """Report whether everything is there that checks and builds need, a line for each, with what to do.

    Looked at are Python, Node.js with npm and KaTeX, the cache and whether it can be written, git, the places that pip
    is set to look in and whether they answer, the project here, and whether its pinned files are in the cache. Nothing
    is changed, and nothing is brought.

    A line is ok; note, where something is not there that only some need; warn, where something will not work in some
    situation, such as without a network; or bad, where commands cannot work. The exit code is 1 where any line is bad,
    else 0.
    """
    found = []
    for one in _report(project, offline):
        found.append(one)
        if not as_json:  # each line as soon as it is known: an index that does not answer takes a while
            _print(one)
    if as_json:
        print_json(json.dumps([asdict(one) for one in found], ensure_ascii=False, indent=2))
    else:
        say(_summary(found))
    ctx.exit(ISSUES_FOUND if any(one.state == "bad" for one in found) else 0)


def _report(project: Path | None, offline: bool) -> Iterator[Finding]:
    yield from findings.python()
    yield from findings.node()
    yield from findings.cache()
    yield from findings.network(offline=offline)
    yield from findings.project(project)


def _summary(found: Sequence[Finding]) -> str:
    """What the lines come to, for somebody who reads only the last."""
    bad, warned = (sum(one.state == state for one in found) for state in ("bad", "warn"))
    parts = [f"{counted(bad, 'line')} marked bad: some commands cannot work before that is mended"] if bad else []
    parts += [f"{counted(warned, 'line')} marked warn: something may not work then"] if warned else []
    return "; ".join(parts) or "everything that checks and builds need is there"


def _print(one: Finding) -> None:
    state = click.style(f"{one.state:4}", fg=COLOURS[one.state])
    click.echo(f"{state}  {one.about}: {visible(one.text)}")
    if one.advice:
        click.echo(f"      {one.advice}")
