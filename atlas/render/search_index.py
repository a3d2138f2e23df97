"""What search finds → a static index of small files, of which a reader's browser brings the few that a query needs.

Words lie in files by the alphabet and what is shown of a page in files of its neighbours, so what one query downloads
does not grow with the atlas. (Pagefind, a ready-made index, was measured at 10,000 pages: 165 KB for a first query, of
which the list of all pages grows with them, 10,000 files, WebAssembly in the security policy, a binary per system.)
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
from operator import sub
from types import MappingProxyType

from atlas.render.search_found import IGNORED, place_of, postings, to_json, weight_of
from atlas.render.site import FoundGroup, FoundKind, SiteAsset

KINDS: Mapping[FoundKind, str] = MappingProxyType(
    {
        "model": "Models",
        "component": "Components",
        "operator": "Operators",
        "symbol": "Symbols and sizes",
        "library": "Libraries",
        "source": "Sources",
        "page": "Pages",
    }
)
"""The kinds of things that search finds, each with the title of its group; equally good ones stand in this order."""

ROOT = "search/index.json"
"""The file that names all others."""
SHOWN_TOGETHER = 16
"""How many records' texts lie in one file."""
LETTERS = 16_000
"""About how many letters a file of words holds, before compression."""
MOST = 2_000
"""In how many records a word is looked up; one that more have tells little and is known of those that it fits best."""


def search_files(groups: Iterable[FoundGroup]) -> Iterator[SiteAsset]:
    """The files of the index.

    `ROOT` holds `folder`, where the others are; `kinds`, the number of records of each kind, which are numbered in that
    order; `words`, the first word of each file of words; `together`, how many records a file of texts holds; `ignored`.
    `w0.json` and so on hold `words` in order with, for each, the `records` that have it (each number less the one
    before), their `weights`, and in `known` the number of records that have it. `r0.json` and so on hold url, title,
    where and summary of each record.
    """
    by_kind: dict[FoundKind, list[FoundGroup]] = {kind: [] for kind in KINDS}
    for group in groups:
        by_kind[group.kind].append(group)
    ordered = [group for kind in KINDS for group in by_kind[kind]]
    files: dict[str, bytes] = {}
    first: list[str] = []
    for number, (word, content) in enumerate(_word_files(_merged(ordered))):
        first.append(word)
        files[f"w{number}.json"] = content
    lines = [line for group in ordered for line in group.shown.split("\n")]
    for number, begin in enumerate(range(0, len(lines), SHOWN_TOGETHER)):
        files[f"r{number}.json"] = f"[{','.join(lines[begin : begin + SHOWN_TOGETHER])}]".encode()
    digest = hashlib.sha256(b"".join(files.values())).hexdigest()[:16]  # a new site never meets an old cached file
    root = {
        "folder": digest,
        "kinds": [[kind, title, sum(group.count for group in by_kind[kind])] for kind, title in KINDS.items()],
        "together": SHOWN_TOGETHER,
        "words": first,
        "ignored": sorted(IGNORED),
    }
    yield SiteAsset(ROOT, to_json(root).encode())
    for name, content in files.items():
        yield SiteAsset(f"search/{digest}/{name}", content)


def _merged(groups: Iterable[FoundGroup]) -> dict[str, array[int]]:
    """For each word of all groups: a record's number with the word's weight in it, in the order of the numbers."""
    merged: dict[str, array[int]] = {}
    first = 0
    for group in groups:
        for word, own in postings(group, first):
            if word in merged:
                merged[word].extend(own)
            else:
                merged[word] = own
        first += group.count
    return merged


def _word_files(merged: Mapping[str, array[int]]) -> Iterator[tuple[str, bytes]]:
    """The files of words, each with its first word."""
    held: list[tuple[str, list[int], list[int], int]] = []
    letters = 0
    for word in sorted(merged, key=lambda one: one.encode("utf-16-be")):  # as JavaScript compares texts
        found: Sequence[int] = merged[word]
        known = len(found)
        if known > MOST:
            found = sorted(nsmallest(MOST, found, key=lambda one: (-weight_of(one), one)))
        numbers = list(map(place_of, found))
        steps = list(map(sub, numbers, [0, *numbers]))
        size = len(word) + 5 * len(numbers) + 10
        if held and letters + size > LETTERS:
            yield held[0][0], _words(held)
            held, letters = [], 0
        held.append((word, steps, list(map(weight_of, found)), known))
        letters += size
    if held:
        yield held[0][0], _words(held)


def _words(held: Sequence[tuple[str, list[int], list[int], int]]) -> bytes:
    words, steps, weights, known = zip(*held, strict=True)
    return to_json({"words": words, "records": steps, "weights": weights, "known": known}).encode()
