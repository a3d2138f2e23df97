from __future__ import annotations

import pytest

from atlas.exceptions import DiagramError
from atlas.render.diagram import Sketch, SketchEdge, SketchGroup, SketchNode
from atlas.render.kinds import KINDS, named

A, B, C = (SketchNode(name, name.upper(), "projection") for name in "abc")


def refusal(children: tuple[SketchNode | SketchGroup, ...], edges: tuple[SketchEdge, ...] = ()) -> str:
    with pytest.raises(DiagramError) as caught:
        Sketch("T", "", children, edges)
    message = str(caught.value)
    assert message.startswith("the diagram 'T' cannot be drawn: ")
    return message.removeprefix("the diagram 'T' cannot be drawn: ")


def test_an_empty_sketch_and_an_empty_group_are_refused() -> None:
    assert refusal(()) == "it has no node"
    assert refusal((A, SketchGroup("g", "G", "", ()))) == "the group 'g' is empty"


def test_one_id_for_two_parts_is_refused_at_any_depth() -> None:
    assert refusal((A, A)) == "2 of its parts have the id 'a'"
    assert refusal((SketchGroup("a", "G", "", (A,)),)) == "2 of its parts have the id 'a'"
    assert refusal((SketchGroup("g", "G", "", (A, B)), SketchGroup("h", "H", "", (B,)))) == (
        "2 of its parts have the id 'b'"
    )


def test_an_unknown_kind_lists_those_that_exist() -> None:
    message = refusal((SketchNode("x", "X", "magic"),))
    assert message == f"'x': 'magic' is no kind of component that pictures show; there are {', '.join(KINDS)}"
    with pytest.raises(DiagramError, match="'Attention' is no kind"):
        named("Attention")
    assert named("attention") == "Attention"


def test_an_edge_joins_nodes_and_nothing_else() -> None:
    group = SketchGroup("g", "G", "", (B,))
    assert refusal((A, group), (SketchEdge("a", "g"), SketchEdge("nowhere", "b"))) == (
        "the edge from 'a' to 'g': 'g' is no node; the edge from 'nowhere' to 'b': 'nowhere' is no node"
    )


def test_only_a_carried_value_leads_back_to_its_own_node() -> None:
    assert "leads back to its own node" in refusal((A,), (SketchEdge("a", "a"),))
    assert Sketch("T", "", (A,), (SketchEdge("a", "a", kind="carried"),)).into("a")


def test_every_mistake_is_named_at_once() -> None:
    edge = SketchEdge("a", "a", kind="sideways")  # type: ignore[arg-type]  # that is the mistake
    message = refusal((SketchNode("a", " ", "magic"), A), (edge,))
    assert message.count("; ") == 6  # four between the mistakes, and one before each list of kinds
    for mistake in ("have the id 'a'", "'a' has no title", "'magic'", "'sideways' is no kind of edge", "leads back"):
        assert mistake in message


def test_nodes_are_read_in_the_order_of_the_data_flow() -> None:
    sketch = Sketch(
        "T", "", (C, B, A), (SketchEdge("a", "b"), SketchEdge("b", "c"), SketchEdge("c", "a", kind="carried"))
    )
    assert list(sketch.nodes) == ["a", "b", "c"]


def test_a_group_stays_whole_and_comes_after_what_it_takes() -> None:
    group = SketchGroup("g", "G", "", (C, B))
    sketch = Sketch("T", "", (group, A), (SketchEdge("a", "c"), SketchEdge("b", "c")))
    assert list(sketch.nodes) == ["a", "b", "c"]
    assert [part.id for part in sketch.children] == ["a", "g"]


def test_where_groups_wait_for_each_other_the_given_order_holds() -> None:
    groups = (SketchGroup("g", "G", "", (A, B)), SketchGroup("h", "H", "", (C,)))
    sketch = Sketch("T", "", groups, (SketchEdge("a", "c"), SketchEdge("c", "b")))
    assert list(sketch.nodes) == ["a", "b", "c"]


def test_an_edge_given_twice_is_one() -> None:
    assert len(Sketch("T", "", (A, B), (SketchEdge("a", "b"), SketchEdge("a", "b"))).into("b")) == 1
