"""The folders of a build: what becomes of them and of the site when builds end well, badly, at once or not at all."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from atlas.render.staging import Staging
from tests.render.killed import beside, in_process, killing


def build_and_die(site: Path, statement: str) -> None:
    """A build in a process of its own that is killed after `statement`."""
    code = f"""
import os, pathlib, signal
from atlas.render import staging
build = staging.Staging(pathlib.Path({str(site)!r}))
(build.new / "index.html").write_text("new")
{statement}
os.kill(os.getpid(), signal.SIGKILL)
"""
    command = [sys.executable, "-c", code]
    assert subprocess.run(command, check=False, timeout=60).returncode == -9  # noqa: S603 - the code above


def test_a_commit_replaces_the_site(site: Path) -> None:
    staging = Staging(site)
    (staging.new / "index.html").write_text("new")
    assert (site / "index.html").read_text() == "old"
    staging.commit()
    staging.close()
    assert (site / "index.html").read_text() == "new"
    assert beside(site) == []


def test_what_is_the_same_keeps_its_time_and_nothing_else_does(site: Path) -> None:
    for name in ("same", "other", "longer"):
        (site / name).write_text("abc")
        os.utime(site / name, ns=(1_000_000_000, 2_000_000_000))
    staging = Staging(site)
    for name, text in (("same", "abc"), ("other", "abd"), ("longer", "abcd"), ("new", "abc")):
        (staging.new / name).write_text(text)
    staging.keep_times(["same", "other", "longer", "new", "never-made"])
    staging.commit()
    staging.close()
    kept = {file.name for file in site.iterdir() if file.stat().st_mtime_ns == 2_000_000_000}
    assert kept == {"same"}


def test_without_a_commit_the_site_stays(site: Path) -> None:
    staging = Staging(site)
    (staging.new / "index.html").write_text("new")
    (staging.work / "bodies").write_text("x")
    staging.close()
    staging.close()
    assert (site / "index.html").read_text() == "old"
    assert beside(site) == []


def test_a_first_site_is_put_into_folders_that_did_not_exist(tmp_path: Path) -> None:
    staging = Staging(tmp_path / "a/b/site")
    (staging.new / "index.html").write_text("new")
    staging.commit()
    staging.close()
    assert (tmp_path / "a/b/site/index.html").read_text() == "new"


def test_the_site_keeps_its_permissions_and_is_not_private(site: Path) -> None:
    site.chmod(0o2751)
    staging = Staging(site)
    staging.commit()
    staging.close()
    assert site.stat().st_mode & 0o7777 == 0o2751


def test_what_a_killed_build_left_is_removed_by_the_next(site: Path) -> None:
    build_and_die(site, "")
    assert len(beside(site)) == 1
    assert (site / "index.html").read_text() == "old"
    Staging(site).close()
    assert beside(site) == []
    assert (site / "index.html").read_text() == "old"


def test_a_swap_that_was_killed_half_way_is_completed_by_the_next_build(site: Path) -> None:
    (site / ".git").write_text("gitdir")
    build_and_die(site, "build.site.rename(build.new.with_name('old'))")
    assert not site.exists()
    Staging(site).close()
    assert (site / "index.html").read_text() == "new"
    assert (site / ".git").read_text() == "gitdir"


def test_files_that_are_exchanged_leave_all_others_where_they_are(site: Path) -> None:
    (site / "kept.html").write_text("kept")
    number = (site / "kept.html").stat().st_ino
    staging = Staging(site)
    (staging.new / "more.html").write_text("new")
    staging.commit_changes(["kept.html"])
    staging.close()
    assert {path.name for path in site.iterdir()} == {"kept.html", "more.html"}
    assert (site / "kept.html").stat().st_ino == number
    assert beside(site) == []


def test_an_exchange_of_files_that_was_killed_half_way_is_completed_by_the_next_build(site: Path) -> None:
    (site / "kept.html").write_text("kept")
    build_and_die(
        site,
        """
from atlas.render import exchange
(build.new / "more.html").write_text("new")
exchange._move = lambda source, target: os.kill(os.getpid(), signal.SIGKILL) if "more" in source.name else (
    target.parent.mkdir(exist_ok=True), source.rename(target))
