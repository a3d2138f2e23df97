from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from atlas.exceptions import DiagramError
from atlas.node.environment import Environment
from atlas.node.layout import LARGEST_GRAPH, Graph, lay_out
from atlas.node.process import SERVER, Formula, NodeProcess

Limited = Callable[..., Path]
MODULES = [SERVER.with_name(name) for name in ("mathml.mjs", "trees.mjs", "visible.mjs")]
"""What the server's script imports."""


def graph(name: str = "a chain", *, target: str = "b") -> Graph:
    return Graph(
        name,
        {
            "id": "root",
            "layoutOptions": {"elk.algorithm": "layered", "elk.direction": "DOWN"},
            "children": [{"id": one, "width": 80, "height": 40} for one in "ab"],
            "edges": [{"id": "e", "sources": ["a"], "targets": [target]}],
        },
    )


def boxes(answer: dict[str, Any]) -> dict[str, tuple[float, float, float, float]]:
    return {one["id"]: (one["x"], one["y"], one["width"], one["height"]) for one in answer["children"]}


@pytest.fixture
def limited(tmp_path: Path) -> Limited:
    """A server with other limits, and with a thread that does something else to a graph named `bad`."""

    def write(misbehaviour: str, limit: str = "", instead: str = "") -> Path:
        text = SERVER.read_text(encoding="utf-8")
        assert not limit or text.count(limit) == 1
        text = text.replace(limit, instead) if limit else text
        server = tmp_path / SERVER.name
        for module in MODULES:
            shutil.copy(module, tmp_path)
        server.write_text(text, encoding="utf-8")
        begin = "async (graph) => {\n"
        thread = SERVER.with_name("layout.mjs").read_text(encoding="utf-8")
        assert thread.count(begin) == 1
        thread = thread.replace(begin, f"{begin}  if (graph.bad) {misbehaviour}\n")
        (tmp_path / "layout.mjs").write_text(thread, encoding="utf-8")
        return server

    return write


def bad() -> Graph:
    return Graph("the bad one", {**graph().elements, "bad": True})


def test_the_engine_places_what_makes_a_value_above_what_takes_it(node: NodeProcess) -> None:
    (answer,) = lay_out(node, [graph()])
    placed = boxes(answer)
    assert placed["a"][2:] == placed["b"][2:] == (80, 40)
    assert placed["a"][1] + 40 < placed["b"][1]
    (section,) = answer["edges"][0]["sections"]
    assert section["startPoint"]["y"] == placed["a"][1] + 40
    assert section["endPoint"]["y"] == placed["b"][1]


def test_several_graphs_keep_their_order_and_formulas_are_typeset_between(node: NodeProcess) -> None:
    widths = (30, 50, 70)
    graphs = [Graph("one", {"id": "root", "children": [{"id": "a", "width": width, "height": 9}]}) for width in widths]
    pending = node.submit([Formula("x")])
    answers = lay_out(node, graphs)
    assert [boxes(answer)["a"][2] for answer in answers] == list(widths)
    assert pending.result()[0].html


def test_the_same_graph_is_laid_out_the_same_twice(node: NodeProcess) -> None:
    first, second = lay_out(node, [graph(), graph()])
    assert boxes(first) == boxes(second)
    assert first["edges"][0]["sections"] == second["edges"][0]["sections"]


def test_a_graph_that_the_engine_refuses_is_named_and_the_next_is_laid_out(node: NodeProcess) -> None:
    with pytest.raises(DiagramError, match=r"(?s)a chain could not be laid out: .*Referenced shape does not exist: c"):
        lay_out(node, [graph(target="c")])
    assert len(lay_out(node, [graph()])) == 1


def test_a_graph_that_is_too_large_is_not_sent(node: NodeProcess) -> None:
    large = Graph("a giant", {"id": "x" * LARGEST_GRAPH})
    with pytest.raises(DiagramError, match=r"a giant is too large .* more than 2,000,000"):
        lay_out(node, [large])


def test_a_layout_that_takes_too_long_is_stopped_and_the_process_lives(
    environment: Environment, limited: Limited
) -> None:
    server = limited("while (true);", "LONGEST_LAYOUT_MS = 20_000", "LONGEST_LAYOUT_MS = 4000")
    with NodeProcess(environment, server=server) as process:
        with pytest.raises(DiagramError, match=r"^the bad one could not be laid out: it takes longer than 4 seconds$"):
            lay_out(process, [bad()])
        assert len(lay_out(process, [graph()])) == 1
        assert process.typeset([Formula("x")])[0].html


def test_a_layout_that_takes_too_much_memory_is_stopped_and_the_process_lives(
    environment: Environment, limited: Limited
) -> None:
    server = limited(
        "{ const kept = []; while (true) kept.push(new Array(1000).fill(kept.length)); }",
        "maxOldGenerationSizeMb: 512",
        "maxOldGenerationSizeMb: 64",
    )
    with NodeProcess(environment, server=server) as process:
        with pytest.raises(DiagramError, match=r"^the bad one could not be laid out: it needs more than 64 MB$"):
            lay_out(process, [bad()])
        assert len(lay_out(process, [graph()])) == 1


def test_an_engine_that_fails_is_an_error_with_its_reason(environment: Environment, limited: Limited) -> None:
    server = limited('throw new Error("no luck");')
    with NodeProcess(environment, server=server) as process:
        with pytest.raises(DiagramError, match=r"^the bad one could not be laid out: no luck$"):
            lay_out(process, [bad()])
        assert len(lay_out(process, [graph()])) == 1


def test_what_the_engine_prints_does_not_reach_the_frames(environment: Environment, limited: Limited) -> None:
    server = limited('console.log("noise");')
    with NodeProcess(environment, server=server) as process:
        assert len(lay_out(process, [bad()])) == 1


def test_the_engine_is_loaded_with_the_first_layout(environment: Environment, tmp_path: Path) -> None:
    server = tmp_path / SERVER.name
    for file in (SERVER, *MODULES):
        shutil.copy(file, tmp_path)  # without the thread's script beside them
    with NodeProcess(environment, server=server) as process:
        assert process.typeset([Formula("x")])[0].html
        with pytest.raises(DiagramError, match=r"could not be laid out: Cannot find module .*layout\.mjs"):
            lay_out(process, [graph()])
