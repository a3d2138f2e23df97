from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from atlas.entries.manifest import Manifest
from atlas.exceptions import ArchiveError, MissingFileError, OfflineError, RevisionError, SourceError
from atlas.sources.blob import blob_id
from atlas.sources.git import bring_from_git, fetched, fetched_revision, open_clone, run_git

Make = Callable[..., Manifest]
PATHS = ["pkg/layers.py", "pkg/models/net.py"]


def test_a_commit_that_is_no_tip_is_fetched(repository: Any, make_manifest: Make, files: dict[str, bytes]) -> None:
    commit = repository.git("rev-parse", "HEAD~1")
    seen: list[tuple[str, int, int | None]] = []
    found = bring_from_git(make_manifest(revision=commit), PATHS, progress=lambda *step: seen.append(step))
    assert found == {path: files[path] for path in PATHS}
    size = sum(len(files[path]) for path in PATHS)
    assert (seen[0], seen[-1]) == (("owner/project", 0, None), ("owner/project", size, size))


def test_only_the_wanted_commit_comes_and_no_file_before_it_is_read(repository: Any, make_manifest: Make) -> None:
    head = repository.git("rev-parse", "HEAD")
    with fetched(make_manifest(revision=head)) as made:
        asked = ["--git-dir", str(made.folder)]
        commits = run_git([*asked, "rev-list", "--all", "--count", head], made.deadline, "x").stdout
        present = run_git([*asked, "rev-list", "--objects", "--missing=print", head], made.deadline, "x").stdout
        assert commits.strip() == b"1"
        assert {line for line in present.decode().split("\n") if line.startswith("?")} == {
            f"?{repository.git('rev-parse', f'HEAD:{path}')}" for path in [*PATHS, "pkg/__init__.py", "README"]
        }
        folder = made.folder
        assert folder.is_dir()
    assert not folder.exists()


def test_a_tag_is_fetched(repository: Any, make_manifest: Make, files: dict[str, bytes]) -> None:
    found = bring_from_git(make_manifest(revision="v1.0"), ["pkg/layers.py"])
    assert found == {"pkg/layers.py": files["pkg/layers.py"]}


def test_a_commit_that_does_not_exist_is_named(repository: Any, make_manifest: Make) -> None:
    commit = repository.git("rev-parse", "HEAD")
    wrong = commit[:-1] + ("0" if commit[-1] != "0" else "1")
    with pytest.raises(RevisionError) as caught:
        bring_from_git(make_manifest(revision=wrong), PATHS)
    assert str(caught.value).startswith(f"{repository.url} has no revision {wrong}: ")
    assert caught.value.field == ("revision",)


@pytest.mark.parametrize("protocol", ["0", "2"])
def test_an_object_that_is_no_commit_is_no_revision(repository: Any, make_manifest: Make, protocol: str) -> None:
    repository.configure("protocol.version", protocol)
    blob = repository.git("rev-parse", "HEAD:pkg/layers.py")
    with pytest.raises(RevisionError, match=f"has no commit {blob}"):
        bring_from_git(make_manifest(revision=blob), PATHS)


def test_a_tag_that_does_not_exist_is_named(repository: Any, make_manifest: Make) -> None:
    with pytest.raises(
        RevisionError, match=r"git\.example/owner/project has no revision v9\.9: couldn't find remote ref"
    ):
        bring_from_git(make_manifest(revision="v9.9"), PATHS)


def test_the_beginning_of_a_commit_is_not_enough(repository: Any, make_manifest: Make) -> None:
    short = repository.git("rev-parse", "HEAD")[:12]
    manifest = make_manifest().model_copy(update={"revision": short})
    with pytest.raises(RevisionError, match="; a commit is named by all of its 40 digits"):
        bring_from_git(manifest, PATHS)
    with pytest.raises(RevisionError, match=f"has no tag {short}; a commit is named by all of its 40 digits"):
        open_clone(repository.folder, "clone").commit_of(short)


