"""Where links in the texts of YAML files lead, whichever page shows them."""

from __future__ import annotations

import pytest

from atlas.links.meant import linked, page_of


@pytest.mark.parametrize(
    ("file", "page"),
    [
        ("model/part/own.yml", "model/part/own/"),
        ("model/model.yml", "model/"),
        ("library/library.yml", "library/"),
        ("index.md", ""),
        ("notes.md", "notes/"),
        ("a/README.md", "a/"),
        ("a/model.md", "a/model/"),
    ],
)
def test_a_file_has_one_page(file: str, page: str) -> None:
    assert page_of(file) == page


@pytest.mark.parametrize(
    ("target", "address"),
    [
        ("other.yml", "model/part/other/"),
        ("../model.yml#x", "model/#x"),
        ("../../notes.md", "notes/"),
        ("../../how%20to.md?a=b#c", "how to/?a=b#c"),
        ("#code", "model/part/own/#code"),
        ("../other/", "model/part/other/"),
        ("../other/#x", "model/part/other/#x"),
        ("..", "model/part/"),
        ("../../../", ""),
        ("../../../img/a.svg", "img/a.svg"),
    ],
)
def test_a_link_to_a_file_is_meant_from_the_file_and_any_other_from_its_page(target: str, address: str) -> None:
    assert linked(target, "model/part/own.yml") == address


@pytest.mark.parametrize(
    "target", ["https://example.org/a.yml", "mailto:a@example.org", "//host/a", "/atlas/", "../../../../x.yml"]
)
def test_links_to_elsewhere_are_left_as_they_are(target: str) -> None:
    assert linked(target, "model/part/own.yml") is None


@pytest.mark.parametrize(
    ("target", "address"),
    [
        ("../../notes.md#x", "notes.html#x"),
        ("../../a/README.md", "a/"),
        ("../../index.md", ""),
        ("../../a/index.md", "a/"),
        ("other.yml", "model/part/other/"),
        ("../model.yml", "model/"),
    ],
)
def test_without_folders_a_page_of_prose_is_a_file_and_one_of_an_entry_is_none(target: str, address: str) -> None:
    assert linked(target, "model/part/own.yml", has_folders=False) == address
