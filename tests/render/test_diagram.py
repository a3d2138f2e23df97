from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from itertools import combinations, pairwise, product
from typing import get_args
from xml.etree import ElementTree

import pytest

from atlas.exceptions import DiagramError
from atlas.node.process import NodeProcess
from atlas.render.diagram import Direction, Placed, Sketch, SketchEdge, SketchNode, alternative, figure, layout, svg
from atlas.render.diagram_metrics import text_width
from atlas.render.diagram_placed import Box, PlacedGroup, PlacedNode, flat

SKETCHES = ("encoder_decoder", "nested", "single", "recurrent", "large", "odd_titles")
SVG = "{http://www.w3.org/2000/svg}"

Layouts = Callable[..., Placed]


@pytest.fixture(scope="module")
def placed(node: NodeProcess, sketches: Mapping[str, Sketch]) -> Layouts:
    """A synthetic model by its name, laid out once in each direction."""
    assert tuple(sketches) == SKETCHES

    @cache
    def made(name: str, direction: Direction = "down") -> Placed:
        return layout(sketches[name], node, direction)

    return made


@pytest.fixture(params=[(name, direction) for name in SKETCHES for direction in get_args(Direction)], ids="-".join)
def one(request: pytest.FixtureRequest, placed: Layouts) -> Placed:
    return placed(*request.param)


def parsed(placed: Placed) -> ElementTree.Element:
    """The SVG as XML, which shows that it is well-formed."""
    return ElementTree.fromstring(  # noqa: S314 - it is our own
        str(svg(placed)).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    )


def border_distance(point: tuple[float, float], box: Box) -> float:
    """How far a point is from the border of a box."""
    x, y = point
    inside_x, inside_y = box.x - 0.06 <= x <= box.right + 0.06, box.y - 0.06 <= y <= box.bottom + 0.06
    sides = [abs(x - edge) for edge in (box.x, box.right) if inside_y]
    sides += [abs(y - edge) for edge in (box.y, box.bottom) if inside_x]
    return min(sides, default=float("inf"))


def crosses(start: tuple[float, float], end: tuple[float, float], box: Box) -> bool:
    """Whether an orthogonal stretch runs through the inside of a box."""
    left, right = sorted((start[0], end[0]))
    top, bottom = sorted((start[1], end[1]))
    return left < box.right - 0.2 and right > box.x + 0.2 and top < box.bottom - 0.2 and bottom > box.y + 0.2


def test_no_two_cards_overlap(one: Placed) -> None:
    boxes = [part.box for part in one.nodes]
    assert len(boxes) == len(one.sketch.nodes)
    assert [pair for pair in combinations(boxes, 2) if pair[0].overlaps(pair[1])] == []


def test_everything_lies_in_its_group_and_no_two_groups_of_one_level_overlap(one: Placed) -> None:
    whole = Box(0, 0, one.width, one.height)
    levels = [(whole, one.parts), *((group.box, group.parts) for group in one.groups)]
    for outer, parts in levels:
        assert all(outer.holds(part.box) for part in parts)
        assert not any(here.box.overlaps(there.box) for here, there in combinations(parts, 2))


def test_every_edge_begins_and_ends_at_the_borders_of_its_cards(one: Placed) -> None:
    boxes = {part.node.id: part.box for part in one.nodes}
    assert {edge.edge for edge in one.edges} == set(one.sketch.edges)
    for edge in one.edges:
        assert border_distance(edge.points[0], boxes[edge.edge.source]) < 0.06
        assert border_distance(edge.points[-1], boxes[edge.edge.target]) < 0.06


def test_edges_are_orthogonal_and_run_through_no_card(one: Placed) -> None:
    for edge in one.edges:
        for start, end in pairwise(edge.points):
            assert start[0] == end[0] or start[1] == end[1]
            assert start != end
            assert not any(crosses(start, end, part.box) for part in one.nodes)


def test_labels_overlap_neither_cards_nor_one_another(one: Placed) -> None:
    boxes = [label.box for label in one.labels]
    assert not any(box.overlaps(part.box) for box in boxes for part in one.nodes)
    assert not any(here.overlaps(there) for here, there in combinations(boxes, 2))
    assert all(Box(0, 0, one.width, one.height).holds(box) for box in boxes)


def test_titles_fit_into_their_cards(one: Placed) -> None:
    for part in one.nodes:
        assert 1 <= len(part.lines) <= 2
        assert max(text_width(line, 14) for line in part.lines) <= part.box.width - 20
        assert part.box.height >= 18 * len(part.lines)


