"""When a recorded proof of a whole model holds, and what makes it stale."""

from __future__ import annotations

import datetime
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from atlas.checks import records_model
from atlas.checks.graph import check_graph
from atlas.checks.record_files import write_records
from atlas.checks.records import module_digest
from atlas.checks.records_model import (
    Claim,
    ModelRecord,
    check_model_records,
    claims,
    compared_with,
    digest_of_model,
    digest_of_upstream,
    digests_of_model,
    keep_model_records,
    load_model_records,
    modules_of,
)
from atlas.entries.atlas import Collection, Source
from atlas.entries.collection import Model
from atlas.entries.load import load
from atlas.exceptions import AtlasError, LibraryError
from atlas.graph.structure import Graph
from atlas.graph.weights import weights
from atlas.upstream.library_config import tiny_sizes

REPOSITORY = Path(__file__).resolve().parents[2]
OLD = datetime.date(2020, 2, 29)
LAYER = "content/gpt-2/decoder"
Case = tuple[Collection, Graph, Source]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns("*.proofs.json")
    shutil.copytree(REPOSITORY / "content/gpt-2", tmp_path / "content/gpt-2", ignore=ignored)
    shutil.copytree(REPOSITORY / "sources", tmp_path / "sources")
    return tmp_path


def case(root: Path) -> Case:
    atlas, issues = load(root, root / "content", root / "sources")
    assert issues == []
    collection = atlas.collections["gpt-2"]
    graph, issues = check_graph(collection)
    assert issues == []
    assert graph is not None
    return collection, graph, atlas.sources["transformers"]


def edited(root: Path, path: str, old: str, new: str) -> Case:
    text = (root / path).read_text(encoding="utf-8")
    assert old in text
    (root / path).write_text(text.replace(old, new, 1), encoding="utf-8")
    return case(root)


def digest(found: Case, claim: Claim = "float64") -> str:
    collection, graph, source = found
    assert isinstance(collection.data, Model)
    return digest_of_model(graph, collection.data, source, claim)


def all_records(found: Case) -> tuple[ModelRecord, ...]:
    collection, graph, _ = found
    assert isinstance(collection.data, Model)
    assert collection.data.upstream is not None
    return tuple(
        ModelRecord(
            proof=claim,
            compared=36,
            maximum_error=2.5e-11 if claim.startswith("float") else None,
            date=OLD,
            versions={"torch": "2.13.0+cpu"},
            digest=digest(found, claim),
        )
        for claim in claims(graph, collection.data.upstream)
    )


def keep(found: Case, records: tuple[ModelRecord, ...]) -> bool:
    collection, graph, source = found
    assert isinstance(collection.data, Model)
    return keep_model_records(collection, records, digests_of_model(graph, collection.data, source))


def statuses(found: Case) -> list[str]:
    return [proof.status for proof in check_model_records(*found)[0]]


def test_records_that_hold_are_proofs_with_their_date(root: Path) -> None:
    found = case(root)
    assert keep(found, all_records(found))
    assert not keep(found, all_records(found))
    assert load_model_records(found[0]) == all_records(found)
    data = json.loads((root / "content/gpt-2/model.proofs.json").read_text("utf-8"))
    assert list(data[0]) == ["proof", "compared", "date", "versions", "digest"]
    proofs, issues = check_model_records(*found)
    assert issues == []
    assert {(proof.status, proof.date, proof.command) for proof in proofs} == {
        ("recorded", "2020-02-29", "atlas verify gpt-2")
    }
    assert [(proof.claim, proof.figure) for proof in proofs] == [
        (
            "upstream: tensors and total",
            "every tensor of every variant has upstream’s name and shape, and totals are equal: "
            "GPT2LMHeadModel of transformers 5.24.0",
        ),
        *(
            (
                f"upstream: values in float{width}",
                "36 values of a small model with all weights random equal GPT2LMHeadModel of transformers 5.24.0, "
                "largest relative error 2.5e-11",
            )
            for width in (32, 64)
        ),
        ("upstream: cache", "a small run keeps 36 numbers, as counted: GPT2LMHeadModel of transformers 5.24.0"),
        (
            "upstream: multiply–accumulates",
            "a small run makes 36, as counted: GPT2LMHeadModel of transformers 5.24.0",
        ),
    ]


