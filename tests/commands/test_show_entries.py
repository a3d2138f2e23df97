"""`atlas show` of what is no model: components, libraries, sources and operators."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from atlas.cli import main
from atlas.commands.show_text import terminal_width
from atlas.operators.catalogue import CATALOGUE

Atlas = Callable[..., Result]
FFN = "transformer/encoder/ffn-layer-norm"


@pytest.fixture
def atlas(real_project: Any, monkeypatch: pytest.MonkeyPatch) -> Atlas:
    monkeypatch.chdir(real_project.root)
    return lambda *arguments: CliRunner().invoke(main, ["show", *arguments], prog_name="atlas")


def data(result: Result) -> Any:
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


def refused(result: Result) -> str:
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    return result.stderr.splitlines()[-1]


def test_a_component_has_its_values_checks_and_sources(atlas: Atlas) -> None:
    found = data(atlas(FFN, "--json"))
    assert (found["kind"], found["id"], found["title"]) == ("component", FFN, "LayerNorm")
    assert found["values"] == [
        {"direction": "in", "value": "w", "symbol": "x"},
        {"direction": "out", "value": "x_{n+1}", "symbol": "y"},
    ]
    assert [(row["label"], row["count"]) for row in found["parameters"]] == [
        ("Learned gain", 512),
        ("Learned bias", 512),
    ]
    assert found["totals"] == [
        {"variant": "transformer_base", "per_instance": 1024, "places": 6, "total": 6144},
        {"variant": "transformer_big", "per_instance": 2048, "places": 6, "total": 12288},
    ]
    states = {row["claim"]: row["status"] for row in found["checks"]}
    assert [states[name] for name in ("formula", "shapes", "parameters", "excerpts")] == ["proved"] * 4
    assert found["sources"][0]["where"] == "tensor2tensor 0c66117d4297 tensor2tensor/models/common_layers.py:406-443"
    assert found["sources"][0]["pin"] == "proved"
    # Its lines end one before the function does.
    assert [row["extent"] for row in found["sources"]] == ["part of layer_norm 429-444", ""]
    figures = {row["claim"]: row["figure"] for row in found["checks"]}
    assert figures["excerpts"].endswith("; 1 of them shows only a part of a function or class")


def test_the_text_says_the_same(atlas: Atlas) -> None:
    result = atlas(f"content/{FFN}.yml")
    assert result.exit_code == 0
    assert result.stdout.startswith(f"LayerNorm (component {FFN})\n  Center and scale")
    totals = result.stdout.partition("\nTotals\n")[2].partition("\n\n")[0]
    assert totals.splitlines()[0] == "  variant           per instance  places   total"
    assert totals.splitlines()[1] == "  transformer_base         1,024       6   6,144"
    assert re.search(r"\nParameters\n  label +symbol +calculation +count\n", result.stdout)
    assert "\\times" not in result.stdout.partition("\nParameters\n")[2]
    for heading in ("Facts", "Formula", "Symbols", "Values", "Parameters", "Checks", "Sources"):
        assert f"\n\n{heading}\n" in result.stdout


@pytest.mark.parametrize("width", [80, 100])
def test_tables_fit_the_terminal(atlas: Atlas, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setattr("atlas.commands.show.terminal_width", lambda: 300)
    wide = atlas(FFN).stdout
    assert max(map(len, wide.splitlines())) > 150
    monkeypatch.setattr("atlas.commands.show.terminal_width", lambda: width)
    narrow = atlas(FFN).stdout
    formula = narrow.partition("\nFormula\n")[2].partition("\n\n")[0]
    assert formula in wide  # is not broken, so that it can be copied
    assert max(len(line) for line in narrow.splitlines() if line not in formula) <= width
    assert "\n  formula\n    status: proved\n    figure: executed: equals layer_norm" in narrow
    names = {"claim", "id", "date"}  # a first column begins each row; no cell has a date
    assert set(wide.split()) - names <= {word.removesuffix(":") for word in narrow.split()} | set(narrow.split())


def test_what_is_printed_to_a_program_has_lines_of_100_characters(atlas: Atlas) -> None:
    text = atlas(FFN).stdout
    formula = text.partition("\nFormula\n")[2].partition("\n\n")[0]
    assert 80 < max(len(line) for line in text.splitlines() if line not in formula) <= 100


def test_columns_without_any_value_are_left_out(atlas: Atlas) -> None:
    text = atlas("chainer/layer-normalization").stdout
    assert "\nTotals\n  per instance  total\n  2 C           2 C\n\n" in text
    assert "extent" not in text


def test_what_is_printed_to_a_file_is_as_wide_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("sys.stdout", io.StringIO())
    assert terminal_width() is None
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert terminal_width() == 80


def test_a_proof_that_is_missing_is_called_as_on_pages(atlas: Atlas) -> None:
    assert {row["status"] for row in data(atlas(FFN, "--json"))["checks"]} == {"proved", "missing"}
    text = atlas(FFN).stdout
    assert " not proved\n" in text
    assert " missing " not in text


def test_a_layer_and_its_library(atlas: Atlas) -> None:
    layer = data(atlas("chainer/layer-normalization", "--json"))
    assert layer["totals"] == [{"variant": None, "per_instance": "2 C", "places": None, "total": "2 C"}]
    library = data(atlas("chainer", "--json"))
    assert library["kind"] == "library"
    assert library["layers"][0]["id"] == "chainer/layer-normalization"
    assert library["layers"][0]["checks"].startswith("formula proved, shapes proved")


def test_a_source_has_its_files_and_who_cites_them(
    atlas: Atlas, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = data(atlas("sources/chainer", "--json"))
    assert found["kind"] == "source"
    assert [(row["pin"], row["cache"]) for row in found["files"]] == [("proved", "in the cache")]
    assert {row["id"] for row in found["cited_by"]} == {"chainer/layer-normalization"}
    monkeypatch.setenv("OPENMODELATLAS_CACHE", str(tmp_path / "cache"))
    found = data(atlas("tensor2tensor", "--json"))
    assert {row["cache"] for row in found["files"]} == {"not in the cache"}


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_operator_is_shown(atlas: Atlas, name: str) -> None:
    found = data(atlas(f"operators/{name}", "--json"))
    operator = CATALOGUE[name]
    assert {row["what"]: row["value"] for row in found["facts"]}["contract"] == str(operator.contract)
    assert [row["name"] for row in found["options"]] == list(operator.options)
    assert {row["name"] for row in found["arguments"] if row["kind"] == "parameter"} == {*operator.parameters}


def test_an_operator_names_the_entries_that_use_it(atlas: Atlas) -> None:
    used = [row["id"] for row in data(atlas("layer_norm", "--json"))["used_by"]]
    assert FFN in used


def test_what_is_wrong_with_an_entry_is_printed(atlas: Atlas, real_project: Any) -> None:
    real_project.edit(f"content/{FFN}.yml", "epsilon: inside the root", "epsilon: outside the root")
    result = atlas(FFN)
    assert result.exit_code == 1
    assert f"content/{FFN}.yml:" in result.stdout
    assert "A139" in result.stdout
    assert result.stderr.endswith("; its values are known once they are mended\n")
    [issue] = json.loads(atlas(FFN, "--json").stdout)
    assert issue["code"] == "A139"
    result = atlas("chainer/layer-normalization")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "nothing is wrong with chainer/layer-normalization, but 1 issue in 1 file elsewhere" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([FFN, "--variant", "transformer_big"], f"--set and --tokens go with a model; {FFN} is a component"),
        (["layer_norm", "--set", "d=3"], "go with a model; layer_norm is an operator"),
        (["layer_nrm"], "library, source or operator layer_nrm; did you mean layer_norm?"),
        (["transformer_big"], "is a variant of transformer: name transformer and --variant transformer_big"),
        (["qqqqq"], "there is: models tiny, transformer; libraries chainer; components "),
        (["../sources/chainer"], "there is no model, component"),
    ],
)  # fmt: skip
def test_a_name_that_names_nothing_is_told(atlas: Atlas, arguments: list[str], message: str) -> None:
    assert message in refused(atlas(*arguments))
