"""Sizes that no pinned source, no hyperparameter and no default of the library backs: pages list them by variant."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from atlas.checks.backing import unbacked_sizes
from atlas.checks.graph import check_graph
from atlas.checks.records_model import TITLES, check_model_records
from atlas.entries.atlas import Collection
from atlas.entries.load import load

REPOSITORY = Path(__file__).resolve().parents[2]
TENSORS, HYPERPARAMETERS = TITLES["tensors"], TITLES["hyperparameters"]


@pytest.fixture(scope="module")
def published() -> Mapping[str, Collection]:
    return load(REPOSITORY, REPOSITORY / "content", REPOSITORY / "sources")[0].collections


def said(collection: Collection, *recorded: str) -> list[str]:
    """The parts of the one proof, one for each variant."""
    proofs = list(unbacked_sizes(collection, recorded))
    assert len(proofs) < 2
    for proof in proofs:
        assert (proof.claim, proof.status, proof.command) == ("sizes", "missing", f"atlas check {collection.path}")
    return [part for proof in proofs for part in proof.figure.split("; ")]


def test_defaults_back_the_sizes_that_have_their_values(published: Mapping[str, Collection]) -> None:
    stated = [f"of {name} no pinned source states d, h, f and N" for name in ("355M", "774M", "1.5B")]
    assert said(published["gpt-2"], TENSORS) == stated
    assert said(published["mixtral"], TENSORS) == []
    assert said(published["resnet"], TENSORS) == [
        "of 50 layers no pinned source states L",
        "of 101 layers no pinned source states m and L",
        "of 152 layers no pinned source states m and L",
    ]


def test_what_is_not_proved_backs_nothing(published: Mapping[str, Collection]) -> None:
    first, second, *_ = said(published["gpt-2"])
    assert first == "of 124M no pinned source states f"
    assert second == "of 355M no pinned source states V, P, d, h, f and N"
    assert said(published["mixtral"]) == ["of 8x7B no pinned source states d_k"]


def test_hyperparameters_back_the_sizes_of_a_program(published: Mapping[str, Collection]) -> None:
    for part in said(published["transformer"], HYPERPARAMETERS):
        assert part.endswith("no pinned source states V")


def test_a_model_that_is_compared_with_nothing_has_only_its_settings(small_models: Mapping[str, Collection]) -> None:
    assert said(small_models["line"], TENSORS, HYPERPARAMETERS) == ["of short no pinned source states d and N"]
    assert list(unbacked_sizes(small_models["pyramid"], ())) != []


def test_of_a_program_pages_say_what_is_counted_and_not_compared() -> None:
    atlas, _ = load(REPOSITORY, REPOSITORY / "content", REPOSITORY / "sources")
    collection = atlas.collections["transformer"]
    graph, _ = check_graph(collection)
    assert graph is not None
    proofs, issues = check_model_records(collection, graph, atlas.sources["tensor2tensor"])
    assert issues == []
    assert [(proof.claim, proof.status) for proof in proofs[-2:]] == [
        (TITLES["cache"], "missing"),
        (TITLES["multiply-accumulates"], "missing"),
    ]
    assert all(proof.figure.startswith("our count is not compared with upstream: ") for proof in proofs[-2:])
