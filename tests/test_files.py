"""A kept file is written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from atlas.files import write_whole


def test_a_file_is_made_with_its_folder_and_is_everybodys_to_read(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.lock"
    write_whole(path, "γ\n")
    assert path.read_bytes() == "γ\n".encode()
    assert path.stat().st_mode & 0o777 == 0o644


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "b.lock"
    write_whole(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "new \ud800")
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["b.lock"]
