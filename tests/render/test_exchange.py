"""Files of a site that are exchanged where they are: all of them or none, whatever happens meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from atlas.render import exchange as room
from atlas.render.exchange import exchange, finish_exchange

BEFORE = {"index.html": "old", "a/index.html": "old", "a/kept.html": "kept", "b/c/index.html": "gone", "x.json": "gone"}
NEW = {"index.html": "new", "a/index.html": "new", "d/e/index.html": "more", ".nojekyll": ""}
KEPT = ("a/kept.html",)
AFTER = {**NEW, "a/kept.html": "kept"}
HIDDEN = {".git/HEAD": "ref"}
MOVES = 8
"""Steps of this exchange: two for each of the two files that are replaced, one for two new ones and two taken out."""


def write(folder: Path, texts: dict[str, str]) -> None:
    for path, text in texts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def texts(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if not path.is_dir())
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in files}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    write(tmp_path / "site", {**BEFORE, **HIDDEN})
    write(tmp_path / "staging/new", NEW)
    return tmp_path / "site"


@pytest.fixture
def staging(site: Path) -> Path:
    return site.parent / "staging"


def cut_off(monkeypatch: pytest.MonkeyPatch, at: int, error: BaseException) -> None:
    """Let the move of this number fail."""
    move = room._move
    left = [at]

    def moved(source: Path, target: Path) -> None:
        left[0] -= 1
        if left[0] == -1:
            raise error
        move(source, target)

    monkeypatch.setattr(room, "_move", moved)


def test_files_are_put_and_taken_out_and_all_others_stay(site: Path, staging: Path) -> None:
    numbers = {path: (site / path).stat().st_ino for path in (*KEPT, *HIDDEN)}
    exchange(staging, site, KEPT)
    assert texts(site) == {**AFTER, **HIDDEN}
    assert {path: (site / path).stat().st_ino for path in numbers} == numbers
    assert not (site / "b").exists()  # nothing is in it any more
    finish_exchange(staging, site)
    assert texts(site) == {**AFTER, **HIDDEN}


@pytest.mark.parametrize("error", [OSError("the disk is gone"), KeyboardInterrupt()], ids=["refused", "interrupted"])
@pytest.mark.parametrize("at", range(MOVES))
def test_an_exchange_that_is_refused_at_any_step_is_undone(
    site: Path, staging: Path, monkeypatch: pytest.MonkeyPatch, at: int, error: BaseException
) -> None:
    with monkeypatch.context() as once:
        cut_off(once, at, error)
        with pytest.raises(type(error)):
            exchange(staging, site, KEPT)
    assert texts(site) == {**BEFORE, **HIDDEN}
    assert texts(staging / "new") == NEW
    assert {path.name for path in site.iterdir()} == {"index.html", "a", "b", "x.json", ".git"}
    finish_exchange(staging, site)
    assert texts(site) == {**BEFORE, **HIDDEN}
    exchange(staging, site, KEPT)
    assert texts(site) == {**AFTER, **HIDDEN}


@pytest.mark.parametrize("at", range(MOVES + 1))
def test_an_exchange_that_is_killed_at_any_step_is_completed(
    site: Path, staging: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    with monkeypatch.context() as once:
        cut_off(once, at, SystemExit("killed"))
        once.setattr(room, "_undo", cut_off)  # which fails, so that nothing is done after the kill
        once.setattr(Path, "unlink", cut_off)
        with pytest.raises((SystemExit, TypeError)):
            exchange(staging, site, KEPT)
    finish_exchange(staging, site)
    assert texts(site) == {**AFTER, **HIDDEN}
    assert not (staging / "exchange.json").exists()


@pytest.mark.parametrize(
    ("before", "new"),
    [({"a": "file"}, {"a/index.html": "in a folder"}), ({"a/b/index.html": "in a folder"}, {"a": "file", "b": "b"})],
    ids=["folder for a file", "file for a folder"],
)
def test_files_and_folders_do_not_change_places(tmp_path: Path, before: dict[str, str], new: dict[str, str]) -> None:
    write(tmp_path / "site", before)
    write(tmp_path / "staging/new", new)
    with pytest.raises(OSError, match="stands where"):
        exchange(tmp_path / "staging", tmp_path / "site", ())
    assert texts(tmp_path / "site") == before
    assert texts(tmp_path / "staging/new") == new


def test_a_link_in_the_site_is_replaced_and_not_followed(site: Path, staging: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("another's", encoding="utf-8")
    for path in ("index.html", "x.json"):
        (site / path).unlink()
        (site / path).symlink_to(tmp_path / "elsewhere")
    exchange(staging, site, KEPT)
    assert texts(site) == {**AFTER, **HIDDEN}
    assert (tmp_path / "elsewhere").read_text(encoding="utf-8") == "another's"


def test_where_files_that_stay_lie_behind_a_link_nothing_is_exchanged(
    site: Path, staging: Path, tmp_path: Path
) -> None:
    write(tmp_path / "elsewhere", {"one.html": "kept"})
    (site / "linked").symlink_to(tmp_path / "elsewhere")
    before = texts(site)
    with pytest.raises(OSError, match="a folder of the site is a link"):
        exchange(staging, site, (*KEPT, "linked/one.html"))
    assert texts(site) == before
    assert (site / "linked/one.html").read_text(encoding="utf-8") == "kept"
    assert texts(staging / "new") == NEW