def test_what_bypasses_leaves_and_arrives_at_the_side(placed: Layouts) -> None:
    for name in ("encoder_decoder", "nested", "large"):
        one = placed(name)
        boxes = {part.node.id: part.box for part in one.nodes}
        for edge in one.edges:
            source, target = boxes[edge.edge.source], boxes[edge.edge.target]
            if edge.edge.kind in ("residual", "skip"):
                assert edge.points[0][0] == source.right
                assert edge.points[-1][0] == target.right
                assert max(x for x, _ in edge.points) > min(source.right, target.right)
            elif edge.edge.kind == "carried":
                assert edge.points[0][0] == source.x
                assert edge.points[-1][0] == target.x


def test_values_flow_down_and_to_the_right(placed: Layouts) -> None:
    for name, direction in product(SKETCHES, get_args(Direction)):
        one = placed(name, direction)
        boxes = {part.node.id: part.box for part in one.nodes}
        for edge in one.sketch.edges:
            if edge.kind == "flow":
                source, target = boxes[edge.source], boxes[edge.target]
                assert source.bottom <= target.y if direction == "down" else source.right <= target.x


def test_a_value_that_comes_from_outside_arrives_beside_a_groups_own_path(placed: Layouts) -> None:
    one = placed("encoder_decoder")
    boxes = {part.node.id: part.box for part in one.nodes}
    (memory,) = (edge for edge in one.edges if (edge.edge.source, edge.edge.target) == ("e5", "d3"))
    assert memory.points[-1][0] == boxes["d3"].x
    centres = {part.box.x + part.box.width / 2 for part in one.nodes if part.node.id.startswith("d")}
    assert len(centres) == 1


def test_a_value_that_two_take_leaves_in_one_place_and_forks(placed: Layouts) -> None:
    one = placed("nested")
    straight, aside = (edge.points for edge in one.edges if edge.edge.source == "ps")
    assert straight[0] == aside[0]
    assert aside[1] in one.junctions
    assert svg(one).count('class="fork"') == len(one.junctions) == 3


def test_a_value_has_one_label_however_many_take_it(placed: Layouts) -> None:
    one = placed("encoder_decoder")
    texts = Counter("".join(run.text for run in label.runs) for label in one.labels)
    assert texts["m\u2002[B,\u2009S,\u2009d]"] == 1
    # x_0 goes into each stack's first component and past it.
    assert texts["x0\u2002[B,\u2009S,\u2009d]"] == texts["x0\u2002[B,\u2009T,\u2009d]"] == 1
    assert texts["xn\u2009+\u20091"] + texts["xn+1"] == 2


def test_the_same_sketch_gives_the_same_bytes_whatever_was_laid_out_before(
    node: NodeProcess, sketches: Mapping[str, Sketch], placed: Layouts
) -> None:
    for name in ("encoder_decoder", "nested"):
        assert svg(layout(sketches[name], node)) == svg(placed(name))


def test_the_order_of_reading_is_that_of_the_data_flow(placed: Layouts, sketches: Mapping[str, Sketch]) -> None:
    names = list(sketches["encoder_decoder"].nodes)
    # The sketch names the decoder before the encoder on which it waits.
    assert names.index("e5") < names.index("d0") < names.index("d8") < names.index("head")
    links = parsed(placed("encoder_decoder")).iter(f"{SVG}a")
    assert [link.get("href") for link in links] == [f"model/{name}/" for name in names]


def test_a_group_is_read_as_one_with_all_that_is_in_it(one: Placed) -> None:
    read = [
        (group.get("aria-label"), [link.get("href") for link in group.iter(f"{SVG}a")])
        for group in parsed(one).iter(f"{SVG}g")
        if group.get("role") == "group"
    ]
    assert read == [
        (
            f"{part.group.title} {part.group.times}".rstrip(),
            [inner.node.href for inner in flat(part.parts) if isinstance(inner, PlacedNode)],
        )
        for part in one.groups
    ]


