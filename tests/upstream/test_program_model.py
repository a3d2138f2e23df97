"""The Transformer against its pinned code, which a program of calls runs; and every single edit of it is found."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from atlas.checks.records_model import claims
from atlas.checks.upstream_program import verify_program
from atlas.exceptions import UpstreamError
from atlas.graph.accounting import model_account
from atlas.graph.unroll import Sizes
from atlas.graph.weights import upstream_shapes, weights
from atlas.issues import show
from atlas.upstream.program_model import ProgramModel, chosen, tiny_sizes
from tests.upstream.transformer_model import (
    REPOSITORY,
    Files,
    Subject,
    subject,
)


@pytest.fixture(scope="module")
def transformer() -> Subject:
    return subject(REPOSITORY)


def test_the_transformer_equals_its_pinned_code(transformer: Subject, tensor2tensor: Files) -> None:
    one = transformer
    compared = list(verify_program(one.collection, one.graph, one.source, tensor2tensor))
    assert show(issue for each in compared for issue in each.issues) == ""
    assert [each.claim for each in compared] == claims(one.graph, one.program)
    records = {each.claim: each.record for each in compared}
    for claim, limit in (("float32", 1e-5), ("float64", 1e-10)):
        record = records[claim]  # type: ignore[index]
        assert record is not None
        assert record.maximum_error is not None
        assert 0 < record.maximum_error < limit
        # Four values before the encoder, three before the decoder, four and six in a layer of each, and the scores.
        layers = one.program.tiny["N"]
        assert isinstance(layers, int)
        assert record.compared == 2 * (4 + 3 + layers * (4 + 6) + 1)
    tensors = records["tensors"]
    assert tensors is not None
    assert tensors.compared == 2 * 209
    assert set(tensors.versions) == {"python", "numpy", "openmodelatlas"}


@pytest.mark.parametrize("vocabulary", [33_708, 37_000, 16, 1])
def test_the_total_is_a_formula_in_the_vocabulary(transformer: Subject, vocabulary: int) -> None:
    for variant, width, rest in (("transformer_base", 512, 44_154_880), ("transformer_big", 1024, 176_390_144)):
        sizes = Sizes.of(transformer.model.variants[variant], {"V": vocabulary})
        account = model_account(transformer.graph, sizes)
        assert account.total == vocabulary * width + rest
        assert account.embedding == (vocabulary + 32) * width
        assert account.cache == account.input_cache == 2 * 6 * width


@pytest.mark.parametrize(("variant", "total"), [("transformer_base", 61_413_376), ("transformer_big", 210_907_136)])
def test_every_variable_is_counted_at_real_sizes_without_memory(
    transformer: Subject, tensor2tensor: Files, variant: str, total: int
) -> None:
    ours = Sizes.of(transformer.model.variants[variant])
    sizes = Sizes({**tiny_sizes(transformer.program).numbers, **ours.numbers}, {})
    tracemalloc.start()
    stored = ProgramModel(transformer.program, tensor2tensor, sizes, variant).tensors()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000_000  # the numbers of the larger would take 1.7 GB
    shapes = upstream_shapes(weights(transformer.graph, ours))
    assert {name: one.shape for name, one in stored.items()} == shapes
    assert len(shapes) == 209
    assert sum(one.count for one in stored.values()) == model_account(transformer.graph, ours).total == total


def test_hyperparameters_are_those_that_upstream_chooses(transformer: Subject, tensor2tensor: Files) -> None:
    base, big = (chosen(transformer.program, tensor2tensor, name) for name in ("transformer_base", "transformer_big"))
    sizes = {"hidden_size": 512, "filter_size": 2048, "num_heads": 8, "num_hidden_layers": 6}
    assert base == {**sizes, **transformer.program.hparams.settings}
    assert big == {**base, "hidden_size": 1024, "filter_size": 4096, "num_heads": 16}
    with pytest.raises(UpstreamError, match="transformer_huge"):
        chosen(transformer.program, tensor2tensor, "transformer_huge")


def test_a_run_answers_what_it_is_asked_and_nothing_else(transformer: Subject, tensor2tensor: Files) -> None:
    sizes = tiny_sizes(transformer.program)
    model = ProgramModel(transformer.program, tensor2tensor, sizes)
    rng = np.random.default_rng(3)
    model.load({name: rng.normal(size=one.shape).astype(np.float32) for name, one in model.tensors().items()})
    inputs: dict[str, Any] = {
        "source": np.ones((3, 6), np.int64),
        "target": np.ones((3, 5), np.int64),
        "target_space": np.array(7),
    }
    returned = model.run(inputs, ["logits.0"], ["body/encoder/layer_1/layer_norm_1"])
    assert returned.fields["logits.0"].dtype == np.float32
    assert {name: one.shape for name, one in returned.modules.items()} == {
        "body/encoder/layer_1/layer_norm_1": (3, 6, 8)
    }
    with pytest.raises(UpstreamError, match="nothing that is watched gives body/encoder/layer_2/layer_norm"):
        model.run(inputs, [], ["body/encoder/layer_2/layer_norm"])
    with pytest.raises(
        UpstreamError, match=r"the input source has the shape \[3, 6, 1, 1\], but ours holds 15 numbers"
    ):
        model.run(inputs | {"source": np.ones((3, 5), np.int64)}, [], [])


def test_a_total_that_differs_is_told(transformer: Subject, tensor2tensor: Files) -> None:
    """A tensor that upstream makes and no component names is told, nearest component first."""
    left = [node for node in transformer.graph.nodes if node.name != "target-space-embedding"]
    blocks = tuple(
        replace(block, children=tuple(one for one in block.children if one in left or not hasattr(one, "entry")))
        for block in transformer.graph.blocks
    )
    graph = replace(transformer.graph, blocks=blocks)
    compared = list(verify_program(transformer.collection, graph, transformer.source, tensor2tensor))
    assert [one.claim for one in compared if one.issues] == ["tensors"]
    message = "upstream’s body/target_space_embedding/kernel of shape [32, 8] is a parameter of no component"
    assert message in show(compared[-1].issues)
