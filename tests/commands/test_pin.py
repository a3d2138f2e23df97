"""`atlas pin` with a release or a revision: manifests with proven hashes, written whole or not at all."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from atlas.cli import main
from atlas.entries.manifest import Manifest
from atlas.sources.blob import blob_id
from atlas.sources.pins import PinState, load_lock, pin_status

Atlas = Callable[..., Result]
LAYERS, NET = "pkg/layers.py", "pkg/models/net.py"
LICENCE = (
    "The project's licence\n\nCopyright (c) 2021 The Scale Authors. All rights reserved.\n\nPermission is hereby "
    "granted, free of\ncharge, to any person obtaining a copy\n"
)
METADATA = (
    "Metadata-Version: 2.4\nName: Scale\nVersion: 1.0\nLicense-Expression: MIT\nLicense-File: LICENSE\n"
    "Project-URL: Homepage, https://scale.example\nProject-URL: Source, https://github.com/owner/scale/tree/main\n\n"
)


@pytest.fixture
def atlas(real_project: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Atlas:
    monkeypatch.chdir(real_project.root)
    monkeypatch.setenv("OPENMODELATLAS_CACHE", str(tmp_path / "cache"))
    return lambda *arguments: CliRunner().invoke(main, arguments, prog_name="atlas")


@pytest.fixture
def packages(no_pip_settings: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the only place in which archives are looked for."""
    folder = tmp_path / "packages"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def wheel(packages: Path, make_wheel: Callable[..., bytes], upstream: dict[str, bytes]) -> Path:
    about = {
        "scale-1.0.dist-info/METADATA": METADATA.encode(),
        "scale-1.0.dist-info/licenses/LICENSE": LICENCE.encode(),
    }
    file = packages / "scale-1.0-py3-none-any.whl"
    file.write_bytes(make_wheel(upstream | about))
    return file


def manifest(project: Any, name: str) -> Manifest:
    return Manifest.model_validate(yaml.safe_load((project.root / f"sources/{name}.yml").read_text(encoding="utf-8")))


def snapshot(project: Any) -> Mapping[Path, bytes]:
    return {file: file.read_bytes() for file in project.root.rglob("*") if file.is_file()}


def refusal(result: Result) -> str:
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    return result.stderr[result.stderr.index("Error: ") :].rstrip()


def test_a_release_is_pinned_with_all_that_its_archive_and_git_say(
    atlas: Atlas, real_project: Any, wheel: Path, repository: Any, upstream: dict[str, bytes]
) -> None:
    repository.configure(f"url.{repository.folder.as_uri()}.insteadOf", "https://github.com/owner/scale")
    result = atlas("pin", "scale==1.0", NET, LAYERS)
    assert result.exit_code == 0, result.output
    assert result.stdout == "".join(f"scale: {path}: blob {blob_id(upstream[path])}\n" for path in (NET, LAYERS))
    commit = repository.git("rev-parse", "v1.0^{commit}")
    assert result.stderr.endswith(f"sources/scale.yml: 2 files proved to belong to {commit}\n")
    found = manifest(real_project, "scale")
    assert (found.title, found.repository) == ("Scale", "https://github.com/owner/scale")
    assert (found.revision, found.release) == (commit, "v1.0")
    assert (found.license, found.copyright) == ("MIT", "2021 The Scale Authors")
    assert found.artifact is not None
    assert found.artifact.model_dump(exclude_none=True) == {
        "pypi": "scale==1.0", "file": wheel.name, "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest()
    }  # fmt: skip
    assert {path: file.blob for path, file in found.files.items()} == {
        path: blob_id(upstream[path]) for path in (LAYERS, NET)
    }
    assert (real_project.root / "sources" / found.license_text).read_text(encoding="utf-8") == LICENCE
    lock = load_lock(real_project.root / "sources/pins.lock")
    assert all(pin_status("scale", found, path, lock).state is PinState.PROVED for path in found.files)
    # Nothing has to be brought again, and nothing of the project is an issue.
    assert "bringing" not in atlas("fetch", "--offline", "scale").stderr
    assert atlas("pin", "scale").exit_code == 0


