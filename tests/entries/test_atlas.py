"""What an atlas is asked of its files."""

from __future__ import annotations

import pytest

from atlas.entries.atlas import texts_of_key
from atlas.entries.tree import parse


@pytest.mark.parametrize(
    ("written", "texts"),
    [
        ("source: a\n", ["a"]),
        ("source: [a]\nsources: b\nother: source\n", []),
        ("source: 5\nother: {source: {source: a}}\n", ["a"]),
        ("one: [{source: a}, [{source: b}, {source: a}]]\n", ["a", "a", "b"]),
        ("one: &one {source: a}\nother: [*one, {of: *one}]\n", ["a", "a", "a"]),
    ],
)
def test_the_texts_under_a_key_are_found_at_any_depth(written: str, texts: list[str]) -> None:
    document, issues = parse(written, "content/a.yml")
    assert issues == []
    assert document is not None
    assert sorted(texts_of_key("source", document)) == texts
