"""Counts of parameters: those of the real content, and that totals add up for any axes and sizes."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atlas.entries.atlas import Atlas, Collection, Entry
from atlas.entries.collection import Model
from atlas.entries.component import Component, Symbol
from atlas.entries.load import load
from atlas.exceptions import SizeError
from atlas.graph.accounting import (
    ModelAccount,
    account,
    grouped,
    latex_number,
    latex_size,
    model_account,
    parameters,
    total,
)
from atlas.graph.build import build
from atlas.graph.structure import Graph
from atlas.graph.unroll import Sizes
from atlas.sizes import constant, size

PROJECT = Path(__file__).resolve().parents[1] / "project"


@pytest.fixture(scope="module")
def atlas() -> Atlas:
    found, issues = load(PROJECT, PROJECT / "content", PROJECT / "sources")
    assert issues == []
    return found


@pytest.fixture
def transformer(atlas: Atlas) -> Collection:
    return atlas.collections["transformer"]


def accounted(collection: Collection, variant: str) -> ModelAccount:
    graph, issues = build(collection)
    assert issues == []
    assert isinstance(collection.data, Model)
    return model_account(graph, Sizes.of(collection.data.variants[variant]))


@pytest.mark.parametrize("index", [0, 1])
@pytest.mark.parametrize(
    ("variant", "width", "per_instance", "across"),
    [("transformer_base", 512, 1024, 6144), ("transformer_big", 1024, 2048, 12288)],
)
def test_the_norms_of_the_transformer(
    transformer: Collection, index: int, variant: str, width: int, per_instance: int, across: int
) -> None:
    found = accounted(transformer, variant).entries[transformer.entries[index].id]
    assert found.layers == len(found.places) == 6
    assert found.uniform
    assert [row.label for row in found.rows] == ["Learned gain", "Learned bias"]
    assert [row.symbol for row in found.rows] == [rf"\gamma_{index + 1}", rf"\beta_{index + 1}"]
    assert [row.count.number for row in found.rows] == [width, width]
    assert [row.calculation for row in found.rows] == [latex_number(width)] * 2
    assert (found.per_instance.number, found.across.number) == (per_instance, across)


@pytest.mark.parametrize(
    ("variant", "per_layer", "all_layers"), [("transformer_base", 2048, 12288), ("transformer_big", 4096, 24576)]
)
def test_the_stacks_of_the_transformer(transformer: Collection, variant: str, per_layer: int, all_layers: int) -> None:
    (stack,) = accounted(transformer, variant).stacks
    assert (stack.name, stack.layers, stack.per_layer, stack.total) == ("encoder", 6, per_layer, all_layers)


def test_the_layer_of_the_library_is_counted_in_symbols(atlas: Atlas) -> None:
    library = atlas.collections["chainer"]
    (entry,) = library.entries
    found = account(entry, {}, None)
    assert found.layers is None
    assert str(found.per_instance) == "2 C"
    assert found.per_instance == found.across
    assert [row.calculation for row in found.rows] == ["C", "C"]
    assert account(entry, {"C": 10}, None).across.number == 20
    with pytest.raises(TypeError, match="is a library"):
        build(library)


def test_parameters_know_what_they_are(transformer: Collection) -> None:
    gain, bias = parameters(transformer.entries[0])
    assert (gain.label, gain.symbol, gain.argument, gain.tensor) == (
        "Learned gain", r"\gamma_1", "gamma", "layer_norm_scale",
    )  # fmt: skip
    assert gain.axes == bias.axes == (size("d"),)
    assert gain.count == size("d")


def with_parameters(entry: Entry, axes: list[list[str | int]]) -> Entry:
    symbols = {f"p_{index}": Symbol(axes=tuple(each), parameter=f"Number {index}") for index, each in enumerate(axes)}
    x = {"axes": ("d",), "binds": "x"}
    changed = {"operator": "relu", "arguments": {}, "in": {}, "out": {}}
    changed["symbols"] = {**{name: symbol.model_dump() for name, symbol in symbols.items()}, "x": x}
    data = Component.model_validate({**entry.data.model_dump(by_alias=True), **changed})
    return replace(entry, data=data)


@pytest.mark.parametrize(
    ("axes", "calculation", "count"),
    [
        ([512, 2048], r"512 \times 2{,}048", 1048576),
        (["d", "4 d"], r"8 \times 32", 256),
        (["d", "h"], r"8 \times h", "8 h"),
        (["d+h", 3], r"(d+h) \times 3", "3 d+3 h"),
        (["d+h"], "d+h", "d+h"),
        (["2 d+2", "h"], r"18 \times h", "18 h"),
        ([], "1", 1),
    ],
)
def test_a_row_shows_the_product_of_its_axes(
    transformer: Collection, axes: list[str | int], calculation: str, count: int | str
) -> None:
    bindings = {"d": 8}
    (row,) = account(with_parameters(transformer.entries[0], [axes]), bindings, None).rows
    assert row.calculation == calculation
    assert row.count == size(count)


def test_numbers_are_grouped() -> None:
    assert grouped(1234567) == "1,234,567"
    assert latex_number(1024) == "1{,}024"
    assert latex_size(size(6144)) == "6{,}144"
    assert latex_size(size("2 C")) == "2 C"
    assert latex_size(constant(0)) == "0"
    assert total([]) == constant(0)


def test_a_count_that_is_no_whole_number_has_no_value(transformer: Collection) -> None:
    entry = with_parameters(transformer.entries[0], [["d/3"]])
    with pytest.raises(SizeError, match="d/3 is 8/3"):
        account(entry, {"d": 8}, None)


NAMES = ("d", "h", "f")
AXES = st.lists(st.lists(st.one_of(st.sampled_from(NAMES), st.integers(1, 9)), max_size=4), max_size=5)
SIZES = st.fixed_dictionaries({name: st.integers(1, 10**6) for name in NAMES})


@settings(derandomize=True, deadline=None, max_examples=60)
@given(AXES, SIZES, st.integers(1, 100))
def test_totals_add_up(axes: list[list[str | int]], sizes: dict[str, int], layers: int) -> None:
    atlas, _ = load(PROJECT, PROJECT / "content", PROJECT / "sources")
    transformer = atlas.collections["transformer"]
    entry = with_parameters(transformer.entries[0], axes)
    counts = [prod(sizes[axis] if isinstance(axis, str) else axis for axis in each) for each in axes]
    found = account(entry, sizes, layers)
    assert [row.count.number for row in found.rows] == counts
    assert found.per_instance.number == sum(counts)
    assert found.across.number == sum(counts) * layers
    symbolic = account(entry, {}, None)
    assert symbolic.per_instance.value(sizes) == sum(counts)
    partly = account(entry, {"d": sizes["d"]}, layers)
    assert partly.across.value(sizes) == sum(counts) * layers


@settings(derandomize=True, deadline=None, max_examples=40)
@given(AXES, AXES, SIZES, st.integers(1, 100))
def test_a_stack_is_the_sum_of_its_components_times_its_layers(
    one: list[list[str | int]], other: list[list[str | int]], sizes: dict[str, int], layers: int
) -> None:
    atlas, _ = load(PROJECT, PROJECT / "content", PROJECT / "sources")
    transformer = atlas.collections["transformer"]
    entries = tuple(with_parameters(entry, axes) for entry, axes in zip(transformer.entries, (one, other), strict=True))
    assert isinstance(transformer.data, Model)
    base = transformer.data.variants["transformer_base"].model_copy(update={"sizes": {**sizes, "N": layers}})
    data = transformer.data.model_copy(update={"variants": {"base": base}})
    (encoder,) = accounted(replace(transformer, data=data, entries=entries), "base").stacks
    parts = [account(entry, sizes, None).per_instance.value({}) for entry in entries]
    assert encoder.per_layer == sum(parts)
    assert encoder.total == sum(parts) * layers


@settings(derandomize=True, deadline=None, max_examples=40)
@given(
    st.fixed_dictionaries(
        {"V": st.integers(1, 10**6), "h": st.integers(1, 32), "d_k": st.integers(1, 256), "N": st.integers(1, 12)}
    )
)
def test_a_whole_model_has_as_many_parameters_and_products_as_written_out(
    tiny: tuple[Graph, Model], sizes: dict[str, int]
) -> None:
    """The encoder–decoder of the tests' project, at any sizes, against sums that know nothing of its graph."""
    graph, _ = tiny
    vocabulary, heads, head, layers = sizes["V"], sizes["h"], sizes["d_k"], sizes["N"]
    width = heads * head
    found = model_account(graph, Sizes({"V": vocabulary, "h": heads, "d": width, "N": layers}, {}))
    matrices = 4 * width * width
    assert found.embedding == vocabulary * width
    assert found.non_embedding == (layers + 2) * matrices
    assert found.total == found.active == vocabulary * width + (layers + 2) * matrices
    assert {one.name: (one.layers, one.per_layer, one.total) for one in found.stacks} == {
        "input": (1, vocabulary * width, vocabulary * width),
        "encoder": (layers, matrices, layers * matrices),
        "decoder": (2, matrices, 2 * matrices),
        "output": (1, 0, 0),
    }
    assert sum(found.across.values()) == sum(one.across.value({}) for one in found.entries.values()) == found.total
    source, target = 4 * width * width * layers + 2 * 2 * width * width, 2 * 2 * width * width + vocabulary * width
    scores = 2 * width
    expected = size(f"{source} B S + {target} B T + {layers * scores} B S S + {2 * scores} B S T")
    assert found.macs == expected


@pytest.fixture(scope="module")
def tiny(atlas: Atlas) -> tuple[Graph, Model]:
    collection = atlas.collections["tiny"]
    graph, issues = build(collection)
    assert issues == []
    assert isinstance(collection.data, Model)
    return graph, collection.data


def test_a_component_has_its_parameters_in_every_place(tiny: tuple[Graph, Model]) -> None:
    graph, model = tiny
    found = model_account(graph, Sizes.of(model.variants["small"]))
    attention = found.entries["tiny/decoder/attention"]
    assert (attention.layers, attention.per_instance.number, attention.across.number) == (5, 144, 720)
    assert attention.uniform
    assert [row.calculation for row in attention.rows] == [r"2 \times 6 \times 3"] * 3 + [r"6 \times 6"]
    embedding = found.entries["tiny/input/embedding"]
    assert (embedding.layers, embedding.uniform, embedding.across.number) == (2, False, 66)  # the second is tied
    head = found.entries["tiny/output/head"]
    assert [(row.label, row.tied) for row in head.rows] == [("Embedding table", True)]
    assert (head.per_instance.number, head.across.number) == (0, 0)
