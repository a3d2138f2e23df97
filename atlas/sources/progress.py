"""How a provider tells that it is at work, so that the command line can draw a bar and a build can print a line.

Providers only report; whoever passes the callback decides how it looks.
"""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """A function that is called now and then while something is being brought."""

    def __call__(self, what: str, done: int, total: int | None) -> None:
        """Take note that `done` of `total` bytes of `what` are here; `total` is None where it is not known."""


def silent(what: str, done: int, total: int | None) -> None:
    """Report nothing."""
