"""Manifests: addresses on the repository's web site, and paths that are one page."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from atlas.entries.manifest import Manifest

BLOB = {"blob": "0" * 40}


def manifest(*paths: str, repository: str = "https://github.com/a/b", revision: str = "v1.0") -> Manifest:
    return Manifest.model_validate(
        {
            "title": "A",
            "repository": repository,
            "revision": revision,
            "license": "MIT",
            "license_text": "MIT.txt",
            "copyright": "A",
            "files": dict.fromkeys(paths, BLOB),
        }
    )


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("a/b.py", "a/b.py"),
        ("a b/c+d.py", "a%20b/c%2Bd.py"),
        ("é/&;=@!.py", "%C3%A9/%26%3B%3D%40%21.py"),
        ("a'b(", "a%27b%28"),
    ],
)
def test_the_address_of_a_file_is_percent_encoded(path: str, address: str) -> None:
    made = manifest(path)
    assert made.link(path) == f"https://github.com/a/b/blob/v1.0/{address}"
    assert made.link(path, 3, 5).endswith(f"/{address}#L3-L5")
    assert made.link(path, 3, 3).endswith(f"/{address}#L3")


def test_the_address_of_a_tag_is_percent_encoded() -> None:
    link = manifest("a.py", repository="https://gitlab.com/a/b.git", revision="v1+x/y").link("a.py")
    assert link == "https://gitlab.com/a/b/-/blob/v1%2Bx/y/a.py"


@pytest.mark.parametrize(("one", "other"), [("a/B.py", "a/b.py"), ("A/b.py", "a/b.py"), ("\u00e9.py", "e\u0301.py")])
def test_paths_that_are_one_file_on_some_systems_are_refused(one: str, other: str) -> None:
    with pytest.raises(ValidationError, match="differ in case only"):
        manifest(one, "c.py", other)
    assert set(manifest(one, "c.py").files) == {one, "c.py"}
