"""What lies in a folder: its names, their order, and what is neither a file nor a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from atlas.entries.folders import Found, below, yaml_files


def touch(root: Path, *names: str) -> None:
    for name in names:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()


def test_files_come_in_the_order_of_paths(tmp_path: Path) -> None:
    names = ["a/z.yml", "a-b/c.yml", "a/b/c.yml", "a.yml", "a/B.yml"]
    touch(tmp_path, *names)
    found = [one.name for one in below(tmp_path)]
    assert found == ["a/B.yml", "a/b/c.yml", "a/z.yml", "a-b/c.yml", "a.yml"]
    assert found == [path.relative_to(tmp_path).as_posix() for path in sorted(tmp_path / name for name in names)]
    assert [one.path for one in below(tmp_path)] == [tmp_path / name for name in found]


@pytest.mark.parametrize(
    "name", ["a.yml", "a/b.yml", ".yml", "..yml", "a.", "a..yml", "a.b/c", "a.proofs.json", "a.b.yaml", "a b.yml"]
)
def test_a_suffix_is_what_pathlib_says(name: str) -> None:
    assert Found(name, f"/{name}").suffix == Path(name).suffix


def test_only_yaml_files_are_listed_as_such(tmp_path: Path) -> None:
    touch(tmp_path, "a.yml", "b/c.yaml", "b/d.md", ".yml")
    assert list(yaml_files(tmp_path)) == [tmp_path / "a.yml", tmp_path / "b/c.yaml"]


def test_a_folder_is_told_of_where_its_name_is_that_of_a_file(tmp_path: Path) -> None:
    touch(tmp_path, "a.proofs.json/b.yml", "c.proofs.json", "d/e")
    assert [one.name for one in below(tmp_path)] == ["a.proofs.json/b.yml", "c.proofs.json", "d/e"]
    assert [one.name for one in below(tmp_path, also=(".proofs.json",))] == [
        "a.proofs.json",
        "a.proofs.json/b.yml",
        "c.proofs.json",
        "d/e",
    ]
