"""A persistent Node process that typesets formulas in batches and lays out graphs; `server.mjs` is its other end.

Batches are written by one thread and their answers read by another, so that Node works while the caller does too.
"""

from __future__ import annotations

import json
import re
import struct
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from markupsafe import Markup

from atlas.exceptions import NodeError
from atlas.node.environment import Environment
from atlas.node.lengths import refuse_long
from atlas.node.letters import refuse_raw_symbols
from atlas.node.lines import Address, Line, OwnLine, SharedLine
from atlas.node.outline_paths import with_straight_roots

SERVER = Path(__file__).with_name("server.mjs")
BATCH = 50
"""How many formulas travel in one frame …"""
BATCH_LENGTH = 50_000
"""… and how many characters, so that a batch of long ones does not take long."""
LONGEST_FORMULA = 20_000
TIMEOUT = 120.0
"""Seconds without any answer after which the process counts as hung; the server gives each formula of 50 at most 2,
and a layout 20."""
LARGEST_FRAME = 1 << 30
HEAD = struct.Struct(">I")
HALF = re.compile("[\ud800-\udfff]")
"""Half of a character, as only broken text has it."""
STRICT = "LaTeX-incompatible input and strict mode is set to 'error': "


@dataclass(frozen=True, slots=True)
class Formula:
    """One formula, as TeX without its delimiters."""

    tex: str
    """The TeX."""
    display: bool = False
    """Whether it stands on its own line."""
    coloured: str = ""
    """The same TeX with a colour for each symbol that is marked in what is shown; empty where none is."""


@dataclass(frozen=True, slots=True)
class Typeset:
    """What became of a formula: either HTML with MathML, or why it is refused."""

    formula: Formula
    """The formula that was asked for."""
    html: Markup | None
    """What pages show of what KaTeX made of it, or all of that where it was asked for; None where it is refused."""
    error: str
    """Why it is refused, in one sentence without a final full stop; empty where it is not."""
    position: int | None
    """The 0-based offset in the TeX, in code points, that a refusal concerns, where known."""


@dataclass(frozen=True, slots=True)
class Versions:
    """What the process says that it runs."""

    node: str
    """The version of Node.js."""
    katex: str
    """The version of KaTeX."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request on its way."""

    name: str
    """What a message calls it."""
    answer: Future[dict[str, Any]]
    """Resolved by the reading thread."""


class Pending:
    """Formulas that were handed in; `result()` waits for them and answers in the order in which they were given."""

    def __init__(
        self, process: NodeProcess, formulas: tuple[Formula, ...], done: dict[Formula, Typeset], *, whole: bool
    ) -> None:
        self._process = process
        self._formulas = formulas
        self._done = done
        self._whole = whole
        self._batches: list[tuple[list[Formula], Request]] = []
        for batch in _batches(formula for formula in dict.fromkeys(formulas) if formula not in done):
            request = process.ask(_named(batch), "typeset", formulas=_wire(batch), whole=whole)
            self._batches.append((batch, request))

    def result(self) -> list[Typeset]:
        """One result per formula that was handed in; a process that hangs or dies is a NodeError."""
        while self._batches:
            batch, request = self._batches[0]
            results = self._process.wait_for(request)["results"]
            for formula, result in zip(batch, results, strict=True):
                self._done[formula] = _read(formula, result, whole=self._whole)
            del self._batches[0]
        return [self._done[formula] for formula in self._formulas]


