"""A sketch as the layout engine's graph, and the engine's answer as a placed diagram.

What the engine has to know is written here alone: sizes, sides on which values leave and arrive, and distances.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from types import MappingProxyType
from typing import Any, Literal

from atlas.render.diagram_metrics import BOLD_SERIF, caption_width, runs_width, text_width, wrapped
from atlas.render.diagram_placed import Box, Placed, PlacedEdge, PlacedGroup, PlacedLabel, PlacedNode
from atlas.render.diagram_sketch import EdgeKind, Sketch, SketchEdge, SketchGroup, SketchNode, walk
from atlas.render.diagram_straight import Route, simple, straightened
from atlas.render.diagram_text import Run, runs

Direction = Literal["down", "right"]
"""Where values flow."""

TITLE, SMALL, MATHS = 14.0, 12.0, 13.5
"""Sizes of text: titles of cards, their second line, and labels of edges; the theme's CSS says the same."""
GROUP_TITLE = 15.0
LABEL = 18.0
"""The height of an edge's label."""
LINE = 18.0
"""The distance between two lines of a card."""
CARD_PADDING = 12.0
NARROWEST, WIDEST = 120.0, 216.0
"""Bounds of a card's width."""
WIDEST_CAPTION = 320.0
"""How wide a group's title may make the group."""
GROUP_TOP, GROUP_PADDING = 48.0, 20.0
CAPTION, BADGE_GAP, BADGE_PADDING = 14.0, 6.0, 7.0
"""Where a group's title begins, how far its badge is from it, and the room around the badge's text."""
PILLS = frozenset(("input", "output", "residual"))
"""Kinds whose card is as narrow as its text and has round ends."""

_SIDES: Mapping[Direction, Mapping[EdgeKind, tuple[str, str]]] = MappingProxyType(
    {
        "down": {
            "flow": ("SOUTH", "NORTH"),
            "residual": ("EAST", "EAST"),
            "skip": ("EAST", "EAST"),
            "carried": ("WEST", "WEST"),
        },
        "right": {
            "flow": ("EAST", "WEST"),
            "residual": ("NORTH", "NORTH"),
            "skip": ("NORTH", "NORTH"),
            "carried": ("SOUTH", "SOUTH"),
        },
    }
)
"""The side of a card on which a value leaves, and the one on which it arrives: what bypasses does so visibly."""

_DISTANCES: Mapping[str, str] = MappingProxyType(
    {
        "elk.layered.edgeLabels.sideSelection": "ALWAYS_UP",
        "elk.layered.spacing.nodeNodeBetweenLayers": "12",
        "elk.layered.spacing.edgeNodeBetweenLayers": "10",
        "elk.layered.spacing.edgeEdgeBetweenLayers": "10",
        "elk.spacing.nodeNode": "36",
        "elk.spacing.edgeNode": "16",
        "elk.spacing.edgeEdge": "12",
        "elk.spacing.edgeLabel": "5",
        "elk.spacing.nodeSelfLoop": "18",
    }
)
"""What holds within the diagram and each of its groups, which inherit nothing."""
_OPTIONS: Mapping[str, str] = MappingProxyType(
    {
        "elk.algorithm": "layered",
        "elk.randomSeed": "1",
        "elk.hierarchyHandling": "INCLUDE_CHILDREN",
        "elk.edgeRouting": "ORTHOGONAL",
        "elk.json.shapeCoords": "ROOT",
        "elk.json.edgeCoords": "ROOT",
        "elk.padding": "[top=8,left=8,bottom=8,right=8]",
        "elk.spacing.componentComponent": "40",
        "elk.layered.considerModelOrder.strategy": "NODES_AND_EDGES",
        "elk.layered.layering.strategy": "LONGEST_PATH",
        "elk.layered.nodePlacement.strategy": "NETWORK_SIMPLEX",
        **_DISTANCES,
    }
)


