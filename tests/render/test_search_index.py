"""The index on disk, and what the browser's side finds in it while it brings few files."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from atlas.render.search_found import ALIAS, NAME, NUMBER, SYMBOL, TEXT, TITLE, grouped, weighted
from atlas.render.search_index import KINDS, LETTERS, MOST, PART, ROOT, SHOWN_TOGETHER, search_files
from atlas.render.site import FoundKind, SearchRecord

Ask = Callable[..., Any]
Find = Callable[..., list[str]]


def record(
    title: str, *texts: tuple[int, str], kind: FoundKind = "component", url: str = "", summary: str = ""
) -> SearchRecord:
    return SearchRecord(kind, url or f"{title.lower().replace(' ', '-')}/", title, "Somewhere", summary, texts)


def parsed(records: Iterable[SearchRecord]) -> dict[str, Any]:
    """The files' content by their last name."""
    files = {}
    for file in search_files(grouped(records)):
        assert isinstance(file.content, bytes)
        files[file.url.rpartition("/")[2]] = json.loads(file.content)
    return files


def looked_up(files: dict[str, Any]) -> dict[str, dict[int, int]]:
    """Each word with the weight that it has in each record, read back from the files."""
    words: dict[str, dict[int, int]] = {}
    root = files["index.json"]
    for first, name in zip(root["words"], root["files"], strict=True):
        file = files[f"{name}.json"]
        assert file["words"][0] == first
        for word, steps, weights in zip(file["words"], file["records"], file["weights"], strict=True):
            found, at = {}, 0
            for step, weight in zip(steps, weights, strict=True):
                at += step
                found[at] = weight
            words[word] = found
    return words


@pytest.fixture
def find(ask_search: Ask, tmp_path: Path) -> Find:
    """The titles that a query finds in some records, in the order in which they are shown."""

    def titles(query: str, records: Iterable[SearchRecord], *, details: bool = False) -> Any:
        for file in search_files(grouped(records)):
            assert isinstance(file.content, bytes)
            path = tmp_path / file.url
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.content)
        (answer,) = ask_search(site=str(tmp_path), queries=[query], shown=1000)["answers"]
        return answer if details else [one["title"] for group in answer["groups"] for one in group["records"]]

    return titles


def many(count: int) -> list[SearchRecord]:
    rng = random.Random(7)  # noqa: S311 - words of a test
    return [
        record(f"Part {number}", (NAME, f"model.{rng.randrange(count)}.q_{number % 97}"), (TEXT, "a common remark"))
        for number in range(count)
    ]


def test_the_files_hold_every_word_of_every_record_with_its_weight() -> None:
    records = many(500)
    words = looked_up(parsed(records))
    expected: dict[str, dict[int, int]] = {}
    for number, one in enumerate(records):
        for word, weight in weighted(one).items():
            expected.setdefault(word, {})[number] = weight
    assert words == expected
    assert list(words) == sorted(words)


def test_of_several_groups_the_index_is_that_of_all_their_records() -> None:
    records = [*many(40), record("G", kind="page"), *many(7), record("Part 3", (NAME, "q_1"), kind="model")]
    several = list(search_files(chain(grouped(records[:20]), grouped(records[20:]))))
    assert several == list(search_files(grouped(records)))
    assert len(list(grouped(records))) == 4
    assert several != list(search_files(grouped(records[1:])))


def test_records_are_numbered_by_kind_and_shown_by_number() -> None:
    records = [record("P", kind="page"), record("C"), record("M", kind="model"), record("D")]
    files = parsed(records)
    assert [[kind, count] for kind, _, count in files["index.json"]["kinds"] if count] == [
        ["model", 1],
        ["component", 2],
        ["page", 1],
    ]
    (name,) = files["index.json"]["shown"]
    assert [shown[1] for shown in files[f"{name}.json"]] == ["M", "C", "D", "P"]
    assert [kind for kind, _, _ in files["index.json"]["kinds"]] == list(KINDS)


def test_what_a_record_shows_lies_with_few_neighbours() -> None:
    files = parsed(many(SHOWN_TOGETHER + 1))
    shown = [files[f"{name}.json"] for name in files["index.json"]["shown"]]
    assert [len(one) for one in shown] == [SHOWN_TOGETHER, 1]
    assert shown[1][0] == ["part-16/", "Part 16", "Somewhere", ""]


