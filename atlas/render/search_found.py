"""Search records → groups that an index merges: what is shown of each, and the words by which it is found, packed.

To read texts is nearly all the work of an index, so it is done where a record is made and kept with it; a group stays
the same until something in it changes, and ten thousand records need a few megabytes.
"""

from __future__ import annotations

import json
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import groupby, pairwise

from atlas.render.search_words import PART, WHOLE, terms, words
from atlas.render.site import FoundGroup, FoundKind, SearchRecord

_FILLING = """
    a an and are as at be by each for from has have how in into is it its of on one or that the their then this to what
    where which with
"""
TEXTS = 2_000
"""How many texts are remembered with what their words weigh: one record after the other has the same."""
IGNORED = frozenset(_FILLING.split())
"""Words of running text that tell nothing."""

TITLE, ALIAS, NAME, SYMBOL, NUMBER, SUMMARY, TEXT = 40, 30, 24, 16, 12, 6, 3
"""What a word weighs by where it stands."""
_RUNNING = (TITLE, ALIAS, SUMMARY, TEXT)
"""Weights of texts that are sentences, whose every word need not tell something."""


PACKED = "I"
"""The type code of the arrays in a group: whole numbers of 32 bits."""
_BITS = 8
"""How many bits of a number hold a word's weight; those above hold the record's place."""
_WEIGHT = (1 << _BITS) - 1


def packed(place: int, weight: int) -> int:
    """A record's place and a word's weight in it as one number; equal weights are in the order of the places."""
    return (place << _BITS) + weight


def place_of(number: int) -> int:
    """The record's place in such a number."""
    return number >> _BITS


def weight_of(number: int) -> int:
    """The word's weight in such a number."""
    return number & _WEIGHT


def grouped(records: Iterable[SearchRecord]) -> Iterator[FoundGroup]:
    """The records in their order, a group for each run of one kind."""
    for _, run in groupby(records, key=lambda one: one.kind):
        yield _group(list(run))


def shown(group: FoundGroup) -> Iterator[tuple[str, str, str, str]]:
    """What is shown of each record: address, title, what it belongs to, summary."""
    for line in group.shown.split("\n"):
        url, title, where, summary = json.loads(line)
        yield url, title, where, summary


def postings(group: FoundGroup, first: int = 0) -> Iterator[tuple[str, array[int]]]:
    """For each word of a group: a number for each record that has it, its place and below that the word's weight.

    The place of the group's first record is `first`.
    """
    counts, every = array(PACKED, group.counts), array(PACKED, group.postings)
    if first:
        further = packed(first, 0)
        every = array(PACKED, [one + further for one in every])
    start = 0
    for word, count in zip(group.words.split("\n") if group.words else (), counts, strict=True):
        yield word, every[start : start + count]
        start += count


def only(group: FoundGroup, pages: Collection[str]) -> FoundGroup | None:
    """The records of a group that stand on some pages; None where that is none of them."""
    kept = [number for number, one in enumerate(shown(group)) if one[0].partition("#")[0] in pages]
    if len(kept) == group.count:
        return group
    if not kept:
        return None
    places = {old: new for new, old in enumerate(kept)}
    found: dict[str, array[int]] = {}
    for word, every in postings(group):
        of_kept = [(place_of(one), weight_of(one)) for one in every if place_of(one) in places]
        if of_kept:
            found[word] = array(PACKED, (packed(places[place], weight) for place, weight in of_kept))
    lines = group.shown.split("\n")
    also = tuple((places[place], name) for place, name in group.also if place in places)
    return _of(group.kind, [lines[number] for number in kept], found, also)


def weighted(record: SearchRecord) -> dict[str, int]:
    """Every word by which a record is found, with its weight; a word of a short title weighs more."""
    found: dict[str, int] = {}
    # Most components have most of their axes in several arrays.
    for weight, text in dict.fromkeys(((TITLE, record.title), *record.texts, (SUMMARY, record.summary))):
        told, joined = _told(weight, text)
        for term, share in told:
            if share > found.get(term, 0):
                found[term] = share
        for term, share in joined:
            found.setdefault(term, share)
    return found


@lru_cache(maxsize=TEXTS)
def _told(weight: int, text: str) -> tuple[tuple[tuple[str, int], ...], tuple[tuple[str, int], ...]]:
    """The words of a text and those that it might be searched by too, each with what it weighs."""
    told = terms(text)
    if weight in _RUNNING:
        told = {term: share for term, share in told.items() if term not in IGNORED} or told
    is_name = weight in (TITLE, ALIAS)
    full = weight * (0.5 + 0.5 / max(1, len(text.split()))) if is_name else weight
    joined = tuple((one, round(full / 2)) for one in _joined(text)) if is_name else ()
    shares = {share: round(full * share) for share in (WHOLE, PART)}
    return tuple((term, shares[share]) for term, share in told.items()), joined


def _joined(title: str) -> Iterator[str]:
    """Neighbouring words written as one, as people do: `layernormalization`."""
    for left, right in pairwise(word for word in words(title) if word.isalpha()):
        yield left + right


def _group(records: list[SearchRecord]) -> FoundGroup:
    found: dict[str, array[int]] = defaultdict(lambda: array(PACKED))
    for place, record in enumerate(records):
        for word, weight in weighted(record).items():
            found[word].append(packed(place, weight))
    lines = [to_json([one.url, one.title, one.where, one.summary]) for one in records]
    also = tuple(
        (place, text)
        for place, record in enumerate(records)
        if record.kind == "operator"
        for weight, text in record.texts
        if weight == ALIAS
    )
    return _of(records[0].kind, lines, found, also)


def _of(
    kind: FoundKind, lines: list[str], found: Mapping[str, array[int]], also: tuple[tuple[int, str], ...]
) -> FoundGroup:
    counts = array(PACKED, map(len, found.values()))
    every = b"".join(one.tobytes() for one in found.values())
    return FoundGroup(kind, len(lines), "\n".join(lines), "\n".join(found), counts.tobytes(), every, also)


def to_json(value: object) -> str:
    """A value as the index's files hold it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
