"""How commands print: results to standard output, what is said about the work to standard error."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import click

from atlas.entries.folders import shown_path
from atlas.entries.lines import with_lines
from atlas.issues import Format, Issue, ordered, show
from atlas.project import Project

ISSUES_FOUND = 1
"""The exit code of a command that found issues."""


def print_issues(project: Project, issues: Iterable[Issue], style: Format) -> None:
    """Print issues in order; as JSON also an empty list of them."""
    if style != "github":  # which shows the place in the file itself
        issues = list(with_lines(issues, project.root))
    if style == "json":
        print_json(show(issues, style))
        return
    if style == "github":
        # GitHub resolves paths from the checkout's folder, in which the project may be a folder of its own.
        base = Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd()).resolve()
        issues = [replace(one, path=shown_path(project.root / one.path, base)) for one in issues]
    if text := show(issues, style):
        click.echo(text)


def print_json(text: str) -> None:
    """Print JSON, which is UTF-8 whatever the terminal's encoding."""
    click.echo(text.encode())


def say(text: str) -> None:
    """Say something about the work."""
    click.echo(text, err=True)


def summary(issues: Iterable[Issue]) -> str:
    """How many issues there are, in how many files."""
    found = ordered(issues)
    return f"{counted(len(found), 'issue')} in {counted(len({issue.path for issue in found}), 'file')}"


def counted(number: int, noun: str) -> str:
    """A number with its noun: `1 entry`, `2 entries`."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"
