from __future__ import annotations

import datetime
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from atlas.entries.manifest import Manifest
from atlas.exceptions import HashMismatchError, MissingFileError, RevisionError, SourceError
from atlas.sources.pins import (
    PinLock,
    PinState,
    digest_of,
    load_lock,
    pin_status,
    prove,
    save_lock,
)

Make = Callable[..., Manifest]
LAYERS, NET = "pkg/layers.py", "pkg/models/net.py"
DAY = datetime.date(2026, 1, 2)


def flipped(digits: str) -> str:
    """The same number with its last digit changed."""
    return digits[:-1] + ("0" if digits[-1] != "0" else "1")


@pytest.fixture
def manifest(repository: Any, make_manifest: Make) -> Manifest:
    return make_manifest(revision=repository.git("rev-parse", "HEAD~1"))


@pytest.fixture
def lock(repository: Any, manifest: Manifest) -> PinLock:
    return PinLock().with_source("project", prove("project", manifest, repository.folder, today=DAY))


def with_blob(manifest: Manifest, path: str, blob: str) -> Manifest:
    raw = manifest.model_dump()
    raw["files"] = {**raw["files"], path: {"blob": blob}}
    return Manifest.model_validate(raw)


@pytest.mark.parametrize("local", [True, False])
def test_a_proof_covers_every_file_and_tells_how_it_was_made(repository: Any, manifest: Manifest, local: bool) -> None:
    records = prove("project", manifest, repository.folder if local else None, today=DAY)
    assert [record.path for record in records] == ["pkg/__init__.py", LAYERS, NET]
    for record in records:
        assert (record.source, record.repository, record.revision) == ("project", repository.url, manifest.revision)
        assert record.blob == manifest.files[record.path].blob
        assert record.method == ("git-dir" if local else f"git {repository.url}")
        assert record.proved == DAY
        fields = f"{repository.url}\n{manifest.revision}\n{record.path}\n{record.blob}"
        assert record.digest == hashlib.sha256(fields.encode()).hexdigest()
    assert str(repository.folder) not in "".join(record.model_dump_json() for record in records)


def test_a_proof_of_today_has_today_s_date(repository: Any, manifest: Manifest) -> None:
    before = datetime.datetime.now(datetime.UTC).date()
    [record, *_] = prove("project", manifest, repository.folder)
    assert before <= record.proved <= datetime.datetime.now(datetime.UTC).date()


def test_what_was_proved_is_proved(manifest: Manifest, lock: PinLock) -> None:
    status = pin_status("project", manifest, LAYERS, lock)
    assert (status.state, status.message) == (PinState.PROVED, "proved on 2026-01-02 against a copy of the repository")
    states = {pin_status("project", manifest, path, lock).state for path in manifest.files}
    assert states == {PinState.PROVED}
    assert pin_status("another", manifest, LAYERS, lock).state is PinState.NEVER_PROVED


def test_what_was_never_proved_says_so(manifest: Manifest) -> None:
    status = pin_status("project", manifest, LAYERS, PinLock())
    blob = manifest.files[LAYERS].blob
    assert status.state is PinState.NEVER_PROVED
    assert status.message == f"it was never proved that {LAYERS} has blob {blob} at revision {manifest.revision}"
    assert status.advice == "run `atlas pin --prove`"
    assert status.field == ("files", LAYERS)


@pytest.mark.parametrize("position", [0, 19, 39])
def test_one_wrong_digit_of_the_revision_is_seen(manifest: Manifest, lock: PinLock, position: int) -> None:
    digits = manifest.revision
    wrong = flipped(digits[: position + 1]) + digits[position + 1 :]
    status = pin_status("project", manifest.model_copy(update={"revision": wrong}), LAYERS, lock)
    assert (status.state, status.differs, status.field) == (PinState.EDITED, ("revision",), ("revision",))
    assert status.message == (
        f"the pin of {LAYERS} was edited after it was proved: revision {wrong} was proved as {digits}"
    )
    assert status.advice == "undo the edit or run `atlas pin --prove`"


