"""A kept file is written whole or not at all, and read no further than it may be long."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from atlas.exceptions import FileTooLargeError
from atlas.files import PIECE, read_bytes, write_all_whole, write_whole


@pytest.mark.parametrize("size", [0, 1, 10])
def test_a_file_is_read_up_to_its_limit(tmp_path: Path, size: int) -> None:
    path = tmp_path / "a.yml"
    path.write_bytes(b"x" * size)
    assert read_bytes(path, 10) == b"x" * size
    assert read_bytes(path, size) == b"x" * size


def test_a_file_that_is_longer_than_its_limit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.yml"
    path.write_bytes(b"x" * 11)
    with pytest.raises(FileTooLargeError, match=r"a.yml has more than 10 bytes"):
        read_bytes(path, 10)


@pytest.mark.parametrize("said", [0, 5])
def test_what_is_read_is_what_a_file_holds_and_not_what_it_was_said_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: int
) -> None:
    path = tmp_path / "a.yml"
    content = os.urandom(3 * PIECE + 1)
    path.write_bytes(content)
    mode = path.stat().st_mode
    monkeypatch.setattr(os, "fstat", lambda _: SimpleNamespace(st_mode=mode, st_size=said))
    assert read_bytes(path, len(content)) == content
    with pytest.raises(FileTooLargeError):
        read_bytes(path, len(content) - 1)


def test_neither_a_folder_nor_a_pipe_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="it is no file but a pipe"):
        read_bytes(tmp_path / "pipe", 10)
    with pytest.raises(IsADirectoryError):
        read_bytes(tmp_path, 10)


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
