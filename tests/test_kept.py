"""What is kept is right or is not there: damaged files, builds at the same time, folders that cannot be written."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from atlas import kept as module
from atlas.kept import FILE, Kept, code_digest, compressed, key_of

ONE, OTHER = key_of("test", "one"), key_of("test", "other")


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """A folder in which one result is kept."""
    with Kept(tmp_path) as kept:
        kept.put({ONE: b"first"})
    return tmp_path


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records]


def test_what_was_put_is_there_at_once_and_for_the_next_build(tmp_path: Path) -> None:
    with Kept(tmp_path) as kept:
        assert kept.get([ONE, OTHER]) == {}
        kept.put({ONE: b"first"})
        assert kept.get([ONE, OTHER]) == {ONE: b"first"}
    with Kept(tmp_path) as kept:
        assert kept.get([ONE, OTHER, ONE]) == {ONE: b"first"}


def test_what_was_saved_is_there_for_others_at_once(tmp_path: Path) -> None:
    with Kept(tmp_path) as kept, Kept(tmp_path) as another:
        kept.put({ONE: b"first"})
        assert another.get([ONE]) == {}
        kept.save()
        assert another.get([ONE]) == {ONE: b"first"}
        kept.put({OTHER: b"second"})
        assert kept.get([ONE, OTHER]) == {ONE: b"first", OTHER: b"second"}


def test_it_tells_which_results_are_there_new_and_old(tmp_path: Path) -> None:
    results = {key_of("test", str(number)): b"" for number in range(module.AT_ONCE + 7)}
    with Kept(tmp_path) as kept:
        kept.put(results)
        assert kept.holds([*results, ONE]) == set(results)
    with Kept(tmp_path) as kept:
        kept.put({ONE: b"new"})
        assert kept.holds([*results, ONE, OTHER]) == {*results, ONE}
    assert kept.holds([ONE]) == set()  # it is closed


def test_a_file_that_cannot_be_read_holds_nothing_and_that_is_told_once(filled: Path) -> None:
    said: list[str] = []
    with Kept(filled, tell=said.append) as kept:
        with closing(sqlite3.connect(filled / FILE)) as database, database:
            database.execute("DROP TABLE kept")
        assert kept.holds([ONE]) == set()
        assert kept.get([ONE]) == {}
    assert len(said) == 1
    assert str(filled / FILE) in said[0]


def test_more_keys_than_one_question_holds_are_found(tmp_path: Path) -> None:
    results = {key_of("test", str(number)): str(number).encode() for number in range(3 * module.AT_ONCE + 7)}
    with Kept(tmp_path) as kept:
        kept.put(results)
    with Kept(tmp_path) as kept:
        assert kept.get(results) == results


@pytest.mark.parametrize(
    ("one", "other"),
    [(("a", "b"), ("ab",)), (("a", "b"), ("b", "a")), (("", "a"), ("a", "")), ((b"a",), (b"a", b""))],
)
def test_keys_of_other_parts_differ(one: tuple[str | bytes, ...], other: tuple[str | bytes, ...]) -> None:
    assert key_of("test", *one) != key_of("test", *other)
    assert key_of("test", *one) != key_of("other", *one)


def test_the_digest_of_code_is_of_the_rooms_that_are_named() -> None:
    assert code_digest("formula") == code_digest("formula")
    assert len({code_digest("formula"), code_digest("operators"), code_digest("formula", "sizes")}) == 3


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + bytes(5000)])
def test_a_damaged_file_is_made_anew_with_one_warning(
    filled: Path, caplog: pytest.LogCaptureFixture, content: bytes
) -> None:
    (filled / FILE).write_bytes(content)
    with Kept(filled) as kept:
        assert kept.get([ONE]) == {}
        kept.put({ONE: b"second"})
        assert kept.get([OTHER]) == {}
    assert len(warnings(caplog)) == (1 if content else 0)  # an empty file is an empty database
    with Kept(filled) as kept:
        assert kept.get([ONE]) == {ONE: b"second"}


def test_pages_damaged_in_the_middle_of_the_file_are_no_results(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    results = {key_of("test", str(number)): bytes([number]) * 3000 for number in range(200)}
    with Kept(tmp_path) as kept:
        kept.put(results)
    content = bytearray((tmp_path / FILE).read_bytes())
    content[20_000:120_000] = os.urandom(100_000)
    (tmp_path / FILE).write_bytes(content)
    with Kept(tmp_path) as kept:
        found = kept.get(results)
        assert len(found) < len(results)
        assert all(results[key] == value for key, value in found.items())
        kept.put(results)
    assert len(warnings(caplog)) == 1
    with Kept(tmp_path) as kept:
        assert kept.get(results) == results


def test_a_value_that_is_not_what_was_written_is_computed_anew(filled: Path, caplog: pytest.LogCaptureFixture) -> None:
    with closing(sqlite3.connect(filled / FILE)) as database, database:
        database.execute("UPDATE kept SET value = ?", (b"wrong",))
    with Kept(filled) as kept:
        assert kept.get([ONE]) == {}
        kept.put({ONE: b"first"})
    assert "damaged result" in warnings(caplog)[0]
    with Kept(filled) as kept:
        assert kept.get([ONE]) == {ONE: b"first"}


def test_a_file_of_another_form_is_replaced(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LAYOUT", 2)
    with Kept(filled) as kept:
        assert kept.get([ONE]) == {}


@pytest.fixture
def unwritable(filled: Path) -> Path:
    """The folder by a path on which nothing can be written, also by root."""
    place = filled / "file" / "folder"
    (filled / "file").write_text("a file where a folder is wanted", encoding="utf-8")
    return place


def test_a_folder_that_cannot_be_made_costs_one_warning(unwritable: Path, caplog: pytest.LogCaptureFixture) -> None:
    with Kept(unwritable) as kept:
        assert kept.get([ONE]) == {}
        kept.put({ONE: b"first"})
        assert kept.get([ONE]) == {ONE: b"first"}
    assert len(warnings(caplog)) == 1
    assert "cannot be written" in warnings(caplog)[0]


def test_a_full_disk_costs_one_warning_and_leaves_what_was_there(
    filled: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Kept(filled) as kept:
        database = kept._database
        assert database is not None
        (pages,) = database.execute("PRAGMA page_count").fetchone()
        database.execute(f"PRAGMA max_page_count={pages}")  # SQLite then fails as on a disk that is full
        kept.put({OTHER: bytes(100_000)})
    assert len(warnings(caplog)) == 1
    assert "full" in warnings(caplog)[0]
    with Kept(filled) as kept:
        assert kept.get([ONE, OTHER]) == {ONE: b"first"}


def test_a_file_that_goes_while_it_is_open_costs_one_warning(filled: Path, caplog: pytest.LogCaptureFixture) -> None:
    with Kept(filled) as kept:
        assert kept.get([ONE]) == {ONE: b"first"}
        for suffix in ("", "-wal", "-shm"):
            (filled / f"{FILE}{suffix}").unlink(missing_ok=True)
        kept.put({OTHER: b"second"})
    assert len(warnings(caplog)) <= 1
    with Kept(filled) as kept:
        assert kept.get([ONE]) == {}


def write(folder: Path, number: int) -> int:
    with Kept(folder) as kept:
        kept.put({key_of("test", f"{number}/{one}"): str(one).encode() * 100 for one in range(200)})
        return len(kept.get([key_of("test", f"{number}/{one}") for one in range(200)]))


def test_builds_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    with ProcessPoolExecutor(3, multiprocessing.get_context("spawn")) as pool:
        assert list(pool.map(write, [tmp_path] * 6, range(6))) == [200] * 6
    keys = [key_of("test", f"{number}/{one}") for number in range(6) for one in range(200)]
    with Kept(tmp_path) as kept:
        assert len(kept.get(keys)) == len(keys)


def test_what_was_not_used_for_long_is_dropped_from_a_large_file(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST", 1)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 86_400 * (module.DAYS + 1))
    with Kept(filled) as kept:
        kept.put({OTHER: b"second"})
    with Kept(filled) as kept:
        assert kept.get([ONE, OTHER]) == {OTHER: b"second"}


def test_much_that_is_new_is_written_before_the_end_and_is_still_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_NEW", 10)
    with Kept(tmp_path) as kept:
        kept.put({ONE: b"first"})
        with Kept(tmp_path) as meanwhile:
            assert meanwhile.get([ONE]) == {}
        kept.put({OTHER: b"second"})
        with Kept(tmp_path) as meanwhile:
            assert meanwhile.get([ONE, OTHER]) == {ONE: b"first", OTHER: b"second"}
        assert kept.get([ONE, OTHER]) == {ONE: b"first", OTHER: b"second"}


@pytest.mark.parametrize("length", [0, 1, 255, 256, 511, 512, 4095, 4096, 16_383, 16_384, 32_767, 32_768, 100_000])
def test_what_is_compressed_comes_back_and_is_as_small_as_zlib_makes_it(length: int) -> None:
    plain = b"".join(b"<li>%d</li>" % (number % 700) for number in range(length))[:length]
    assert zlib.decompress(compressed(plain)) == plain
    assert len(compressed(plain)) <= 1.05 * len(zlib.compress(plain, level=1))


class OfOneProcess(sqlite3.Connection):
    """A connection that can tell a copy of the process that opened it, in which SQLite forbids its use."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.process = os.getpid()

    def execute(self, *given: Any) -> sqlite3.Cursor:
        self.is_at_home()
        return super().execute(*given)

    def executemany(self, *given: Any) -> sqlite3.Cursor:
        self.is_at_home()
        return super().executemany(*given)

    def close(self) -> None:
        self.is_at_home()
        super().close()

    def is_at_home(self) -> None:
        if self.process != os.getpid():
            raise RuntimeError("a copy of a process used the connection of the process")