class NodeProcess:
    """A running Node with KaTeX and, once a layout is asked for, ELK; between `with` and its end."""

    def __init__(
        self,
        environment: Environment,
        *,
        timeout: float = TIMEOUT,
        server: Path = SERVER,
        shared: Address | None = None,
    ) -> None:
        """Make ready.

        Args:
            environment: Node with KaTeX.
            timeout: Seconds without any answer after which the process counts as hung.
            server: What Node runs.
            shared: A Node that is running already, instead of one that is started and ended.
        """
        self._environment = environment
        self._timeout = timeout
        self._server = server
        self._shared = shared
        self._guard = threading.Lock()  # of the four fields below
        self._waiting: dict[int, Request] = {}
        self._requests = 0
        self._answers = 0
        self._failure = ""
        self._complaints: deque[str] = deque(maxlen=20)  # the tail of the process's stderr
        self._line: Line | None = None

    def __enter__(self) -> Self:
        command = command_of(self._environment, self._server)
        self._line = line = OwnLine(command) if self._shared is None else SharedLine(self._shared)
        self._writer = ThreadPoolExecutor(1, "node-writer")
        self._threads = [threading.Thread(target=self._read_answers, args=(line,), daemon=True)]
        if line.complaints is not None:
            self._threads.append(threading.Thread(target=self._read_complaints, args=(line.complaints,), daemon=True))
        for thread in self._threads:
            thread.start()
        try:
            found = self.versions().katex
            if found != self._environment.katex_version:
                raise NodeError(f"Node runs KaTeX {found}, but the environment has {self._environment.katex_version}")
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._running().pid

    def versions(self) -> Versions:
        """The versions of Node.js and KaTeX that the process itself reports."""
        answer = self.wait_for(self.ask("the question for its version", "version"))
        return Versions(answer["node"], answer["katex"])

    def submit(self, formulas: Iterable[Formula], *, whole: bool = False) -> Pending:
        """Hand formulas in and come back at once; each distinct one is typeset once."""
        wanted = tuple(formulas)
        refused = {one: refusal for one in dict.fromkeys(wanted) if (refusal := refuse(one))}
        return Pending(self, wanted, refused, whole=whole)

    def typeset(self, formulas: Iterable[Formula], *, whole: bool = False) -> list[Typeset]:
        """The results for the formulas, in their order; with all that KaTeX makes where the `whole` is wanted."""
        return self.submit(formulas, whole=whole).result()

    def ask(self, name: str, kind: str, **fields: object) -> Request:
        """Put one request on its way."""
        line = self._running()
        batch = Request(name, Future())
        with self._guard:
            if self._failure:
                raise NodeError(self._failure)
            self._requests += 1
            number = self._requests
            self._waiting[number] = batch
        body = json.dumps({"id": number, "kind": kind, **fields}).encode()
        self._writer.submit(_write, line.outgoing, HEAD.pack(len(body)) + body)
        return batch

    def wait_for(self, batch: Request) -> dict[str, Any]:
        """The answer to a request; while others are still answered, it is only late and not hung."""
        while True:
            seen = self._answers
            try:
                return batch.answer.result(self._timeout)
            except TimeoutError:
                if seen == self._answers and not batch.answer.done():
                    self._kill(f"Node has not answered for {self._timeout:g} seconds")

    def close(self) -> None:
        """End the process, at once if it still has work, and wait for it; closing twice does nothing."""
        line, self._line = self._line, None
        if line is None:
            return
        with self._guard:
            idle = not self._waiting
            self._failure = self._failure or "the Node process was closed"
        if not idle:
            line.cut()
        self._writer.shutdown()
        line.end()
        for thread in self._threads:
            thread.join()
        line.release()

    def _running(self) -> Line:
        if self._line is None:
            raise NodeError(self._failure or "the Node process is not running; use it inside `with`")
        return self._line

    def _kill(self, reason: str) -> None:
        """End a process that went wrong; the reading thread then fails whatever is waiting, with this reason."""
        with self._guard:
            self._failure = self._failure or reason
        self._running().cut()

    def _read_answers(self, line: Line) -> None:
        """Resolve requests as their answers come; at the end of the stream all that still wait have failed."""
        reason = "Node has ended"
        try:
            while (answer := _read_frame(line.incoming)) is not None:
                with self._guard:
                    batch = self._waiting.pop(answer["id"])
                    self._answers += 1
                batch.answer.set_result(answer)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            reason = f"Node sent what is no answer ({error})"
            line.cut()
        except OSError as error:  # of a socket; a pipe just ends
            reason = f"Node has ended ({error})"
        for complaining in self._threads[1:]:
            complaining.join()  # its last words
        with self._guard:
            named = f"{self._failure or reason}{self._at_work()}{self._last_words()}"
            self._failure = named
            waiting = list(self._waiting.values())
            self._waiting.clear()
        for batch in waiting:
            batch.answer.set_exception(NodeError(named))

    def _read_complaints(self, stderr: IO[bytes]) -> None:
        for line in stderr:
            self._complaints.append(line.decode("utf-8", "replace").rstrip())

    def _at_work(self) -> str:
        """What the process was at: requests are answered in order, so it is the oldest one."""
        return next((f" during {batch.name}" for batch in self._waiting.values()), "")

    def _last_words(self) -> str:
        return "".join(f"\n    {line}" for line in self._complaints)