def test_the_tip_is_the_newest_commit(repository: Any) -> None:
    head = repository.git("rev-parse", "HEAD")
    with fetched_revision(repository.url, None) as made:
        assert made.tip() == head
        assert "README" in made.names_at(head)
    assert open_clone(repository.folder, "clone").tip() == head


@pytest.mark.parametrize("revision", ["--upload-pack=touch", "v1..v2", "v1.lock", "a//b", "v1/"])
def test_what_can_be_no_tag_never_reaches_git(repository: Any, make_manifest: Make, revision: str) -> None:
    manifest = make_manifest().model_copy(update={"revision": revision})
    with pytest.raises(RevisionError, match="is neither a commit id nor the name of a tag"):
        bring_from_git(manifest, PATHS)


def test_missing_paths_name_the_nearest_and_do_not_keep_from_the_others(
    repository: Any, make_manifest: Make, files: dict[str, bytes]
) -> None:
    commit = repository.git("rev-parse", "HEAD")
    found = bring_from_git(make_manifest(revision=commit), ["pkg/layer.py", "pkg/models", "pkg/layers.py"])
    assert found["pkg/layers.py"] == files["pkg/layers.py"]
    at = f"revision {commit[:12]} of {repository.url}"
    assert str(found["pkg/layer.py"]) == f"there is no file pkg/layer.py at {at}; the nearest is pkg/layers.py"
    assert str(found["pkg/models"]) == f"pkg/models is a folder at {at}, not a file"
    for path in ("pkg/layer.py", "pkg/models"):
        error = found[path]
        assert isinstance(error, MissingFileError)
        assert error.field == ("files", path)


def test_links_and_large_files_are_not_read(repository: Any, make_manifest: Make) -> None:
    (repository.folder / "link.py").symlink_to("pkg/layers.py")
    commit = repository.commit({"large.py": b"x" * (16 * 1024 * 1024 + 1)}, "third")
    found = bring_from_git(make_manifest(revision=commit), ["link.py", "large.py"])
    assert str(found["link.py"]).startswith("link.py is a link at revision")
    assert isinstance(found["large.py"], ArchiveError)
    assert "has 16,777,217 bytes; the limit is 16,777,216" in str(found["large.py"])


def test_a_path_is_no_pattern(repository: Any, make_manifest: Make) -> None:
    commit = repository.commit({"a[b].py": b"1\n", "ab.py": b"2\n", "γ ö.py": b"3\n", ":(top)c.py": b"4\n"}, "third")
    found = bring_from_git(make_manifest(revision=commit), ["a[b].py", "γ ö.py", ":(top)c.py", "*.py"])
    assert [found[path] for path in ("a[b].py", "γ ö.py", ":(top)c.py")] == [b"1\n", b"3\n", b"4\n"]
    assert isinstance(found["*.py"], MissingFileError)


def test_a_server_without_single_commits_says_what_to_do(repository: Any, make_manifest: Make) -> None:
    repository.configure("protocol.version", "0")
    repository.git("config", "uploadpack.allowAnySHA1InWant", "false")
    commit = repository.git("rev-parse", "HEAD~1")
    repository.git("tag", "--delete", "v1.0")
    with pytest.raises(RevisionError) as caught:
        bring_from_git(make_manifest(revision=commit), PATHS)
    assert str(caught.value) == (
        f"the server of {repository.url} does not hand out a single commit by its id, so {commit} cannot be fetched; "
        "pin a package archive (`artifact`), or prove the pin against a copy of the repository on this machine: "
        "`git clone` it, and name its folder with --git-dir"
    )


def test_a_server_that_ignores_the_filter_serves_all_the_same(
    repository: Any, make_manifest: Make, files: dict[str, bytes]
) -> None:
    repository.git("config", "uploadpack.allowFilter", "false")
    commit = repository.git("rev-parse", "HEAD~1")
    found = bring_from_git(make_manifest(revision=commit), ["pkg/layers.py"])
    assert found == {"pkg/layers.py": files["pkg/layers.py"]}


