"""Node behind what is kept of its work: a formula or a graph that was seen before starts no process.

Node takes longer to start than a small site to build, and KaTeX is much of what a large one costs.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import Any, Self, TypeVar

from markupsafe import Markup

from atlas.exceptions import NodeError
from atlas.kept import Kept, code_digest, key_of
from atlas.node.environment import Environment, prepare
from atlas.node.layout import Graph, lay_out
from atlas.node.process import Formula, NodeProcess, Typeset, command_of
from atlas.node.sharing import SPEAKERS, SharedNode, Sharing

RECENT = 4 << 20
"""How many characters of results are at hand at most."""
SMALL = 1500
"""How many bytes HTML has that is kept as it is: the database would not become smaller by much."""
_REFUSED, _HTML, _COMPRESSED = b"r", b"h", b"z"
"""How what is kept of a formula begins."""

R = TypeVar("R")


class Typesetter:
    """Typesets formulas and lays graphs out, by a process that starts with the first that is not kept."""

    def __init__(
        self, kept: Kept, prepared: Callable[[], Environment] = prepare, sharing: Sharing | None = None
    ) -> None:
        """Make ready.

        Args:
            kept: What is kept.
            prepared: Finds or makes Node with KaTeX, where it is needed.
            sharing: What the process that started this one shares.
        """
        self._kept = kept
        self._prepare = prepared
        self._process: NodeProcess | None = None
        self._environment = None if sharing is None else sharing.environment
        self._sharing = sharing
        self._shared = None if sharing is None else sharing.address()
        self._nodes: list[SharedNode] = []
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
            self._process = NodeProcess(self.environment, shared=self._shared).__enter__()
        return self._process

    def share(self, speakers: int) -> Sharing:
        """Start Nodes for so many other processes, which go on until this closes; they start while this returns.

        No thread is started: this process can still be copied.

        Raises:
            NodeError: the environment cannot be made.
        """
        while len(self._nodes) * SPEAKERS < speakers:
            node = SharedNode.started(command_of(self.environment))
            if node is None:
                break
            self._nodes.append(node)
        self._sharing = Sharing(self.environment, tuple(node.address for node in self._nodes))
        self._shared = self._nodes[0].address if self._nodes else None
        return self._sharing

    @property
    def sharing(self) -> Sharing | None:
        """What other processes that this one starts may share; None where it has needed nothing of it so far."""
        if self._sharing is None and self._environment is not None:
            return Sharing(self._environment, ())
        return self._sharing

    def _ask(self, work: Callable[[NodeProcess], R]) -> R:
        """Have work done by the Node that is shared; where that is gone or hangs, by one that is this process's alone.

        What goes wrong is then told by the one that nobody else can have brought to it.
        """
        if self._shared is not None:
            try:
                return work(self.process)
            except NodeError:
                self._hang_up()
                self._shared = None
        return work(self.process)

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
                made = dict(zip(missing, self._ask(lambda node: node.typeset(missing, whole=whole)), strict=True))
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
            graphs = [wanted[key] for key in missing]
            made = dict(zip(missing, self._ask(lambda node: lay_out(node, graphs)), strict=True))
            found |= made
            self._kept.put({key: json.dumps(answer).encode() for key, answer in made.items()})
        return [found[key] for key in wanted]

    def close(self) -> None:
        """End the process, if there is one, and those that are shared."""
        self._hang_up()
        if self._nodes:
            self._sharing = self._shared = None
        while self._nodes:
            self._nodes.pop().close()

    def _hang_up(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.close()


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