def test_the_svg_has_a_name_a_description_and_a_named_link_for_each_component(one: Placed) -> None:
    root = parsed(one)
    ids = {element.get("id"): element.text for element in root.iter() if element.get("id")}
    assert ids == {"diagram-title": one.sketch.title, "diagram-description": one.sketch.description}
    assert (root.get("aria-labelledby"), root.get("aria-describedby")) == tuple(ids)
    links = list(root.iter(f"{SVG}a"))
    assert len(links) == len(one.sketch.nodes)
    for link in links:
        shown = [text.text for text in link.iter(f"{SVG}text") if text.get("class") == "name"]
        assert shown
        assert link.get("aria-description")
        is_cut = (shown[-1] or "").endswith("…")
        assert (link.get("aria-label") is not None) == is_cut, "what is seen in full is the name"
        name = link.get("aria-label") or " ".join(filter(None, shown))
        words = "".join(" ".join(filter(None, shown)).split()).rstrip("…")
        assert "".join(name.split()).startswith(words)


def test_prefixes_keep_the_ids_of_two_diagrams_apart(placed: Layouts) -> None:
    ids = [set(re.findall(r' id="([^"]+)"', svg(placed("single"), prefix=prefix))) for prefix in ("a", "b")]
    assert len(ids[0]) == len(ids[1]) == 2
    assert not ids[0] & ids[1]


def test_addresses_are_made_links_of_the_page_and_a_component_without_one_is_none(placed: Layouts) -> None:
    one = placed("single")
    assert 'href="../../model/only/"' in svg(one, lambda url: f"../../{url}")
    (part,) = one.nodes
    plain = replace(one, parts=(replace(part, node=replace(part.node, href="")),))
    assert "<a " not in svg(plain)
    assert 'role="img" aria-label="Softmax: about Softmax"' in svg(plain)


def test_markup_in_titles_is_text(placed: Layouts) -> None:
    one = placed("odd_titles")
    for html in (svg(one), figure(one), alternative(one.sketch)):
        assert "<script" not in html
        assert "<b>" not in html
        assert "<i>" not in html
        assert "&lt;script&gt;" in html


def test_nothing_needs_a_style_attribute_or_a_script(one: Placed) -> None:
    assert not re.search(r" style=| on[a-z]+=|<style|<script|javascript:", figure(one))


def test_the_text_alternative_says_what_each_component_takes(sketches: Mapping[str, Sketch]) -> None:
    html = alternative(sketches["encoder_decoder"])
    assert html.count("<li>") == len(sketches["encoder_decoder"].nodes) + 2
    assert "<li>Encoder × 6<ol>" in html
    assert (
        "<li>Residual sum (residual sum). about Residual sum. "
        "Takes x sub 0 with axes B, S, d from Token embedding, on the residual path. "
        "Takes v sub 0 with axes B, S, d from Multi-head attention.</li>"
    ) in html
    assert "Takes x sub n+1 with axes B, S, d from LayerNorm of the layer before." in html
    assert "1,048,576 parameters. " in html
    assert html.index("Source tokens") < html.index("Encoder ×") < html.index("Decoder ×") < html.index("Logits (")


def test_the_legend_names_what_the_diagram_has_and_no_more(placed: Layouts) -> None:
    def legend(name: str) -> list[str]:
        html = re.search(r'<ul class="legend">(.*?)</ul>', figure(placed(name)), re.DOTALL)
        assert html is not None
        return re.findall(r"</svg>([^<]+)</li>", html[1])

    assert legend("single") == ["Activation"]
    assert legend("nested") == [
        *("Convolution", "Pooling", "Residual sum", "Input", "Output"),
        *("Values", "Skip connection", "Carried into the next layer"),
    ]


def test_a_long_title_is_cut_on_its_card_and_whole_in_its_name(placed: Layouts) -> None:
    one = placed("odd_titles")
    part = one.nodes[-1]
    assert part.lines[-1].endswith("…")
    assert part.node.title in svg(one)


def test_a_group_that_is_narrower_than_its_title_is_made_wider(
    node: NodeProcess, sketches: Mapping[str, Sketch]
) -> None:
    (group,) = (part for part in sketches["recurrent"].children if not isinstance(part, SketchNode))
    title = "A stack of recurrent cells"
    sketch = replace(sketches["recurrent"], children=(sketches["recurrent"].children[0], replace(group, title=title)))
    (wide,) = (part for part in layout(sketch, node).parts if isinstance(part, PlacedGroup))
    assert wide.title == title
    assert wide.box.width > text_width(title, 15) + 60


def test_an_axis_that_cannot_be_shown_is_named(node: NodeProcess, sketches: Mapping[str, Sketch]) -> None:
    edges = (SketchEdge("in", "cell", (r"\unheardof",), "x"),)
    with pytest.raises(DiagramError, match=r"`\\unheardof` cannot be shown in a diagram: \\unheardof is not known"):
        layout(replace(sketches["recurrent"], edges=edges), node)
