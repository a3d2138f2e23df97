"""Outlines whose small curves are straight: a root's sign has a dozen corners that are rounded by less than one sees.

A path in SVG is read and written as data here; what this module does not know is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

_ROOT = re.compile(r'<path d="([^"]*)"(?=/></svg></span></span></span><span class="vlist-s">)')
"""The outline of a root's sign; that of a stretched accent or brace is not so simple a shape."""
TOLERANCE = 6.0
"""How far, in thousandths of the letters' size, an outline may move: a tenth of a dot in text of 17 dots."""
SAMPLES = 8
"""By how many straight pieces a curve is followed before those that are not needed go."""
PATHS = 500
"""How many outlines are remembered: a root of one height has the same in all formulas."""
Point = tuple[float, float]
"""A place, in thousandths of the letters' size."""
_PIECE = re.compile(r"([A-Za-z])|(-?\d*\.?\d+)|[\s,]+|(.)", re.DOTALL)
_ARGUMENTS = {"m": 2, "l": 2, "h": 1, "v": 1, "c": 6, "s": 4, "z": 0}
"""The commands that are known, in lower case, and how many numbers each takes."""


def with_straight_roots(html: str) -> str:
    """KaTeX's HTML with the signs of roots made of straight lines."""
    return _ROOT.sub(_straight, html) if "<svg" in html else html


def _straight(root: re.Match[str]) -> str:
    return f'<path d="{straightened(root[1])}"'


@lru_cache(maxsize=PATHS)
def straightened(path: str) -> str:
    """The path of straight lines that differs from a path by no more than the tolerance; an unknown one as it is."""
    try:
        outlines = list(_outlines(path))
    except ValueError:
        return path
    written = "".join(_written(_simplified(outline)) for outline in outlines)
    return written if len(written) < len(path) else path


def _commands(path: str) -> Iterator[tuple[str, list[float]]]:
    name, numbers = "", list[float]()
    for letter, number, other in _PIECE.findall(path):
        if other:
            raise ValueError(f"{other!r} is no part of a path")
        if number:
            numbers.append(float(number))
        elif letter:
            yield from _split(name, numbers)
            name, numbers = letter, []
    yield from _split(name, numbers)


def _split(name: str, numbers: list[float]) -> Iterator[tuple[str, list[float]]]:
    """A command that is repeated without its letter, as several."""
    if not name and not numbers:
        return
    count = _ARGUMENTS.get(name.lower())
    if count is None or (len(numbers) % count if count else numbers):
        raise ValueError(f"{name!r} with {len(numbers)} numbers is not known")
    if not count:
        yield name, []
    for start in range(0, len(numbers), count or 1):
        yield name if start == 0 or name.lower() != "m" else chr(ord(name) - 1), numbers[start : start + count]


def _outlines(path: str) -> Iterator[list[Point]]:
    """The closed outlines of a path, each as the corners of its straight pieces."""
    points: list[Point] = []
    control: Point | None = None
    for name, numbers in _commands(path):
        kind = name.lower()
        if kind == "m" or not points:
            if kind != "m" or points:
                raise ValueError("an outline begins with a move and ends by being closed")
            if name == "m":
                raise ValueError("the place that a relative move starts from is not known")
            points = [(numbers[0], numbers[1])]
        elif kind == "z":
            yield points
            points = []
        else:
            here = points[-1]
            places = _places(name, numbers, here)
            if len(places) > 1:
                first = places[0] if kind == "c" else _mirrored(control, here)
                second, end = places[-2:]
                points += [_on_curve(step / SAMPLES, here, first, second, end) for step in range(1, SAMPLES + 1)]
                control = second
                continue
            points.append(places[0])
        control = None
    if points:
        raise ValueError("an outline is not closed")


def _places(name: str, numbers: list[float], here: Point) -> list[Point]:
    x, y = here if name.islower() else (0.0, 0.0)
    if name in "hH":
        return [(x + numbers[0], here[1])]
    if name in "vV":
        return [(here[0], y + numbers[0])]
    return [(x + numbers[index], y + numbers[index + 1]) for index in range(0, len(numbers), 2)]


def _mirrored(control: Point | None, here: Point) -> Point:
    """The first control point of a smooth curve: the one before it on the other side of where it starts."""
    return here if control is None else (2 * here[0] - control[0], 2 * here[1] - control[1])


def _on_curve(at: float, start: Point, first: Point, second: Point, end: Point) -> Point:
    """A point of Bézier's cubic curve."""
    weights = ((1 - at) ** 3, 3 * at * (1 - at) ** 2, 3 * at**2 * (1 - at), at**3)
    x, y = (
        sum(weight * point[axis] for weight, point in zip(weights, (start, first, second, end), strict=True))
        for axis in (0, 1)
    )
    return x, y


def _simplified(points: list[Point]) -> list[Point]:
    """The corners without those that are no farther than the tolerance from a line that does without them."""
    if len(points) < 3:
        return points
    first, last = points[0], points[-1]
    distances = [_distance(point, first, last) for point in points[1:-1]]
    farthest = max(range(len(distances)), key=distances.__getitem__)
    if distances[farthest] <= TOLERANCE:
        return [first, last]
    return [*_simplified(points[: farthest + 2])[:-1], *_simplified(points[farthest + 1 :])]


def _distance(point: Point, start: Point, end: Point) -> float:
    """How far a point is from a stretch."""
    along = (end[0] - start[0], end[1] - start[1])
    length = along[0] ** 2 + along[1] ** 2
    offset = (point[0] - start[0], point[1] - start[1])
    share = min(1.0, max(0.0, (offset[0] * along[0] + offset[1] * along[1]) / length)) if length else 0.0
    return float(((offset[0] - share * along[0]) ** 2 + (offset[1] - share * along[1]) ** 2) ** 0.5)


def _written(points: list[Point]) -> str:
    """An outline in whole thousandths: where it begins, each next corner from the one before, and its end."""
    whole = [(round(x), round(y)) for x, y in points]
    steps = [f"{x - a},{y - b}" for (a, b), (x, y) in pairwise(whole) if (a, b) != (x, y)]
    return f"M{whole[0][0]},{whole[0][1]}l{' '.join(steps)}z".replace(",-", "-").replace(" -", "-")
