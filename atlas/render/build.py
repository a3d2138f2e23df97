"""From a project's content to its finished site: load, resolve, check, then render what holds."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from atlas.node.environment import prepare
from atlas.node.process import Formula, NodeProcess, Typeset
from atlas.render.prose_pages import prose_renderer
from atlas.render.site import Settings, Site


def build_site(settings: Settings) -> Site:
    """The site of the content in `settings.content`.

    What is wrong with the content is returned as the site's issues or raised as a ContentError that carries them; what
    keeps the build from working at all is raised as another AtlasError.
    """
    node = _Node()
    return Site(pages=(), assets=(), issues=(), prose=prose_renderer(node.typeset), close=node.close)


class _Node:
    """A Node process that starts with the first formula, so that a site without any needs no Node."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._process: NodeProcess | None = None

    def typeset(self, formulas: Sequence[Formula]) -> list[Typeset]:
        if self._process is None:
            self._process = self._stack.enter_context(NodeProcess(prepare()))
        return self._process.typeset(formulas)

    def close(self) -> None:
        self._stack.close()
