"""Node behind what is kept of its work: a formula or a graph that was seen before starts no process.

Node takes longer to start than a small site to build, and KaTeX is most of what a large one costs.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

from markupsafe import Markup

from atlas.kept import Kept, code_digest, key_of
from atlas.node.environment import Environment, prepare
from atlas.node.layout import Graph, lay_out
from atlas.node.process import Formula, NodeProcess, Typeset


class Typesetter:
    """Typesets formulas and lays graphs out, by a process that starts with the first that is not kept."""

    def __init__(self, kept: Kept, prepared: Callable[[], Environment] = prepare) -> None:
        self._kept = kept
        self._prepare = prepared
        self._stack = ExitStack()
        self._process: NodeProcess | None = None
        self._environment: Environment | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def environment(self) -> Environment:
        """Node with KaTeX, made if it is not there yet.

        Raises:
            NodeError: it cannot be made.
        """
        if self._environment is None:
            self._environment = self._prepare()
        return self._environment

    @property
    def process(self) -> NodeProcess:
        """The process, started if it was not."""
        if self._process is None:
            self._process = self._stack.enter_context(NodeProcess(self.environment))
        return self._process

    def typeset(self, formulas: Iterable[Formula]) -> list[Typeset]:
        """The results for the formulas, in their order.

        Raises:
            NodeError: the process hangs or dies.
        """
        wanted = tuple(formulas)
        keys = {one: _key(one) for one in dict.fromkeys(wanted)}
        found = self._kept.get(keys.values())
        results = {one: _read(one, found[key]) for one, key in keys.items() if key in found}
        missing = [one for one in keys if one not in results]
        if missing:
            made = dict(zip(missing, self.process.typeset(missing), strict=True))
            results |= made
            self._kept.put({keys[one]: _written(result) for one, result in made.items()})
        return [results[one] for one in wanted]

    def lay_out(self, graphs: Iterable[Graph]) -> list[dict[str, Any]]:
        """The graphs with coordinates, in their order.

        Raises:
            DiagramError: the engine refuses one.
            NodeError: the process hangs or dies.
        """
        wanted = {
            key_of("layout", code_digest("node"), json.dumps(one.elements, sort_keys=True)): one for one in graphs
        }
        found = {key: json.loads(answer) for key, answer in self._kept.get(wanted).items()}
        missing = [key for key in wanted if key not in found]
        if missing:
            made = dict(zip(missing, lay_out(self.process, [wanted[key] for key in missing]), strict=True))
            found |= made
            self._kept.put({key: json.dumps(answer).encode() for key, answer in made.items()})
        return [found[key] for key in wanted]

    def close(self) -> None:
        """End the process, if there is one."""
        self._stack.close()
        self._process = None


def _key(formula: Formula) -> bytes:
    return key_of("typeset", code_digest("node"), "display" if formula.display else "inline", formula.tex)


def _written(result: Typeset) -> bytes:
    return zlib.compress(json.dumps([result.html, result.error, result.position]).encode(), level=1)


def _read(formula: Formula, kept: bytes) -> Typeset:
    html, error, position = json.loads(zlib.decompress(kept))
    return Typeset(formula, None if html is None else Markup(html), error, position)  # noqa: S704 - KaTeX made it
