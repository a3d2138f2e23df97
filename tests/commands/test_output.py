"""How issues are printed, in each format, whatever characters stand beside the place; and the pre-commit hook."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from atlas.cli import main

Atlas = Callable[..., Result]
FFN, CHAINER = "content/transformer/encoder/ffn-layer-norm.yml", "content/chainer/layer-normalization.yml"
REPOSITORY = Path(__file__).resolve().parents[2]
WRONG = ("epsilon: inside the root", "epsilon: outside the root")


@pytest.fixture
def atlas(real_project: Any, monkeypatch: pytest.MonkeyPatch) -> Atlas:
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    monkeypatch.chdir(real_project.root)
    return lambda *arguments: CliRunner().invoke(main, arguments, prog_name="atlas")


LINES = {
    "plain": ("titel: A", "titel: A", "^^^^^"),
    "tab": ("titel:\tA\t# b", "titel:\tA\t# b", "^^^^^"),
    "wide": ("数学: 数学 の", "数学: 数学 の", "^^^^"),
    "long": (f"titel: {'a b ' * 100}", f"titel: {'a b ' * 23}a"[:100], "^^^^^"),
    "long and wide": (f"titel: {'数学 ' * 100}", f"titel: {'数学 ' * 18}数", "^^^^^"),
}


@pytest.mark.parametrize(("line", "shown", "carets"), LINES.values(), ids=LINES)
def test_an_issue_has_its_line_and_carets(atlas: Atlas, real_project: Any, line: str, shown: str, carets: str) -> None:
    real_project.edit(FFN, "operator: ", f"{line}\noperator: ")
    number = real_project.line(FFN, line)
    result = atlas("check", FFN)
    place = f"{FFN}:{number}:1: A101 "
    lines = result.stdout.split("\n")
    at = next(index for index, one in enumerate(lines) if one.startswith(place))
    assert lines[at + 1 : at + 3] == [f"    {shown}", f"    {carets}"]

    found = [one for one in json.loads(atlas("check", "--format", "json", FFN).stdout) if one["code"] == "A101"]
    assert [(one["path"], one["line"], one["column"]) for one in found] == [(FFN, number, 1)]
    assert found[0]["excerpt"] == f"{shown}\n{carets}"

    errors = [one for one in atlas("check", "--format", "github", FFN).stdout.splitlines() if "title=A101" in one]
    assert len(errors) == 1
    assert errors[0].startswith(f"::error file={FFN},line={number},col=1,title=A101::")
    assert "^^^" not in errors[0]


def test_the_excerpt_of_a_formula_stays_as_the_check_has_it(atlas: Atlas, real_project: Any) -> None:
    real_project.edit(CHAINER, "y &= \\gamma\\odot", "y &= \\kappa\\odot")
    lines = atlas("check", "--allow-warnings", CHAINER).stdout.split("\n")
    at = next(index for index, one in enumerate(lines) if one.startswith(f"{CHAINER}:") and "\\kappa" in one)
    assert lines[at + 1].strip().startswith("y &= \\kappa\\odot")
    assert lines[at + 2].index("^") == lines[at + 1].index("\\kappa")
    assert lines[at + 2].strip() == "^^^^^^"


def test_an_issue_about_a_whole_file_has_no_line(atlas: Atlas, real_project: Any) -> None:
    (real_project.root / "content/chainer/extra.yaml").write_text("title: A\n", encoding="utf-8")
    result = atlas("check", "--format", "json", "chainer")
    [found] = [one for one in json.loads(result.stdout) if one["code"] == "A114"]
    assert (found["line"], found["excerpt"]) == (0, "")
    (real_project.root / "content/chainer/extra.yml").write_bytes(b"title: \xff\n")
    [found] = [one for one in json.loads(atlas("check", "--format", "json").stdout) if one["code"] == "A001"]
    assert (found["line"], found["column"], found["excerpt"]) == (1, 8, "")


def test_the_hook_checks_the_entries_that_changed(atlas: Atlas, real_project: Any) -> None:
    [hook] = yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert (hook["id"], hook["language"], hook["require_serial"]) == ("atlas-check", "python", True)
    names = [file.relative_to(real_project.root).as_posix() for file in sorted(real_project.root.rglob("*"))]
    taken = [name for name in names if re.search(hook["files"], name)]
    assert {FFN, CHAINER, "sources/chainer.yml", "content/transformer/model.yml"} <= set(taken)
    assert {"mkdocs.yml", "sources/pins.lock"}.isdisjoint(taken)
    command, *arguments = shlex.split(hook["entry"])
    assert command == "atlas"
    # All entries at once, as a first run has it; recorded proofs that are missing are told and stop nothing.
    result = atlas(*arguments, *taken)
    assert (result.exit_code, {word for word in result.stdout.split() if word.startswith("A7")}) == (0, {"A702"})
    real_project.edit(FFN, *WRONG)
    assert atlas(*arguments, CHAINER, "sources/chainer.yml").exit_code == 0
    result = atlas(*arguments, CHAINER, FFN)
    assert result.exit_code == 1
    assert f"{FFN}:{real_project.line(FFN, WRONG[1])}:" in result.stdout