def test_equal_records_give_equal_files_and_no_name_stands_for_two_contents() -> None:
    first, again, other = (list(search_files(grouped(many(count)))) for count in (40, 40, 41))
    assert first == again
    contents: dict[str, set[object]] = {}
    for file in (*first, *other):
        contents.setdefault(file.url, set()).add(file.content)
    assert len(contents.pop(ROOT)) == 2
    assert all(map(PART.fullmatch, contents))
    assert not any(map(PART.fullmatch, (ROOT, "search/index.html", "search/waffle.json", "w0123456789ab.json")))
    assert {len(one) for one in contents.values()} == {1}
    assert len(contents) > len(first)


def test_a_record_that_is_said_twice_lies_in_one_file_and_is_shown_twice(find: Find) -> None:
    records = [record("Same", (NAME, "same_name"))] * (3 * SHOWN_TOGETHER)
    root = parsed(records)["index.json"]
    assert len(root["shown"]) == 3
    assert len(set(root["shown"])) == 1
    assert find("same_name", records) == ["Same"] * len(records)


@pytest.mark.parametrize("added", ["aa", "zzz", "model.zoo", "model.731.q_23", "0"])
def test_words_more_in_one_record_leave_nearly_all_files_as_they_are(added: str) -> None:
    records = many(5_000)
    before = {file.url for file in search_files(grouped(records))}
    edited = [*records[:2_500], replace(records[2_500], texts=(*records[2_500].texts, (NAME, added))), *records[2_501:]]
    assert len(before) > 300
    assert len(before - {file.url for file in search_files(grouped(edited))}) <= 8


def test_no_file_of_words_grows_with_the_atlas() -> None:
    sizes = [
        len(file.content)
        for file in search_files(grouped(many(5_000)))
        if isinstance(file.content, bytes) and file.url.rpartition("/")[2].startswith("w")
    ]
    assert len(sizes) > 10
    assert max(sizes) < 2 * LETTERS
    assert 0.7 * LETTERS < sum(sizes) / len(sizes) < 1.5 * LETTERS


def test_of_a_word_that_too_many_have_those_are_known_that_it_fits_best() -> None:
    records = [*many(MOST + 50), record("Remark")]
    files = parsed(records)
    found = looked_up(files)["remark"]
    assert len(found) == MOST
    assert found[MOST + 50] == TITLE
    file = next(file for name, file in files.items() if name.startswith("w") and "remark" in file["words"])
    assert file["known"][file["words"].index("remark")] == MOST + 51


def test_an_atlas_without_pages_has_an_index_that_finds_nothing(find: Find) -> None:
    assert find("anything", []) == []


def test_a_word_of_a_short_title_weighs_more_and_running_text_is_no_name() -> None:
    found = weighted(record("Layer of norms", (ALIAS, "LN"), (SYMBOL, "a"), (TEXT, "a remark on norms")))
    alone = weighted(record("Norms"))
    assert alone["norms"] == TITLE > found["norms"] > found["remark"] == TEXT
    assert "of" not in found
    assert found["a"] == SYMBOL
    assert "layerofnorms" not in found
    assert weighted(record("Layer normalization"))["layernormalization"] == round(0.75 * TITLE / 2)


WORLD = (
    record("RMSNorm", (NAME, "rms_norm"), (SYMBOL, r"\gamma"), (NUMBER, "4,096")),
    record("LayerNorm", (NAME, "layer_norm"), (SYMBOL, r"\gamma_2"), (NUMBER, "512")),
    record("Queries of all heads", (NAME, "self_attn.q_proj.weight")),
    record("Causal grouped-query attention", (ALIAS, "GQA")),
    record("Feed-forward network", (ALIAS, "FFN")),
    record("Norm of a proj", (TEXT, "something with q and other things")),
    record("Mixtral", (TEXT, "attention of grouped heads"), kind="model"),
    record("γ", (SYMBOL, r"\gamma"), kind="symbol", summary="learned gain"),
)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("RMSNorm", "RMSNorm"),
        ("rmsnorm", "RMSNorm"),
        ("rms norm", "RMSNorm"),
        ("rms-norm", "RMSNorm"),
        ("rms_norm", "RMSNorm"),
        ("q_proj", "Queries of all heads"),
        ("self_attn.q_proj.weight", "Queries of all heads"),
        ("GQA", "Causal grouped-query attention"),
        ("grouped query attention", "Causal grouped-query attention"),
        ("grouped-query", "Causal grouped-query attention"),
        ("heads-queries", "Queries of all heads"),
        ("proj.q", "Norm of a proj"),
        ("feedforward", "Feed-forward network"),
        ("feed-forward", "Feed-forward network"),
        ("the network of the feed", "Feed-forward network"),
        ("512", "LayerNorm"),
        ("4096", "RMSNorm"),
        ("4,096", "RMSNorm"),
        (r"\gamma", "γ"),
        ("gamma", "γ"),
        ("Γ", "γ"),
        (r"\gamma_2", "LayerNorm"),
        ("gain", "γ"),
        ("layerrnorm", "LayerNorm"),
        ("lyaernorm", "LayerNorm"),
        ("laiernorm", "LayerNorm"),
        ("mixt", "Mixtral"),
    ],
)
def test_what_is_typed_finds_what_is_meant_first(find: Find, query: str, first: str) -> None:
    assert find(query, WORLD)[0] == first


