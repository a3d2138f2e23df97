"""What a check reports: one finding at one place in one file, and how a list of findings prints.

Every check collects issues instead of stopping at the first; the command line sorts and prints them once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Literal

Format = Literal["text", "json", "github"]

WARNINGS = frozenset(("A701", "A702", "A703"))
"""Codes of proofs that are stale, missing or unreadable: pages can be built, and say so."""


@dataclass(frozen=True, slots=True, order=True)
class Issue:
    """One finding; the order of the fields is the order in which issues are sorted and printed."""

    path: str
    """The file, relative to the project where possible, with forward slashes."""
    line: int
    """1-based line; 0 where the finding concerns the whole file."""
    column: int
    """1-based column; 0 where the finding concerns the whole line or file."""
    code: str
    """A letter and three digits, stable over releases (`A101`)."""
    message: str
    """What was expected and what was found, in one sentence without a final full stop."""
    hint: str = ""
    """The nearest fix, or an empty string."""
    excerpt: str = ""
    """The source line and a line of carets below it, or an empty string."""

    @property
    def severity(self) -> Literal["error", "warning"]:
        """`warning` where pages can be built and say themselves what is the matter."""
        return "warning" if self.code in WARNINGS else "error"


def ordered(issues: Iterable[Issue]) -> list[Issue]:
    """Issues sorted by file and position, each distinct one once."""
    return sorted(set(issues))


def show(issues: Iterable[Issue], style: Format = "text") -> str:
    """All issues as one text, in a deterministic order; an empty string (or an empty JSON list) for none."""
    found = ordered(issues)
    if style == "json":
        return json.dumps(
            [{**asdict(issue), "severity": issue.severity} for issue in found], ensure_ascii=False, indent=2
        )
    line_of = _github_line if style == "github" else _text_line
    return "\n".join(line_of(issue) for issue in found)


def _text_line(issue: Issue) -> str:
    place = ":".join([issue.path, *(str(number) for number in (issue.line, issue.column) if number)])
    lines = [f"{place}: {issue.code} {_visible(issue.message)}"]
    if issue.excerpt:
        lines += [f"    {_visible(line)}" for line in issue.excerpt.splitlines()]
    if issue.hint:
        lines.append(f"  {_visible(issue.hint)}")
    return "\n".join(lines)


def _github_line(issue: Issue) -> str:
    """A workflow command; the escapes are those that GitHub Actions defines for its commands."""
    fields = {"file": issue.path, "line": issue.line, "col": issue.column, "title": issue.code}
    shown = ",".join(f"{name}={_escape_property(str(value))}" for name, value in fields.items() if value)
    text = issue.message + (f" ({issue.hint})" if issue.hint else "")
    return f"::{issue.severity} {shown}::{_escape_data(text)}"


def _escape_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape_data(text).replace(":", "%3A").replace(",", "%2C")


def _visible(text: str) -> str:
    """The text with control and direction-changing characters spelled out, so that a terminal shows what is there."""
    return "".join(char if char.isprintable() or char in "\t" else f"\\u{ord(char):04x}" for char in text)
