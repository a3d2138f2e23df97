"""`atlas fetch`: what is brought into the cache, and what is told of what cannot be."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest

from atlas.commands.progress import ProgressDisplay
from tests.cli.command_line import FFN_FILE, WRONG, Atlas, error_line, pinned


def test_fetch_tells_what_is_in_the_cache(atlas: Atlas, real_project: Any) -> None:
    files = len(pinned(real_project, "tensor2tensor"))
    result = atlas("fetch")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.endswith(f"{1 + files} files of 2 sources in the cache\n")
    assert atlas("fetch", "--offline").stderr == f"{1 + files} files of 2 sources in the cache\n"
    assert atlas("fetch", "--offline", "tensor2tensor").stderr == f"{files} files of 1 source in the cache\n"


def test_fetch_brings_what_is_missing(atlas: Atlas, empty_cache: Path, real_project: Any) -> None:
    files = len(pinned(real_project, "tensor2tensor"))
    result = atlas("fetch", "tensor2tensor")
    assert (result.exit_code, result.stdout) == (0, "")
    assert (
        result.stderr == f"bringing tensor2tensor-1.0.14-py2.py3-none-any.whl\n{files} files of 1 source in the cache\n"
    )
    assert (empty_cache / "sources/1e/70505701300c3079d0ff497663263f44d2fc9e").is_file()
    assert ": A503 " not in atlas("check", "--offline", "transformer").stdout


def test_fetch_into_a_cache_that_cannot_be_written_has_not_done_its_work(atlas: Atlas, empty_cache: Path) -> None:
    (empty_cache / "sources").write_text("no folder", encoding="utf-8")
    result = atlas("fetch", "chainer")
    line = error_line(result)
    assert "1 file of 1 source brought\n" in result.stderr
    assert line.startswith(f"Error: nothing was kept, as the cache {empty_cache / 'sources'} cannot be written (")
    assert line.endswith("; set OPENMODELATLAS_CACHE to a folder that can be")


def test_fetch_lists_every_failure_at_its_line(atlas: Atlas, empty_cache: Path, real_project: Any) -> None:
    result = atlas("fetch", "--offline")
    assert result.exit_code == 1
    lines = [line for line in result.stdout.splitlines() if ": A503 " in line]
    found = [tuple(line.split(":")[:2]) for line in lines]
    files = pinned(real_project, "tensor2tensor")
    assert found == [
        ("sources/chainer.yml", str(real_project.line("sources/chainer.yml", "blob:"))),
        *(("sources/tensor2tensor.yml", line) for line in files),
    ]
    assert result.stderr == f"0 files of 2 sources in the cache; {1 + len(files)} issues in 2 files\n"


def test_fetch_names_both_hashes_of_an_edited_blob(atlas: Atlas, real_project: Any, empty_cache: Path) -> None:
    edited = "1e70505701300c3079d0ff497663263f44d2fc9e"
    files = len(pinned(real_project, "tensor2tensor")) - 1
    real_project.edit("sources/tensor2tensor.yml", edited, "f" * 40)
    result = atlas("fetch", "tensor2tensor")
    assert result.exit_code == 1
    line = real_project.line("sources/tensor2tensor.yml", "f" * 40)
    assert result.stdout.startswith(f"sources/tensor2tensor.yml:{line}:")
    assert ": A501 " in result.stdout
    assert edited in result.stdout
    counted = f"{files} file{'s' * (files > 1)} of 1 source in the cache"
    assert result.stderr.endswith(f"{counted}; 1 issue in 1 file\n")


def test_a_broken_manifest_does_not_keep_the_others_from_being_fetched(atlas: Atlas, real_project: Any) -> None:
    real_project.edit("sources/chainer.yml", "license: MIT", "licence: MIT")
    real_project.edit(FFN_FILE, *WRONG)
    files = len(pinned(real_project, "tensor2tensor"))
    result = atlas("fetch", "--offline")
    assert result.exit_code == 1
    assert result.stdout.startswith("sources/chainer.yml:")
    assert "content/" not in result.stdout
    assert result.stderr.startswith(f"{files} files of 1 source in the cache; ")
    assert atlas("fetch", "--offline", "tensor2tensor").exit_code == 0
    assert atlas("fetch", "--offline", "chainer").exit_code == 1


@pytest.mark.parametrize("command", ["fetch", "pin"])
def test_an_unknown_source_is_a_usage_error(atlas: Atlas, command: str) -> None:
    line = error_line(atlas(command, "tensor2tenso"))
    assert line == "Error: there is no source tensor2tenso; did you mean tensor2tensor?"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", terminal)
    with ProgressDisplay() as progress:
        progress("one.whl", 256, 1024)
        progress("one.whl", 1024, 1024)
        progress("owner/name", 0, None)
        progress("owner/name", 10, None)
        progress("two.whl", 1024, 2048)
        progress("two.whl", 16, 2048)
        progress("two.whl", 2048, 2048)
    shown = terminal.getvalue()
    assert "one.whl" in shown.split("owner/name")[0]
    assert "25%" in shown
    assert shown.count("100%") == 2
    assert shown.count("bringing owner/name\n") == 1
    assert "bringing one.whl" not in shown
