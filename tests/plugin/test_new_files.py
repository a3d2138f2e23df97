"""New files are written where they belong, and their folders are made when they are missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from atlas.plugin.new_files import NewFiles


def test_files_are_written_into_folders_that_are_missing_there_or_just_made(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    new = NewFiles()
    contents: dict[str, bytes | str] = {
        "there/a": b"\xff",
        "b": "γ\n",
        "deep/er/c": "c",
        "deep/er/d": "d",
        "deep/e": b"",
    }
    for name, content in contents.items():
        new.write(content, str(tmp_path / name))
    written = {name: (tmp_path / name).read_bytes() for name in contents}
    assert written == {"there/a": b"\xff", "b": "γ\n".encode(), "deep/er/c": b"c", "deep/er/d": b"d", "deep/e": b""}


def test_a_folder_is_made_by_whoever_comes_first(tmp_path: Path) -> None:
    one, other = NewFiles(), NewFiles()
    one.write("1", str(tmp_path / "shared" / "1"))
    other.write("2", str(tmp_path / "shared" / "2"))
    one.write("3", str(tmp_path / "shared" / "2"))
    assert [file.read_text() for file in sorted((tmp_path / "shared").iterdir())] == ["1", "3"]


def test_where_a_file_lies_no_folder_is_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        NewFiles().write("", str(tmp_path / "file" / "a"))
