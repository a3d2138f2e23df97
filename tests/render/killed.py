"""Builds in processes that are killed, and what they leave beside a site."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any


def beside(site: Path) -> list[str]:
    return sorted(path.name for path in site.parent.iterdir() if path != site)


def in_process(do: Callable[..., None], *given: object) -> multiprocessing.process.BaseProcess:
    """A process that does something, begun as a copy of this one."""
    process = multiprocessing.get_context("fork").Process(target=do, args=given)
    process.start()
    return process


def killing(at: int, remove: Callable[..., None], left: list[int]) -> Callable[..., None]:
    """Removes a file or folder, unless so many were removed before: then this process is killed."""

    def removing(*given: Any, **named: Any) -> None:
        if left[0] == at:
            os.kill(os.getpid(), signal.SIGKILL)
        remove(*given, **named)
        left[0] += 1

    return removing