def command_of(environment: Environment, server: Path = SERVER) -> list[str]:
    """The command line that runs the server."""
    return [str(environment.node), str(server), str(environment.katex_dist / "katex.mjs"), str(environment.elk)]


def refuse(formula: Formula) -> Typeset | None:
    """Why a formula is not even sent to KaTeX; None where it is."""
    if len(formula.tex) > LONGEST_FORMULA:
        error = f"the formula has {len(formula.tex):,} characters, more than {LONGEST_FORMULA:,}"
        return Typeset(formula, None, error, None)
    if half := HALF.search(formula.tex):
        return Typeset(formula, None, "the formula has half of a character, which is no text", half.start())
    for position, error in (*refuse_raw_symbols(formula.tex), *refuse_long(formula.tex)):
        return Typeset(formula, None, error, position)
    return None


def _batches(formulas: Iterable[Formula]) -> Iterator[list[Formula]]:
    """The formulas in batches that are neither too many nor too long."""
    batch: list[Formula] = []
    length = 0
    for formula in formulas:
        if batch and (len(batch) == BATCH or length + len(formula.tex) > BATCH_LENGTH):
            yield batch
            batch, length = [], 0
        batch.append(formula)
        length += len(formula.tex)
    if batch:
        yield batch


def _wire(batch: list[Formula]) -> list[tuple[str, bool, str]]:
    return [(one.tex, one.display, one.coloured if _can_be_coloured(one) else "") for one in batch]


def _can_be_coloured(formula: Formula) -> bool:
    """Whether KaTeX may see the TeX with colours, too."""
    return bool(formula.coloured) and refuse(Formula(formula.coloured, formula.display)) is None


def _named(batch: list[Formula]) -> str:
    """A batch as a message names it."""
    first = batch[0].tex if len(batch[0].tex) <= 60 else f"{batch[0].tex[:60]}…"
    return f"the formula {first!r}" if len(batch) == 1 else f"a batch of {len(batch)} formulas from {first!r} on"


def _read(formula: Formula, result: dict[str, Any], *, whole: bool) -> Typeset:
    """One result of the server, with its position counted in code points."""
    if "html" in result:
        html = result["html"] if whole else with_straight_roots(result["html"])
        return Typeset(formula, Markup(html), "", None)  # noqa: S704 - KaTeX escapes what it shows
    units = result.get("position")
    position = None if units is None else _code_points(formula.tex, units)
    error = str(result["error"]).removeprefix(STRICT)
    if position is not None and HALF.search(error):
        # Of a character outside the basic plane KaTeX names only the first half.
        character = formula.tex[position]
        error = HALF.sub(character, error).replace(f"({_first_half(character)})", f"(U+{ord(character):04X})")
    return Typeset(formula, None, HALF.sub("�", error), position)


def _first_half(character: str) -> int:
    """The first UTF-16 code unit of a character."""
    return int.from_bytes(character.encode("utf-16-be")[:2])


def _code_points(text: str, units: int) -> int:
    """The offset in code points of an offset in UTF-16 code units, which JavaScript counts."""
    return len(text.encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "ignore"))


def _read_frame(stream: IO[bytes]) -> dict[str, Any] | None:
    """The next message; None at the end of the stream, also where it ends within a frame."""
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    (length,) = HEAD.unpack(head)
    if length > LARGEST_FRAME:
        raise ValueError(f"a frame of {length} bytes, beginning with {head!r}")
    body = stream.read(length)
    if len(body) < length:
        return None
    message: dict[str, Any] = json.loads(body)
    # The texts follow in the same order, as they are: as JSON each of their quotes would be written and read anew.
    for result in message.get("results", ()):
        if "length" in result:
            text = stream.read(result["length"])
            if len(text) < result["length"]:
                return None
            result["html"] = text.decode()
    return message


def _write(stdin: IO[bytes], frame: bytes) -> None:
    """Send a frame; that the process has gone is for the reading thread to say."""
    with suppress(OSError):
        stdin.write(frame)
        stdin.flush()
