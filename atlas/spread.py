"""Work in pieces that is done where there is room: in this process, on this machine's cores, or on a Dask cluster.

The same code gets the same pieces and its answers are taken in their order, so that the place shows in the time alone.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from functools import cache, partial
from multiprocessing.connection import wait
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from atlas.exceptions import ExecutorError
from atlas.kept import code_digest

if TYPE_CHECKING:
    from distributed import Client, Future

EXTRA = "dask"
CODE = ("sizes", "issues", "entries", "formula", "operators", "sources", "graph", "upstream", "checks")
"""The rooms whose code is at work elsewhere, and must be the same there."""
CONNECTING = 30.0
"""Seconds in which a scheduler has to answer, and a cluster without workers to get one."""
NOTICED_AFTER = 2.0
"""Seconds that are left to a pool for noticing that a process of it died."""
LOOKED_AFTER = 5.0
"""After how many seconds without an answer it is looked whether anyone is still at work."""

P = TypeVar("P")
R = TypeVar("R")


class Executor(Protocol):
    """What runs work somewhere: the executors of `concurrent.futures`, and clients of clusters that look like them."""

    def map(self, function: Callable[[Any], Any], /, *pieces: Iterable[Any]) -> Iterable[Any]:
        """The results in the order of the pieces: the results themselves, or futures that have a `result()`."""


class Here:
    """Does the work in this process, a piece when its result is asked for."""

    def map(self, function: Callable[[Any], Any], /, *pieces: Iterable[Any]) -> Iterable[Any]:
        """The results, as they are made."""
        return map(function, *pieces)


def spread(function: Callable[[P], R], pieces: Sequence[P], executor: Executor) -> Iterator[R]:
    """What a function of a module makes of each piece, in their order; function and pieces can be pickled.

    The executor has all pieces when this returns, so that something else can be done before the first answer is taken.

    Raises:
        ExecutorError: the executor lost what was at work, or has another version of the atlas there.
    """
    if not pieces:
        return iter(())
    work = function if isinstance(executor, Here) else partial(_same_code, code_digest(*CODE), function)
    with _lost_work_is_told_of():
        return _answers(executor.map(work, pieces))


def _answers(given: Iterable[Any]) -> Iterator[Any]:
    """What was made, as it comes."""
    with _lost_work_is_told_of():
        for made in given:
            yield made.result() if hasattr(made, "result") else made


@contextmanager
def _lost_work_is_told_of() -> Iterator[None]:
    try:
        yield
    except BrokenExecutor as error:
        raise ExecutorError(f"the work was not finished, as what was at it is gone: {error}") from error
    except CancelledError as error:
        raise ExecutorError("the work was not finished, as it was cancelled where it was done") from error


def processes() -> int:
    """How many processes this one may keep at work; itself alone where others could share nothing with it."""
    if not _can_share():
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def _can_share() -> bool:
    """Whether processes can share locks, as those of a pool do: on Linux in a `/dev/shm` that can be written."""
    if sys.platform == "win32":
        return True
    try:
        multiprocessing.get_context("fork").Lock()  # of this kind, as one for new processes starts one to watch it
    except (ImportError, OSError):
        return False
    return True


def forks() -> bool:
    """Whether processes begin as copies of this one, which costs nothing; with threads a copy may hold their locks."""
    return sys.platform == "linux" and threading.active_count() == 1


@contextmanager
def cores(number: int, begin: Callable[[], None] | None = None) -> Iterator[Executor]:
    """So many processes of this machine, each started when there is work for it; for one, this process itself.

    None of them outlives this one, whatever ends it.

    Args:
        number: How many.
        begin: What each does first; it can be pickled, unless they are copies of this one (`forks`).

    Raises:
        ExecutorError: they can share nothing here.
    """
    if number == 1:
        if begin is not None:
            begin()
        yield Here()
        return
    if not _can_share():
        raise ExecutorError("other processes can share nothing with this one, as /dev/shm cannot be written: --jobs 1")
    with _Pool(number, multiprocessing.get_context("fork" if forks() else "spawn"), _belong, (begin,)) as pool:
        try:
            yield pool
        except BaseException:
            # Whoever gave up waits neither for what is not begun nor for what is at work.
            pool.give_up()
            raise
        finally:
            pool.done.send_bytes(b"done")  # to close it would not do: copies of this process have it too


@contextmanager
def aside(work: Callable[[], None]) -> Iterator[Callable[[], None]]:
    """Do work in a copy of this process, whose memory it takes, while something else is done in this one.

    What comes of it is found where it is kept; what it fails of is for those to tell who find that missing. What is
    given does the work here, if no copy can be made, and is to be called when other processes are at work.
    """
    if not forks():
        yield work
        return
    copy = multiprocessing.get_context("fork").Process(target=_belong, args=(partial(_try, work),))
    try:
        copy.start()
    except OSError:
        yield work
        return
    try:
        yield _nothing
    except BaseException:
        copy.kill()
        raise
    finally:
        copy.join()


def _try(work: Callable[[], None]) -> None:
    with suppress(Exception):
        work()


def _nothing() -> None:
    """What is left to be done here of what a copy does."""


class _Noting:
    """A context of `multiprocessing` that notes the processes it makes, of which a pool tells nobody."""

    def __init__(self, context: BaseContext) -> None:
        self._context = context
        self._made: list[BaseProcess] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def Process(self, *given: Any, **named: Any) -> BaseProcess:  # noqa: N802 - as contexts call it
        """A process that is not started yet."""
        made: BaseProcess = self._context.Process(*given, **named)  # type: ignore[attr-defined]  # all contexts have it
        self._made.append(made)
        return made

    @property
    def started(self) -> list[BaseProcess]:
        """The processes that were started, whether they have ended or not."""
        return [process for process in self._made if process.pid is not None]


class _Pool(ProcessPoolExecutor):
    """Processes of which none can die unnoticed.

    Of one that dies while it sends an answer, `ProcessPoolExecutor` waits for the rest for ever: it has seen only that
    there is an answer, and as long as anyone else could send more of it, reading it does not end.
    """

    def __init__(
        self,
        number: int,
        context: BaseContext,
        begin: Callable[[Callable[[], None] | None], None],
        given: tuple[Callable[[], None] | None],
    ) -> None:
        self._context = _Noting(context)
        super().__init__(number, cast("BaseContext", self._context), begin, given)
        self._is_done, self.done = multiprocessing.Pipe(duplex=False)
        # The library has no public way to end its waiting for the rest of an answer. Where it has this field no longer,
        # pools work as they do by themselves, and a test says that something else is needed.
        self._answers = getattr(getattr(self, "_result_queue", None), "_writer", None)
        self._watchers: list[threading.Thread] = []

    def map(self, fn: Callable[..., R], *iterables: Iterable[Any], **given: Any) -> Iterator[R]:
        """As it is known; all processes are started when it returns."""
        answers = super().map(fn, *iterables, **given)
        watcher = threading.Thread(target=self._watch, name="watcher", daemon=True)
        watcher.start()  # not before, as with threads no process can be copied
        self._watchers.append(watcher)
        return answers

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        ended = super().__exit__(kind, error, trace)
        for watcher in self._watchers:
            watcher.join()
        self._is_done.close()
        self.done.close()
        return ended

    def give_up(self) -> None:
        """End all processes, and let nobody wait for what they might have sent."""
        self.shutdown(wait=False, cancel_futures=True)
        self._end()

    def _watch(self) -> None:
        ready = wait([self._is_done, *(process.sentinel for process in self._context.started)])
        # Whoever died between two answers is noticed at once, by whoever waits for the next.
        if self._is_done not in ready and not wait([self._is_done], NOTICED_AFTER):
            self._end()

    def _end(self) -> None:
        for process in self._context.started:
            process.kill()
        for process in self._context.started:
            wait([process.sentinel])
        if self._answers is not None:
            with suppress(OSError):  # it is closed already
                self._answers.close()


def _belong(begin: Callable[[], None] | None) -> None:
    """Let this process end at once when it is interrupted, and with the one that started it when that is killed.

    A pool of processes sees to neither: one that waits for work would wait for ever.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), name="parent", daemon=True).start()
    if begin is not None:
        begin()


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


@contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """The workers of the Dask scheduler at an address such as `tcp://10.0.0.1:8786`.

    Raises:
        ExecutorError: Dask is not installed, no scheduler answers, or it has no worker.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise ExecutorError(f"Dask is not installed; pip install 'openmodelatlas[{EXTRA}]'") from error
    try:
        client = Client(address, timeout=CONNECTING, set_as_default=False)
    except (OSError, ValueError) as error:  # a TimeoutError is an OSError
        raise ExecutorError(f"no Dask scheduler answers at {address}: {str(error) or type(error).__name__}") from error
    with client:
        try:
            client.wait_for_workers(1, timeout=CONNECTING)
        except TimeoutError as error:
            raise ExecutorError(f"the Dask scheduler at {address} has no worker; start some: dask worker") from error
        yield _Workers(client, address)


class _Workers:
    """The workers of a cluster, whose failures are told as `concurrent.futures` tells them."""

    def __init__(self, client: Client, address: str) -> None:
        self._client = client
        self._address = address

    def map(self, function: Callable[[Any], Any], /, *pieces: Iterable[Any]) -> Iterator[Any]:
        """The results, in the order of the pieces; what is at work when no more are wanted is cancelled."""
        # Not pure: the scheduler need not find out whether two pieces are one.
        waiting = self._client.map(function, *pieces, pure=False)
        try:
            for future in waiting:
                yield self._result(future)
        finally:
            if self._client.status == "running":
                self._client.cancel(waiting, reason="no more is wanted")

    def _result(self, future: Future[Any]) -> Any:
        from distributed import KilledWorker
        from distributed.comm import CommClosedError

        try:
            while True:
                try:
                    return future.result(timeout=LOOKED_AFTER)
                except TimeoutError:
                    if not future.done():
                        self._look_after_workers()
        except KilledWorker as error:
            raise BrokenExecutor(f"workers of {self._address} died while they were at one piece ({error})") from error
        except ImportError as error:
            raise BrokenExecutor(f"a worker of {self._address} has no atlas that fits ({error})") from error
        except (CancelledError, CommClosedError, OSError) as error:
            raise BrokenExecutor(f"the scheduler at {self._address} is gone ({error})") from error

    def _look_after_workers(self) -> None:
        """Make sure that there is one, or will be soon; without any, a scheduler lets work wait for ever."""
        if self._client.status != "running":
            raise BrokenExecutor(f"the scheduler at {self._address} is gone")
        if not self._client.scheduler_info().get("workers"):
            try:
                self._client.wait_for_workers(1, timeout=CONNECTING)
            except TimeoutError as error:
                raise BrokenExecutor(f"the scheduler at {self._address} has no worker any more") from error


def _same_code(expected: str, function: Callable[[P], R], piece: P) -> R:
    """Do a piece of work elsewhere, unless the atlas or a library of it is another one there."""
    if code_digest(*CODE) != expected:
        raise ExecutorError(
            "a worker has another version of the atlas or of a library that it uses, so its results would not be "
            "those of this machine; install the same versions on both"
        )
    return function(piece)
