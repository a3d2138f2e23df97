"""What tests give to other processes to do, which import it from here."""

from __future__ import annotations

import os
import signal


def double(piece: int) -> tuple[int, int]:
    """Twice a number, and who doubled it."""
    return 2 * piece, os.getpid()


def die(piece: int) -> int:
    """End the process that is at work, as the system does with one that takes too much memory."""
    os.kill(os.getpid(), signal.SIGKILL)
    return piece


def wrong(piece: int) -> int:
    raise ZeroDivisionError(f"piece {piece}")
