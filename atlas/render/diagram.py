"""The diagram of a model: plain data in, an SVG made at build time out, with a text for those who cannot see it.

`layout` has the places of everything computed by the layout engine in the Node process; no coordinate is set by hand.
"""

from __future__ import annotations

from collections.abc import Iterable

from atlas.node.layout import Engine, Graph, lay_out
from atlas.node.process import NodeProcess
from atlas.render.diagram_drawing import Drawing
from atlas.render.diagram_graph import Direction, placed, plan
from atlas.render.diagram_placed import Placed
from atlas.render.diagram_sketch import EdgeKind, Sketch, SketchEdge, SketchGroup, SketchNode
from atlas.render.diagram_svg import alternative, drawing, figure, svg

__all__ = [
    "Direction",
    "Drawing",
    "EdgeKind",
    "Placed",
    "Sketch",
    "SketchEdge",
    "SketchGroup",
    "SketchNode",
    "alternative",
    "drawing",
    "figure",
    "layout",
    "layouts",
    "svg",
]


def layout(sketch: Sketch, node: NodeProcess | Engine, direction: Direction = "down") -> Placed:
    """The sketch with coordinates; values flow down the page, or to the right.

    Raises:
        DiagramError: the name or an axis of a value cannot be shown, or the engine cannot lay the sketch out.
        NodeError: the Node process hangs or dies.
    """
    return layouts((sketch,), node, direction)[0]


def layouts(sketches: Iterable[Sketch], node: NodeProcess | Engine, direction: Direction = "down") -> list[Placed]:
    """As `layout`, for several: the engine works on one while the next is prepared."""
    plans = [plan(sketch, direction) for sketch in sketches]
    graphs = [Graph(f"the diagram {one.sketch.title!r}", one.elements) for one in plans]
    answers = lay_out(node, graphs) if isinstance(node, NodeProcess) else node.lay_out(graphs)
    return [placed(one, answer) for one, answer in zip(plans, answers, strict=True)]
