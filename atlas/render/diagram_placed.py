"""A diagram with coordinates: what the layout engine made of a sketch, read into plain data.

All lengths are in CSS pixels at the diagram's natural size, measured from its upper left corner.
"""

from __future__ import annotations

from dataclasses import dataclass

from atlas.render.diagram_sketch import Sketch, SketchEdge, SketchGroup, SketchNode
from atlas.render.diagram_text import Run

Point = tuple[float, float]
"""How far right and how far down."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle."""

    x: float
    """Its left edge."""
    y: float
    """Its upper edge."""
    width: float
    """How wide it is."""
    height: float
    """How high it is."""

    @property
    def right(self) -> float:
        """Its right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return self.y + self.height

    def holds(self, other: Box) -> bool:
        """Whether the other lies within it."""
        return self.x <= other.x and self.y <= other.y and other.right <= self.right and other.bottom <= self.bottom

    def overlaps(self, other: Box) -> bool:
        """Whether the two share more than an edge."""
        return self.x < other.right and other.x < self.right and self.y < other.bottom and other.y < self.bottom


@dataclass(frozen=True, slots=True)
class PlacedNode:
    """A node in its place."""

    node: SketchNode
    """What it shows."""
    lines: tuple[str, ...]
    """Its title, broken into lines."""
    box: Box
    """Its place."""


@dataclass(frozen=True, slots=True)
class PlacedGroup:
    """A group in its place."""

    group: SketchGroup
    """What it shows."""
    title: str
    """Its title, shortened where it is too long."""
    box: Box
    """Its place."""
    parts: tuple[PlacedNode | PlacedGroup, ...]
    """What is in it, in the order of reading."""


@dataclass(frozen=True, slots=True)
class PlacedEdge:
    """An edge in its place."""

    edge: SketchEdge
    """What it shows."""
    points: tuple[Point, ...]
    """Its corners from the border of its source to the border of its target."""


@dataclass(frozen=True, slots=True)
class PlacedLabel:
    """The name and shape of a value beside its edge."""

    runs: tuple[Run, ...]
    """Its text."""
    box: Box
    """Its place."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A diagram that can be drawn."""

    sketch: Sketch
    """What it shows."""
    width: float
    """How wide it is."""
    height: float
    """How high it is."""
    parts: tuple[PlacedNode | PlacedGroup, ...]
    """Its nodes and groups, in the order of reading."""
    edges: tuple[PlacedEdge, ...]
    """Its edges, in the sketch's order; those that show one value between the same two nodes are one."""
    labels: tuple[PlacedLabel, ...]
    """The labels of its edges."""
    junctions: tuple[Point, ...]
    """Where a value forks."""

    @property
    def nodes(self) -> tuple[PlacedNode, ...]:
        """Every node at any depth."""
        return tuple(part for part in flat(self.parts) if isinstance(part, PlacedNode))

    @property
    def groups(self) -> tuple[PlacedGroup, ...]:
        """Every group at any depth, outer ones first."""
        return tuple(part for part in flat(self.parts) if isinstance(part, PlacedGroup))


def flat(parts: tuple[PlacedNode | PlacedGroup, ...]) -> list[PlacedNode | PlacedGroup]:
    """Every node and group, each group before what is in it."""
    found: list[PlacedNode | PlacedGroup] = []
    for part in parts:
        found.append(part)
        if isinstance(part, PlacedGroup):
            found.extend(flat(part.parts))
    return found