def test_one_wrong_digit_of_a_blob_is_seen_and_the_others_stay_proved(manifest: Manifest, lock: PinLock) -> None:
    edited = with_blob(manifest, LAYERS, flipped(manifest.files[LAYERS].blob))
    status = pin_status("project", edited, LAYERS, lock)
    assert (status.state, status.differs) == (PinState.EDITED, ("blob",))
    assert status.field == ("files", LAYERS, "blob")
    assert f"was proved as {manifest.files[LAYERS].blob}" in status.message
    assert pin_status("project", edited, NET, lock).state is PinState.PROVED


def test_another_repository_is_seen(manifest: Manifest, lock: PinLock) -> None:
    edited = manifest.model_copy(update={"repository": "https://git.example/fork/project", "revision": "0" * 40})
    status = pin_status("project", edited, LAYERS, lock)
    assert (status.state, status.differs) == (PinState.EDITED, ("repository", "revision"))


def test_a_record_that_was_edited_along_with_the_manifest_is_seen(manifest: Manifest, lock: PinLock) -> None:
    wrong = flipped(manifest.revision)
    records = [record.model_copy(update={"revision": wrong}) for record in lock.records]
    edited = manifest.model_copy(update={"revision": wrong})
    status = pin_status("project", edited, LAYERS, PinLock.sorted(records))
    assert (status.state, status.differs) == (PinState.EDITED, ("digest",))
    assert "its digest does not fit its own fields" in status.message


def test_a_release_is_no_proof_and_proving_it_names_the_commit(
    repository: Any, make_manifest: Make, manifest: Manifest
) -> None:
    release = make_manifest(revision="v1.0")
    status = pin_status("project", release, LAYERS, PinLock())
    assert status.state is PinState.RELEASE
    assert status.message == "not proved against git to be in release v1.0"
    for git_dir in (repository.folder, None):
        with pytest.raises(RevisionError) as caught:
            prove("project", release, git_dir)
        assert str(caught.value) == (
            "revision v1.0 is a tag, and only a commit can be proved; "
            f"write `revision: {manifest.revision}` and `release: v1.0`"
        )
        assert caught.value.field == ("revision",)


@pytest.mark.parametrize("shorten", [1, 2, 20])
def test_a_proved_commit_that_is_shortened_is_no_release(
    make_manifest: Make, manifest: Manifest, lock: PinLock, shorten: int
) -> None:
    with pytest.raises(ValidationError, match=r"a commit is given by its 40 hexadecimal digits"):
        make_manifest(revision=manifest.revision[:-shorten])
    shortened = manifest.model_copy(update={"revision": manifest.revision[:-shorten]})
    status = pin_status("project", shortened, LAYERS, lock)
    assert (status.state, status.differs, status.field) == (PinState.EDITED, ("revision",), ("revision",))


def test_the_id_of_a_tag_is_not_that_of_a_commit(repository: Any, make_manifest: Make, manifest: Manifest) -> None:
    tag = repository.git("rev-parse", "v1.0")
    assert tag != manifest.revision
    with pytest.raises(RevisionError, match=f"write `revision: {manifest.revision}`$"):
        prove("project", make_manifest(revision=tag), repository.folder)


@pytest.mark.parametrize("local", [True, False])
def test_wrong_pins_are_not_proved(repository: Any, make_manifest: Make, manifest: Manifest, local: bool) -> None:
    git_dir = repository.folder if local else None
    blob = manifest.files[LAYERS].blob
    with pytest.raises(HashMismatchError) as caught:
        prove("project", with_blob(manifest, LAYERS, flipped(blob)), git_dir)
    assert str(caught.value) == (
        f"the blob of {LAYERS} at revision {manifest.revision} is pinned as {flipped(blob)} but is {blob}"
    )
    assert caught.value.field == ("files", LAYERS, "blob")
    with pytest.raises(RevisionError, match=f"has no (commit|revision) {flipped(manifest.revision)}"):
        prove("project", manifest.model_copy(update={"revision": flipped(manifest.revision)}), git_dir)
    with pytest.raises(MissingFileError, match=r"no file pkg/layer\.py .*; the nearest is pkg/layers\.py"):
        prove("project", make_manifest(revision=manifest.revision, files={"pkg/layer.py": {"blob": blob}}), git_dir)


