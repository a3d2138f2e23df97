from __future__ import annotations

import errno
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from atlas.kept import cache_folder
from atlas.sources.blob import blob_id
from atlas.sources.cache import BlobCache

CONTENT = b"def scale(x):\n    return 2 * x\n"


def test_folder_is_the_variable_then_the_shared_one_then_the_system_s(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OPENMODELATLAS_CACHE", str(tmp_path / "own"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "shared"))
    assert cache_folder() == tmp_path / "own"
    monkeypatch.delenv("OPENMODELATLAS_CACHE")
    assert cache_folder() == tmp_path / "shared" / "openmodelatlas"
    assert BlobCache().folder == tmp_path / "shared" / "openmodelatlas" / "sources"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache_folder().is_relative_to(tmp_path / "home")
    assert cache_folder().name == "openmodelatlas"


def test_what_is_put_is_there_for_the_next_process(tmp_path: Path) -> None:
    blob = BlobCache(tmp_path).put(CONTENT)
    assert blob == blob_id(CONTENT)
    assert BlobCache(tmp_path).get(blob) == CONTENT
    assert BlobCache(tmp_path).get(blob_id(b"other")) is None


def test_a_pipe_in_the_cache_is_not_waited_for(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = BlobCache(tmp_path)
    blob = blob_id(CONTENT)
    cache.place(blob).parent.mkdir()
    os.mkfifo(cache.place(blob))
    assert cache.get(blob) is None
    assert "is no file" in caplog.text
    cache.put(CONTENT)
    assert cache.get(blob) == CONTENT


def test_a_damaged_file_is_noticed_removed_and_warned_of_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = BlobCache(tmp_path)
    blob = cache.put(CONTENT)
    changed = CONTENT + b"# one line more\n"
    cache.place(blob).write_bytes(changed)
    assert cache.get(blob) is None
    assert not cache.place(blob).exists()
    assert cache.get(blob) is None
    [record] = caplog.records
    assert record.levelno == logging.WARNING
    assert record.getMessage() == (
        f"The cached file {cache.place(blob)} is damaged (its content is {blob_id(changed)}); "
        "it is removed and brought anew."
    )


def test_a_folder_that_cannot_be_made_costs_one_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_bytes(b"")
    cache = BlobCache(tmp_path / "file" / "cache")
    assert cache.get(blob_id(CONTENT)) is None
    first, second = cache.put(CONTENT), cache.put(b"other")
    assert (cache.get(first), cache.get(second)) == (CONTENT, b"other")
    [record] = caplog.records
    assert f"The cache directory {cache.folder} cannot be written" in record.getMessage()
    assert "set OPENMODELATLAS_CACHE to a directory that can be written" in record.getMessage()


def test_a_full_disk_leaves_no_half_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(self: Path, target: Path) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    cache = BlobCache(tmp_path)
    blob = cache.put(CONTENT)
    assert cache.get(blob) == CONTENT
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    assert "No space left on device" in caplog.text


WRITER = """
import sys
from pathlib import Path
from atlas.sources.cache import BlobCache

cache = BlobCache(Path(sys.argv[1]))
for number in range(200):
    content = b"%d" % (number % 3) * 20_000
    if cache.get(cache.put(content)) != content:
        sys.exit("a file was seen half written")
"""


def test_two_processes_may_write_the_same_files(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    writers = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(2)]  # noqa: S603  (the script above)
    for writer in writers:
        _, said = writer.communicate(timeout=60)
        assert (writer.returncode, said) == (0, b"")
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 3
