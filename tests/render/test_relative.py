"""Links from page to page: the shortest ones, as the standard library would write them."""

from __future__ import annotations

import posixpath
import random
from urllib.parse import quote

import pytest

from atlas.render.relative import relative_url


@pytest.mark.parametrize(
    ("target", "source", "link"),
    [
        ("a/b/", "a/c/", "../b/"),
        ("a/b/", "", "a/b/"),
        ("", "a/b/", "../../"),
        ("", "", "./"),
        ("a/b/", "a/b/", "./"),
        ("a/b/#x", "a/b/", "#x"),
        ("a/b/#x", "a/", "b/#x"),
        ("#x", "a/", "../#x"),
        ("#x", "", "#x"),
        ("assets/a.css", "a/b/", "../../assets/a.css"),
        ("a/", "a/b/", "../"),
        ("a/../b/", "c/", "../b/"),
        ("a/b/", "a/b/../c/", "../b/"),
        ("a/", "a/b/c/", "../../"),
        ("a", "a/b/", ".."),
        ("a/bc/", "a/b/", "../bc/"),
        ("a/b/c/", "a/b//", "c/"),
        ("javascript:alert(1)/", "", "javascript%3Aalert%281%29/"),
        ("a b/%41/", "c/", "../a%20b/%2541/"),
        ("a/?x=b:c&y=d", "e/", "../a/?x=b:c&y=d"),
        ("a/?x=b#c", "a/", "./?x=b#c"),
        ("?x=b#c", "", "./?x=b#c"),
    ],
)
def test_links_between_addresses_are_relative(target: str, source: str, link: str) -> None:
    assert relative_url(target, source) == link


def test_relative_links_are_those_of_the_standard_library() -> None:
    chance = random.Random(5)  # noqa: S311 - reproducible examples, not secrets
    names = ["a", "b", "model-1", "x y", "ä", "a:b", "v1.2"]
    for _ in range(2000):
        page = "".join(f"{chance.choice(names)}/" for _ in range(chance.randrange(6)))
        target = "".join(f"{chance.choice([*names, '.'])}/" for _ in range(chance.randrange(4)))
        target += chance.choice(["", "file.json"])
        expected = quote(posixpath.relpath(f"/site/{target}", f"/site/{page}"))
        expected += "/" if target.endswith("/") or not target else ""
        assert relative_url(target, page) == expected
