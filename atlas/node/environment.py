"""Makes the Node environment: a Node.js and the npm packages of the committed lock, once, in the user's cache.

A folder in the cache is either complete or not there: it is built beside its place and renamed, under a lock, so that
neither a killed run nor two runs at once leave half of one behind. A complete one is used without touching the network.
"""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from atlas.exceptions import NodeError
from atlas.kept import VARIABLE, cache_folder
from atlas.node.runtime import (
    OLDEST,
    PREBUILT,
    Runtime,
    choose,
    dotted,
    prebuilt_command,
    prebuilt_runtime,
    system_runtime,
    wheel_runtime,
)

HERE = Path(__file__).parent
PACKAGE = HERE / "package.json"
LOCK = HERE / "package-lock.json"
DIGESTS = "katex-digests.json"
"""The file beside `node_modules` that tells a damaged KaTeX from the one that was installed."""
NPM_CI = ("ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund")
LONGEST_COMMAND = 900
"""Seconds after which nodeenv or npm is stopped, and for which another run's build is waited for."""
ELK = Path("elkjs", "lib", "elk.bundled.js")
"""The layout engine's module below `node_modules`."""
TAIL = 15
"""How many lines of a failed command's output a message shows."""

Progress = Callable[[str], None]
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Environment:
    """What the Node process needs, all of it on disk."""

    node: Path
    """The Node.js executable."""
    node_version: str
    """Its version, `20.19.0`."""
    modules: Path
    """The `node_modules` folder made from the committed lock."""
    katex_version: str
    """The version of KaTeX in it."""
    katex_dist: Path
    """KaTeX's built files: the module, its CSS and its fonts."""

    @property
    def elk(self) -> Path:
        """The layout engine's module, which runs at build time only: nothing of it goes into a site."""
        return self.modules / ELK


def prepare(cache: Path | None = None, progress: Progress = log.info, lock: Path = LOCK) -> Environment:
    """Find or make the environment; `progress` is told what takes long, and nothing where all is in the cache."""
    folder = (cache or cache_folder()) / "node"
    choice = choose(system_runtime(), wheel_runtime())
    runtime = choice.runtime or _bring_node(folder, choice.refused, progress)
    name = f"packages-{_key(lock, runtime)}"

    def install(target: Path) -> None:
        progress(f"Installing KaTeX and ELK for Node.js {dotted(runtime.version)} (once, into {folder / name})")
        shutil.copyfile(lock.with_name(PACKAGE.name), target / PACKAGE.name)
        shutil.copyfile(lock, target / LOCK.name)
        run_command([*runtime.npm, *NPM_CI], "npm ci", target)
        if _version_in(target) is None or not (target / "node_modules" / ELK).is_file():
            raise NodeError(f"npm ci succeeded but {LOCK.name} brought no complete KaTeX and ELK")
        (target / DIGESTS).write_text(json.dumps(_digests(target)), encoding="utf-8")

    made = made_once(folder / name, install, _complete, progress)
    version = _katex_version(made)
    if version is None:
        raise NodeError(f"{made} was damaged while it was used; run again to have it made anew")
    modules = made / "node_modules"
    return Environment(runtime.node, dotted(runtime.version), modules, version, modules / "katex" / "dist")


def made_already(runtime: Runtime, cache: Path | None = None, lock: Path = LOCK) -> str | None:
    """The version of KaTeX in the environment for a Node.js, where it is in the cache complete; nothing is made."""
    return _katex_version((cache or cache_folder()) / "node" / f"packages-{_key(lock, runtime)}")


def brought_node(cache: Path | None = None) -> Runtime | None:
    """The prebuilt Node.js in the cache, where nodeenv brought it already."""
    return prebuilt_runtime((cache or cache_folder()) / "node" / f"node-{dotted(PREBUILT)}" / "environment")


def made_once(folder: Path, make: Callable[[Path], None], complete: Callable[[Path], bool], progress: Progress) -> Path:
    """The folder, made by `make` in a temporary folder beside it and renamed, if it is not there complete already."""
    if complete(folder):
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _locked(folder, progress):
            if not complete(folder):
                _make(folder, make)
    except OSError as error:
        raise NodeError(
            f"cannot write the Node environment into {folder.parent}: {error}; "
            f"set {VARIABLE} to a folder that can be written"
        ) from error
    return folder