def test_the_lock_file_is_the_same_for_any_order_and_reads_back(lock: PinLock, tmp_path: Path) -> None:
    one, two = tmp_path / "one" / "pins.lock", tmp_path / "two.lock"
    save_lock(lock, one)
    save_lock(PinLock.sorted(reversed(lock.records)), two)
    assert one.read_bytes() == two.read_bytes()
    assert load_lock(one) == lock
    text = one.read_text(encoding="utf-8")
    assert text.count("- source: project\n") == 3
    assert "  proved: 2026-01-02\n" in text
    assert [path.name for path in one.parent.iterdir()] == ["pins.lock"]


def test_proving_again_takes_the_place_of_old_records(repository: Any, manifest: Manifest, lock: PinLock) -> None:
    fewer = manifest.model_copy(update={"files": {LAYERS: manifest.files[LAYERS]}})
    later = lock.with_source("another", prove("another", manifest, repository.folder, today=DAY))
    later = later.with_source("project", prove("project", fewer, repository.folder, today=DAY))
    assert [(record.source, record.path) for record in later.records] == [
        ("another", "pkg/__init__.py"),
        ("another", LAYERS),
        ("another", NET),
        ("project", LAYERS),
    ]


def test_no_file_is_no_proof(tmp_path: Path) -> None:
    assert load_lock(tmp_path / "pins.lock") == PinLock()


@pytest.mark.parametrize(
    ("change", "stated"),
    [
        (("- source: project", "- sauce: project"), r"has a record that is not one \(0\.source: Field required\)"),
        (("method: git-dir", "method: git-dir /home/me/clone"), r"not one \(0\.method: "),
        (("proved: 2026-01-02", "proved: soon"), r"not one \(0\.proved: "),
        (("- source: project", "source: project"), "is not the list of records"),
        (("- source: project", "- source: &a [*a"), "is not the list of records"),
    ],
)
def test_a_lock_that_is_none_is_refused(lock: PinLock, tmp_path: Path, change: tuple[str, str], stated: str) -> None:
    path = tmp_path / "pins.lock"
    save_lock(lock, path)
    path.write_text(path.read_text().replace(*change, 1))
    with pytest.raises(SourceError, match=rf"^pins\.lock .*{stated}"):
        load_lock(path)


def test_two_records_of_one_file_are_refused(lock: PinLock, tmp_path: Path) -> None:
    path = tmp_path / "pins.lock"
    save_lock(PinLock((*lock.records, lock.records[1])), path)
    with pytest.raises(SourceError, match=r"has two records of pkg/layers\.py of project"):
        load_lock(path)


def test_digests_differ_in_every_field() -> None:
    digests = {digest_of(*fields) for fields in [("a", "b", "c", "d"), ("ab", "", "c", "d"), ("a", "b", "d", "c")]}
    assert len(digests) == 3


@pytest.mark.parametrize("text", ["[" * 5000, "- {proved: 2026-02-31}", "- proved: 2026-02-31\n"])
def test_a_lock_that_yaml_itself_cannot_make_values_of_is_a_clear_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "pins.lock").write_text(text, encoding="utf-8")
    with pytest.raises(SourceError) as caught:
        load_lock(tmp_path / "pins.lock")
    assert str(caught.value).startswith("pins.lock is not the list of records that `atlas pin --prove` writes: ")
    assert "\n" not in str(caught.value)