@dataclass(frozen=True, slots=True)
class Wire:
    """An edge as the engine gets it."""

    edge: SketchEdge
    """What it shows."""
    label: tuple[Run, ...]
    """Its label; empty where another edge shows the same value."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is sent to the engine, and what is needed to read its answer."""

    sketch: Sketch
    """What is to be drawn."""
    wires: tuple[Wire, ...]
    """Its edges; the engine's edge `eN` is the N-th."""
    names: Mapping[str, str]
    """The engine's name of each node and group."""
    lines: Mapping[str, tuple[str, ...]]
    """The title of each node, broken into lines."""
    elements: dict[str, Any]
    """The engine's graph."""


def plan(sketch: Sketch, direction: Direction) -> Plan:
    """The engine's graph of a sketch.

    Raises:
        DiagramError: the name or an axis of a value cannot be shown.
    """
    wires = tuple(_wires(sketch.edges))
    names = {part.id: f"n{index}" for index, part in enumerate(walk(sketch.children))}
    lines = {node.id: wrapped(node.title, TITLE, WIDEST - 2 * CARD_PADDING) for node in sketch.nodes.values()}
    builder = _Builder(names, lines, wires, _sides(sketch, direction), direction, _card_width(sketch, lines))
    elements = {
        "id": "root",
        "layoutOptions": {**_OPTIONS, "elk.direction": direction.upper()},
        "children": [builder.part(part) for part in sketch.children],
        "edges": [builder.edge(number, wire) for number, wire in enumerate(wires)],
    }
    return Plan(sketch, wires, names, lines, elements)


def placed(plan: Plan, answer: dict[str, Any]) -> Placed:
    """The engine's answer with the sketch's own names."""
    boxes: dict[str, Box] = {}
    found: dict[str, dict[str, Any]] = {}
    _collect(answer, boxes, found)
    edges = [found[f"e{number}"] for number in range(len(plan.wires))]
    labels = tuple(
        PlacedLabel(wire.label, _box(label))
        for wire, edge in zip(plan.wires, edges, strict=True)
        for label in edge.get("labels", ())
    )
    cards = [boxes[plan.names[node]] for node in plan.sketch.nodes]
    routes = straightened([_points(edge) for edge in edges], [*cards, *(label.box for label in labels)])
    junctions = {(_round(point["x"]), _round(point["y"])) for edge in edges for point in edge.get("junctionPoints", ())}

    def place(part: SketchNode | SketchGroup) -> PlacedNode | PlacedGroup:
        box = boxes[plan.names[part.id]]
        if isinstance(part, SketchNode):
            return PlacedNode(part, plan.lines[part.id], box)
        (title,) = wrapped(
            part.title, GROUP_TITLE * BOLD_SERIF, box.width - 2 * CAPTION - BADGE_GAP - badge_width(part), 1
        )
        return PlacedGroup(part, title, box, tuple(place(child) for child in part.children))

    return Placed(
        plan.sketch,
        _round(answer["width"]),
        _round(answer["height"]),
        tuple(place(part) for part in plan.sketch.children),
        tuple(_placed_edge(wire.edge, route) for wire, route in zip(plan.wires, routes, strict=True)),
        labels,
        tuple(sorted(junctions)),
    )


def label_runs(edge: SketchEdge) -> tuple[Run, ...]:
    """The label of an edge: `x [B, S, d]`; a carried one has its name only, as its shape is that of what it becomes."""
    label = list(runs(edge.value)) if edge.value else []
    if edge.label and not (label and edge.kind == "carried"):
        if label:
            label.append(Run("\u2002"))
        label.append(Run("["))
        for index, axis in enumerate(edge.label):
            label.extend([Run(",\u2009")] if index else [])
            label.extend(runs(axis))
        label.append(Run("]"))
    return tuple(label)


def _wires(edges: tuple[SketchEdge, ...]) -> Iterator[Wire]:
    """Each edge once, and each value's label at the first of its edges on the main path, else at the first of all."""
    distinct = list(dict.fromkeys(edges))
    chosen: dict[tuple[object, ...], SketchEdge] = {}
    for edge in sorted(distinct, key=lambda edge: edge.kind != "flow"):
        chosen.setdefault((edge.source, edge.value, edge.label), edge)
    for edge in distinct:
        shown = chosen[edge.source, edge.value, edge.label] is edge
        yield Wire(edge, label_runs(edge) if shown else ())


