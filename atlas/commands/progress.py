"""How long work shows that it goes on: a bar on a terminal, elsewhere a line now and then.

Bars are drawn over and over on one line of standard error, so whoever prints a line while one is there clears it first.
In a pipe, and where the variable CI is set, nothing is ever drawn over.
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

import click

from atlas.issues import visible

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar

WIDTH = 24
"""How many characters a bar has."""
REDRAWN = 0.05
"""Seconds between two drawings."""
LINE_AFTER = 30.0
"""Seconds between two lines where nothing is drawn; work that ends sooner prints none."""


def draws(stream: TextIO) -> bool:
    """Whether bars may be drawn on a stream: a terminal that can, and no run of continuous integration."""
    return stream.isatty() and not os.environ.get("CI") and os.environ.get("TERM") != "dumb"


class _Line:
    """One line of a terminal that is drawn over, and cleared in the end."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.drawn = 0

    def draw(self, text: str) -> None:
        shown = visible(text)[: max(shutil.get_terminal_size().columns - 1, 10)]
        self.stream.write(f"\r{shown.ljust(self.drawn)}")
        self.stream.flush()
        self.drawn = len(shown)

    def clear(self) -> None:
        if self.drawn:
            self.stream.write(f"\r{' ' * self.drawn}\r")
            self.stream.flush()
            self.drawn = 0


class ProgressDisplay:
    """What is being brought: a bar on a terminal, elsewhere a line for each thing."""

    def __init__(self, counting: Counting | None = None) -> None:
        self._stream = sys.stderr
        self._counting = counting
        self._stack = ExitStack()
        self._bar: ProgressBar[int] | None = None
        self._what = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.pause()

    def pause(self) -> None:
        """End the bar that is drawn, if any, so that something else can be."""
        self._stack.close()
        self._bar = None

    def __call__(self, what: str, done: int, total: int | None) -> None:
        """Take note that `done` of `total` bytes of `what` are here; `total` is None where it is not known."""
        is_drawn = bool(total) and draws(self._stream)
        if what != self._what:
            if self._counting is not None:
                self._counting.clear()
            self.pause()
            self._what = what
            if not is_drawn:
                click.echo(f"bringing {what}", err=True)
        if is_drawn:
            if self._bar is None or done < self._bar.pos:  # another attempt begins anew
                self.pause()
                self._bar = click.progressbar(length=total, label=what, file=self._stream)
                self._stack.enter_context(self._bar)
            self._bar.update(done - self._bar.pos)


class Counting:
    """How many of several things are done, and which is next."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.bringing = ProgressDisplay(self)
        self._line = _Line(sys.stderr)
        self._is_drawn = draws(sys.stderr)
        self._last = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.bringing.pause()
        self.clear()

    def __call__(self, what: str, done: int, total: int) -> None:
        """Take note that `done` of `total` are done, and that the next is `what`."""
        now = time.monotonic()
        if now - self._last < (REDRAWN if self._is_drawn else LINE_AFTER):
            return
        self._last = now
        if not self._is_drawn:
            click.echo(f"{self.label}: {done:,} of {total:,} done", err=True)
            return
        self.bringing.pause()
        filled = WIDTH * done // max(total, 1)
        self._line.draw(f"{self.label} [{'#' * filled}{'-' * (WIDTH - filled)}] {done:,}/{total:,} {what}")

    def clear(self) -> None:
        """Take the bar away, before a line is printed."""
        self._line.clear()

    def echo(self, text: str, *, err: bool) -> None:
        """Print a line of its own."""
        self.clear()
        click.echo(text, err=err)


class Waiting:
    """Work whose end nobody knows: its name and the seconds that it has taken on a terminal, elsewhere its name."""

    def __init__(self) -> None:
        self._line = _Line(sys.stderr)
        self._is_drawn = draws(sys.stderr)
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self._what = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
        self._line.clear()

    def begin(self, what: str) -> None:
        """Say what is being done from now on."""
        if not self._is_drawn:
            click.echo(what, err=True)
            return
        self._what = what
        if self._thread is None:
            self._thread = threading.Thread(target=self._tick, daemon=True)
            self._thread.start()

    def _tick(self) -> None:
        began = time.monotonic()
        while True:
            self._line.draw(f"{self._what} … {time.monotonic() - began:.0f} s")
            if self._ended.wait(1.0):
                return