@pytest.fixture
def at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets no connection be used in a copy of the process that opened it."""
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=OfOneProcess))


def in_copy(do: Callable[[Kept], None], kept: Kept) -> int | None:
    """Do something in a copy of this process; what the copy ended with."""
    copy = multiprocessing.get_context("fork").Process(target=do, args=(kept,))
    copy.start()
    copy.join()
    return copy.exitcode


def never(problem: str) -> None:
    raise AssertionError(problem)


def _use(kept: Kept) -> None:
    kept.in_copy()
    assert kept.get([ONE, OTHER]) == {ONE: b"first", OTHER: b"second"}
    kept.in_copy()  # once more, as every piece of work begins so
    assert kept.holds([ONE, OTHER]) == {ONE, OTHER}
    kept.put({ONE: b"of the copy"})
    assert kept.get([ONE, OTHER]) == {ONE: b"of the copy", OTHER: b"second"}
    kept.save()
    kept.close()
    assert kept.holds([ONE, OTHER]) == set()


@pytest.mark.usefixtures("at_home")
def test_a_copy_of_a_process_reads_by_a_connection_of_its_own_and_writes_nothing(filled: Path) -> None:
    with Kept(filled, never) as kept:
        assert kept.get([ONE]) == {ONE: b"first"}
        kept.put({OTHER: b"second"})
        kept.save()
        assert in_copy(_use, kept) == 0
        assert kept.get([ONE, OTHER]) == {ONE: b"first", OTHER: b"second"}
        kept.put({OTHER: b"third"})
    with Kept(filled) as kept:
        assert kept.get([ONE, OTHER]) == {ONE: b"first", OTHER: b"third"}


def _use_what_is_not_saved(kept: Kept) -> None:
    kept.in_copy()
    assert kept.get([ONE, OTHER]) == {ONE: b"first", OTHER: b"second"}
    kept.save()


@pytest.mark.usefixtures("at_home")
def test_what_a_process_has_not_saved_is_there_in_its_copy_which_does_not_save_it_either(filled: Path) -> None:
    with Kept(filled) as kept:
        kept.put({OTHER: b"second"})
        assert in_copy(_use_what_is_not_saved, kept) == 0
        with Kept(filled) as meanwhile:
            assert meanwhile.get([ONE, OTHER]) == {ONE: b"first"}
    with Kept(filled) as kept:
        assert kept.get([ONE, OTHER]) == {ONE: b"first", OTHER: b"second"}


def _miss(kept: Kept) -> None:
    kept.in_copy()
    assert kept.get([ONE, OTHER]) == {OTHER: b"second"}
    assert kept.holds([ONE, OTHER]) == {OTHER}


@pytest.mark.usefixtures("at_home")
def test_a_copy_whose_file_is_gone_has_what_is_in_memory(filled: Path) -> None:
    with Kept(filled) as kept:
        kept.put({OTHER: b"second"})
        (filled / FILE).unlink()
        assert in_copy(_miss, kept) == 0


@pytest.mark.usefixtures("at_home")
def test_whoever_is_no_copy_goes_on_with_what_it_has(tmp_path: Path) -> None:
    with Kept(tmp_path) as kept:
        kept.in_copy()
        kept.put({ONE: b"first"})
    with Kept(tmp_path) as kept:
        assert kept.get([ONE]) == {ONE: b"first"}


def _find_it_damaged(kept: Kept) -> None:
    kept.in_copy()
    assert kept.get([ONE]) == {}


def test_a_copy_of_a_process_leaves_a_damaged_file_to_the_process(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Kept(tmp_path) as kept:
        kept.put({key_of("test", str(number)): bytes([number]) * 5000 for number in range(100)})
        kept.put({ONE: b"first"})
    with Kept(tmp_path) as kept:
        with (tmp_path / FILE).open("r+b") as file:
            file.seek(4096)
            file.write(b"\xff" * 200_000)
        damaged = (tmp_path / FILE).stat().st_size
        assert in_copy(_find_it_damaged, kept) == 0
        assert (tmp_path / FILE).stat().st_size == damaged
        assert kept.get([ONE]) == {}
        assert (tmp_path / FILE).stat().st_size < damaged
    assert [("is damaged" in text) for text in warnings(caplog)] == [True]
