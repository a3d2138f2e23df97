"""`atlas explain`: one code, several, all; and a code that there is none of."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner, Result

from atlas.cli import main
from atlas.issues import TITLES


def explain(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["explain", *arguments], prog_name="atlas")


def test_all_codes_are_listed_in_order(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.chdir(str(tmp_path))  # no project is needed
    result = explain()
    assert result.exit_code == 0
    assert re.findall(r"^  (A\d{3})  ", result.stdout, re.MULTILINE) == sorted(TITLES)
    assert "Formulas\n  A201  a character" in result.stdout
    assert "A701  a recorded proof that is stale (a warning)" in result.stdout


def test_codes_that_begin_alike_are_listed() -> None:
    found = re.findall(r"^  (A\d{3})  ", explain("a4").stdout, re.MULTILINE)
    assert found == [code for code in sorted(TITLES) if code.startswith("A4")]


def test_one_code_has_its_meaning_and_both_forms() -> None:
    result = explain("a214")
    assert result.exit_code == 0
    assert result.stdout.startswith("A214: a product over axes that differ\n\nA product contracts the last axis")
    assert "Where x is [S, d], K is [R, d], y is [S, R]\n" in result.stdout
    assert result.stdout.endswith("\n\nWrong:\n    y=xK\n\nRight:\n    y=xK^\\top\n")


def test_what_is_given_and_what_is_left_out_is_told() -> None:
    assert "Right: to leave it out.\n" in explain("A113").stdout
    given = explain("A705").stdout
    assert "Where content/miniature/layers/layer-norm.yml has:\n" in given
    assert "In content/miniature/layers/layer-norm.yml, before `atlas verify`:\n" in given


@pytest.mark.parametrize("code", sorted(TITLES))
def test_every_code_is_shown_without_a_hidden_character(code: str) -> None:
    result = explain(code)
    assert result.exit_code == 0
    assert all(char.isprintable() or char == "\n" for char in result.stdout)


def test_json_has_the_same() -> None:
    [one] = json.loads(explain("--json", "A101").stdout)
    assert (one["code"], one["title"], one["severity"]) == ("A101", TITLES["A101"], "error")
    assert one["example"]["wrong"] != one["example"]["right"]
    assert len(json.loads(explain("--json").stdout)) == len(TITLES)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("A2144", "there is no issue code A2144; did you mean A2"),
        ("A16", "there is no issue code A16; did you mean A016?"),
        ("zzz", "there is no issue code zzz; `atlas explain` lists them all"),
        ("\u202e", "there is no issue code \\u202e; `atlas explain` lists them all"),
    ],
)
def test_an_unknown_code_is_told(code: str, message: str) -> None:
    result = explain(code)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
