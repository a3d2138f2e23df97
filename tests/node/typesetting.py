"""One formula and what became of it."""

from __future__ import annotations

from atlas.node.process import Formula, NodeProcess, Typeset


def typeset(node: NodeProcess, tex: str, display: bool = False) -> Typeset:
    (result,) = node.typeset([Formula(tex, display)])
    return result


def refusal(node: NodeProcess, tex: str) -> tuple[str, int | None]:
    result = typeset(node, tex)
    assert result.html is None
    return result.error, result.position
