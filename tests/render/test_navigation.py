from __future__ import annotations

from atlas.render.navigation import navigation, replaced, source_paths


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
        ("m/enc/b.md", ("Model", "Encoder")),
        ("m/index.md", ("Model",)),
        ("m/enc/a.md", ("Model", "Encoder")),
        ("m/dec/c.md", ("Model", "Decoder")),
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


def test_paths_of_a_written_navigation_are_replaced_with_their_titles_known() -> None:
    seen: list[tuple[str, str | None]] = []

    def path(found: str, title: str | None) -> str:
        seen.append((found, title))
        return found.upper()

    nav = ["a", {"B": "b"}, {"C": ["c", {"D": "d"}, None]}]
    assert replaced(nav, path) == ["A", {"B": "B"}, {"C": ["C", {"D": "D"}, None]}]
    assert seen == [("a", None), ("b", "B"), ("c", None), ("d", "D")]