def test_a_record_that_is_refuted_goes_and_a_stale_one_stays(root: Path) -> None:
    found = case(root)
    keep(found, all_records(found))
    assert keep(found, all_records(found)[:2])
    assert [one.proof for one in load_model_records(found[0])] == ["tensors", "float32"]
    changed = edited(root, f"{LAYER}/attention-layer-norm.yml", "epsilon: 1e-5", "epsilon: 1e-6")
    assert not keep(changed, ())
    assert statuses(changed) == ["stale"] * 2 + ["missing"] * 3
    new = all_records(changed)[1].model_copy(update={"date": datetime.date(2030, 1, 1)})
    assert keep(changed, (new,))
    assert [one.date.year for one in load_model_records(changed[0])] == [2020, 2030]
    assert not keep(changed, (new.model_copy(update={"date": datetime.date(2031, 1, 1)}),))
    (root / "content/gpt-2/model.proofs.json").write_text("{", encoding="utf-8")
    assert keep(changed, (new,))


def test_missing_and_stale_records_are_told_once(root: Path) -> None:
    found = case(root)
    assert statuses(found) == ["missing"] * 5
    (issue,) = check_model_records(*found)[1]
    assert (issue.code, issue.severity, issue.path) == ("A702", "warning", "content/gpt-2/model.yml")
    assert issue.hint == "run `atlas verify gpt-2 --record`"
    keep(found, all_records(found)[:3])
    changed = edited(
        root, f"{LAYER}/attention-layer-norm.yml", "arguments: {epsilon: 1e-5}", "arguments: {epsilon: 1e-6}"
    )
    assert statuses(changed) == ["stale"] * 3 + ["missing"] * 2
    stale, missing = check_model_records(*changed)[1]
    assert stale.message == (
        "the recorded proofs are stale (tensors, float32 and float64): what was proved has changed since 2020-02-29"
    )
    assert missing.message == "there is no recorded proof against upstream of cache and multiply-accumulates"


def test_a_model_that_upstream_narrows_says_why_it_is_not_compared_in_float64(root: Path) -> None:
    found = case(root)
    keep(found, all_records(found))
    model = "content/gpt-2/model.yml"
    changed = edited(root, model, "  ignored:\n", "  precision: float32\n  precision_note: it narrows\n  ignored:\n")
    proofs, (stale, foreign) = check_model_records(*changed)
    assert (stale.code, foreign.code) == ("A701", "A701")
    assert (stale.path, foreign.path) == ("content/gpt-2/model.yml", "content/gpt-2/model.proofs.json")
    assert "the recorded proofs are stale (tensors, float32, cache and multiply-accumulates)" in stale.message
    assert "records of float64 belong to nothing" in foreign.message
    assert (proofs[-1].status, proofs[-1].figure) == ("missing", "not compared in float64: it narrows")


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("content/gpt-2/model.yml", "title: GPT-2", "title: GPT2"),
        ("content/gpt-2/model.yml", "title: Decoder", "title: The decoder"),
        ("content/gpt-2/model.yml", "dropout is the identity in evaluation", "it is off"),
        ("content/gpt-2/model.yml", "model_type: gpt2", "model_type: gpt-2"),
        (f"{LAYER}/attention-layer-norm.yml", "summary: Center", "summary: Centre"),
        (f"{LAYER}/attention-layer-norm.yml", "meaning: features of each position", "meaning: features"),
        (f"{LAYER}/attention-layer-norm.yml", "parameter: Learned gain", "parameter: Gain"),
    ],
)
def test_words_make_no_proof_stale(root: Path, path: str, old: str, new: str) -> None:
    assert digest(case(root)) == digest(edited(root, path, old, new))


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("content/gpt-2/model.yml", "V: 50257, P: 1024, d: 768", "V: 50258, P: 1024, d: 768"),
        ("content/gpt-2/model.yml", "tiny: {B: 2", "tiny: {B: 3"),
        ("content/gpt-2/model.yml", "add_cross_attention: false", "add_cross_attention: true"),
        ("content/gpt-2/model.yml", "hidden_size: n_embd", "hidden_width: n_embd"),
        ("content/gpt-2/model.yml", "  ignored:\n", "  ignored:\n    a: nothing\n"),
        ("content/gpt-2/model.yml", "  ignored:\n", "  unlike_default: {tie_word_embeddings: why}\n  ignored:\n"),
        ("content/gpt-2/model.yml", "'transformer.ln_f': 'output.y'", "'transformer.ln': 'output.y'"),
        ("content/gpt-2/model.yml", "{'r_n': 'x', 'm_n': 'r'}", "{'r_n': 'r', 'm_n': 'x'}"),
        (f"{LAYER}/attention-layer-norm.yml", "epsilon: 1e-5", "epsilon: 1e-6"),
        (f"{LAYER}/attention-residual.yml", "{'x_n': 'x', 'a_n': 'r'}", "{'x_n': 'r', 'a_n': 'x'}"),
        (f"{LAYER}/self-attention.yml", "part: 1 of 3", "part: 2 of 3"),
        (f"{LAYER}/self-attention.yml", "lifetime: token", "lifetime: constant"),
        (f"{LAYER}/feed-forward.yml", "feed_forward_gelu_tanh", "feed_forward_relu"),
        ("sources/transformers.yml", "transformers==5.24.0", "transformers==5.24.1"),
        ("sources/transformers.yml", "blob: 2c3ad21a", "blob: 0c3ad21a"),
    ],
)
def test_what_takes_part_makes_a_proof_stale(root: Path, path: str, old: str, new: str) -> None:
    assert digest(case(root)) != digest(edited(root, path, old, new))


