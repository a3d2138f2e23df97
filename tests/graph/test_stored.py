"""How upstream stores what a symbol stands for: axes of length 1, shards, parts, and names made of sizes."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from atlas.checks.graph import check_graph
from atlas.entries.collection import Model
from atlas.entries.component import State, Symbol
from atlas.entries.load import load
from atlas.exceptions import ShapeError
from atlas.graph.layout import layout_of
from atlas.graph.structure import Graph
from atlas.graph.unroll import Sizes
from atlas.graph.weights import Weight, named_by_sizes, upstream_shapes, weights

REPOSITORY = Path(__file__).resolve().parents[2]
STORED = {"axes": ("h", "d", "k"), "binds": "W", "parameter": "Weights", "tensor": "kernel"}


@pytest.fixture(scope="module")
def transformer() -> tuple[Graph, Sizes]:
    """The Transformer at small sizes, whose table of 37 rows is kept in 16 pieces."""
    atlas, issues = load(REPOSITORY, REPOSITORY / "content", REPOSITORY / "sources")
    assert issues == []
    collection = atlas.collections["transformer"]
    graph, issues = check_graph(collection)
    assert issues == []
    assert graph is not None
    assert isinstance(collection.data, Model)
    return graph, Sizes({"V": 37, "d": 8, "h": 2, "f": 12, "N": 2}, {})


def symbol(**stated: Any) -> Symbol:
    return Symbol(**(STORED | stated))


def weight(found: tuple[Graph, Sizes], key: str) -> Weight:
    return next(one for one in weights(*found) if one.key == key)


def test_axes_of_length_1_are_left_out() -> None:
    layout = layout_of(symbol(layout="1 1 d (part h k) -> h d k", part="2 of 3"))
    assert layout.upstream_shape((2, 5, 4)) == (1, 1, 5, 24)
    upstream = np.arange(120.0).reshape(1, 1, 5, 24)
    taken = layout.taken(upstream, (2, 5, 4))
    assert taken.shape == (2, 5, 4)
    for head in range(2):
        np.testing.assert_array_equal(taken[head], upstream[0, 0, :, 8 + 4 * head : 12 + 4 * head])
    with pytest.raises(ShapeError, match=re.escape("upstream has the shape (5, 24), the layout says (1, 1, 5, 24)")):
        layout.taken(upstream[0, 0], (2, 5, 4))


def test_an_axis_of_length_1_may_stand_anywhere() -> None:
    layout = layout_of(symbol(layout="k 1 h d 1 -> h d k"))
    upstream = np.arange(24.0).reshape(4, 1, 2, 3, 1)
    np.testing.assert_array_equal(layout.taken(upstream, (2, 3, 4)), upstream[:, 0, :, :, 0].transpose(1, 2, 0))


@pytest.mark.parametrize(
    "layout",
    [
        "1 d h k -> h d k 1",
        "(1 d) h k -> h d k",
        "2 d h k -> h d k",
        "d d h k -> h d k",
        "1 d h -> h d k",
        "d(h k) -> h",
    ],
)
def test_a_layout_that_is_none_is_refused(layout: str) -> None:
    with pytest.raises(ValidationError, match="layout"):
        symbol(layout=layout)


def test_shards_are_as_even_as_can_be(transformer: tuple[Graph, Sizes]) -> None:
    table = weight(transformer, "encoder-input/embedding.E")
    assert [*table.stored] == [f"symbol_modality_37_8/shared/weights_{shard}" for shard in range(16)]
    assert [*table.stored.values()] == [(3, 8)] * 5 + [(2, 8)] * 11
    shapes = upstream_shapes(weights(*transformer))
    assert table.stored.items() <= shapes.items()
    rows = np.arange(37 * 8.0).reshape(37, 8)
    pieces = dict(zip(table.stored, np.split(rows, [*range(3, 16, 3), *range(17, 37, 2)]), strict=True))
    np.testing.assert_array_equal(table.taken(pieces), rows)


def test_a_shard_of_another_length_is_told(transformer: tuple[Graph, Sizes]) -> None:
    table = weight(transformer, "encoder-input/embedding.E")
    pieces = {name: np.zeros(shape) for name, shape in table.stored.items()}
    name = "symbol_modality_37_8/shared/weights_5"
    with pytest.raises(ShapeError, match=re.escape(f"upstream’s {name} has the shape (3, 8), the layout says (2, 8)")):
        table.taken(pieces | {name: np.zeros((3, 8))})
    with pytest.raises(KeyError, match="weights_5"):
        table.taken({one: array for one, array in pieces.items() if one != name})


def test_more_shards_than_rows_leave_some_empty(transformer: tuple[Graph, Sizes]) -> None:
    graph, sizes = transformer
    table = weight((graph, replace(sizes, numbers={**sizes.numbers, "V": 3})), "encoder-input/embedding.E")
    assert [*table.stored.values()] == [(1, 8)] * 3 + [(0, 8)] * 13
    rows = np.arange(24.0).reshape(3, 8)
    pieces = {one: rows[index : index + 1] for index, one in enumerate(table.stored)}
    np.testing.assert_array_equal(table.taken(pieces), rows)


def test_a_weight_without_a_name_is_stored_nowhere(transformer: tuple[Graph, Sizes]) -> None:
    table = replace(weight(transformer, "encoder-input/embedding.E"), tensor=None)
    assert table.stored == {}


def test_the_same_tensor_is_tied_shard_by_shard(transformer: tuple[Graph, Sizes]) -> None:
    listed = weights(*transformer)
    assert sum(one.stored == listed[0].stored for one in listed) == 3
    own = [replace(one, tied=None) for one in listed]
    message = "encoder-input/embedding.E and decoder-input/embedding.E both say that they are symbol_modality_37_8/"
    with pytest.raises(ShapeError, match=re.escape(message)):
        upstream_shapes(own)


def test_sizes_in_names() -> None:
    assert named_by_sizes("table_{V}_{d_k}/weights_{shard}", {"V": 37, "d_k": 4}) == "table_37_4/weights_{shard}"
    assert named_by_sizes("plain", {}) == "plain"
    for name in ("table_{W}", "layer_{n}/kernel", "layer_{}"):
        with pytest.raises(ShapeError, match=re.escape(f"the name {name} has {{")):
            named_by_sizes(name, {"V": 37})


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({"shards": 16}, "`shards` and `{shard}` in the name of the tensor go together"),
        ({"tensor": "weights_{shard}"}, "`shards` and `{shard}` in the name of the tensor go together"),
        ({"tensor": None, "shards": 2}, "`shards` goes with `tensor`"),
        ({"tensor": "weights_{shard}", "shards": 1}, "greater than or equal to 2"),
    ],
)
def test_shards_and_the_name_of_the_tensor_go_together(stated: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(message)):
        symbol(**stated)


def test_a_state_may_last_for_each_token_of_an_input() -> None:
    assert State(axes=("h",), lifetime="input", meaning="the key").lifetime == "input"
    with pytest.raises(ValidationError, match="lifetime"):
        State(axes=("h",), lifetime="source", meaning="the key")  # type: ignore[arg-type]