def _sides(sketch: Sketch, direction: Direction) -> dict[SketchEdge, tuple[str, str]]:
    """The sides on which each value leaves and arrives.

    Where several values of the main path meet, one of them runs straight: in a sum the one that comes the longest way,
    in a group one of its own, as that of a decoder beside an encoder's result. The others arrive from the side.
    """
    sides = _SIDES[direction]
    chosen = {edge: sides[edge.kind] for edge in sketch.edges}
    home = _homes(sketch.children, "")
    depth = _depths(sketch)
    for name, node in sketch.nodes.items():
        flows = [edge for edge in sketch.into(name) if edge.kind == "flow"]
        own = [edge for edge in flows if home[edge.source] == home[name]]
        if node.kind == "residual" and flows:
            main = max(flows, key=lambda edge: depth[edge.source])
            aside, side = [edge for edge in flows if edge != main], sides["residual"][1]
        else:
            aside, side = [edge for edge in flows if own and edge not in own], sides["carried"][1]
        chosen.update((edge, (chosen[edge][0], side)) for edge in aside)
    return chosen


def _depths(sketch: Sketch) -> dict[str, int]:
    """How many nodes are before each on its longest way along the main path."""
    depths: dict[str, int] = {}
    for name in sketch.nodes:
        before = [depths[edge.source] for edge in sketch.into(name) if edge.kind == "flow" and edge.source in depths]
        depths[name] = 1 + max(before, default=-1)
    return depths


def _homes(parts: Iterable[SketchNode | SketchGroup], home: str) -> dict[str, str]:
    """The group that each node stands in; an empty name for none."""
    homes: dict[str, str] = {}
    for part in parts:
        homes.update(_homes(part.children, part.id) if isinstance(part, SketchGroup) else {part.id: home})
    return homes


def _card_width(sketch: Sketch, lines: Mapping[str, tuple[str, ...]]) -> float:
    """One width for all cards of a diagram."""
    cards = [node for node in sketch.nodes.values() if node.kind not in PILLS]
    return even(max([NARROWEST, *(_text_width(node, lines[node.id]) + 2 * CARD_PADDING for node in cards)]))


def _text_width(node: SketchNode, lines: tuple[str, ...]) -> float:
    second = text_width(second_line(node), SMALL)
    return max(second, *(text_width(line, TITLE) for line in lines))


def even(length: float) -> float:
    """The next multiple of four, so that middles are whole numbers and lines meet them straight."""
    return 4.0 * ceil(length / 4)


def second_line(node: SketchNode) -> str:
    """What stands on a card below its title."""
    return f"{node.parameters} parameters" if node.parameters else ""


def badge_width(group: SketchGroup) -> float:
    """How wide the badge is that says how often a group is repeated; 0 where it has none."""
    return text_width(group.times, SMALL) + 2 * BADGE_PADDING if group.times else 0.0


