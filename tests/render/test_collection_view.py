"""What the pages of collections state in another language than HTML."""

from __future__ import annotations

import pytest

from atlas.entries.collection import Paper
from atlas.render.bibtex import bibtex


def paper(title: str, *authors: str) -> Paper:
    return Paper.model_validate({"title": title, "authors": authors or ("A",), "year": 2020, "arxiv": "2001.00001"})


def test_an_entry_of_bibtex() -> None:
    assert bibtex("net", paper("A {B}ERT net", "Ada L.", "Bo")) == (
        "@misc{net,\n  title = {A {B}ERT net},\n  author = {Ada L. and Bo},\n  year = {2020},\n"
        "  eprint = {2001.00001},\n  archivePrefix = {arXiv}\n}"
    )


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("a } b", r"a {\textbraceright} b"),
        ("a { b", r"a {\textbraceleft} b"),
        ("} and {", r"{\textbraceright} and {\textbraceleft}"),
        (r"a \} b", r"a {\textbraceright} b"),
        ("R&D at 5%", r"R\&D at 5\%"),
        (r"R\&D", r"R\&D"),
        ("two\n lines", "two lines"),
        ("a\\", r"a{\textbackslash}"),
        (r"a \\\\", r"a \\\\"),
    ],
)
def test_no_title_ends_its_field_before_its_end(title: str, shown: str) -> None:
    entry = bibtex("net", paper(title, "A"))
    assert f"  title = {{{shown}}},\n  author = {{A}},\n" in entry
    depth = 0
    for char in entry:
        depth += (char == "{") - (char == "}")
        assert depth >= 0
    assert depth == 0


def test_an_author_whose_name_holds_the_word_between_authors_stays_one() -> None:
    assert "author = {{Research and Development} and Anderson, P.}" in bibtex(
        "net", paper("T", "Research and Development", "Anderson, P.")
    )
