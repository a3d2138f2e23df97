"""`atlas repin`: pins and line ranges move together, in the files as people wrote them, or nothing does."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from atlas.cli import main
from atlas.commands import checking
from atlas.sources.blob import blob_id

Atlas = Callable[..., Result]
LICENCE = "Copyright (c) 2021 A\nPermission is hereby granted, free of charge, to any person obtaining a copy\n"
FFN = "content/transformer/encoder/ffn-layer-norm.yml"
ONE = """def scale(x):
    return 2 * x


class Net:
    def run(self, x):
        y = scale(x)
        return y


WIDTH = 4
DEPTH = 6
"""
TWO = '''"""A net."""


def shift(x):
    return x + 1


def scale(x):
    x = shift(x)
    return 2 * x


WIDTH = 4
DEPTH = 6


class Net:
    def run(self, x):
        y = scale(x)
        return y
'''
CLAIMS = """\
  - {id: scale, claim: It scales., source: net, path: net.py, lines: '1-2', symbol: scale}   # the scale
  - id: whole
    claim: It runs.
    source: net
    path: net.py
    lines:   5-8     # all of it
    symbol: Net
    call: scale
  - id: sizes
    claim: It is small.
    source: net
    path: net.py
    lines: 11
"""


@pytest.fixture
def atlas(real_project: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Atlas:
    environment = checking.node_environment(offline=False)
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache/node").symlink_to(environment.modules.parents[1], target_is_directory=True)
    monkeypatch.chdir(real_project.root)
    monkeypatch.setenv("OPENMODELATLAS_CACHE", str(tmp_path / "cache"))
    return lambda *arguments: CliRunner().invoke(main, arguments, prog_name="atlas")


@pytest.fixture
def net(atlas: Atlas, real_project: Any, repository: Any) -> Any:
    """A source at v1 with three passages of it in an entry; its v2 moves one, changes one and leaves one."""
    repository.commit({"net.py": ONE.encode(), "LICENSE": LICENCE.encode()}, "one")
    repository.git("tag", "v1")
    assert atlas("pin", f"{repository.url}@v1", "net.py", "--name", "net").exit_code == 0
    file = real_project.root / FFN
    file.write_text(
        file.read_text(encoding="utf-8").replace("executions:\n", f"{CLAIMS}executions:\n"), encoding="utf-8"
    )
    repository.commit({"net.py": TWO.encode()}, "two")
    repository.git("tag", "v2")
    return repository


def claims(project: Any) -> dict[str, object]:
    sources = yaml.safe_load((project.root / FFN).read_text(encoding="utf-8"))["sources"]
    return {one["id"]: one["lines"] for one in sources if one["source"] == "net"}


def snapshot(project: Any) -> Mapping[Path, bytes]:
    return {file: file.read_bytes() for file in project.root.rglob("*") if file.is_file()}


def line_of(project: Any, text: str) -> int:
    line = project.line(FFN, text)
    assert isinstance(line, int)
    return line


def test_a_dry_run_lists_what_moves_and_writes_nothing(atlas: Atlas, real_project: Any, net: Any) -> None:
    before = snapshot(real_project)
    result = atlas("repin", "net", "--to", "v2")
    assert result.exit_code == 0, result.output
    old, new = net.git("rev-parse", "v1")[:12], net.git("rev-parse", "v2")[:12]
    assert result.stdout.splitlines() == [
        f"net: {old} (v1) → {new} (v2)",
        "net: net.py: changed",
        f"{FFN}:{line_of(real_project, 'id: scale')}: scale: lines 1-2 → 8-10 changed (+1 −0)",
        f"{FFN}:{line_of(real_project, '5-8')}: whole: lines 5-8 → 17-20 moved",
        f"{FFN}:{line_of(real_project, 'lines: 11')}: sizes: lines 11 → 13 moved",
    ]
    assert result.stderr.splitlines()[-2:] == [
        "3 passages: 2 moved, 1 changed",
        "nothing is written; with --write it is",
    ]
    assert "return 2 * x" not in result.output
    assert snapshot(real_project) == before


def test_writing_changes_digits_and_pins_only(atlas: Atlas, real_project: Any, net: Any) -> None:
    heir = "content/transformer/encoder/attention-layer-norm.proofs.json"
    for name in (FFN.replace(".yml", ".proofs.json"), heir, "content/chainer/layer-normalization.proofs.json"):
        (real_project.root / name).write_text("[]", encoding="utf-8")
    before = snapshot(real_project)
    result = atlas("repin", "net", "--to", "v2", "--write")
    assert result.exit_code == 0, result.output
    wrote, stale = result.stderr.splitlines()[-2:]
    assert wrote == f"wrote {FFN}, sources/net.yml, sources/pins.lock"
    assert stale == (
        f"recorded proofs that rest on changed files are stale: {heir}, {FFN.removesuffix('.yml')}.proofs.json; "
        "run `atlas verify --record`"
    )
    after = snapshot(real_project)
    changed = {file for file in after if after[file] != before.get(file)}
    assert changed == {real_project.root / name for name in (FFN, "sources/net.yml", "sources/pins.lock")}
    text = before[real_project.root / FFN].decode()
    expected = text.replace("lines: '1-2'", "lines: '8-10'").replace("lines:   5-8 ", "lines:   17-20 ")
    assert after[real_project.root / FFN].decode() == expected.replace("lines: 11\n", "lines: 13\n")
    manifest = yaml.safe_load(after[real_project.root / "sources/net.yml"])
    assert (manifest["revision"], manifest["release"]) == (net.git("rev-parse", "v2"), "v2")
    assert manifest["files"] == {"net.py": {"blob": blob_id(TWO.encode())}}
    assert atlas("pin", "net").exit_code == 0
    issues = json.loads(atlas("check", "--offline", "--format", "json", FFN).stdout)
    assert {one["code"] for one in issues}.isdisjoint({"A501", "A502", "A504", "A505"})
    assert "is pinned so already" in atlas("repin", "net", "--to", "v2", "--write").stderr
    back = atlas("repin", "net", "--to", net.git("rev-parse", "v1"), "--write")
    assert back.exit_code == 0, back.output
    assert claims(real_project) == {"scale": "1-2", "whole": "5-8", "sizes": 11}
    assert "release" not in yaml.safe_load((real_project.root / "sources/net.yml").read_text(encoding="utf-8"))


def test_without_a_target_the_tip_is_taken(atlas: Atlas, net: Any) -> None:
    tip = net.commit({"net.py": ("\n" + TWO).encode()}, "three")
    result = atlas("repin", "net")
    assert result.stdout.splitlines()[0].endswith(f" → {tip[:12]}")
    assert "lines 5-8 → 18-21 moved" in result.stdout


def test_while_a_passage_has_vanished_nothing_is_written(atlas: Atlas, real_project: Any, net: Any) -> None:
    gone = TWO.replace("y = scale(x)", "y = 3 * x").replace("WIDTH = 4\n", "")
    net.commit({"net.py": gone.encode()}, "three")
    before = snapshot(real_project)
    result = atlas("repin", "net", "--write")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[3].endswith("whole: lines 5-8 vanished: lines 16-19, which are like these, do not call scale")
    assert lines[4].endswith("sizes: lines 11 vanished: no lines are like these")
    assert result.stderr.splitlines()[-1].startswith("2 passages vanished: nothing is written; ")
    assert snapshot(real_project) == before


def test_a_file_that_is_gone_is_told_with_the_nearest(atlas: Atlas, real_project: Any, net: Any) -> None:
    net.git("mv", "net.py", "nets.py")
    net.commit({}, "renamed")
    before = snapshot(real_project)
    result = atlas("repin", "net", "--write")
    assert result.exit_code == 1
    assert "has no file net.py; the nearest are pkg/models/net.py, nets.py" in result.stdout
    assert result.stdout.count(" vanished: ") == 4
    assert snapshot(real_project) == before


def test_a_package_moves_with_its_revision(
    atlas: Atlas,
    real_project: Any,
    net: Any,
    no_pip_settings: None,
    make_wheel: Callable[..., bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = tmp_path / "packages"
    folder.mkdir()
    for version, text in (("1.0", ONE), ("2.0", TWO), ("3.0rc1", TWO)):
        about = f"Metadata-Version: 2.1\nName: net\nVersion: {version}\n".encode()
        files = {"net.py": text.encode(), f"net-{version}.dist-info/METADATA": about}
        (folder / f"net-{version}-py3-none-any.whl").write_bytes(make_wheel(files))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    manifest = real_project.root / "sources/net.yml"
    manifest.unlink()
    net.git("tag", "release-1.0", "v1")
    net.git("tag", "release-2.0", "v2")
    text = real_project.root / "sources/licenses/MIT-chainer.txt"
    origin = ("net==1.0", f"{net.url}@release-1.0", "net.py", "--license-text", str(text), "--copyright", "A")
    assert atlas("pin", *origin).exit_code == 0
    result = atlas("repin", "net", "--write")
    assert result.exit_code == 0, result.output
    new = yaml.safe_load(manifest.read_text(encoding="utf-8"))
    assert (new["revision"], new["release"]) == (net.git("rev-parse", "v2"), "release-2.0")
    assert (new["artifact"]["pypi"], new["artifact"]["file"]) == ("net==2.0", "net-2.0-py3-none-any.whl")
    assert claims(real_project) == {"scale": "8-10", "whole": "17-20", "sizes": 13}
    assert atlas("pin", "net").exit_code == 0
    # A commit that the archive does not hold leaves the archive behind.
    result = atlas("repin", "net", "--to", net.git("rev-parse", "v1"), "--write")
    assert "net==2.0 does not hold these files, so they are fetched with git from now on" in result.stderr
    new = yaml.safe_load(manifest.read_text(encoding="utf-8"))
    assert "artifact" not in new
    assert claims(real_project) == {"scale": "1-2", "whole": "5-8", "sizes": 11}


def test_a_proved_pin_becomes_an_unproved_one_only_where_that_is_said(
    atlas: Atlas,
    real_project: Any,
    net: Any,
    no_pip_settings: None,
    make_wheel: Callable[..., bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for version, text in (("1", ONE), ("2", TWO)):
        (tmp_path / f"net-{version}-py3-none-any.whl").write_bytes(make_wheel({"net.py": text.encode()}))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    manifest = real_project.root / "sources/net.yml"
    manifest.unlink()
    licence = real_project.root / "sources/licenses/MIT-chainer.txt"
    stated = ("--license", "MIT", "--license-text", str(licence), "--copyright", "A")
    assert atlas("pin", "net==1", f"{net.url}@v1", "net.py", *stated).exit_code == 0
    away = tmp_path / "unreachable"
    away.write_text(f'[url "file://{tmp_path}/nothing"]\n    insteadOf = https://git.example/\n', encoding="utf-8")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(away))
    before = snapshot(real_project)
    result = atlas("repin", "net", "--to", "2")
    assert result.exit_code == 0
    assert "v2 is not proved to be net==2, as git could not be asked" in result.stderr
    result = atlas("repin", "net", "--to", "2", "--write")
    assert result.exit_code == 2
    assert "v2 would not be proved: name a clone" in result.stderr
    assert snapshot(real_project) == before
    assert atlas("repin", "net", "--to", "2", "--tag", "v2", "--write").exit_code == 0
    written = yaml.safe_load(manifest.read_text(encoding="utf-8"))
    assert (written["revision"], written["artifact"]["pypi"]) == ("v2", "net==2")
    assert "not proved against git to be in release v2" in atlas("pin", "net").stdout
    # Where git can be asked again, the same version becomes a commit.
    result = atlas("repin", "net", "--to", "2", "--git-dir", str(net.folder), "--write")
    assert result.exit_code == 0, result.output
    assert yaml.safe_load(manifest.read_text(encoding="utf-8"))["revision"] == net.git("rev-parse", "v2")
    assert ": proved on " in atlas("pin", "net").stdout


def test_a_revision_or_source_that_is_not_there_is_told(atlas: Atlas, real_project: Any, net: Any) -> None:
    before = snapshot(real_project)
    for arguments, told in (
        (("net", "--to", "v9"), "has no revision v9"),
        (("nets",), "there is no source nets; did you mean net?"),
        (("net", "--to", "1" * 40), f"has no revision {'1' * 40}"),
    ):
        result = atlas("repin", *arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        assert told in result.stderr
    assert snapshot(real_project) == before


def test_a_file_that_cannot_be_read_stops_it(atlas: Atlas, real_project: Any, net: Any) -> None:
    real_project.edit("content/transformer/model.yml", "kind: ", "kind: {")
    result = atlas("repin", "net", "--to", "v2", "--write")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "content/transformer/model.yml cannot be read, and may hold lines of net" in result.stderr
