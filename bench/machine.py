"""What figures were measured on: without this they say nothing."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path


def describe() -> dict[str, str | int | float]:
    """The machine and the time, as they are written beside figures."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": _first_field(Path("/proc/cpuinfo"), "model name") or platform.processor() or platform.machine(),
        "cores": os.cpu_count() or 1,
        "memory_gb": round(int((_first_field(Path("/proc/meminfo"), "MemTotal") or "0").split()[0]) * 1024 / 1e9),
        "system": f"{platform.system()} {platform.release().partition('-')[0]}",
        "python": platform.python_version(),
        "node": _node_version(),
    }


def _node_version() -> str:
    node = shutil.which("node")
    if node is None:
        return "none"
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)  # noqa: S603 - as found
    return told.stdout.strip().removeprefix("v")


def _first_field(file: Path, name: str) -> str:
    """The value after the first `name:` of a file; empty where there is no such file or field."""
    with suppress(OSError):
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            key, colon, value = line.partition(":")
            if colon and key.strip() == name:
                return value.strip()
    return ""
