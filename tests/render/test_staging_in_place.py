"""A site that cannot be renamed is emptied and filled where it is, or stays as it was."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import tempfile
from pathlib import Path

import pytest
from filelock import FileLock

from atlas.render.staging import Staging
from tests.render.killed import beside, in_process, killing


def _commit_and_die(site: Path, at: int) -> None:
    (site / "more.html").write_text("old")
    staging = Staging(site)
    for name in ("index.html", "other.html"):
        (staging.new / name).write_text("new")
    left = [0]
    os.unlink, os.rmdir = killing(at, os.unlink, left), killing(at, os.rmdir, left)
    staging.commit()


@pytest.mark.usefixtures("mounted")
@pytest.mark.parametrize("at", range(8))
def test_an_exchange_that_is_complete_stays_when_the_build_is_killed_while_it_removes_what_was_there(
    site: Path, at: int
) -> None:
    killed = in_process(_commit_and_die, site, at)
    killed.join()
    assert killed.exitcode == -signal.SIGKILL
    Staging(site).close()
    assert content_of(site) == {".git": "gitdir", "index.html": "new", "other.html": "new"}
    assert beside(site) == []


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


@pytest.mark.parametrize("refusal", [errno.EACCES, errno.EROFS])
def test_a_site_that_is_the_only_folder_that_can_be_written_is_filled(
    mounted: Path, refusal: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tempfile.mkdtemp

    def refused(prefix: str, dir: Path | None) -> str:  # noqa: A002 - as it is called
        if dir == mounted.parent:
            raise OSError(refusal, "no file is made here")
        return made(prefix=prefix, dir=dir)

    monkeypatch.setattr(tempfile, "mkdtemp", refused)
    staging = Staging(mounted)
    (staging.new / "index.html").write_text("new")
    staging.commit()
    staging.close()
    assert content_of(mounted) == {".git": "gitdir", "index.html": "new"}
    assert not staging.new.parent.exists()


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
