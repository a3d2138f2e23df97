"""A placed diagram as what its template prints: texts and the attributes of shapes, without a decision left to take.

The template is `entity/diagram.html` of the theme; `svg` and `alternative` print it for those who have no template.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from itertools import pairwise
from math import hypot
from types import ModuleType
from typing import cast

from markupsafe import Markup

from atlas.render.diagram_drawing import About, Card, Cards, Drawing, Frame, Label, Line, Piece, Rectangle, Told, Wire
from atlas.render.diagram_graph import (
    BADGE_GAP,
    CAPTION,
    GROUP_TITLE,
    LINE,
    MATHS,
    PILLS,
    badge_width,
    label_runs,
    second_line,
)
from atlas.render.diagram_metrics import caption_width
from atlas.render.diagram_placed import Box, Placed, PlacedEdge, PlacedGroup, PlacedLabel, PlacedNode, Point
from atlas.render.diagram_sketch import EDGE_WORDS, Sketch, SketchEdge, SketchGroup, SketchNode
from atlas.render.diagram_straight import around
from atlas.render.diagram_text import spoken
from atlas.render.kinds import KINDS, named
from atlas.render.printing import Templates

BEND = 7.0
"""The radius of an edge's corners."""
HEAD_LENGTH, HEAD_HALF = 7.0, 3.6
"""An arrow head's length, and half of its width."""
SMALLEST_SCALE = 0.72
"""How far a diagram shrinks on a narrow screen before it scrolls in its own box."""

TEMPLATE = "entity/diagram.html"

Address = Callable[[str], str]
"""Turns an address below the site's root into a link from the page that shows it."""


def drawing(placed: Placed, prefix: str = "diagram") -> Drawing:
    """What the template prints of a placed diagram; `prefix` is its own among the diagrams of a page."""
    sketch = placed.sketch
    numbers = {name: number for number, name in enumerate(sketch.nodes, 1)}
    present = {edge.kind for edge in sketch.edges}
    used = [(kind, words) for kind, words in EDGE_WORDS.items() if kind in present]
    shown = [(kind, name) for kind, name in KINDS.items() if kind in sketch.kinds]
    return Drawing(
        id=prefix,
        title=sketch.title,
        description=sketch.description,
        width=number(placed.width),
        height=number(placed.height),
        least=number(placed.width * SMALLEST_SCALE),
        frames=tuple(_frames(placed)),
        wires=tuple(_wire(edge) for edge in sorted(placed.edges, key=lambda one: one.edge.kind == "flow")),
        forks=tuple((number(x), number(y)) for x, y in placed.junctions),
        labels=tuple(_label(label) for label in placed.labels),
        cards=Cards("", tuple(_cards(placed.parts, numbers))),
        about=tuple(_about(node, numbers[node.id], sketch) for node in sketch.nodes.values() if node.href),
        told=tuple(_told(part, sketch) for part in sketch.children),
        kinds=tuple(shown),
        lines=tuple(used) if len(used) > 1 else (),
    )


def svg(placed: Placed, to: Address = str, prefix: str = "diagram") -> Markup:
    """The diagram as SVG for an HTML page; `to` turns the nodes' addresses into links from that page.

    The same diagram gives the same text. Two diagrams of a page need different prefixes, which begin their ids.
    """
    return printed(TEMPLATE, "svg", drawing(placed, prefix), to)


def figure(placed: Placed, to: Address = str, prefix: str = "diagram") -> Markup:
    """The diagram in a box that scrolls where it is too wide, with its legend and its text alternative."""
    return printed(TEMPLATE, "figure", drawing(placed, prefix), to)


def alternative(sketch: Sketch) -> Markup:
    """The diagram as a nested list in the order of the data flow, for those who cannot see it."""
    return printed(TEMPLATE, "alternative", [_told(part, sketch) for part in sketch.children])


def number(length: float) -> str:
    """A length with at most one digit after the point."""
    return f"{length:.1f}".removesuffix(".0")


def printed(template: str, macro: str, *arguments: object) -> Markup:
    """What a macro of one of the theme's own templates prints."""
    return Markup(getattr(_template(template), macro)(*arguments))  # noqa: S704 - the template escapes what it prints


@cache
def _template(name: str) -> ModuleType:
    """A template of the theme, read once."""
    return cast(ModuleType, Templates(()).get_template(name).module)


def _rectangle(box: Box, radius: float) -> Rectangle:
    return Rectangle(*(number(length) for length in (box.x, box.y, box.width, box.height, radius)))


def _frames(placed: Placed) -> Iterable[Frame]:
    stretches = [stretch for edge in placed.edges for stretch in pairwise(edge.points)]

    def frames(parts: Iterable[PlacedNode | PlacedGroup], depth: int) -> Iterable[Frame]:
        for part in parts:
            if isinstance(part, PlacedGroup):
                yield _frame(part, depth, stretches)
                yield from frames(part.parts, 1 - depth)

    return frames(placed.parts, 0)


def _frame(part: PlacedGroup, depth: int, stretches: Iterable[tuple[Point, Point]]) -> Frame:
    """A group's outline, with its title and badge as far left as no edge runs through them, else at the left."""
    box = part.box
    baseline = box.y + 26
    room = badge_width(part.group)
    title_width = caption_width(part.title, GROUP_TITLE)
    width = title_width + (room + BADGE_GAP if room else 0)
    band = Box(box.x, baseline - 16, box.width, 22)
    crossing = [one for one in (around(stretch, 6) for stretch in stretches) if one.overlaps(band)]
    lefts = [box.x + CAPTION, *sorted(one.right for one in crossing), box.right - CAPTION - width]
    places = [Box(x, band.y, width, band.height) for x in lefts if x + width <= box.right - CAPTION]
    place = next((one for one in places if not any(one.overlaps(other) for other in crossing)), places[0])
    badge = times = None
    if room:
        outline = Box(place.right - room, place.y, room, place.height)
        badge = _rectangle(outline, outline.height / 2)
        times = Line(part.group.times, number(outline.x + room / 2), number(baseline))
    return Frame(depth, _rectangle(box, 12), Line(part.title, number(place.x), number(baseline)), badge, times)