def test_a_revision_is_pinned_without_any_archive(
    atlas: Atlas, real_project: Any, repository: Any, upstream: dict[str, bytes]
) -> None:
    commit = repository.commit({"LICENSE": LICENCE.encode()}, "licence")
    result = atlas("pin", f"{repository.url}@{commit}", LAYERS)
    assert result.exit_code == 0, result.output
    found = manifest(real_project, "project")
    assert (found.revision, found.release, found.artifact) == (commit, None, None)
    assert (found.license, found.copyright, found.title) == ("MIT", "2021 The Scale Authors", "project")
    [record] = [one for one in load_lock(real_project.root / "sources/pins.lock").records if one.source == "project"]
    assert (record.path, record.blob, record.revision) == (LAYERS, blob_id(upstream[LAYERS]), commit)


def test_a_tag_of_a_clone_becomes_its_commit(atlas: Atlas, real_project: Any, repository: Any) -> None:
    repository.commit({"LICENSE": LICENCE.encode()}, "licence")
    repository.git("tag", "v2.0")
    arguments = ("https://git.example/elsewhere/net@v2.0", NET, "--git-dir", str(repository.folder), "--name", "nets")
    result = atlas("pin", *arguments)
    assert result.exit_code == 0, result.output
    found = manifest(real_project, "nets")
    assert (found.revision, found.release) == (repository.git("rev-parse", "HEAD"), "v2.0")
    assert load_lock(real_project.root / "sources/pins.lock").record("nets", NET) is not None


def test_an_archive_that_is_not_the_revision_is_refused(
    atlas: Atlas, real_project: Any, wheel: Path, repository: Any, upstream: dict[str, bytes]
) -> None:
    commit = repository.commit({LAYERS: b"def scale(x):\n    return 3 * x\n"}, "third")
    before = snapshot(real_project)
    message = refusal(atlas("pin", "scale==1.0", f"{repository.url}@{commit}", LAYERS))
    assert (
        f"{wheel.name} is not revision {commit[:12]} of {repository.url}: the blob of {LAYERS} is pinned as" in message
    )
    assert blob_id(upstream[LAYERS]) in message
    assert snapshot(real_project) == before


def test_a_folder_that_the_archive_leaves_out_is_found(
    atlas: Atlas, real_project: Any, wheel: Path, repository: Any, upstream: dict[str, bytes]
) -> None:
    commit = repository.commit({f"src/{LAYERS}": upstream[LAYERS]}, "moved")
    result = atlas("pin", "scale==1.0", f"{repository.url}@{commit}", f"src/{LAYERS}")
    assert result.exit_code == 0, result.output
    found = manifest(real_project, "scale")
    assert found.artifact is not None
    assert (found.artifact.strip, list(found.files)) == ("src", [f"src/{LAYERS}"])
    assert (found.repository, found.artifact.file) == (repository.url, wheel.name)


@pytest.mark.parametrize("origin", ["scale==1.0", "https://git.example/owner/project@v1.0"])
@pytest.mark.usefixtures("wheel", "repository")
def test_a_wrong_path_gets_the_nearest(atlas: Atlas, real_project: Any, origin: str) -> None:
    before = snapshot(real_project)
    lines = refusal(atlas("pin", origin, "pkg/model/net.py", LAYERS, "pkg/layer.py")).splitlines()
    assert len(lines) == 2
    assert " has no file pkg/model/net.py; the nearest is pkg/models/net.py" in lines[0]
    assert " has no file pkg/layer.py; the nearest is pkg/layers.py" in lines[1]
    assert snapshot(real_project) == before


