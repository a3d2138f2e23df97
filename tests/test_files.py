"""A kept file is written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from atlas.files import write_all_whole, write_whole


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


def test_files_that_belong_together_are_written_all_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two, three = tmp_path / "one", tmp_path / "deep/two", tmp_path / "three"
    one.write_text("old", encoding="utf-8")
    write_all_whole({one: "1", two: "2"})
    assert (one.read_text(encoding="utf-8"), two.read_text(encoding="utf-8")) == ("1", "2")
    replace = Path.replace

    def failing(self: Path, target: Path) -> Path:
        if target == three:
            raise OSError(28, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    new = tmp_path / "new"
    with pytest.raises(OSError, match="No space"):
        write_all_whole({one: "new", new: "new", three: "new"})
    assert one.read_text(encoding="utf-8") == "1"
    assert sorted(file.name for file in tmp_path.rglob("*") if file.is_file()) == ["one", "two"]
