"""Relations between sizes that an entry states, at the numbers of a variant or a configuration."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from atlas.checks.graph import check_graph, misfit_of_shapes
from atlas.entries.collection import Model
from atlas.entries.load import load
from atlas.exceptions import SizeError
from atlas.graph.structure import Graph
from atlas.graph.unroll import Sizes

REPOSITORY = Path(__file__).resolve().parents[2]


def case(name: str, **more: int) -> tuple[Graph, Sizes]:
    """A model at the sizes of its first variant, some of them changed."""
    collection = load(REPOSITORY, REPOSITORY / "content", REPOSITORY / "sources")[0].collections[name]
    graph, issues = check_graph(collection)
    assert issues == []
    assert graph is not None
    assert isinstance(collection.data, Model)
    return graph, Sizes.of(next(iter(collection.data.variants.values())), {"B": 1, "S": 5, "N": 1, **more})


@pytest.mark.parametrize(("width", "refused"), [(128, False), (126, False), (127, True), (1, True)])
def test_a_size_that_only_a_relation_names_is_a_whole_number(width: int, refused: bool) -> None:
    graph, sizes = case("mixtral", d_k=width)
    if refused:
        message = f"query-rotation needs d_k = 2 r, but d_k is {width}, for which r is no whole number"
        with pytest.raises(SizeError, match=re.escape(message)):
            misfit_of_shapes(graph, sizes)
    else:
        assert misfit_of_shapes(graph, sizes) is None


@pytest.mark.parametrize("positions", [5, 9])
def test_what_is_left_of_a_size_may_be_nothing(positions: int) -> None:
    """GPT-2 states P = S + m, and all positions may be taken."""
    graph, sizes = case("gpt-2", P=positions)
    assert misfit_of_shapes(graph, sizes) is None


def test_relations_that_share_a_size_must_agree_on_it() -> None:
    graph, sizes = case("mixtral")
    rotation = next(node for node in graph.nodes if node.name == "query-rotation").entry
    stated: Mapping[str, str] = {"d_k": "2 r", "h": "r"}
    changed = rotation.data.model_copy(update={"sizes": stated})
    object.__setattr__(rotation, "data", changed)
    with pytest.raises(SizeError, match=r"needs h = r, but h is 32, not 64"):
        misfit_of_shapes(graph, sizes)
