from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from atlas.entries.manifest import Manifest
from atlas.exceptions import HashMismatchError, MissingFileError, OfflineError, SourceError
from atlas.sources.blob import blob_id
from atlas.sources.cache import BlobCache
from atlas.sources.store import SourceStore, fetch_all, lines_of

Make = Callable[..., Manifest]
WHEEL = "project-1.0-py3-none-any.whl"
LAYERS, NET = "pkg/layers.py", "pkg/models/net.py"


@pytest.fixture
def folder(no_pip_settings: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip is set to look in, and in no other place."""
    made = tmp_path / "links"
    made.mkdir()
    monkeypatch.setenv("PIP_FIND_LINKS", str(made))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    return made


@pytest.fixture
def packaged(
    folder: Path,
    make_manifest: Make,
    make_wheel: Callable[..., bytes],
    make_artifact: Callable[..., dict[str, str]],
) -> Callable[..., Manifest]:
    """Puts an archive of some files into the folder and pins it."""

    def make(contents: dict[str, bytes], **changes: Any) -> Manifest:
        content = make_wheel(contents)
        (folder / WHEEL).write_bytes(content)
        return make_manifest(artifact=make_artifact(WHEEL, content), **changes)

    return make


@pytest.fixture
def cut(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Makes the network, and every program that could use it, impossible."""

    def impossible(*_: object, **__: object) -> None:
        raise AssertionError("the network was to be used")

    def now() -> None:
        monkeypatch.setattr(subprocess, "Popen", impossible)
        monkeypatch.setattr("socket.socket.connect", impossible)
        monkeypatch.setattr("socket.getaddrinfo", impossible)
        monkeypatch.setattr("atlas.sources.package.PyPIClient", impossible)

    return now


def test_one_download_brings_every_file_and_the_next_run_needs_none(
    packaged: Callable[..., Manifest], files: dict[str, bytes], tmp_path: Path, folder: Path, cut: Callable[[], None]
) -> None:
    manifest = packaged(files)
    store = SourceStore({"project": manifest}, BlobCache(tmp_path / "cache"))
    pinned = store.file("project", LAYERS)
    assert (pinned.source_id, pinned.path, pinned.blob) == ("project", LAYERS, blob_id(files[LAYERS]))
    assert pinned.text == files[LAYERS].decode()
    assert pinned.lines == ("def scale(x, factor=2.0):", "    return x * factor")
    assert pinned.manifest is manifest
    (folder / WHEEL).unlink()
    cut()
    assert store.file("project", NET).text == files[NET].decode()
    later = SourceStore({"project": manifest}, BlobCache(tmp_path / "cache"), offline=True)
    assert later.file("project", LAYERS) == pinned
    assert store.file("project", LAYERS) is pinned


def test_git_is_the_provider_where_there_is_no_archive(
    repository: Any, make_manifest: Make, files: dict[str, bytes], tmp_path: Path, cut: Callable[[], None]
) -> None:
    manifest = make_manifest(revision=repository.git("rev-parse", "HEAD~1"))
    store = SourceStore({"project": manifest}, BlobCache(tmp_path / "cache"))
    assert store.file("project", LAYERS).text == files[LAYERS].decode()
    cut()
    again = SourceStore({"project": manifest}, BlobCache(tmp_path / "cache"))
    assert again.file("project", NET).text == files[NET].decode()


def test_offline_without_the_cache_says_what_to_do(
    make_manifest: Make, tmp_path: Path, cut: Callable[[], None]
) -> None:
    cut()
    store = SourceStore({"project": make_manifest()}, BlobCache(tmp_path), offline=True)
    with pytest.raises(OfflineError) as caught:
        store.file("project", LAYERS)
    assert str(caught.value) == (
        f"{LAYERS} of project is not in the cache ({tmp_path}), and the network may not be used; "
        "run `atlas fetch project` where there is a network"
    )
    assert caught.value.field == ("files", LAYERS)


def test_a_file_that_is_not_the_pinned_one_is_refused_with_both_ids_and_not_cached(
    packaged: Callable[..., Manifest], files: dict[str, bytes], tmp_path: Path
) -> None:
    changed = files[LAYERS].replace(b"2.0", b"2.1")
    cache = BlobCache(tmp_path / "cache")
    store = SourceStore({"project": packaged({**files, LAYERS: changed})}, cache)
    with pytest.raises(HashMismatchError) as caught:
        store.file("project", LAYERS)
    assert str(caught.value) == (
        f"the blob id of {LAYERS} in {WHEEL} is pinned as {blob_id(files[LAYERS])} but is {blob_id(changed)}"
    )
    assert caught.value.field == ("files", LAYERS, "blob")
    assert cache.get(blob_id(changed)) is None
    assert store.file("project", NET).text == files[NET].decode()


def test_git_with_another_blob_names_the_revision(repository: Any, make_manifest: Make, tmp_path: Path) -> None:
    commit = repository.git("rev-parse", "HEAD")
    manifest = make_manifest(revision=commit, files={LAYERS: {"blob": "0" * 40}})
    with pytest.raises(
        HashMismatchError, match=f"the blob id of {LAYERS} in owner/project at {commit} is pinned as 000"
    ):
        SourceStore({"project": manifest}, BlobCache(tmp_path / "cache")).file("project", LAYERS)


def test_a_damaged_cache_is_repaired_with_one_warning(
    packaged: Callable[..., Manifest], files: dict[str, bytes], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    manifest = packaged(files)
    cache = BlobCache(tmp_path / "cache")
    SourceStore({"project": manifest}, cache).file("project", LAYERS)
    cache.place(blob_id(files[LAYERS])).write_bytes(b"damage")
    assert SourceStore({"project": manifest}, cache).file("project", LAYERS).text == files[LAYERS].decode()
    assert cache.place(blob_id(files[LAYERS])).read_bytes() == files[LAYERS]
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_a_cache_that_cannot_be_written_does_not_stop_a_build(
    packaged: Callable[..., Manifest], files: dict[str, bytes], tmp_path: Path, folder: Path
) -> None:
    manifest = packaged(files)
    (tmp_path / "file").write_bytes(b"")
    store = SourceStore({"project": manifest}, BlobCache(tmp_path / "file" / "cache"))
    assert store.file("project", LAYERS).text == files[LAYERS].decode()
    (folder / WHEEL).unlink()
    assert store.file("project", NET).text == files[NET].decode()


def test_a_failure_is_met_once_however_often_a_file_is_asked_for(
    packaged: Callable[..., Manifest], files: dict[str, bytes], tmp_path: Path, folder: Path, cut: Callable[[], None]
) -> None:
    manifest = packaged(files)
    (folder / WHEEL).unlink()
    store = SourceStore({"project": manifest}, BlobCache(tmp_path / "cache"))
    with pytest.raises(OfflineError, match=r"pip is set to use no index, and it is not in ") as first:
        store.file("project", LAYERS)
    cut()
    with pytest.raises(OfflineError) as second:
        store.file("project", NET)
    assert second.value is first.value


def test_unknown_names_get_the_nearest(make_manifest: Make, tmp_path: Path) -> None:
    store = SourceStore({"project": make_manifest()}, BlobCache(tmp_path))
    with pytest.raises(SourceError, match="there is no source 'projet'; did you mean 'project'"):
        store.file("projet", LAYERS)
    with pytest.raises(
        MissingFileError, match=r"sources/project\.yml pins no file pkg/layer\.py; the nearest is pkg/layers\.py"
    ):
        store.file("project", "pkg/layer.py")


@pytest.mark.parametrize(
    ("content", "stated"),
    [
        (b"caf\xe9\n", f"{LAYERS} of project is not UTF-8 text: byte 3 is 0xe9"),
        (b"ab\0c", f"{LAYERS} of project is not text: it holds a NUL at byte 2"),
    ],
)
def test_what_is_not_text_is_refused(make_manifest: Make, tmp_path: Path, content: bytes, stated: str) -> None:
    cache = BlobCache(tmp_path)
    manifest = make_manifest(files={LAYERS: {"blob": cache.put(content)}})
    with pytest.raises(SourceError) as caught:
        SourceStore({"project": manifest}, cache).file("project", LAYERS)
    assert str(caught.value) == stated


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", ()),
        ("a", ("a",)),
        ("a\n", ("a",)),
        ("a\n\n", ("a", "")),
        ("a\r\nb\rc\x0cd\u2028e\x85f\n", ("a\r", "b\rc\x0cd\u2028e\x85f")),
    ],
)
def test_only_line_feeds_end_lines(text: str, lines: tuple[str, ...]) -> None:
    assert lines_of(text) == lines


def test_fetching_all_goes_on_after_a_failure_and_tells_each_once(
    packaged: Callable[..., Manifest], make_manifest: Make, files: dict[str, bytes], tmp_path: Path
) -> None:
    good = packaged(files)
    assert good.artifact is not None
    lost = make_manifest(
        artifact=good.artifact.model_dump() | {"pypi": "lost==1.0", "file": "lost-1.0-py3-none-any.whl"},
        files={"a.py": {"blob": "1" * 40}, "b.py": {"blob": "2" * 40}},
    )
    store = SourceStore({"project": good, "lost": lost}, BlobCache(tmp_path / "cache"))
    seen: list[str] = []
    report = fetch_all(store, progress=lambda what, done, total: seen.append(what))
    assert [text.path for text in report.texts] == sorted(files)
    assert [(source_id, str(error)[:24]) for source_id, error in report.failures] == [
        ("lost", "lost-1.0-py3-none-any.wh")
    ]
    assert set(seen) == {WHEEL}
    report = fetch_all(store, ["project", "absent"])
    assert len(report.texts) == 3
    assert [source_id for source_id, _ in report.failures] == ["absent"]
