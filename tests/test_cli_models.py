"""`atlas verify` and `atlas check` on a whole model, as people meet them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from atlas.cli import main
from atlas.exceptions import LibraryError

Atlas = Callable[..., Result]

REPOSITORY = Path(__file__).resolve().parents[1]
MODEL, RECORDS = "content/gpt-2/model.yml", "content/gpt-2/model.proofs.json"
NOT_INSTALLED = "transformers is not installed; pip install 'openmodelatlas[verify]'"


@pytest.fixture
def atlas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Atlas:
    """Run a command in a project that holds GPT-2 and nothing else, without recorded proofs."""
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    root = tmp_path / "project"
    ignored = shutil.ignore_patterns("*.proofs.json")
    shutil.copytree(REPOSITORY / "content/gpt-2", root / "content/gpt-2", ignore=ignored)
    (root / "sources/licenses").mkdir(parents=True)
    for name in ("transformers.yml", "pins.lock", "licenses/Apache-2.0.txt"):
        shutil.copyfile(REPOSITORY / "sources" / name, root / "sources" / name)
    (root / "mkdocs.yml").write_text("site_name: GPT-2\ndocs_dir: content\nplugins: [atlas]\n", encoding="utf-8")
    monkeypatch.chdir(root)
    return lambda *arguments: CliRunner().invoke(main, arguments, prog_name="atlas")


def without_library(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: object) -> None:
        raise LibraryError(NOT_INSTALLED)

    monkeypatch.setattr("atlas.checks.verified.open_library", missing)


def test_a_model_is_compared_recorded_and_then_proved(atlas: Atlas) -> None:
    before = atlas("check")
    assert before.exit_code == 1
    assert (
        ": A702 there is no recorded proof against upstream of tensors, float32, float64, cache and " in before.stdout
    )
    assert "run `atlas verify gpt-2 --record`" in before.stdout

    result = atlas("verify", "gpt-2", "--record")
    assert result.exit_code == 0, result.output
    begun = [line.split(" of GPT2LMHeadModel: ")[0] for line in result.stdout.splitlines()]
    claims = ["tensors", "float32", "float64", "cache", "multiply-accumulates"]
    assert begun == [f"gpt-2: {claim}" for claim in claims]
    assert "gpt-2: 5 proofs recorded\n" in result.stderr
    assert result.stderr.endswith(" and 5 comparisons of 1 model: all agree\n")
    assert [record["proof"] for record in json.loads(Path(RECORDS).read_text(encoding="utf-8"))] == claims
    assert atlas("check").exit_code == 0

    Path(MODEL).write_text(Path(MODEL).read_text("utf-8").replace("f: 52,", "f: 50,"), encoding="utf-8")
    stale = atlas("check")
    assert stale.exit_code == 1
    assert f"{MODEL}:" in stale.stdout
    assert ": A701 the recorded proofs are stale (tensors, float32, float64, cache and " in stale.stdout


def test_a_model_that_differs_is_told_and_not_recorded(atlas: Atlas) -> None:
    text = Path(MODEL).read_text("utf-8").replace("activation_function: gelu_new", "activation_function: silu")
    reason = "  unlike_default: {activation_function: it is for a test}\n  concerns:\n"
    Path(MODEL).write_text(text.replace("  concerns:\n", reason), encoding="utf-8")
    result = atlas("verify", "--record", MODEL)
    assert result.exit_code == 1
    assert "gpt-2: float32 of GPT2LMHeadModel: " in result.stdout
    assert ": differs\n" in result.stdout
    assert "content/gpt-2/decoder/feed-forward.yml:" in result.stdout
    assert (
        " A707 decoder/feed-forward gives decoder[0].m_n, which is not upstream’s transformer.h.0.mlp" in result.stdout
    )
    assert result.stderr.endswith("5 comparisons of 1 model: 2 issues in 1 file\n")
    assert {record["proof"] for record in json.loads(Path(RECORDS).read_text("utf-8"))} == {
        "tensors",
        "cache",
        "multiply-accumulates",
    }


def test_without_the_library_what_was_asked_for_is_not_done_and_records_stay(
    atlas: Atlas, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(RECORDS).write_text("[]\n", encoding="utf-8")
    without_library(monkeypatch)
    result = atlas("verify", "--record", "gpt-2")
    assert result.exit_code == 1
    assert f"gpt-2: not compared with GPT2LMHeadModel: {NOT_INSTALLED}\n" in result.stderr
    assert result.stderr.endswith("1 model not compared\n")
    assert Path(RECORDS).read_text("utf-8") == "[]\n"


def test_without_the_library_entries_are_verified_all_the_same(atlas: Atlas, monkeypatch: pytest.MonkeyPatch) -> None:
    without_library(monkeypatch)
    result = atlas("verify", "gpt-2/decoder/feed-forward")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "0 executions of 1 entry: nothing to execute\n"


def test_json_goes_to_where_programs_read_it(atlas: Atlas, monkeypatch: pytest.MonkeyPatch) -> None:
    without_library(monkeypatch)
    result = atlas("verify", "--format", "json", "gpt-2")
    assert json.loads(result.stdout) == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("source: transformers\n  config", "source: transformer\n  config", "A116 no manifest is called transformer"),
        ("h: 4, f: 52,", "h: 4,", "A608 in the tiny sizes, n_inner: f has no value"),
        ("f: 52,", "g: 52,", "A608 g is no dimension of the model"),
        ("tiny: {B: 2, S: 7,", "tiny: {S: 7,", "A608 at the tiny sizes the model cannot be built: B has no value"),
        ("d: 24, h: 4, f: 52,", "d: 24, h: 5, f: 52,", "A608 at the tiny sizes the model cannot be built: "),
        ("inputs: {input_ids: 't'}", "inputs: {input_ids: 'u'}", "A608 input_ids is given u, which is no input"),
        ("logits: 'output.\\ell'", "logits: 'output.l'", "A608 no component gives the value output.l, which is to be"),
        (
            "'transformer.ln_f': 'output.y'",
            "'transformer.ln_f': 'output.z'",
            "A608 no component gives the value output.z",
        ),
        (
            "'transformer.h.{n}': 'd",
            "'transformer.h.{m}': 'd",
            "A608 the name transformer.h.{m} has a letter that is no",
        ),
        ("complete: true", "complete: false", "A608 a model that is documented in part is not compared"),
        (
            "  ignored:\n",
            "  precision: float32\n  ignored:\n",
            "`precision: float32` and `precision_note`, which says why, go",
        ),
    ],
)
def test_what_the_upstream_block_says_is_checked_without_the_library(
    atlas: Atlas, old: str, new: str, message: str
) -> None:
    text = Path(MODEL).read_text("utf-8")
    assert text.count(old) == 1
    Path(MODEL).write_text(text.replace(old, new), encoding="utf-8")
    result: Any = atlas("check", "--format", "text")
    assert result.exit_code == 1
    assert message in result.stdout
    assert "A702" not in result.stdout
