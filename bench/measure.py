"""Runs a command and says what it cost: time on the wall, processor time of all its processes, and their memory.

On Linux the memory of the whole tree is sampled and orphans are waited for; elsewhere the kernel's own account is used.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
import time
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from signal import SIGKILL

PROC = Path("/proc")
INTERVAL = 0.1
"""Seconds between two samples of memory."""
TAIL = 2000
"""How many characters of a failed command's output are kept."""
_SUBREAPER = 36
"""prctl's PR_SET_CHILD_SUBREAPER: orphans among the descendants become children of this process."""

LONG_TASK = 50
"""Milliseconds from which on a task keeps a page from answering in time."""


class RunError(Exception):
    """A command failed or took too long; the text says which, with the end of what it printed."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run of a command took."""

    wall: float
    """Seconds from start to end."""
    cpu: float
    """Seconds of processor time, user and system, of all processes."""
    tree_mb: float | None
    """Megabytes of all processes together at their most, shared pages counted once; None where it cannot be sampled."""
    root_mb: float | None
    """Megabytes of the first process at its most; None where it cannot be sampled."""
    largest_mb: float
    """Megabytes of the largest process at its most, as the kernel counts them."""
    load: float
    """The machine's load average over one minute before the run."""


def run(command: Sequence[str | Path], cwd: Path, env: Mapping[str, str], longest: float) -> Cost:
    """Run a command to its end.

    Raises:
        RunError: it cannot be started, fails, or takes longer than `longest` seconds.
    """
    load = os.getloadavg()[0]
    others = set(descendants(os.getpid()))
    with _adopting_orphans(), (cwd / ".output").open("w+b") as output:
        begin = time.perf_counter()
        try:
            process = subprocess.Popen(  # noqa: S603 - the commands are the benchmark's own
                [str(word) for word in command],
                cwd=cwd,
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        except OSError as error:
            raise RunError(f"{command[0]} cannot be started: {error}") from error
        memory = _Memory(process.pid, others)
        timer = threading.Timer(longest, process.kill)
        timer.start()
        with memory:
            _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begin
        in_time = timer.is_alive()
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        cpu = usage.ru_utime + usage.ru_stime + _reap(others)
        if process.returncode:
            output.seek(0)
            said = output.read()[-TAIL:].decode(errors="replace").strip()
            what = f"ended with {process.returncode}" if in_time else f"was stopped after {longest:.0f} s"
            raise RunError(f"{Path(str(command[0])).name} {what}: {said}")
    unit = 1e6 if sys.platform == "darwin" else 1e3
    largest = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1.024) / unit
    return Cost(wall, cpu, memory.tree, memory.root, largest, load)


def blocking(tasks: Sequence[tuple[float, float]], after: float) -> float:
    """The milliseconds by which tasks are too long, as far as they lie after a time; tasks are start and duration."""
    total = 0.0
    for start, duration in tasks:
        late = start + duration - max(start, after)
        total += max(0.0, late - LONG_TASK)
    return total


class _Memory:
    """Samples the memory of a process and its descendants while the block runs."""

    def __init__(self, pid: int, others: Container[int]) -> None:
        self.tree: float | None = None
        self.root: float | None = None
        self._pid = pid
        self._others = others
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._sample)

    def __enter__(self) -> None:
        if PROC.is_dir():
            self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _sample(self) -> None:
        while not self._ended.wait(INTERVAL):
            tree = sum(field(pid, "smaps_rollup", "Pss") for pid in descendants(os.getpid()) if pid not in self._others)
            self.tree = max(self.tree or 0, tree / 1000)
            self.root = max(self.root or 0, field(self._pid, "status", "VmHWM") / 1000)


def descendants(pid: int) -> Iterator[int]:
    """The processes that a process has started, and those that they have started; Linux only."""
    parents: dict[int, list[int]] = {}
    for entry in PROC.iterdir() if PROC.is_dir() else ():
        if entry.name.isdigit():
            with suppress(OSError, ValueError, IndexError):
                stat = (entry / "stat").read_text()
                parents.setdefault(int(stat.rpartition(")")[2].split()[1]), []).append(int(entry.name))
    waiting = list(parents.get(pid, ()))
    while waiting:  # not by recursion: the processes may be many, and end meanwhile
        one = waiting.pop()
        yield one
        waiting += parents.get(one, ())


def field(pid: int, file: str, name: str) -> float:
    """A field of a process's file in /proc in units of 1,000 bytes; 0 where the process has ended."""
    with suppress(OSError, ValueError, IndexError):
        for line in (PROC / str(pid) / file).read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1.024
    return 0.0


@contextmanager
def _adopting_orphans() -> Iterator[None]:
    """Have processes whose parent ends become ours, so that their time is counted and none is left behind."""
    adopt = ctypes.CDLL(None).prctl if sys.platform == "linux" else lambda *_: None
    adopt(_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        adopt(_SUBREAPER, 0, 0, 0, 0)


def _reap(others: Container[int]) -> float:
    """End what the command left behind; the processor time of it, in seconds."""
    spent = 0.0
    while left := [pid for pid in descendants(os.getpid()) if pid not in others]:
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, SIGKILL)
        for pid in left:
            with suppress(ChildProcessError):  # a grandchild, which becomes ours when its parent has ended
                usage = os.wait4(pid, 0)[2]
                spent += usage.ru_utime + usage.ru_stime
    return spent
