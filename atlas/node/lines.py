"""The two kinds of lines to a Node: pipes to one that this process started for itself, or a socket to a shared one.

What is said over them is the same; they differ in what ends with a line, and in what is known of the Node's last words.
"""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Protocol

from atlas.exceptions import NodeError

ENDING = 5.0
"""Seconds that a Node gets for ending by itself."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a Node that is shared can be reached, by any process of the same user."""

    path: str
    """The socket's file."""
    pid: int
    """The Node's process id."""


class Line(Protocol):
    """A line to a Node."""

    pid: int
    """The Node's process id."""
    outgoing: IO[bytes]
    """What the Node reads."""
    incoming: IO[bytes]
    """What the Node writes."""
    complaints: IO[bytes] | None
    """What the Node says besides; None where nobody can tell for whom it says that."""

    def cut(self) -> None:
        """End it at once, whatever is on its way."""

    def end(self) -> None:
        """End it, now that nothing is on its way, and wait for what ends with it."""

    def release(self) -> None:
        """Give back what is left of it, once nobody reads from it any more."""


class OwnLine:
    """Pipes to a Node that was started for them and ends with them."""

    def __init__(self, command: Sequence[str]) -> None:
        """Start the Node.

        Raises:
            NodeError: it cannot be started.
        """
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the executable and the script are our own
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment_of_node(),
            )
        except OSError as error:
            raise NodeError(f"Node could not be started: {error}") from error
        self.pid = self._process.pid
        self.outgoing = _pipe(self._process.stdin)
        self.incoming = _pipe(self._process.stdout)
        self.complaints: IO[bytes] | None = _pipe(self._process.stderr)

    def cut(self) -> None:
        """Kill the Node."""
        self._process.kill()

    def end(self) -> None:
        """Let the Node end, as there is nothing more to be read for it, and kill it if it does not."""
        with suppress(OSError):  # what is still buffered for a process that has gone
            self.outgoing.close()
        try:
            self._process.wait(ENDING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def release(self) -> None:
        """Close what it has written to."""
        self.incoming.close()
        if self.complaints is not None:
            self.complaints.close()


class SharedLine:
    """A socket of a Node that others speak with, too; it goes on when the line ends."""

    complaints: IO[bytes] | None = None

    def __init__(self, address: Address) -> None:
        """Call the Node, which answers once it has started.

        Raises:
            NodeError: there is none.
        """
        self.pid = address.pid
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.connect(address.path)
        except OSError as error:
            self._socket.close()
            raise NodeError(f"the Node that is shared cannot be reached: {error}") from error
        self.outgoing: IO[bytes] = self._socket.makefile("wb")
        self.incoming: IO[bytes] = self._socket.makefile("rb")

    def cut(self) -> None:
        """Hang up."""
        with suppress(OSError):  # the other end has gone
            self._socket.shutdown(socket.SHUT_RDWR)

    def end(self) -> None:
        """Hang up."""
        self.cut()

    def release(self) -> None:
        """Close the socket."""
        with suppress(OSError):  # what is still buffered for a Node that has gone
            self.outgoing.close()
        self.incoming.close()
        self._socket.close()


def environment_of_node() -> dict[str, str]:
    """The environment of every Node: without options of the user's, which are for other programs."""
    return {name: value for name, value in os.environ.items() if name != "NODE_OPTIONS"}


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None  # noqa: S101 - every Popen here is made with three pipes
    return stream
