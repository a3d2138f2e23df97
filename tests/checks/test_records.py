"""When a recorded proof holds, and what makes it stale."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from atlas.checks import records
from atlas.checks.records import (
    ProofRecord,
    check_records,
    code_digests,
    digest_of,
    keep_records,
    load_records,
    module_digest,
    save_records,
)
from atlas.entries.atlas import Entry
from atlas.entries.component import Execution
from atlas.exceptions import AtlasError
from atlas.issues import Issue
from atlas.operators.catalogue import find

FFN, CHAINER = "transformer/encoder/ffn-layer-norm", "chainer/layer-normalization"
FFN_FILE, CHAINER_FILE = f"content/{FFN}.yml", f"content/{CHAINER}.yml"
OLD = datetime.date(2020, 2, 29)
BLOBS = {
    FFN: {
        "layer-norm": "1e70505701300c3079d0ff497663263f44d2fc9e",
        "residual-fn": "b341d6fe04a5d11fbc2a722989f7c159d98424f9",
    },
    CHAINER: dict.fromkeys(("layer-normalization", "normalize"), "12d63939d66339daa1fbf94c4830c5826bc92e4e"),
}


def digest(entry: Entry, execution: Execution) -> str:
    return digest_of(entry, execution, find(entry.data.operator), BLOBS[entry.id][execution.excerpt])


def record(entry: Entry, index: int, **changes: Any) -> ProofRecord:
    execution = entry.data.executions[index]
    made = ProofRecord(
        excerpt=execution.excerpt,
        call=execution.call,
        gives=execution.gives,
        maximum_error=2.5e-16,
        samples=4,
        date=OLD,
        versions={"numpy": "2.0.0"},
        digest=digest(entry, execution),
    )
    return made.model_copy(update=changes)


def all_records(entry: Entry) -> tuple[ProofRecord, ...]:
    return tuple(record(entry, index) for index in range(len(entry.data.executions)))


def statuses(entry: Entry) -> list[str]:
    return [proof.status for proof in check_records(entry, find(entry.data.operator), BLOBS[entry.id])[0]]


def issues(entry: Entry) -> list[Issue]:
    return check_records(entry, find(entry.data.operator), BLOBS.get(entry.id, BLOBS[FFN]))[1]


def test_records_are_read_as_they_were_written(real_project: Any) -> None:
    entry = real_project.entry(FFN)
    save_records(entry, all_records(entry))
    path = real_project.root / "content/transformer/encoder/ffn-layer-norm.proofs.json"
    assert load_records(entry) == all_records(entry)
    assert path.read_text(encoding="utf-8").endswith("]\n")
    assert path.stat().st_mode & 0o777 == 0o644
    assert sorted(file.name for file in path.parent.iterdir()) == [
        "attention-layer-norm.yml",
        "ffn-layer-norm.proofs.json",
        "ffn-layer-norm.yml",
    ]
    save_records(entry, ())
    assert not path.exists()
    assert load_records(entry) == ()
    save_records(entry, ())


def test_records_that_hold_are_proofs_with_their_date(real_project: Any) -> None:
    entry = real_project.entry(FFN)
    save_records(entry, all_records(entry))
    proofs, found = check_records(entry, find("layer_norm"), BLOBS[FFN])
    assert found == []
    assert [(proof.claim, proof.status, proof.date, proof.command) for proof in proofs] == [
        ("upstream: layer_norm_compute_python", "recorded", "2020-02-29", f"atlas verify {FFN}"),
        ("upstream: layer_norm", "recorded", "2020-02-29", f"atlas verify {FFN}"),
        ("gradient: layer_norm_compute_grad", "recorded", "2020-02-29", f"atlas verify {FFN}"),
    ]
    assert proofs[0].figure == "executed on 4 inputs, largest relative error 2.5e-16"
    own = "executed on 4 inputs with upstream’s own default of epsilon, largest relative error 2.5e-16"
    assert proofs[1].figure == own


def test_missing_records_are_told_once_where_the_entry_names_its_executions(real_project: Any) -> None:
    entry = real_project.entry(FFN)
    assert statuses(entry) == ["missing"] * 3
    (issue,) = issues(entry)
    assert (issue.path, issue.line) == (FFN_FILE, real_project.line(FFN_FILE, "executions:", 1))
    assert (issue.code, issue.severity) == ("A702", "warning")
    calls = "layer_norm_compute_python, layer_norm and layer_norm_compute_grad"
    assert issue.message == f"there is no recorded proof of {calls}"
    assert issue.hint == f"run `atlas verify {FFN} --record`"


def test_missing_records_of_inherited_executions_are_told_in_the_heirs_file(real_project: Any) -> None:
    heir = "transformer/encoder/attention-layer-norm"
    (issue,) = issues(real_project.entry(heir))
    assert (issue.path, issue.line) == (f"content/{heir}.yml", 2)
    assert issue.code == "A702"


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{}",
        "[{}]",
        "[1]",
        "\xff",
        "null",
        lambda data: [{**data[0], "maximum_error": 1e-8}],
        lambda data: [{**data[0], "maximum_error": -1.0}],
        lambda data: [{**data[0], "digest": "0"}],
        lambda data: [{**data[0], "samples": 0}],
        lambda data: [{**data[0], "more": 1}],
        lambda data: [{**data[0], "date": "yesterday"}],
    ],
)
def test_a_damaged_file_is_told_and_proves_nothing(
    real_project: Any, content: str | Callable[[list[dict[str, Any]]], object]
) -> None:
    entry = real_project.entry(FFN)
    save_records(entry, all_records(entry))
    path = real_project.root / "content/transformer/encoder/ffn-layer-norm.proofs.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    path.write_bytes(content.encode("latin-1") if isinstance(content, str) else json.dumps(content(data)).encode())
    proofs, found = check_records(entry, find("layer_norm"), BLOBS[FFN])
    assert proofs == []
    [issue] = found
    assert (issue.path, issue.line, issue.code, issue.severity) == (
        "content/transformer/encoder/ffn-layer-norm.proofs.json",
        0,
        "A703",
        "warning",
    )
    assert issue.message.startswith("ffn-layer-norm.proofs.json is not what `atlas verify --record` writes: ")
    assert issue.hint == f"run `atlas verify {FFN} --record`"
    with pytest.raises(AtlasError):
        load_records(entry)
    assert keep_records(entry, all_records(entry)), "recording anew mends it"
    assert issues(entry) == []


def test_a_changed_argument_makes_every_record_stale(real_project: Any) -> None:
    entry = real_project.entry(FFN)
    save_records(entry, all_records(entry))
    real_project.edit(FFN_FILE, "arguments: {epsilon: 1e-6}", "arguments: {epsilon: 1e-5}")
    changed = real_project.entry(FFN)
    assert statuses(changed) == ["stale"] * 3
    assert [one.code for one in issues(changed)] == ["A701"]
    calls = "layer_norm_compute_python, layer_norm and layer_norm_compute_grad"
    message = f"the recorded proofs of {calls} are stale: what was proved has changed since 2020-02-29"
    assert issues(changed)[0].message == message
    assert issues(changed)[0].line == real_project.line(FFN_FILE, "executions:", 1)


def test_words_that_prove_nothing_may_change(real_project: Any) -> None:
    entry = real_project.entry(FFN)
    save_records(entry, all_records(entry))
    real_project.edit(FFN_FILE, "note: >-\n  Post-norm: ", "note: >-\n  After the addition: ")
    real_project.edit(FFN_FILE, "title: LayerNorm\n", "# a comment\ntitle: Layer normalization\n")
    assert statuses(real_project.entry(FFN)) == ["recorded"] * 3


def test_two_executions_of_one_call_are_told_apart(real_project: Any) -> None:
    entry = real_project.entry(CHAINER)
    first, second, third = all_records(entry)
    assert (first.excerpt, first.call, first.gives) == (second.excerpt, second.call, second.gives)
    save_records(entry, (first, third))
    assert statuses(entry) == ["recorded", "missing", "recorded"]
    save_records(entry, (first, second.model_copy(update={"digest": "0" * 64}), third))
    assert statuses(entry) == ["recorded", "stale", "recorded"]
    save_records(entry, (third, second, first))
    assert statuses(entry) == ["recorded"] * 3


def test_a_record_that_belongs_to_nothing_is_told(real_project: Any) -> None:
    entry = real_project.entry(FFN)
    save_records(entry, (*all_records(entry), record(entry, 0, digest="0" * 64, call="layer_norm_fused")))
    assert statuses(entry) == ["recorded"] * 3
    [issue] = issues(entry)
    assert (issue.path, issue.code) == ("content/transformer/encoder/ffn-layer-norm.proofs.json", "A701")
    assert issue.message == f"records of layer_norm_fused belong to no execution that {FFN_FILE} names"


def test_an_execution_whose_file_is_not_at_hand_is_left_out(real_project: Any) -> None:
    entry = real_project.entry(FFN)
    save_records(entry, all_records(entry))
    assert check_records(entry, find("layer_norm"), {}) == ([], [])


def test_recording_again_changes_nothing(real_project: Any) -> None:
    entry = real_project.entry(FFN)
    assert keep_records(entry, all_records(entry))
    path = real_project.root / "content/transformer/encoder/ffn-layer-norm.proofs.json"
    before = path.stat().st_mtime_ns, path.read_bytes()
    today = tuple(one.model_copy(update={"date": datetime.date(2030, 1, 1)}) for one in all_records(entry))
    assert not keep_records(entry, today)
    assert (path.stat().st_mtime_ns, path.read_bytes()) == before

    anew = (today[0], today[1].model_copy(update={"digest": "1" * 64}), today[2])
    assert keep_records(entry, anew)
    assert [one.date.year for one in load_records(entry)] == [2020, 2030, 2020]
    assert keep_records(entry, ())
    assert not path.exists()


def test_of_an_execution_that_failed_an_older_record_stays_stale_and_one_of_the_same_digest_goes(
    real_project: Any,
) -> None:
    entry = real_project.entry(FFN)
    first, second, third = all_records(entry)
    failed = [(entry.data.executions[1], second.digest)]
    older = second.model_copy(update={"digest": "1" * 64})
    save_records(entry, (first, older, third))
    assert keep_records(entry, (first, third), failed)
    assert load_records(entry) == (first, third, older)
    assert statuses(entry) == ["recorded", "stale", "recorded"]
    assert not keep_records(entry, (first, third), failed)

    save_records(entry, (first, second, third))
    assert keep_records(entry, (first, third), failed)
    assert load_records(entry) == (first, third)
    assert statuses(entry) == ["recorded", "missing", "recorded"]

    save_records(entry, (first, second, third))
    assert not keep_records(entry, (first, second, third), [])


def test_the_digest_depends_on_the_blob_and_the_claim(real_project: Any) -> None:
    entry = real_project.entry(FFN)
    operator, execution = find("layer_norm"), entry.data.executions[0]
    blob = BLOBS[FFN]["layer-norm"]
    found = {
        digest_of(entry, execution, operator, blob),
        digest_of(entry, execution, operator, blob[:-1] + "0"),
        digest_of(entry, execution, find("layer_norm_outer_epsilon"), blob),
        digest_of(entry, execution.model_copy(update={"passes": {"x": "x"}}), operator, blob),
        digest_of(entry, execution.model_copy(update={"gives": "gradient"}), operator, blob),
        digest_of(replace(entry, data=entry.data.model_copy(update={"arguments": {}})), execution, operator, blob),
    }
    real_project.edit(FFN_FILE, "'x': {axes: [B, S, d]", "'x': {axes: [S, B, d]")
    found.add(digest_of(real_project.entry(FFN), execution, operator, blob))
    assert len(found) == 7


@pytest.mark.parametrize(
    ("module", "is_stale"),
    [
        ("atlas.operators.layer_norm", True),
        ("atlas.operators.registry", True),
        ("atlas.operators.binding", True),
        ("atlas.upstream.tensor", True),
        ("atlas.upstream.tensorflow_facade", True),
        ("atlas.checks.upstream", True),
        ("atlas.upstream.chainer_facade", False),
        ("atlas.operators.layer_normalization", False),
        ("atlas.operators.catalogue", False),
    ],
)
def test_the_digest_depends_on_the_code_that_takes_part(
    real_project: Any, monkeypatch: pytest.MonkeyPatch, module: str, is_stale: bool
) -> None:
    entry = real_project.entry(FFN)
    save_records(entry, all_records(entry))
    monkeypatch.setattr(records, "module_digest", lambda one: "edited" if one == module else module_digest(one))
    assert statuses(entry) == ["stale" if is_stale else "recorded"] * 3


def test_every_module_that_takes_part_is_counted(real_project: Any) -> None:
    entry = real_project.entry(CHAINER)
    found = code_digests(find("layer_norm_outer_epsilon"), entry.data.executions[0])
    operators = ("axes", "binding", "contract", "family", "layer_norm", "macs", "options", "registry", "signature")
    upstream = ("__init__", "chainer_facade", "compare", "definitions", "execute", "facade", "run", "tensor", "uniform")
    assert list(found) == [
        "atlas.checks.upstream",
        *(f"atlas.operators.{name}" for name in operators),
        *(f"atlas.upstream.{name}" for name in upstream),
    ]
    assert len(set(found.values())) == len(found)
    tensor2tensor = code_digests(find("layer_norm"), real_project.entry(FFN).data.executions[0])
    assert {"atlas.upstream.tensorflow_facade", "atlas.upstream.tensorflow_scopes"} <= tensor2tensor.keys()
    assert not {"atlas.upstream.chainer_facade", "atlas.upstream.run_program"} & tensor2tensor.keys()


def test_line_ends_of_a_checkout_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    uncached = module_digest.__wrapped__
    (tmp_path / "a.py").write_bytes(b"x = 1\ny = 2\n")
    (tmp_path / "b.py").write_bytes(b"x = 1\r\ny = 2\r\n")
    (tmp_path / "c.py").write_bytes(b"x = 1\ny = 3\n")
    monkeypatch.setattr(records, "files", lambda _: tmp_path)
    assert uncached("any.a") == uncached("any.b") != uncached("any.c")
