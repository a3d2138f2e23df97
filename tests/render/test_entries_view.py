"""The page of entries: every key of every schema class, with what its value may be and where it is explained."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
import yaml

from atlas.entries.base import Record
from atlas.entries.schemas import entry_schemas
from atlas.render.entries_view import EntryKey, EntryRecord, entries_view

VIEW = entries_view()
RECORDS = {record.anchor: record for record in (*VIEW.kinds, *VIEW.parts)}


def text(key: EntryKey) -> str:
    return "".join(part.text for part in key.type)


def key(record: str, name: str) -> EntryKey:
    return next(one for one in RECORDS[record].keys if one.name == name)


def schemas() -> Iterator[tuple[str, dict[str, object], list[str]]]:
    """Each JSON Schema of an object that editors are given: its anchor, its properties and the needed ones."""
    for kind, schema in entry_schemas().items():
        yield kind, schema["properties"], schema.get("required", [])
        for name, inner in schema.get("$defs", {}).items():
            yield re.sub("(?<=[a-z])(?=[A-Z])", "-", name).lower(), inner["properties"], inner.get("required", [])


@pytest.mark.parametrize(("anchor", "properties", "needed"), list(schemas()))
def test_every_key_that_editors_know_is_on_the_page(
    anchor: str, properties: dict[str, dict[str, str]], needed: list[str]
) -> None:
    record = RECORDS[anchor]
    assert [one.name for one in record.keys] == list(properties)
    assert [one.name for one in record.keys if one.is_needed] == needed
    for one in record.keys:
        said = " ".join(f"{'`' * is_code}{piece}{'`' * is_code}" for piece, is_code in one.meaning)
        assert said.replace(" ", "") == re.sub(r"\s", "", properties[one.name]["description"])
        assert text(one)


def test_every_schema_class_is_on_the_page() -> None:
    ours = [schema for schema in Record.__subclasses__() if schema.__module__.startswith("atlas.entries.")]
    assert len(RECORDS) == len(ours)


def test_anchors_are_distinct_and_links_lead_to_one() -> None:
    anchors = [*RECORDS, *(one.anchor for record in RECORDS.values() for one in record.keys)]
    assert len({*anchors}) == len(anchors)
    linked = {part.anchor for record in RECORDS.values() for one in record.keys for part in one.type if part.anchor}
    assert linked == {record.anchor for record in VIEW.parts}
    for record in VIEW.parts:
        for name, anchor in record.used:
            assert anchor in anchors
            assert any(part.anchor == record.anchor for part in key(*_split(name)).type)


def _split(name: str) -> tuple[str, str]:
    record, _, inner = name.rpartition(".")
    return record.replace(" ", "-").lower(), inner


@pytest.mark.parametrize(
    ("record", "name", "expected"),
    [
        ("component", "title", "a text"),
        ("component", "base", "0 or 1"),
        ("component", "arguments", "a mapping, each key a name as Python writes it, each value a number or true or "
         "false or a text"),
        ("component", "sources", "a list of at least one, each item a source claim"),
        ("component", "api", "an API"),
        ("symbol", "between", "a list of two, each item a size such as 512 or h d_v"),
        ("symbol", "shards", "a whole number from 2 to 10,000"),
        ("paper", "year", "a whole number from 1943 to 2100"),
        ("source-claim", "lines", "a line or a range of lines such as 59-61"),
        ("upstream", "settings", "a mapping, each key a name as Python writes it, each value any value"),
    ],
)  # fmt: skip
def test_what_a_value_may_be_is_said_in_words(record: str, name: str, expected: str) -> None:
    assert text(key(record, name)) == expected


def test_what_holds_where_a_key_is_left_out_is_said() -> None:
    found = {
        (anchor, one.name): one.default for anchor, record in RECORDS.items() for one in record.keys if one.default
    }
    assert found["component", "base"] == "1"
    assert found["source-claim", "evidence"] == "direct"
    assert found["stack", "shares_weights"] == "false"
    assert ("component", "note") not in found


@pytest.mark.parametrize("record", VIEW.kinds, ids=lambda record: record.anchor)
def test_each_kind_has_an_example_that_its_schema_accepts(record: EntryRecord) -> None:
    lines = [re.sub(r"<[^>]+>", "", str(line.html)) for line in record.example]
    example = "\n".join(lines).replace("&#39;", "'").replace("&amp;", "&").replace("&gt;", ">").replace("&lt;", "<")
    assert {*yaml.safe_load(example)} <= {one.name for one in record.keys}
    assert record.files
