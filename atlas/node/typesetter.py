"""Node behind what is kept of its work: a formula or a graph that was seen before starts no process.

Node takes longer to start than a small site to build, and KaTeX is most of what a large one costs.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

from markupsafe import Markup

from atlas.kept import Kept, code_digest, key_of
from atlas.node.environment import Environment, prepare
from atlas.node.layout import Graph, lay_out
from atlas.node.process import Formula, NodeProcess, Typeset

RECENT = 4 << 20
"""How many characters of results are at hand at most."""
SMALL = 1500
"""How many bytes HTML has that is kept as it is: the database would not become smaller by much."""
_REFUSED, _HTML, _COMPRESSED = b"r", b"h", b"z"
"""How what is kept of a formula begins."""


class Typesetter:
    """Typesets formulas and lays graphs out, by a process that starts with the first that is not kept."""

    def __init__(self, kept: Kept, prepared: Callable[[], Environment] = prepare) -> None:
        self._kept = kept
        self._prepare = prepared
        self._stack = ExitStack()
        self._process: NodeProcess | None = None
        self._environment: Environment | None = None
        self._recent: dict[Formula, Typeset] = {}
        self._recent_length = 0

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

    def typeset(self, formulas: Iterable[Formula], *, whole: bool = False) -> list[Typeset]:
        """The results for the formulas, in their order; with all that KaTeX makes where the `whole` is wanted.

        Raises:
            NodeError: the process hangs or dies.
        """
        wanted = tuple(formulas)
        recent = {} if whole else self._recent
        results = {one: recent[one] for one in wanted if one in recent}
        keys = {one: _key(one, whole=whole) for one in dict.fromkeys(wanted) if one not in results}
        if keys:
            found = self._kept.get(keys.values())
            new = {one: _read(one, found[key]) for one, key in keys.items() if key in found}
            missing = [one for one in keys if one not in new]
            if missing:
                made = dict(zip(missing, self.process.typeset(missing, whole=whole), strict=True))
                self._kept.put({keys[one]: _written(result) for one, result in made.items()})
                new |= made
            if not whole:
                self._remember(new)
            results |= new
        return [results[one] for one in wanted]

    def _remember(self, results: Mapping[Formula, Typeset]) -> None:
        """Have results at hand for a while: pages show what checks have just asked for."""
        length = sum(len(one.html or one.error) for one in results.values())
        if self._recent_length + length > RECENT:
            self._recent.clear()
            self._recent_length = 0
        self._recent.update(results)
        self._recent_length += length

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


def _key(formula: Formula, *, whole: bool) -> bytes:
    kind = ("display " if formula.display else "inline ") + ("whole" if whole else "shown")
    return key_of("typeset", code_digest("node"), kind, formula.tex, formula.coloured)


def _written(result: Typeset) -> bytes:
    """A refusal as JSON, and HTML as it is or, where that saves much, compressed."""
    if result.html is None:
        return _REFUSED + json.dumps([result.error, result.position]).encode()
    html = result.html.encode()
    return _HTML + html if len(html) < SMALL else _COMPRESSED + zlib.compress(html, level=1)


def _read(formula: Formula, kept: bytes) -> Typeset:
    kind, content = kept[:1], kept[1:]
    if kind == _REFUSED:
        error, position = json.loads(content)
        return Typeset(formula, None, error, position)
    html = (zlib.decompress(content) if kind == _COMPRESSED else content).decode()
    return Typeset(formula, Markup(html), "", None)  # noqa: S704 - KaTeX made it