@pytest.mark.parametrize(
    ("module", "is_stale"),
    [
        ("atlas.operators.multi_head_attention", True),
        ("atlas.operators.registry", True),
        ("atlas.graph.forward", True),
        ("atlas.graph.accounting", True),
        ("atlas.upstream.library_model", True),
        ("atlas.upstream.compare", True),
        ("atlas.checks.upstream_model", True),
        ("atlas.sizes", True),
        ("atlas.size_text", True),
        ("atlas.operators.convolution", False),
        ("atlas.upstream.chainer_facade", False),
        ("atlas.checks.records", False),
    ],
)
def test_the_digest_depends_on_the_code_that_takes_part(
    root: Path, monkeypatch: pytest.MonkeyPatch, module: str, is_stale: bool
) -> None:
    found = case(root)
    model = found[0].data
    assert isinstance(model, Model)
    upstream = compared_with(model)
    assert upstream is not None
    assert (module in modules_of(found[1], upstream)) == is_stale
    before = digest(found)
    monkeypatch.setattr(records_model, "module_digest", lambda one: "edited" if one == module else module_digest(one))
    assert (digest(found) != before) == is_stale


def test_each_claim_has_a_digest_of_its_own_that_depends_on_the_versions(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = case(root)
    before = {record.digest for record in all_records(found)}
    assert len(before) == 5
    monkeypatch.setattr(records_model, "pinned_versions", lambda _: {"transformers": "5.24.0", "torch": "2.14.0"})
    assert before.isdisjoint(record.digest for record in all_records(found))


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{}",
        "[{}]",
        lambda data: [{**data[0], "proof": "total"}],
        lambda data: [{**data[0], "compared": 0}],
        lambda data: [{**data[0], "maximum_error": 1e-11}],
        lambda data: [{**data[1], "maximum_error": 2e-5}],
        lambda data: [{**data[1], "maximum_error": -1.0}],
        lambda data: [{**data[2], "maximum_error": 2e-10}],
        lambda data: [{name: value for name, value in data[2].items() if name != "maximum_error"}],
        lambda data: [{**data[0], "digest": "0"}],
    ],
)
def test_a_damaged_file_is_told_and_proves_nothing(
    root: Path, content: str | Callable[[list[dict[str, Any]]], object]
) -> None:
    found = case(root)
    write_records(found[0], all_records(found))
    path = root / "content/gpt-2/model.proofs.json"
    data = json.loads(path.read_text("utf-8"))
    path.write_text(content if isinstance(content, str) else json.dumps(content(data)), encoding="utf-8")
    proofs, (issue,) = check_model_records(*found)
    assert proofs == []
    assert (issue.path, issue.code) == ("content/gpt-2/model.proofs.json", "A703")
    assert "model.proofs.json is not what `atlas verify --record` writes" in issue.message
    with pytest.raises(AtlasError):
        load_model_records(found[0])