@pytest.fixture
def archived(
    packages: Path, make_wheel: Any, make_artifact: Any, upstream: dict[str, bytes], manifest: Manifest
) -> Manifest:
    """The manifest with an archive that holds its files, in the only place in which archives are looked for."""
    content = make_wheel(upstream)
    (packages / "project-1.0-py3-none-any.whl").write_bytes(content)
    artifact = make_artifact("project-1.0-py3-none-any.whl", content)
    return Manifest.model_validate(manifest.model_dump() | {"artifact": artifact})


@pytest.fixture
def packages(no_pip_settings: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "packages"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def with_artifact(manifest: Manifest, **changes: str) -> Manifest:
    raw = manifest.model_dump()
    return Manifest.model_validate(raw | {"artifact": raw["artifact"] | changes})


@pytest.mark.parametrize("name", ["pypi", "file", "sha256", "strip"])
def test_every_field_of_a_proved_archive_is_proved(
    repository: Any, archived: Manifest, tmp_path: Path, name: str
) -> None:
    path = tmp_path / "pins.lock"
    save_lock(PinLock().with_source("project", prove("project", archived, repository.folder, today=DAY)), path)
    lock = load_lock(path)
    assert pin_status("project", archived, LAYERS, lock).state is PinState.PROVED
    assert archived.artifact is not None
    others = {
        "pypi": "project==1.1",
        "file": "project-1.0.tar.gz",
        "sha256": flipped(archived.artifact.sha256),
        "strip": "src",
    }
    status = pin_status("project", with_artifact(archived, **{name: others[name]}), LAYERS, lock)
    assert (status.state, status.differs, status.field) == (PinState.EDITED, (name,), ("artifact", name))
    before = getattr(archived.artifact, name) or "(none)"
    assert status.message.endswith(f"was edited after it was proved: {name} {others[name]} was proved as {before}")
    raw = [record.model_dump() for record in lock.records]
    edited = [type(record)(**one | {"artifact": one["artifact"] | {name: others[name]}})
              for record, one in zip(lock.records, raw, strict=True)]  # fmt: skip
    status = pin_status("project", archived, LAYERS, PinLock.sorted(edited))
    assert (status.state, status.differs) == (PinState.EDITED, ("digest",))


def test_an_archive_that_is_named_after_the_proof_is_not_proved(
    repository: Any, manifest: Manifest, archived: Manifest, lock: PinLock
) -> None:
    status = pin_status("project", archived, LAYERS, lock)
    assert (status.state, status.field) == (PinState.NEVER_PROVED, ("artifact",))
    assert status.message == (
        f"it was never proved that project-1.0-py3-none-any.whl has this SHA-256 and holds {LAYERS}"
    )
    assert pin_status("project", manifest, LAYERS, lock).state is PinState.PROVED


def test_another_archive_is_not_proved_by_asking_git_again(
    repository: Any, archived: Manifest, packages: Path, make_wheel: Any, upstream: dict[str, bytes]
) -> None:
    lock = PinLock().with_source("project", prove("project", archived, repository.folder))
    assert archived.artifact is not None
    wrong = with_artifact(archived, sha256=flipped(archived.artifact.sha256))
    with pytest.raises(HashMismatchError, match=r"SHA-256 of project-1\.0-py3-none-any\.whl"):
        prove("project", wrong, repository.folder, lock=lock)
    content = make_wheel(upstream | {LAYERS: b"other = 1\n"})
    (packages / archived.artifact.file).write_bytes(content)
    with pytest.raises(HashMismatchError, match=f"the blob of {LAYERS} in project"):
        prove("project", with_artifact(archived, sha256=hashlib.sha256(content).hexdigest()), repository.folder)
    # What was proved of the archive is not asked again: it is not even there any more.
    (packages / archived.artifact.file).unlink()
    assert prove("project", archived, repository.folder, lock=lock) == list(lock.records)
    with pytest.raises(SourceError):
        prove("project", archived, repository.folder)
