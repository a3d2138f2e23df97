"""Installs the peers into a cache folder, once for each state of their pinned versions, with pip and npm as configured.

What cannot be installed is said, and the others run on.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import distributions
from json import loads
from pathlib import Path

from atlas.kept import cache_folder

PEERS = Path(__file__).resolve().parent / "peers"
LONGEST = 900
"""Seconds after which an installation is given up."""
TAIL = 600
"""How many characters of a failed installation's output are told."""


class ToolError(Exception):
    """A peer cannot be installed; the text says why."""


def tools_folder() -> Path:
    """Where peers are installed by default."""
    return cache_folder().with_name("openmodelatlas-bench")


def install(peer: str, tools: Path) -> Path:
    """The folder in which a peer is installed, by its requirements.txt or package.json; made if it is not there.

    Raises:
        ToolError: it cannot be installed.
    """
    python, node = PEERS / peer / "requirements.txt", PEERS / peer / "package.json"
    stated = python if python.is_file() else node
    with stated.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()[:12]
    folder = tools / f"{peer}-{digest}"
    if folder.is_dir():
        return folder
    tools.mkdir(parents=True, exist_ok=True)
    # Renamed when complete; of a Python environment that moved, only `python -m` works, which is all that is used.
    unfinished = Path(tempfile.mkdtemp(prefix=f".{peer}-", dir=tools))
    try:
        if stated is python:
            _command([sys.executable, "-m", "venv", unfinished], tools)
            _command([unfinished / "bin" / "python", "-m", "pip", "install", "--quiet", "-r", python], tools)
        else:
            shutil.copyfile(node, unfinished / node.name)
            npm = shutil.which("npm")
            if npm is None:
                raise ToolError("there is no npm on the PATH")
            _command([npm, "install", "--no-audit", "--no-fund", "--no-package-lock"], unfinished)
        try:
            unfinished.rename(folder)
        except OSError:
            if not folder.is_dir():  # else another run was faster
                raise
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return folder


def versions(peer: str, folder: Path) -> dict[str, str]:
    """The versions of what a peer's files pin, as installed."""
    python, node = PEERS / peer / "requirements.txt", PEERS / peer / "package.json"
    if python.is_file():
        places = [str(one) for one in folder.glob("lib/python*/site-packages")]
        installed = {one.name.lower(): one.version for one in distributions(path=places)}
        names = [line.partition("==")[0] for line in python.read_text(encoding="utf-8").split()]
        return {name: installed[name.lower()] for name in names}
    files = {name: folder / "node_modules" / name / "package.json" for name in stated_versions(node)}
    return {name: loads(file.read_text(encoding="utf-8"))["version"] for name, file in files.items()}


def stated_versions(package: Path) -> dict[str, str]:
    """The versions that a package.json pins."""
    stated: dict[str, str] = loads(package.read_text(encoding="utf-8"))["dependencies"]
    return stated


def _command(command: list[str | Path], cwd: Path) -> None:
    env = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    try:
        done = subprocess.run(  # noqa: S603 - the commands are the benchmark's own
            command, cwd=cwd, env=env, capture_output=True, text=True, timeout=LONGEST, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolError(f"{Path(command[0]).name}: {error}") from error
    if done.returncode:
        said = (done.stderr or done.stdout).strip()[-TAIL:]
        raise ToolError(f"{Path(command[0]).name} ended with {done.returncode}: {said}")