build.commit_changes(["kept.html"])
""",
    )
    assert (site / "index.html").read_text() == "new"
    assert not (site / "more.html").exists()
    Staging(site).close()
    assert {path.name: path.read_text() for path in site.iterdir()} == {
        "index.html": "new", "kept.html": "kept", "more.html": "new"
    }  # fmt: skip
    assert beside(site) == []


def test_an_interrupt_half_way_through_the_swap_still_leaves_a_whole_site(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    staging = Staging(site)
    (staging.new / "index.html").write_text("new")
    rename = Path.rename

    def interrupted(self: Path, target: Path) -> Path:
        if self == staging.new:
            raise KeyboardInterrupt
        return rename(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", interrupted)
        with pytest.raises(KeyboardInterrupt):
            staging.commit()
    assert not site.exists()
    staging.close()
    assert (site / "index.html").read_text() == "new"


def _close_and_die(site: Path, at: int) -> None:
    staging = Staging(site)
    (staging.new / "index.html").write_text("new")
    left = [0]
    os.unlink, os.rmdir = killing(at, os.unlink, left), killing(at, os.rmdir, left)
    staging.close()


# A page, `new`, `work`, the lock, and the folder.
@pytest.mark.parametrize("at", range(5))
def test_what_a_build_left_that_was_killed_while_it_removed_its_folder_is_removed_by_the_next(
    site: Path, at: int
) -> None:
    killed = in_process(_close_and_die, site, at)
    killed.join()
    assert killed.exitcode == -signal.SIGKILL
    assert len(beside(site)) == 1
    Staging(site).close()
    assert beside(site) == []


def _build_often(site: Path, often: int) -> None:
    for number in range(often):
        staging = Staging(site)
        file = staging.new / "index.html"
        file.write_text(f"{os.getpid()} {number}")
        assert [one.name for one in staging.new.iterdir()] == ["index.html"]
        assert staging.work.is_dir()
        assert file.read_text() == f"{os.getpid()} {number}"
        staging.close()
        assert not staging.new.exists()


def test_builds_at_the_same_time_leave_one_anothers_folders_alone(site: Path) -> None:
    builds = [in_process(_build_often, site, 100) for _ in range(4)]
    for build in builds:
        build.join()
    assert [build.exitcode for build in builds] == [0] * 4
    Staging(site).close()
    assert beside(site) == []


def test_a_build_at_work_is_not_taken_for_a_leftover(site: Path) -> None:
    working = Staging(site)
    Staging(site).close()
    assert working.new.is_dir()
    working.close()


def test_a_folder_of_that_name_without_a_lock_is_removed_only_when_it_is_old(site: Path) -> None:
    folder = site.parent / ".site-building-other"
    folder.mkdir()
    (folder / "file").write_text("x")
    Staging(site).close()
    assert folder.is_dir()
    os.utime(folder, (0, 0))
    Staging(site).close()
    assert beside(site) == []


def test_folders_of_other_sites_are_left_alone(site: Path) -> None:
    other = site.parent / ".site2-building-x"
    other.mkdir()
    with FileLock(other / "lock"):
        pass
    os.utime(other, (0, 0))
    Staging(site).close()
    assert other.is_dir()


@pytest.mark.parametrize("is_full", [False, True])
def test_a_refused_second_rename_brings_the_old_site_back_before_it_is_filled(
    site: Path, monkeypatch: pytest.MonkeyPatch, is_full: bool
) -> None:
    (site / ".git").write_text("gitdir")
    staging = Staging(site)
    (staging.new / "index.html").write_text("new")
    rename = Path.rename

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    def refusing(self: Path, target: Path) -> Path:
        if self == staging.new:
            raise OSError(13, "Permission denied")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refusing)
    if is_full:
        monkeypatch.setattr(shutil, "copytree", full)
        with pytest.raises(OSError, match="No space left"):
            staging.commit()
    else:
        staging.commit()
    staging.close()
    files = {path.name: path.read_text() for path in site.iterdir()}
    assert files == {".git": "gitdir", "index.html": "old" if is_full else "new"}
