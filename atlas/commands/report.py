"""What `atlas show` tells of anything but a model: sections of rows, printed for people or as JSON.

One form serves both, so that neither says less than the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from atlas.checks.base import NOT_PROVED
from atlas.commands.show_text import fitted, narrowed
from atlas.issues import visible

Cell = str | int | None


@dataclass(frozen=True, slots=True)
class Section:
    """A table with a heading."""

    name: str
    """Its heading; in JSON, with underscores, its key."""
    columns: tuple[str, ...]
    """The names of its columns, which are the keys of its rows in JSON."""
    rows: tuple[tuple[Cell, ...], ...]
    """Its rows."""


@dataclass(frozen=True, slots=True)
class Report:
    """What is told of one thing."""

    kind: str
    """What it is: `component`, `library`, `operator` or `source`."""
    id: str
    """Its name."""
    title: str
    """Its name as people write it."""
    summary: str
    """What it is, in a sentence."""
    sections: tuple[Section, ...]
    """What is told; sections without rows, and columns without values, are left out of the text."""


def report_text(report: Report, width: int | None = None) -> str:
    """The report for people, in tables that fit a terminal of this width, where one is given."""
    return "\n\n".join("\n".join(block) for block in _blocks(report, width))


def report_data(report: Report) -> dict[str, object]:
    """The report as JSON has it; every section is there, also an empty one."""
    return {
        "kind": report.kind,
        "id": report.id,
        "title": report.title,
        "summary": report.summary,
        **{
            one.name.replace(" ", "_"): [dict(zip(one.columns, row, strict=True)) for row in one.rows]
            for one in report.sections
        },
    }


def _blocks(report: Report, width: int | None) -> Iterator[list[str]]:
    head = f"{report.title} ({report.kind} {report.id})"
    yield list(narrowed([visible(head), *([f"  {visible(report.summary)}"] if report.summary else [])], width))
    for one in report.sections:
        if one.rows:
            rows = [[_cell(cell, name) for cell, name in zip(row, one.columns, strict=True)] for row in one.rows]
            filled = [index for index in range(len(one.columns)) if any(row[index] for row in rows)]
            names = [one.columns[index] for index in filled]
            shown = [[row[index] for index in filled] for row in rows]
            yield [one.name.capitalize(), *fitted(shown, names, width, named=len(one.columns) > 2)]


def _cell(value: Cell, column: str) -> str:
    if value is None:
        return ""
    if (column, value) == ("status", "missing"):
        return NOT_PROVED
    if column == "calculation":
        value = str(value).replace(r"\times", "×")
    return f"{value:,}" if isinstance(value, int) else visible(" ".join(value.split()))
