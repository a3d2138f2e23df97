"""The command line as people, scripts and GitHub Actions meet it: what is printed where, and every exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from atlas.cli import COMMANDS
from tests.cli.command_line import FFN_FILE, WRONG, Atlas, error_line


def test_version_and_help_are_enough_to_begin_with(atlas: Atlas) -> None:
    assert atlas("--version").stdout == "atlas, version 0.1.0\n"
    for arguments in ([], *([name] for name in COMMANDS), ["new", "component"], ["new", "source"]):
        for flag in ("--help", "-h"):
            shown = atlas(*arguments, flag)
            assert shown.exit_code == 0
            assert shown.stdout.startswith(f"Usage: {' '.join(['atlas', *arguments])} ")
            assert "\\b" not in shown.stdout, "click's mark of a paragraph whose lines stay"
    assert {*COMMANDS} <= set(atlas("--help").stdout.split())


def test_the_installed_command_is_this_one() -> None:
    command = Path(sys.executable).with_name("atlas")
    done = subprocess.run([command, "--version"], capture_output=True, text=True, check=False)  # noqa: S603  our own
    assert (done.returncode, done.stdout, done.stderr) == (0, "atlas, version 0.1.0\n", "")


@pytest.mark.parametrize("name", ["nowhere.yml", "transformer/encoder/ffn-layer-nrm", "mkdocs.yml"])
@pytest.mark.parametrize("command", ["check", "verify"])
def test_a_path_that_is_no_part_of_the_project_is_a_usage_error(atlas: Atlas, command: str, name: str) -> None:
    line = error_line(atlas(command, name))
    assert line.startswith("Error: ")
    assert name in line


def test_wrong_usage_is_told(atlas: Atlas) -> None:
    assert "'xml' is not one of" in error_line(atlas("check", "--format", "xml"))
    assert "No such option" in error_line(atlas("check", "--formt", "json"))
    assert "No such command" in error_line(atlas("chek"))
    assert "does not exist" in error_line(atlas("check", "--project", "nowhere"))


@pytest.mark.usefixtures("recorded")
def test_a_project_is_found_from_inside_and_named_from_outside(atlas: Atlas, real_project: Any) -> None:
    real_project.edit(FFN_FILE, *WRONG)
    expected = atlas("check").stdout
    assert expected.startswith(f"{FFN_FILE}:")
    for cwd in ("content", "content/transformer/encoder", "sources/licenses"):
        assert atlas("check", cwd=cwd).stdout == expected
    assert atlas("check", "ffn-layer-norm.yml", cwd="content/transformer/encoder").stdout == expected
    assert atlas("check", "--project", str(real_project.root), cwd="..").stdout == expected
    assert atlas("check", "--project", "project", "project/content/transformer", cwd="..").stdout == expected


def test_outside_of_any_project_the_option_is_told(atlas: Atlas) -> None:
    line = error_line(atlas("check", cwd=".."))
    assert line.startswith("Error: there is no mkdocs.yml in ")
    assert line.endswith("; name the project's folder with --project")
    assert error_line(atlas("check", "--project", "content")).startswith("Error: there is no mkdocs.yml in ")


def test_a_configuration_that_cannot_be_read_is_told(atlas: Atlas, real_project: Any) -> None:
    (real_project.root / "mkdocs.yml").write_text("plugins: [", encoding="utf-8")
    assert "mkdocs.yml cannot be read: while parsing" in error_line(atlas("check"))


def test_an_interrupt_while_a_command_is_imported_ends_without_a_traceback(real_project: Any, tmp_path: Path) -> None:
    hooks = tmp_path / "sitecustomize.py"
    hooks.write_text(
        "import sys\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'numpy':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupt())\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-c", "from atlas.cli import main; main()", "check"]
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(  # noqa: S603 - the code above
        command, cwd=real_project.root, env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "")


def test_schemas_describe_every_key(atlas: Atlas) -> None:
    every = json.loads(atlas("schema").stdout)
    assert list(every) == ["component", "model", "library", "source"]
    for kind, schema in every.items():
        alone = atlas("schema", kind)
        assert (alone.exit_code, alone.stderr, json.loads(alone.stdout)) == (0, "", schema)
        assert schema["additionalProperties"] is False
        assert schema["$schema"].startswith("https://json-schema.org/")
        for name, value in schema["properties"].items():
            assert "description" in value, f"{kind}.{name}"
    assert "in" in every["component"]["properties"]
    assert "in_" not in every["component"]["properties"]
    assert set(every["source"]["required"]) >= {"repository", "revision", "files"}
    assert "is not one of" in error_line(atlas("schema", "variant"))
