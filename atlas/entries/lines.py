"""The lines that issues are about, for readers of the command line and of a build's log alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from atlas.entries.spans import excerpt_at
from atlas.entries.tree import MAX_BYTES
from atlas.issues import Issue


def with_lines(issues: Iterable[Issue], root: Path) -> Iterator[Issue]:
    """The issues, each with the line that it is about where a check has not given one that says more.

    Args:
        issues: Any issues.
        root: The folder that their paths are relative to.
    """
    texts: dict[str, str] = {}
    for issue in issues:
        if issue.excerpt or not issue.column:
            yield issue
            continue
        if issue.path not in texts:
            texts[issue.path] = _text(root / issue.path)
        yield replace(issue, excerpt=excerpt_at(texts[issue.path], issue.line, issue.column))


def _text(file: Path) -> str:
    """The text of a file; empty where it is none, or is gone by now."""
    try:
        # Bytes, as only a line feed ends a line here.
        return file.read_bytes().decode("utf-8") if file.stat().st_size <= MAX_BYTES else ""
    except (OSError, UnicodeDecodeError):
        return ""
