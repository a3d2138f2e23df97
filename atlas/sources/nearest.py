"""The name that somebody who wrote another one most likely meant, for the last words of an error message.

Paths get their own rule: a file of the same name in another folder is nearer than a similar spelling.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches
from itertools import takewhile

MOST_TOLD = 12
"""Of so many names that there are, at most, a message tells each."""


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The existing name nearest to a name or path, or None where nothing is like it; the same for any order."""
    existing = sorted(set(names))
    tail = name.rpartition("/")[2]
    same_tail = [other for other in existing if other.rpartition("/")[2] == tail]
    if same_tail:
        return max(same_tail, key=lambda other: (_shared(name, other), SequenceMatcher(None, name, other).ratio()))
    return next(iter(get_close_matches(name, existing, n=1, cutoff=0.6)), None)


def instead(name: str, names: Iterable[str], more: str = "") -> str:
    """What to write instead of a name that is not there: the nearest that is, else what there is.

    Args:
        name: What somebody wrote.
        names: The names that there are; they are told in the order in which they are given.
        more: What tells the others, where there are more than can be told, such as "`atlas explain` lists them all".
    """
    known = list(dict.fromkeys(names))
    if near := nearest(name, known):
        return f"did you mean {near}?"
    if not known:
        return "there is none"
    told, others = known[:MOST_TOLD], len(known) - MOST_TOLD
    if others <= 0:
        return f"there is {' and '.join(filter(None, (', '.join(told[:-1]), told[-1])))}"
    return f"there is {', '.join(told)} and {others} more" + (f": {more}" if more else "")


def nearest_few(path: str, paths: Iterable[str], count: int = 3) -> list[str]:
    """Up to `count` existing paths that somebody who wrote this one may have meant, the nearest first."""
    existing = sorted(set(paths))
    tail = path.rpartition("/")[2]
    tails = get_close_matches(tail, {other.rpartition("/")[2] for other in existing}, n=count, cutoff=0.6)
    like = [other for other in existing if other.rpartition("/")[2] in tails]
    like.sort(key=lambda other: (tails.index(other.rpartition("/")[2]), -_shared(path, other), other))
    if (first := nearest(path, existing)) is not None:
        like = [first, *(other for other in like if other != first)]
    return like[:count]


def _shared(one: str, other: str) -> int:
    """How many leading folders two paths have in common."""
    pairs = zip(one.split("/"), other.split("/"), strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
