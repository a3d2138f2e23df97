"""`atlas verify`: executions of upstream code, and what is recorded of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from atlas.checks.records import load_records
from tests.cli.command_line import ATTENTION, CHAINER_FILE, FFN, FFN_FILE, Atlas, error_line


def proofs(real_project: Any) -> Iterator[Path]:
    return real_project.root.rglob("*.proofs.json")  # type: ignore[no-any-return]  # the fixture is Any here


def test_verify_prints_a_line_for_each_execution(atlas: Atlas, real_project: Any) -> None:
    result = atlas("verify")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert len(lines) == 9
    assert lines[0].startswith("chainer/layer-normalization: result of LayerNormalization: largest relative error ")
    assert lines[1].startswith("chainer/layer-normalization: result of LayerNormalization with its own epsilon: ")
    assert lines[2].startswith("chainer/layer-normalization: gradient of LayerNormalization with its own epsilon: ")
    assert all(float(line.rsplit(" ", 1)[1]) < 1e-14 for line in lines)
    assert result.stderr == f"9 executions of {len(real_project.atlas().entries)} entries: all agree\n"
    assert list(proofs(real_project)) == []

    result = atlas("verify", "--format", "json", ATTENTION)
    assert json.loads(result.stdout) == []
    assert len(result.stderr.splitlines()) == 4
    assert atlas("verify", "chainer", FFN).stderr == "6 executions of 2 entries: all agree\n"


def test_recording_is_idempotent_and_makes_the_check_pass(atlas: Atlas, real_project: Any) -> None:
    result = atlas("verify", "--record", FFN)
    assert (result.exit_code, result.stderr.splitlines()[0]) == (0, f"{FFN}: 3 proofs recorded")
    assert [path.name for path in proofs(real_project)] == ["ffn-layer-norm.proofs.json"]
    assert FFN not in atlas("check").stdout.replace(FFN_FILE, "")
    assert atlas("verify", "--record").exit_code == 0
    assert atlas("check").exit_code == 0

    old = {path: path.read_text(encoding="utf-8").replace('"date": "2', '"date": "1') for path in proofs(real_project)}
    assert len(old) == 3
    for path, text in old.items():
        path.write_text(text, encoding="utf-8")
    result = atlas("verify", "--record")
    assert result.stderr == f"9 executions of {len(real_project.atlas().entries)} entries: all agree\n"
    assert {path: path.read_text(encoding="utf-8") for path in proofs(real_project)} == old
    assert {record.date.year // 1000 for record in load_records(real_project.entry(FFN))} == {1}


@pytest.mark.usefixtures("recorded")
def test_upstream_that_differs_is_told_and_not_recorded(atlas: Atlas, real_project: Any) -> None:
    real_project.edit(FFN_FILE, "arguments: {epsilon: 1e-6}", "arguments: {epsilon: 1e-5}")
    real_project.edit(FFN_FILE, r"\varepsilon &= 10^{-6}", r"\varepsilon &= 10^{-5}")
    real_project.edit("content/transformer/encoder/attention-layer-norm.yml", r"10^{-6}", r"10^{-5}")
    stale = atlas("check", FFN)
    assert stale.exit_code == 1
    assert (
        ": A701 the recorded proofs of layer_norm_compute_python, layer_norm and layer_norm_compute_grad are stale: "
        in stale.stdout
    )

    result = atlas("verify", "--record", FFN)
    assert result.exit_code == 1
    line = real_project.line(FFN_FILE, "- excerpt: layer-norm", 2)
    assert f"\n{FFN_FILE}:{line}:5: A705 upstream’s layer_norm and our operator layer_norm differ: " in result.stdout
    assert f"{FFN}: result of layer_norm with its own epsilon: largest relative error " in result.stdout
    assert ": differs\n" in result.stdout
    assert result.stderr.endswith("3 executions of 1 entry: 1 issue in 1 file\n")
    assert f"{FFN}: 2 proofs recorded\n{FFN}: nothing is recorded of layer_norm\n" in result.stderr
    kept = load_records(real_project.entry(FFN))
    assert [record.call for record in kept] == ["layer_norm_compute_python", "layer_norm_compute_grad", "layer_norm"]
    # What was proved before is still told to be stale, and not to be missing.
    assert ": A701 the recorded proof of layer_norm is stale: " in atlas("check", FFN).stdout

    github = atlas("verify", "--format", "github", FFN)
    assert github.exit_code == 1
    assert github.stdout.startswith(f"::error file={FFN_FILE},line={line},col=5,title=A705::")
    assert len(github.stdout.splitlines()) == 1


def test_what_cannot_be_executed_is_told(atlas: Atlas, real_project: Any) -> None:
    real_project.edit(FFN_FILE, "call: layer_norm\n", "call: layer_nrm\n")
    result = atlas("verify", FFN)
    assert result.exit_code == 1
    assert f"{FFN}: result of layer_nrm with its own epsilon: not executed\n" in result.stdout
    assert ": A704 tensor2tensor/models/common_layers.py defines no layer_nrm" in result.stdout


@pytest.mark.usefixtures("recorded")
def test_nothing_is_executed_while_a_check_fails(
    atlas: Atlas, real_project: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def executed(*_: object) -> None:
        raise AssertionError("upstream code was to be executed")

    monkeypatch.setattr("atlas.checks.verified.verify_entry", executed)
    before = {path: path.read_bytes() for path in proofs(real_project)}
    real_project.edit(CHAINER_FILE, "epsilon: outside the root", "epsilon: inside the root")
    result = atlas("verify", "--record", "chainer")
    assert result.exit_code == 1
    assert result.stdout.startswith(f"{CHAINER_FILE}:")
    assert ": A139 " in result.stdout
    assert result.stderr == "1 issue in 1 file; nothing is executed before the checks pass\n"
    assert {path: path.read_bytes() for path in proofs(real_project)} == before


def test_a_damaged_record_is_written_anew(atlas: Atlas, real_project: Any) -> None:
    path = real_project.root / "content/transformer/encoder/ffn-layer-norm.proofs.json"
    path.write_text("{", encoding="utf-8")
    result = atlas("check", FFN)
    assert result.exit_code == 1
    assert "content/transformer/encoder/ffn-layer-norm.proofs.json: A703 " in result.stdout
    assert atlas("verify", "--record", FFN).exit_code == 0
    assert len(load_records(real_project.entry(FFN))) == 3


def test_verify_needs_entries(atlas: Atlas) -> None:
    assert error_line(atlas("verify", "sources/chainer.yml")) == (
        "Error: no entry and no model is named by sources/chainer.yml"
    )