class _Builder:
    """Makes the engine's nodes, ports and edges."""

    def __init__(
        self,
        names: Mapping[str, str],
        lines: Mapping[str, tuple[str, ...]],
        wires: tuple[Wire, ...],
        sides: Mapping[SketchEdge, tuple[str, str]],
        direction: Direction,
        width: float,
    ) -> None:
        self._names = names
        self._lines = lines
        self._direction = direction
        self._width = width
        self._ports: dict[str, dict[str, str]] = {}  # of each node: the port's name and side
        self._ends: dict[int, tuple[str, str]] = {}
        leaving: dict[tuple[str, str, str, tuple[str, ...]], str] = {}
        for number, wire in enumerate(wires):
            edge = wire.edge
            out, into = sides[edge]
            # One value leaves on one port, from which it forks; every edge arrives on its own.
            key = (edge.source, out, edge.value, edge.label)
            source = leaving.setdefault(key, f"p{number}s")
            self._ports.setdefault(edge.source, {})[source] = out
            self._ports.setdefault(edge.target, {})[f"p{number}t"] = into
            self._ends[number] = source, f"p{number}t"

    def part(self, part: SketchNode | SketchGroup) -> dict[str, Any]:
        if isinstance(part, SketchNode):
            return self._node(part)
        title = min(caption_width(part.title, GROUP_TITLE), WIDEST_CAPTION)
        beside = ",".join(f"{side}={GROUP_PADDING:g}" for side in ("left", "bottom", "right"))
        least = even(title + BADGE_GAP + badge_width(part) + 2 * CAPTION), GROUP_TOP + GROUP_PADDING
        down = self._direction == "down"
        return {
            "id": self._names[part.id],
            "children": [self.part(child) for child in part.children],
            "layoutOptions": {
                **_DISTANCES,
                "elk.padding": f"[top={GROUP_TOP:g},{beside}]",
                "elk.nodeSize.constraints": "MINIMUM_SIZE",
                # Where values flow down, the engine takes these two for a drawing that lies on its side.
                "elk.nodeSize.minimum": "({:g},{:g})".format(*(least[::-1] if down else least)),
                "elk.contentAlignment": "V_CENTER" if down else "H_LEFT",
            },
        }

    def _node(self, node: SketchNode) -> dict[str, Any]:
        lines = self._lines[node.id]
        pill = node.kind in PILLS
        width = even(max(56.0, _text_width(node, lines) + 2 * CARD_PADDING + 4)) if pill else self._width
        rows = len(lines) + bool(second_line(node))
        height = LINE * rows + (10 if pill else 14)
        ports = self._ports.get(node.id, {})
        return {
            "id": self._names[node.id],
            "width": width,
            "height": height,
            "ports": [
                {"id": name, "width": 0, "height": 0, "layoutOptions": {"elk.port.side": side}}
                for name, side in ports.items()
            ],
            "layoutOptions": {"elk.portConstraints": "FIXED_SIDE", "elk.portAlignment.default": "CENTER"},
        }

    def edge(self, number: int, wire: Wire) -> dict[str, Any]:
        source, target = self._ends[number]
        if wire.edge.kind == "carried":
            # The engine gets it the other way round: with no circle to break, it turns no other edge.
            source, target = target, source
        made: dict[str, Any] = {"id": f"e{number}", "sources": [source], "targets": [target]}
        if wire.label:
            made["labels"] = [
                {
                    "id": f"l{number}",
                    "text": "label",  # the engine leaves labels without text out
                    "width": even(runs_width(wire.label, MATHS) + 4),
                    "height": LABEL,
                    "layoutOptions": {"elk.edgeLabels.placement": "CENTER"},
                }
            ]
        return made


def _collect(element: dict[str, Any], boxes: dict[str, Box], edges: dict[str, dict[str, Any]]) -> None:
    """Every box and edge at any depth by its name."""
    for child in element.get("children", ()):
        boxes[child["id"]] = _box(child)
        _collect(child, boxes, edges)
    for edge in element.get("edges", ()):
        edges[edge["id"]] = edge


def _box(element: dict[str, Any]) -> Box:
    return Box(*(_round(element[name]) for name in ("x", "y", "width", "height")))


def _placed_edge(edge: SketchEdge, route: Route) -> PlacedEdge:
    """An edge from its source to its target, which a carried one was not for the engine."""
    return PlacedEdge(edge, route[::-1] if edge.kind == "carried" else route)


def _points(edge: dict[str, Any]) -> Route:
    """The corners of an edge."""
    (section,) = edge["sections"]
    corners = [section["startPoint"], *section.get("bendPoints", ()), section["endPoint"]]
    return simple([(_round(corner["x"]), _round(corner["y"])) for corner in corners])


def _round(length: float) -> float:
    """To tenths, which keeps the drawing short; adding zero turns -0.0 into 0.0."""
    return round(length, 1) + 0.0
