"""`atlas pin`: pins are proved against packages and clones, and disproved."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from atlas.sources.blob import blob_id
from atlas.sources.pins import load_lock
from tests.cli.command_line import Atlas, error_line, pinned


def test_pin_tells_what_was_proved(atlas: Atlas, real_project: Any) -> None:
    result = atlas("pin")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert len(lines) == 1 + len(pinned(real_project, "tensor2tensor"))
    assert lines[0].startswith("chainer: chainer/links/normalization/layer_normalization.py: proved on ")
    assert len(atlas("pin", "chainer").stdout.splitlines()) == 1


def test_pin_tells_edits_releases_and_what_was_never_proved(atlas: Atlas, real_project: Any) -> None:
    manifest = "sources/tensor2tensor.yml"
    real_project.edit(manifest, "0c66117d4297d6f778d415790bfbce6cfafe1239", "1c66117d4297d6f778d415790bfbce6cfafe1239")
    result = atlas("pin")
    files = len(pinned(real_project, "tensor2tensor"))
    assert (result.exit_code, result.stderr) == (1, f"{files} issues in 1 file\n")
    issues = [line for line in result.stdout.splitlines() if line.startswith("sources/")]
    assert len(issues) == files
    edited = f"{manifest}:3:11: A502 the pin of tensor2tensor/models/common_layers.py was edited"
    assert sum(issue.startswith(edited) for issue in issues) == 1
    assert atlas("pin", "chainer").exit_code == 0

    real_project.edit(manifest, "1c66117d4297d6f778d415790bfbce6cfafe1239", "v1.0.14")
    assert atlas("pin", "tensor2tensor").exit_code == 1
    (real_project.root / "sources" / "pins.lock").unlink()
    result = atlas("pin", "tensor2tensor")
    assert result.exit_code == 0
    assert "tensor2tensor/models/transformer.py: not proved against git to be in release v1.0.14" in result.stdout

    result = atlas("pin", "chainer")
    assert result.exit_code == 1
    assert ": A502 it was never proved that chainer/links" in result.stdout

    (real_project.root / "sources/pins.lock").write_text("- a", encoding="utf-8")
    assert "pins.lock has a record that is not one" in error_line(atlas("pin"))


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(folder), *identity, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603  fixed arguments
    return done.stdout.strip()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    folder = tmp_path / "clone"
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / "layer.py").write_text("def layer(x):\n    return x\n", encoding="utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "A layer")
    git(folder, "tag", "v1")
    return folder


def manifest_of(clone: Path, **changes: str) -> str:
    values: Mapping[str, str] = {
        "revision": git(clone, "rev-parse", "HEAD"),
        "blob": blob_id((clone / "layer.py").read_bytes()),
        **changes,
    }
    return (
        "title: Small\nrepository: https://git.example/owner/small\n"
        f"revision: '{values['revision']}'\nlicense: MIT\nlicense_text: licenses/MIT-chainer.txt\n"
        f"copyright: 2020 Nobody\nfiles:\n  layer.py: {{blob: '{values['blob']}'}}\n"
    )


def test_pin_proves_against_a_clone(atlas: Atlas, real_project: Any, clone: Path) -> None:
    sources = real_project.root / "sources"
    (sources / "small.yml").write_text(manifest_of(clone), encoding="utf-8")
    assert atlas("pin", "small").exit_code == 1
    before = load_lock(sources / "pins.lock")

    result = atlas("pin", "small", "--prove", "--git-dir", str(clone))
    assert result.exit_code == 0, result.output
    assert result.stdout == f"small: 1 file proved to belong to {git(clone, 'rev-parse', 'HEAD')}\n"
    assert result.stderr == f"small: asking git about {clone}\n"
    lock = load_lock(sources / "pins.lock")
    assert [record.source for record in lock.records] == sorted(
        [*(record.source for record in before.records), "small"]
    )
    assert set(before.records) < set(lock.records)
    assert atlas("pin", "small").exit_code == 0


def test_a_disproved_pin_loses_its_record(atlas: Atlas, real_project: Any, clone: Path) -> None:
    sources = real_project.root / "sources"
    right = manifest_of(clone)
    (sources / "small.yml").write_text(right, encoding="utf-8")
    assert atlas("pin", "small", "--prove", "--git-dir", str(clone)).exit_code == 0
    (sources / "small.yml").write_text(manifest_of(clone, blob="1" * 40), encoding="utf-8")
    result = atlas("pin", "small", "--prove", "--git-dir", str(clone))
    assert result.exit_code == 1
    assert result.stdout.startswith("sources/small.yml:8:20: A502 the blob of layer.py at revision ")
    assert "1" * 40 in result.stdout
    assert blob_id((clone / "layer.py").read_bytes()) in result.stdout
    assert load_lock(sources / "pins.lock").record("small", "layer.py") is None

    (sources / "small.yml").write_text(right, encoding="utf-8")
    assert atlas("pin", "small", "--prove", "--git-dir", str(clone)).exit_code == 0
    (sources / "small.yml").write_text(manifest_of(clone, revision="v1"), encoding="utf-8")
    result = atlas("pin", "small", "--prove", "--git-dir", str(clone))
    assert result.exit_code == 1
    assert "sources/small.yml:3:" in result.stdout
    assert f"write `revision: {git(clone, 'rev-parse', 'HEAD')}` and `release: v1`" in result.stdout
    assert load_lock(sources / "pins.lock").record("small", "layer.py") is not None, "the tag disproves nothing"


def test_pin_needs_one_source_for_a_clone(atlas: Atlas, clone: Path) -> None:
    message = "Error: --git-dir goes with --prove and exactly one SOURCE"
    assert error_line(atlas("pin", "--prove", "--git-dir", str(clone))) == message
    assert error_line(atlas("pin", "--prove", "--git-dir", str(clone), "chainer", "tensor2tensor")) == message
    assert error_line(atlas("pin", "--git-dir", str(clone), "chainer")) == message
    assert error_line(atlas("pin", "chainer", "--prove", "--git-dir", "nowhere")).endswith("does not exist.")


def test_a_damaged_lock_is_not_written_over_for_one_source(atlas: Atlas, real_project: Any, clone: Path) -> None:
    sources = real_project.root / "sources"
    (sources / "small.yml").write_text(manifest_of(clone), encoding="utf-8")
    (sources / "pins.lock").write_text("- a\n", encoding="utf-8")
    assert "pins.lock has a record" in error_line(atlas("pin", "small", "--prove", "--git-dir", str(clone)))
    assert (sources / "pins.lock").read_text(encoding="utf-8") == "- a\n"


def test_proving_all_writes_a_damaged_lock_anew(
    atlas: Atlas, real_project: Any, clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = real_project.root / "sources"
    for name in ("chainer", "tensor2tensor"):
        (sources / f"{name}.yml").unlink()
    (sources / "small.yml").write_text(
        manifest_of(clone).replace("https://git.example/owner/small", "https://git.example/small"), encoding="utf-8"
    )
    (sources / "pins.lock").write_text("- a\n", encoding="utf-8")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(clone.parent / "gitconfig"))
    (clone.parent / "gitconfig").write_text(
        f'[url "file://{clone}"]\n    insteadOf = https://git.example/small\n'
        "[uploadpack]\n    allowAnySHA1InWant = true\n    allowFilter = true\n",
        encoding="utf-8",
    )
    result = atlas("pin", "--prove")
    assert result.exit_code == 0, result.output
    [record] = load_lock(sources / "pins.lock").records
    assert (record.source, record.method) == ("small", "git https://git.example/small")
    assert atlas("pin").exit_code == 0


def test_where_git_reaches_no_repository_it_is_said_once_what_to_do(
    atlas: Atlas, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")  # nobody answers there
    result = atlas("pin", "--prove", "chainer", "tensor2tensor")
    assert result.exit_code == 1
    assert result.stdout.count(" A502 ") == 2
    assert result.stdout.count(" cannot be reached: ") == 2
    assert "atlas fetch" not in result.output
    assert result.output.count("connect to the network") == 1
    (advice,) = [line for line in result.stderr.splitlines() if line.startswith("Git reached no repository of ")]
    assert "of chainer and tensor2tensor: connect to the network and prove again. Or get a copy of" in advice
    assert advice.endswith("atlas pin --prove chainer --git-dir FOLDER")


def test_an_edited_hash_of_an_archive_is_noticed_without_a_network(atlas: Atlas, real_project: Any) -> None:
    real_project.edit("sources/chainer.yml", "58adfb7348d1", "58adfb7348d2")
    for arguments in (("pin", "chainer"), ("check", "--offline")):
        result = atlas(*arguments)
        assert result.exit_code == 1, result.output
        assert "sources/chainer.yml:11:11: A502 the pin of chainer/links/normalization/layer_nor" in result.stdout
        assert "sha256 58adfb7348d2" in result.stdout
