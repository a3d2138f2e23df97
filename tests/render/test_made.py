"""The texts of one collection lie one after the other, and each comes back as it was."""

from __future__ import annotations

import pickle

from atlas.render.made import Writing, read_links, read_text

TEXTS = ("", "γ and ε", "x" * 100_000, "line\r\nline\n", "γ and ε")


def test_every_text_comes_back_in_any_order() -> None:
    writing = Writing()
    added = [writing.add(text) for text in TEXTS]
    data = writing.data()
    assert [read_text(data, one) for one in reversed(added)] == list(reversed(TEXTS))
    assert len(data) == sum(one.length for one in added) < 2_000


def test_a_digest_tells_texts_apart_wherever_they_lie() -> None:
    writing = Writing()
    added = [writing.add(text) for text in TEXTS]
    assert added[1].digest == added[4].digest
    assert added[1].start != added[4].start
    assert len({one.digest for one in added}) == len(set(TEXTS))


def test_a_text_remembers_its_links_and_can_be_sent() -> None:
    writing = Writing()
    writing.add("before", ["not/this/"])
    added, none = writing.add("[a](b/)", ["b/", "c/é"]), writing.add("after")
    assert read_links(writing.data(), added) == {"b/", "c/é"}
    assert read_links(writing.data(), none) == frozenset()
    assert pickle.loads(pickle.dumps(added)) == added  # noqa: S301 - the test's own