@pytest.mark.usefixtures("wheel")
def test_without_git_a_release_is_pinned_by_its_stated_tag_only(
    atlas: Atlas, real_project: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    config = tmp_path / "unreachable"
    config.write_text(f'[url "file://{tmp_path}/nothing"]\n    insteadOf = https://github.com/\n', encoding="utf-8")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    before = snapshot(real_project)
    message = refusal(atlas("pin", "scale==1.0", LAYERS))
    assert "--git-dir" in message
    assert "the release's tag with --tag" in message
    assert snapshot(real_project) == before
    result = atlas("pin", "scale==1.0", LAYERS, "--tag", "v1.0")
    assert result.exit_code == 0, result.output
    assert "v1.0 is not proved to be scale==1.0" in result.stderr
    assert "; run `atlas repin scale --to 1.0` where it can be\n" in result.stderr
    found = manifest(real_project, "scale")
    assert (found.revision, found.release) == ("v1.0", "v1.0")
    lock = load_lock(real_project.root / "sources/pins.lock")
    assert pin_status("scale", found, LAYERS, lock).state is PinState.RELEASE


@pytest.mark.usefixtures("packages", "repository")
def test_no_network_is_told_as_such(atlas: Atlas) -> None:
    message = refusal(atlas("pin", "scale==1.0", LAYERS))
    assert message.startswith("Error: scale==1.0 cannot be brought: pip is set to use no index")
    assert "; connect to the network, or name a mirror" in message
    assert "atlas fetch" not in message, "a file that is not pinned yet cannot be fetched"


def test_without_a_network_a_new_pin_is_told_of_the_option_that_needs_none(
    atlas: Atlas, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")  # nobody answers there
    message = refusal(atlas("pin", "https://git.example/owner/scale@v1.0", LAYERS))
    assert "https://git.example/owner/scale cannot be reached: " in message
    assert message.endswith("`git clone` where there is one, and name its folder with --git-dir")
    assert "atlas fetch" not in message


@pytest.mark.usefixtures("repository")
def test_what_no_file_says_is_asked_for_at_once_and_can_be_stated(
    atlas: Atlas, real_project: Any, repository: Any, tmp_path: Path
) -> None:
    origin = f"{repository.url}@v1.0"
    message = refusal(atlas("pin", origin, LAYERS))
    assert message.endswith("add --license, --license-text, --copyright")
    text = tmp_path / "text"
    text.write_text("All may use it.\n", encoding="utf-8")
    stated = ("--license-text", str(text), "--copyright", "1999: A # B", "--title", "'Scale'")
    assert "is not an SPDX expression" in refusal(atlas("pin", origin, LAYERS, *stated, "--license", "free"))
    assert atlas("pin", origin, LAYERS, *stated, "--license", "apache-2.0").exit_code == 0
    found = manifest(real_project, "project")
    assert (found.license, found.copyright, found.title) == ("Apache-2.0", "1999: A # B", "'Scale'")
    assert (real_project.root / "sources" / found.license_text).read_text(encoding="utf-8") == "All may use it.\n"


def test_more_files_leave_the_manifest_as_people_wrote_it(
    atlas: Atlas, real_project: Any, repository: Any, upstream: dict[str, bytes]
) -> None:
    repository.commit({"LICENSE": LICENCE.encode(), "pkg/ä b.py": b"x = 1\n", "a.py": b"", "z.py": b""}, "licence")
    repository.git("tag", "v2.0")
    assert atlas("pin", f"{repository.url}@v2.0", NET).exit_code == 0
    file = real_project.root / "sources/project.yml"
    blob = blob_id(upstream[NET])
    head = (
        file.read_text(encoding="utf-8").partition("files:")[0].replace("title: project", "title:   'project' # mine")
    )
    written = f"# Ours.\r\n{head}files:   # pinned\n  # the net\n  {NET}:\n    blob: '{blob}'   # proved\n\n# end\n"
    file.write_bytes(written.replace("\r\n", "\n").replace("\n", "\r\n").encode())
    result = atlas("pin", f"{repository.url}@v2.0", "z.py", "pkg/ä b.py", "a.py", LAYERS, NET)
    assert result.exit_code == 0, result.output
    text = file.read_bytes().decode()
    assert text.count("\n") == text.count("\r\n")
    empty = blob_id(b"")
    assert text.replace("\r\n", "\n").endswith(
        f"files:   # pinned\n  a.py: {{blob: {empty}}}\n  pkg/layers.py: {{blob: {blob_id(upstream[LAYERS])}}}\n"
        f"  # the net\n  {NET}:\n    blob: '{blob}'   # proved\n"
        f"  pkg/ä b.py: {{blob: {blob_id(b'x = 1' + bytes([10]))}}}\n  z.py: {{blob: {empty}}}\n\n# end\n"
    )
    assert text.startswith("# Ours.\r\ntitle:   'project' # mine\r\n")
    lock = load_lock(real_project.root / "sources/pins.lock")
    assert len([one for one in lock.records if one.source == "project"]) == 5
    assert atlas("pin", "project").exit_code == 0


def test_more_files_are_added_to_a_source_by_its_id(
    atlas: Atlas, real_project: Any, repository: Any, upstream: dict[str, bytes]
) -> None:
    repository.commit({"LICENSE": LICENCE.encode()}, "licence")
    repository.git("tag", "v2.0")
    assert atlas("pin", f"{repository.url}@v2.0", NET, "--name", "nets").exit_code == 0
    result = atlas("pin", "nets", LAYERS)
    assert result.exit_code == 0, result.output
    assert result.stdout == f"nets: {LAYERS}: blob {blob_id(upstream[LAYERS])}\n"
    assert {*manifest(real_project, "nets").files} == {LAYERS, NET}
    assert atlas("pin", "nets").exit_code == 0


@pytest.mark.usefixtures("repository")
def test_more_files_of_a_package_are_added_by_its_id(atlas: Atlas, real_project: Any, wheel: Path) -> None:
    assert atlas("pin", "scale==1.0", NET, "--tag", "v1.0", "--name", "other").exit_code == 0, wheel
    assert atlas("pin", "other", LAYERS).exit_code == 0
    found = manifest(real_project, "other")
    assert ({*found.files}, found.origin) == ({LAYERS, NET}, "scale==1.0")


def test_another_release_or_revision_of_a_source_is_refused(atlas: Atlas, real_project: Any) -> None:
    before = snapshot(real_project)
    path = "tensor2tensor/models/transformer.py"
    message = refusal(atlas("pin", "tensor2tensor==1.0.15", path))
    assert "pins tensor2tensor==1.0.14, not tensor2tensor==1.0.15; move all its pins with `atlas repin" in message
    message = refusal(atlas("pin", "https://github.com/tensorflow/tensor2tensor@v9", path))
    assert "is pinned to 0c66117d4297d6f778d415790bfbce6cfafe1239, not v9" in message
    message = refusal(atlas("pin", "https://github.com/a/b@v9", path, "--name", "tensor2tensor"))
    assert "is https://github.com/tensorflow/tensor2tensor, not https://github.com/a/b" in message
    assert snapshot(real_project) == before


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["scale==1.0"], "which files of scale==1.0?"),
        (["https://git.example/a/b", "x.py"], "says no revision"),
        (["http://git.example/a/b@v1", "x.py"], "is not the https address"),
        (["git://git.example/a/b@v1", "x.py"], "is not the https address"),
        (["a==1", "b==2", "x.py"], "two releases"),
        (["https://a.example/a/b@1", "https://a.example/c/d@1", "x.py"], "two repositories"),
        (["scale=1.0", "x.py"], "scale=1.0 names no release; write scale==1.0"),
        (["scale@1.0", "x.py"], "scale@1.0 names no release; write scale==1.0"),
        (["a==", "x.py"], "is not a release such as name==1.0"),
        (["a==1", "x.py", "--prove"], "--prove is for pins that are there"),
        (["a==1", "x.py", "--name", "A b"], "cannot be a source's name"),
        (["x/y.py"], "x/y.py is a path, and nothing says of which source: write `atlas pin SOURCE x/y.py`; there is "),
        (["x.py", "chainer"], "x.py is a path, and nothing says of which source"),
        (["chainr", "x.py"], "there is no source chainr; did you mean chainer?"),
        (["chainer", "x.py", "tensor2tensor"], "tensor2tensor is no path of a file; name one SOURCE"),
        (["chainer", "x.py", "--prove"], "--prove is for pins that are there"),
        (["chainer", "--license", "MIT"], "--license goes with PACKAGE==VERSION"),
    ],
)
def test_wrong_usage_is_told(atlas: Atlas, arguments: list[str], told: str) -> None:
    assert told in refusal(atlas("pin", *arguments))


@pytest.mark.usefixtures("wheel", "repository")
def test_a_failure_while_writing_leaves_nothing_half_written(
    atlas: Atlas, real_project: Any, repository: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = snapshot(real_project)
    replace = Path.replace
    done: list[Path] = []

    def failing(self: Path, target: Path) -> Path:
        if done and target.is_relative_to(real_project.root):
            raise OSError(28, "No space left on device")
        done.extend([target] * target.is_relative_to(real_project.root))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    message = refusal(atlas("pin", "scale==1.0", f"{repository.url}@v1.0", LAYERS))
    assert "No space left on device" in message
    assert len(done) == 1
    assert snapshot(real_project) == before
