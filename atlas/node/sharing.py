"""A Node that all processes of a build speak with: to start one and to warm it up costs as much as 200 formulas.

The build's own process starts it, speaks with it over no line of its own until it has to, and ends it.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import current_process
from pathlib import Path
from typing import Self

from atlas.node.environment import Environment
from atlas.node.lines import Address, environment_of_node

SPEAKERS = 3
"""How many processes one Node serves: each asks it for a sixth of its time, so that they seldom wait for each other."""
SOCKET = "node"
"""The socket's name, in a folder that is the user's alone; a path to it may have some hundred bytes at most."""


@dataclass(frozen=True, slots=True)
class Sharing:
    """What another process needs to typeset with the Node of the one that started it; it can be pickled."""

    environment: Environment
    """Node with KaTeX."""
    addresses: tuple[Address, ...]
    """The Nodes that are shared; none where each process has to start its own."""

    def address(self) -> Address | None:
        """The Node for this process: those that were started one after the other take turns."""
        if not self.addresses:
            return None
        number = current_process().name.rpartition(":")[2].rpartition("-")[2]  # the how-manieth child it is
        return self.addresses[int(number) % len(self.addresses) if number.isdecimal() else 0]


class SharedNode:
    """A running Node that others reach by its address; it ends by `close`, or with the process that started it."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path) -> None:
        self._process = process
        self._folder = folder
        self._starter = os.getpid()
        self.address = Address(str(folder / SOCKET), process.pid)
        """Where it is reached."""

    @classmethod
    def started(cls, command: Sequence[str]) -> Self | None:
        """One that runs a command that ends in the server's arguments; None where none can be shared on this system.

        The socket is there when this returns, so that who connects waits for the Node, if it has not started yet.
        """
        if not hasattr(socket, "AF_UNIX"):
            return None
        try:
            folder = Path(tempfile.mkdtemp(prefix="atlas-"))  # with mode 0700
        except OSError:
            return None
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
                listening.bind(str(folder / SOCKET))
                listening.listen()
                process = subprocess.Popen(  # noqa: S603 - the executable and the script are our own
                    [*command, str(listening.fileno()), str(folder)],
                    stdin=subprocess.PIPE,  # by its end Node knows that this process has ended
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    pass_fds=(listening.fileno(),),
                    env=environment_of_node(),
                )
        except OSError:  # also where the path of the folder for temporary files is too long
            shutil.rmtree(folder, ignore_errors=True)
            return None
        return cls(process, folder)

    def close(self) -> None:
        """End it; in a copy of the process that started it this does nothing, as others still speak with it."""
        if os.getpid() != self._starter:
            return
        self._process.kill()
        self._process.wait()
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()
        shutil.rmtree(self._folder, ignore_errors=True)
