"""Takes small jogs out of edges that the layout engine has routed.

It lays out a group before what is around it, so an edge that enters one may have to step aside at the border by a few
pixels; where there is room, a stretch of it is moved and the step is gone. Ends never move.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from atlas.render.diagram_placed import Box, Point

LARGEST_JOG = 30.0
"""How far aside a step may be that is taken out."""
CLEARANCE = 7.0
"""How far from a card or from another edge a moved stretch has to stay."""

Route = tuple[Point, ...]
Stretch = tuple[Point, Point]


def straightened(routes: Sequence[Route], obstacles: Sequence[Box]) -> list[Route]:
    """The orthogonal routes with as few small steps as can be; `obstacles` are cards and labels."""
    current = list(routes)
    for index in range(len(current)):
        while (better := _better(index, current, obstacles)) is not None:
            current[index] = better
    return current


def _better(index: int, routes: Sequence[Route], obstacles: Sequence[Box]) -> Route | None:
    """A route with one step less; None where there is none to take out."""
    route = routes[index]
    others = [stretch for number, other in enumerate(routes) if number != index for stretch in pairwise(other)]
    for step in range(1, len(route) - 2):
        across = _across(route[step - 1], route[step])
        first, second = route[step][across], route[step + 1][across]
        runs_on = _across(route[step + 1], route[step + 2]) == across and _same_way(route, step)
        if not runs_on or abs(first - second) > LARGEST_JOG:
            continue
        for begin, line in ((step - 1, second), (step + 1, first)):
            if begin == 0 or begin + 1 == len(route) - 1:
                continue  # a stretch at a card's border
            moved = (_moved(route[begin], across, line), _moved(route[begin + 1], across, line))
            if _is_free(moved, (route[begin], route[begin + 1]), across, others, obstacles):
                changed = [*route[:begin], *moved, *route[begin + 2 :]]
                return simple(changed)
    return None


def _across(here: Point, there: Point) -> int:
    """The coordinate that a stretch does not change: 0 for a vertical one, 1 for a horizontal one."""
    return 0 if here[0] == there[0] else 1


def _same_way(route: Route, step: int) -> bool:
    """Whether the stretches before and after a step lead the same way."""
    along = 1 - _across(route[step - 1], route[step])
    return (route[step][along] - route[step - 1][along]) * (route[step + 2][along] - route[step + 1][along]) > 0


def _moved(point: Point, across: int, line: float) -> Point:
    return (line, point[1]) if across == 0 else (point[0], line)


def _is_free(moved: Stretch, before: Stretch, across: int, others: Sequence[Stretch], obstacles: Sequence[Box]) -> bool:
    """Whether a stretch can be moved: no card, label or other edge is in the way, and no other edge shares it."""
    room = around(moved, CLEARANCE)
    if any(room.overlaps(obstacle) for obstacle in obstacles):
        return False
    beside = [other for other in others if _across(*other) == across]
    return not any(around(other, 0.1).overlaps(area) for other in beside for area in (room, around(before, 0.1)))


def around(stretch: Stretch, margin: float) -> Box:
    """The rectangle around a stretch, with a margin."""
    (x, y), (other_x, other_y) = stretch
    left, top = min(x, other_x) - margin, min(y, other_y) - margin
    return Box(left, top, abs(x - other_x) + 2 * margin, abs(y - other_y) + 2 * margin)


def simple(points: Sequence[Point]) -> Route:
    """The corners alone: no point twice, none within a straight stretch."""
    kept: list[Point] = []
    for point in points:
        if kept and kept[-1] == point:
            continue
        while len(kept) > 1 and _on_line(kept[-2], kept[-1], point):
            kept.pop()
        kept.append(point)
    return tuple(kept)


def _on_line(one: Point, middle: Point, other: Point) -> bool:
    return one[0] == middle[0] == other[0] or one[1] == middle[1] == other[1]
