from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from atlas.render.staging import Staging


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "index.html").write_text("old")
    return folder


def beside(site: Path) -> list[str]:
    return sorted(path.name for path in site.parent.iterdir() if path != site)


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


def test_a_site_that_cannot_be_renamed_is_emptied_and_filled(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (site / "sub/deep").mkdir(parents=True)
    (site / "sub/stale.html").write_text("old")
    (site / "sub/deep/stale.html").write_text("old")
    (site / "other").write_text("was a file")
    (site / "link").symlink_to(site / "sub")
    (site / ".git").write_text("gitdir")
    staging = Staging(site)
    (staging.new / "index.html").write_text("new")
    (staging.new / "other").mkdir()
    (staging.new / "other/page.html").write_text("new")
    rename = Path.rename

    def mounted(self: Path, target: Path) -> Path:
        if site in (self, target):
            raise OSError(16, "Device or resource busy")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", mounted)
    staging.commit()
    staging.close()
    files = {str(path.relative_to(site)): path.read_text() for path in site.rglob("*") if path.is_file()}
    assert files == {".git": "gitdir", "index.html": "new", "other/page.html": "new"}
    assert sorted(path.name for path in site.iterdir()) == [".git", "index.html", "other"]


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


@pytest.fixture
def mounted(site: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A site that cannot be renamed, with files and folders of its own."""
    (site / "sub").mkdir()
    (site / "sub/page.html").write_text("old")
    (site / ".git").write_text("gitdir")
    rename = Path.rename

    def busy(self: Path, target: Path) -> Path:
        if site in (self, target):
            raise OSError(16, "Device or resource busy")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", busy)
    return site


OLD = {".git": "gitdir", "index.html": "old", "sub/page.html": "old"}


def content_of(site: Path) -> dict[str, str]:
    return {str(path.relative_to(site)): path.read_text() for path in site.rglob("*") if path.is_file()}


def test_a_disk_that_fills_up_while_a_mounted_site_is_filled_leaves_the_old_one(
    mounted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    staging = Staging(mounted)
    (staging.new / "index.html").write_text("new")
    (staging.new / "other.html").write_text("new")
    copied = []

    def full_after_one(source: str, target: str, **_: object) -> str:
        copied.append(source)
        if len(copied) > 1:
            raise OSError(28, "No space left on device")
        return shutil.copyfile(source, target)

    monkeypatch.setattr(shutil.copytree, "__defaults__", (False, None, full_after_one, False, False))
    with pytest.raises(OSError, match="No space left"):
        staging.commit()
    staging.close()
    assert len(copied) == 2
    assert content_of(mounted) == OLD


@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), KeyboardInterrupt()])
def test_an_exchange_that_is_cut_off_is_undone(
    mounted: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    staging = Staging(mounted)
    for name in ("index.html", "other.html", "sub"):
        (staging.new / name).write_text("new")
    rename, moved_in = Path.rename, []

    def failing(self: Path, target: Path) -> Path:
        if target.parent == mounted and self.parent.name == "entering":
            moved_in.append(self.name)
            if len(moved_in) == 2:
                raise error
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(type(error)):
        staging.commit()
    staging.close()
    assert len(moved_in) == 2
    assert content_of(mounted) == OLD


@pytest.mark.parametrize("begun", [False, True])
def test_an_exchange_that_was_killed_is_undone_by_the_next_build(mounted: Path, begun: bool) -> None:
    folder = mounted / ".site-exchanging-x"
    (folder / "old").mkdir(parents=True)
    (folder / ("entering" if begun else "new")).mkdir()
    with FileLock(folder / "lock"):
        pass
    (mounted / "sub").rename(folder / "old" / "sub")
    if begun:
        (mounted / "index.html").rename(folder / "old" / "index.html")
        (mounted / "index.html").write_text("new")
        (mounted / "other.html").write_text("new")
    Staging(mounted).close()
    assert content_of(mounted) == OLD
