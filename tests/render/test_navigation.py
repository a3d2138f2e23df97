from __future__ import annotations

import pytest

from atlas.render.navigation import linked_pages, navigation, replaced, source_paths, window
from atlas.render.site import NavSection

MODEL, ENCODER, DECODER = (
    NavSection(*pair) for pair in (("Model", "m/"), ("Encoder", "m/enc/"), ("Decoder", "m/dec/"))
)


def test_a_page_with_others_below_it_is_the_index_of_its_folder() -> None:
    urls = ["", "a/", "a/b/", "a/b/c/", "d/", "e/", "f/index/"]
    assert source_paths(urls, ["e/notes/prose.md", "g.md"]) == {
        "": "index.md",
        "a/": "a/index.md",
        "a/b/": "a/b/index.md",
        "a/b/c/": "a/b/c.md",
        "d/": "d.md",
        "e/": "e/index.md",
        "f/index/": "f/index/index.md",
    }


def test_sections_hold_entities_in_order_then_prose_and_begin_with_their_index() -> None:
    entities = [
        ("m/enc/b.md", (MODEL, ENCODER)),
        ("m/index.md", (MODEL,)),
        ("m/enc/a.md", (MODEL, ENCODER)),
        ("m/dec/c.md", (MODEL, DECODER)),
        ("glossary.md", ()),
    ]
    prose = ["README.md", "about.md", "m/enc/notes.md", "m/enc/deep/er.md", "x/index.md"]
    assert navigation(entities, prose, {"deep": "Deep", "x": "X"}) == [
        "README.md",
        {
            "Model": [
                "m/index.md",
                {"Encoder": ["m/enc/b.md", "m/enc/a.md", "m/enc/notes.md", {"Deep": ["m/enc/deep/er.md"]}]},
                {"Decoder": ["m/dec/c.md"]},
            ]
        },
        "glossary.md",
        "about.md",
        {"X": ["x/index.md"]},
    ]


def test_sections_with_one_title_are_told_apart_by_their_key() -> None:
    entities = [("a/x.md", (NavSection("Same", "a/"),)), ("b/y.md", (NavSection("Same", "b/"),))]
    assert navigation(entities, ["c/z.md"], {"c": "Same"}) == [
        {"Same": ["a/x.md"]},
        {"Same": ["b/y.md"]},
        {"Same": ["c/z.md"]},
    ]


def test_pages_stand_in_the_order_in_which_their_index_links_to_them() -> None:
    entities = [("c/codes.md", (NavSection("C", "c/"),)), ("c/entries.md", (NavSection("C", "c/"),))]
    prose = ["c/a.md", "c/index.md", "c/other.md", "c/tutorial.md", "d/a.md", "d/b.md"]
    linked = {"c/index.md": ["c/tutorial.md", "d/b.md", "c/entries.md", "c/codes.md", "c/tutorial.md", "c/a.md"]}
    assert navigation(entities, prose, {"d": "D"}, linked) == [
        {"C": ["c/index.md", "c/tutorial.md", "c/entries.md", "c/codes.md", "c/a.md", "c/other.md"]},
        {"D": ["d/a.md", "d/b.md"]},
    ]


def test_links_of_an_index_are_paths_of_files() -> None:
    text = "[one](one.md), [two](../two.md#part), ![no](x.png), [there](https://example.org/) and [one](sub/three.md)"
    assert linked_pages("c/index.md", text) == ["c/one.md", "two.md", "c/sub/three.md"]


@pytest.mark.parametrize(
    ("count", "at", "shown"),
    [(0, 0, (0, 0)), (4, 3, (0, 4)), (9, 0, (0, 4)), (9, 2, (0, 4)), (9, 5, (3, 7)), (9, 8, (5, 9))],
)
def test_a_window_is_around_what_is_at_hand_and_always_full(count: int, at: int, shown: tuple[int, int]) -> None:
    assert window(count, at, 4) == range(*shown)


def test_paths_of_a_written_navigation_are_replaced_with_their_titles_known() -> None:
    seen: list[tuple[str, str | None]] = []

    def path(found: str, title: str | None) -> str:
        seen.append((found, title))
        return found.upper()

    nav = ["a", {"B": "b"}, {"C": ["c", {"D": "d"}, None]}]
    assert replaced(nav, path) == ["A", {"B": "B"}, {"C": ["C", {"D": "D"}, None]}]
    assert seen == [("a", None), ("b", "B"), ("c", None), ("d", "D")]
