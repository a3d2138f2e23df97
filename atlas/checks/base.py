"""What checks share: the proofs they leave behind and the collector that gathers their issues.

A proof is what a page may say about a claim; a claim without a proof is shown as not proved, with the reason.
"""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from atlas.entries.atlas import Placed, Source
from atlas.entries.tree import KeyPath
from atlas.issues import Issue

Status = Literal["proved", "recorded", "stale", "missing"]
NOT_PROVED = "not proved"
"""What people read where a proof is missing."""

MAX_LISTED = 12
"""How many names are listed where one names nothing and none is like it."""


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
    more = len(names) - MAX_LISTED
    there = listed(names if more <= 0 else [*names[:MAX_LISTED], f"{more:,} more"]) or "none"
    hint = f"did you mean `{near[0]}`?" if near else f"there is {there}"
    return (owner.issue_at_key if at_key else owner.issue)(path, code, message, hint)


MISSPELT = 0.8
"""How like each other two names of files or folders are, at least, of which one may be a misspelling of the other."""


def unpinned(owner: Placed, where: KeyPath, path: str, source: Source, *, at_key: bool = False) -> Issue:
    """An issue about a file that a manifest does not pin: the one that was meant, or else how it is pinned."""
    manifest = source.data
    meant = [one for one in sorted(manifest.files) if _is_misspelt(path, one)]
    if meant:
        near = max(meant, key=lambda one: difflib.SequenceMatcher(None, path, one).ratio())
        hint = f"did you mean `{near}`?"
    else:
        hint = f"pin it: `atlas pin {shlex.join((manifest.origin, path))}`"
    message = f"{source.path} does not pin {path}"
    return (owner.issue_at_key if at_key else owner.issue)(where, "A117", message, hint)


def _is_misspelt(path: str, other: str) -> bool:
    """Whether one path may be meant by the other: a letter's case, dots for slashes, folders too few, one part.

    What differs in more than one part, as a file does that is named after its folder, is another file.
    """
    one, two = _parts(path), _parts(other)
    if len(one) != len(two):
        shorter, longer = sorted((one, two), key=len)
        return len(shorter) > 1 and longer[-len(shorter) :] == shorter
    unlike = [pair for pair in zip(one, two, strict=True) if pair[0] != pair[1]]
    return len(unlike) <= 1 and all(difflib.SequenceMatcher(None, *pair).ratio() >= MISSPELT for pair in unlike)


def _parts(path: str) -> list[str]:
    """The names of folders and file, without the suffix of Python and without case."""
    bare = path.lower().removesuffix(".py")
    return bare.split("/") if "/" in bare else bare.split(".")
