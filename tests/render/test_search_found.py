"""Groups of what search finds: nothing of a record is lost in them, and parts of a site have what the whole has."""

from __future__ import annotations

import pickle
import random
from collections.abc import Iterable

import pytest

from atlas.render.search_found import (
    ALIAS,
    NAME,
    TEXT,
    TITLE,
    grouped,
    only,
    packed,
    place_of,
    postings,
    shown,
    weight_of,
    weighted,
)
from atlas.render.site import FoundGroup, FoundKind, SearchRecord

Told = tuple[str, tuple[str, ...], dict[str, int]]
"""Kind, what is shown, and words of a record."""


def record(number: int, kind: FoundKind = "component") -> SearchRecord:
    rng = random.Random(number)  # noqa: S311 - words of a test
    texts = ((NAME, f"layer.{rng.randrange(5)}.q_proj"), (TEXT, f"a remark in\n{number} lines"), (ALIAS, f"N{number}"))
    return SearchRecord(kind, f"page-{number // 2}/#{number}", f"Näme “{number}”", f"In\t{number}", "\u2028 Ω", texts)


def read(groups: Iterable[FoundGroup]) -> list[Told]:
    found: list[Told] = []
    for group in groups:
        words: list[dict[str, int]] = [{} for _ in range(group.count)]
        for word, numbers in postings(group):
            assert list(map(place_of, numbers)) == sorted({*map(place_of, numbers)})
            for one in numbers:
                words[place_of(one)][word] = weight_of(one)
        found += [(group.kind, one, of_one) for one, of_one in zip(shown(group), words, strict=True)]
    return found


def told(records: Iterable[SearchRecord]) -> list[Told]:
    return [(one.kind, (one.url, one.title, one.where, one.summary), weighted(one)) for one in records]


def test_a_group_holds_what_is_shown_of_each_record_and_every_word_with_its_weight() -> None:
    records = [record(number) for number in range(60)]
    (group,) = grouped(records)
    assert read([group]) == told(records)
    assert group.count == 60
    assert max(weight_of(one) for _, numbers in postings(group) for one in numbers) < TITLE


def test_each_run_of_one_kind_is_a_group_in_the_order_of_the_records() -> None:
    kinds: list[FoundKind] = ["model", "component", "component", "model", "page"]
    records = [record(number, kind) for number, kind in enumerate(kinds)]
    groups = list(grouped(records))
    assert [(one.kind, one.count) for one in groups] == [("model", 1), ("component", 2), ("model", 1), ("page", 1)]
    assert read(groups) == told(records)
    assert list(grouped([])) == []


def test_other_names_of_operators_alone_are_kept_for_the_alphabetical_index() -> None:
    (component, operators) = grouped([record(0), record(1, "operator"), record(2, "operator")])
    assert component.also == ()
    assert operators.also == ((0, "N1"), (1, "N2"))


def test_a_record_without_a_word_is_shown_all_the_same() -> None:
    (group,) = grouped([SearchRecord("page", "a/", "–", "", "")])
    assert read([group]) == [("page", ("a/", "–", "", ""), {})]


@pytest.mark.parametrize("kind", ["component", "operator"])
def test_of_a_group_the_records_of_some_pages_are_as_if_there_were_no_others(kind: FoundKind) -> None:
    records = [record(number, kind) for number in range(20)]
    (group,) = grouped(records)
    pages = {"page-1/", "page-7/", "page-8/"}
    kept = only(group, pages)
    assert kept is not None
    (alone,) = grouped([one for one in records if one.url.partition("#")[0] in pages])
    assert read([kept]) == read([alone])
    assert kept.also == alone.also
    assert kept.count == 6
    assert only(group, {f"page-{number}/" for number in range(10)}) is group
    assert only(group, {"page-99/"}) is None


def test_a_group_is_what_a_pickle_holds_and_is_small() -> None:
    groups = list(grouped(record(number) for number in range(200)))
    written = pickle.dumps(groups)
    assert pickle.loads(written) == groups  # noqa: S301 - made here
    words = sum(len(numbers) for group in groups for _, numbers in postings(group))
    assert len(written) < 200 * 150 + words * 8


def test_a_place_and_a_weight_are_one_number_and_places_can_be_moved() -> None:
    number = packed(70_000, TITLE)
    assert (place_of(number), weight_of(number)) == (70_000, TITLE)
    assert packed(5, 0) + packed(7, 12) == packed(12, 12)
    assert packed(1, 3) < packed(2, 3)
