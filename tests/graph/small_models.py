"""Models of one stack, and what is told of them."""

from __future__ import annotations

from collections.abc import Callable

from atlas.entries.atlas import Collection
from atlas.issues import Issue

Part = Callable[..., str]
ModelOf = Callable[..., Collection]


def relu(takes: str, gives: str, part: Part) -> str:
    return part("relu", {"x": "x: B, d", "y": "result: B, d"}, {takes: "x"}, {gives: "y"})


def told(issues: list[Issue]) -> list[tuple[str, int, int, str, str]]:
    """The file's name without its folders, the place, the code and the message of each issue."""
    return [
        (issue.path.removeprefix("content/tiny/"), issue.line, issue.column, issue.code, issue.message)
        for issue in sorted(issues)
    ]


LAYERS = r"""
inputs:
  'x': {axes: [B, d], meaning: features}
outputs:
  'layers.x_{n+1}': features
stacks:
  layers:
    title: Layers
    layers: N
    takes: {'x_n': x}
    carries: {'x_n': 'x_{n+1}'}
    components: [first, second]
"""


ONE = r"""
inputs:
  'x': {axes: [B, d], meaning: features}
outputs:
  'one.y': features
stacks:
  one:
    title: One
    components: [part]
"""
