"""What checks share: the proofs they leave behind and the collector that gathers their issues.

A proof is what a page may say about a claim; a claim without a proof is shown as not proved, with the reason.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from atlas.entries.atlas import Placed
from atlas.entries.tree import KeyPath
from atlas.issues import Issue

Status = Literal["proved", "recorded", "stale", "missing"]
NOT_PROVED = "not proved"
"""What people read where a proof is missing."""


@dataclass(frozen=True, slots=True)
class Proof:
    """One claim of an entry and what is known about it."""

    claim: str
    """What is claimed, such as `shapes`."""
    status: Status
    """`proved` in this run; `recorded` by `atlas verify`, still holding; `stale` record; `missing`."""
    figure: str
    """What was found, in one line."""
    command: str
    """The command that reproduces it."""
    date: str | None = None
    """When a recorded proof was made."""


class Collector:
    """Issues of one run, in the order in which they are found."""

    def __init__(self) -> None:
        self.issues: list[Issue] = []

    def add(self, *issues: Issue) -> None:
        """Keep issues."""
        self.issues.extend(issues)

    def extend(self, issues: Iterable[Issue]) -> None:
        """Keep many issues."""
        self.issues.extend(issues)


def listed(names: Iterable[str]) -> str:
    """Names as running text: `a, b and c`."""
    items = list(names)
    return " and ".join([", ".join(items[:-1]), items[-1]]) if len(items) > 1 else "".join(items)


def unknown(
    owner: Placed, path: KeyPath, code: str, message: str, name: str, known: Iterable[str], *, at_key: bool = False
) -> Issue:
    """An issue about a name that names nothing, with the nearest that does."""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean `{near[0]}`?" if near else f"there is {listed(names)}" if 0 < len(names) <= 12 else ""
    return (owner.issue_at_key if at_key else owner.issue)(path, code, message, hint)
