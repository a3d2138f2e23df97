"""Search records → a static index of small files, of which a reader's browser brings the few that a query needs.

Words lie in files by the alphabet and what is shown of a page in files of its neighbours, so what one query downloads
does not grow with the atlas. (Pagefind, a ready-made index, was measured at 10,000 pages: 165 KB for a first query, of
which the list of all pages grows with them, 10,000 files, WebAssembly in the security policy, a binary per system.)
"""

from __future__ import annotations

import hashlib
import json
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
from itertools import pairwise
from types import MappingProxyType

from atlas.render.search_words import terms, words
from atlas.render.site import FoundKind, SearchRecord, SiteAsset

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
_FILLING = """
    a an and are as at be by each for from has have how in into is it its of on one or that the their then this to what
    where which with
"""
IGNORED = frozenset(_FILLING.split())
"""Words of running text that tell nothing."""

TITLE, ALIAS, NAME, SYMBOL, NUMBER, SUMMARY, TEXT = 40, 30, 24, 16, 12, 6, 3
"""What a word weighs by where it stands."""
_RUNNING = (TITLE, ALIAS, SUMMARY, TEXT)
"""Weights of texts that are sentences, whose every word need not tell something."""


def search_files(records: Iterable[SearchRecord]) -> Iterator[SiteAsset]:
    """The files of the index.

    `ROOT` holds `folder`, where the others are; `kinds`, the number of records of each kind, which are numbered in that
    order; `words`, the first word of each file of words; `together`, how many records a file of texts holds; `ignored`.
    `w0.json` and so on hold `words` in order with, for each, the `records` that have it (each number less the one
    before), their `weights`, and in `known` the number of records that have it. `r0.json` and so on hold url, title,
    where and summary of each record.
    """
    by_kind: dict[FoundKind, list[SearchRecord]] = {kind: [] for kind in KINDS}
    for record in records:
        by_kind[record.kind].append(record)
    ordered = [record for kind in KINDS for record in by_kind[kind]]
    files: dict[str, bytes] = {}
    first: list[str] = []
    for number, (word, content) in enumerate(_word_files(_postings(ordered))):
        first.append(word)
        files[f"w{number}.json"] = content
    for number, begin in enumerate(range(0, len(ordered), SHOWN_TOGETHER)):
        shown = [[one.url, one.title, one.where, one.summary] for one in ordered[begin : begin + SHOWN_TOGETHER]]
        files[f"r{number}.json"] = _json(shown)
    digest = hashlib.sha256(b"".join(files.values())).hexdigest()[:16]  # a new site never meets an old cached file
    root = {
        "folder": digest,
        "kinds": [[kind, title, len(by_kind[kind])] for kind, title in KINDS.items()],
        "together": SHOWN_TOGETHER,
        "words": first,
        "ignored": sorted(IGNORED),
    }
    yield SiteAsset(ROOT, _json(root))
    for name, content in files.items():
        yield SiteAsset(f"search/{digest}/{name}", content)


def weighted(record: SearchRecord) -> dict[str, int]:
    """Every word by which a record is found, with its weight; a word of a short title weighs more."""
    found: dict[str, int] = {}
    for weight, text in ((TITLE, record.title), *record.texts, (SUMMARY, record.summary)):
        told = terms(text)
        if weight in _RUNNING:
            told = {term: share for term, share in told.items() if term not in IGNORED} or told
        is_name = weight in (TITLE, ALIAS)
        full = weight * (0.5 + 0.5 / max(1, len(text.split()))) if is_name else weight
        for term, share in told.items():
            found[term] = max(found.get(term, 0), round(full * share))
        if is_name:
            for joined in _joined(text):
                found.setdefault(joined, round(full / 2))
    return found


def _joined(title: str) -> Iterator[str]:
    """Neighbouring words written as one, as people do: `layernormalization`."""
    for left, right in pairwise(word for word in words(title) if word.isalpha()):
        yield left + right


def _postings(records: Sequence[SearchRecord]) -> dict[str, array[int]]:
    """For each word: a record's number and the word's weight in it, one after the other."""
    postings: dict[str, array[int]] = defaultdict(lambda: array("L"))
    for number, record in enumerate(records):
        for term, weight in weighted(record).items():
            postings[term].extend((number, weight))
    return postings


def _word_files(postings: Mapping[str, array[int]]) -> Iterator[tuple[str, bytes]]:
    """The files of words, each with its first word."""
    held: list[tuple[str, list[int], list[int], int]] = []
    letters = 0
    for word in sorted(postings, key=lambda one: one.encode("utf-16-be")):  # as JavaScript compares texts
        posting = postings[word]
        pairs = list(zip(posting[::2], posting[1::2], strict=True))
        known = len(pairs)
        if known > MOST:
            pairs = sorted(nsmallest(MOST, pairs, key=lambda pair: (-pair[1], pair[0])))
        numbers = [number for number, _ in pairs]
        steps = [number - before for number, before in zip(numbers, [0, *numbers], strict=False)]
        size = len(word) + 5 * len(pairs) + 10
        if held and letters + size > LETTERS:
            yield held[0][0], _words(held)
            held, letters = [], 0
        held.append((word, steps, [weight for _, weight in pairs], known))
        letters += size
    if held:
        yield held[0][0], _words(held)


def _words(held: Sequence[tuple[str, list[int], list[int], int]]) -> bytes:
    words, steps, weights, known = zip(*held, strict=True)
    return _json({"words": words, "records": steps, "weights": weights, "known": known})


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
