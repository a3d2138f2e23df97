"""What search finds → a static index of small files, of which a reader's browser brings the few that a query needs.

Words lie in files by the alphabet and what is shown of a page in files of its neighbours, so a query brings few;
each is named by its content, so that an edit leaves most. (Pagefind, a ready-made index, was measured at 10,000 pages:
165 KB for a first query, of which the list of all pages grows with them, 10,000 files, a binary per system.)
"""

from __future__ import annotations

import hashlib
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
from operator import sub
from types import MappingProxyType
from zlib import crc32

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
PART = re.compile(r"search/[wr][0-9a-f]{12}\.json")
"""The path of any other."""
SHOWN_TOGETHER = 16
"""How many records' texts lie in one file."""
LETTERS = 16_000
"""How many letters a file of words holds, before compression, or up to a quarter more."""
ENDS_BEFORE = 64
"""A file that has enough ends before one word of so many: the word says so itself, and not what is before it, so that a
word more or less changes where the next few files begin and no others."""
MOST = 2_000
"""In how many records a word is looked up; one that more have tells little and is known of those that it fits best."""


def search_files(groups: Iterable[FoundGroup]) -> Iterator[SiteAsset]:
    """The files of the index.

    `ROOT` holds `kinds`, the number of records of each kind, which are numbered in that order; `words`, the first word
    of each file of words; `files`, the names of these; `shown`, those of the files of texts; `together`, how many
    records one of these holds; `ignored`. A file of words holds `words` in order with, for each, the `records` that
    have it (each number less the one before), their `weights`, and in `known` the number of records that have it; one
    of texts url, title, where and summary of each record.
    """
    by_kind: dict[FoundKind, list[FoundGroup]] = {kind: [] for kind in KINDS}
    for group in groups:
        by_kind[group.kind].append(group)
    ordered = [group for kind in KINDS for group in by_kind[kind]]
    first: list[str] = []
    words: dict[str, bytes] = {}
    for word, content in _word_files(_merged(ordered)):
        first.append(word)
        words[_name("w", content)] = content
    lines = [line for group in ordered for line in group.shown.split("\n")]
    texts = [
        f"[{','.join(lines[begin : begin + SHOWN_TOGETHER])}]".encode()
        for begin in range(0, len(lines), SHOWN_TOGETHER)
    ]
    shown = [_name("r", content) for content in texts]
    root = {
        "kinds": [[kind, title, sum(group.count for group in by_kind[kind])] for kind, title in KINDS.items()],
        "together": SHOWN_TOGETHER,
        "words": first,
        "files": list(words),
        "shown": shown,
        "ignored": sorted(IGNORED),
    }
    yield SiteAsset(ROOT, to_json(root).encode())
    for name, content in (words | dict(zip(shown, texts, strict=True))).items():
        yield SiteAsset(f"search/{name}.json", content)


def _name(kind: str, content: bytes) -> str:
    """What a file is called: a site never meets another one's file of the same name that a browser has kept."""
    return kind + hashlib.sha256(content).hexdigest()[:12]


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
        is_last = letters > LETTERS and crc32(word.encode()) % ENDS_BEFORE == 0
        if held and (is_last or letters + size > LETTERS * 5 // 4):
            yield held[0][0], _words(held)
            held, letters = [], 0
        held.append((word, steps, list(map(weight_of, found)), known))
        letters += size
    if held:
        yield held[0][0], _words(held)


def _words(held: Sequence[tuple[str, list[int], list[int], int]]) -> bytes:
    words, steps, weights, known = zip(*held, strict=True)
    return to_json({"words": words, "records": steps, "weights": weights, "known": known}).encode()