def test_no_connection_is_no_network(repository: Any, make_manifest: Make) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"https://127.0.0.1:{free.getsockname()[1]}/owner/project"
    with pytest.raises(OfflineError) as caught:
        bring_from_git(make_manifest(repository=url), PATHS)
    assert str(caught.value).startswith(f"{url} cannot be reached: ")
    assert caught.value.advice == "connect to the network"
    assert str(caught.value) == f"{caught.value.fact}; connect to the network"
    assert caught.value.field == ("repository",)


def test_a_repository_that_is_not_there_is_named(repository: Any, make_manifest: Make, tmp_path: Path) -> None:
    repository.configure(f"url.{(tmp_path / 'absent').as_uri()}.insteadOf", "https://git.example/absent")
    with pytest.raises(
        SourceError, match=r"there is no repository https://git\.example/absent that everybody may read"
    ):
        bring_from_git(make_manifest(repository="https://git.example/absent"), PATHS)


def test_other_protocols_are_refused(repository: Any, make_manifest: Make) -> None:
    repository.configure("url.ssh://git@127.0.0.1/.insteadOf", "https://ssh.example/")
    with pytest.raises(SourceError, match=r"replaces https://ssh\.example/project by an address that is neither https"):
        bring_from_git(make_manifest(repository="https://ssh.example/project"), PATHS)


def test_no_hook_runs_and_the_caller_s_repository_is_left_alone(
    repository: Any, make_manifest: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("reference-transaction", "post-checkout", "pre-auto-gc"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch '{tmp_path / 'hook-ran'}'\n")
        (hooks / name).chmod(0o755)
    repository.configure("core.hooksPath", str(hooks))
    commit = repository.git("rev-parse", "HEAD")
    own = tmp_path / "own"
    own.mkdir()
    monkeypatch.setenv("GIT_DIR", str(own))
    found = bring_from_git(make_manifest(revision="v1.0"), ["pkg/layers.py"])
    assert isinstance(found["pkg/layers.py"], bytes)
    assert not (tmp_path / "hook-ran").exists()
    assert list(own.iterdir()) == []
    assert open_clone(repository.folder, "x").commit_of(commit) == commit


def test_git_that_hangs_is_stopped_with_all_that_it_started(
    make_manifest: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "git").write_text(f"#!/bin/sh\nsleep 60 &\necho $! > '{tmp_path / 'child'}'\nwait\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    begun = time.monotonic()
    with pytest.raises(OfflineError, match=r"git did not finish with https://git\.example/owner/project in time"):
        bring_from_git(make_manifest(), PATHS, timeout=0.5)
    assert time.monotonic() - begun < 10
    child = Path(f"/proc/{(tmp_path / 'child').read_text().strip()}/stat")
    deadline = time.monotonic() + 5
    while child.exists() and child.read_text().split()[2] != "Z" and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not child.exists() or child.read_text().split()[2] == "Z"


def test_without_git_it_is_said_that_git_is_needed(make_manifest: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SourceError, match="there is no program `git` on the PATH"):
        bring_from_git(make_manifest(), PATHS)


def test_a_folder_that_is_no_repository_is_refused(tmp_path: Path, repository: Any) -> None:
    (tmp_path / "plain").mkdir()
    for folder in (tmp_path / "plain", tmp_path / "absent"):
        with pytest.raises(SourceError, match="is not a git repository"):
            open_clone(folder, "x")


def test_a_clone_is_read_from_its_work_tree_or_git_folder(repository: Any, files: dict[str, bytes]) -> None:
    for folder in (repository.folder, repository.folder / ".git"):
        clone = open_clone(folder, "the clone")
        commit = clone.commit_of("v1.0")
        assert commit == repository.git("rev-parse", "HEAD~1")
        assert clone.blob_of(commit, "pkg/layers.py") == blob_id(files["pkg/layers.py"])
        assert clone.read(commit, "pkg/layers.py") == files["pkg/layers.py"]