def test_a_manifest_without_a_package_pins_no_library(root: Path) -> None:
    collection, graph, source = case(root)
    bare = replace(source, data=source.data.model_copy(update={"artifact": None}))
    _, (issue,) = check_model_records(collection, graph, bare)
    assert (issue.code, issue.path) == ("A703", "content/gpt-2/model.yml")
    assert isinstance(collection.data, Model)
    with pytest.raises(LibraryError, match="pins no package"):
        digest_of_model(graph, collection.data, bare, "cache")


def named(found: Case, names: tuple[str, ...]) -> tuple[ModelRecord, ...]:
    collection, _, source = found
    assert isinstance(collection.data, Model)
    of = {"names": names, "named_by": digest_of_upstream(collection.data, source)}
    return tuple(one.model_copy(update=of) if one.proof == "tensors" else one for one in all_records(found))


def names_of(found: Case) -> tuple[str, ...]:
    collection, graph, _ = found
    assert isinstance(collection.data, Model)
    assert collection.data.upstream is not None
    return tuple(name for one in weights(graph, tiny_sizes(collection.data.upstream)) for name in one.stored)


def test_a_misspelt_tensor_is_told_where_it_is_named_without_the_library(root: Path) -> None:
    """The record says how upstream calls its tensors, as long as what upstream depends on has not changed."""
    found = case(root)
    keep(found, named(found, names_of(found)))
    changed = edited(root, f"{LAYER}/self-attention.yml", "attn.c_proj.weight", "attn.c_proj.wieght")
    misspelt, stale = check_model_records(*changed)[1]
    assert (misspelt.code, misspelt.severity, misspelt.path) == ("A706", "error", f"{LAYER}/self-attention.yml")
    line = (root / f"{LAYER}/self-attention.yml").read_text("utf-8").splitlines()[misspelt.line - 1]
    assert line[misspelt.column - 1 :].startswith("attn.c_proj.wieght")
    assert misspelt.message == (
        "W^O: upstream has no tensor transformer.h.0.attn.c_proj.wieght, which `attn.c_proj.wieght` means"
    )
    assert misspelt.hint == "did you mean transformer.h.0.attn.c_proj.weight?"
    assert (stale.code, stale.hint) == ("A701", "run `atlas verify gpt-2 --record`")


def test_a_misspelt_tensor_of_a_use_is_told_where_the_use_names_it(root: Path) -> None:
    found = case(root)
    keep(found, named(found, names_of(found)))
    changed = edited(root, "content/gpt-2/model.yml", "ln_2.bias", "ln_3.bias")
    misspelt, _ = check_model_records(*changed)[1]
    line = (root / "content/gpt-2/model.yml").read_text("utf-8").splitlines()[misspelt.line - 1]
    assert (misspelt.code, misspelt.path) == ("A706", "content/gpt-2/model.yml")
    assert line[misspelt.column - 1 :].startswith("ln_3.bias")
    # Both are in that layer, and equally like it.
    assert misspelt.hint in {f"did you mean transformer.h.0.ln_{number}.bias?" for number in (1, 2)}


def test_a_change_of_anything_else_says_nothing_of_tensors(root: Path) -> None:
    found = case(root)
    keep(found, named(found, names_of(found)))
    changed = edited(root, f"{LAYER}/attention-layer-norm.yml", "epsilon: 1e-5", "epsilon: 1e-6")
    assert [one.code for one in check_model_records(*changed)[1]] == ["A701"]


@pytest.mark.parametrize("lists", [True, False], ids=["another upstream", "no names"])
def test_where_names_are_not_known_a_stale_record_says_so(root: Path, lists: bool) -> None:
    found = case(root)
    keep(found, named(found, names_of(found)) if lists else all_records(found))
    if lists:
        edited(root, "content/gpt-2/model.yml", "scale_attn_weights: true", "scale_attn_weights: false")
    changed = edited(root, f"{LAYER}/self-attention.yml", "attn.c_proj.weight", "attn.c_proj.wieght")
    (issue,) = check_model_records(*changed)[1]
    assert issue.code == "A701"
    assert issue.hint.startswith("run `atlas verify gpt-2 --record`; it loads the upstream model, and only that tells")