def _cards(parts: Iterable[PlacedNode | PlacedGroup], numbers: Mapping[str, int]) -> Iterable[Card | Cards]:
    for part in parts:
        if isinstance(part, PlacedNode):
            yield _card(part, numbers[part.node.id])
        else:
            yield Cards(_group_name(part.group), tuple(_cards(part.parts, numbers)))


def _card(part: PlacedNode, position: int) -> Card:
    box = part.box
    second = second_line(part.node)
    texts = [*part.lines, *([second] if second else [])]
    middle = number(box.x + box.width / 2)
    # Of the distance between two baselines about a third lies below the letters' middle.
    first = box.y + box.height / 2 - LINE * (len(texts) - 1) / 2 + 5
    lines = [Line(text, middle, number(first + LINE * index)) for index, text in enumerate(texts)]
    radius = box.height / 2 if part.node.kind in PILLS else 8
    return Card(
        number=position,
        kind=part.node.kind,
        href=part.node.href,
        name=" ".join(text for text in (part.node.title, second) if text),
        is_cut=part.lines[-1].endswith("…") and not part.node.title.endswith("…"),
        detail=part.node.detail,
        place=_rectangle(box, radius),
        title=tuple(lines[: len(part.lines)]),
        second=lines[-1] if second else None,
    )


def _about(node: SketchNode, position: int, sketch: Sketch) -> About:
    gives = [edge for edge in sketch.edges if edge.source == node.id]
    return About(
        number=position,
        kind=node.kind,
        kind_name=named(node.kind),
        title=node.title,
        takes=tuple(dict.fromkeys(label_runs(edge) for edge in sketch.into(node.id))),
        gives=tuple(dict.fromkeys(label_runs(edge) for edge in gives)),
        parameters=second_line(node) or "no parameters",
    )


def _group_name(group: SketchGroup) -> str:
    return f"{group.title} {group.times}".rstrip()


def _wire(placed: PlacedEdge) -> Wire:
    *before, last = placed.points
    (x, y), (from_x, from_y) = last, before[-1]
    length = hypot(x - from_x, y - from_y) or 1.0
    right, down = (x - from_x) / length, (y - from_y) / length
    neck = (x - right * HEAD_LENGTH, y - down * HEAD_LENGTH)
    wings = [(neck[0] + side * down * HEAD_HALF, neck[1] - side * right * HEAD_HALF) for side in (1, -1)]
    head = " ".join(_pair(point) for point in (last, *wings))
    # The line ends within the head, or it would show beside the head's tip.
    inside = (x - right * (HEAD_LENGTH - 1), y - down * (HEAD_LENGTH - 1)) if length > HEAD_LENGTH else last
    return Wire(placed.edge.kind, _rounded((*before, inside)), f"M{head}z")


def _rounded(points: tuple[Point, ...]) -> str:
    """A path through the points, its corners rounded as far as the stretches beside them allow."""
    path = f"M{_pair(points[0])}"
    for (before, here), (_, after) in pairwise(pairwise(points)):
        radius = min(BEND, _distance(before, here) / 2, _distance(here, after) / 2)
        path += f"L{_pair(_towards(here, before, radius))}Q{_pair(here)} {_pair(_towards(here, after, radius))}"
    return f"{path}L{_pair(points[-1])}"


def _distance(one: Point, other: Point) -> float:
    return hypot(one[0] - other[0], one[1] - other[1])


def _towards(here: Point, there: Point, length: float) -> Point:
    share = length / (_distance(here, there) or 1.0)
    return here[0] + (there[0] - here[0]) * share, here[1] + (there[1] - here[1]) * share


def _pair(point: Point) -> str:
    return f"{number(point[0])},{number(point[1])}"


def _label(label: PlacedLabel) -> Label:
    pieces = []
    last = 0.0
    for run in label.runs:
        down = (run.shift - last) * MATHS
        size = "" if run.size == 1 else number(run.size * MATHS)
        pieces.append(Piece(run.text, run.style, size, number(down) if down else ""))
        last = run.shift
    return Label(number(label.box.x + 2), number(label.box.y + label.box.height * 0.7), tuple(pieces))


def _told(part: SketchNode | SketchGroup, sketch: Sketch) -> Told:
    if isinstance(part, SketchGroup):
        return Told(_group_name(part), tuple(_told(child, sketch) for child in part.children))
    taken = [_taken(edge, sketch) for edge in sketch.into(part.id)]
    kind = f"{part.title} ({named(part.kind).lower()})"
    return Told(". ".join(text for text in (kind, part.detail, second_line(part), *taken) if text) + ".")


def _taken(edge: SketchEdge, sketch: Sketch) -> str:
    """One value that a node takes."""
    value = spoken(edge.value) if edge.value else "a value"
    axes = f" with axes {', '.join(spoken(axis) for axis in edge.label)}" if edge.label else ""
    way = {
        "flow": "",
        "residual": ", on the residual path",
        "skip": ", on a skip connection",
        "carried": " of the layer before",
    }
    return f"Takes {value}{axes} from {sketch.nodes[edge.source].title}{way[edge.kind]}"
