"""What tests give to other processes to do, which import it from here."""

from __future__ import annotations

import os
import signal
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path

from filelock import FileLock

from atlas.spread import cores, spread

FOREVER = 3600.0
"""Seconds."""


def double(piece: int) -> tuple[int, int]:
    """Twice a number, and who doubled it."""
    return 2 * piece, os.getpid()


def half_an_answer(place: str) -> str:
    """Send half of an answer, then wait for ever with a file at a place, or, without a place, die."""

    def send_half(connection: Connection, data: bytes) -> None:
        os.write(connection.fileno(), len(data).to_bytes(4) + bytes(data[: len(data) // 2]))
        if not place:
            os.kill(os.getpid(), signal.SIGKILL)
        Path(f"{place}.begun").touch()
        time.sleep(FOREVER)

    Connection._send_bytes = send_half  # type: ignore[attr-defined]
    return "answer"


def die(piece: int) -> int:
    """End the process that is at work, as the system does with one that takes too much memory."""
    os.kill(os.getpid(), signal.SIGKILL)
    return piece


def wrong(piece: int) -> int:
    raise ZeroDivisionError(f"piece {piece}")


def hold(place: str) -> None:
    """Hold a lock, which nobody else gets before this process has ended, and work for ever."""
    with FileLock(f"{place}.lock"):
        Path(f"{place}.begun").touch()
        time.sleep(FOREVER)


if __name__ == "__main__":  # two processes that hold the locks of the arguments, and one that waits for work
    with cores(3) as pool:
        list(spread(hold, sys.argv[1:], pool))