def run_command(command: Sequence[str], name: str, cwd: Path) -> None:
    """Run a command to its end; a failure is a NodeError that shows the end of what it printed."""
    try:
        done = subprocess.run(  # noqa: S603 - the command lines are our own, without a shell
            command,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=LONGEST_COMMAND,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise NodeError(f"{name} was stopped after {LONGEST_COMMAND} seconds; is the network there?") from error
    except OSError as error:
        raise NodeError(f"{name} could not be started: {error}") from error
    if done.returncode:
        tail = "\n".join(f"    {line}" for line in done.stdout.rstrip().splitlines()[-TAIL:])
        raise NodeError(
            f"{name} failed with exit code {done.returncode}; it needs the network once "
            f"(npm's own settings name another registry or a proxy). The end of its output:\n{tail}"
        )


@contextmanager
def _locked(folder: Path, progress: Progress) -> Iterator[None]:
    """Hold the folder's lock, waiting for another run that has it."""
    lock = FileLock(folder.with_name(f"{folder.name}.lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        progress(f"Waiting for another run that is making {folder}")
        try:
            lock.acquire(timeout=LONGEST_COMMAND)
        except Timeout:
            raise NodeError(f"another run has held {lock.lock_file} for {LONGEST_COMMAND} seconds") from None
    try:
        yield
    finally:
        lock.release()


def _make(folder: Path, make: Callable[[Path], None]) -> None:
    """Build beside the folder and rename; what a killed run or a damaged cache left is removed first."""
    prefix = f".{folder.name}."
    if folder.exists():
        shutil.rmtree(folder)
    for leftover in folder.parent.glob(f"{prefix}*"):
        # The npm of a killed run may still be writing there; what is left of it is removed the next time.
        shutil.rmtree(leftover, ignore_errors=True)
    partial = Path(tempfile.mkdtemp(prefix=prefix, dir=folder.parent))
    try:
        make(partial)
        partial.rename(folder)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise


def _bring_node(folder: Path, refused: tuple[str, ...], progress: Progress) -> Runtime:
    """The prebuilt Node.js in the cache, brought by nodeenv if it is not there."""

    def bring(target: Path) -> None:
        progress(f"Bringing Node.js {dotted(PREBUILT)} with nodeenv (once, into {folder})")
        run_command(prebuilt_command(target / "environment"), "nodeenv", target)

    def complete(target: Path) -> bool:
        runtime = prebuilt_runtime(target / "environment")
        return runtime is not None and bool(runtime.npm)

    try:
        made = made_once(folder / f"node-{dotted(PREBUILT)}", bring, complete, progress)
        runtime = prebuilt_runtime(made / "environment")
        if runtime is None:
            raise NodeError(f"the Node.js that nodeenv brought into {made} does not run on this system")
    except NodeError as error:
        raise NodeError(
            f"no Node.js {dotted(OLDEST)} or newer: {'; '.join(refused)}; and none could be brought: {error}\n"
            f'Install Node.js with npm, or run: pip install "openmodelatlas[node]"'
        ) from error
    return runtime


def _key(lock: Path, runtime: Runtime) -> str:
    """What the installed packages, and the way in which they are kept, depend on."""
    return hashlib.sha256(lock.read_bytes() + dotted(runtime.version).encode() + DIGESTS.encode()).hexdigest()[:16]


def _complete(folder: Path) -> bool:
    """Whether all that the process needs is installed below the folder."""
    return _katex_version(folder) is not None and (folder / "node_modules" / ELK).is_file()


def _katex_version(folder: Path) -> str | None:
    """The version of the KaTeX below the folder; None where any part of it is missing or not what was installed."""
    version = _version_in(folder)
    try:
        noted = json.loads((folder / DIGESTS).read_text(encoding="utf-8"))
        return version if noted == _digests(folder) else None
    except (OSError, ValueError):
        return None


def _digests(folder: Path) -> dict[str, str]:
    """SHA-256 of every file that pages or the Node process take of the installed packages."""
    packages = folder / "node_modules"
    katex = packages / "katex"
    files = [katex / "package.json", katex / "LICENSE", katex / "dist" / "katex.mjs", katex / "dist" / "katex.min.css"]
    files += [*sorted((katex / "dist" / "fonts").glob("*.woff2")), packages / ELK]
    return {
        file.relative_to(packages).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in files
        if file.is_file()
    }


def _version_in(folder: Path) -> str | None:
    """The version of the KaTeX installed below the folder; None where it is not whole."""
    katex = folder / "node_modules" / "katex"
    if not ((katex / "dist" / "katex.mjs").is_file() and (katex / "dist" / "katex.min.css").is_file()):
        return None
    try:
        version = json.loads((katex / "package.json").read_text(encoding="utf-8"))["version"]
    except (OSError, ValueError, KeyError):
        return None
    return str(version)