@pytest.mark.parametrize("query", ["zzzz", "?", " ", "_", "\\", "the"])
def test_what_is_not_there_is_not_found(find: Find, query: str) -> None:
    assert find(query, WORLD) == []


def test_records_with_all_words_are_found_and_only_where_there_is_none_those_with_some(find: Find) -> None:
    assert find("attention grouped", WORLD) == ["Causal grouped-query attention", "Mixtral"]
    assert find("mixtral gqa", WORLD) == ["Mixtral", "Causal grouped-query attention"]


def test_equally_good_records_stand_in_the_order_of_the_site(find: Find) -> None:
    records = [record("One", (NAME, "scaleb")), record("Two", (NAME, "scalea"))]
    assert find("scale", records) == ["One", "Two"]


def test_words_that_begin_alike_are_found_though_they_lie_in_several_files(find: Find) -> None:
    letters = str.maketrans("0123456789", "abcdefghij")
    records = [record(f"R {number}", (NAME, f"word{number:05}".translate(letters))) for number in range(1_400)]
    files = parsed(records)
    assert sum("word" in "".join(file["words"]) for name, file in files.items() if name.startswith("w")) > 1
    answer: Any = find("word", records, details=True)
    assert answer["groups"][0]["count"] == len(records)
    assert not answer["isPart"]


def test_where_words_that_begin_alike_lie_in_many_files_an_answer_says_that_there_are_more(find: Find) -> None:
    letters = str.maketrans("0123456789", "abcdefghij")
    names = [f"word{number:05}".translate(letters) for number in range(6_000)]
    records = [record("R", (NAME, name)) for name in names]
    last = record("Last", (NAME, names[-1]), (NAME, "zebra"))
    answer: Any = find("word", [*records, last], details=True)
    assert answer["isPart"]
    assert sum(name.startswith("search/w") for name, _ in answer["files"]) == 3
    assert 1_000 < answer["groups"][0]["count"] < len(records)
    assert find("word zebra", [*records, last])[0] == "Last"
    for whole in (names[-1], "w"):
        answer = find(whole, [*records, last], details=True)
        assert not answer["isPart"]


def test_a_word_too_common_to_list_excludes_nothing(find: Find) -> None:
    records = [*(record(f"Remark {number}") for number in range(MOST)), record("Rare", (TEXT, "a remark"))]
    assert find("remark rare", records) == ["Rare"]


def test_an_answer_says_by_which_words_it_came(find: Find) -> None:
    answer: Any = find("q_proj", WORLD, details=True)
    assert [group["kind"] for group in answer["groups"]] == ["component"]
    assert answer["groups"][0]["records"][0] == {
        "url": "queries-of-all-heads/",
        "title": "Queries of all heads",
        "where": "Somewhere",
        "summary": "",
        "terms": ["q_proj"],
    }


def test_a_query_brings_few_small_files_of_a_large_index(ask_search: Ask, tmp_path: Path) -> None:
    for file in search_files(grouped(many(10_000))):
        assert isinstance(file.content, bytes)
        path = tmp_path / file.url
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)
    queries = ["q_13", "common", "model", "part 77", "m"]
    for answer in ask_search(site=str(tmp_path), queries=queries)["answers"]:
        assert answer["query"] == "m" or answer["groups"]
        assert len(answer["files"]) <= 12, answer["query"]
        assert sum(size for _, size in answer["files"]) < 40_000, answer["query"]
